"""What a tool call holds, with every number, order and repetition as it was sent.

The SDK reads messages into Python's values, which lose spellings that the checks judge. The transports therefore keep
the bytes of a message beside it, and the members that matter are cut out of them here.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read, write
from assay402.service.order import UnreadablePayment
from assay402.wire.transport import MCP_PAYMENT

_KEY: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SHORTEST_KEY: Final = 8
_LONGEST_KEY: Final = 128
_FIRST_VERSION: Final = "1"


class _Params(Struct, frozen=True, kw_only=True):
    arguments: Raw | UnsetType = UNSET
    meta: dict[str, Raw] | None = msgspec.field(name="_meta", default=None)


class _Message(Struct, frozen=True, kw_only=True):
    params: _Params


class Call(Struct, frozen=True, kw_only=True):
    """One tool call."""

    request: bytes | None
    """What the operation is asked, as sent; None where no arguments were."""
    idempotency_key: str | None = None
    payment: Mapping[str, JSON] | UnreadablePayment | None = None


def call_of(
    source: bytes | None, arguments: Mapping[str, Any] | None, meta: Mapping[str, Any] | None
) -> Call:
    """Read a call from the bytes of its message, or where a transport keeps none, from the values it gave."""
    if source is None:
        sent = None if arguments is None else write(dict(arguments))
        payment = None if not meta or MCP_PAYMENT not in meta else write(meta[MCP_PAYMENT])
        return Call(request=sent, payment=_payment(payment))
    try:
        params = msgspec.json.decode(source, type=_Message).params
    except msgspec.DecodeError:
        # The SDK's reader takes NaN and more, which is no JSON; the operation's own reader says what is wrong.
        return Call(request=source)
    sent = None if isinstance(params.arguments, UnsetType) else bytes(params.arguments)
    payment = (params.meta or {}).get(MCP_PAYMENT)
    return Call(request=sent, payment=_payment(None if payment is None else bytes(payment)))


def with_key_apart(call: Call) -> Call:
    """Take request and idempotency key out of the published arguments `{request, idempotency_key}`.

    A request is then the same order, byte for byte, as over HTTP. Arguments of any other form stay as they are, for the
    room's own admission to refuse.
    """
    if call.request is None:
        return call
    try:
        members = msgspec.json.decode(call.request, type=dict[str, Raw])
    except msgspec.DecodeError:
        return call
    if "request" not in members or not members.keys() <= {"request", "idempotency_key"}:
        return call
    key = None
    if "idempotency_key" in members:
        key = _text(bytes(members["idempotency_key"]))
        if key is None or not _is_key(key):
            return call
    return Call(request=bytes(members["request"]), idempotency_key=key, payment=call.payment)


def _is_key(key: str) -> bool:
    return _SHORTEST_KEY <= len(key) <= _LONGEST_KEY and _KEY.issuperset(key)


def _text(source: bytes) -> str | None:
    try:
        return msgspec.json.decode(source, type=str)
    except msgspec.DecodeError:
        return None


def _payment(source: bytes | None) -> Mapping[str, JSON] | UnreadablePayment | None:
    if source is None:
        return None
    try:
        payment = read(source)
    except JSONUnreadable:
        return UnreadablePayment(code="invalid_payload")
    if not isinstance(payment, Mapping):
        return UnreadablePayment(code="invalid_payload")
    version = payment.get("x402Version")
    if getattr(version, "spelling", version) == _FIRST_VERSION:
        return UnreadablePayment(code="payment_version")
    return payment
