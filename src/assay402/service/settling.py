"""From the work done to the money moved: settle once, find out in doubt, and end what nobody comes back for."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from assay402.core.strictjson import JSON
from assay402.service.endings import (
    Counted,
    Ending,
    InDoubt,
    Job,
    Lost,
    Moved,
    SettlementRefused,
    requirements_of,
)
from assay402.service.gate import DOUBT_SECONDS, MARGIN_SECONDS, Action, Event, step
from assay402.service.ports import (
    ChainLookup,
    Facilitator,
    NotMoved,
    PaymentRow,
    Payments,
    PaymentState,
    Refused,
    Settled,
    StoreUnavailable,
    Unknown,
)
from assay402.service.timing import LONGEST_RETRY, Timing
from assay402.service.work import Clock
from assay402.service.writing import Writing

_NOTHING: Final = Unknown(retry_after_seconds=0)
_LEFT: Final = 4_096
"""Payments left in doubt whose waiting time is remembered; the oldest go first."""


class Settling:
    """Settles payments. `writing` is what writes down that money moved."""

    def __init__(  # noqa: PLR0913  (the parts it works with, each named by its keyword)
        self,
        *,
        payments: Payments,
        facilitator: Facilitator,
        chain: ChainLookup | None,
        clock: Clock,
        timing: Timing,
        writing: Writing,
    ) -> None:
        self._payments: Final = payments
        self._facilitator: Final = facilitator
        self._chain: Final = chain
        self._clock: Final = clock
        self._timing: Final = timing
        self.writing: Final = writing
        self._left: Final[dict[str, int]] = {}

    async def settle(self, job: Job) -> Ending:
        """Settle a payment for the first time. Its row is `SETTLING`, durably, and ours.

        A refusal is believed where the chain agrees; without a node for it, on the facilitator's word alone.
        """
        answer = await self._facilitator.settle(job.payment, job.requirements)
        found, ending = await self._found(job, answer)
        if ending is not None:
            return ending
        is_unmoved = isinstance(found, NotMoved) or not self._can_look(job.key)
        if isinstance(answer, Refused) and is_unmoved and not job.is_used:
            return await self._ended(job, Event.REFUSED, answer)
        return await self._ended(job, Event.UNKNOWN, answer)

    async def resume(self, row: PaymentRow, payment: Mapping[str, JSON]) -> Ending:
        """Find out about a payment in doubt that its client sent again, and settle the same one again where that is needed.

        A refusal says nothing here: a facilitator may refuse what it, or an earlier answer of it, has moved.
        """
        now = self._clock()
        lease = now + timedelta(seconds=self._timing.settling)
        fence = await self._payments.take_over(row.key, row.fence, now, lease)
        if fence is None:
            return Lost()
        job = Job(
            key=row.key, fence=fence, payer=row.payer, payment=payment, requirements=requirements_of(row)
        )
        found = await self._look(row.key, job.requirements)
        if isinstance(found, NotMoved) and _ran_out(row, found.as_of):
            return await self._ended(job, Event.UNMOVED_FOR_GOOD, found)
        if isinstance(found, Settled):
            ending = await self._ended(job, Event.MOVED, found)
            if not isinstance(ending, Counted):
                return ending
            # The chain showed which transfer it was, and a facilitator can show nothing better.
            answer = Unknown(retry_after_seconds=self._timing.retry_after_in_doubt)
            event = Event.UNTOLD if self._is_hopeless(row, now, answer) else Event.UNKNOWN
            return await self._ended(job, event, answer)
        said = await self._facilitator.settle(payment, job.requirements)
        found, last = await self._found(job, said)
        if last is not None:
            return last
        event = Event.UNTOLD if self._is_hopeless(row, now, found) else Event.UNKNOWN
        return await self._ended(job, event, said)

    async def sweep(self, row: PaymentRow) -> bool:
        """Bring a row nobody has to its end where that needs no client; tells whether it is at its end."""
        now = self._clock()
        event = Event.SWEPT_LATE if _ran_out(row, now) else Event.SWEPT
        there = step(row.state, event)
        requirements = requirements_of(row)
        found: Settled | NotMoved | Unknown | None = None
        if there.action is Action.LOOK_UP:
            found = await self._look(row.key, requirements)
            if isinstance(found, Unknown) or (isinstance(found, NotMoved) and not _ran_out(row, found.as_of)):
                return await self._given_up(row, now, found)
        lease = now + timedelta(seconds=self._timing.settling)
        fence = await self._payments.take_over(row.key, row.fence, now, lease)
        if fence is None:
            return False
        job = Job(key=row.key, fence=fence, payer=row.payer, payment={}, requirements=requirements)
        if isinstance(found, Settled):
            ending = await self.writing.record(job, found)
            if isinstance(ending, Counted):
                await self._payments.leave(row.key, fence, now)
                doubt = Unknown(retry_after_seconds=self._timing.retry_after_in_doubt)
                return await self._given_up(replace(row, fence=fence), now, doubt)
            return isinstance(ending, Moved)
        if there.action is Action.RELEASE:
            return await self._payments.release(row.key, fence)
        return await self._payments.expire(row.key, fence)

    async def look(self, row: PaymentRow) -> Settled | NotMoved | Unknown | None:
        """Look up whether a payment that was let go has moved after all; None where there is nobody to ask."""
        known = self.writing.known(row.key)
        return await self._look(row.key, requirements_of(row)) if known or self._can_look(row.key) else None

    def is_left(self, row: PaymentRow) -> bool:
        """Tell whether a row's lease is the time its client was told to wait, in doubt, and no worker's.

        What is longer than either can be only shows that the clock was put back.
        """
        left = (row.lease_until - self._clock()).total_seconds()
        is_told = self._left.get(row.key) == row.fence or left > self._timing.settling
        return is_told and left <= max(LONGEST_RETRY, self._timing.retry_after_in_doubt)

    async def put_behind(self, row: PaymentRow) -> None:
        """Have a row stand behind the others that nobody has.

        Raises:
            StoreUnavailable: where the store takes no change.

        """
        now = self._clock()
        await self._payments.take_over(row.key, row.fence, now, now)

    async def _given_up(self, row: PaymentRow, now: datetime, found: NotMoved | Unknown) -> bool:
        """Leave a row to the operator where its time is over; tells whether it now is the operator's."""
        # Otherwise nobody has it still, but it stands behind the others: a pass has a limit, and some are never found out.
        fence = await self._payments.take_over(row.key, row.fence, now, now)
        if step(row.state, Event.UNTOLD).action is not Action.HAND_OVER or not self._is_hopeless(
            row, now, found
        ):
            return False
        return fence is not None and await self._payments.hand_over(row.key, fence, now)

    async def _ended(self, job: Job, event: Event, answer: Settled | NotMoved | Refused | Unknown) -> Ending:
        """Do what the table says about a settlement that came to this."""
        match step(PaymentState.SETTLING, event).action, answer:
            case Action.RECORD, Settled():
                return await self.writing.record(job, answer)
            case Action.RELEASE, Refused():
                return await self._release(job, answer)
            case Action.EXPIRE, _:
                await self._payments.expire(job.key, job.fence)
                return Lost()
            case Action.HAND_OVER, _:
                await self._payments.hand_over(job.key, job.fence, self._clock())
                return Lost()
            case _:
                return await self._in_doubt(job, answer if isinstance(answer, Unknown) else None)

    async def _release(self, job: Job, refused: Refused) -> Ending:
        try:
            is_released = await self._payments.release(job.key, job.fence)
        except StoreUnavailable:
            return InDoubt(retry_after_seconds=self._timing.retry_after_in_doubt)
        return SettlementRefused(reason=refused.reason) if is_released else Lost()

    async def _found(
        self, job: Job, answer: Settled | Refused | Unknown
    ) -> tuple[NotMoved | Unknown, Ending | None]:
        """Record what the facilitator, or else the chain, says that moved; without an ending it is not known to have.

        A facilitator that names a transaction which paid for another payment is not believed, but for what the chain
        shows of this very one: it may have settled several at once.
        """
        if isinstance(answer, Settled):
            ending = await self._ended(job, Event.MOVED, answer)
            if not isinstance(ending, Counted):
                return _NOTHING, ending
        found = await self._look(job.key, job.requirements)
        if not isinstance(found, Settled):
            return found, None
        ending = await self._ended(job, Event.MOVED, found)
        return _NOTHING, None if isinstance(ending, Counted) else ending

    async def _look(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        known = self.writing.known(key)
        if known is not None:
            return known
        if self._chain is None:
            return Unknown(retry_after_seconds=self._timing.retry_after_in_doubt)
        return await self._chain.find(key, requirements)

    def _can_look(self, key: str) -> bool:
        return self._chain is not None and self._chain.can_find(key)

    def _is_hopeless(self, row: PaymentRow, now: datetime, found: NotMoved | Unknown) -> bool:
        """Tell whether nothing will show any more what became of a settlement: no node, and the authorization ran out.

        A doubt that grows old is the operator's too; where the chain answers, by its clock.
        """
        by_then = found.as_of if isinstance(found, NotMoved) else now
        is_old = by_then - row.claimed_at > timedelta(seconds=DOUBT_SECONDS)
        return is_old or (_ran_out(row, now) and not self._can_look(row.key))

    async def _in_doubt(self, job: Job, answer: Unknown | None) -> InDoubt:
        """Leave a payment in doubt, so that the client finds it free when it comes back."""
        least = self._timing.retry_after_in_doubt
        seconds = least if answer is None else max(answer.retry_after_seconds, least)
        # Where the store cannot take it, the lease runs out by itself.
        with suppress(StoreUnavailable):
            if await self._payments.leave(job.key, job.fence, self._clock() + timedelta(seconds=seconds)):
                self._left.pop(job.key, None)
                while len(self._left) >= _LEFT:
                    self._left.pop(next(iter(self._left)))
                self._left[job.key] = job.fence
        return InDoubt(retry_after_seconds=seconds)


def _ran_out(row: PaymentRow, now: datetime) -> bool:
    """Tell whether an authorization can no longer be used, by any clock within the margin.

    Where money may be moving, `now` is the time of a block: our own clock may be ahead, and a node behind.
    """
    return now - row.valid_before > timedelta(seconds=MARGIN_SECONDS)
