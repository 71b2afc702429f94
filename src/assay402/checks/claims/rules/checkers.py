"""Reports of linters and type checkers: how many issues their last line tells."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.reports import is_of_other_tool, issues_of
from assay402.checks.claims.rules.runs import is_of, runs_of
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_NEWEST: Final = 40
"""Lines looked at for one word of a report."""
_CHECKER: Final = Pattern(
    r"\b(?:lint(?:er|ing|s)?|type[- ]?check(?:er|ing|s)?|type errors?|mypy|ruff|eslint|pyright|tsc|clippy|flake8|pylint|rubocop|static analysis)\b",
    re.IGNORECASE,
)
_CLEAN: Final = Pattern(
    r"\b(?:clean|passe[sd]|pass|green|succeed(?:s|ed)|(?:no|zero|0|without) (?:\w+ )?(?:errors?|issues?|problems?|warnings?|violations?|offen[cs]es?))\b",
    re.IGNORECASE,
)


@rule("claims/checker-report", since="0.1", spec="sections 5.3 and 7, R07 for linters and type checkers")
def checker_report(view: View) -> Finding | None:
    """Judge a claim about a linter or a type checker by the number of issues its last line tells.

    ## What it reports
    SUPPORTED where the claim calls the check clean and the newest report tells no issue, or gives the number of
    issues the report tells; CONTRADICTED with VALUE_MISMATCH otherwise.

    ## Why it matters
    A checker prints one line at its end, and a report of it is wrong by a number.

    ## How to fix it
    Quote the checker's closing line.
    """
    claim = view.claim
    if _CHECKER.search(f"{claim.context} {claim.text}") is None:
        return None
    records = {
        record.order: record
        for word in ("find", "issue", "problem", "error", "check", "warn", "offense", "violation")
        for record in view.world.with_stem(stem(word))[-_NEWEST:]
    }
    runs = runs_of(claim)
    told = [
        (record, count)
        for _, record in sorted(records.items())
        if (count := issues_of(record)) is not None and is_of(record, runs, view.world)
    ]
    if told and is_of_other_tool(f"{claim.context} {claim.text}", told[-1][0]):
        return None
    counted = next(
        (int(fact.low) for fact in claim.facts if fact.kind == "number" and fact.low is not None), None
    )
    wanted = 0 if _CLEAN.search(claim.text) else counted
    if not told or wanted is None or len(claim.facts) > 1:
        return None
    record, count = told[-1]
    if wanted != counted and any(
        each.state != "match" and each.fact.kind == "number" for each in view.to(record).bindings
    ):
        return None
    agrees = count == wanted
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/checker-report",
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the newest report tells {count} issues",
    )
