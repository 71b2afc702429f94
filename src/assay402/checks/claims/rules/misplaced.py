"""Values that a record gives under another name than the claim's, or of an element that is no extreme, though the claim says so."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.fielded import Slot, expressed, is_exact, slots_of
from assay402.checks.claims.rules.phrase import Phrase, words_of
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.view import Near

_READ: Final = ("action-recorded", "all-facts-bound", "fields-state")
_LEAST: Final = Pattern(
    r"\b(?:cheapest|lowest|least|smallest|minimum|fastest|shortest|fewest|earliest)\b", re.IGNORECASE
)
_GREATEST: Final = Pattern(
    r"\b(?:most expensive|highest|largest|biggest|maximum|slowest|longest|greatest|latest|most)\b",
    re.IGNORECASE,
)
GONE: Final = Pattern(r"\b(?:sold out|out of stock)\b", re.IGNORECASE)
_SEGMENT: Final = re.compile(r"[,;]\s|\sand\s|\sbut\s")
_INDEX: Final = re.compile(r"/[0-9]+$")
_NUMERIC: Final = ("money", "number", "quantity", "percent")


def misplaced(supported: Supported, near: Near, rule_id: str) -> Finding | None:
    """Take back a value that stands under another name than the claim's, where the claim's own has another value."""
    record = near.record
    if supported.rule not in _READ or not record.fields or supported.claim.form in ("leaf", "cell"):
        return None
    claim = supported.claim
    if GONE.search(claim.text):
        slot = _still_there(claim, near)
        if slot is not None:
            return denied(supported, rule_id, slot.record, "POLARITY", "the record says that there are some")
    for binding in near.bindings:
        if binding.state != "match" or binding.found is None or binding.record is None:
            continue
        other = _own(claim, near, binding)
        if other is not None:
            return (
                denied(supported, rule_id, other.record, "VALUE_MISMATCH", f"there it is {other.field.value}")
                if is_exact(other.parts, _said(claim))
                else unstated(supported, rule_id, "the record gives it under another name", "it of the same")
            )
        beyond = _beyond(claim, binding)
        if beyond is not None:
            return denied(supported, rule_id, beyond, "COMPARISON_FALSE", "another element goes beyond it")
    return None


def _said(claim: Claim) -> frozenset[str]:
    return Phrase(claim).said


def _still_there(claim: Claim, near: Near) -> Slot | None:
    """Give the value that says that there is still some of what a claim says is gone."""
    told = next(each for each in _SEGMENT.split(claim.text) if GONE.search(each))
    said = frozenset(form for each in words_of(told, ()) for form in (each.low, each.stem))
    for slot in (
        each for one in (near.record, *near.record.below[:20]) for each in slots_of(one, near.world)
    ):
        some = slot.is_yes or any(each.kind == "number" and each.low for each in slot.facts)
        if some and slot.parts and expressed((*slot.outer, *slot.parts), said) is not None:
            return slot
    return None


def _own(claim: Claim, near: Near, binding: Binding) -> Slot | None:
    """Give the value that stands under the claim's own name, where it is another than the bound one, which stands under another."""
    fact, found, record = binding.fact, binding.found, binding.record
    assert found is not None  # noqa: S101  (the caller looked)
    assert record is not None  # noqa: S101  (the caller looked)
    if found.start >= 0 or fact.kind not in ("date", "time", "money", "number", "quantity", "percent"):
        return None
    slots = slots_of(record, near.world)
    own = next((each for each in slots if each.record is record and found in each.facts), None)
    around = slots if record is near.record else (*slots, *slots_of(near.record, near.world))
    others = [each for each in around if each is not own and _is_other(claim, fact, found, each)]
    if own is None or not others:
        return None
    said = _said(claim)
    if own.parts and is_exact(own.parts, said):
        return None
    is_told = expressed(own.parts, said) is not None if own.parts else record is near.record
    return next(
        (
            each
            for each in others
            if expressed((*each.outer, *each.parts), said) is not None
            and not (is_told and not is_exact(each.parts, said))
        ),
        None,
    )


def _is_other(claim: Claim, fact: Fact, found: Fact, slot: Slot) -> bool:
    """Tell whether a value has a name that stands beside a claim's value, and is another of its kind than any of the claim's."""
    values = [each for each in slot.facts if each.kind == found.kind]
    if not values or not slot.parts or not _is_beside(fact, slot):
        return False
    told = {each.value for each in claim.facts}
    return slot.field.value.lower() not in claim.text.lower() and all(
        compare(fact, each) == "unequal" and each.value not in told for each in values
    )


def _is_beside(fact: Fact, slot: Slot) -> bool:
    """Tell whether a claim says a word of the name of a field right beside a value."""
    beside = frozenset(fact.attribute)
    return any(expressed((part,), beside) is not None for part in slot.parts)


def _beyond(claim: Claim, binding: Binding) -> Record | None:
    """Give the element of the same list that goes beyond one which a claim calls the extreme."""
    least, greatest = _LEAST.search(claim.text), _GREATEST.search(claim.text)
    found, record = binding.found, binding.record
    if (least is None) == (greatest is None) or found is None or record is None or found.start >= 0:
        return None
    if record.form != "json" or _INDEX.search(record.pointer) is None or binding.fact.kind not in _NUMERIC:
        return None
    name = record.fields[-1 - found.start].name
    held = [(each, low) for each in _elements(record) if (low := _value(each, name)) is not None]
    extreme = max if least is None else min
    best = extreme(held, key=lambda each: each[1], default=None)
    own = _value(record, name)
    if best is None or own is None or (best[1] >= own if least is not None else best[1] <= own):
        return None
    return best[0]


def _elements(record: Record) -> list[Record]:
    """Give the other elements of the list in which a record stands."""
    array = record.pointer.rpartition("/")[0]
    return [
        each
        for each in record.beside
        if each.line == record.line and each.pointer.rpartition("/")[0] == array
    ]


def _value(record: Record, name: str) -> Decimal | None:
    values: list[Fact] = [
        each
        for each in record.facts
        if each.start < 0 and record.fields[-1 - each.start].name == name and each.kind in _NUMERIC
    ]
    return values[0].low if values else None
