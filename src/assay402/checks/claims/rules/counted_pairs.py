"""How many of two sorts a run found, as its closing line counts them: `no errors and 3 warnings`."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.fielded import qualifies
from assay402.checks.claims.rules.portions import N, number
from assay402.checks.claims.rules.view import View

_SORT: Final = (
    r"errors?|warnings?|failures?|issues?|problems?|vulnerabilit(?:y|ies)|threats?|conflicts?|hints?|notes?"
)
_NUMBER: Final = rf"no|zero|{N}"
_PAIR: Final = Pattern(
    rf"\b(?P<one>{_NUMBER})\s(?P<first>{_SORT})\s(?:and|but)\s(?P<other>{_NUMBER})\s(?P<second>{_SORT})\W*$",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(rf"(?<![\w.,])(?P<number>[0-9]{{1,6}}|no)\s(?P<sort>{_SORT})\b", re.IGNORECASE)
_FOUND: Final = frozenset(
    map(stem, ("found", "reported", "showed", "gave", "had", "finished", "completed", "ended", "with", "ran", "returned", "detected"))
)  # fmt: skip
_LONGEST: Final = 200


def pair_counted(view: View, rule_id: str) -> Finding | None:
    """Judge how many of two sorts there were by the only line that counts both of what the claim names."""
    match = _PAIR.search(view.claim.text)
    if match is None or view.claim.modality != "is":
        return None
    wanted = {
        stem(match["first"].lower()): _number(match["one"]),
        stem(match["second"].lower()): _number(match["other"]),
    }
    subject = frozenset(stems(view.claim.text[: match.start()])) - _FOUND
    lines = [
        near.record
        for near in view.near
        if near.record.form in ("line", "prose")
        and len(near.record.text) <= _LONGEST
        and subject <= near.stems
        and not any(map(qualifies, near.record.own_stems - subject))
    ]
    told = [(line, counts) for line in lines if wanted.keys() <= (counts := _counts(line.text)).keys()]
    if len(told) != 1 or len(wanted) != 2 or told[0][0].item.kind == "description":  # two sorts, one line
        return None
    record, counts = told[0]
    agrees = all(counts[sort] == many for sort, many in wanted.items())
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule=rule_id,
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note="the line counts both",
    )


def _counts(text: str) -> dict[str, int]:
    return {stem(each["sort"].lower()): _number(each["number"]) for each in _COUNTED.finditer(text)}


def _number(text: str) -> int:
    return 0 if text.lower() in ("no", "zero") else number(text)
