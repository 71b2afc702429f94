"""The same number of another unit, in the same words: `40 gallons` beside `40 litres`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.quantities import quantity
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain

_UNIT: Final = re.compile(
    r"(?<![\w.,])(?P<number>[0-9][0-9.,]*[0-9]|[0-9])\s?(?P<unit>(?:degrees?\s)?(?:[A-Za-z]{1,12}|°[CF]))\b"
)
_DEGREES: Final = {"celsius": "°C", "fahrenheit": "°F", "°c": "°C", "°f": "°F"}
_APART: Final = 24
"""Characters by which the names of two units may differ."""


def in_other_unit(claim: Claim, record: Record) -> tuple[Fact, Fact] | None:
    """Give a measure of a claim, and that of a record which says the same of as many of another unit; None where it does not."""
    said, text = claim.text, record.text
    if record.form == "json" or said[:4].lower() != text[:4].lower() or abs(len(said) - len(text)) > _APART:
        return None  # the words are the same but for the unit
    for one in _measures(claim.text):
        for other in _measures(record.text):
            if one[0] != other[0] or one[1] == other[1]:
                continue
            mine = plain(f"{claim.text[: one[2]]}\x00{claim.text[one[3] :]}")
            if mine == plain(f"{record.text[: other[2]]}\x00{record.text[other[3] :]}"):
                return _fact(claim.text, one), _fact(record.text, other)
    return None


def _measures(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Give the numbers with a unit, each with its unit in one spelling and its place."""
    for match in _UNIT.finditer(text):
        name = match["unit"].lower().rpartition(" ")[2]
        size, unit = quantity(Decimal(1), name)
        if name in _DEGREES or unit:
            told = name[0] if unit == "B" else f"{size.normalize()}"  # by thousands or by 1024
            yield match["number"], _DEGREES.get(name, f"{told} {unit}"), *match.span()


def _fact(text: str, measure: tuple[str, str, int, int]) -> Fact:
    number, unit, start, end = measure
    low = Decimal(number.replace(",", ""))
    return Fact("quantity", number, low, low, unit, text[start:end], start, end, frozenset(), "")
