"""What all members of a kind are said to be, where each record answers it with yes or no, or with a part of it."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
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
    return frozenset(stem(word) for word in ("partially", "partly", "partial", "not", "never", "almost"))


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
