"""The values of a document one by one, each with its own size: for counting exactly where a bound is not enough."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Final

from assay402.checks.deliverable.measure import digits, is_long, number_size, text_size
from assay402.core.canon import canonical
from assay402.core.strictjson import JSON

_MACHINE: Final = 1 << 60
"""Integers below it differ where their hashes do."""
_QUOTES: Final = 2
_EXPONENT: Final = 8
"""Bytes a number has besides its digits, at most."""


class Nodes:
    """A value and all within it by number: 0 is the value, and each stands behind what it is within.

    What is within a value has the numbers from its own on, as many as `values` says.
    """

    def __init__(self, value: JSON) -> None:
        self.found: Final[list[JSON]] = []
        self.below: Final[list[Mapping[str, int] | list[int] | None]] = []
        """The numbers of the members by name, or of the elements."""
        self.text: Final[list[int]] = []
        """Bytes of a string; of an object, bytes of all its names."""
        self.sizes: Final[list[int]] = []
        """Bytes of a value, written."""
        self.values: Final[list[int]] = []
        self.spans: Final[list[int]] = []
        """The size of the largest number that is not compared by the machine; 0 where there is none."""
        self.long_numbers: Final[list[int]] = []
        self.digits: Final[list[int]] = []
        """Digits of the longest of those that are not ints."""
        self.decimals: Final[list[bool]] = []
        self._by_identity: Final[dict[int, int]] = {}
        self._among: Final[dict[int, tuple[list[JSON], frozenset[int | None]]]] = {}
        self._number(value)
        for number in range(len(self.found) - 1, -1, -1):
            self._add_up(number)

    def number_of(self, value: JSON) -> int | None:
        """Give the number of an array or object of the document, by identity."""
        return self._by_identity.get(id(value)) if isinstance(value, (dict, list)) else None

    def elements(self, number: int) -> list[int]:
        """Give the numbers of the elements of an array, or of nothing else."""
        below = self.below[number]
        return below if isinstance(below, list) else []

    def members(self, number: int) -> Mapping[str, int]:
        """Give the numbers of the members of an object, or of nothing else."""
        below = self.below[number]
        return below if isinstance(below, dict) else {}

    @cached_property
    def equals(self) -> list[int]:
        """Give each value a number, equal values the same."""
        return self._equality.numbers

    @cached_property
    def _equality(self) -> "_Equality":
        return _Equality(self)

    def are_different(self, number: int) -> bool:
        """Tell whether no two elements of an array are equal."""
        elements = self.elements(number)
        return len({self.equals[each] for each in elements}) == len(elements)

    def is_among(self, number: int, values: list[JSON]) -> bool:
        """Tell whether a value equals one of some from elsewhere, which are found once for each list of them."""
        known = self._among.get(id(values))
        if known is None:
            found = frozenset(self._equality.find(each) for each in values)
            # The list is kept, so that no other takes its place.
            known = self._among[id(values)] = values, found
        return self.equals[number] in known[1]

    def _number(self, value: JSON) -> None:
        waiting: list[tuple[JSON, int, str]] = [(value, -1, "")]
        while waiting:
            found, outer, name = waiting.pop()
            number = len(self.found)
            below = self.below[outer] if outer >= 0 else None
            if isinstance(below, dict):
                below[name] = number
            elif isinstance(below, list):
                below.append(number)
            self.found.append(found)
            if isinstance(found, dict):
                self._by_identity[id(found)] = number
                self.below.append({})
                waiting.extend((each, number, its_name) for its_name, each in reversed(found.items()))
            elif isinstance(found, list):
                self._by_identity[id(found)] = number
                self.below.append([])
                waiting.extend((each, number, "") for each in reversed(found))
            else:
                self.below.append(None)
        for column in (self.text, self.sizes, self.values, self.spans, self.long_numbers, self.digits):
            column.extend([0] * len(self.found))
        self.decimals.extend([False] * len(self.found))

    def _add_up(self, number: int) -> None:
        found, below = self.found[number], self.below[number]
        self.values[number] = 1
        if isinstance(found, str):
            self.text[number] = text_size(found)
            self.sizes[number] = self.text[number] + _QUOTES
        elif isinstance(found, (int, Decimal)) and not isinstance(found, bool):
            self.sizes[number] = (
                digits(found) + _EXPONENT if isinstance(found, Decimal) else number_size(found)
            )
            if is_long(found):
                self.spans[number], self.long_numbers[number] = number_size(found), 1
                self.decimals[number] = isinstance(found, Decimal)
                self.digits[number] = digits(found)
        elif below is None:
            self.sizes[number] = 4
        else:
            self._sum(number, below.values() if isinstance(below, Mapping) else below)

    def _sum(self, number: int, below: Collection[int]) -> None:
        found = self.found[number]
        if isinstance(found, dict):
            self.text[number] = sum(map(text_size, found))
        self.sizes[number] = _QUOTES + self.text[number] + len(below) * (4 if self.text[number] else 1)
        for each in below:
            self.sizes[number] += self.sizes[each]
            self.values[number] += self.values[each]
            self.long_numbers[number] += self.long_numbers[each]
            self.spans[number] = max(self.spans[number], self.spans[each])
            self.digits[number] = max(self.digits[number], self.digits[each])
            self.decimals[number] = self.decimals[number] or self.decimals[each]


class _Equality:
    """Numbers for values, equal values the same."""

    def __init__(self, nodes: Nodes) -> None:
        self.numbers: Final = [0] * len(nodes.found)
        self._known: Final[dict[object, int]] = {}
        for number in range(len(nodes.found) - 1, -1, -1):
            found, below = nodes.found[number], nodes.below[number]
            key: object
            if isinstance(below, dict):
                key = frozenset((name, self.numbers[each]) for name, each in below.items())
            elif isinstance(below, list):
                key = tuple(self.numbers[each] for each in below)
            else:
                key = key_of(found)
            self.numbers[number] = self._known.setdefault(key, len(self._known))

    def find(self, value: JSON) -> int | None:
        """Give the number of what equals a value from elsewhere; None where nothing does."""
        key: object
        if isinstance(value, dict):
            key = frozenset((name, self.find(each)) for name, each in value.items())
        elif isinstance(value, list):
            key = tuple(self.find(each) for each in value)
        else:
            key = key_of(value)
        # What holds something that nothing equals is found no more than that.
        return self._known.get(key)


def key_of(value: JSON) -> object:
    """Give what tells a value that holds no others from all that it does not equal."""
    if isinstance(value, Decimal) or (type(value) is int and not -_MACHINE < value < _MACHINE):
        # Hashes of numbers are no secret: many can be made that have the same. Those of texts cannot.
        return int, canonical(value)
    return type(value), value
