"""Whose a thing of the record is, and whether it is the thing itself: an outsider's, a former one, a mock."""

import re
from functools import lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems

_READ: Final = 600


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    listed = table("carrying")
    outsider = "|".join(f"{each}s?" for each in listed["outsiders"])
    return (
        (
            re.compile(
                rf"\b(another \w+|(?:{outsider}))(?:['’]s|(?<=s)['’])\s((?:[\w-]+\s){{0,2}}?[\w-]+)",
                re.IGNORECASE,
            ),
            "owned",
        ),
        (
            re.compile(
                rf"\b(?P<thing>[\w-]+)\s(?:of|at)\s(another \w+|(?:the|our|an?|its|their)\s(?:[\w-]+\s)?(?:{outsider}))\b",
                re.IGNORECASE,
            ),
            "of",
        ),
        (
            re.compile(
                rf"(?<![\w-])({'|'.join(listed['no_longer'])})[\s-]((?:[\w-]+\s)?[\w-]+)", re.IGNORECASE
            ),
            "sort",
        ),
        (re.compile(rf"\b(test|sample|demo|trial)\s({'|'.join(listed['tried'])})\b", re.IGNORECASE), "sort"),
    )


def of_another(claim: Claim, record: Record) -> str:
    """Give the words by which a record tells of an outsider's thing, or of none itself, where the claim has no such word."""
    if record.form not in ("line", "prose") or claim.form in ("leaf", "cell"):
        return ""
    text, low = record.text[:_READ], record.text[:_READ].lower()
    if not any(each in low for each in _marks()):
        return ""
    for pattern, sort in _patterns():
        for match in pattern.finditer(text):
            whose, thing = (match[2], match["thing"]) if sort == "of" else (match[1], match[2])
            things = frozenset(stems(thing))
            if not things & _of_kind(claim.text) or (sort == "owned" and things & _traded()):
                continue
            if not frozenset(stems(whose)) & frozenset(stems(claim.text)):
                return whose.lower()
    return ""


_LED: Final = Pattern(
    r"\b(?:the|an?|our|your|their|its|his|her|my|this)\s((?:[\w-]+\s){0,2}[\w-]+)", re.IGNORECASE
)


@lru_cache(maxsize=4_096)
def _of_kind(text: str) -> frozenset[str]:
    """Give the words of a text behind an article, which name no one thing: `the manager`, and not `Rick`."""
    return frozenset(each for match in _LED.finditer(text) for each in stems(match[1]))


_LEVEL: Final = Pattern(r"\b([a-z]+)[\s-](access|permissions?|rights?|roles?|privileges?)\b", re.IGNORECASE)


def other_level(claim: Claim, record: Record) -> str:
    """Give the words by which a record tells of access of another level than the one a claim names; empty where it does not."""
    said = _levels(claim.text)
    if not said or any(level in record.whole_stems for level in said):
        return ""
    told = _levels(record.text[:_READ])
    for field in record.fields:
        if field.value.isalpha() and _LEVELLED.search(field.name):
            told[stem(field.value)] = f"{field.value.lower()} {field.name.lower()}"
    return next((words for level, words in told.items() if level not in claim.content), "")


_LEVELLED: Final = re.compile(r"(?:^|[_.])(?:access|permissions?|role|privilege|level|scope)$", re.IGNORECASE)


def _levels(text: str) -> dict[str, str]:
    """Give the words for levels of access in a text, by their stems."""
    return {named[0]: match[0].lower() for match in _LEVEL.finditer(text) if (named := stems(match[1]))}


@lru_cache(maxsize=1)
def _marks() -> tuple[str, ...]:
    """Give the words without one of which a text tells of nothing of the kind."""
    listed = table("carrying")
    return ("another ", *listed["outsiders"], *listed["no_longer"], "test ", "sample ", "demo ", "trial ")


@lru_cache(maxsize=1)
def _traded() -> frozenset[str]:
    """Give the stems of what others send for one to deal with: a supplier's invoice is the invoice that is paid."""
    return frozenset(stem(each) for each in table("carrying")["traded"])
