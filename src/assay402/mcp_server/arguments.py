"""What a tool call holds, with every number, order and repetition as it was sent.

The SDK reads messages into Python's values, which lose spellings that the checks judge. The transports therefore keep
the bytes of a message beside it, and the members that matter are cut out of them here.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read
from assay402.formats.cutting import members
from assay402.service.order import UnreadablePayment
from assay402.wire.transport import MCP_PAYMENT

_KEY: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SHORTEST_KEY: Final = 8
_LONGEST_KEY: Final = 128
_FIRST_VERSION: Final = "1"


class Call(Struct, frozen=True, kw_only=True):
    """One tool call."""

    request: bytes | None
    """What the operation is asked, as sent; None where no arguments were."""
    idempotency_key: str | None = None
    payment: Mapping[str, JSON] | UnreadablePayment | None = None


def call_of(source: bytes) -> Call:
    """Read a call from the bytes of its message."""
    params = members(_member(members(source), "params") or b"")
    meta = members(_member(params, "_meta") or b"") or {}
    return Call(request=_member(params, "arguments"), payment=_payment(meta.get(MCP_PAYMENT)))


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
        if key is None or not _is_key(key):
            return call
    return Call(request=sent["request"], idempotency_key=key, payment=call.payment)


def _member(sent: Mapping[str, bytes] | None, name: str) -> bytes | None:
    """Give a member; null is none."""
    found = None if sent is None else sent.get(name)
    return None if found == b"null" else found


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
