"""What of an HTTP request belongs to an order: payment, keys, who asks. The Host header is never read."""

import re
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import parse_qsl

from msgspec import Struct

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read
from assay402.service.order import UnreadablePayment
from assay402.web.answers import QUOTE, HTTPAnswer, Scope, problem
from assay402.web.limits import header_values
from assay402.wire.transport import (
    IDEMPOTENCY_KEY,
    MAX_PAYMENT_BYTES,
    PAYMENT_SIGNATURE,
    X_PAYMENT,
    decode_header,
)

_KEY: Final = re.compile(f'"?({IDEMPOTENCY_KEY.pattern})"?')
"""With the quotation marks of a structured field or without."""
_MAX_QUOTE: Final = 1_024
_MAX_PARAMETERS: Final = 4

Networks = tuple[IPv4Network | IPv6Network, ...]


class Asked(Struct, frozen=True, kw_only=True):
    """What the query asks for."""

    as_envelope: bool = False
    profile: str | None = None


def asked(scope: Scope, profiles: Sequence[str]) -> Asked | HTTPAnswer:
    """Read the query of an order. A parameter nobody knows is refused: it may be one that mattered to the client."""
    source = scope["query_string"]
    if not source:
        return Asked()
    try:
        pairs = parse_qsl(
            source.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            max_num_fields=_MAX_PARAMETERS,
        )
    except ValueError:
        return problem(400, "query")
    query = dict(pairs)
    is_known = query.keys() <= {"envelope", "profile"} and len(query) == len(pairs)
    if (
        not is_known
        or query.get("envelope", "1") != "1"
        or ("profile" in query and query["profile"] not in profiles)
    ):
        return problem(400, "query")
    return Asked(as_envelope="envelope" in query, profile=query.get("profile"))


def payment_of(scope: Scope) -> Mapping[str, JSON] | UnreadablePayment | None:
    """Read the payment of a request, of version 2; a payment of version 1 is said to be one.

    Whether a name stands twice in it is asked where its authorization is read, for every face.
    """
    values = header_values(scope, PAYMENT_SIGNATURE)
    if not values:
        return UnreadablePayment(code="payment_version") if header_values(scope, X_PAYMENT) else None
    unreadable = UnreadablePayment(code="invalid_payload")
    data = decode_header(values[0]) if len(values) == 1 else None
    if data is None:
        return unreadable
    try:
        payload = read(data, max_bytes=MAX_PAYMENT_BYTES)
    except JSONUnreadable:
        return unreadable
    return payload if isinstance(payload, Mapping) else unreadable


def idempotency_key(scope: Scope) -> str | HTTPAnswer | None:
    """Read the `Idempotency-Key`, or give the problem with it."""
    values = header_values(scope, "Idempotency-Key")
    if not values:
        return None
    match = _KEY.fullmatch(values[0].strip(" \t"))
    return match[1] if match and len(values) == 1 else problem(400, "idempotency_key_invalid")


def quote_id(scope: Scope) -> str | HTTPAnswer | None:
    """Read the quote a client pays for, or give the problem with it."""
    values = header_values(scope, QUOTE)
    if not values:
        return None
    if len(values) > 1 or len(values[0]) > _MAX_QUOTE:
        return problem(400, "header_repeated")
    return values[0].strip(" \t")


def networks_of(trusted: Sequence[str]) -> Networks:
    """Read the addresses and networks of proxies that are believed."""
    return tuple(ip_network(each) for each in trusted)


def client_address(scope: Scope, proxies: Networks) -> str:
    """Give the address that asks: the peer, or what proxies of ours say, read from the end as far as they are ours."""
    peer = scope.get("client")
    place = peer[0] if peer else ""
    address = _address(place) if proxies else None
    if address is None or not _is_ours(address, proxies):
        return place
    hops = [hop.strip() for value in header_values(scope, "X-Forwarded-For") for hop in value.split(",")]
    for hop in reversed(hops):
        found = _address(hop)
        if found is None:
            return str(address)
        address = found
        if not _is_ours(address, proxies):
            break
    return str(address)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _is_ours(address: IPv4Address | IPv6Address, proxies: Networks) -> bool:
    return any(address in network for network in proxies)
