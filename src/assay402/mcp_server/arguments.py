"""What a tool call holds, with every number, order and repetition as it was sent.

The SDK reads messages into Python's values, which lose spellings that the checks judge, and are made at a cost that is
many times the length of some texts. What matters is therefore cut out of the bytes of a message, and the SDK gets what
is left.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read
from assay402.formats.cutting import members, spans
from assay402.mcp_server.tools import PUBLISHED
from assay402.service.order import UnreadablePayment
from assay402.wire.transport import IDEMPOTENCY_KEY, MAX_PAYMENT_BYTES, MCP_PAYMENT

_BLANKS: Final = b" \t\r\n"
_FIRST_VERSION: Final = "1"


class Places(Struct, frozen=True, kw_only=True):
    """Where in a message stands what a tool is called with."""

    tool: str | None
    arguments: slice | None
    payment: slice | None


class Call(Struct, frozen=True, kw_only=True):
    """One tool call."""

    request: bytes | None
    """What the operation is asked, as sent; None where no arguments were."""
    idempotency_key: str | None = None
    payment: Mapping[str, JSON] | UnreadablePayment | None = None


def places_in(source: bytes) -> Places | None:
    """Find what a tool is called with in the bytes of a message; None where it calls no tool."""
    outer = spans(source) or {}
    if "method" not in outer or "params" not in outer or _text(source[outer["method"]]) != "tools/call":
        return None
    params = spans(source, outer["params"].start) or {}
    meta = spans(source, params["_meta"].start) or {} if "_meta" in params else {}
    return Places(
        tool=_text(source[params["name"]]) if "name" in params else None,
        arguments=params.get("arguments"),
        payment=meta.get(MCP_PAYMENT),
    )


def call_at(source: bytes, places: Places) -> Call:
    """Cut a call out of the bytes of its message."""
    payment = None if places.payment is None else _payment(source[places.payment].strip(_BLANKS))
    call = Call(request=_value(source, places.arguments), payment=payment)
    return with_key_apart(call) if places.tool in PUBLISHED else call


def lighten(source: bytes, places: Places) -> bytes:
    """Give a message with nothing in its arguments and its payment, which are read from the bytes that came."""
    for place in sorted(_objects(source, places), key=lambda each: each.start, reverse=True):
        source = source[: place.start] + b"{}" + source[place.stop :]
    return source


def with_key_apart(call: Call) -> Call:
    """Take request and idempotency key out of the published arguments `{request, idempotency_key}`.

    What is kept under a key, and compared with a later call, is then the request alone, as over HTTP with the key in
    its header. Arguments of any other form stay as they are, for the room's own admission to refuse.
    """
    sent = members(call.request or b"")
    if sent is None or "request" not in sent or not sent.keys() <= {"request", "idempotency_key"}:
        return call
    key = None
    if "idempotency_key" in sent:
        key = _text(sent["idempotency_key"])
        if key is None or IDEMPOTENCY_KEY.fullmatch(key) is None:
            return call
    return Call(request=sent["request"], idempotency_key=key, payment=call.payment)


def _value(source: bytes, place: slice | None) -> bytes | None:
    """Give what stands at a place; null is nothing."""
    found = None if place is None else source[place].strip(_BLANKS)
    return None if found == b"null" else found


def _objects(source: bytes, places: Places) -> Iterator[slice]:
    for place in (places.arguments, places.payment):
        if place is not None and source[place].lstrip(_BLANKS).startswith(b"{"):
            yield place


def _text(source: bytes) -> str | None:
    try:
        return msgspec.json.decode(source, type=str)
    except msgspec.DecodeError:
        return None


def _payment(source: bytes) -> Mapping[str, JSON] | UnreadablePayment:
    try:
        payment = read(source, max_bytes=MAX_PAYMENT_BYTES)
    except JSONUnreadable:
        return UnreadablePayment(code="invalid_payload")
    if not isinstance(payment, Mapping):
        return UnreadablePayment(code="invalid_payload")
    version = payment.get("x402Version")
    if getattr(version, "spelling", version) == _FIRST_VERSION:
        return UnreadablePayment(code="payment_version")
    return payment
