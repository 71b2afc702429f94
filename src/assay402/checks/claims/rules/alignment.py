"""Whether a sentence of the evidence says a claim in its own order, adding nothing that would change it."""

import re
from itertools import pairwise
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.order import tokens
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_past, stem, stems, words
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.targets import aims, without_aims
from assay402.checks.claims.rules.view import report_words

_STARTS: Final = 6
_GAP: Final = 3
"""Content words that may stand between two of the claim's."""


def _claimed(claim: Claim, ignoring: frozenset[Fact]) -> list[str | Fact]:
    found = tokens(claim.text, claim.facts)
    return [
        each
        for each in found
        if each not in ignoring
        and (not isinstance(each, str) or each not in report_words() or each in claim.names)
        and (
            not isinstance(each, str) or each.startswith("=") or each in claim.content or each in claim.names
        )
    ]


def says_in_order(claim: Claim, record: Record, ignoring: frozenset[Fact] = frozenset()) -> bool:
    """Tell whether a record has all content of a claim in its order, close together, with nothing turning between.

    Values in `ignoring` may be missing or stand otherwise in the record.
    """
    wanted = _claimed(claim, ignoring)
    said = sum(isinstance(each, str) and not each.startswith("=") for each in wanted)
    valued = any(isinstance(each, Fact) for each in wanted) or bool(ignoring)
    if said < (1 if valued else 2):  # one word says nothing, one word and a value do
        return False
    given = record.ordered
    starts = [index for index, each in enumerate(given) if _same(wanted[0], each)][:_STARTS]
    return any(_runs(wanted, given, start, loose=bool(ignoring)) for start in starts)


_PASSIVE: Final = Pattern(r"\b(?:was|were|has been|have been|had been)\s([a-z]+)\b")
_SMALL: Final = Pattern(
    r"\b(?:to|into|onto|for|with|from|by|in|on|at|of|as|via|through|against|under|over|about|not|no|or|and)\b",
    re.IGNORECASE,
)
_IDLE: Final = 8
"""Parts of times that a line may hold beside what it says."""
_ORDERING: Final = frozenset(("to", "please", "not", "never", "will", "must", "and", "then"))
"""Words before a verb whose past form is its base, where it tells of nothing done: `to reset`."""


def says_rearranged(claim: Claim, record: Record) -> bool:
    """Tell whether a line says what a claim does, no more and no less, in another order: `moved file to archive`."""
    passive = _PASSIVE.search(claim.text)
    wanted = tokens(claim.text, claim.facts) if passive is not None else []
    if passive is None or len(record.ordered) > len(wanted) + _IDLE:
        return False
    given = [each for each in record.ordered if isinstance(each, str) or each.kind not in ("date", "time")]
    if len(given) != len(wanted) or not all(any(_same(one, each) for each in given) for one in wanted):
        return False
    if not _tells_done(passive[1].lower(), record.text):
        return False
    verb, mine, theirs = stem(passive[1]), claim.text, record.text
    return (
        sorted(_small(mine)) == sorted(_small(theirs))
        and _phrases(mine) == _phrases(theirs)
        and _rest(mine, verb) == _rest(theirs, verb)
    )


def _tells_done(done: str, text: str) -> bool:
    """Tell whether a text has a verb in the past, or, where this is the base form, behind a noun."""
    said = ("", *words(text[:_READ].lower()))
    return any(
        is_past(word) or (word == done and bool(before) and before not in _ORDERING)
        for before, word in pairwise(said)
        if stem(word) == stem(done)
    )


_READ: Final = 300


def _phrases(text: str) -> set[tuple[str, tuple[str, ...]]]:
    return {(aim.kind, aim.stems) for aim in aims(text)}


def _rest(text: str, verb: str) -> list[str]:
    """Give the words that stand behind no preposition, the verb apart."""
    return [each for each in stems(without_aims(text)) if each != verb]


def _small(text: str) -> list[str]:
    return [each.lower() for each in _SMALL.findall(text)]


def _same(claimed: str | Fact, found: str | Fact) -> bool:
    if isinstance(claimed, Fact) and isinstance(found, Fact):
        return compare(claimed, found) == "equal"
    return claimed == found


def _runs(wanted: list[str | Fact], given: list[str | Fact], start: int, *, loose: bool) -> bool:
    if start and _turns(given[start - 1]) and not _turns(wanted[0]):
        return False
    position = start
    for each in wanted[1:]:
        gap = 0
        position += 1
        while position < len(given) and not _same(each, given[position]):
            passed = given[position]
            if _turns(passed) or (
                isinstance(passed, Fact) and passed.kind not in ("date", "time", "code") and not loose
            ):
                return False
            gap += isinstance(passed, str)
            position += 1
        if position >= len(given) or gap > _GAP:
            return False
    return True


def _turns(token: str | Fact) -> bool:
    return isinstance(token, str) and token.startswith("=")
