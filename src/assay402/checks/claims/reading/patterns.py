"""Regular expressions that are looked for only where a word stands that they cannot do without.

A claim and each record near it are looked at with some hundreds of expressions, nearly all of which begin at certain
words. What words a text has is found once; an expression of none of them is not tried.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.reading.marks import Places
from assay402.checks.claims.reading.needs import needs

_PLACES: Final = Places()
_SEEN: Final = _PLACES.seen


class Pattern:
    """A regular expression. It finds what the standard one finds; it is compiled at the first text that may hold it."""

    def __init__(self, expression: str, flags: int = 0) -> None:
        self.pattern: Final = expression
        self.flags: Final = flags

    @cached_property
    def _place(self) -> int:
        return _PLACES.enter(needs(self.pattern))

    @cached_property
    def _tried(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def _may_match(self, text: str) -> int:
        told = _SEEN.get(text, 0) >> self._place
        if told <= 1:  # nothing is told of this place
            told = _PLACES.of(text, self._place) >> self._place
        return told & 1

    def search(self, text: str, start: int = 0, *, around: str = "") -> re.Match[str] | None:
        """Give the first match from a place on. `around` is a text of which this one is a stretch that parts no word."""
        whole = around or text
        told = _SEEN.get(whole, 0) >> self._place  # as `_may_match`, which is called a hundred times a claim
        if told <= 1:
            told = _PLACES.of(whole, self._place) >> self._place
        return self._tried.search(text, start) if told & 1 else None

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Give the match that begins at a place."""
        return None if not self._may_match(text) else self._tried.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Give the match that is the whole text."""
        return None if not self._may_match(text) else self._tried.fullmatch(text)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Give all matches, in order."""
        return iter(()) if not self._may_match(text) else self._tried.finditer(text, start)

    def findall(self, text: str) -> list[Any]:
        """Give what all matches found, as `re` does: the groups, or the whole where there is none."""
        return [] if not self._may_match(text) else self._tried.findall(text)

    def sub(self, to: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Give a text with something else in place of every match."""
        return text if not self._may_match(text) else self._tried.sub(to, text)
