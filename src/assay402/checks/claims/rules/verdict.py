"""The order in which the rules speak: the first that has something to say decides."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Claim, Finding, Verdict
from assay402.checks.claims.reading.claims import spoken
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules import (
    asserting,
    attribution,
    authority,
    checkers,
    codes,
    counts,
    deeds,
    denial,
    elements,
    fields,
    lists,
    mismatch,
    modality,
    newest,
    outcome,
    parties,
    polarity,
    runs,
    sequence,
    shares,
    slots,
    states,
    sums,
    tallies,
    tests,
    totals,
    universals,
    values,
    verbatim,
    zeroes,
)
from assay402.checks.claims.rules.afterwards import let_go
from assay402.checks.claims.rules.conflicts import weighed
from assay402.checks.claims.rules.embedding import is_doubted
from assay402.checks.claims.rules.itself import is_said_by, only_itself
from assay402.checks.claims.rules.phases import tells_other
from assay402.checks.claims.rules.rows import is_of_another_name
from assay402.checks.claims.rules.scopes import is_of_other_scope
from assay402.checks.claims.rules.supports import Supported
from assay402.checks.claims.rules.view import THIS, View, as_said, view_of
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
    outcome.cell_recorded,
    outcome.whole_outcome,
    tests.test_report,
    checkers.checker_report,
    tallies.run_lasted,
    codes.answer_code,
    authority.authority,
    zeroes.zero_counted,
    shares.share_counted,
    shares.records_summed,
    deeds.status_conflict,
    universals.counterexample,
    universals.none_counted,
    tallies.tally_differs,
    tallies.not_alone,
    counts.count_differs,
    lists.listed,
    elements.elements_tell,
    sums.comparison_false,
    sums.change_computed,
    mismatch.value_mismatch,
    polarity.polarity_flip,
    polarity.antonym,
    states.state_otherwise,
    sequence.order_of_events,
    polarity.cause_not_stated,
    deeds.stage_overclaim,
    deeds.self_report_only,
    deeds.action_recorded,
    counts.counted,
    sums.computed,
    verbatim.stated_verbatim,
    fields.fields_state,
    modality.modality_overclaim,
    deeds.no_execution_record,
    values.all_facts_bound,
    states.state_recorded,
    values.not_established,
)
_OF_SOURCES: Final = (attribution.quotation, attribution.source_not_supplied, attribution.wrong_attribution)


def _asked() -> Iterator[tuple[Callable[[View], Finding | None], bool]]:
    """Give the rules as they are asked, each with whether it is about the source that a claim names.

    What the fields of a record state is asked of denials and causes before the rules that look at single words of theirs.
    """
    for each in ORDER:
        if each is deeds.status_conflict:
            yield fields.states_denial_or_cause, False
        yield each.judge, each in _OF_SOURCES


_ASKED: Final = tuple(_asked())
LAST: Final = values.not_addressed
GUARDS: Final[tuple[Rule[Supported, Finding | None], ...]] = (
    denial.polarity_differs,
    newest.newer_record,
    slots.other_slot,
    parties.other_party,
    runs.other_run,
    totals.part_of_total,
    asserting.asserts_less,
    asserting.other_role,
)
"""Asked of every support, whichever rule gave it: the first that objects takes it back."""


def judge(claim: Claim, world: World) -> Verdict:
    """Judge one claim; what is said again in the same case is not looked up again."""
    said = as_said(claim)
    finding = world.findings.get(said)
    if finding is None:
        finding = world.findings[said] = _found(said, world)
        let_go(said, world)
    return Verdict(claim=claim, finding=_placed(finding, claim))


def _placed(finding: Finding, claim: Claim) -> Finding:
    """Give a finding about what a claim says as one about the claim where it stands."""
    if finding.missing is None and finding.repair is None:
        return finding
    missing, repair = finding.missing, finding.repair
    return replace(
        finding,
        missing=None if missing is None else (missing[0], missing[1].replace(THIS, claim.id)),
        repair=None
        if repair is None
        else (repair[0], claim.span.start + repair[1], claim.span.start + repair[2], repair[3]),
    )


def _found(claim: Claim, world: World) -> Finding:
    if not claim.said:
        found = _judged(claim, world)
        return found if claim.cell is None else outcome.with_cell(view_of(claim, world), found)
    view = view_of(claim, world)
    told = outcome.cell_recorded(view)
    if told is not None:
        return outcome.with_cell(view, told)
    found = outcome.with_cell(view, replace(_judged(spoken(claim), world), bound=(), repair=None))
    if found.support in ("SUPPORTED", "CONTRADICTED") or not (claim.facts or stems(claim.text)):
        return found
    return _judged(claim, world)


def _judged(claim: Claim, world: World) -> Finding:
    whole = view_of(claim, world)
    said, only = attribution.without_source(claim, world.sources)
    view = View(said, world, only) if only else whole
    if not only:
        said, spoken = attribution.without_speaker(claim, world)
        view = View(said, world, spoken=spoken) if spoken else whole
    finding = _first(whole, view)
    if view is not whole:
        view.let_go()
    return finding


def _first(whole: View, view: View) -> Finding:
    """Give what the first rule says that has something to say of a claim, apart from the source it names or with it."""
    for judged, is_of_source in _ASKED:
        asked = whole if is_of_source else view
        finding = judged(asked)
        if finding is None or only_itself(asked, finding):
            continue
        if is_said_by(asked, finding) or not _is_of_another(view, finding):
            found = weighed(asked, _guarded(asked, finding), _judged)
            return attribution.unsaid(view) if _is_of_another_speaker(asked, found) else found
    return attribution.unsaid(view) if view.spoken else LAST(view)


_BY_WORDS: Final = ("antonym", "polarity-flip", "state-otherwise", "status-conflict", "value-mismatch")


def _is_of_another(view: View, finding: Finding) -> bool:
    """Tell whether every record that decides is of another subject than the claim, so that it decides nothing."""
    if finding.support not in ("SUPPORTED", "CONTRADICTED"):
        return False
    records = view.world.bearing_by_ref(finding.refs)
    rule = finding.rule.partition("/")[2]
    is_worded = finding.support == "CONTRADICTED" and rule in _BY_WORDS
    return bool(records) and all(
        (is_worded and is_doubted(view.claim, record))
        or zeroes.denies_nothing(view.claim, finding, record)
        or is_of_another_name(view.claim, finding, record, view.world)
        or view.subject.is_other(record)
        or is_of_other_scope(view.claim, record, rule)
        or (finding.support == "SUPPORTED" and tells_other(view.claim, record))
        for record in records
    )


def _is_of_another_speaker(view: View, finding: Finding) -> bool:
    """Tell whether what the claim lets somebody say stands only in what others say."""
    return (
        bool(view.spoken)
        and finding.support == "SUPPORTED"
        and not any(record.order in view.spoken for record in view.world.bearing_by_ref(finding.refs))
    )


def _guarded(view: View, finding: Finding) -> Finding:
    supported = Supported(view, finding)
    if finding.support == "UNSUPPORTED":
        return parties.named_otherwise(supported) or finding
    if finding.support == "CONTRADICTED":
        return runs.other_run(supported) or finding
    if finding.support != "SUPPORTED":
        return finding
    taken = (found for each in GUARDS if (found := each(supported)) is not None)
    return next((found for found in taken if not only_itself(view, found)), finding)


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
