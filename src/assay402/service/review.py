"""The tripwires that stop an operator and make them look: computed from the ledger, never stored.

Rows of the operator's own wallets count for none of them. Shares are compared as whole numbers.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from assay402.service.ports import LedgerRow

WINDOW: Final = timedelta(days=30)
REFUND_PERCENT: Final = 5
"""Refunds in a window above this share of its payments, by number or by amount of an asset, trip."""
FREE_PER_PAID: Final = 10
"""More free calls than this for a paid one trip."""


class Tripwire(Struct, frozen=True, kw_only=True):
    """One tripwire: whether it tripped, and the two numbers that were compared."""

    name: str
    """`refunds`, `free_use` or `wrong_reports`."""
    is_tripped: bool
    measured: int
    """Refunds of the worst window, or free calls, or reports found wrong."""
    against: int
    """Payments of that window, or paid calls; 0 for reports."""
    last_day: date | None = None
    """The last day of the worst window of 30 days."""


class Review(Struct, frozen=True, kw_only=True):
    """What the ledger says of a service."""

    payments: int
    refunds: int
    tripwires: tuple[Tripwire, ...]

    @property
    def is_tripped(self) -> bool:
        """Whether any of them tripped."""
        return any(each.is_tripped for each in self.tripwires)


class _Window(Struct, frozen=True, kw_only=True):
    """Refunds and payments compared over 30 days, of one measure: a number, or the units of an asset."""

    last_day: date
    refunds: int
    payments: int


async def review(rows: AsyncIterator[LedgerRow], free_calls: int) -> Review:
    """Look at the whole ledger. What is held in memory grows with the days, not with the rows."""
    paid: Counter[tuple[str, date]] = Counter()
    refunded: Counter[tuple[str, date]] = Counter()
    wrong = 0
    async for row in rows:
        if row.house:
            continue
        wrong += row.kind == "wrong"
        for counter, kind in ((paid, "payment"), (refunded, "refund")):
            if row.kind == kind:
                day = row.recorded_at.date()
                counter["", day] += 1
                counter[f"{row.network} {row.asset}", day] += abs(row.units)
    payments = sum(count for (measure, _), count in paid.items() if not measure)
    refunds = sum(count for (measure, _), count in refunded.items() if not measure)
    return Review(
        payments=payments,
        refunds=refunds,
        tripwires=(
            _refund_wire(paid, refunded),
            Tripwire(
                name="free_use",
                is_tripped=free_calls > FREE_PER_PAID * payments,
                measured=free_calls,
                against=payments,
            ),
            Tripwire(name="wrong_reports", is_tripped=wrong > 0, measured=wrong, against=0),
        ),
    )


def _refund_wire(paid: Counter[tuple[str, date]], refunded: Counter[tuple[str, date]]) -> Tripwire:
    worst = None
    for window in _windows(paid, refunded):
        if worst is None or window.refunds * worst.payments > worst.refunds * window.payments:
            worst = window
    if worst is None:
        return Tripwire(name="refunds", is_tripped=False, measured=0, against=0)
    return Tripwire(
        name="refunds",
        is_tripped=worst.refunds * 100 > REFUND_PERCENT * worst.payments,
        measured=worst.refunds,
        against=worst.payments,
        last_day=worst.last_day,
    )


def _windows(paid: Counter[tuple[str, date]], refunded: Counter[tuple[str, date]]) -> Iterator[_Window]:
    """Give the windows that are looked at: the 30 days up to each day on which something was refunded."""
    for measure, last_day in refunded:
        days = [last_day - timedelta(days=back) for back in range(WINDOW.days)]
        yield _Window(
            last_day=last_day,
            refunds=sum(refunded[measure, each] for each in days),
            payments=sum(paid[measure, each] for each in days),
        )
