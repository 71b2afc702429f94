"""Items that say opposite things of a claim: where a time or a version orders them the newer decides, else neither does."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, EvidenceItem, Field, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain, words
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.polarity import opposed
from assay402.checks.claims.rules.standing import holds
from assay402.checks.claims.rules.view import Near, View
from assay402.checks.claims.rules.world import World

_WEIGHED: Final = frozenset(
    (
        "claims/action-recorded", "claims/all-facts-bound", "claims/stated-verbatim", "claims/authority",
        "claims/state-recorded", "claims/fields-state", "claims/antonym", "claims/polarity-flip", "claims/state-otherwise", "claims/status-conflict",
    )
)  # fmt: skip
"""Rules that rest on one record; those that count look at all items themselves."""
_LATER_BY_NATURE: Final = ("STAGE_REVERSED", "STALE_AUTHORITY")
_DAY: Final = 10
"""Characters of a date."""
_HALF: Final = 0.5
_MOST: Final = 0.75
_UNDONE: Final = ("FAILED", "NONEXECUTION", "REVERSED")
_STATE_NAME: Final = re.compile(r"(?:^|[_. ])(?:status|state|phase|health|condition)$", re.IGNORECASE)
_STAGES: Final = ("REQUESTED", "QUEUED", "ATTEMPTED", "COMPLETED")


def evidence_in_conflict(refs: tuple[str, ...]) -> Finding:
    """Leave a claim unverified of which two records say opposite things."""
    return Finding(
        support="UNVERIFIED",
        rule="claims/evidence-conflict",
        refs=refs,
        code="EVIDENCE_CONFLICT",
        note="two items say opposite things and nothing orders them",
        missing=(
            "CONFLICT_RESOLUTION",
            f"A time, a version or a further record that decides between {refs[0]} and {refs[1]}.",
        ),
        conflict=True,
    )


def weighed(view: View, finding: Finding, judged: Callable[[Claim, World], Finding]) -> Finding:
    """Give a finding as it stands beside what another item alone would give."""
    world, claim = view.world, view.claim
    if len(world.sources) < 2 or finding.rule not in _WEIGHED or claim.quantifier:  # two, to disagree
        return finding
    record = next(iter(world.bearing_by_ref(finding.refs)), None)
    if record is None or finding.code in _LATER_BY_NATURE or view.is_narrowed:
        return finding
    for item in _others(view, finding, record.item):
        rival = judged(claim, world.within(item))
        other = next(iter(world.bearing_by_ref(rival.refs)), None)
        if other is None or not _oppose(finding, rival):
            continue
        later = _later(view, record, other)
        if later is None:
            return evidence_in_conflict((finding.refs[0], rival.refs[0]))
        return finding if later is record else rival
    return _beside_twin(view, finding, record) if finding.support == "SUPPORTED" else finding


def _beside_twin(view: View, finding: Finding, record: Record) -> Finding:
    for twin in _twins(view, record):
        later = _later(view, record, twin)
        if later is None:
            return evidence_in_conflict((finding.refs[0], twin.ref))
        if later is twin and (_IS.search(view.claim.text) or _undoes(record, twin)):
            return Finding(
                support="CONTRADICTED",
                rule="claims/newer-record",
                refs=(twin.ref, *finding.refs),
                code="STATUS_CONFLICT",
                note="a later record gives another state",
            )
    return finding


_IS: Final = Pattern(r"\b(?:is|are)\s(?!(?:been|being)\b)", re.IGNORECASE)
_UN: Final = re.compile(r"(?:not[ _-]?|un|in|non[ _-]?)(?P<rest>.+)")


def _undoes(record: Record, later: Record) -> bool:
    """Tell whether the later of two states denies the earlier one in its own word: `sold` and `unsold`."""
    values = {field.value.lower() for field in record.fields}
    return any(
        denial is not None and denial["rest"] in values
        for field in later.fields
        for denial in (_UN.fullmatch(field.value.lower()),)
    )


def _oppose(one: Finding, two: Finding) -> bool:
    return (
        {one.support, two.support} == {"SUPPORTED", "CONTRADICTED"}
        and two.rule in _WEIGHED
        and two.code not in _LATER_BY_NATURE
    )


def _others(view: View, finding: Finding, item: EvidenceItem) -> list[EvidenceItem]:
    """Give the other items that may say the opposite of what was found of a claim."""
    found = {
        near.record.item.id: near.record.item
        for near in view.near
        if near.record.item is not item
        and near.record.item.kind != "description"
        and (near.shared or near.coverage >= _HALF)
        and _may_oppose(view.claim, finding, near)
    }
    return [found[name] for name in sorted(found)] if item.kind != "description" else []


def _may_oppose(claim: Claim, finding: Finding, near: Near) -> bool:
    """Tell whether a record of another item is worth asking: it has another sign or word, or all that would support."""
    if finding.support == "CONTRADICTED":
        return near.coverage >= _MOST
    record = near.record
    return stage_of(record) in _UNDONE or opposed(claim, record) or _has_other_state(claim, record)


def _has_other_state(claim: Claim, record: Record) -> bool:
    excluded = frozenset[str]().union(*(table("states").get(word, ()) for word in words(claim.text.lower())))
    return bool(excluded) and not excluded.isdisjoint(word.lower() for word in words(record.searched[:_READ]))


def _later(view: View, one: Record, two: Record) -> Record | None:
    """Give which of two records of different items decides; None where neither a time nor a version says so."""
    first, second = one.moment, two.moment
    if len(first) >= _DAY and len(second) >= _DAY and first != second:
        return one if first > second else two
    held = holds(view, view.to(one), view.to(two))
    return None if held is None else held.record


def _twins(view: View, record: Record) -> Iterator[Record]:
    """Give the records of other items that say the same of the same thing but for the one word that makes the difference."""
    for near in view.near:
        other = near.record
        if other.item is record.item or other.form != record.form or other.item.kind == "description":
            continue
        is_twin = _differ_in_state(record, other) or _differ_in_name(record.text, other.text)
        if is_twin:
            yield other


def _differ_in_state(one: Record, two: Record) -> bool:
    """Tell whether two records differ in their state alone, which one thing has once: `lot 3 status=sold`, `lot 3 status=lost`."""
    mine, theirs = _untimed(one), _untimed(two)
    if not mine or [field.name for field in mine] != [field.name for field in theirs]:
        return False
    apart = [pair for pair in zip(mine, theirs, strict=True) if pair[0].value != pair[1].value]
    if len(apart) != 1 or not _STATE_NAME.search(apart[0][0].name):
        return False
    is_of_another = one.form == "line" and _beside(one, apart[0][0]) != _beside(two, apart[0][1])
    if is_of_another or any({each.value.lower() for each in apart[0]} <= group for group in _in_turn()):
        return False
    stages = {stage_of(one), stage_of(two)}
    return len(stages) == 1 or not stages <= set(_STAGES)  # the ladder orders how far something went


@cache
def _in_turn() -> tuple[frozenset[str], ...]:
    """Give the words for a state that one thing can be in together, or one after the other."""
    return tuple(map(frozenset, table("phases")["in_turn"]))


def _untimed(record: Record) -> list[Field]:
    return [
        field
        for field in record.fields
        if not (record.moment and field.value.startswith(record.moment[:_DAY]))
    ]


def _beside(record: Record, field: Field) -> str:
    """Give what a line says beside its time and one of its values."""
    moment = record.moment
    text = (
        record.text.replace(moment, " ", 1).replace(moment.replace(" ", "T"), " ", 1)
        if moment
        else record.text
    )
    return plain(text.replace(field.value, " ", 1))


def _differ_in_name(one: str, two: str) -> bool:
    """Tell whether two sentences give one thing another name, day or place."""
    first, second = _names_one().fullmatch(one[:_READ]), _names_one().fullmatch(two[:_READ])
    return (
        first is not None
        and second is not None
        and first["thing"].lower() == second["thing"].lower()
        and first["name"] != second["name"]
    )


_READ: Final = 300


@cache
def _names_one() -> Pattern:
    """Give the pattern of a sentence that names what one thing alone is, or where or when it is."""
    given = "|".join(table("events")["to_one"])
    return Pattern(
        rf"\s*(?P<thing>(?:The|Our|My|Its)\s[^.;,:]{{2,80}}?\s(?:is|was)\s(?:in\s|on\s|at\s|now\s|(?:{given})\sto\s)?)(?P<name>[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*){{0,3}}?)[.!]?\s*"
    )
