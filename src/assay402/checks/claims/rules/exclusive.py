"""Slots that hold one value at a time: the version that runs in a place, what a thing was brought to, how many of all."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.facts import value_facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.called import PARTED
from assay402.checks.claims.rules.compare import NUMERIC, compare
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.units import in_other_unit
from assay402.checks.claims.rules.view import Near, View

_LOOKED_AT: Final = 60
_VERSION: Final = re.compile(r"v?([0-9]+(?:\.[0-9]+)*)(?:[-+][0-9a-z.]+)?", re.IGNORECASE)
AT: Final = Pattern(r"\b(?:is|are|was|were|runs?|running|deployed|now)\s(?:(?:now|currently|still|live)\s)?(?:on|at|to|with)?\s?(?:build|version|release|revision)?\s?$", re.IGNORECASE)  # fmt: skip
"""What stands before the version or build that something has."""
_TO: Final = Pattern(
    r"[a-z]{2,}(?:ed|t|w|se|ll|mp)\s(?:\w+\s){0,6}?to\s(?:build|version|release|revision)?\s?$", re.IGNORECASE
)
_ALL: Final = Pattern(r"\ball\s(?:of\s)?(?:the\s)?$", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\s([a-z]{3,})\b")


def exclusive_mismatch(view: View) -> tuple[Near, Binding, bool] | None:
    """Give the value that a record gives a claim's slot otherwise, and whether it may stand in the claim's place."""
    claim = view.claim
    if claim.negative or claim.modality != "is" or claim.form in ("leaf", "cell", "heading"):
        return None
    for fact in claim.facts:
        if fact.compared:
            continue
        before = claim.text[: fact.start]
        if fact.kind in ("version", "id", "number") and (AT.search(before) or _TO.search(before)):
            found = _placed(view, fact, is_goal=_TO.search(before) is not None)
        elif fact.kind in NUMERIC and _TO.search(before):
            found = _moved(view, fact)
        else:
            found = _short(view, fact) if fact.kind == "number" and _ALL.search(before) else None
        if found is not None:
            return found
    return _named(view) or _measured(view)


def _measured(view: View) -> tuple[Near, Binding, bool] | None:
    """Give the measure of a record that says what a claim says of as many of another unit."""
    for near in view.near[:2]:
        told = in_other_unit(view.claim, near.record)
        if told is not None:
            return near, Binding("unit", *told, near.record), True
    return None


def _named(view: View) -> tuple[Near, Binding, bool] | None:
    """Give the value of the only field that is named as a claim names its own: `p95 is 240 ms` beside `{"p95_ms": 230}`."""
    claim = view.claim
    names = [each for each in claim.facts if each.kind == "id" and not each.raw.startswith("#")]
    values = [each for each in claim.facts if each.kind in NUMERIC and not each.compared]
    if len(names) != 1 or len(values) != 1 or len(claim.facts) != len((*names, *values)):
        return None
    name, value = names[0].value, values[0]
    if not name[0].isalpha() or _IS.search(claim.text[: value.start]) is None:
        return None
    told = [
        (near, place)
        for near in view.near[:_LOOKED_AT]
        if near.coverage == 1.0 and not near.missing_names and near.record.form in ("json", "line")
        for place, field in enumerate(near.record.fields)
        if name in PARTED.split(field.name.lower())
    ]
    if len(told) != 1:
        return None
    near, place = told[0]
    alike = [each for each in near.record.facts if each.start == -1 - place and each.kind == value.kind]
    if len(alike) != 1 or compare(value, alike[0]) != "unequal":
        return None
    found = alike[0]
    return near, Binding("mismatch", value, found, near.record, 1), True


_IS: Final = Pattern(r"\b(?:is|are|was|were|at|of|equals)\s$")


def _fitting(view: View, fact: Fact) -> Iterator[Near]:
    """Give the records of named values that hold all that a claim says of the subject of a value."""
    wanted = (view.claim.content | view.claim.names) - _stems("about") - frozenset(stems(fact.raw))
    for near in view.near[:_LOOKED_AT] if wanted else ():
        if (
            near.record.fields
            and not near.record.is_prose
            and near.record.item.kind != "description"
            and wanted <= near.stems
            and not near.missing_names
        ):
            yield near


def _placed(view: View, fact: Fact, *, is_goal: bool) -> tuple[Near, Binding, bool] | None:
    """Give the other version or build that the only record of the place tells."""
    claim = view.claim
    noun = (
        (stems(claim.text[: fact.start].split()[-1]) or [""])[-1] if claim.text[: fact.start].split() else ""
    )
    if fact.kind != "version" and noun not in _stems("numbered"):
        return _moved(view, fact) if fact.kind == "number" and is_goal else None
    told: list[tuple[Near, Fact]] = []
    for near in _fitting(view, fact):
        slots = [*_slots(near.record, fact, noun, is_goal=is_goal)]
        if not slots:
            continue
        if len(slots) > 1 or not _is_in_force(claim, near.record):
            return None
        told.append((near, slots[0]))
    return _only(fact, told)


def _slots(record: Record, fact: Fact, noun: str, *, is_goal: bool) -> Iterator[Fact]:
    """Give the values of the fields of a record that tell a version, or where something was brought."""
    wanted = _words("goals") if is_goal and _has(record, "origins") else _words("versions")
    for each in record.facts:
        for field in record.fields[-1 - each.start :][:1] if each.start < 0 else ():
            name = field.name.rpartition(".")[2].lower()
            is_named = (
                fact.kind == "version" or wanted is _words("goals") or stem(name.partition("_")[0]) == noun
            )
            if name in wanted and is_named and each.raw == field.value and _VERSION.fullmatch(field.value):
                yield each


def _only(fact: Fact, told: list[tuple[Near, Fact]]) -> tuple[Near, Binding, bool] | None:
    """Give what the records tell, where all of them tell the same and another value than the claim."""
    values = {_bare(found.raw) for _, found in told}
    if len(values) != 1 or any(_is_same(_bare(fact.raw), each) for each in values):
        return None
    near, found = told[0]
    return near, Binding("mismatch", fact, found, near.record, 1), True


def _bare(raw: str) -> str:
    return raw.lower().removeprefix("v")


def _is_same(claimed: str, found: str) -> bool:
    return claimed == found or found.startswith(f"{claimed}.") or claimed.startswith(f"{found}.")


def _is_in_force(claim: Claim, record: Record) -> bool:
    """Tell whether a record tells of what is, at a place that the claim names or at none."""
    said = claim.content | claim.names | frozenset(stems(claim.text))
    at_another = any(
        field.name.rpartition(".")[2].lower() in _words("places") and not frozenset(stems(field.value)) & said
        for field in record.fields
    )
    return not at_another and stage_of(record) in (None, "COMPLETED")


def _has(record: Record, name: str) -> bool:
    return any(each.name.rpartition(".")[2].lower() in _words(name) for each in record.fields)


def _moved(view: View, fact: Fact) -> tuple[Near, Binding, bool] | None:
    """Give the number to which the only record of the thing says that it was brought, from another."""
    told: list[tuple[Near, Fact]] = []
    for near in _fitting(view, fact):
        if not (_has(near.record, "origins") and _has(near.record, "goals")):
            continue
        if not _is_in_force(view.claim, near.record):
            return None
        told += [
            (near, replace(each, start=-1 - place))
            for place, field in enumerate(near.record.fields)
            if field.name.rpartition(".")[2].lower() in _words("goals")
            for each in value_facts(field.value)
            if each.kind in NUMERIC
        ]
    if len(told) != 1 or compare(fact, told[0][1]) != "unequal":
        return None
    near, found = told[0]
    return near, Binding("mismatch", fact, found, near.record, 1), True


def _short(view: View, fact: Fact) -> tuple[Near, Binding, bool] | None:
    """Give how many of all it was done to, where one record counts all and, less, those: `recipients=300 delivered=287`."""
    counted = _COUNTED.match(view.claim.text, fact.end)
    noun, said = stem(counted[1]) if counted is not None else "", frozenset(stems(view.claim.text))
    held = [
        (near, values)
        for near in view.near[:_LOOKED_AT]
        for values in ({_name(near.record, each): each for each in near.record.facts if each.start < 0},)
        if noun in values
    ]
    # Of several such records any may be meant.
    if len(held) != 1 or not _is_all(*held[0], noun, fact):
        return None
    near, values = held[0]
    whole = values[noun]
    parts = [stem(part) for field in near.record.fields for part in PARTED.split(field.name.lower())]
    told = [
        each
        for name, each in values.items()
        if name != noun
        and name in said
        and each.kind == "number"
        and _is_less(each, whole)
        and parts.count(name) == 1  # `shipped=18 shipped_later=2` tells of more
    ]
    return (near, Binding("mismatch", fact, told[0], near.record, 1), False) if len(told) == 1 else None


def _is_all(near: Near, values: dict[str, Fact], noun: str, fact: Fact) -> bool:
    """Tell whether a record that fits a claim counts as many in all as the claim says."""
    return values[noun].low == fact.low and near.coverage >= _HALF and not near.missing_names


_HALF: Final = 0.5


def _is_less(part: Fact, whole: Fact) -> bool:
    return part.low is not None and whole.low is not None and part.low < whole.low


def _name(record: Record, fact: Fact) -> str:
    place = -1 - fact.start
    return stem(record.fields[place].name.rpartition(".")[2].lower()) if place < len(record.fields) else ""


def is_in_other_environment(claim: Claim, record: Record) -> bool:
    """Tell whether a record tells in a field that it is of an environment, and a claim that it is of another."""
    told = frozenset(
        known
        for each in record.chain
        for field in each.fields[:_LOOKED_AT]
        if field.name.rpartition(".")[2].lower() in _words("environments")
        for known in (_known().get(field.value.lower()),)
        if known is not None
    )
    if not told:
        return False
    said = frozenset(_known()[each] for each in re.findall(r"[a-z]+", claim.text.lower()) if each in _known())
    return bool(said) and not said & told


@cache
def _known() -> dict[str, str]:
    known: dict[str, str] = table("exclusive")["known"]
    return known


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("exclusive")[name])


@cache
def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(each) for each in table("exclusive")[name])
