"""Sentences that differ only in how they spell values, order a list or begin: one form for both."""

import re
from functools import cache, lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.facts import facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.sentences import sentences
from assay402.checks.claims.reading.text import is_past, stem
from assay402.checks.claims.rules.enumerated import sorted_lists

_LONGEST: Final = 300
_LEAST: Final = 3
"""Words below which two texts say too little to be the same."""
_FRONTED: Final = Pattern(
    r"^\W*((?:in|on|at|during|by|under|with|for|since|until|as of|within|throughout)\s[^,.;:]{2,50}),\s(.{4,})$",
    re.IGNORECASE | re.DOTALL,
)
_MOMENT: Final = r"(?:[Ii]n|[Oo]n|[Dd]uring)\s(?:\x01(?:date|number\|(?:19|20)[0-9]{2}\|)[^\x01]*\x01|(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov|Dec)ember|October|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
_WHEN: Final = re.compile(rf"(?<!\w){_MOMENT}(?!\w)")
_WHEN_LAST: Final = re.compile(rf"^(.*?)(\s{_MOMENT})(?!\w)(.*)$", re.DOTALL)
"""When something was, said in the midst, is said as well at the end."""
_WORD: Final = re.compile(r"\x01[^\x01]+\x01|[^\W_]+(?:['’][^\W_]+)?")
_EMPTY: Final = frozenset(("the", "a", "an", "now", "currently", "already", "also", "there"))


def is_rephrased(claim: Claim, record: Record) -> bool:
    """Tell whether a sentence of a record says what a claim does but for its spelling, the order of a list or its beginning."""
    if len(claim.text) > _LONGEST or len(record.text) > 2 * _LONGEST or record.form not in ("line", "prose"):
        return False
    wanted = form_of(claim.text)
    return len(wanted) >= _LEAST and any(
        form_of(record.text[start:end]) == wanted for start, end in sentences(record.text)
    )


@cache
def _said_as() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b{form}\b"), put) for form, put in table("lexicon")["said_as"])


@lru_cache(maxsize=2_048)
def form_of(text: str) -> tuple[str, ...]:
    """Give the words of a sentence in the form in which those that say the same are compared."""
    text = text.strip().rstrip(".! ")
    fronted = _FRONTED.match(text)
    if fronted is not None:
        text = f"{fronted[2]} {fronted[1]}"
    text = sorted_lists(text)
    for fact in reversed(facts(text)):
        value = f"\x01{fact.kind}|{fact.value}|{fact.unit}|{fact.low}|{fact.high}\x01"
        text = f"{text[: fact.start]}{value}{text[fact.end :]}"
    text = _WHEN_LAST.sub(r"\1\3\2", text) if len(_WHEN.findall(text)) == 1 else text
    text = text.lower()
    for form, put in _said_as():
        text = form.sub(put, text)
    return tuple(_spelled(each) for each in _WORD.findall(text) if each not in _EMPTY)


def _spelled(word: str) -> str:
    return word if word[0] == "\x01" else f"{stem(word)}{'+' if is_past(word) else ''}"
