"""The structure of a pattern, as far as both engines of patterns read it alike; anything else is not understood."""

import re
from typing import Final, TypeAlias

from msgspec import Struct

_ASCII: Final = 128
_OTHER_BLANK: Final = 1 << _ASCII
"""Stands for the blanks beyond ASCII, of which one engine knows none."""
_OTHER: Final = 0b11 << _ASCII
"""Stands for every character beyond ASCII."""
ALL: Final = (1 << (_ASCII + 2)) - 1
_MAX_NESTING: Final = 12


class Characters(Struct, frozen=True, kw_only=True):
    """One character of a class: a bit for each of ASCII that may be in it, and one for all others."""

    mask: int
    written: str
    """The class as it is written; empty for one character."""


class Start(Struct, frozen=True):
    """The start of the text."""


class Nothing(Struct, frozen=True):
    """What is true or not between two characters."""


class Sequence(Struct, frozen=True, kw_only=True):
    """One part behind the other."""

    parts: tuple["Part", ...]


class Alternatives(Struct, frozen=True, kw_only=True):
    """One part or the other."""

    parts: tuple["Part", ...]


class Repeated(Struct, frozen=True, kw_only=True):
    """A part several times."""

    part: "Part"
    least: int
    most: int | None


Part: TypeAlias = Characters | Start | Nothing | Sequence | Alternatives | Repeated

_Class: TypeAlias = tuple[int, int]
"""The characters surely in a class, and those that may be in it."""

_QUANTIFIER: Final = re.compile(
    r"(?:(?P<sign>[*+?])|\{(?P<least>[0-9]{1,4})(?P<comma>,(?P<most>[0-9]{1,4})?)?\})\??"
)
_GROUP: Final = re.compile(r"\((?:\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>)?(?!\?)")
_HEX: Final = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[xu]\{([0-9A-Fa-f]{1,6})\}")
_PROPERTY: Final = re.compile(r"[pP](?:\{[^}]*\}|[A-Z])")
_SIGNS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def _bits(characters: str) -> int:
    mask = 0
    for character in characters:
        mask |= 1 << ord(character) if character.isascii() else _OTHER
    return mask


def _between(low: str, high: str) -> _Class:
    ascii_only = range(ord(low), min(ord(high) + 1, _ASCII))
    mask = sum(1 << place for place in ascii_only)
    return mask, mask | (0 if high.isascii() else _OTHER)


def _negated(found: _Class) -> _Class:
    return ALL & ~found[1], ALL & ~found[0]


_ANYTHING: Final[_Class] = (0, ALL)
_DIGITS: Final = _bits("0123456789")
_WORDS: Final = _bits("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
_BLANKS: Final = _bits("\t\n\v\f\r ")
_NAMED: Final[dict[str, _Class]] = {
    "d": (_DIGITS, _DIGITS),
    "w": (_WORDS, _WORDS),
    # One engine has no vertical tab among them; to it that is as any other character that is none.
    "s": (_BLANKS | _OTHER_BLANK, _BLANKS | _OTHER_BLANK),
}
_DOT: Final = ALL & ~_bits("\n")


class _NotUnderstood(Exception):
    """Syntax that the engines read differently, or that is not needed here."""


def parse(pattern: str) -> Part | None:
    """Read the structure of a pattern; None where it is not understood."""
    parser = _Parser(pattern)
    try:
        part = parser.alternatives(0)
    except _NotUnderstood:
        return None
    return part if parser.place == len(pattern) else None


class _Parser:
    """Reads a pattern from a place on."""

    def __init__(self, pattern: str) -> None:
        self._pattern: Final = pattern
        self.place = 0

    def alternatives(self, nesting: int) -> Part:
        """Read up to the end of a group."""
        if nesting > _MAX_NESTING:
            raise _NotUnderstood
        parts = [self._sequence(nesting)]
        while self._next() == "|":
            self.place += 1
            parts.append(self._sequence(nesting))
        return parts[0] if len(parts) == 1 else Alternatives(parts=tuple(parts))

    def _sequence(self, nesting: int) -> Part:
        parts: list[Part] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom(nesting)))
        if not parts:
            # What is empty is no place, and still something an engine passes.
            raise _NotUnderstood
        return Sequence(parts=tuple(parts))

    def _next(self) -> str:
        return self._pattern[self.place : self.place + 1]

    def _quantified(self, part: Part) -> Part:
        match = _QUANTIFIER.match(self._pattern, self.place)
        if match is None:
            return part
        self.place = match.end()
        if match["sign"]:
            least, most = _SIGNS[match["sign"]]
        else:
            least = int(match["least"])
            most = int(match["most"]) if match["most"] else None if match["comma"] else least
        if isinstance(part, (Start, Nothing)):
            raise _NotUnderstood
        return Repeated(part=part, least=least, most=most)

    def _atom(self, nesting: int) -> Part:
        character = self._next()
        if character == "(":
            return self._group(nesting)
        self.place += 1
        match character:
            case "^":
                return Start()
            case "$":
                return Nothing()
            case ".":
                return Characters(mask=_DOT, written=".")
            case "[":
                start = self.place - 1
                mask = self._class()[1]
                return Characters(mask=mask, written=self._pattern[start : self.place])
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{" | "}" | "]":
                raise _NotUnderstood
            case _:
                return Characters(mask=_bits(character), written="")

    def _group(self, nesting: int) -> Part:
        match = _GROUP.match(self._pattern, self.place)
        if match is None:
            raise _NotUnderstood
        self.place = match.end()
        part = self.alternatives(nesting + 1)
        if self._next() != ")":
            raise _NotUnderstood
        self.place += 1
        return part

    def _escaped(self) -> Part:
        if self._next() in ("b", "B"):
            self.place += 1
            return Nothing()
        start = self.place - 1
        mask = self._escape()[1]
        return Characters(mask=mask, written=self._pattern[start : self.place])

    def _escape(self) -> _Class:
        """Read what stands behind a backslash, as a class of characters."""
        for expression in (_HEX, _PROPERTY):
            match = expression.match(self._pattern, self.place)
            if match is not None:
                self.place = match.end()
                return _ANYTHING if expression is _PROPERTY else _one(_numbered(match))
        character = self._next()
        self.place += 1
        if character.lower() in _NAMED:
            return _NAMED[character] if character.islower() else _negated(_NAMED[character.lower()])
        if character in _CONTROLS:
            return _one(_CONTROLS[character])
        if not character or character.isalnum():
            raise _NotUnderstood
        return _one(character)

    def _class(self) -> _Class:
        is_negated = self._next() == "^"
        self.place += is_negated
        surely = perhaps = 0
        start = self.place
        while self._next() != "]" or self.place == start:
            found = self._class_item()
            surely, perhaps = surely | found[0], perhaps | found[1]
        self.place += 1
        return _negated((surely, perhaps)) if is_negated else (surely, perhaps)

    def _class_item(self) -> _Class:
        low = self._class_character()
        if isinstance(low, tuple):
            return low
        if self._next() != "-" or self._pattern[self.place + 1 : self.place + 2] in ("]", ""):
            return _one(low)
        self.place += 1
        high = self._class_character()
        if isinstance(high, tuple) or high < low:
            raise _NotUnderstood
        return _between(low, high)

    def _class_character(self) -> str | _Class:
        """Read one character of a class, or an escape that stands for several."""
        character = self._next()
        self.place += 1
        if character in ("", "[", "]"):
            raise _NotUnderstood
        if character != "\\":
            return character
        before = self.place
        found = self._escape()
        is_one = found[1].bit_count() == 1
        if is_one:
            return chr(found[1].bit_length() - 1)
        match = _HEX.match(self._pattern, before)
        return found if match is None else _numbered(match)


def _numbered(match: re.Match[str]) -> str:
    """Give the character an escape names by number."""
    number = int(match[1] or match[2] or match[3], 16)
    return chr(min(number, 0x10FFFF))


def _one(character: str) -> _Class:
    mask = _bits(character)
    return mask & ~_OTHER, mask
