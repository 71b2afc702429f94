"""The order in which the rules speak: the first that has something to say decides."""

from typing import Final

from assay402.checks.claims.model import Claim, Finding, Verdict
from assay402.checks.claims.rules import (
    attribution,
    authority,
    codes,
    counts,
    deeds,
    lists,
    mismatch,
    modality,
    polarity,
    sums,
    tests,
    universals,
    values,
    verbatim,
)
from assay402.checks.claims.rules.view import View, view_of
from assay402.checks.claims.rules.world import World
from assay402.core.check import Rule, rule


@rule("claims/no-evidence", since="0.1", spec="section 7, R02")
def no_evidence(view: View) -> Finding | None:
    """Leave every claim unverified where no item may bear on it.

    ## What it reports
    UNVERIFIED with the missing family INDEPENDENT_EVIDENCE where there is no evidence, all of it is marked as
    context only, or none of it could be read.

    ## Why it matters
    A report cannot vouch for itself.

    ## How to fix it
    Supply at least one item that may bear on the claims.
    """
    if view.world.bearing:
        return None
    return Finding(
        support="UNVERIFIED",
        rule="claims/no-evidence",
        code="NO_EVIDENCE",
        note="there is no evidence that may bear on it",
        missing=("INDEPENDENT_EVIDENCE", "An independent record that may bear on the claims."),
    )


ORDER: Final[tuple[Rule[View, Finding | None], ...]] = (
    no_evidence,
    attribution.quotation,
    attribution.source_not_supplied,
    attribution.wrong_attribution,
    deeds.evidence_conflict,
    mismatch.value_conflict,
    tests.test_report,
    tests.checker_report,
    codes.answer_code,
    authority.authority,
    deeds.status_conflict,
    universals.counterexample,
    universals.none_counted,
    counts.count_differs,
    lists.listed,
    sums.comparison_false,
    sums.change_computed,
    mismatch.value_mismatch,
    polarity.polarity_flip,
    polarity.antonym,
    polarity.order_of_events,
    polarity.cause_not_stated,
    deeds.stage_overclaim,
    deeds.self_report_only,
    deeds.action_recorded,
    counts.counted,
    sums.computed,
    verbatim.stated_verbatim,
    modality.modality_overclaim,
    deeds.no_execution_record,
    values.all_facts_bound,
    values.not_established,
)
_OF_SOURCES: Final = (attribution.quotation, attribution.source_not_supplied, attribution.wrong_attribution)
LAST: Final = values.not_addressed


def judge(claim: Claim, world: World) -> Verdict:
    """Judge one claim."""
    whole = view_of(claim, world)
    said, only = attribution.without_source(claim, world.sources)
    view = View(said, world, only) if only else whole
    if not only:
        said, spoken = attribution.without_speaker(claim, world.bearing)
        view = View(said, world, spoken=spoken) if spoken else whole
    for each in ORDER:
        finding = each(whole if each in _OF_SOURCES else view)
        if finding is not None:
            return Verdict(claim=claim, finding=finding)
    return Verdict(claim=claim, finding=LAST(view))


def unread(claim: Claim) -> Verdict:
    """Leave a claim unverified for want of budget."""
    finding = Finding(
        support="UNVERIFIED",
        rule="claims/not-addressed",
        code="BUDGET",
        note="the budget of this engine was spent before it",
        missing=("UNINSPECTED_EVIDENCE", "A shorter candidate."),
    )
    return Verdict(claim=claim, finding=finding)
