"""What the keywords of one schema cost at one value, in steps; measured on the pinned engine, dearest case each.

A step is some five nanoseconds.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.automaton import Price
from assay402.checks.deliverable.measure import Measure, digits, is_long, number_size
from assay402.checks.deliverable.schema.exact import NEAR
from assay402.checks.deliverable.schema.index import Node
from assay402.checks.deliverable.schema.keywords import is_unevaluated
from assay402.checks.deliverable.schema.patterns import patterns_of
from assay402.core.strictjson import JSON

PATTERN_PRICES: Final[Mapping[int, int]] = {
    1 << 12: 96,
    1 << 14: 256,
    1 << 16: 864,
    1 << 17: 1_728,
    1 << 18: 2_560,
    1 << 19: 5_120,
    3 << 18: 7_680,
    1 << 20: 9_216,
}
"""Steps a byte of text takes, by the size a compiled pattern fits: what the engine's slowest way takes."""
KNOWN_ABOVE: Final = 1 << 14
"""The size above which it is worth knowing what a pattern that begins at the start of the text costs."""
BUNDLED_SCHEMAS: Final = 64
"""Schemas in the largest meta-schema, whose own recursion the engine remembers."""

_KEYWORD: Final = 2
_ENTRY: Final = 5
"""An entry of an `enum`, and each value within one."""
_ENTRY_BYTES: Final = 32
"""Bytes of such entries that are compared in a step."""
_NAME: Final = 4
"""A name in `required` or `dependentRequired`, found or not, and so many bytes of it."""
_NAME_BYTES: Final = 32
_LISTED: Final = 8
"""Names in `properties` that are looked through in a step where a value has none of them."""
_PATTERN_CALL: Final = 8
_FORMAT_CALL: Final = 64
_FORMAT_PRICES: Final[Mapping[str, int]] = {
    "regex": 40, "hostname": 10, "idn-hostname": 10, "email": 10, "idn-email": 10,
}  # fmt: skip
"""Steps a byte takes where it is more than `_FORMAT_PRICE`."""
_FORMAT_PRICE: Final = 2
BUNDLED_BYTE: Final = 64
_CALL: Final = 160
"""Calling a keyword that is judged here; `uniqueItems` finds out once what it says of an array."""
_COMPARED: Final = 384
"""Comparing a long number."""
_WRITTEN: Final = 1_280
"""Finding a number among others by its canonical text."""
_MACHINE_DIGITS: Final = 19
"""Digits of an integer that is told from others by the machine."""
_INT_DIGITS: Final = 308
"""Digits of the longest number that is an int."""
BUNDLED_CALLS: Final = 16
"""Keywords of a meta-schema that are judged here, for each value."""
_UNEVALUATED: Final = 4
_ENTRY_KEPT: Final = 16
"""Bytes of an entry of an `enum` in a violation."""
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


class Weights(Struct, frozen=True, kw_only=True):
    """What one schema costs: for each value, byte, member and number it is applied to."""

    each: int
    byte: int
    near: tuple[Price, ...]
    """The patterns that look at no more than the first bytes of a text."""
    member: int
    name_byte: int
    element: int
    equals: int
    """Numbers among the entries of `enum` and `const`."""
    bounds: int
    multiples: int
    types: int
    """Whether its `type` tells numbers from integers or from what is none."""
    number_size: int
    """The size of the largest number of the schema; 0 where all are integers that the machine compares."""
    has_decimals: bool
    digits: int
    """Digits of the longest number of its `multipleOf`."""
    judged: int
    """Keywords that are judged here, and not by the engine, where numbers are long."""
    lists: bool
    """Whether one of them is `enum` or `const`."""
    bundled: int

    @property
    def has_numbers(self) -> bool:
        """Whether a value is compared with numbers."""
        return bool(self.equals or self.bounds or self.multiples or self.types)


def weigh(
    node: Node, judged: frozenset[str], chain: int, prices: Mapping[str, Price], *, assert_format: bool
) -> Weights:
    """Weigh a schema.

    `judged` are the keywords that are judged here where numbers are long, `chain` is how many schemas are applied one inside the other, `prices` those of its patterns.
    """
    schema = node.schema if isinstance(node.schema, Mapping) else {}
    entries = _entries(schema)
    numbers = numbers_of(schema)
    bounds = sum(_is_number(schema.get(name)) for name in _BOUNDS)
    multiples = int(_is_number(schema.get("multipleOf")))
    its_judged = judged & schema.keys()
    by_name = schema.get("patternProperties")
    names = list(by_name) if isinstance(by_name, Mapping) else []
    properties = schema.get("properties")
    listed = len(properties) // _LISTED if isinstance(properties, Mapping) else 0
    unevaluated = _UNEVALUATED * chain if is_unevaluated(schema) else 0
    # Each of these looks at the patterns again, to find what they leave over.
    looks = 1 + ("additionalProperties" in schema) + (unevaluated > 0)
    own = [
        pattern for pattern in patterns_of(schema) if pattern not in names or pattern == schema.get("pattern")
    ]
    formats = [str(schema["format"])] if assert_format and isinstance(schema.get("format"), str) else []
    return Weights(
        each=_KEYWORD * (1 + len(schema)) + _ENTRY * len(entries) + _bytes_of(entries) // _ENTRY_BYTES
        + listed + len(names) + _NAME * _names(schema) + _PATTERN_CALL * len(own)
        + _CALL * ("uniqueItems" in schema) + _FORMAT_CALL * len(formats),
        byte=sum(prices[pattern].byte for pattern in own if prices[pattern].reach is None)
        + sum(_FORMAT_PRICES.get(name, _FORMAT_PRICE) for name in formats),
        near=tuple(prices[pattern] for pattern in own if prices[pattern].reach is not None),
        member=_PATTERN_CALL * looks * len(names) + unevaluated,
        name_byte=looks * sum(prices[name].byte for name in names),
        element=unevaluated,
        equals=len(numbers) - bounds - multiples,
        bounds=bounds,
        multiples=multiples,
        types=int(_names_number(schema.get("type"))),
        number_size=max(
            (number_size(number) for number in numbers if is_long(number)), default=0
        ),
        has_decimals=any(isinstance(number, Decimal) for number in numbers),
        digits=_digits(schema.get("multipleOf")),
        judged=len(its_judged),
        lists=bool(its_judged & {"enum", "const"}),
        bundled=node.bundled,
    )  # fmt: skip


def numbers_of(schema: JSON) -> list[int | Decimal]:
    """Give the numbers that one schema compares values with."""
    if not isinstance(schema, Mapping):
        return []
    written = (*_entries(schema), *(schema.get(name) for name in (*_BOUNDS, "multipleOf")))
    return [each for each in written if isinstance(each, (int, Decimal)) and not isinstance(each, bool)]


def lists_numbers(schema: JSON) -> bool:
    """Tell whether there are numbers among what `enum` and `const` of one schema list."""
    return isinstance(schema, Mapping) and any(map(_is_number, _entries(schema)))


def names_number(schema: JSON) -> bool:
    """Tell whether the `type` of one schema tells numbers from integers or from what is none."""
    return isinstance(schema, Mapping) and _names_number(schema.get("type"))


class Applied(Struct, frozen=True, kw_only=True):
    """How often a schema is applied: at most, and by how many ways, of which each meets a value once."""

    ways: int = 0
    values: int = 0
    text: int = 0
    """Bytes of the strings it is applied to."""
    members: int = 0
    elements: int = 0
    """What stands directly within the objects and arrays it is applied to."""


def steps(weights: Weights, applied: Applied, size: Measure, *, is_ours: bool) -> int:
    """Count what a schema takes of all it is applied to; `is_ours` says that numbers are judged here."""
    names = min(applied.ways * size.size, applied.members * size.longest_text)
    total = (
        weights.each * applied.values
        + weights.byte * applied.text
        + sum(price.byte * min(applied.text, applied.values * (price.reach or 0)) for price in weights.near)
        + weights.member * applied.members
        + weights.name_byte * names
        + weights.element * applied.elements
    )
    if weights.bundled:
        bundled = bundled_steps(size.values, size.size, size.long_numbers, size.digits, is_ours=is_ours)
        total += weights.bundled * applied.ways * bundled
    if is_ours:
        total += applied.values * judged_steps(weights, size.number_size, size.digits)
    elif weights.has_numbers and (size.long_numbers or weights.number_size):
        total += applied.values * number_steps(
            weights, size.number_size, size.digits, is_decimal=size.has_decimals
        )
    return total


def bundled_steps(values: int, size: int, long_numbers: int, digits: int, *, is_ours: bool) -> int:
    """Count what a meta-schema takes of values of a size all together, however deep; it remembers what it found."""
    ours = (
        values * BUNDLED_CALLS * _CALL + long_numbers * (_COMPARED + digits) * BUNDLED_CALLS if is_ours else 0
    )
    near = long_numbers * (_type_steps(NEAR, NEAR) + bound_steps(NEAR, NEAR))
    return BUNDLED_SCHEMAS * values + BUNDLED_BYTE * size + near + ours


def judged_steps(weights: Weights, size: int, digits: int) -> int:
    """Count what the keywords judged here take of a value.

    Its largest number has a size, 0 where it has none, and so many digits where that is not an int.
    """
    total = weights.judged * _CALL
    if not weights.judged or not size:
        return total
    is_long = digits or size > _MACHINE_DIGITS
    digits = max(digits, min(size, _INT_DIGITS))
    span = size + weights.number_size
    return (
        total
        + weights.bounds * (_COMPARED if is_long or weights.number_size else 0)
        + weights.types * digits
        + (_WRITTEN + 4 * digits if weights.lists and is_long else 0)
        + weights.multiples * (_CALL + span // 8 + span * weights.digits // 160)
    )


def bound_steps(span: int, digits: int) -> int:
    """Count what comparing a number takes, with a bound or to find out what it is."""
    return 128 + 6 * span + span * span // 400 + digits * digits // 64


def _type_steps(span: int, digits: int) -> int:
    return 16 + 6 * span + span * span // 400 + digits * digits // 400


def number_steps(weights: Weights, size: int, digits: int, *, is_decimal: bool) -> int:
    """Count what the numbers of a schema take of a value whose largest number has a size, and so many digits."""
    span = size + weights.number_size
    is_decimal = is_decimal or weights.has_decimals
    return (
        weights.equals * comparison(span, is_decimal=is_decimal)
        + weights.bounds * bound_steps(span, digits)
        + weights.multiples * (220 + 8 * span + span * span // 200 + digits * digits // 40)
        + weights.types * _type_steps(size, digits)
    )


def comparison(span: int, *, is_decimal: bool) -> int:
    """Give the price of comparing two numbers for equality that span so many decimal places together."""
    return 200 + 20 * span if is_decimal else 60 + span + span * span // 800


def _digits(number: object) -> int:
    if isinstance(number, Decimal):
        return digits(number)
    return number_size(number) if isinstance(number, int) else 0


def _names_number(value: object) -> bool:
    words = value if isinstance(value, list) else [value]
    return "number" in words or "integer" in words


def _is_number(value: object) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _entries(schema: Mapping[str, JSON]) -> list[JSON]:
    """Give the values a value is compared with, and those within them."""
    listed = schema.get("enum")
    found: list[JSON] = [
        *(listed if isinstance(listed, list) else ()),
        *([schema["const"]] if "const" in schema else ()),
    ]
    # The list grows while it is walked.
    for value in found:
        if isinstance(value, Mapping):
            found.extend(value.values())
        elif isinstance(value, list):
            found.extend(value)
    return found


def _bytes_of(entries: list[JSON]) -> int:
    return sum(len(entry) for entry in entries if isinstance(entry, str))


def _names(schema: Mapping[str, JSON]) -> int:
    """Count the names a schema asks for, and those it asks for only beside others; long ones count more."""
    found: list[JSON] = []
    for keyword in ("required", "dependentRequired", "dependentSchemas", "dependencies"):
        named = schema.get(keyword)
        if isinstance(named, list):
            found.extend(named)
        elif isinstance(named, Mapping):
            found.extend(named)
            found.extend(name for names in named.values() if isinstance(names, list) for name in names)
    return len(found) + _bytes_of(found) // _NAME_BYTES


def most_violations(node: Node) -> int:
    """Count the violations one schema can find at one value: one for each keyword, and for each name it asks for."""
    return max(1, len(node.schema)) + _names(node.schema) if isinstance(node.schema, Mapping) else 1


def kept_bytes(node: Node, schema_bytes: int) -> int:
    """Count the bytes of a schema that a violation holds: what a value was compared with, or what it must not be."""
    if not isinstance(node.schema, Mapping):
        return 0
    if "not" in node.schema:
        return schema_bytes
    entries = _entries(node.schema)
    return _ENTRY_KEPT * len(entries) + _bytes_of(entries)
