"""What the service needs of the world, as protocols, with the rows they speak of.

The rows are closed lists of fields: adding one is a version change, and a test says so. The store implements
`Payments`, `Ledger` and `FreeTier` in SQL, `assay402.net` implements `Facilitator` and `ChainLookup` over HTTP.
Times are aware datetimes in UTC; amounts are integers of atomic units.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Final, Protocol

from msgspec import Struct

from assay402.core.strictjson import JSON
from assay402.service.answers import NotMoved as NotMoved  # noqa: PLC0414  (a name of the ports)
from assay402.service.answers import Refused as Refused  # noqa: PLC0414  (a name of the ports)
from assay402.service.answers import Settled as Settled  # noqa: PLC0414  (a name of the ports)
from assay402.service.answers import Unknown as Unknown  # noqa: PLC0414  (a name of the ports)
from assay402.service.answers import Verified as Verified  # noqa: PLC0414  (a name of the ports)

UNSETTLED_PER_PAYER: Final = 4
"""Claims one payer may have that are not yet settled, released or expired."""


class PaymentState(Enum):
    """Where a payment stands, durably. In doubt is `SETTLING` with a lease that has run out."""

    CLAIMED = "claimed"
    """Verified and ours to work for; nothing done yet, as far as the store knows."""
    STORED = "stored"
    """The work is done, and what may be kept of it is kept."""
    SETTLING = "settling"
    """The facilitator is being asked, or was asked and the outcome is unknown."""
    SETTLED = "settled"
    """Money moved. Final."""
    RELEASED = "released"
    """The work was refused, or the settlement in a way that shows nothing was sent. The payment may be claimed anew.

    Its authorization can still be used by whoever has it: before any offer is made for it, that is looked up.
    """
    EXPIRED = "expired"
    """The authorization ran out before anything moved. Final."""
    UNRESOLVED = "unresolved"
    """The facilitator was asked, the time is over, and nobody can tell whether money moved: for the operator to find out."""


class Claim(Struct, frozen=True, kw_only=True):
    """A verified payment about to be worked for."""

    key: str
    """The authorization key: what the chain itself lets happen at most once."""
    payload_sha256: str
    """Of the payment payload as canonical JSON, in hex."""
    payer: str
    payment_id: str | None
    """The id of the payment-identifier extension, where the client sent one."""
    idempotency_key: str | None
    """The `Idempotency-Key` header, scoped to payer and operation."""
    operation: str
    """`check/operation`, such as `dialect/check`."""
    accepted: str
    """The accepted PaymentRequirements as canonical JSON: what was offered and taken."""
    valid_before: datetime
    """When the authorization runs out."""
    lease_until: datetime
    """Until when the worker that claims has it alone."""


class PaymentRow(Struct, frozen=True, kw_only=True):
    """A row of the gate: closed, and without any digest of what was examined."""

    key: str
    payload_sha256: str
    payer: str
    payment_id: str | None
    idempotency_key: str | None
    operation: str
    accepted: str
    valid_before: datetime
    state: PaymentState
    fence: int
    """Rises with each claim and take-over, so that a stalled worker loses."""
    lease_until: datetime
    claimed_at: datetime
    settled_at: datetime | None
    transaction: str | None
    """Of the settlement, as the facilitator or the chain told it."""
    reruns: int
    """How often the work was done anew for the settled payment."""


class KeptAnswer(Struct, frozen=True, kw_only=True):
    """An answer of a check whose custody keeps answers. Never the input."""

    id: str
    """The receipt id (`request_id`) where the contract has one, else a random UUIDv4."""
    scope: str
    """The payer, or `local` where nobody pays."""
    operation: str
    request_sha256: str
    """Of the request as canonical JSON, in hex; only in rooms whose custody allows it."""
    idempotency_key: str | None
    payment_key: str | None
    """The authorization key that paid for it."""
    body: bytes
    """The published answer, exactly as it was signed and sent."""
    headers: tuple[tuple[str, str], ...]
    """Headers that belong to the answer and are sent with it again, such as its signature."""
    bearer_sha256: str | None
    """Of the receipt's secret (`binding.nonce`), in hex; None where the id suffices."""
    kept_at: datetime


class Value(Struct, frozen=True, kw_only=True):
    """The Canadian fair-market value of a payment; without a rate yet, `cad_pending` is true and the rest is null."""

    rate: str | None
    """CAD for one USD, as published, a decimal string."""
    rate_date: date | None
    basis: str | None
    """Where the rate comes from, such as `bank_of_canada` or `typed_in`."""
    cad_pending: bool
    refund: bool


class Entry(Struct, frozen=True, kw_only=True):
    """What the ledger may say of the work, per room, before the payment is settled. Closed lists of fields.

    dialect: `criteria_version`, `report_line`, `summary`, `carrier`. Other rooms: `program` (program or engine
    version), `verdict` (verdict or state) and `counts`.
    """

    criteria_version: str | None = None
    report_line: str | None = None
    summary: str | None = None
    carrier: str | None = None
    program: str | None = None
    verdict: str | None = None
    counts: Mapping[str, int] | None = None


class LedgerRow(Struct, frozen=True, kw_only=True):
    """One row of the append-only ledger. A correction or a refund is a row of its own that names the row it is about."""

    id: int
    about: int | None
    """The row this one corrects or refunds."""
    kind: str
    """`payment`, `refund`, `rate` (a value that was pending), `wrong` (a report later found wrong)."""
    operation: str
    payer: str
    recorded_at: datetime
    network: str
    asset: str
    units: int
    """Atomic units of the asset; negative in a refund."""
    value: Value
    transaction: str
    fee_lamports: int | None
    """The fee on Solana, where it is known."""
    entry: Entry
    house: bool
    """Whether the payer is the operator itself."""


class Claimed(Struct, frozen=True, kw_only=True):
    """The claim is ours, under this fence."""

    fence: int


class Known(Struct, frozen=True, kw_only=True):
    """The key, the payer's payment id or its `Idempotency-Key` is claimed already; nothing was written."""

    row: PaymentRow


class TooManyUnsettled(Struct, frozen=True, kw_only=True):
    """The payer has as many unsettled claims as it may have; nothing was written."""


class StoreUnavailable(Exception):
    """The database cannot be read or written now. Nothing half-done remains.

    It carries no text of the driver, which could quote rows, but one word of a closed list: `locked`, `full`,
    `read_only`, `gone` or `failed`. Where the connection was lost while a change was being committed, the change may
    have happened, as a whole: the row tells.
    """


class TransactionCounted(Exception):
    """Another payment is settled by this very transfer, or by one of its transaction that may be the same; nothing was written."""


class Payments(Protocol):
    """The gate's rows and the answers kept with them. Every change is one transaction, compare-and-set on state and fence.

    Every method raises `StoreUnavailable` where the database cannot serve.
    """

    async def find(self, key: str) -> PaymentRow | None:
        """Give the row of an authorization key."""
        ...

    async def find_by_payment_id(self, payer: str, payment_id: str) -> PaymentRow | None:
        """Give the newest row of a payer's payment id."""
        ...

    async def find_by_idempotency_key(self, payer: str, operation: str, key: str) -> PaymentRow | None:
        """Give the newest row of a payer's `Idempotency-Key` for an operation."""
        ...

    async def claim(self, claim: Claim, now: datetime) -> Claimed | Known | TooManyUnsettled:
        """Insert the claim, or claim anew a `RELEASED` row of the same key (fence + 1), or say what stands in the way.

        A payer's payment id, and its `Idempotency-Key` for an operation, may stand on one row only that is not
        `RELEASED` or `EXPIRED`.
        """
        ...

    async def take_over(self, key: str, fence: int, now: datetime, lease_until: datetime) -> int | None:
        """Take a row whose lease ran out (any state that is not final) from its worker.

        Gives the new fence; None where the fence moved or the lease still runs.
        """
        ...

    async def keep(  # noqa: PLR0913  (what is kept, under which claim)
        self, key: str, fence: int, entry: Entry, answer: KeptAnswer | None, lease_until: datetime, *,
        settles: bool = False,
    ) -> bool:  # fmt: skip
        """Move from `CLAIMED` to `STORED`, or with `settles` (no answer kept) on to `SETTLING`. False: fence lost."""
        ...

    async def begin_settling(self, key: str, fence: int, lease_until: datetime) -> bool:
        """Move from `STORED` to `SETTLING`, durable before the facilitator is called. False: fence lost."""
        ...

    async def leave(self, key: str, fence: int, lease_until: datetime) -> bool:
        """Let go of a row that is not final before its lease is over: from then on anybody may take it. False: fence lost."""
        ...

    async def settled(self, key: str, fence: int, settlement: Settled, now: datetime, *, house: bool) -> bool:
        """Move from `SETTLING` or `UNRESOLVED` to `SETTLED` and append the one ledger row, in one transaction.

        False: fence lost. Raises `TransactionCounted` too: where one of two settlements of a transaction has no log index,
        they may be the same transfer.
        """
        ...

    async def placeless(self, network: str, transaction: str) -> PaymentRow | None:
        """Give the one payment that is settled by a transaction of which it is not known which transfer it was."""
        ...

    async def place(self, key: str, log_index: int) -> bool:
        """Write which transfer settled a payment; False where that is known already, or is another payment's."""
        ...

    async def release(self, key: str, fence: int) -> bool:
        """Move a row that is not final, and not `UNRESOLVED`, to `RELEASED`; a kept answer goes. False: fence lost."""
        ...

    async def expire(self, key: str, fence: int) -> bool:
        """Move a row that is not final to `EXPIRED`; a kept answer goes. False: fence lost."""
        ...

    async def hand_over(self, key: str, fence: int, now: datetime) -> bool:
        """Move from `SETTLING` to `UNRESOLVED`, for anybody to take at once. False: fence lost."""
        ...

    async def rerun(self, key: str, not_after: datetime, at_most: int, now: datetime) -> bool:
        """Count one more doing of the work for a settled payment; False when it is too late or too often."""
        ...

    async def in_doubt(self, now: datetime, limit: int) -> tuple[PaymentRow, ...]:
        """Give rows that are not final and whose lease ran out, oldest first, for the reconciler. None is `UNRESOLVED`."""
        ...

    async def unresolved(self, limit: int) -> tuple[PaymentRow, ...]:
        """Give rows that are `UNRESOLVED`, oldest first, for the operator."""
        ...

    async def answer_paid_by(self, key: str) -> KeptAnswer | None:
        """Give the answer a payment paid for."""
        ...

    async def answer_by_id(self, answer_id: str) -> KeptAnswer | None:
        """Give a kept answer (a receipt) by its id, paid for and settled, or local."""
        ...

    async def keep_local(self, answer: KeptAnswer) -> KeptAnswer:
        """Keep an unpaid answer; gives the one that stands, which is an earlier one under the same idempotency key."""
        ...

    async def local_answer(self, operation: str, idempotency_key: str) -> KeptAnswer | None:
        """Give the unpaid answer kept under an idempotency key."""
        ...


class Ledger(Protocol):
    """The append-only ledger, read and corrected. Payments enter it through `Payments.settled` alone."""

    def rows(self, since: date | None, until: date | None) -> AsyncIterator[LedgerRow]:
        """Give rows in order of their ids, of the days from `since` until before `until`."""
        ...

    async def append(self, row: LedgerRow) -> int:
        """Append a refund, rate or correction; the id is given by the ledger and returned."""
        ...

    async def mismatches(self) -> tuple[str, ...]:
        """Match payment rows and settled gate rows one to one; gives a closed code and the id of each mismatch."""
        ...


class FreeTier(Protocol):
    """Counts free calls, atomically."""

    async def take(self, bucket: str, now: datetime, per_day: int, interval_ms: int) -> bool:
        """Count a call of a bucket; False when the day's allowance is used up or the last call was too near.

        A bucket is forgotten a day after its last call, so an interval is a day at most. One whose name begins with
        `call:` is taken last for each free call: a review compares these with the paid ones.
        """
        ...

    async def forget(self, now: datetime, at_most: int) -> int:
        """Forget buckets whose last call was more than a day before `now`; gives how many there were, `at_most` at once."""
        ...


class Facilitator(Protocol):
    """Verifies and settles for us. No text of it passes through. Never raises for what it answers or fails to answer."""

    async def verify(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Verified | Refused | Unknown:
        """Ask whether a payment would hold; no money moves."""
        ...

    async def settle(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Settled | Refused | Unknown:
        """Ask to settle. May be asked again for the same payment: the chain makes that at most once.

        `Refused` is said only of what was never sent to a chain. A refusal for any other reason, a success without a
        transaction of its chain or on another network, and `nonce already used` in any spelling are `Unknown`: it may
        have been this very payment.
        """
        ...

    async def extra(self, network: str) -> Mapping[str, JSON] | None:
        """Give what `/supported` tells of scheme `exact` on a network (such as Solana's `feePayer`); None: not supported."""
        ...

    async def is_reachable(self) -> bool:
        """Tell whether the facilitator answered lately."""
        ...


class ChainLookup(Protocol):
    """Looks an authorization up on its chain, where the operator configured a node for it."""

    async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        """Tell whether the authorization of a key moved the amount to the recipient, and in which transaction.

        The key says all a chain needs (`service.authorization`): a row alone can be looked up. Doubt is `Unknown`.
        """
        ...

    def can_find(self, key: str) -> bool:
        """Tell whether authorizations such as that of a key can be looked up at all."""
        ...

    async def fee(self, network: str, transaction: str) -> int | None:
        """Give the fee of a transaction in lamports; None on a chain without them, and where it cannot be told now."""
        ...


class OfferReceipts(Protocol):
    """Makes the members of the `offer-receipt` extension, where a key for it exists."""

    def offers(
        self, resource_url: str, accepts: Sequence[Mapping[str, JSON]], now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of an offer: `{"info": {"offers": […]}, "schema": …}`."""
        ...

    def receipt(
        self, resource_url: str, network: str, payer: str, transaction: str, now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of a settlement: `{"info": {"receipt": …}, "schema": …}`."""
        ...
