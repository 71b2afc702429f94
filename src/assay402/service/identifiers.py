"""Names a client gives its own payments and requests: `payment-identifier` and `Idempotency-Key`. And what a request is."""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from assay402.core.canon import canonical, sha256_hex
from assay402.core.exactjson import Exact, read_exact
from assay402.core.strictjson import JSON
from assay402.formats.cutting import members
from assay402.service.discovery import PAYMENT_IDENTIFIER
from assay402.service.order import Order
from assay402.wire.requirements import mapping
from assay402.wire.transport import IDEMPOTENCY_KEY

_PAYMENT_ID: Final = re.compile(r"[A-Za-z0-9_-]{16,128}")
_WITH_KEY: Final = "claims"
"""The check whose published request may stand in a wrapper, `{request, idempotency_key}`."""


class Identifiers(Struct, frozen=True, kw_only=True):
    """The names a request came under."""

    payment_id: str | None
    idempotency_key: str | None


class BadIdentifier(Struct, frozen=True, kw_only=True):
    """A name has a form we do not take, or is wanted and missing."""

    code: str


def identifiers(order: Order, *, is_required: bool) -> Identifiers | BadIdentifier:
    """Read the names of an order; `is_required` where a payment must have an id of its own."""
    key = order.idempotency_key
    if key is not None and IDEMPOTENCY_KEY.fullmatch(key) is None:
        return BadIdentifier(code="idempotency_key_invalid")
    payment = order.payment if isinstance(order.payment, Mapping) else {}
    sent = mapping(mapping(payment, "extensions") or {}, PAYMENT_IDENTIFIER)
    info = None if sent is None else mapping(sent, "info")
    payment_id = None if info is None else info.get("id")
    if payment_id is None:
        return (
            BadIdentifier(code="payment_identifier_required")
            if is_required
            else Identifiers(payment_id=None, idempotency_key=key)
        )
    if not isinstance(payment_id, str) or _PAYMENT_ID.fullmatch(payment_id) is None:
        return BadIdentifier(code="payment_identifier_invalid")
    return Identifiers(payment_id=payment_id, idempotency_key=key)


def with_own_key(names: Identifiers, given: Any) -> Identifiers:  # noqa: ANN401  (the operation's own input)
    """Give the names of a request that carries an idempotency key in itself, as a tool call may; the header's comes first."""
    own = getattr(given, "idempotency_key", None)
    return replace(names, idempotency_key=own) if names.idempotency_key is None and own is not None else names


def request_sha256(order: Order) -> str:
    """Give the digest of a request, of rooms whose custody allows one: of its canonical JSON, in hex.

    A text without a single meaning (repeated names, numbers beyond reason) counts by its exact bytes. The published
    contract that is to answer belongs to the request. An idempotency key beside it, as in a tool call, does not: it is
    the same request wherever its key stands.
    """
    source = _without_key(order.request) if order.resource.check.name == _WITH_KEY else order.request
    read = read_exact(source)
    told: JSON = read.value if isinstance(read, Exact) else sha256_hex(source)
    kind = "json" if isinstance(read, Exact) else "bytes"
    return sha256_hex(canonical([kind, order.resource.profile, told]))


def _without_key(source: bytes) -> bytes:
    sent = members(source) or {}
    is_wrapped = "request" in sent and sent.keys() <= {"request", "idempotency_key"}
    return sent["request"] if is_wrapped else source
