"""What a request may hold, judged before anything is asked."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from assay402.checks.listing.model import ListingInput, Settle
from assay402.checks.listing.reading.captures import EXTENSION_RESPONSES
from assay402.checks.listing.reading.facilitators import known_facilitators, read_registry
from assay402.checks.listing.requests import spelled
from assay402.core import target
from assay402.core.check import Refusal
from assay402.core.errors import Notice
from assay402.core.strictjson import JSON, Number, integer
from assay402.wire.weburl import parse_web_url

REQUEST_BYTES: Final = 1 << 20
"""Room for a registry and two captures."""
MAX_BODY: Final = 65_536
"""Characters of a request body for the paid route."""
MAX_TIMEOUT_MS: Final = 2**31 - 1
PROFILES: Final = ("default", "compat")
CHAINS: Final = ("base-sepolia", "base")
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
DEFAULT_ONLY: Final = ("method", "body", "facilitator_registry", "validate")
"""Members that the reference's rules have no place for."""
_MULTIPLIER_MAX: Final = 1e9
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

REFUSALS: Final[Mapping[str, Notice]] = {
    "not_json": Notice("The request is not JSON.", "Send one JSON object in UTF-8."),
    "not_an_object": Notice("The request is not a JSON object.", "Send {url, …}."),
    "over_cap": Notice("The request is too long.", "Shorten it below the number `cap`, in bytes."),
    "member_unknown": Notice(
        "The request has a member this check does not know.",
        "Remove it, or mend its spelling: docs/guides/listing.md lists the members.",
    ),
    "member_type": Notice(
        "A member has the wrong type or a value it cannot have.",
        "docs/guides/listing.md says what each member takes.",
    ),
    "service_url": Notice("`url` is not an http or https address.", "Write it as `https://host/path`."),
    "endpoint_url": Notice("`endpoint` is not an http or https address.", "Write it as `https://host/path`."),
    "discovery_url": Notice(
        "`discovery_base_url` is not an http or https address.", "Write it as `https://host`."
    ),
    "timeout_range": Notice(
        "`timeout_ms` is no positive number up to 2147483647.", "Give milliseconds, such as 10000."
    ),
    "consensus_range": Notice(
        "`unreachable_consensus_count` is no positive integer.", "Give how many probes have to agree."
    ),
    "multiplier_range": Notice(
        "`unreachable_interval_multiplier` is no positive number.", "Give a factor, such as 1 or 0.5."
    ),
    "not_in_compat": Notice(
        "The request has a member that the compat profile has no place for.",
        "Leave out `method`, `body`, `facilitator_registry` and `validate`, or the profile.",
    ),
    "history_unreadable": Notice(
        "The history log cannot be read.", "Check its path, and that it is a file and not a folder."
    ),
    "check_needs_network": Notice(
        "This check needs a network, which this way of running does not use.",
        "Run `bazaar-check URL`, or replay a recording.",
    ),
    **target.NOTICES,
}
"""Every code a request can be refused with."""


def admit(request: JSON | Refusal, *, allow_private: bool = False) -> ListingInput | Refusal:
    """Say whether the check accepts a request. Fetches nothing and looks up no name."""
    if isinstance(request, Refusal):
        return request
    if not isinstance(request, Mapping):
        return Refusal(code="not_an_object")
    if not _READERS.keys() >= request.keys():
        return Refusal(code="member_unknown")
    members: dict[str, Any] = {}
    for name, reader in _READERS.items():
        if name in request:
            value = reader(request[name])
            if isinstance(value, Refusal):
                return value
            members[_FIELDS.get(name, name)] = value
    if "url" not in members:
        return Refusal(code="service_url")
    if "body" in members:
        members.setdefault("method", "POST")
    registry = members.pop("registry", ())
    given = ListingInput(facilitators=(*registry, *known_facilitators()), **members)
    if given.is_compat and any(name in request for name in DEFAULT_ONLY):
        return Refusal(code="not_in_compat")
    if not given.is_compat and given.discovery_base_url is not None and not is_web(given.discovery_base_url):
        return Refusal(code="discovery_url")
    return _judge_addresses(given, allow_private) or given


def _judge_addresses(given: ListingInput, allow_private: bool) -> Refusal | None:
    """Refuse for free what the guard would refuse by its spelling.

    The reference takes any catalogue base and fails to reach it, so the compat profile leaves that to the guard.
    """
    for address in (given.url, given.endpoint, None if given.is_compat else given.discovery_base_url):
        if address is not None:
            judged = target.parse(spelled(address), allow_private=allow_private)
            if isinstance(judged, Refusal):
                return judged
    return None


def number(value: JSON) -> float | None:
    """Give a JSON number, or None for anything else."""
    if isinstance(value, Number):
        return float(value.spelling)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_web(value: JSON) -> bool:
    """Tell whether a value is an http or https address."""
    url = parse_web_url(value) if isinstance(value, str) and _is_encodable(value) else None
    return url is not None and url.is_web


def milliseconds(value: float | None) -> int | None:
    """Give a timeout in whole milliseconds, or None for one that is out of range."""
    if value is None or not 0 < value <= MAX_TIMEOUT_MS:
        return None
    return math.ceil(value)


def multiplier(value: float | None) -> float | None:
    """Give a multiplier, or None for one that is out of range."""
    return value if value is not None and 0 < value <= _MULTIPLIER_MAX else None


def settle_of(value: JSON) -> Settle | None:
    """Read a captured answer of a facilitator: a status, and headers by name."""
    if not isinstance(value, Mapping) or set(value) - {"status", "headers", "body"}:
        return None
    status, headers = integer(value.get("status")), value.get("headers", {})
    if status is None or not isinstance(headers, Mapping):
        return None
    texts = {name.lower(): text for name, text in headers.items() if isinstance(text, str)}
    if len(texts) != len(headers) or not all(map(_HEADER_NAME.fullmatch, texts)):
        return None
    return Settle(status=status, headers=texts)


def payload_of(value: JSON) -> JSON:
    """Give the payment payload of a capture: the value of `paymentPayload`, or the whole where there is no such."""
    return value["paymentPayload"] if isinstance(value, Mapping) and "paymentPayload" in value else value


def redact(request: JSON) -> JSON:
    """Keep of the captures what the rules read: a payload holds a signature, and headers may hold tokens."""
    if not isinstance(request, Mapping):
        return request
    kept = dict(request)
    if "payload_capture" in request:
        payload = payload_of(request["payload_capture"])
        kept["payload_capture"] = {"paymentPayload": _emptied(payload)}
    settle = settle_of(request.get("settle_capture"))
    if settle is not None:
        headers = {name: value for name, value in settle.headers.items() if name == EXTENSION_RESPONSES}
        kept["settle_capture"] = {"status": settle.status, "headers": headers}
    return kept


def _emptied(payload: JSON) -> JSON:
    if not isinstance(payload, Mapping):
        return None
    if "resource" not in payload:
        return {}
    return {"resource": "" if isinstance(payload["resource"], str) else {}}


Reader = Callable[[JSON], Any]


def _or_refuse(read: Reader, code: str) -> Reader:
    def reader(value: JSON) -> Any:  # noqa: ANN401  (the member's own type)
        found = read(value)
        return Refusal(code=code) if found is None else found

    return reader


def _one_of(*allowed: str) -> Reader:
    return _or_refuse(
        lambda value: value if isinstance(value, str) and value in allowed else None, "member_type"
    )


def _address(code: str) -> Reader:
    return _or_refuse(lambda value: value if is_web(value) else None, code)


def _text(cap: int) -> Reader:
    def short(value: JSON) -> str | None:
        is_text = isinstance(value, str) and len(value) <= cap and _is_encodable(value)
        return value if isinstance(value, str) and is_text else None

    return _or_refuse(short, "member_type")


def _is_encodable(text: str) -> bool:
    """Tell whether a text can be sent: lone surrogates, which stand for bytes that are not UTF-8, cannot."""
    return text.isascii() or text.encode(errors="replace").decode() == text


def _count(value: JSON) -> int | None:
    found = number(value)
    if found is None or not 1 <= found < math.inf or found != int(found):
        return None
    return int(found)


_switch: Final = _or_refuse(lambda value: value if isinstance(value, bool) else None, "member_type")
_READERS: Final[Mapping[str, Reader]] = {
    "url": _address("service_url"),
    "endpoint": _address("endpoint_url"),
    "profile": _one_of(*PROFILES),
    "chain": _one_of(*CHAINS),
    "timeout_ms": _or_refuse(lambda value: milliseconds(number(value)), "timeout_range"),
    "unreachable_consensus_count": _or_refuse(_count, "consensus_range"),
    "unreachable_interval_multiplier": _or_refuse(
        lambda value: multiplier(number(value)), "multiplier_range"
    ),
    "payer_hint": _text(MAX_BODY),
    "discovery_base_url": _text(target.MAX_URL),
    "history": _switch,
    "method": _one_of(*METHODS),
    "body": _text(MAX_BODY),
    "facilitator_registry": _or_refuse(read_registry, "member_type"),
    "payload_capture": payload_of,
    "settle_capture": _or_refuse(settle_of, "member_type"),
    "validate": _switch,
}
"""The members of a request, each with what reads it: a value, or the refusal."""
MEMBERS: Final = tuple(_READERS)
"""Every member a request may have."""
_FIELDS: Final = {
    "unreachable_consensus_count": "consensus_count",
    "unreachable_interval_multiplier": "interval_multiplier",
    "facilitator_registry": "registry",
    "payload_capture": "payment_payload",
    "settle_capture": "settle",
}
"""Members whose name inside is another."""
