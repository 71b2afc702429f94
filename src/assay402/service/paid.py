"""Paid orders, in the one order that charges nobody twice: known? admit, compare, verify, claim, run, store, settle, deliver."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay402.core.check import Refusal
from assay402.core.strictjson import JSON
from assay402.service.admission import admitted, declined
from assay402.service.authorization import InvalidPayload, accepted_text, read_authorization
from assay402.service.comparing import is_same_offer
from assay402.service.delivering import Delivering, not_done
from assay402.service.endings import Ending, InDoubt, Job, Moved, SettlementRefused, requirements_of
from assay402.service.gate import Action, Event, step
from assay402.service.identifiers import BadIdentifier, Identifiers, identifiers
from assay402.service.order import Declined, Delivered, Order, Outcome, Pending
from assay402.service.ports import (
    Claim,
    Claimed,
    PaymentRow,
    PaymentState,
    StoreUnavailable,
    TooManyUnsettled,
)
from assay402.service.till import Bid, Till, Verified
from assay402.service.verifying import Verifying
from assay402.service.work import Paid, Product

_ROUNDS: Final = 4
"""Times a row is looked at anew after somebody else moved it; then the client is told to ask again."""
_SOLANA_LIFETIME: Final = timedelta(seconds=180)
"""Longer than the blockhash of a transaction is taken by its chain."""
_TOO_MANY_SECONDS: Final = 30
_UNNAMED: Final = Identifiers(payment_id=None, idempotency_key=None)


class _Again(Struct, frozen=True):
    """The row was moved by somebody else, or let go: look at it again."""


_AGAIN: Final = _Again()
_Ended: TypeAlias = Outcome | _Again


class PaidOrders:
    """Takes orders that carry a payment."""

    def __init__(self, till: Till) -> None:
        self._till: Final = till
        self._verifying: Final = Verifying(till)
        self._delivering: Final = Delivering(till)

    async def take(self, order: Order, payment: Mapping[str, JSON]) -> Outcome:
        """Take an order to its end.

        Raises:
            StoreUnavailable: where nothing was charged, and the same payment may be sent again.

        """
        authorization = read_authorization(payment)
        if isinstance(authorization, InvalidPayload):
            return Declined(status=400, code=authorization.code)
        logical = authorization.logical_payment_id
        bid = Bid(order=order, payment=payment, authorization=authorization, names=_UNNAMED)
        for _ in range(_ROUNDS):
            row = await self._till.payments.find(authorization.key)
            outcome = await (self._new(bid, None) if row is None else self._known(bid, row))
            if not isinstance(outcome, _Again):
                return replace(outcome, logical_payment_id=logical)
        return replace(self._pending(), logical_payment_id=logical)

    async def _known(self, bid: Bid, row: PaymentRow) -> _Ended:
        """Answer a payment whose authorization has a row, from the state table."""
        is_same = row.payload_sha256 == bid.authorization.payload_sha256 and row.operation == bid.operation
        is_late = row.lease_until <= self._till.clock()
        event = (Event.ASKED_LATE if is_late else Event.ASKED) if is_same else Event.ASKED_OTHERWISE
        match step(row.state, event).action:
            case Action.WAIT:
                # It may have moved, and only the store could not take it yet.
                is_written = await self._till.settling.writing.write_held(row.key)
                return _AGAIN if is_written else self._pending(row)
            case Action.START_OVER:
                await self._let_go(row)
                return _AGAIN
            case Action.LOOK_AND_SETTLE:
                return await self._resumed(bid, row)
            case Action.LOOK_UP:
                return _AGAIN if await self._till.settling.sweep(row) else self._pending(row)
            case Action.DELIVER_AGAIN:
                return await self._delivering.again(bid.order, row, "payment_already_used")
            case Action.CLAIM_ANEW:
                return await self._new(bid, row)
            case Action.OFFER:
                given = admitted(bid.order)
                return (
                    declined(bid.order, given)
                    if isinstance(given, Refusal)
                    else await self._till.counter.offered(bid.order, "payment_expired")
                )
            case _:
                return Declined(status=409, code="payment_already_claimed")

    async def _new(self, bid: Bid, seen: PaymentRow | None) -> _Ended:
        """Take a payment nobody holds; `seen` is its row as it was let go. Only now do the names it came under matter."""
        names = identifiers(bid.order, is_required=self._till.is_id_required)
        if isinstance(names, BadIdentifier):
            return Declined(status=400, code=names.code)
        verified = await self._verifying.verified(replace(bid, names=names), seen)
        if not isinstance(verified, Verified):
            # The same payment may have been taken, and even settled, meanwhile: then it is known, and no offer is made.
            row = await self._till.payments.find(bid.authorization.key)
            return verified if row == seen else _AGAIN
        self._till.tell("payment.verified", bid.operation)
        earlier = await self._earlier(verified)
        if earlier is not None:
            return earlier
        now = self._till.clock()
        match await self._till.payments.claim(self._claim(verified, now), now):
            case Claimed(fence=fence):
                self._till.tell("payment.claimed", bid.operation)
                return await self._work(verified, fence)
            case TooManyUnsettled():
                return Declined(status=429, code="too_many_unsettled", retry_after_seconds=_TOO_MANY_SECONDS)
            case _:
                return _AGAIN

    async def _earlier(self, verified: Verified) -> _Ended | None:
        """Answer from an earlier payment of the same payer that came under the same name; None where there is none.

        This payment is left unsettled then. Whoever sends it has shown to be the payer: it verifies.
        """
        names, resource = verified.bid.names, verified.bid.order.resource
        row, conflict = None, "payment_identifier_conflict"
        if names.payment_id is not None:
            row = await self._till.payments.find_by_payment_id(verified.payer, names.payment_id)
        if not _stands(row) and names.idempotency_key is not None:
            conflict = "idempotency_key_conflict"
            row = await self._till.payments.find_by_idempotency_key(
                verified.payer, resource.name, names.idempotency_key
            )
        if row is None or not _stands(row):
            return None
        if row.key == verified.bid.authorization.key:
            return _AGAIN
        if row.operation != resource.name or not is_same_offer(requirements_of(row), verified.requirements):
            return Declined(status=409, code=conflict)
        if row.state is PaymentState.SETTLED:
            return await self._delivering.again(verified.bid.order, row, conflict)
        event = Event.ASKED_LATE if row.lease_until <= self._till.clock() else Event.ASKED
        action = step(row.state, event).action
        if action is Action.START_OVER:
            await self._let_go(row)
            return _AGAIN
        if action in {Action.LOOK_AND_SETTLE, Action.LOOK_UP}:
            # Its own payment is not here to be settled again, but its chain may tell.
            return _AGAIN if await self._till.settling.sweep(row) else self._pending(row)
        return self._pending(row)

    async def _work(self, verified: Verified, fence: int) -> _Ended:
        """Do the work of a claim that is ours, and settle it."""
        bid = verified.bid
        order, key = bid.order, bid.authorization.key
        paid = Paid(
            payer=verified.payer,
            payload_sha256=bid.authorization.payload_sha256,
            idempotency_key=bid.names.idempotency_key or bid.names.payment_id,
        )
        product = await self._delivering.made(order, verified.given, paid)
        if product is None or isinstance(product, Refusal):
            is_ours = await self._till.payments.release(key, fence)
            self._till.tell("payment.released", bid.operation)
            return not_done(order, product) if is_ours else _AGAIN
        if not await self._stored(verified, fence, product):
            return _AGAIN
        job = Job(
            key=key,
            fence=fence,
            payer=verified.payer,
            payment=bid.payment,
            requirements=verified.requirements,
            is_used=verified.is_used,
        )
        return await self._settled(bid, job, product)

    async def _stored(self, verified: Verified, fence: int, product: Product) -> bool:
        """Write that the work is done, and then that it is being settled: both durable before the facilitator is called.

        A room that keeps no answer has nothing to store, so that both are one change there.
        """
        key = verified.bid.authorization.key
        assert product.entry is not None  # noqa: S101  (made for a payer)
        kept = self._delivering.kept(verified, product)
        is_ours = await self._till.payments.keep(
            key, fence, product.entry, kept, self._settling_lease(), settles=kept is None
        )
        if kept is None:
            return is_ours
        return is_ours and await self._till.payments.begin_settling(key, fence, self._settling_lease())

    async def _settled(self, bid: Bid, job: Job, product: Product) -> _Ended:
        """Settle and deliver, or say what became of it."""
        ending = await self._till.settling.settle(job)
        if isinstance(ending, Moved):
            self._till.tell("payment.settled", bid.operation)
            settlement = self._till.counter.settlement(
                bid.order.resource, job.requirements, job.payer, ending.transaction, ending.settled_at
            )
            return Delivered(body=product.body, headers=product.headers, settlement=settlement)
        if isinstance(ending, SettlementRefused):
            self._till.tell("payment.refused", bid.operation)
            failed = self._till.counter.failed_settlement(job.requirements, job.payer, ending.reason)
            return await self._till.counter.offered(bid.order, ending.reason, failed)
        return self._told(ending, bid)

    async def _resumed(self, bid: Bid, row: PaymentRow) -> _Ended:
        """Find out about a payment in doubt. Where its row cannot be written, the doubt stays."""
        try:
            ending = await self._till.settling.resume(row, bid.payment)
        except StoreUnavailable:
            ending = InDoubt(retry_after_seconds=self._till.timing.retry_after_in_doubt)
        return self._told(ending, bid)

    def _claim(self, verified: Verified, now: datetime) -> Claim:
        bid, resource = verified.bid, verified.bid.order.resource
        return Claim(
            key=bid.authorization.key,
            payload_sha256=bid.authorization.payload_sha256,
            payer=verified.payer,
            payment_id=bid.names.payment_id,
            idempotency_key=bid.names.idempotency_key,
            operation=resource.name,
            accepted=accepted_text(verified.requirements),
            valid_before=bid.authorization.valid_before or now + _SOLANA_LIFETIME,
            lease_until=now + timedelta(seconds=resource.work_seconds + self._till.timing.work_margin),
        )

    def _settling_lease(self) -> datetime:
        return self._till.clock() + timedelta(seconds=self._till.timing.settling)

    async def _let_go(self, row: PaymentRow) -> None:
        """Release a payment whose worker is gone before it settled anything; whoever wins the race does."""
        now = self._till.clock()
        fence = await self._till.payments.take_over(row.key, row.fence, now, self._settling_lease())
        if fence is not None:
            await self._till.payments.release(row.key, fence)

    def _told(self, ending: Ending, bid: Bid) -> _Ended:
        """Say that an outcome is not known yet; anything else stands in the row."""
        if not isinstance(ending, InDoubt):
            return _AGAIN
        self._till.tell("payment.in_doubt", bid.operation)
        return Pending(retry_after_seconds=ending.retry_after_seconds)

    def _pending(self, row: PaymentRow | None = None) -> Pending:
        """Say that a payment is under way, and when to ask again: no later than its worker's time is up."""
        least = self._till.timing.retry_after
        if row is not None and row.state is PaymentState.UNRESOLVED:
            return Pending(retry_after_seconds=self._till.timing.retry_after_unresolved)
        if row is None:
            return Pending(retry_after_seconds=least)
        left = max(1, ceil((row.lease_until - self._till.clock()).total_seconds()))
        if self._till.settling.is_left(row):
            return Pending(retry_after_seconds=left)
        longest = least if row.state is not PaymentState.SETTLING else self._till.timing.retry_after_in_doubt
        return Pending(retry_after_seconds=min(left, longest))


def _stands(row: PaymentRow | None) -> bool:
    return row is not None and row.state not in (PaymentState.RELEASED, PaymentState.EXPIRED)
