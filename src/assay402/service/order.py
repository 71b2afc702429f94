"""An order as a face hands it over, and every way it can end. Faces turn an outcome into HTTP or an MCP tool result."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.core.check import Check, Operation
from assay402.core.strictjson import JSON

QUOTED: Final = "deliverable"
"""The check whose contract has quotes (`ARBITER-QUOTE-ID`), bound to the request."""
WORK_SECONDS: Final[Mapping[str, int]] = {
    "dialect": 15,
    "listing": 120,
    "deliverable": 15,
    "claims": 15,
    "terms": 30,
}
"""How long the work of a check may take. An authorization must outlast it, and a lease covers it."""


class Resource(Struct, frozen=True, kw_only=True):
    """One operation as the service offers it: where, for how much, and what it is called."""

    path: str
    """Such as `/dialect-check/check`."""
    check: Check
    operation: "Operation[object, object]"
    price: int
    """Millionths of a US dollar, which are the atomic units of USDC; 0 is free."""
    description: str
    profile: str | None = None
    """Which published contract answers, where the operation has several; answers of two are never taken for one."""

    @property
    def work_seconds(self) -> int:
        """How long the work may take."""
        return WORK_SECONDS[self.check.name]

    @property
    def is_quoted(self) -> bool:
        """Whether offers of it carry a quote, which is bound to the request."""
        return self.check.name == QUOTED and self.price > 0

    @property
    def name(self) -> str:
        """`check/operation`, as rows and logs name it."""
        return f"{self.check.name}/{self.operation.name}"


class UnreadablePayment(Struct, frozen=True, kw_only=True):
    """A payment was sent and is none: not base64, not JSON, no object, or in the header of version 1."""

    code: str
    """`invalid_payload` or `payment_version`."""


class Order(Struct, frozen=True, kw_only=True):
    """One call of a resource, free of its transport."""

    resource: Resource
    request: bytes
    """The request as received, within the resource's cap."""
    payment: Mapping[str, JSON] | UnreadablePayment | None
    """The PaymentPayload, decoded and otherwise as sent."""
    idempotency_key: str | None = None
    quote_id: str | None = None
    """`ARBITER-QUOTE-ID` of the request, where the client sent it."""
    client_address: str = "local"
    """For the free tier's ceiling; never written anywhere."""


class Delivered(Struct, frozen=True, kw_only=True):
    """The answer, and where it was paid for, the settlement."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    """The signature and what else belongs to the answer."""
    settlement: Mapping[str, JSON] | None = None
    """The SettlementResponse to send as PAYMENT-RESPONSE or in `_meta`."""
    logical_payment_id: str | None = None
    is_replay: bool = False
    """Whether these are kept bytes of an earlier call."""


class Offered(Struct, frozen=True, kw_only=True):
    """Payment is required: the PaymentRequired, exactly these bytes in header (base64) and body."""

    payment_required: bytes
    quote_id: str | None = None
    settlement: Mapping[str, JSON] | None = None
    """A failed SettlementResponse, where a settlement was refused."""
    logical_payment_id: str | None = None


class Pending(Struct, frozen=True, kw_only=True):
    """Verification, work or settlement of this payment is under way or in doubt: ask again with the same payment."""

    retry_after_seconds: int
    logical_payment_id: str | None = None


class Declined(Struct, frozen=True, kw_only=True):
    """No answer and no offer: a problem with a stable code. Nothing was charged."""

    status: int
    """HTTP's status for it: 400, 402 never, 404, 409, 413, 422, 429, 503."""
    code: str
    body: Mapping[str, JSON] | None = None
    """The room's own shape of a refusal, where its contract has one."""
    numbers: Mapping[str, int] = {}
    free_retry: bool = False
    """Whether the same payment may be sent again: it was verified, and nothing was charged."""
    retry_after_seconds: int | None = None
    logical_payment_id: str | None = None


Outcome = Delivered | Offered | Pending | Declined
