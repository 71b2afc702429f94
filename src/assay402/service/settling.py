"""From the work done to the money moved: settle once, find out in doubt, and end what nobody comes back for."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay402.core.strictjson import JSON
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
from assay402.service.work import Clock

UNWRITTEN: Final = 1_024
"""Settlements held in memory whose row could not be written; the oldest go first, and the chain knows them all."""


class Timing(Struct, frozen=True, kw_only=True):
    """How long a worker has a payment to itself, in seconds."""

    work_margin: int = 15
    """Beyond the time of the work itself."""
    settling: int = 150
    """Longer than a settlement and its one repetition may take, whatever the facilitator does."""
    retry_after: int = 2
    """What a client is told to wait at least."""
    retry_after_in_doubt: int = 10
    """The same where the outcome of a settlement is not known."""
    retry_after_unresolved: int = 600
    """The same where only the operator can find out."""


class Job(Struct, frozen=True, kw_only=True):
    """A payment whose worker we are."""

    key: str
    fence: int
    payer: str
    payment: Mapping[str, JSON]
    requirements: Mapping[str, JSON]
    is_used: bool = False
    """Whether its authorization is known to be used: then no refusal shows that nothing moved."""


class Moved(Struct, frozen=True, kw_only=True):
    """Money moved, and the row says so."""

    transaction: str
    settled_at: datetime


class SettlementRefused(Struct, frozen=True, kw_only=True):
    """Nothing moved, and the payment is released."""

    reason: str


class InDoubt(Struct, frozen=True, kw_only=True):
    """The outcome is not known; the claim stands."""

    retry_after_seconds: int


class Lost(Struct, frozen=True, kw_only=True):
    """Somebody else has the payment by now: look at its row again."""


Ending: TypeAlias = Moved | SettlementRefused | InDoubt | Lost


class Settling:
    """Settles payments. `house` are the operator's own wallets, whose ledger rows are marked."""

    def __init__(  # noqa: PLR0913  (the parts it works with, each named by its keyword)
        self,
        *,
        payments: Payments,
        facilitator: Facilitator,
        chain: ChainLookup | None,
        clock: Clock,
        timing: Timing,
        house: frozenset[str],
    ) -> None:
        self._payments: Final = payments
        self._facilitator: Final = facilitator
        self._chain: Final = chain
        self._clock: Final = clock
        self._timing: Final = timing
        self._house: Final = house
        self._unwritten: Final[dict[str, Settled]] = {}

    async def settle(self, job: Job) -> Ending:
        """Settle a payment for the first time. Its row is `SETTLING`, durably, and ours.

        A refusal is believed where the chain agrees; without a node for it, on the facilitator's word alone.
        """
        answer = await self._facilitator.settle(job.payment, job.requirements)
        found = answer if isinstance(answer, Settled) else await self._look(job.key, job.requirements)
        if isinstance(found, Settled):
            return await self._ended(job, Event.MOVED, found)
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
        if not isinstance(found, Settled):
            answer = await self._facilitator.settle(payment, job.requirements)
            found = answer if isinstance(answer, Settled) else await self._look(row.key, job.requirements)
            if not isinstance(found, Settled):
                event = Event.UNTOLD if self._is_hopeless(row, now, found) else Event.UNKNOWN
                return await self._ended(job, event, answer)
        return await self._ended(job, Event.MOVED, found)

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
            return isinstance(await self._record(job, found), Moved)
        if there.action is Action.RELEASE:
            return await self._payments.release(row.key, fence)
        return await self._payments.expire(row.key, fence)

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
                return await self._record(job, answer)
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

    async def _record(self, job: Job, settled: Settled) -> Ending:
        """Write that money moved. What cannot be written now is remembered until the row is asked about again."""
        # First of all, as whatever goes wrong from here on must not make us forget it.
        self._remember(job.key, settled)
        if settled.fee_lamports is None and self._chain is not None:
            fee = await self._chain.fee(settled.network, settled.transaction)
            settled = replace(settled, fee_lamports=fee)
        now = self._clock()
        try:
            is_written = await self._payments.settled(
                job.key, job.fence, settled, now, house=job.payer.lower() in self._house
            )
        except StoreUnavailable:
            return InDoubt(retry_after_seconds=self._timing.retry_after_in_doubt)
        if not is_written:
            return Lost()
        self._unwritten.pop(job.key, None)
        return Moved(transaction=settled.transaction, settled_at=now)

    def _remember(self, key: str, settled: Settled) -> None:
        while len(self._unwritten) >= UNWRITTEN:
            self._unwritten.pop(next(iter(self._unwritten)))
        self._unwritten[key] = settled

    async def _look(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        known = self._unwritten.get(key)
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
            await self._payments.leave(job.key, job.fence, self._clock() + timedelta(seconds=seconds))
        return InDoubt(retry_after_seconds=seconds)


def requirements_of(row: PaymentRow) -> Mapping[str, JSON]:
    """Give the requirements a row was claimed under."""
    requirements: dict[str, JSON] = msgspec.json.decode(row.accepted, type=dict)
    return requirements


def _ran_out(row: PaymentRow, now: datetime) -> bool:
    """Tell whether an authorization can no longer be used, by any clock within the margin.

    Where money may be moving, `now` is the time of a block: our own clock may be ahead, and a node behind.
    """
    return now - row.valid_before > timedelta(seconds=MARGIN_SECONDS)
