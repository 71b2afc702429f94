"""Doing the work of a paid order, keeping what may be kept of it, and delivering for a payment that is settled already."""

from datetime import datetime, timedelta
from typing import Any, Final

from assay402.core.check import Refusal
from assay402.service.admission import admitted, declined
from assay402.service.endings import requirements_of
from assay402.service.gate import RERUN_SECONDS, RERUNS
from assay402.service.identifiers import request_sha256
from assay402.service.order import Declined, Delivered, Order, Outcome
from assay402.service.ports import KeptAnswer, PaymentRow
from assay402.service.till import Till, Verified
from assay402.service.timing import LONGEST_RETRY
from assay402.service.work import Paid, Product, keeps_answers


class Delivering:
    """Works and delivers."""

    def __init__(self, till: Till) -> None:
        self._till: Final = till

    async def made(self, order: Order, given: Any, paid: Paid) -> Product | Refusal | None:  # noqa: ANN401  (the operation's own input)
        """Do the work; None where it could not be done, which charges nobody."""
        try:
            return await self._till.workshop.make(order, given, paid)
        except Exception:  # noqa: BLE001  (a fault of ours must let the payment go, and its text may quote the request)
            self._till.tell("work.failed", order.resource.name)
            return None

    def kept(self, verified: Verified, product: Product) -> KeptAnswer | None:
        """Give what is kept of an answer; None in a room that keeps nothing."""
        if not keeps_answers(verified.bid.order.resource):
            return None
        bid = verified.bid
        return KeptAnswer(
            id=product.request_id or self._till.workshop.new_id(),
            scope=verified.payer,
            operation=bid.order.resource.name,
            request_sha256=request_sha256(bid.order),
            idempotency_key=bid.names.idempotency_key,
            payment_key=bid.authorization.key,
            body=product.body,
            headers=product.headers,
            bearer_sha256=product.bearer_sha256,
            kept_at=self._till.clock(),
        )

    async def again(self, order: Order, row: PaymentRow, conflict: str) -> Outcome:
        """Deliver for a settled payment: the kept answer for the same request, or the work anew within its limits."""
        requirements = requirements_of(row)
        settled_at = row.settled_at or self._till.clock()
        settlement = self._till.counter.settlement(
            order.resource, requirements, row.payer, row.transaction or "", settled_at
        )
        if keeps_answers(order.resource):
            kept = await self._till.payments.answer_paid_by(row.key)
            if kept is None or kept.request_sha256 != request_sha256(order):
                return Declined(status=409, code=conflict)
            self._till.tell("payment.replayed", order.resource.name)
            return Delivered(body=kept.body, headers=kept.headers, settlement=settlement, is_replay=True)
        given = admitted(order)
        if isinstance(given, Refusal):
            return declined(order, given)
        now = self._till.clock()
        until = settled_at + timedelta(seconds=RERUN_SECONDS + self._told_to_wait(order, row, settled_at))
        if not await self._till.payments.rerun(row.key, until, RERUNS, now):
            return Declined(status=409, code="payment_already_used")
        self._till.tell("payment.rerun", order.resource.name)
        paid = Paid(payer=row.payer, payload_sha256=row.payload_sha256, idempotency_key=row.idempotency_key)
        product = await self.made(order, given, paid)
        if product is None or isinstance(product, Refusal):
            return not_done(order, product)
        return Delivered(body=product.body, headers=product.headers, settlement=settlement)

    def _told_to_wait(self, order: Order, row: PaymentRow, settled_at: datetime) -> int:
        """Give the seconds a client may have been told to wait just before its payment was settled.

        None where its own worker settled it: that had so long for it. Later, it was found out about.
        """
        timing = self._till.timing
        own = order.resource.work_seconds + timing.work_margin + timing.settling
        is_late = settled_at - row.claimed_at > timedelta(seconds=own)
        return max(LONGEST_RETRY, timing.retry_after_unresolved) if is_late else 0


def not_done(order: Order, refusal: Refusal | None) -> Declined:
    """Say that the work was not done: as a refusal of the room, or as a fault of ours."""
    if refusal is not None:
        return declined(order, refusal)
    return Declined(status=422, code="not_produced", free_retry=True)
