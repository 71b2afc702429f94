"""The grammar of JSON, and nothing else: a scanner without recursion that decides texts of any depth.

It answers what a structural reader cannot: whether a text nested twenty thousand deep is JSON, and at which byte one
that is not stops being it. The answer is the same on every interpreter, which the standard library's error positions
are not.
"""

import json
import re
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from msgspec import Struct

_TOKEN: Final = re.compile(
    r"[ \t\n\r]*+(?:(?P<mark>[\[\]{},:])"
    r'|(?P<string>"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null))"
)
_BLANKS: Final = " \t\n\r"
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F])|.)", re.DOTALL
)
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_unescape: Final = json.JSONDecoder().decode

_Wants: TypeAlias = Literal["value", "value or ]", "name", "name or }", ":", ", or end", "nothing"]


class Syntax(Struct, frozen=True, kw_only=True):
    """What the grammar says of a text that is JSON."""

    depth: int
    """Open brackets at the deepest place."""
    duplicate_names: int
    """Members whose name stood before in the same object, compared after unescaping."""
    lone_surrogates: int
    """Escapes that name half a character."""


class NotJSON(Struct, frozen=True, kw_only=True):
    """A text that is not JSON, and where it stops being it."""

    error_byte: int
    """Offset of the first byte that is no UTF-8, else of the first token that may not stand there."""
    constant: bool = False
    """Whether NaN or Infinity is all that is wrong."""


def depth(data: bytes) -> int:
    """Give the deepest nesting of a JSON text; of any other bytes, at least what a reader meets before it stops."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = b"".join(data.split(b'"')[::2]).translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def lone_surrogates(text: str) -> int:
    """Count the escapes of a JSON text that name half a character."""
    if "\\u" not in text:
        return 0
    return sum(1 for match in _ESCAPE.finditer(text) if match["lone"])


def scan(text: str) -> Syntax | NotJSON:
    """Decide whether a text is JSON by RFC 8259, in time linear in the text and without recursion."""
    scanner = _Scanner()
    position = 0
    while match := _TOKEN.match(text, position):
        kind = match.lastgroup or ""
        if not scanner.takes(kind, match[kind]):
            return _fault(text, match.start(kind))
        position = match.end()
    position = len(text) - len(text[position:].lstrip(_BLANKS))
    if position < len(text) or scanner.wants != "nothing":
        return _fault(text, position)
    return Syntax(
        depth=scanner.deepest, duplicate_names=scanner.duplicate_names, lone_surrogates=lone_surrogates(text)
    )


def _fault(text: str, position: int) -> NotJSON:
    return NotJSON(error_byte=len(text[:position].encode()))


class _Scanner:
    """What has been read: the open containers, an object's with its names, and what may follow."""

    def __init__(self) -> None:
        self.wants: _Wants = "value"
        self.deepest = 0
        self.duplicate_names = 0
        self._open: list[set[str] | None] = []

    def takes(self, kind: str, token: str) -> bool:
        """Tell whether a token may stand here, and move on."""
        if kind == "mark":
            return self._takes_mark(token)
        if kind == "string" and self.wants in ("name", "name or }"):
            self._name(_unescape(token))
            return True
        if self.wants in ("value", "value or ]"):
            self._value_ends()
            return True
        return False

    def _takes_mark(self, mark: str) -> bool:
        if mark in "[{":
            return self._opens(mark)
        if mark in "]}":
            return self._closes(mark)
        if mark == ":":
            allowed, self.wants = self.wants == ":", "value"
            return allowed
        allowed = self.wants == ", or end"
        self.wants = "name" if self._open and self._open[-1] is not None else "value"
        return allowed

    def _opens(self, mark: str) -> bool:
        if self.wants not in ("value", "value or ]"):
            return False
        self._open.append(set() if mark == "{" else None)
        self.deepest = max(self.deepest, len(self._open))
        self.wants = "name or }" if mark == "{" else "value or ]"
        return True

    def _closes(self, mark: str) -> bool:
        empty = "name or }" if mark == "}" else "value or ]"
        if self.wants not in (", or end", empty) or (self._open.pop() is None) == (mark == "}"):
            return False
        self._value_ends()
        return True

    def _value_ends(self) -> None:
        self.wants = ", or end" if self._open else "nothing"

    def _name(self, name: str) -> None:
        names = self._open[-1]
        assert names is not None  # noqa: S101  (a name is wanted inside an object only)
        self.duplicate_names += name in names
        names.add(name)
        self.wants = ":"
