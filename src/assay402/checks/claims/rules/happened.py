"""What denies nothing of a claim: another event than its own, and the row or object of another subject."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.view import report_words

_STANDS: Final = Pattern(
    r"\b(?:is|are|be|remains?|stays?|still|now|currently)\b(?!\s(?:was|were|been)\b)", re.IGNORECASE
)
_NAMING: Final = re.compile(
    r"(?:^|[_.])(?:name|title|label|item|user|service|host|product|person|employee|team|owner|region)$",
    re.IGNORECASE,
)
_OWNER: Final = re.compile(r"\W{0,3}([A-Z][\w-]*)['’]s\s")
_QUARTER: Final = re.compile(r"\bQ[1-4]\b")
_LETTER: Final = re.compile(r"(?<![\w'’])[A-Z](?![\w'’])")


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in table("events")[name])


def is_other_event(claim: Claim, turned: frozenset[str]) -> bool:
    """Tell whether words of a claim whose opposites a record has tell of an event, beside which the other can have been.

    What was created can have been deleted; what is open is not closed.
    """
    if turned & _listed("apart"):
        return True
    return bool(turned & _listed("in_turn")) and _STANDS.search(claim.text) is None


def is_of_other_key(claim: Claim, record: Record) -> bool:
    """Tell whether a row or an object is of another subject than the one that a claim names and the record does not."""
    key = _key(record)
    quarters = frozenset(_QUARTER.findall(claim.text))
    if not key:
        return False
    if quarters and _QUARTER.search(key) is not None:
        return not quarters & frozenset(_QUARTER.findall(key))
    if any(each.isdigit() for each in key):
        return False
    said = frozenset(stems(f"{claim.context} {claim.text}".replace("_", " ")))
    letters, own = frozenset(_LETTER.findall(claim.text)), frozenset(_LETTER.findall(key))
    if letters and own:
        return not letters & own
    named = frozenset(stems(key.replace("_", " ")))
    owner = _OWNER.match(claim.text)
    names = claim.names | frozenset(stems(owner[1])) if owner is not None else claim.names
    wanted = claim.content if record.form == "row" else names
    left = wanted - record.all_stems - report_words() - frozenset(stems(record.item.source_label))
    return bool(named) and not named & (said | _listed("wholes")) and bool(left)


def _key(record: Record) -> str:
    """Give what a row or an object is named by; empty where it has no name."""
    if record.form == "row":
        return record.fields[0].value if record.fields else ""
    if record.form != "json":
        return ""
    return next((each.value for each in record.fields if _NAMING.search(each.name)), "")
