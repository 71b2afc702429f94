"""A JSON reader for judgements: numbers are exact values, and what has no single meaning is named.

`strictjson` keeps how a text was spelled; this reader keeps what it says. Equal numbers become equal Python values of
one type (`1`, `1.0` and `1e0` are the int 1; other numbers are `Decimal`s without trailing zeros), so equality by type
and value is equality of JSON, and no binary fraction takes part in a comparison.
"""

import json
import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from assay402.core.canon import exact_parts, survives
from assay402.core.grammar import NotJSON, Syntax, depth, lone_surrogates, scan
from assay402.core.strictjson import JSON, write

MAX_DEPTH: Final = 256
"""Open arrays and objects at once; a schema engine's native stack holds several times as many."""
MAX_DIGITS: Final = 1024
"""Significant digits of a number, without leading and trailing zeros."""
MAX_EXPONENT: Final = 4096
"""Exponent of the first significant digit, in either direction."""

Trouble: TypeAlias = Literal["depth", "duplicate name", "lone surrogate", "number"]

_INT_DIGITS: Final = 308
"""Longest integer held as an int: below every limit an interpreter may set on converting text."""
_SURE_DIGITS: Final = 15
"""Any number of so many digits survives binary64 and back."""
_SURE_SMALLEST: Final = -300
"""Well above the magnitudes at which binary64 loses digits."""
_PLAIN_INT_DIGITS: Final = 21
"""ECMAScript writes integers below 10^21 digit by digit."""
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]|\\\\u[dD][89abAB]")


class Exact(Struct, frozen=True, kw_only=True):
    """A JSON text with a single meaning, within the limits."""

    value: JSON
    """dict, list, str, int, Decimal, bool or None."""
    syntax: Syntax
    plain: bool
    """Whether `canon.canonical_plain` may write the value and its parts."""
    survives: bool
    """Whether RFC 8785 spells every number of it by its exact value."""


class Troubled(Struct, frozen=True, kw_only=True):
    """A JSON text that has no single meaning, or exceeds a limit; the first of depth, names, surrogates, numbers."""

    trouble: Trouble
    syntax: Syntax


def read_exact(data: bytes, *, max_depth: int = MAX_DEPTH) -> Exact | Troubled | NotJSON:
    """Read one JSON text. Nothing is dropped in front of it or behind it, a byte order mark included."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return NotJSON(error_byte=error.start)
    deepest = depth(data)
    if deepest > max_depth:
        found = scan(text)
        return found if isinstance(found, NotJSON) else Troubled(trouble="depth", syntax=found)
    builder = _Builder()
    try:
        value = builder.decode(text)
    except json.JSONDecodeError:
        return _not_json(text)
    if builder.has_constant:
        return NotJSON(error_byte=_not_json(text).error_byte, constant=True)
    syntax = Syntax(
        depth=deepest, duplicate_names=builder.duplicate_names, lone_surrogates=lone_surrogates(text)
    )
    trouble = _trouble(syntax, builder)
    if trouble is not None:
        return Troubled(trouble=trouble, syntax=syntax)
    plain = builder.plain and not (_ASTRAL.search(text) and _has_astral_name(value))
    return Exact(value=value, syntax=syntax, plain=plain, survives=builder.survives)


def exact_number(spelling: str) -> int | Decimal | None:
    """Give the exact value of a JSON number, or None beyond the limits. Raises `ValueError` for what is none."""
    builder = _Builder()
    value = builder.number(spelling)
    return None if builder.beyond_limits else value


class TooLong(Exception):
    """A value of more parts than a text within the cap can hold."""


class TooManyFigures(Exception):
    """An integer far beyond the limits, which Python does not even write."""


def as_text(value: Any, cap: int | None = None) -> bytes:  # noqa: ANN401  (a caller may pass anything)
    """Write a Python value as a JSON text for `read_exact`. Parts that are shared count each time they are met.

    Raises:
        TooLong: before anything is written, where the value has more than `cap` parts, each of which takes a byte.
        TooManyFigures: for an integer of more digits than any number within the limits.
        ValueError: for a value that contains itself, or a float that is not finite.
        TypeError: for what is not JSON, names that are not text included.
        RecursionError: for a value nested far beyond the limit.

    """
    if _is_builtin(value, cap):
        try:
            return _encode(value).encode()
        except UnicodeEncodeError:
            pass
    return write(value)


class _Builder:
    """Builds values while the scanner of the standard library reads, and notes what a judge must know."""

    def __init__(self) -> None:
        self.plain = True
        self.survives = True
        self.beyond_limits = False
        self.has_constant = False
        self.duplicate_names = 0

    def decode(self, text: str) -> JSON:
        return json.JSONDecoder(  # type: ignore[no-any-return]
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._fraction,
            parse_constant=self._constant,
        ).decode(text)

    def number(self, spelling: str) -> int | Decimal:
        """Give the exact value of any spelling."""
        try:
            sign, digits, exponent = exact_parts(spelling)
        except ValueError:
            if not _BEYOND.fullmatch(spelling):
                raise
            self.beyond_limits = True
            return 0
        if not digits:
            return 0
        size = len(digits) + exponent
        if len(digits) > MAX_DIGITS or not -MAX_EXPONENT <= size - 1 <= MAX_EXPONENT:
            self.beyond_limits = True
            return 0
        if len(digits) > _SURE_DIGITS or not _SURE_SMALLEST <= size <= _INT_DIGITS:
            self.survives = self.survives and survives(spelling, digits, exponent)
        if exponent >= 0:
            self.plain = self.plain and size <= _PLAIN_INT_DIGITS
            if size <= _INT_DIGITS:
                return int(f"{sign}{digits}{'0' * exponent}")
        else:
            # Between these bounds Python writes a float as ECMAScript does, and so many digits come back.
            self.plain = self.plain and len(digits) <= _SURE_DIGITS and -3 <= size <= _SURE_DIGITS  # noqa: PLR2004
        return Decimal(f"{sign}{digits}E{exponent}")

    def _integer(self, spelling: str) -> int | Decimal:
        return int(spelling) if len(spelling) <= _SURE_DIGITS else self.number(spelling)

    def _fraction(self, spelling: str) -> int | Decimal:
        if len(spelling) > _SURE_DIGITS or spelling[-1] == "0" or not _SIMPLE(spelling):
            return self.number(spelling)
        return Decimal(spelling)

    def _object(self, pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
        found = dict(pairs)
        self.duplicate_names += len(pairs) - len(found)
        return found

    def _constant(self, _spelling: str) -> None:
        self.has_constant = True


_SIMPLE: Final = re.compile(r"-?(?:[1-9][0-9]*|0(?=\.0?0?0?[1-9]))\.[0-9]*[1-9]").fullmatch
"""Fractions without exponent or trailing zeros, of at least 1e-4."""
_BEYOND: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+")
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def _not_json(text: str) -> NotJSON:
    found = scan(text)
    assert isinstance(found, NotJSON)  # noqa: S101  (the two readers agree; a property test holds them to it)
    return found


def _trouble(syntax: Syntax, builder: _Builder) -> Trouble | None:
    if syntax.duplicate_names:
        return "duplicate name"
    if syntax.lone_surrogates:
        return "lone surrogate"
    return "number" if builder.beyond_limits else None


def _has_astral_name(value: JSON) -> bool:
    """Tell whether a name lies beyond the basic plane, where the orders by code point and by UTF-16 unit differ."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Mapping):
            if any(max(name, default="") > "\uffff" for name in found):
                return True
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
    return False


def _is_builtin(value: object, cap: int | None) -> bool:
    """Tell whether the standard library's encoder says the same as ours: plain containers, names that are text."""
    is_builtin, has_long, parts, level = True, False, 0, [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[object] = []
        for found in level:
            inner = _inner(found)
            is_builtin = is_builtin and (type(found) in _SCALARS or _is_plain(found))
            has_long = has_long or (isinstance(found, int) and found.bit_length() > _LONGEST_BITS)
            parts += len(inner)
            if cap is not None and parts > cap:
                raise TooLong
            below.extend(inner)
        if not below and has_long:
            raise TooManyFigures
        if not below:
            return is_builtin
        level = below
    return False


def _inner(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


def _is_plain(value: object) -> bool:
    return type(value) is list or (type(value) is dict and all(type(name) is str for name in value))


_LONGEST_BITS: Final = 14_000
"""No shorter than any integer within the limits, and shorter than those that Python refuses to write."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def same(one: JSON, other: JSON) -> bool:
    """Tell whether two exact values are equal as JSON: types never mix, objects have no order, arrays have."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return False
        # A loop, not a generator: one frame a level keeps the deepest document within the interpreter's limit.
        for name, value in one.items():  # noqa: SIM110
            if not same(value, other[name]):
                return False
        return True
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def is_integral(value: int | Decimal) -> bool:
    """Tell whether an exact number is an integer. A `Decimal` of this reader has no trailing zeros to hide one."""
    return isinstance(value, int) or len(value.as_tuple().digits) <= value.adjusted() + 1


def type_names(value: JSON) -> tuple[str, ...]:
    """Give the type words of JSON Schema an exact value answers to, the ordinary one first."""
    match value:
        case None:
            return ("null",)
        case bool():
            return ("boolean",)
        case str():
            return ("string",)
        case list():
            return ("array",)
        case Mapping():
            return ("object",)
        case Decimal() if not is_integral(value):
            return ("number",)
        case _:
            return ("number", "integer")
