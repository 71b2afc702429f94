"""Paths: JSON Pointer, the singular queries of RFC 9535, and dotted names. One path selects one value or none.

There is no falling back from one syntax to another: the first character decides.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct

from assay402.core.strictjson import JSON

PATH_SYNTAX: Final = "PATH_SYNTAX"
PATH_NOT_SINGULAR: Final = "PATH_NOT_SINGULAR"
MAX_CHARACTERS: Final = 1024

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,15}")
_ANY_INDEX: Final = r"0|[1-9][0-9]*"
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")

_DOTTED: Final = re.compile(rf"(?P<name>[^.\[\]]+)(?P<suffixes>(?:\[(?:{_ANY_INDEX}|\*)\])*)(?:\.|\Z)")
_SUFFIX: Final = re.compile(r"\[([^\]]+)\]")

_BLANKS: Final = r"[ \t\n\r]*+"
_QUERY_SEGMENT: Final = re.compile(
    rf"{_BLANKS}(?:\.(?P<name>[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*+)"
    rf"|\[{_BLANKS}(?:(?P<index>0|-?[1-9][0-9]*+)|(?P<wildcard>\*)"
    r"|(?P<single>'(?:[^'\\\x00-\x1f]++|\\.)*+')"
    r'|(?P<double>"(?:[^"\\\x00-\x1f]++|\\.)*+"))'
    rf"{_BLANKS}\])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<unit>(?![dD][89a-fA-F])[0-9a-fA-F]{4})|(?P<plain>[bfnrt/\\'\"]))"
)
_PLAIN_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_QUOTED: Final = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_SEVERAL: Final = re.compile(r"\.\.|[*?:,]")
_MAX_INTEGER: Final = 2**53 - 1
"""RFC 9535 bounds indexes to the integers every reader holds exactly."""


class Index(Struct, frozen=True):
    """An element by its place; from the end where negative."""

    place: int


class Token(Struct, frozen=True):
    """A name, or where the value is an array and the name is decimal, a place."""

    name: str


class Wildcard(Struct, frozen=True):
    """Every element of an array; only the aggregates of a claim take it."""


Segment: TypeAlias = str | Index | Token | Wildcard
"""A string is a member's name and nothing else."""


class _Missing:
    """The one value that says nothing was selected."""


# They travel among JSON values, as a list of selected ones holds them, so they have their type.
MISSING: Final[JSON] = cast("JSON", _Missing())
NO_ARRAY: Final[JSON] = cast("JSON", _Missing())
"""A wildcard met something that is no array."""


class Path(Struct, frozen=True):
    """A path as read."""

    segments: tuple[Segment, ...]

    @property
    def is_singular(self) -> bool:
        """Whether it selects one value at most."""
        return not any(isinstance(segment, Wildcard) for segment in self.segments)

    def select(self, value: JSON) -> JSON:
        """Give the value a singular path selects, or `MISSING`."""
        for segment in self.segments:
            assert not isinstance(segment, Wildcard)  # noqa: S101  (the path is singular)
            value = _step(value, segment)
            if value is MISSING:
                break
        return value


PathFault: TypeAlias = Literal["PATH_SYNTAX", "PATH_NOT_SINGULAR"]


def read_path(text: str, *, wildcards: bool = False) -> Path | PathFault:
    """Read a path of any of the three syntaxes, or say why it is none."""
    if len(text) > MAX_CHARACTERS:
        return PATH_SYNTAX
    if text == "":
        return Path(())
    if text[0] == "/":
        return _pointer(text)
    is_query = text[0] == "$" and text[1:2] in ("", ".", "[", " ", "\t", "\n", "\r")
    found = _query(text) if is_query else _dotted(text)
    if isinstance(found, Path) and not found.is_singular and not wildcards:
        return PATH_NOT_SINGULAR
    return found


def step_all(values: list[JSON], segment: Segment) -> list[JSON]:
    """Take one step from many values, in order; `MISSING` and `NO_ARRAY` stay where they arose."""
    found: list[JSON] = []
    for value in values:
        if value is MISSING or value is NO_ARRAY:
            found.append(value)
        elif not isinstance(segment, Wildcard):
            found.append(_step(value, segment))
        elif isinstance(value, list):
            found.extend(value)
        else:
            found.append(NO_ARRAY)
    return found


def _pointer(text: str) -> Path | PathFault:
    if _BAD_ESCAPE.search(text):
        return PATH_SYNTAX
    names = (name.replace("~1", "/").replace("~0", "~") for name in text[1:].split("/"))
    return Path(tuple(Token(name) for name in names))


def _dotted(text: str) -> Path | PathFault:
    segments: list[Segment] = []
    has_wildcard_name = False
    position = 0
    while match := _DOTTED.match(text, position):
        has_wildcard_name = has_wildcard_name or match["name"] == "*"
        segments.append(Token(match["name"]))
        segments += [_bracket(inner) for inner in _SUFFIX.findall(match["suffixes"])]
        position = match.end()
        if position == len(text):
            break
    if position < len(text) or text[-1] == ".":
        return PATH_SYNTAX
    return PATH_NOT_SINGULAR if has_wildcard_name else Path(tuple(segments))


def _bracket(inner: str) -> Segment:
    return Wildcard() if inner == "*" else Index(_bounded(inner))


def _bounded(digits: str) -> int:
    """Read a place; one beyond every document is made short, so that no spelling costs more than its length."""
    return int(digits) if len(digits) <= len(str(_MAX_INTEGER)) else _MAX_INTEGER


def _query(text: str) -> Path | PathFault:
    segments: list[Segment] = []
    position = 1
    while match := _QUERY_SEGMENT.match(text, position):
        segment = _query_segment(match)
        if segment is None:
            return _query_fault(text)
        segments.append(segment)
        position = match.end()
    return Path(tuple(segments)) if position == len(text) else _query_fault(text)


def _query_segment(match: re.Match[str]) -> Segment | None:
    if match["name"] is not None:
        return match["name"]
    if match["index"] is not None:
        sign, digits = match["index"].startswith("-"), match["index"].lstrip("-")
        beyond = len(digits) > len(str(_MAX_INTEGER)) or int(digits) > _MAX_INTEGER
        return None if beyond else Index(-int(digits) if sign else int(digits))
    if match["wildcard"] is not None:
        return Wildcard()
    quoted = match["single"] or match["double"]
    return _unquote(quoted[1:-1], quoted[0])


def _unquote(inner: str, quote: str) -> str | None:
    """Undo the escapes of a quoted name; None where one is not of the grammar."""
    other = '"' if quote == "'" else "'"
    parts: list[str] = []
    position = 0
    for match in re.finditer(r"\\", inner):
        if match.start() < position:
            continue
        escape = _ESCAPE.match(inner, match.start())
        if escape is None or escape["plain"] == other:
            return None
        parts += [inner[position : match.start()], _escaped(escape)]
        position = escape.end()
    return "".join([*parts, inner[position:]])


def _escaped(escape: re.Match[str]) -> str:
    if escape["high"] is not None:
        return bytes.fromhex(escape["high"] + escape["low"]).decode("utf-16-be")
    if escape["unit"] is not None:
        return chr(int(escape["unit"], 16))
    return _PLAIN_ESCAPES.get(escape["plain"], escape["plain"])


def _query_fault(text: str) -> PathFault:
    """Tell a query for several values from one that is malformed: by tokens, outside quotes, in balanced brackets."""
    outside = _QUOTED.sub("''", text)
    balance = 0
    for mark in re.findall(r"[\[\]]", outside):
        balance += 1 if mark == "[" else -1
        if balance < 0:
            return PATH_SYNTAX
    unclosed = balance or re.search(r"""['"]""", outside.replace("''", ""))
    return PATH_SYNTAX if unclosed or not _SEVERAL.search(outside) else PATH_NOT_SINGULAR


def _step(value: JSON, segment: str | Index | Token) -> JSON:
    match segment:
        case str():
            return value.get(segment, MISSING) if isinstance(value, Mapping) else MISSING
        case Token():
            if isinstance(value, Mapping):
                return value.get(segment.name, MISSING)
            is_place = isinstance(value, list) and _INDEX.fullmatch(segment.name) is not None
            return _element(value, int(segment.name)) if is_place else MISSING
        case _:
            return _element(value, segment.place)


def _element(value: JSON, place: int) -> JSON:
    if not isinstance(value, list) or not -len(value) <= place < len(value):
        return MISSING
    return value[place]
