"""A JSON reader that loses nothing, and the writer that gives it all back.

Order and repetition of names, the spelling of numbers and lone surrogates survive reading and writing.
The reader refuses what RFC 8259 refuses (NaN, Infinity, control characters in strings, trailing commas),
takes UTF-8 only, drops one byte order mark, and stops at a depth before the interpreter would.

The scanner itself is the standard library's; this module decides what it may see and what it builds.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import chain
from typing import Any, Final, NoReturn, TypeAlias

import msgspec
from msgspec import Struct

from assay402.core.errors import JSONUnreadable

MAX_DEPTH: Final = 128
"""Open arrays and objects at once: far above any x402 object, far below the interpreter's recursion limit."""

_BOM: Final = "\ufeff"
_MARK: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INTEGER: Final = re.compile(r"-?[0-9]+")
_CONTAINERS: Final = (Mapping, list, tuple)
_MAX_INTEGER_DIGITS: Final = 78
"""2^256 - 1, the largest amount on any chain, has 78 digits; longer spellings stay text."""
_PLAIN_DIGITS: Final = 18
_PLAIN_END: Final = 10**_PLAIN_DIGITS
_NAMES: Final = frozenset({str})
_SIMPLE: Final = frozenset({str, bool, type(None)})
_MAX_PLAIN: Final = 10_000
"""Objects and arrays looked at before the quick encoder is given up: an end to a value that holds itself."""


class Number(Struct, frozen=True):
    """A JSON number as it was spelled: `1`, `1.0` and `1e0` stay three different things.

    Positional because the scanner builds one per number. Only the reader should make them.
    """

    spelling: str


JSON: TypeAlias = Mapping[str, "JSON"] | list["JSON"] | str | Number | int | float | Decimal | bool | None
"""Any JSON value: what `read` gives (numbers as `Number`), what `exactjson` gives (int and Decimal), or what a Python
caller built (int, float and Decimal)."""


class RepeatedNames(dict[str, JSON]):
    """An object in which a name stands more than once.

    As a mapping the last one wins, as every common reader has it; `members` keeps all, in order.
    """

    def __init__(self, members: list[tuple[str, JSON]]) -> None:
        super().__init__(members)
        self.members: Final = tuple(members)


class Document(Struct, frozen=True, kw_only=True):
    """A JSON text as received: the exact bytes, and the value they spell."""

    source: bytes
    value: JSON


def read(source: bytes | str, *, max_depth: int = MAX_DEPTH, max_bytes: int | None = None) -> JSON:
    """Read one JSON text.

    Raises:
        JSONUnreadable: with `json_too_long` (length, cap), `json_not_utf8`, `json_too_deep` (cap),
            `json_not_finite` or `json_malformed` (position, in characters).

    """
    if max_bytes is not None and len(source) > max_bytes:
        raise JSONUnreadable("json_too_long", length=len(source), cap=max_bytes)
    text = _text(source).removeprefix(_BOM)
    if text.count("[") + text.count("{") > max_depth and _nests_deeper(text, max_depth):
        raise JSONUnreadable("json_too_deep", cap=max_depth)
    # The library's exception holds the whole text, so it must not become the context of ours.
    try:
        return _DECODER.decode(text)  # type: ignore[no-any-return]
    except json.JSONDecodeError as error:
        position = error.pos
    except RecursionError:
        position = -1
    if position < 0:
        raise JSONUnreadable("json_too_deep", cap=max_depth)
    raise JSONUnreadable("json_malformed", position=position)


def read_document(source: bytes, *, max_depth: int = MAX_DEPTH, max_bytes: int | None = None) -> Document:
    """Read one JSON text and keep its bytes beside the value. Raises as `read`."""
    return Document(source=source, value=read(source, max_depth=max_depth, max_bytes=max_bytes))


def write(value: JSON) -> bytes:
    """Write a value compactly: names in order and as often as they were read, numbers as they were spelled.

    Lone surrogates are written as escapes, everything else beyond ASCII as UTF-8. Python's own integers and
    finite floats are written in their shortest spelling.

    Raises:
        ValueError: for a float that is not finite, which JSON cannot say.
        TypeError: for a value that is not JSON.

    """
    # A lone surrogate is no text to the quick encoder.
    with suppress(NotPlain, UnicodeEncodeError):
        return _encode_plain(plainly(value))
    parts: list[str] = []
    _write(value, parts)
    text = "".join(parts)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub(_escape, text).encode()


def write_plain(value: JSON) -> bytes:
    """Write what `write` writes, ten times as fast, of a value that its caller made and knows to be plain.

    Plain as `plainly` has it, and without a number that was read. Texts may be anybody's.
    """
    try:
        return _encode_plain(value)
    except UnicodeEncodeError:
        return write(value)


class NotPlain(Exception):
    """A value is none that the quick encoder writes as this project does."""


def plainly(value: JSON) -> object:
    """Give a value as a quick encoder writes it as this project does, with integers where numbers were read.

    Plain are exact dicts, lists and tuples of strings, booleans, null and integers below 10^18, up to some thousand
    objects and arrays: almost everything, and that encoder is ten times as fast. Parts without a number are not copied.

    Raises:
        NotPlain: for everything else.

    """
    return _plainly(value, 0, [_MAX_PLAIN])


def _plainly(value: Any, depth: int, left: list[int]) -> Any:  # noqa: ANN401  (any JSON value)
    kind = type(value)
    if kind in _SIMPLE:
        return value
    if kind is dict or kind is list or kind is tuple:
        left[0] -= 1
        if depth >= MAX_DEPTH or left[0] < 0:
            raise NotPlain
        return _plain_parts(value, kind, depth + 1, left)
    if kind is Number:
        spelling = value.spelling
        if len(spelling) <= _PLAIN_DIGITS and spelling.isdecimal():
            return int(spelling)
    elif kind is int and -_PLAIN_END < value < _PLAIN_END:
        return value
    raise NotPlain


def _plain_parts(value: Any, kind: type, depth: int, left: list[int]) -> Any:  # noqa: ANN401  (an object or array)
    if kind is not dict:
        if _SIMPLE.issuperset(map(type, value)):
            return value
        return [each if type(each) in _SIMPLE else _plainly(each, depth, left) for each in value]
    if not _NAMES.issuperset(map(type, value)):
        raise NotPlain
    if _SIMPLE.issuperset(map(type, value.values())):
        return value
    return {
        name: each if type(each) in _SIMPLE else _plainly(each, depth, left) for name, each in value.items()
    }


def members(value: Mapping[str, JSON]) -> Iterable[tuple[str, JSON]]:
    """Give every name and value of an object in order, repeated names included."""
    return value.members if isinstance(value, RepeatedNames) else value.items()


def is_deeper(value: object, max_depth: int = MAX_DEPTH) -> bool:
    """Tell whether a value that was not read here nests deeper than the reader would take.

    Goes level by level and meets a shared value once a level, so that neither cycles nor sharing make it long.
    """
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(max_depth):
        if not level:
            return False
        inner = chain.from_iterable(each.values() if isinstance(each, Mapping) else each for each in level)
        level = list({id(each): each for each in inner if isinstance(each, _CONTAINERS)}.values())
    return bool(level)


def integer(value: object) -> int | None:
    """Give the integer that a JSON number spells without point or exponent, or None for anything else.

    `True`, `1.0`, `"1"` and spellings longer than any chain's amounts are not integers here.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if (
        type(value) is Number
        and len(value.spelling) <= _MAX_INTEGER_DIGITS
        and _INTEGER.fullmatch(value.spelling)
    ):
        return int(value.spelling)
    return None


def _text(source: bytes | str) -> str:
    try:
        if isinstance(source, bytes):
            return source.decode()
        if not source.isascii():
            source.encode()
    except UnicodeError:
        pass
    else:
        return source
    raise JSONUnreadable("json_not_utf8")


def _nests_deeper(text: str, max_depth: int) -> bool:
    """Tell whether brackets outside strings nest deeper; linear in the text whatever it holds."""
    depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] in "[{":
            depth += 1
            if depth > max_depth:
                return True
        elif mark[0] in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else RepeatedNames(pairs)


def _refuse_constant(_spelling: str) -> NoReturn:
    raise JSONUnreadable("json_not_finite")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant
)
_encode_string: Final = json.JSONEncoder(ensure_ascii=False).encode
_encode_plain: Final = msgspec.json.Encoder().encode


def _write(value: JSON, parts: list[str]) -> None:
    match value:
        case Number():
            parts.append(value.spelling)
        case Decimal():
            if not value.is_finite():
                raise ValueError("not finite")
            parts.append(str(value))
        case str() | bool() | None | int() | float():
            if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  (NaN is unequal to itself)
                raise ValueError("not finite")
            parts.append(_encode_string(value))
        case Mapping():
            parts.append("{")
            for index, (name, member) in enumerate(members(value)):
                parts.append(("," if index else "") + _encode_string(name) + ":")
                _write(member, parts)
            parts.append("}")
        case list() | tuple():
            parts.append("[")
            for index, element in enumerate(value):
                if index:
                    parts.append(",")
                _write(element, parts)
            parts.append("]")
        case _:
            raise TypeError("not a JSON value")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
