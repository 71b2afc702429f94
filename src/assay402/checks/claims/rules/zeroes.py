"""None of them: what a record counts as 0, and that nothing denies a claim that says so."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.portions import portion_of
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_NONE_WERE: Final = Pattern(
    r"\b(?:no|zero|none of|not one(?: of)?|not a single)\s(?:the\s|our\s|its\s|these\s)?(?P<thing>[a-z][a-z-]+)\s(?:(?:(?:were|was|are|is|have been|has been)\s)(?P<end>[a-z]+(?:\s(?:out|down|up|back|off))?)|(?:(?:have|has|had)\s)?(?P<done>[a-z]+ed(?:\s(?:out|down|up|back|off))?))\b"
    r"|\bthere (?:is|are|was|were) no (?P<what>[a-z-]+)\s(?P<kind>[a-z-]+)\W*$",
    re.IGNORECASE,
)
_SAID: Final = 5
"""Words behind `no` in which it is said of what there is none."""
_NO: Final = Pattern(r"\b(?:no|zero|none|without|nothing|nobody)\b", re.IGNORECASE)
_WORDED: Final = (
    "antonym", "polarity-flip", "state-otherwise", "status-conflict", "counterexample", "none-counted",
)  # fmt: skip
_READ: Final = 600


@rule("claims/zero-counted", since="0.1", spec="section 4, number, and section 7, R06")
def zero_counted(view: View) -> Finding | None:
    """Judge `no jobs failed` by the number that a record of the jobs has in a field of that very name.

    ## What it reports
    SUPPORTED where every record of the thing near the claim gives 0 under the name of what befell none of it
    (`jobs=7 failed=0`), CONTRADICTED with the reason COUNTEREXAMPLE where one gives another number.

    ## Why it matters
    The 7 beside it counts the jobs, and not those that failed.

    ## How to fix it
    Give the number.
    """
    claim = view.claim
    match = _NONE_WERE.search(claim.text)
    if match is None or claim.facts or claim.modality != "is":
        return None
    thing = frozenset(stems(match["thing"] or match["kind"]))
    end = frozenset(stems(match["end"] or match["done"] or match["what"]))
    told = [
        (near, int(field.value))
        for near in view.near
        for field in near.record.fields
        if field.value.isdigit()
        and end
        and frozenset(stems(field.name.rpartition(".")[2].replace("_", " "))) == end
        and thing <= near.stems
        and not near.missing_names
        and near.wanted - thing - end <= near.stems
    ]
    if not told:
        return None
    some = next((near for near, number in told if number), None)
    refs = tuple(near.record.ref for near, _ in told) if some is None else (some.record.ref,)
    return Finding(
        support="CONTRADICTED" if some is not None else "SUPPORTED",
        rule="claims/zero-counted",
        refs=refs,
        code="" if some is None else "COUNTEREXAMPLE",
        note="the record counts none" if some is None else "the record counts some",
    )


def denies_nothing(claim: Claim, finding: Finding, record: Record) -> bool:
    """Tell whether a record bears out by a count of none, or by an exception to all, what it was found to deny."""
    if finding.support != "CONTRADICTED" or finding.rule.partition("/")[2] not in _WORDED:
        return False
    portion = portion_of(claim.text)
    if portion is not None and portion.is_denial:
        return True  # one that was is no exception to `not all were`, nor is one that was not
    return any(counts_none(record, word) for word in _nones(claim.text))


def _nones(text: str) -> Iterator[str]:
    """Give the stems of the words of which a text says that there is none."""
    for match in _NO.finditer(text):
        yield from stems(text[match.end() :])[:_SAID]


def counts_none(record: Record, word: str) -> bool:
    """Tell whether a record counts 0 of what a word says."""
    told = record.memo.get("nones")
    if told is None:
        named = (field.name for field in record.fields if field.value == "0")
        found = frozenset(stems(" ".join(named).replace("_", " ")))
        said = (each[1] for each in _ZEROS.finditer(record.text[:_READ]))
        some = (each[1] for each in _SOME.finditer(record.text[:_READ]))
        told = (found | frozenset(stems(" ".join(said)))) - frozenset(stems(" ".join(some)))
        record.memo["nones"] = told
    return word in told


_ZEROS: Final = re.compile(
    r"(?:(?:\A|[,;:(]\s?|\b(?:and|but|with|found|has|had|were|was)\s)0|\b(?:no|zero))\s(?!not\b|never\b|newly\b|to\b)([A-Za-z]+(?:\s[a-z]+)?)(?![\w=:])",
    re.IGNORECASE,
)
_SOME: Final = re.compile(r"(?<![\w.,])[1-9][0-9]*\s([A-Za-z]+)(?![\w=:])")
