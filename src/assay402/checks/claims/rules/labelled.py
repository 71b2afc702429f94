"""Values that a field, a label, a row or a column gives to something else than the claim does, or in another unit."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Finding
from assay402.checks.claims.reading.facts import value_facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import UNIT_NAME, Record
from assay402.checks.claims.reading.text import stem, stems, stop_words
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.compare import IDENTIFYING, compare, generic
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.swapped import counted_apart
from assay402.checks.claims.rules.view import Near
from assay402.checks.claims.rules.world import World
from assay402.checks.claims.rules.written import is_unready, is_written_otherwise, other_table

_BESIDE: Final = 8
"""Lines or rows looked at on either side."""
_WORD: Final = re.compile(r"[A-Za-z]+")
_JOINT: Final = re.compile(r"[\s_.\-()\[\]/]+|(?<=[a-z])(?=[A-Z])")
_KIND: Final = re.compile(r"\b([A-Za-z]{3,})\s(?:#|no\.?\s|number\s)?$")
_ROLE: Final = Pattern(r"\bis the (\w+)(?: \w+)? of\b")
_SLOTTED: Final = (*IDENTIFYING, "date", "time")


def found_elsewhere(supported: Supported, near: Near, rule_id: str) -> Finding | None:
    """Take back a value that the record gives to another label, row or count, in another unit, or spells as another one."""
    if supported.rule not in _READ_AS_TEXT:
        return None
    claim, world = supported.claim, supported.view.world
    other = counted_apart(claim, near.record)
    if other is not None:
        return denied(supported, rule_id, near.record, "VALUE_MISMATCH", f"there it is {other.raw}")
    record = _of_other_unit(near)
    if record is not None:
        return denied(
            supported, rule_id, record, "UNIT_OR_CURRENCY_MISMATCH", "the record gives it in another unit"
        )
    said = frozenset(stem(each) for each in _WORD.findall(_without_values(claim)))
    placed = _of_other_label(claim, near, said, world)
    if placed is not None:
        return denied(supported, rule_id, placed[0], "VALUE_MISMATCH", f"there it is {placed[1].raw}")
    if _is_of_another_row(near, said, world):
        return unstated(supported, rule_id, "the record gives it to another", "it of the same")
    if is_written_otherwise(claim, near):
        return denied(supported, rule_id, near.record, "VALUE_MISMATCH", "the record spells another value")
    if "ready" in claim.content and is_unready(claim, near.record):
        return denied(
            supported, rule_id, near.record, "STATUS_CONFLICT", "the record counts fewer that are ready"
        )
    table = other_table(claim, near, world)
    return (
        unstated(supported, rule_id, f"the statement was about {table}", "that it was done to the same")
        if table
        else None
    )


_READ_AS_TEXT: Final = ("action-recorded", "all-facts-bound", "stated-verbatim", "computed", "fields-state")


def _of_other_unit(near: Near) -> Record | None:
    """Give the record whose field beside a bound value, or whose header, gives it another currency or unit than the claim."""
    for binding in near.bindings:
        fact, found, record = binding.fact, binding.found, binding.record
        if binding.state != "match" or found is None or record is None or found.start >= 0 or found.unit:
            continue
        if fact.kind in ("money", "percent", "quantity") and _is_in_other(fact, found, record):
            return record
    return None


def _is_in_other(fact: Fact, found: Fact, record: Record) -> bool:
    for told in _units(record, -1 - found.start):
        named = value_facts(f"{found.value} {told}")
        valued = [each for each in named if each.kind in ("money", "percent", "quantity")]
        if valued and compare(fact, valued[0]) != "equal":
            return True
        if not valued and fact.kind == "money" and _CODE.fullmatch(told) and told not in fact.raw:
            return True
    return False


_CODE: Final = re.compile(r"(?!AM|PM|ID)[A-Z]{3}")
_WRITTEN: Final = frozenset(
    ("usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "usdc", "ms", "secs", "seconds", "minutes", "hours", "kb", "mb", "gb", "tb",
     "kg", "lb", "km", "cm", "mm", "pct", "percent", "bytes", "days", "weeks", "miles")
)  # fmt: skip
"""What ends the name of a field, or stands in brackets in a header, and is a unit."""


def _units(record: Record, place: int) -> Iterator[str]:
    """Give the units that the name of a field and the fields beside it tell."""
    name = record.fields[place].name
    parts = [each for each in _JOINT.split(name) if each]
    if parts and parts[-1].lower() in _WRITTEN:
        last = parts[-1].lower()
        yield {"pct": "%", "percent": "%"}.get(
            last, parts[-1].upper() if len(last) == len("usd") and last.isalpha() else last
        )
    inside = name.rpartition(".")[0]
    for field in record.fields:
        above, _, low = field.name.rpartition(".")
        if above == inside and UNIT_NAME.search(low) is not None and len(field.value) <= _LONGEST_UNIT:
            yield (
                field.value.upper()
                if len(field.value) == len("usd") and field.value.isalpha()
                else field.value
            )


_LONGEST_UNIT: Final = 12


def _of_other_label(
    claim: Claim, near: Near, said: frozenset[str], world: World
) -> tuple[Record, Fact] | None:
    """Give the value that stands where the claim says its own does, in a field, line or row that fits the claim better."""
    for binding in near.bindings:
        fact, found, record = binding.fact, binding.found, binding.record
        if binding.state != "match" or found is None or record is None:
            continue
        if fact.kind in _SLOTTED and claim.form not in ("leaf", "cell"):
            other = _better_slot(claim, binding, said, world) or _kind_otherwise(claim, binding)
            if other is not None:
                return other
    return _row_otherwise(near, said, world) or _role_otherwise(claim, near)


def _without_values(claim: Claim) -> str:
    text = claim.text
    for fact in reversed(claim.facts):
        if fact.kind in IDENTIFYING:
            text = f"{text[: fact.start]} {text[fact.end :]}"
    return text


def _better_slot(
    claim: Claim, binding: Binding, said: frozenset[str], world: World
) -> tuple[Record, Fact] | None:
    record, found, fact = binding.record, binding.found, binding.fact
    assert record is not None  # noqa: S101  (of a binding that matches)
    assert found is not None  # noqa: S101
    own = _label(record, found)
    named = {each.value for each in claim.facts}
    if not own - said:
        return None
    for beside in _beside(record, world):
        for other in beside.facts:
            if other.value in named or other.value == found.value or other.kind != found.kind:
                continue
            label = _label(beside, other)
            more, less = label & said, own & said
            if more > less or (
                more >= less and more and not (label - said) - (own - said) and (own - said) - label
            ):
                return (beside, other) if compare(fact, other) != "equal" else None
    return None


def _beside(record: Record, world: World) -> Iterator[Record]:
    yield record
    if record.form == "line" and len(record.fields) == 1:
        yield from (each for each in _neighbours(record, world) if len(each.fields) == 1)


def _neighbours(record: Record, world: World) -> Iterator[Record]:
    around = world.records[max(0, record.order - _BESIDE) : record.order + _BESIDE + 1]
    yield from (each for each in around if each.item is record.item and each is not record)


def _label(record: Record, fact: Fact) -> frozenset[str]:
    """Give the words of the name of the field, or of the label of the line, that a value stands in."""
    if fact.start < 0:
        name = record.fields[-1 - fact.start].name
    else:
        name = (
            record.fields[0].name
            if len(record.fields) == 1 and record.form == "line" and "=" not in record.text
            else ""
        )
    parts = [each for each in _JOINT.split(name) if each]
    return frozenset(stem(each) for each in parts) - generic() - _OF_A_KIND


_OF_A_KIND: Final = frozenset(
    stem(each) for each in ("ids", "uuid", "ref", "address", "utc", "iso", "str", "of", "the")
)


def _kind_otherwise(claim: Claim, binding: Binding) -> tuple[Record, Fact] | None:
    """Give the value of the field that is named as the claim calls an identifier that the record gives another name."""
    fact, found, record = binding.fact, binding.found, binding.record
    assert record is not None  # noqa: S101  (of a binding that matches)
    assert found is not None  # noqa: S101
    kind = _KIND.search(claim.text[: fact.start])
    if (
        kind is None
        or found.start >= 0
        or stem(kind[1]) in _label(record, found)
        or kind[1].lower() in stop_words()
    ):
        return None
    unnamed = {each.value for each in claim.facts if _KIND.search(claim.text[: each.start]) is None}
    return next(
        (
            (record, other)
            for other in record.facts
            if other.start < 0
            and other.value not in {fact.value, *unnamed}
            and _last(record, other) == stem(kind[1])
            and other.kind == found.kind
        ),
        None,
    )


def _last(record: Record, fact: Fact) -> str:
    return stem(record.fields[-1 - fact.start].name.rpartition(".")[2].removesuffix("_id"))


def _role_otherwise(claim: Claim, near: Near) -> tuple[Record, Fact] | None:
    """Give the value of the field for a part that the claim gives to another identifier: `T-4 is the parent of T-9`."""
    match = _ROLE.search(claim.text)
    if match is None or len(claim.facts) != len(("holder", "of")):
        return None
    holder, of = claim.facts
    return next(
        (
            (near.record, other)
            for other in near.record.facts
            if other.start < 0
            and _last(near.record, other) == stem(match[1])
            and other.value == of.value != holder.value
        ),
        None,
    )


def _in_rows_of_others(near: Near, said: frozenset[str]) -> Iterator[tuple[Fact, Record, int]]:
    """Give each value found in a row or object that is of something the claim does not name, and its place there."""
    for binding in near.bindings:
        found, record = binding.found, binding.record
        if binding.state != "match" or found is None or record is None or found.start >= 0:
            continue
        place = -1 - found.start
        if record.form not in ("row", "json") or place >= len(record.fields):
            continue
        own = _key(record, place)
        if own and not own & said:
            yield binding.fact, record, place


def _row_otherwise(near: Near, said: frozenset[str], world: World) -> tuple[Record, Fact] | None:
    """Give the value of the row that the claim names, where its value was found in a row that it does not name."""
    for fact, record, place in _in_rows_of_others(near, said):
        for other in _rows(record, world):
            fields = other.fields
            if place >= len(fields) or fields[place].name != record.fields[place].name:
                continue
            key = _key(other, place)
            given = [each for each in other.facts if each.start == -1 - place]
            if key and key <= said and given and compare(fact, given[0]) != "equal":
                return other, given[0]
    return None


def _is_of_another_row(near: Near, said: frozenset[str], world: World) -> bool:
    """Tell whether a value stands in a row that the claim does not name, beside one that it names."""
    return any(
        key and key <= said
        for _, record, place in _in_rows_of_others(near, said)
        for key in (_key(other, place) for other in _rows(record, world))
    )


def _rows(record: Record, world: World) -> Iterator[Record]:
    yield from (
        each
        for each in (record.beside if record.parent is not None else _neighbours(record, world))
        if each.form == record.form
    )


_NAMING: Final = re.compile(
    r"(?:^|[_.])(?:name|title|label|item|user|service|host|product|person|employee|team|owner|key)$",
    re.IGNORECASE,
)


def _key(record: Record, place: int) -> frozenset[str]:
    """Give the words of the first cell of a row, which say what it is of."""
    first = record.fields[0] if record.fields else None
    if (
        first is None
        or place == 0
        or (record.form == "json" and not _NAMING.search(first.name))
        or any(each.isdigit() for each in first.value)
    ):
        return frozenset()
    return frozenset(stems(first.value))
