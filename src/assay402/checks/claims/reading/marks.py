"""Which of the expressions in use a text may match: found at once for all of them, and remembered for each text.

A text is looked at with some hundreds of expressions. Each has a place, and each mark of a text tells the places of those
that need it, so that one number tells of all. An expression gets its place at its first use; a number is of those that had
theirs when it was made, and tells how many they were, so that it is made anew for a later one, whatever threads do.
"""

import re
from collections.abc import Sequence
from functools import reduce
from itertools import count
from operator import or_
from typing import Final, NamedTuple

from assay402.checks.claims.reading.needs import COUNTED, DIGITS, EDGE, LEAST, SHOWN, SIGNS

_LONGEST: Final = 4_000
"""Longer texts are looked through in any case."""
_MOST: Final = 16_384
"""Texts, and words, that are remembered."""
_TOKEN: Final = re.compile(rf"[^\W0-9]\w*|(?<!\w)[0-9]\w{{0,{COUNTED - 1}}}(?!\w)")
_APART: Final = "".join(each if each.isalnum() or each == "_" else " " for each in map(chr, range(128)))
"""Puts blanks for what parts words, in a text of ASCII signs alone."""
_UNEVEN: Final = re.compile("[ſıİ]")
"""Letters that match others where case is left aside, and are not made those by `lower`."""


class _Words(dict[str, int]):
    """The places that the marks of a word tell, found at the first look."""

    def __init__(self, told: dict[str, int]) -> None:
        super().__init__()
        self._told: Final = told

    def __missing__(self, word: str) -> int:
        match = _TOKEN.search(word)  # a long number has no mark
        marks = _marks(match[0]) if match is not None else ()
        found = reduce(or_, [self._told.get(each, 0) for each in marks], 0)
        if len(self) >= _MOST:
            self.clear()
        self[word] = found
        return found


def _marks(word: str) -> tuple[str, ...]:
    is_plain = len(word) < LEAST or word[0] in DIGITS
    return (word + EDGE,) if is_plain else (word + EDGE, word[:LEAST], word[:SHOWN])


class _Table(NamedTuple):
    """The places of the first expressions. It is never changed, so that threads need not wait for each other."""

    end: int
    """Behind the places that it tells of."""
    told: dict[str, int]
    """By mark: the places of the sets that hold it."""
    needless: int
    """The places of sets that are none."""
    words: _Words


class Places:
    """The places of expressions: two each, one for either set of marks that an expression needs."""

    def __init__(self) -> None:
        self.seen: Final[dict[str, int]] = {}
        """By text: at an expression's place 1 where it may match, and a last 1 behind the places that are told of."""
        self._entered: Final[dict[int, Sequence[frozenset[str]]]] = {}
        self._table = _Table(0, {}, 0, _Words({}))

    def enter(self, needs: Sequence[frozenset[str]]) -> int:
        """Give an expression that needs marks of some sets its place."""
        tried = count(len(self._entered))  # another thread may take one
        return 2 * next(each for each in tried if self._entered.setdefault(each, needs) is needs)

    def of(self, text: str, place: int) -> int:
        """Give what `seen` is to tell of a text, of the expression of a place and of others."""
        table = self._table
        if table.end <= place:
            table = self._table = self._grown(table)
        if len(text) > _LONGEST or (not text.isascii() and _UNEVEN.search(text)):
            found = (1 << table.end) - 1
        else:
            found = reduce(
                or_, [table.told.get(each, 0) for each in SIGNS.intersection(text)], table.needless
            )
            low = text.lower()
            parts = low.translate(_APART).split() if text.isascii() else _TOKEN.findall(low)
            found = reduce(or_, map(table.words.__getitem__, parts), found)
        if len(self.seen) >= _MOST:
            self.seen.clear()
        self.seen[text] = told = (found & found >> 1) | 1 << table.end
        return told

    def _grown(self, table: _Table) -> _Table:
        """Give a table of all expressions that have a place by now."""
        end, told, needless = table.end, dict(table.told), table.needless
        while (needs := self._entered.get(end // 2)) is not None:
            for place, marks in enumerate((*needs[:2], None, None)[:2], end):
                if marks is None:
                    needless |= 1 << place
                for mark in marks or ():
                    told[mark] = told.get(mark, 0) | 1 << place
            end += 2
        return _Table(end, told, needless, _Words(told))
