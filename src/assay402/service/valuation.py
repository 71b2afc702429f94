"""Which published rate values a payment, in Canadian dollars.

A bank publishes on business days. A day without a rate takes that of the nearest day before it, once a later rate
shows that none will come for the day itself.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final, Protocol

from msgspec import Struct

LOOK_BACK: Final = timedelta(days=10)
"""Longer than any run of bank holidays."""
_RATE: Final = re.compile(r"(?=.*[1-9])[0-9]{1,4}(?:\.[0-9]{1,10})?")


class Rates(Protocol):
    """Gives what a US dollar was worth in Canadian dollars."""

    basis: str
    """Who publishes the rates, such as `bank_of_canada`."""

    async def between(self, since: date, until: date) -> Mapping[date, str]:
        """Give the rate of each day that has one, from `since` to `until`, both included, as decimal strings.

        Raises:
            TheirError: `rates_unavailable` where the publisher gives none or gives what is no rate.

        """
        ...


class Rate(Struct, frozen=True, kw_only=True):
    """Canadian dollars for one US dollar, as published, and the day it was published for."""

    rate: str
    rate_date: date
    basis: str


def is_rate(text: str) -> bool:
    """Tell whether a text is a plain decimal above zero, such as `1.3942`."""
    return _RATE.fullmatch(text) is not None


def rate_for(day: date, published: Mapping[date, str], basis: str) -> Rate | None:
    """Give the rate that values a day; None where it may still be published."""
    earlier = [each for each in published if day - LOOK_BACK <= each <= day]
    if not earlier:
        return None
    nearest = max(earlier)
    if nearest != day and not any(each > day for each in published):
        return None
    return Rate(rate=published[nearest], rate_date=nearest, basis=basis)
