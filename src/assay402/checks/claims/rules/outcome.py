"""What is said of the whole of the work: `Success!`, `All green.`, `Nothing broke.`"""

import re
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Finding, Stage
from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.statuses import announces_only, words_for
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.newest import subject_words
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.reports import issues_of, summary_of
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_LOOKED_AT: Final = 600
_ATTEMPT: Final = frozenset(stem(word) for word in ("attempt", "retry", "try"))


@rule("claims/whole-outcome", since="0.1", spec="section 7, R03 and R06, and section 9")
def whole_outcome(view: View) -> Finding | None:
    """Judge what is said of the whole of the work by every outcome that the evidence tells.

    ## What it reports
    For `Success!`, `All green`, `Task complete` or `No issues`, which name nothing in particular: CONTRADICTED with
    COUNTEREXAMPLE where a record tells a failure that no later record of the same makes good; SUPPORTED where success
    is claimed, records tell it, and none tells a failure or something still open.

    ## Why it matters
    The shortest reports are read first, and hide a failure best.

    ## How to fix it
    Say what succeeded, and what did not.
    """
    claim = view.claim
    said = set(claim.text.lower().replace(".", " ").replace("!", " ").split())
    if claim.facts or claim.context or claim.modality != "is" or not announces_only(claim.text):
        return None
    if said & words_for("failures") and not claim.negative:
        return None
    failed, done, still = view.world.once("outcomes", lambda: _outcomes(view.world))
    if failed is not None:
        return Finding(
            support="CONTRADICTED",
            rule="claims/whole-outcome",
            refs=(failed.ref,),
            code="COUNTEREXAMPLE",
            note="a record tells a failure that none makes good",
        )
    if done is None or still or claim.negative or claim.quantifier or not announces_only(claim.text, "ended"):
        return None
    return Finding(support="SUPPORTED", rule="claims/whole-outcome", refs=(done.ref,))


def _outcomes(world: World) -> tuple[Record | None, Record | None, bool]:
    """Give a record of a failure that none makes good, one of a success, and whether something is still open."""
    told = [
        (record, stage) for record in world.bearing[-_LOOKED_AT:] if (stage := _stage(record)) is not None
    ]
    failed = [
        record
        for record, stage in told
        if stage in ("FAILED", "REVERSED") and not any(_cures(record, other, after) for other, after in told)
    ]
    done = [record for record, stage in told if stage == "COMPLETED" and record.item.kind != "description"]
    still = any(
        stage in ("QUEUED", "ATTEMPTED", "NONEXECUTION", "REQUESTED")
        and not any(_cures(record, other, after) for other, after in told)
        for record, stage in told
    )
    return (failed[-1] if failed else None), (done[-1] if done else None), still


def _stage(record: Record) -> Stage | None:
    summary = summary_of(record)
    if summary is not None and (summary.counts or summary.good is not None):
        return "FAILED" if summary.failed or summary.good is False else "COMPLETED"
    issues = issues_of(record)
    if issues is not None:
        return "FAILED" if issues else "COMPLETED"
    if record.is_prose:
        return next((each.stage for each in mentions(record.text[:_LONGEST])), None)
    return None if _ZERO.search(record.text[:_LONGEST]) else stage_of(record)


_LONGEST: Final = 300
_ZERO: Final = Pattern(r"\b(?:0|no)\s\w+|\b\w+\s?[=:]\s?0\b", re.IGNORECASE)
"""A word of failure that is counted, and of which there is none."""


def _cures(record: Record, other: Record, after: Stage) -> bool:
    """Tell whether a later record tells the success of what another told as failed or open."""
    if after != "COMPLETED" or not is_later(other, record):
        return False
    one, two = (
        {word for word in subject_words(each) if not word.isdigit()} - _ATTEMPT for each in (record, other)
    )
    return not one or not two or bool(one & two)


@rule("claims/cell-recorded", since="0.1", spec="section 3.1 and section 6")
def cell_recorded(view: View) -> Finding | None:
    """Judge a tick, a yes or no, or a status in a cell by the cell that a table of the evidence has in its place.

    ## What it reports
    SUPPORTED where a row or an object of the evidence that is named as the row of the claim has the same in the column
    of the same name; CONTRADICTED with STATUS_CONFLICT where the one says yes and the other no.

    ## Why it matters
    A table of ticks is read as a whole, and a wrong tick is lost in it.

    ## How to fix it
    Give what the row of the evidence gives.
    """
    told = recorded_in(view)
    if told is None:
        return None
    record, value = told
    claimed, found = _truth(view.claim.text), _truth(value)
    if claimed is None or found is None:
        return None
    return Finding(
        support="SUPPORTED" if claimed == found else "CONTRADICTED",
        rule="claims/cell-recorded",
        refs=(record.ref,),
        code="" if claimed == found else "STATUS_CONFLICT",
        note="" if claimed == found else "the row of the evidence says otherwise",
    )


def with_cell(view: View, finding: Finding) -> Finding:
    """Give what contradicts a cell with the repair that puts there what the evidence has in its place."""
    told = recorded_in(view) if finding.support == "CONTRADICTED" else None
    if told is None or not told[1] or len(told[1]) > _WIDTH or _MARKS.search(told[1]):
        return finding
    return replace(finding, repair=("REPLACE_VALUE", 0, len(view.claim.text), told[1]))


_WIDTH: Final = 60
_MARKS: Final = Pattern(r"[|\n]")
"""What would end a cell."""


def recorded_in(view: View) -> tuple[Record, str] | None:
    """Give what the evidence has in the row and the column of a cell, and in which record; None where several have it."""
    cell = view.claim.cell
    if cell is None:
        return None
    _, row, column = (each.strip("*_` ").lower() for each in cell)
    rows = view.world.once("named rows", lambda: _named_rows(view.world)).get(row, [])
    told = [
        (record, field.value)
        for record in rows
        for field in record.fields
        if field.name.strip().lower() == column
    ]
    return told[0] if len(told) == 1 else None


def _truth(text: str) -> bool | None:
    told = text.strip("*_` ").lower()
    return True if told in words_for("yes") else False if told in words_for("no") else None


def _named_rows(world: World) -> dict[str, list[Record]]:
    """Give the rows of the evidence by the value of their first column."""
    found: dict[str, list[Record]] = {}
    for record in world.bearing[:_ROWS]:
        if record.form in ("row", "json") and record.fields:
            found.setdefault(record.fields[0].value.strip("*_` ").lower(), []).append(record)
    return found


_ROWS: Final = 5_000
