"""What all members of a kind are said to be, where each record answers it with yes or no, or with a part of it."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.naming import is_noun, same_kind
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.view import View

_ALL_ARE: Final = Pattern(
    r"^\W*(?:all|every|each|both)\s(?:of\s)?(?:the\s|our\s|these\s)?[a-z]+\s(?:(?:are|is|were|was)\s)(?:now\s)?([a-z]+)\W*$",
    re.IGNORECASE,
)
"""Said of a kind by its noun alone, so that every record of it counts."""
_NO: Final = re.compile(r"(?:false|no|n|0|❌|✗)", re.IGNORECASE)
_YES: Final = re.compile(r"(?:true|yes|y|1|✅|✓)", re.IGNORECASE)
_SHARE: Final = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")
_MOST: Final = 2_000


@cache
def lessening() -> frozenset[str]:
    """Give the stems of words that make a part, or nothing, of a whole."""
    return partly() | {"not", "never"}


@cache
def partly() -> frozenset[str]:
    """Give the stems of words that make a part of a whole."""
    return frozenset(stem(word) for word in ("partially", "partly", "partial", "almost"))


_DENIED: Final = re.compile(r"(?:[Nn]ot|NOT|[Nn]ever|NEVER)(?:[ _-]|(?<=Not)(?=[A-Z]))")


def said_by(value: str) -> frozenset[str]:
    """Give the stems of a value, with `not` where it denies the rest of it: `NotReady`."""
    said = frozenset(stems(value.replace("_", " ")))
    return said | {"not"} if _DENIED.match(value) else said


def answered_no(view: View) -> Finding | None:
    """Contradict what all are said to be by a record that has the word for a field and answers it with no."""
    match = _ALL_ARE.search(view.claim.text) if view.claim.quantifier != "none" else None
    if match is None or view.claim.negative or view.claim.modality != "is":
        return None
    word = match[1].lower()
    like = next((near.record for near in view.near[:4] if _answer(near.record, word)), None)
    if like is None:
        return None
    told = view.world.once(
        ("answers", like.item.id, word),
        lambda: [
            (each, answer)
            for each in view.world.bearing_of(like.item)[:_MOST]
            if each.form == like.form and (answer := _answer(each, word))
        ],
    )
    against = next((each for each, answer in told if answer == "no"), None)
    if against is None or len(told) < 2:  # one is no kind
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/counterexample",
        refs=(against.ref,),
        code="COUNTEREXAMPLE",
        note="one record shows an exception",
    )


_ALL_OF: Final = Pattern(r"\b(?:all|every|each)\s(?:of\s)?(?:the\s|our\s)?([a-z]+)\b", re.IGNORECASE)


def is_listed_as_other(claim: Claim, record: Record) -> bool:
    """Tell whether a record is an element of a list that is named for another kind of thing: `hosts`, beside all printers."""
    array, _, place = record.pointer.rpartition("/")
    array = stem(array.rpartition("/")[2].lower()) if place.isdigit() else ""
    match = _ALL_OF.search(claim.text) if array and is_noun(array) else None
    noun = stem(match[1].lower()) if match is not None else ""
    return bool(noun) and noun not in record.own_stems and is_noun(noun) and not same_kind(noun, array)


_THAN: Final = Pattern(r"\bthan\b", re.IGNORECASE)
"""What compares two things is denied by neither of them."""
_SHORT: Final = 7
"""Content words of a plain universal; a longer sentence says more than one thing."""


_NOT_ALL: Final = Pattern(r"\bnot (?:\w+ )?all\b", re.IGNORECASE)
"""What an exception bears out."""


def is_plain(claim: Claim) -> bool:
    """Tell whether a claim says one thing of all, and neither compares nor makes a part of it."""
    if len(claim.content) > _SHORT or claim.content & partly():
        return False
    return _NOT_ALL.search(claim.text) is None and _THAN.search(claim.text) is None


def is_none_meant(claim: Claim, word: str, right: list[Record], against: Record) -> bool:
    """Tell whether a row lacks what a claim says of those it means and another row has: `eu`, beside all eu users."""
    if not right or against.form not in ("json", "row"):
        return False
    return bool((claim.content - {word}) & right[0].own_stems - against.own_stems)


_VERB: Final = Pattern(r"\b(?:are|is|were|was|have|has|had)\b", re.IGNORECASE)


def predicate_of(claim: Claim) -> frozenset[str]:
    """Give the words behind the verb of a claim, all of them where it has none that is known."""
    match = _VERB.search(claim.text)
    return frozenset(stems(claim.text[match.end() :])) if match is not None else claim.content


def is_answered_no(record: Record, word: str) -> bool:
    """Tell whether a record has a field named with a word, by its stem, and answers it with no."""
    return any(
        _NO.fullmatch(field.value) and stem(_JOINT.split(field.name.lower())[-1]) == word
        for field in record.fields
    )


_JOINT: Final = re.compile(r"[._ ]")


def _answer(record: Record, word: str) -> str:
    """Give what a record answers in the field of a name; empty where it has none, or the field holds something else."""
    for field in record.fields:
        name = field.name.lower().replace("_", " ").replace(".", " ").split()
        if not name or name[-1] != word or name[0] in ("not", "no"):
            continue
        value = field.value.strip()
        share = _SHARE.fullmatch(value)
        if share is not None:
            return "yes" if int(share[1]) >= int(share[2]) else "no"
        return "no" if _NO.fullmatch(value) else "yes" if _YES.fullmatch(value) else ""
    return ""
