"""Paid orders, in the one order that charges nobody twice: known? admit, compare, verify, claim, run, store, settle, deliver."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay402.core.check import Refusal
from assay402.core.strictjson import JSON
from assay402.service.admission import admitted, declined
from assay402.service.authorization import Authorization, InvalidPayload, accepted_text, read_authorization
from assay402.service.comparing import echo_fault, is_same_offer, taken, window_fault
from assay402.service.counter import Counter
from assay402.service.gate import (
    RERUN_SECONDS,
    RERUNS,
    VERIFY_MARGIN_SECONDS,
    Action,
    Event,
    step,
)
from assay402.service.identifiers import BadIdentifier, Identifiers, identifiers, request_sha256
from assay402.service.offer import QUOTE, Offer
from assay402.service.order import Declined, Delivered, Offered, Order, Outcome, Pending
from assay402.service.ports import (
    Claim,
    Claimed,
    Facilitator,
    KeptAnswer,
    PaymentRow,
    Payments,
    PaymentState,
    Refused,
    TooManyUnsettled,
    Unknown,
)
from assay402.service.settling import (
    Ending,
    InDoubt,
    Job,
    Lost,
    Moved,
    SettlementRefused,
    Settling,
    Timing,
    requirements_of,
)
from assay402.service.work import Clock, Paid, Product, Workshop, keeps_answers
from assay402.wire.requirements import mapping, text

_ROUNDS: Final = 4
"""Times a row is looked at anew after somebody else moved it; then the client is told to ask again."""
_SOLANA_LIFETIME: Final = timedelta(seconds=180)
"""Longer than the blockhash of a transaction is taken by its chain."""
_TOO_MANY_SECONDS: Final = 30


class _Again(Struct, frozen=True):
    """The row was moved by somebody else, or let go: look at it again."""


_AGAIN: Final = _Again()
_Ended: TypeAlias = Outcome | _Again


class _Bid(Struct, frozen=True, kw_only=True):
    """A paid order as far as it is understood."""

    order: Order
    payment: Mapping[str, JSON]
    authorization: Authorization
    names: Identifiers


class _Verified(Struct, frozen=True, kw_only=True):
    """A bid that was admitted, whose payment is for our offer and would hold."""

    bid: _Bid
    given: Any
    requirements: Mapping[str, JSON]
    payer: str


class PaidOrders:
    """Takes orders that carry a payment. `tell` hears what happened, in closed words, for metrics."""

    def __init__(
        self,
        *,
        payments: Payments,
        facilitator: Facilitator,
        counter: Counter,
        settling: Settling,
        workshop: Workshop,
        clock: Clock,
        timing: Timing,
        is_id_required: bool,
        tell: Callable[[str, str], None],
    ) -> None:
        self._payments: Final = payments
        self._facilitator: Final = facilitator
        self._counter: Final = counter
        self._settling: Final = settling
        self._workshop: Final = workshop
        self._clock: Final = clock
        self._timing: Final = timing
        self._is_id_required: Final = is_id_required
        self._tell: Final = tell

    async def take(self, order: Order, payment: Mapping[str, JSON]) -> Outcome:
        """Take an order to its end.

        Raises:
            StoreUnavailable: where nothing was charged, and the same payment may be sent again.

        """
        authorization = read_authorization(payment)
        if isinstance(authorization, InvalidPayload):
            return Declined(status=400, code=authorization.code)
        names = identifiers(order, is_required=self._is_id_required)
        logical = authorization.logical_payment_id
        if isinstance(names, BadIdentifier):
            return Declined(status=400, code=names.code, logical_payment_id=logical)
        bid = _Bid(order=order, payment=payment, authorization=authorization, names=names)
        for _ in range(_ROUNDS):
            row = await self._payments.find(authorization.key)
            outcome = await (self._new(bid, None) if row is None else self._known(bid, row))
            if not isinstance(outcome, _Again):
                return replace(outcome, logical_payment_id=logical)
        return replace(self._pending(), logical_payment_id=logical)

    async def _known(self, bid: _Bid, row: PaymentRow) -> _Ended:
        """Answer a payment whose authorization has a row, from the state table."""
        is_same = (
            row.payload_sha256 == bid.authorization.payload_sha256
            and row.operation == bid.order.resource.name
        )
        is_late = row.lease_until <= self._clock()
        event = (Event.ASKED_LATE if is_late else Event.ASKED) if is_same else Event.ASKED_OTHERWISE
        match step(row.state, event).action:
            case Action.WAIT:
                return self._pending(row)
            case Action.START_OVER:
                await self._let_go(row)
                return _AGAIN
            case Action.LOOK_AND_SETTLE:
                ending = await self._settling.resume(row, bid.payment)
                return self._told(ending, bid) if isinstance(ending, InDoubt) else _AGAIN
            case Action.DELIVER_AGAIN:
                return await self._deliver_again(bid.order, row, "payment_already_used")
            case Action.CLAIM_ANEW:
                return await self._new(bid, row)
            case Action.OFFER:
                given = admitted(bid.order)
                return (
                    declined(bid.order, given)
                    if isinstance(given, Refusal)
                    else await self._counter.offered(bid.order, "payment_expired")
                )
            case _:
                return Declined(status=409, code="payment_already_claimed")

    async def _new(self, bid: _Bid, seen: PaymentRow | None) -> _Ended:
        """Take a payment nobody holds; `seen` is its row as it was let go."""
        verified = await self._verified(bid)
        if not isinstance(verified, _Verified):
            # The same payment may have been taken, and even settled, meanwhile: then it is known, and no offer is made.
            row = await self._payments.find(bid.authorization.key)
            return verified if row == seen else _AGAIN
        self._tell("payment.verified", bid.order.resource.name)
        earlier = await self._earlier(verified)
        if earlier is not None:
            return earlier
        now, resource = self._clock(), bid.order.resource
        authorization = bid.authorization
        claim = Claim(
            key=authorization.key,
            payload_sha256=authorization.payload_sha256,
            payer=verified.payer,
            payment_id=bid.names.payment_id,
            idempotency_key=bid.names.idempotency_key,
            operation=resource.name,
            accepted=accepted_text(verified.requirements),
            valid_before=authorization.valid_before or now + _SOLANA_LIFETIME,
            lease_until=now + timedelta(seconds=resource.work_seconds + self._timing.work_margin),
        )
        match await self._payments.claim(claim, now):
            case Claimed(fence=fence):
                self._tell("payment.claimed", resource.name)
                return await self._work(verified, fence)
            case TooManyUnsettled():
                return Declined(status=429, code="too_many_unsettled", retry_after_seconds=_TOO_MANY_SECONDS)
            case _:
                return _AGAIN

    async def _verified(self, bid: _Bid) -> _Verified | Outcome:
        """Admit the order, hold the payment against our offer, and have it verified: in this order, and nothing is written."""
        order = bid.order
        given = admitted(order)
        if isinstance(given, Refusal):
            return declined(order, given)
        offer = await self._counter.open_offer(order.resource)
        if isinstance(offer, Declined):
            return offer
        entry = self._entry(bid, offer)
        if isinstance(entry, str):
            return await self._counter.offered(order, entry)
        answer = await self._facilitator.verify(bid.payment, entry)
        if isinstance(answer, Unknown):
            return Declined(
                status=503,
                code="facilitator_unavailable",
                retry_after_seconds=max(answer.retry_after_seconds, self._timing.retry_after),
            )
        if isinstance(answer, Refused):
            return await self._counter.offered(order, answer.reason)
        told = bid.authorization.payer
        payer = answer.payer if told is None else answer.payer.lower()
        if told is not None and payer != told:
            return await self._counter.offered(order, "invalid_payload")
        return _Verified(bid=bid, given=given, requirements=entry, payer=payer)

    def _entry(self, bid: _Bid, offer: Offer) -> Mapping[str, JSON] | str:
        """Give the requirements a payment is for, as we offered them; or the reason why it is for none of ours."""
        order, now = bid.order, self._clock()
        accepted = mapping(bid.payment, "accepted") or {}
        entry = taken(accepted, offer)
        if entry is None:
            return "no_matching_requirements"
        fault = echo_fault(bid.payment, offer, self._counter.resource_url(order.resource))
        if fault is None:
            seconds = order.resource.work_seconds + VERIFY_MARGIN_SECONDS
            fault = window_fault(bid.authorization, entry, now, seconds)
        if fault is not None:
            return fault
        if not order.resource.is_quoted:
            return entry
        extra = mapping(accepted, "extra") or {}
        quote = text(extra, QUOTE)
        if quote is None or order.quote_id not in (None, quote):
            return "quote_mismatch"
        if not self._counter.quote_holds(order, offer, quote):
            return "quote_expired"
        return {**entry, "extra": {**(mapping(entry, "extra") or {}), QUOTE: quote}}

    async def _earlier(self, verified: _Verified) -> _Ended | None:
        """Answer from an earlier payment of the same payer that came under the same name; None where there is none.

        This payment is left unsettled then. Whoever sends it has shown to be the payer: it verifies.
        """
        names, resource = verified.bid.names, verified.bid.order.resource
        row, conflict = None, "payment_identifier_conflict"
        if names.payment_id is not None:
            row = await self._payments.find_by_payment_id(verified.payer, names.payment_id)
        if not _stands(row) and names.idempotency_key is not None:
            conflict = "idempotency_key_conflict"
            row = await self._payments.find_by_idempotency_key(
                verified.payer, resource.name, names.idempotency_key
            )
        if row is None or not _stands(row):
            return None
        if row.key == verified.bid.authorization.key:
            return _AGAIN
        if row.operation != resource.name or not is_same_offer(requirements_of(row), verified.requirements):
            return Declined(status=409, code=conflict)
        if row.state is PaymentState.SETTLED:
            return await self._deliver_again(verified.bid.order, row, conflict)
        event = Event.ASKED_LATE if row.lease_until <= self._clock() else Event.ASKED
        action = step(row.state, event).action
        if action is Action.START_OVER:
            await self._let_go(row)
            return _AGAIN
        if action is Action.LOOK_AND_SETTLE:
            # Its own payment is not here to be settled again, but its chain may tell.
            return _AGAIN if await self._settling.sweep(row) else self._pending(row)
        return self._pending(row)

    async def _work(self, verified: _Verified, fence: int) -> _Ended:
        """Do the work of a claim that is ours, and settle it."""
        bid = verified.bid
        order, key = bid.order, bid.authorization.key
        paid = Paid(
            payer=verified.payer,
            payload_sha256=bid.authorization.payload_sha256,
            idempotency_key=bid.names.idempotency_key or bid.names.payment_id,
        )
        product = await self._made(order, verified.given, paid)
        if product is None or isinstance(product, Refusal):
            is_ours = await self._payments.release(key, fence)
            self._tell("payment.released", order.resource.name)
            return self._refused(order, product) if is_ours else _AGAIN
        lease = self._clock() + timedelta(seconds=self._timing.settling)
        kept = self._kept(verified, product) if keeps_answers(order.resource) else None
        assert product.entry is not None  # noqa: S101  (made for a payer)
        is_ours = await self._payments.keep(key, fence, product.entry, kept, lease)
        is_ours = is_ours and await self._payments.begin_settling(
            key, fence, self._clock() + timedelta(seconds=self._timing.settling)
        )
        if not is_ours:
            return _AGAIN
        job = Job(
            key=key,
            fence=fence,
            payer=verified.payer,
            payment=bid.payment,
            requirements=verified.requirements,
        )
        ending = await self._settling.settle(job)
        if isinstance(ending, Moved):
            self._tell("payment.settled", order.resource.name)
            settlement = self._counter.settlement(
                order.resource, job.requirements, job.payer, ending.transaction
            )
            return Delivered(body=product.body, headers=product.headers, settlement=settlement)
        if isinstance(ending, SettlementRefused):
            self._tell("payment.refused", order.resource.name)
            failed = self._counter.failed_settlement(job.requirements, job.payer, ending.reason)
            return await self._counter.offered(order, ending.reason, failed)
        return self._told(ending, bid)

    async def _made(self, order: Order, given: Any, paid: Paid) -> Product | Refusal | None:  # noqa: ANN401  (the operation's own input)
        """Do the work; None where it could not be done, which charges nobody."""
        try:
            return await self._workshop.make(order, given, paid)
        except Exception:  # noqa: BLE001  (a fault of ours must let the payment go, and its text may quote the request)
            self._tell("work.failed", order.resource.name)
            return None

    def _refused(self, order: Order, refusal: Refusal | None) -> Declined:
        """Say that the work was not done: as a refusal of the room, or as a fault of ours."""
        if refusal is not None:
            return declined(order, refusal)
        return Declined(status=422, code="not_produced", free_retry=True)

    def _kept(self, verified: _Verified, product: Product) -> KeptAnswer:
        bid = verified.bid
        return KeptAnswer(
            id=product.id,
            scope=verified.payer,
            operation=bid.order.resource.name,
            request_sha256=request_sha256(bid.order),
            idempotency_key=bid.names.idempotency_key,
            payment_key=bid.authorization.key,
            body=product.body,
            headers=product.headers,
            bearer_sha256=product.bearer_sha256,
            kept_at=self._clock(),
        )

    async def _deliver_again(self, order: Order, row: PaymentRow, conflict: str) -> Outcome:
        """Deliver for a settled payment: the kept answer for the same request, or the work anew within its limits."""
        requirements = requirements_of(row)
        settlement = self._counter.settlement(order.resource, requirements, row.payer, row.transaction or "")
        if keeps_answers(order.resource):
            kept = await self._payments.answer_paid_by(row.key)
            if kept is None or kept.request_sha256 != request_sha256(order):
                return Declined(status=409, code=conflict)
            self._tell("payment.replayed", order.resource.name)
            return Delivered(body=kept.body, headers=kept.headers, settlement=settlement, is_replay=True)
        given = admitted(order)
        if isinstance(given, Refusal):
            return declined(order, given)
        now = self._clock()
        until = (row.settled_at or now) + timedelta(seconds=RERUN_SECONDS)
        if not await self._payments.rerun(row.key, until, RERUNS, now):
            return Declined(status=409, code="payment_already_used")
        self._tell("payment.rerun", order.resource.name)
        paid = Paid(payer=row.payer, payload_sha256=row.payload_sha256, idempotency_key=row.idempotency_key)
        product = await self._made(order, given, paid)
        if product is None or isinstance(product, Refusal):
            return self._refused(order, product)
        return Delivered(body=product.body, headers=product.headers, settlement=settlement)

    async def _let_go(self, row: PaymentRow) -> None:
        """Release a payment whose worker is gone before it settled anything; whoever wins the race does."""
        now = self._clock()
        lease = now + timedelta(seconds=self._timing.settling)
        fence = await self._payments.take_over(row.key, row.fence, now, lease)
        if fence is not None:
            await self._payments.release(row.key, fence)

    def _told(self, ending: Ending, bid: _Bid) -> _Ended:
        """Say that an outcome is not known yet; anything else stands in the row."""
        if not isinstance(ending, InDoubt):
            return _AGAIN
        self._tell("payment.in_doubt", bid.order.resource.name)
        return Pending(retry_after_seconds=ending.retry_after_seconds)

    def _pending(self, row: PaymentRow | None = None) -> Pending:
        """Say that a payment is under way, and when to ask again: no later than its worker's time is up."""
        least = self._timing.retry_after
        if row is None:
            return Pending(retry_after_seconds=least)
        left = (row.lease_until - self._clock()).total_seconds()
        longest = least if row.state is not PaymentState.SETTLING else self._timing.retry_after_in_doubt
        return Pending(retry_after_seconds=max(1, min(int(left) + 1, longest)))


def _stands(row: PaymentRow | None) -> bool:
    return row is not None and row.state not in (PaymentState.RELEASED, PaymentState.EXPIRED)
