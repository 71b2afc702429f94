"""A total that a claim tells must be told as one, or be the sum: the value of one of several is a part of it."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.view import Near, value_words
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_ID: Final = "claims/part-of-total"
_TOTAL: Final = Pattern(
    r"\b(?:(?:sub|grand )?total(?:s|l?ed|l?ing)?|altogether|in all|combined|overall|(?<!the )sum(?:s|med)?|the sum of|add(?:s|ed|ing)? up|aggregate)\b",
    re.IGNORECASE,
)
_TOLD: Final = Pattern(r"total|sum|altogether|combined|overall|aggregate", re.IGNORECASE)
_COUNTING: Final = ("records-summed", "counted", "computed", "test-report", "checker-report", "share-counted")
"""Rules that count or add up themselves."""
_KINDS: Final = ("money", "number", "quantity")
_LETTER: Final = re.compile(r"\b[A-Za-z]\b")
_LOOKED_AT: Final = 600


@rule(_ID, since="0.1", spec="section 5.5, section 6 and section 7, R07")
def part_of_total(supported: Supported) -> Finding | None:
    """Take back the support of a total that rests on the value of one of several records.

    ## What it reports
    UNSUPPORTED where the claim calls a value the total, or says that things add up to it, and the record that gives
    the value calls it no total, while other records of its form give values of the same kind: it is a part, unless
    the claim names what that record alone is of, or all the values come to the claimed one.

    ## Why it matters
    The amount of one invoice stands in the evidence, and is not what the invoices total.

    ## How to fix it
    Add the values up, or name the record.
    """
    claim = supported.claim
    if supported.rule in _COUNTING or _TOTAL.search(claim.text) is None:
        return None
    for near in supported.nears:
        for binding in near.bindings:
            if (
                binding.state == "match"
                and binding.fact.kind in _KINDS
                and _is_part(supported, near, binding)
            ):
                return unstated(supported, _ID, "the record gives a part", "the total itself")
    return None


def _is_part(supported: Supported, near: Near, binding: Binding) -> bool:
    record = binding.record or near.record
    if binding.found is None or _TOLD.search(record.searched):
        return False
    if record.form == "json":
        return _is_of_one(supported, record, binding)
    world, found = supported.view.world, binding.found
    alike = world.once(
        ("parts", record.item.id, record.form, found.kind, found.unit), lambda: _alike(world, record, found)
    )
    if len(alike) < _SEVERAL or sum((low for _, low in alike), Decimal(0)) == binding.fact.low:
        return False
    said = supported.claim.content | supported.claim.names | frozenset(_LETTER.findall(supported.claim.text))
    common = frozenset.intersection(*(_words(each) for each, _ in alike))
    return not (said & _words(record)) - common - value_words()


def _is_of_one(supported: Supported, record: Record, binding: Binding) -> bool:
    """Tell whether a value is that of one element of a list of which the claim names none, and others have other values."""
    found, fact = binding.found, binding.fact
    if found is None or found.start >= 0 or not record.pointer.rpartition("/")[2].isdigit():
        return False
    name, array = record.fields[-1 - found.start].name, record.pointer.rpartition("/")[0]
    said = supported.claim.content | supported.claim.names | supported.view.identifiers
    alike = [
        each
        for each in record.beside
        if each.pointer.rpartition("/")[0] == array and each.line == record.line
    ]
    values = [
        one
        for each in alike
        for one in each.facts
        if one.start < 0 and each.fields[-1 - one.start].name == name
    ]
    common = frozenset().union(*(each.own_stems for each in alike)) if alike else frozenset()
    return any(one.low != fact.low for one in values) and not said & (
        (record.own_stems | record.ids) - common
    )


_SEVERAL: Final = 2


def _alike(world: World, like: Record, found: Fact) -> list[tuple[Record, Decimal]]:
    """Give the records of the form of one, each with its first value of a kind and a unit."""
    rows: list[tuple[Record, Decimal]] = []
    for record in world.bearing_of(like.item)[:_LOOKED_AT]:
        low = next(
            (
                fact.low
                for fact in record.facts
                if fact.kind == found.kind and fact.unit == found.unit and fact.low is not None
            ),
            None,
        )
        if record.form == like.form and low is not None and not _TOLD.search(record.searched):
            rows.append((record, low))
    return rows


def _words(record: Record) -> frozenset[str]:
    return frozenset(stems(record.text)) | frozenset(_LETTER.findall(record.text)) | record.ids
