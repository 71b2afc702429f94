"""Writing down that money moved: held until the store has it, and one transfer for one payment."""

from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from assay402.service.endings import Counted, Ending, InDoubt, Job, Lost, Moved, requirements_of
from assay402.service.ports import (
    ChainLookup,
    PaymentRow,
    Payments,
    PaymentState,
    Settled,
    StoreUnavailable,
    TransactionCounted,
)
from assay402.service.timing import Timing
from assay402.service.unwritten import Held, Unwritten
from assay402.service.work import Clock

_COUNTED: Final = Counted()
_IN_DOUBT: Final = (PaymentState.SETTLING, PaymentState.UNRESOLVED)
_LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)


class Writing:
    """Writes settlements. `house` are the operator's own wallets, whose ledger rows are marked."""

    def __init__(
        self,
        *,
        payments: Payments,
        chain: ChainLookup | None,
        clock: Clock,
        timing: Timing,
        house: frozenset[str],
    ) -> None:
        self._payments: Final = payments
        self._chain: Final = chain
        self._clock: Final = clock
        self._timing: Final = timing
        self._house: Final = house
        self._unwritten: Final = Unwritten()

    def known(self, key: str) -> Settled | None:
        """Give the settlement of a payment that is held here."""
        return self._unwritten.settled(key)

    async def record(self, job: Job, settled: Settled) -> Ending:
        """Write that money moved. What cannot be written now is held, and offered to the store again."""
        # First of all, as whatever goes wrong from here on must not make us forget it.
        held = Held(key=job.key, fence=job.fence, payer=job.payer, settled=settled)
        self._unwritten.hold(held)
        if settled.fee_lamports is None and self._chain is not None:
            fee = await self._chain.fee(settled.network, settled.transaction)
            held = replace(held, settled=replace(settled, fee_lamports=fee))
            self._unwritten.hold(held)
        return await self._written(held)

    async def write_held(self, key: str | None = None, *, at_once: bool = False) -> int:
        """Offer the store again what it could not take, of one payment or of all; gives how many are written now.

        Each waits longer from try to try, but for `at_once`. A store that takes one of them not is not asked for the rest.
        """
        now, written = self._clock(), 0
        for held in self._unwritten.due(_LATEST if at_once else now, key):
            ending = await self._written(held)
            written += isinstance(ending, Moved)
            if isinstance(ending, InDoubt):
                break
        return written

    async def _written(self, held: Held) -> Ending:
        now = self._clock()
        try:
            is_written = await self._settled(held, now) or await self._taken_back(held, now)
        except StoreUnavailable:
            self._unwritten.put_off(held.key, now)
            return InDoubt(retry_after_seconds=self._timing.retry_after)
        except TransactionCounted:
            self._unwritten.forget(held.key)
            return _COUNTED
        except Exception:
            # A fault of ours: the others are offered before it the next time.
            self._unwritten.put_off(held.key, now)
            raise
        if is_written is None:
            self._unwritten.put_off(held.key, now)
            return Lost()
        if not is_written:
            self._unwritten.give_up(held.key)
            return Lost()
        self._unwritten.forget(held.key)
        return Moved(transaction=held.settled.transaction, settled_at=now)

    async def _settled(self, held: Held, now: datetime) -> bool:
        """Write a settlement; where a payment stands in its way whose place in the transaction is not known, find that first."""
        settled, is_house = held.settled, held.payer.lower() in self._house
        try:
            return await self._payments.settled(held.key, held.fence, settled, now, house=is_house)
        except TransactionCounted:
            other = (
                None
                if settled.log_index is None
                else await self._payments.placeless(settled.network, settled.transaction)
            )
            if other is None or not await self._is_placed(other, settled.transaction):
                raise
        return await self._payments.settled(held.key, held.fence, settled, now, house=is_house)

    async def _taken_back(self, held: Held, now: datetime) -> bool | None:
        """Write a settlement whose row somebody took over and let go of, not knowing that it moved; tells whether it is written.

        None: somebody has it, and may let go of it yet.
        """
        row = await self._payments.find(held.key)
        if row is None or row.state not in _IN_DOUBT or row.fence == held.fence:
            return False
        # Free again at once, as in `resolving`: whoever comes between wins.
        fence = await self._payments.take_over(row.key, row.fence, now, now)
        return None if fence is None else await self._settled(replace(held, fence=fence), now)

    async def _is_placed(self, other: PaymentRow, transaction: str) -> bool:
        """Look up which transfer of its transaction settled a payment, and write that down; tells whether it is known now."""
        if self._chain is None or not self._chain.can_find(other.key):
            return False
        found = await self._chain.find(other.key, requirements_of(other))
        if not isinstance(found, Settled) or found.log_index is None:
            return False
        is_same = found.transaction.lower() == transaction.lower()
        return is_same and await self._payments.place(other.key, found.log_index)
