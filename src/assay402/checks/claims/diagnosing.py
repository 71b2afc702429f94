"""A diagnosis from a request: read, judged, and looked at as a whole. Deterministic; asks nothing."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from assay402.checks.claims.model import (
    Again,
    Claim,
    Coverage,
    Diagnosis,
    Directive,
    EvidenceItem,
    Field,
    Given,
    Verdict,
)
from assay402.checks.claims.reading.claims import Candidate, read_candidate
from assay402.checks.claims.reading.facts import LONGEST, MOST, value_facts
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.safety import hits
from assay402.checks.claims.reading.text import stems, utf16_length
from assay402.checks.claims.rules.directives import directives
from assay402.checks.claims.rules.execution import Execution
from assay402.checks.claims.rules.state import CaseFacts, case_state, ceiling, hold_reason
from assay402.checks.claims.rules.verdict import judge, unread
from assay402.checks.claims.rules.world import World, not_english

MOST_FIELDS: Final = 200
"""Fields listed for one item, those of records that claims refer to first."""
_WORK: Final = 2_000
"""Claims judged in one case."""
_COMPARED: Final = 1_000_000
"""Values of the evidence compared with values of the claims in one case."""


def diagnose(given: Given, world: World | None = None) -> Diagnosis:
    """Diagnose the candidate of a request."""
    found = hits(given.candidate, given.evidence)
    world = world or World(given.evidence)
    if found:
        return _quarantined(given, world, found)
    candidate = read_candidate(given.candidate)
    return assemble(given, world, _judged(candidate, world), candidate)


def diagnose_again(given: Given, world: World, before: Diagnosis) -> Again:
    """Diagnose a changed candidate beside the evidence of a diagnosis, as far as a repair depends on it."""
    if hits(given.candidate, ()):
        return Again(state="QUARANTINE", verdicts=())
    candidate = read_candidate(given.candidate)
    verdicts = _judged(candidate, world)
    demanded, _ = _demands(given)
    case = _case(given, world, Outside(candidate, before.coverage, demanded), verdicts)
    return Again(state=case_state(case), verdicts=verdicts)


def _judged(candidate: Candidate, world: World) -> tuple[Verdict, ...]:
    world.spent = 0
    return tuple(
        judge(claim, world)
        if index < _WORK and world.spent < _COMPARED and _is_sentence(claim)
        else unread(claim)
        for index, claim in enumerate(candidate.claims)
    )


def _is_sentence(claim: Claim) -> bool:
    """Tell whether a claim was read to its end and holds no more values than a sentence does."""
    return len(claim.text) <= LONGEST and len(claim.facts) <= MOST


def _demands(given: Given) -> tuple[tuple[Directive, ...], tuple[str, ...]]:
    return directives((given.candidate, given.expected)) if given.expected else ((), ())


def _quarantined(given: Given, world: World, found: Any) -> Diagnosis:  # noqa: ANN401  (a tuple of hits)
    case = CaseFacts(
        is_unsafe=True,
        verdicts=(),
        coverage=(),
        directives=(),
        has_items=True,
        has_inspectable=True,
        cut=False,
    )
    return Diagnosis(
        state=case_state(case),
        verdicts=(),
        coverage=_coverage(given, world, ()),
        hits=found,
        ceiling=ceiling("QUARANTINE", case),
    )


def assemble(
    given: Given, world: World, verdicts: tuple[Verdict, ...], candidate: Candidate | None = None
) -> Diagnosis:
    """Look at the case as a whole."""
    outside = candidate or read_candidate(given.candidate)
    demanded, ignored = _demands(given)
    coverage = _coverage(given, world, verdicts)
    case = _case(given, world, Outside(outside, coverage, demanded), verdicts)
    state = case_state(case)
    execution = Execution(verdicts, world, outside.classes)
    return Diagnosis(
        state=state,
        verdicts=verdicts,
        coverage=coverage,
        directives=demanded,
        ignored=ignored,
        ceiling=ceiling(state, case),
        hold=hold_reason(case) if state == "HOLD" else None,
        actions=tuple(execution.details),
        classes=execution.classes,
        claimed_execution=execution.claimed,
        proven_execution=execution.proven,
    )


class Outside(NamedTuple):
    """What decides a case besides its verdicts."""

    candidate: Candidate
    coverage: tuple[Coverage, ...]
    demanded: tuple[Directive, ...]


def _case(given: Given, world: World, outside: Outside, verdicts: tuple[Verdict, ...]) -> CaseFacts:
    return CaseFacts(
        is_unsafe=False,
        verdicts=verdicts,
        coverage=outside.coverage,
        directives=outside.demanded,
        has_items=bool(given.evidence),
        has_inspectable=bool(world.bearing),
        cut=outside.candidate.cut_at is not None or any(each.finding.code == "BUDGET" for each in verdicts),
    )


def _coverage(given: Given, world: World, verdicts: tuple[Verdict, ...]) -> tuple[Coverage, ...]:
    used = {ref for verdict in verdicts for ref in verdict.finding.refs}
    by_item: dict[str, list[Record]] = {}
    for record in world.records:
        by_item.setdefault(record.item.id, []).append(record)
    return tuple(_covered(item, world, by_item.get(item.id, []), used) for item in given.evidence)


def _covered(item: EvidenceItem, world: World, records: list[Record], used: set[str]) -> Coverage:
    reading = world.reading_of(item)
    reasons = list(reading.reasons)
    if not item.claim_bearing:
        reasons.append("CONTEXT_ONLY")
    if item.id in world.duplicates:
        reasons.append(f"DUPLICATE_OF:{world.duplicates[item.id]}")
    if not_english(item):
        reasons.append("NOT_ENGLISH")
    fields, more = _semantic_fields(records, used)
    if more:
        reasons.append(f"FIELDS_LISTED:{len(fields)}")
    whole = reading.inspected >= len(item.text)
    return Coverage(
        item_id=item.id,
        status="INSPECTED" if whole else "PARTIAL" if reading.inspected else "OMITTED",
        available=utf16_length(item.text),
        inspected=utf16_length(item.text[: reading.inspected]),
        reasons=tuple(reasons),
        fields=tuple(fields),
    )


def _semantic_fields(records: list[Record], used: set[str]) -> tuple[list[Mapping[str, Any]], bool]:
    places = {ref.partition(":")[0] for ref in used}
    relevant = [record for record in records if _is_used(record, used, places)]
    known = {record.order for record in relevant}
    rest = [record for record in records if record.order not in known]
    fields: list[Mapping[str, Any]] = []
    for record in (*relevant, *rest):
        for field in record.fields or (Field("text", record.text.strip()[:400]),):
            if len(fields) >= MOST_FIELDS:
                return fields, True
            fields.append(_semantic_field(record, field, used))
    return fields, False


def _is_used(record: Record, used: set[str], places: set[str]) -> bool:
    if record.line and record.ref.partition(":")[0] not in places:
        return False
    return record.ref in used or any(record.field_ref(field) in used for field in record.fields)


def _semantic_field(record: Record, field: Field, used: set[str]) -> dict[str, Any]:
    ref = record.field_ref(field) if record.fields else record.ref
    value = field.value[:400]
    known = bool(value_facts(value)) or len(stems(value)) <= 3  # a word or two is a status or a name
    location: dict[str, Any] = {"line": record.line or None}
    if record.form == "json":
        location["json_pointer"] = f"{record.pointer}/{field.pointer or field.name}"
    subject = next(iter(sorted(record.ids)), "") or (record.label or "")
    context = {each.name[:80]: each.value[:80] for each in record.fields if each is not field}
    return {
        "ref": ref,
        "source_location": location,
        "subject": subject[:160],
        "context": dict(list(context.items())[:4]),
        "field": field.name[:160],
        "value": value,
        "semantic_status": "INTERPRETED" if known and record.fields else "UNINTERPRETED",
        "reason": None if known and record.fields else "FREE_TEXT",
        "relevant_to_claim": ref in used or record.ref in used,
    }
