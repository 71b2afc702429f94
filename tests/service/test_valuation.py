"""Which rate values a day."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.service.valuation import LOOK_BACK, Rate, is_rate, rate_for

FRIDAY = date(2026, 11, 27)
MONDAY = date(2026, 11, 30)
PUBLISHED = {FRIDAY: "1.3942", MONDAY: "1.3950"}


def rate(day: date) -> Rate:
    return Rate(rate=PUBLISHED[day], rate_date=day, basis="b")


def test_a_day_with_a_rate_takes_its_own() -> None:
    assert rate_for(FRIDAY, PUBLISHED, "b") == rate(FRIDAY)
    assert rate_for(MONDAY, PUBLISHED, "b") == rate(MONDAY)


def test_a_weekend_takes_the_rate_of_its_friday_once_monday_is_published() -> None:
    saturday = FRIDAY + timedelta(days=1)
    assert rate_for(saturday, PUBLISHED, "b") == rate(FRIDAY)
    assert rate_for(saturday, {FRIDAY: "1.3942"}, "b") is None


def test_a_day_that_nothing_was_published_near_waits() -> None:
    assert rate_for(FRIDAY - timedelta(days=1), PUBLISHED, "b") is None
    assert rate_for(MONDAY + timedelta(days=1), PUBLISHED, "b") is None
    late = {FRIDAY: "1.3942", FRIDAY + timedelta(days=40): "1.4"}
    assert rate_for(FRIDAY + LOOK_BACK, late, "b") is not None
    assert rate_for(FRIDAY + LOOK_BACK + timedelta(days=1), late, "b") is None
    assert rate_for(FRIDAY, {}, "b") is None


@given(days=st.sets(st.integers(0, 60)), asked=st.integers(0, 60))
@settings(max_examples=80, deadline=None)
def test_a_rate_is_never_of_a_later_day(days: set[int], asked: int) -> None:
    begin = date(2026, 1, 1)
    day = begin + timedelta(days=asked)
    found = rate_for(day, {begin + timedelta(days=each): "1.1" for each in days}, "b")
    assert found is None or found.rate_date <= day


@pytest.mark.parametrize("text", ["1.3942", "1", "0.7", "9999.1234567890"])
def test_a_plain_decimal_is_a_rate(text: str) -> None:
    assert is_rate(text)


@pytest.mark.parametrize(
    "text",
    ["", "0", "0.0", "-1.3", "+1.3", "1,39", "1.", ".5", "1e2", "NaN", "12345", " 1.3", "1.3\n", "١.٣"],
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_rate(text)
