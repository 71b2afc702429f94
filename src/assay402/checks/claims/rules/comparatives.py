"""One thing set beside another: `A is smaller than B` says what `B is larger than A` says."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import ARTICLES, stem
from assay402.checks.claims.rules.polarity import antonyms
from assay402.checks.claims.rules.view import View

_ID: Final = "claims/comparison-false"
_SIDES: Final = Pattern(
    r"\W*(?P<one>[^,;:?!\n]{1,80}?)\s(?P<word>(?:(?P<much>more|less)\s[a-z]{3,14}|[a-z]{2,12}er|better|worse|more|less|fewer)\sthan|before|after)\s(?P<other>[^,;:?!\n]{1,80}?)[.\s]*",
    re.IGNORECASE,
)
_BE: Final = {"are": "is", "were": "was"}
_CARING: Final = frozenset(stem(word) for word in ("looks", "asks", "takes", "named"))
"""Verbs whose `after` tells of no time: both may look after each other."""
_CHEAP: Final = frozenset(("cheaper", "less expensive"))
_DEAR: Final = frozenset(("more expensive", "dearer", "pricier", "costlier"))
_LONGEST: Final = 180


class Sides(NamedTuple):
    """What is compared, and how."""

    one: tuple[str, ...]
    """The first thing, with the verb behind it."""
    word: str
    other: tuple[str, ...]


@lru_cache(maxsize=4_096)
def _sides(text: str) -> Sides | None:
    match = _SIDES.fullmatch(text)
    if match is None:
        return None
    word = re.sub(r"\s(?:than)$", "", match["word"].lower())
    return Sides(_tokens(match["one"]), word, _tokens(match["other"]))


def _tokens(text: str) -> tuple[str, ...]:
    said = (_BE.get(each, each) for each in re.findall(r"[\w.'-]+", text.lower()))
    return tuple(each for each in said if each not in ARTICLES)


def compared(view: View) -> Finding | None:
    """Judge a comparison by a sentence that compares the same two things, or by the prices of two rows."""
    claim = view.claim
    if "than" not in claim.text and "before" not in claim.text and "after" not in claim.text:
        return None
    mine = _sides(claim.text) if len(claim.text) <= _LONGEST else None
    if mine is None or claim.negative or claim.modality != "is":
        return None
    told: dict[bool, Record] = {}
    is_turned = False
    for near in view.near[:6]:
        text = near.record.text
        theirs = _sides(text) if len(text) <= _LONGEST and near.record.form in ("line", "prose") else None
        if theirs is None:
            continue
        turned = _turned(mine, theirs)
        agrees = _as_it_stands(mine, theirs) if turned is None else turned
        if agrees is not None:
            told.setdefault(agrees, near.record)
            is_turned = is_turned or turned is not None
    if len(told) == 1 and is_turned:
        agrees, record = told.popitem()
        return _finding((record.ref,), agrees=agrees)
    return None if told else _by_price(view, mine)


def _as_it_stands(mine: Sides, theirs: Sides) -> bool | None:
    """Say whether a comparison holds by one of the same two things in the same order, which other rules judge."""
    if (mine.one, mine.other) != (theirs.one, theirs.other):
        return None
    return mine.word == theirs.word or (False if _is_opposite(mine.word, theirs.word) else None)


def _finding(refs: tuple[str, ...], *, agrees: bool) -> Finding:
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule=_ID,
        refs=refs,
        code="" if agrees else "COMPARISON_FALSE",
        note="it is compared the other way round" if agrees else "the record compares them otherwise",
    )


def _turned(mine: Sides, theirs: Sides) -> bool | None:
    """Say whether a comparison holds by another of the same two things turned round; None where that is none."""
    shared = 0
    if mine.word == "after" and mine.one[-1:] and stem(mine.one[-1]) in _CARING:
        return None
    while shared < min(len(mine.one), len(theirs.one)) and mine.one[-1 - shared] == theirs.one[-1 - shared]:
        shared += 1
    for verb in range(1, shared + 1):
        if (
            mine.one[:-verb] == theirs.other
            and theirs.one[:-verb] == mine.other
            and mine.other != theirs.other
        ):
            if mine.word == theirs.word:
                return False
            return True if _is_opposite(mine.word, theirs.word) else None
    return None


def _is_opposite(one: str, other: str) -> bool:
    if {one, other} & _CHEAP and {one, other} & _DEAR:
        return True
    first, second = one.split(), other.split()
    if len(first) > 1 or len(second) > 1:
        return first[1:] == second[1:] and {first[0], second[0]} == {"more", "less"}
    return stem(other) in antonyms().get(stem(one), frozenset())


def _by_price(view: View, mine: Sides) -> Finding | None:
    """Judge which of two rows is the cheaper one by the only sum of each."""
    if mine.word not in _CHEAP | _DEAR or not mine.one or mine.one[-1] not in ("is", "was"):
        return None
    one, other = _row(view, mine.one[:-1]), _row(view, mine.other)
    if one is None or other is None or one is other or one.item is not other.item:
        return None
    first, second = _price(one), _price(other)
    if (
        first is None
        or second is None
        or first.unit != second.unit
        or first.low is None
        or second.low is None
    ):
        return None
    agrees = first.low < second.low if mine.word in _CHEAP else first.low > second.low
    return _finding((one.ref, other.ref), agrees=agrees)


def _row(view: View, named: tuple[str, ...]) -> Record | None:
    """Give the only row, or labelled line, that is of a thing by its whole name."""
    held = view.world.with_stem(stem(max(named, key=len, default="")))[:60]
    rows = [record for record in held if _tokens(_head(record)) == named]
    return rows[0] if len(rows) == 1 else None


def _head(record: Record) -> str:
    if record.form == "row" and record.fields:
        return record.fields[0].value
    return record.fields[0].name if record.form == "line" and len(record.fields) == 1 else ""


def _price(record: Record) -> Fact | None:
    sums = [fact for fact in record.facts if fact.kind == "money"]
    return sums[0] if len(sums) == 1 else None
