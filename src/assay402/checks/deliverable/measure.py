"""How large a value is, in the counts that what a schema does with it depends on."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct

from assay402.core.strictjson import JSON

_EXACT: Final = 1 << 53
_MACHINE: Final = 1 << 63
"""Integers below it are compared by the machine, all other numbers digit by digit."""


class Held(Struct, frozen=True, kw_only=True):
    """The values that members of one name have, and what stands directly within those."""

    count: int
    longest: int
    """Bytes of the longest string among them."""
    text: int
    """Bytes of all strings among them."""
    members: int
    largest_object: int
    elements: int
    longest_array: int


NOTHING: Final = Held(count=0, longest=0, text=0, members=0, largest_object=0, elements=0, longest_array=0)


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
    own: Held
    """The value itself."""
    by_name: Mapping[str, Held]
    long_numbers: int
    """Numbers that are compared digit by digit."""
    number_size: int
    """The size of the largest of its numbers."""
    digits: int
    """Digits of the longest of its numbers that are no integers."""
    has_decimals: bool


def number_size(number: int | Decimal) -> int:
    """Give the decimal places an exact number spans from its first digit to the point, and its digits."""
    if isinstance(number, int):
        return len(str(abs(number)))
    return len(number.as_tuple().digits) + abs(number.adjusted())


def digits(number: int | Decimal) -> int:
    """Count the digits of an exact number that is not an int."""
    return 0 if isinstance(number, int) else len(number.as_tuple().digits)


def is_long(number: object) -> bool:
    """Tell whether a value is a number that is compared digit by digit."""
    if isinstance(number, int):
        return not -_MACHINE < number < _MACHINE
    return isinstance(number, Decimal)


def measure(value: JSON, size: int) -> Measure:
    """Count a value whose canonical text has `size` bytes."""
    counting = _Counting()
    counting.walk(value)
    own = _Tally()
    own.add(value)
    return Measure(
        size=size,
        values=1 + counting.members + counting.elements,
        members=counting.members,
        elements=counting.elements,
        arrays=counting.arrays,
        largest_object=counting.largest_object,
        longest_array=counting.longest_array,
        longest_text=counting.longest_text,
        own=own.held(),
        by_name={name: tally.held() for name, tally in counting.by_name.items()},
        long_numbers=counting.long_numbers,
        number_size=counting.number_size,
        digits=counting.digits,
        has_decimals=counting.has_decimals,
    )


def text_size(text: str) -> int:
    """Give the bytes of a string."""
    return len(text) if text.isascii() else len(text.encode())


class _Tally:
    """What the members of one name have so far."""

    __slots__ = ("count", "elements", "largest_object", "longest", "longest_array", "members", "text")

    def __init__(self) -> None:
        self.count = self.longest = self.text = 0
        self.members = self.largest_object = self.elements = self.longest_array = 0

    def add(self, value: JSON) -> None:
        self.count += 1
        if isinstance(value, str):
            size = text_size(value)
            self.text += size
            self.longest = max(self.longest, size)
        elif isinstance(value, list):
            self.elements += len(value)
            self.longest_array = max(self.longest_array, len(value))
        elif isinstance(value, dict):
            self.members += len(value)
            self.largest_object = max(self.largest_object, len(value))

    def held(self) -> Held:
        return Held(
            count=self.count,
            longest=self.longest,
            text=self.text,
            members=self.members,
            largest_object=self.largest_object,
            elements=self.elements,
            longest_array=self.longest_array,
        )


class _Counting:
    """The counts while a value is walked, without recursion."""

    def __init__(self) -> None:
        self.members = 0
        self.elements = 0
        self.arrays = 0
        self.largest_object = 0
        self.longest_array = 0
        self.longest_text = 0
        self.by_name: dict[str, _Tally] = {}
        self.long_numbers = 0
        self.number_size = 1
        self.digits = 1
        self.has_decimals = False

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
                tally = by_name[name] = _Tally()
                self.longest_text = max(self.longest_text, text_size(name))
            tally.add(value)
            if isinstance(value, str):
                self.longest_text = max(self.longest_text, tally.longest)
            else:
                waiting.append(value)

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
        self.digits = max(self.digits, digits(number))
