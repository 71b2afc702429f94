"""The tripwires, from rows alone."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec.structs import replace

from assay402.service.corrections import refund_row, wrong_row
from assay402.service.ports import Entry, LedgerRow, Value
from assay402.service.review import Review, Tripwire, review

FIRST = datetime(2026, 1, 1, 12, tzinfo=UTC)
PAYMENT = LedgerRow(
    id=1,
    about=None,
    kind="payment",
    operation="dialect/check",
    payer="0xpayer",
    recorded_at=FIRST,
    network="eip155:8453",
    asset="0xusdc",
    units=10_000,
    value=Value(rate=None, rate_date=None, basis=None, cad_pending=True, refund=False),
    transaction="0x1",
    fee_lamports=None,
    entry=Entry(),
    house=False,
)


def day(number: int) -> datetime:
    return FIRST + timedelta(days=number)


def paid(number: int, count: int = 1, **changed: object) -> list[LedgerRow]:
    return [replace(PAYMENT, recorded_at=day(number), **changed)] * count


def refunded(number: int, units: int | None = None, row: LedgerRow = PAYMENT) -> LedgerRow:
    return refund_row(row, units, "0x" + "2" * 64, day(number))


def reviewed(*rows: LedgerRow, free: int = 0) -> Review:
    async def given() -> AsyncIterator[LedgerRow]:
        for row in rows:
            yield row

    return asyncio.run(review(given(), free))


def refunds(*rows: LedgerRow) -> Tripwire:
    return reviewed(*rows).tripwires[0]


def test_nothing_trips_where_nothing_happened() -> None:
    found = reviewed()
    assert not found.is_tripped
    assert [each.name for each in found.tripwires] == ["refunds", "free_use", "wrong_reports"]


def test_five_in_a_hundred_may_be_refunded_and_six_may_not() -> None:
    rows = paid(0, 100)
    assert not refunds(*rows, *[refunded(1)] * 5).is_tripped
    tripped = refunds(*rows, *[refunded(1)] * 6)
    assert tripped == Tripwire(
        name="refunds", is_tripped=True, measured=6, against=100, last_day=date(2026, 1, 2)
    )


def test_the_thirty_days_up_to_a_refund_count_not_the_whole_time() -> None:
    rows = [*paid(0, 1000), *paid(40, 10)]
    assert refunds(*rows, refunded(40)).is_tripped
    assert not refunds(*rows, refunded(29)).is_tripped
    assert refunds(*paid(0, 100), *[refunded(29)] * 6).against == 100
    assert refunds(*paid(0, 100), *[refunded(30)] * 6).against == 0
    assert refunds(*paid(0, 100), refunded(30)).is_tripped


def test_the_worst_window_is_told() -> None:
    rows = [*paid(0, 100), refunded(1), *paid(50, 10), refunded(51), *paid(90, 100), refunded(91)]
    worst = refunds(*rows)
    assert (worst.measured, worst.against, worst.last_day) == (1, 10, date(2026, 2, 21))


def test_a_large_refund_trips_by_its_amount() -> None:
    rows = paid(0, 100)
    large = replace(PAYMENT, units=500_000)
    assert not refunds(*rows, large, refunded(1, 70_000, large)).is_tripped
    assert refunds(*rows, large, refunded(1, 80_000, large)).is_tripped


def test_assets_are_not_mixed() -> None:
    """A token with 18 decimals must not hide the refunds of another."""
    other = replace(PAYMENT, asset="0xdai", units=10**30)
    assert refunds(*paid(0, 100), other, *[refunded(1, 10_000)] * 6).is_tripped


def test_the_operators_own_payments_count_for_nothing() -> None:
    own = replace(PAYMENT, house=True)
    found = reviewed(*paid(0, 2), own, refunded(1, row=own), wrong_row(own, day(1)), free=20)
    assert (found.payments, found.refunds, found.is_tripped) == (2, 0, False)
    assert reviewed(own, free=1).is_tripped


@pytest.mark.parametrize(("free", "tripped"), [(10, False), (11, True)])
def test_more_than_ten_free_calls_for_a_paid_one_trip(free: int, tripped: bool) -> None:
    assert reviewed(*paid(0), free=free).tripwires[1].is_tripped is tripped


def test_a_report_that_was_found_wrong_trips() -> None:
    assert reviewed(PAYMENT, wrong_row(PAYMENT, day(3))).tripwires[2] == Tripwire(
        name="wrong_reports", is_tripped=True, measured=1, against=0
    )
