"""How large a value is, in the counts that what a schema does with it depends on."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct

from assay402.core.strictjson import JSON

_EXACT: Final = 1 << 53
_MACHINE: Final = 1 << 63
"""Integers below it are compared by the machine, all other numbers digit by digit."""


class Texts(Struct, frozen=True, kw_only=True):
    """The values that members of one name have."""

    count: int
    longest: int
    """Bytes of the longest string among them."""
    total: int
    """Bytes of all strings among them."""


NO_TEXTS: Final = Texts(count=0, longest=0, total=0)


class Measure(Struct, frozen=True, kw_only=True):
    """The counts of a value and everything within it."""

    size: int
    """Bytes of its canonical text."""
    values: int
    members: int
    elements: int
    arrays: int
    largest_object: int
    longest_array: int
    longest_text: int
    """Bytes of the longest string or name."""
    own_text: int
    """Bytes of the value itself where it is a string."""
    by_name: Mapping[str, Texts]
    long_numbers: int
    """Numbers that are compared digit by digit."""
    number_size: int
    """The size of the largest of its numbers."""
    has_decimals: bool
    has_near_numbers: bool
    """Whether different numbers are one in binary64, so that a table of them does not tell them apart."""


def number_size(number: int | Decimal) -> int:
    """Give the decimal places an exact number spans from its first digit to the point, and its digits."""
    if isinstance(number, int):
        return len(str(abs(number)))
    return len(number.as_tuple().digits) + abs(number.adjusted())


def is_long(number: object) -> bool:
    """Tell whether a value is a number that is compared digit by digit."""
    if isinstance(number, int):
        return not -_MACHINE < number < _MACHINE
    return isinstance(number, Decimal)


def measure(value: JSON, size: int) -> Measure:
    """Count a value whose canonical text has `size` bytes."""
    counting = _Counting()
    counting.walk(value)
    return Measure(
        size=size,
        values=1 + counting.members + counting.elements,
        members=counting.members,
        elements=counting.elements,
        arrays=counting.arrays,
        largest_object=counting.largest_object,
        longest_array=counting.longest_array,
        longest_text=counting.longest_text,
        own_text=text_size(value) if isinstance(value, str) else 0,
        by_name={
            name: Texts(count=count, longest=longest, total=total)
            for name, (count, longest, total) in counting.by_name.items()
        },
        long_numbers=counting.long_numbers,
        number_size=counting.number_size,
        has_decimals=counting.has_decimals,
        has_near_numbers=counting.has_near_numbers,
    )


def text_size(text: str) -> int:
    """Give the bytes of a string."""
    return len(text) if text.isascii() else len(text.encode())


class _Counting:
    """The counts while a value is walked, without recursion."""

    def __init__(self) -> None:
        self.members = 0
        self.elements = 0
        self.arrays = 0
        self.largest_object = 0
        self.longest_array = 0
        self.longest_text = 0
        self.by_name: dict[str, list[int]] = {}
        self.long_numbers = 0
        self.number_size = 1
        self.has_decimals = False
        self.has_near_numbers = False
        self._by_binary: dict[float, int | Decimal] = {}

    def walk(self, value: JSON) -> None:
        waiting: list[JSON] = [value]
        while waiting:
            found = waiting.pop()
            if isinstance(found, dict):
                self._object(found, waiting)
            elif isinstance(found, list):
                self._array(found)
                waiting.extend(found)
            elif isinstance(found, str):
                self.longest_text = max(self.longest_text, text_size(found))
            elif isinstance(found, (int, Decimal)):
                self._number(found)

    def _object(self, found: dict[str, JSON], waiting: list[JSON]) -> None:
        self.members += len(found)
        self.largest_object = max(self.largest_object, len(found))
        by_name = self.by_name
        for name, value in found.items():
            tally = by_name.get(name)
            if tally is None:
                tally = by_name[name] = [0, 0, 0]
                self.longest_text = max(self.longest_text, text_size(name))
            tally[0] += 1
            if isinstance(value, str):
                size = text_size(value)
                tally[1] = max(tally[1], size)
                tally[2] += size
            else:
                waiting.append(value)
        self.longest_text = max(self.longest_text, max((by_name[name][1] for name in found), default=0))

    def _array(self, found: list[JSON]) -> None:
        self.arrays += 1
        self.elements += len(found)
        self.longest_array = max(self.longest_array, len(found))

    def _number(self, number: int | Decimal) -> None:
        if isinstance(number, int) and -_EXACT < number < _EXACT:
            return
        self.long_numbers += is_long(number)
        self.has_decimals = self.has_decimals or isinstance(number, Decimal)
        self.number_size = max(self.number_size, number_size(number))
        if not self.has_near_numbers:
            same = self._by_binary.setdefault(_binary(number), number)
            self.has_near_numbers = same != number


def _binary(number: int | Decimal) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")
