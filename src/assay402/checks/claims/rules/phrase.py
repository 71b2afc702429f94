"""What a claim says in words beside its values, for the records that name each of their own."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.needs import EDGE, needs
from assay402.checks.claims.reading.text import stem

_MARK: Final = "\x01"
_TOKEN: Final = re.compile(rf"{_MARK}([0-9]{{1,2}}){_MARK}|[^\W_]+(?:['’](?!s\b)[^\W_]+)?|['’]s\b")
_ALIAS: Final = re.compile(rf"(?:[A-Z][\w'’.]{{0,60}}\s){{1,4}}(?=\({_MARK})")
"""A name with its code behind it: the code is what counts."""
_NOT: Final = re.compile(r"\b(is|was|were|are|has|have|had|do|does|did)n['’]t\b", re.IGNORECASE)
_ABOUT: Final = frozenset(
    ("about", "around", "approximately", "roughly", "more", "less", "fewer", "than", "at", "least", "most", "over", "under", "up", "to", "nearly", "almost")
)  # fmt: skip
_LONGEST: Final = 400


class Word(NamedTuple):
    """A word of a claim, or a value of it, in its place."""

    low: str
    stem: str
    before: str
    """The last word before it that is no article."""
    fact: int = -1
    """The place of the value among the claim's, where it is one."""


@cache
def told_as() -> dict[str, Any]:
    """Give the lists of words by which fields are told of."""
    found: dict[str, Any] = table("lexicon")["told_as"]
    return found


@cache
def words_for(name: str) -> frozenset[str]:
    """Give a list of words as they are written."""
    return frozenset(told_as()[name])


@cache
def _alike() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in told_as()["alike"]:
        held = frozenset((*group, *(stem(each) for each in group)))
        for each in held:
            found[each] = found.get(each, frozenset()) | held
    return found


def alike(word: str) -> frozenset[str]:
    """Give the words by which people tell of what a field is named for, itself among them."""
    return _alike().get(word, frozenset((word,))) | {word}


@cache
def _phrases() -> tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...]:
    """Give the set phrases with what is put for them, before each some pieces of which a text that has it holds one."""
    return tuple((_pieces(form), re.compile(form), put) for form, put in told_as()["phrases"])


def _pieces(form: str) -> tuple[str, ...]:
    marks = needs(form)
    return tuple(sorted(each.removesuffix(EDGE) for each in marks[0])) if marks else ("",)


@lru_cache(maxsize=256)
def words_of(text: str, facts: tuple[Fact, ...]) -> tuple[Word, ...]:
    """Give the words of a claim in order, each value of it as one word, and set phrases in the words of fields."""
    marked = text[:_LONGEST]
    for place in reversed(range(len(facts))):
        fact = facts[place]
        marked = f"{marked[: fact.start]}{_MARK}{place}{_MARK}{marked[fact.end :]}"
    marked = _NOT.sub(r"\1 not", _ALIAS.sub("", marked)).lower()
    for pieces, form, put in _phrases():
        if any(map(marked.__contains__, pieces)):
            marked = form.sub(put, marked)
    found: list[Word] = []
    before = ""
    for match in _TOKEN.finditer(marked):
        low = match[0].lstrip("'’") if match[1] is None else ""
        found.append(Word(low, stem(low) if low else "", before, -1 if low else int(match[1])))
        before = before if low in _ARTICLES else low or _MARK
    is_bounded = any(each.compared for each in facts)
    return tuple(_without_bounds(found, facts) if is_bounded else found)


_ARTICLES: Final = frozenset(("the", "a", "an", "your", "our", "my", "its"))


def _without_bounds(found: list[Word], facts: tuple[Fact, ...]) -> Iterable[Word]:
    """Leave out the words by which a value is a bound: the value itself holds that."""
    for place, word in enumerate(found):
        ahead = next((each for each in found[place + 1 : place + 4] if each.low not in _ABOUT), None)
        bounds = ahead is not None and ahead.fact >= 0 and bool(facts[ahead.fact].compared)
        if not (word.low in _ABOUT and bounds):
            yield word


class Phrase:
    """A claim as words, of which a record must account for every one."""

    def __init__(self, claim: Claim) -> None:
        self.claim: Final = claim
        self.words: Final = words_of(claim.text, claim.facts)
        self.lows: Final = frozenset(each.low for each in self.words if each.low)
        self.said: Final = self.lows | {each.stem for each in self.words if each.low}
        self.denials: Final = sum(each.low in words_for("denying") for each in self.words)

    def before(self, first: frozenset[str], fact: int = -1) -> frozenset[str]:
        """Give the words that stand before a value, or before any of some words."""
        return frozenset(
            each.before for each in self.words if (each.fact == fact if fact >= 0 else each.low in first)
        )

    def behind(self, lows: frozenset[str]) -> frozenset[str]:
        """Give the words that stand right behind any of some words."""
        return frozenset(
            after.low for each, after in zip(self.words, self.words[1:], strict=False) if each.low in lows
        )
