"""Numbers that stand for others before a schema: shorter, and not told from them by anything the schema says.

The engine takes a quarter of a millisecond to compare `1e-4000` with anything. A schema tells numbers apart by its own
numbers alone, so one with more decimal places than all of those can be cut behind them, and one larger than all of those can
be made smaller, as long as what divides it stays the same.
"""

from collections.abc import Mapping
from decimal import Decimal
from math import lcm
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.measure import number_size
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.weights import numbers_of
from assay402.core.exactjson import is_integral
from assay402.core.strictjson import JSON

NEAR: Final = 16
"""Numbers of no larger size stand for themselves; the engine looks at longer ones in ways that differ, not all of them exact."""
_NEAR: Final = 10**NEAR
MAX_TOP: Final = 64
"""Digits of a schema's own numbers above which none is made smaller."""
MAX_MODULUS: Final = 1 << 128
"""Above it no integer is made smaller."""
VALUE: Final = 480
"""Steps a value takes where a document may hold numbers that others stand for."""


class Scale(Struct, frozen=True, kw_only=True):
    """What the numbers of a schema have in common."""

    place: int = 0
    """The last decimal place any of them has: each is a multiple of ten to that power."""
    top: int = 1
    """The most digits before the point: each is less than ten to that power."""
    modulus: int = 1
    """What integers may differ by and still be multiples of the same `multipleOf`; 0 where that is too large."""

    @property
    def span(self) -> int:
        """How much longer than its digits what stands for a number can be."""
        return NEAR + 2 * (1 - self.place) + self.top + len(str(self.modulus)) if self.modulus else 1 << 13


class StandIns(Struct, frozen=True, kw_only=True):
    """A value with such numbers in it, and its own arrays by the identity of those that stand for them."""

    value: JSON
    originals: Mapping[int, list[JSON]]


def scale(index: Index) -> Scale:
    """Find what the numbers of a schema have in common, with those of what the engine brings along."""
    place, top, modulus = 0, 1, 1
    for node in index.nodes:
        for number in numbers_of(node.schema):
            exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
            assert isinstance(exponent, int)  # noqa: S101  (numbers of JSON are finite)
            place = min(place, exponent)
            top = max(top, len(str(abs(number))) if isinstance(number, int) else number.adjusted() + 1)
        multiple = node.schema.get("multipleOf") if isinstance(node.schema, Mapping) else None
        if isinstance(multiple, (int, Decimal)) and modulus:
            modulus = lcm(modulus, multiple.as_integer_ratio()[0])
            modulus = modulus if modulus <= MAX_MODULUS else 0
    return Scale(place=place, top=top, modulus=modulus if top <= MAX_TOP else 0)


def stand_in(number: int | Decimal, scale: Scale) -> int | Decimal:
    """Give the number that stands for one; that itself where it is short, or nothing shorter can."""
    if isinstance(number, int):
        return number if -_NEAR < number < _NEAR else _integer(number, scale)
    if number_size(number) <= NEAR:
        return number
    return _integer(number, scale) if is_integral(number) else _fraction(number, scale)


def _integer(number: int | Decimal, scale: Scale) -> int | Decimal:
    if not scale.modulus:
        return number
    beyond = 10**scale.top
    if -beyond < number < beyond:
        return number
    whole = number if number > 0 else -number
    amount = beyond + -beyond % scale.modulus + _remainder(whole, scale.modulus)
    return number if amount >= whole else amount if number > 0 else -amount


def _remainder(number: int | Decimal, modulus: int) -> int:
    if isinstance(number, int):
        return number % modulus
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  (numbers of JSON are finite)
    return int("".join(map(str, digits))) * pow(10, exponent, modulus) % modulus


def _fraction(number: int | Decimal, scale: Scale) -> int | Decimal:
    assert isinstance(number, Decimal)  # noqa: S101  (an int is integral)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  (numbers of JSON are finite)
    cut = scale.place - exponent
    if cut <= 1:
        return number
    # It lies between two multiples of the last place; so does the middle between them.
    return Decimal((sign, (*(digits[:-cut] or (0,)), 5), scale.place - 1))


def stand_ins(nodes: Nodes, root: int, scale: Scale) -> StandIns:
    """Let such numbers stand in a value; what holds none of them stays itself."""
    found = nodes.found[root : root + nodes.values[root]]
    originals: dict[int, list[JSON]] = {}
    for place in range(len(found) - 1, -1, -1):
        value, below = found[place], nodes.below[root + place]
        if isinstance(value, dict) and isinstance(below, dict):
            made = {name: found[each - root] for name, each in below.items()}
            found[place] = made if any(made[name] is not value[name] for name in made) else value
        elif isinstance(value, list) and isinstance(below, list):
            elements = [found[each - root] for each in below]
            if any(one is not other for one, other in zip(elements, value, strict=True)):
                found[place] = elements
                originals[id(elements)] = value
        elif isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            found[place] = stand_in(value, scale)
    return StandIns(value=found[0], originals=originals)
