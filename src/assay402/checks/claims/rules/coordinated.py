"""Values of a sentence that has several verbs: `charges in 90 minutes and lasts 1 hour` gives each verb its own."""

import re
from functools import lru_cache
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.joints import LED
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain, stem
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.polarity import is_negative

_JOINT: Final = Pattern(r",?\s(?:and|but|while|whereas|then|yet)\s|[;,]\s")
_BEFORE: Final = re.compile(
    r"([A-Za-z]{3,})\s(?:(?:in|by|at|on|for|to|after|within|about|around|over|under|up|only|just|some)\s){0,2}$"
)
_LONGEST: Final = 400
_KINDS: Final = ("number", "quantity", "money", "percent", "time", "date")


def is_of_other_verb(claim: Claim, record: Record) -> bool:
    """Tell whether a sentence gives a value of a claim with another verb, and the claim's verb a value of its own."""
    text = record.text
    if (
        not claim.facts
        or record.form not in ("line", "prose")
        or len(record.facts) < 2
        or len(text) > _LONGEST
    ):  # one is nobody else's
        return False
    ends = _ends(text)
    if not ends:
        return False
    for fact in claim.facts:
        verb = _verb(claim.text, fact.start) if fact.kind in _KINDS else ""
        if verb and _is_elsewhere(fact, verb, record, ends):
            return True
    return False


@lru_cache(maxsize=4_096)
def _ends(text: str) -> tuple[int, ...]:
    """Give where the parts of a sentence end but for the last."""
    return tuple(match.start() for match in _JOINT.finditer(text))


def _verb(text: str, start: int) -> str:
    """Give the stem of the word to which a value belongs: the one right before it, or before its preposition."""
    match = _BEFORE.search(text[max(0, start - 60) : start])
    word = match[1].lower() if match is not None else ""
    return "" if word in _BOUND_TO_NOTHING else stem(word)


_BOUND_TO_NOTHING: Final = frozenset(
    ("the", "are", "was", "were", "has", "have", "had", "and", "but", "its", "than", "from", "with", "per", "been", "being", "all", "another", "other", "first", "last", "next", "top")
)  # fmt: skip


def says_with_its_verb(claim: Claim, record: Record) -> bool:
    """Tell whether a claim is the subject of a sentence with a later verb of it and the value of that verb, word for word."""
    text = record.text
    if (
        not claim.facts or len(record.facts) < 2 or len(text) > _LONGEST or not record.is_prose
    ):  # it has one, and another
        return False
    ends = _ends(text)
    if not ends or len(claim.text) >= len(text) or LED.search(text) is not None:
        return False
    first = next((each for each in record.facts if each.start >= 0), None)
    verb = _BEFORE.search(text[: first.start]) if first is not None else None
    if verb is None or first is None or first.start > ends[0] or is_negative(text):
        return False
    said, subject = plain(claim.text), text[: verb.start()]
    joints = (*_JOINT.finditer(text),)
    parts = (text[joint.end() : end] for joint, end in zip(joints, (*ends[1:], len(text)), strict=True))
    return any(_OWN.match(part) is not None and plain(f"{subject}{part}") == said for part in parts)


_OWN: Final = re.compile(
    r"[a-z]{3,}(?:s|ed)\s(?:(?:in|by|at|for|to|after|within|about|around|over|under|up|only)\s){0,2}[0-9$€£]"
)
"""A verb with a value of its own."""


def _is_elsewhere(fact: Fact, verb: str, record: Record, ends: tuple[int, ...]) -> bool:
    is_held = False
    for each in record.facts:
        if each.start < 0 or each.kind not in _KINDS:
            continue
        begin = max((end for end in ends if end <= each.start), default=0)
        its = _verb(record.text[begin : each.start], each.start - begin)
        if compare(fact, each) == "equal":
            if its in ("", verb):
                return False  # it may be the claim's own
            is_held = True
    return is_held and any(
        each.kind == fact.kind and each.start >= 0 and _verb(record.text, each.start) == verb
        for each in record.facts
    )
