"""What several records of one form come to together."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Field, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.portions import N, number
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World

_TOGETHER: Final = Pattern(
    r"\b(?:together|altogether|in total|between them|combined|in all)\b", re.IGNORECASE
)
_SEVERAL: Final = re.compile(
    rf"\b(?:the|all|our|these|both)\s(?:(?P<count>{N})\s)?(?P<noun>[a-z]{{2,20}}s)\b", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")
_TOTAL: Final = frozenset(stem(word) for word in ("total", "sum", "overall", "all", "average"))
_MOST: Final = 200
_ALIKE: Final = 2


def is_said(claim: Claim) -> bool:
    """Tell whether a claim gives a value of several things together."""
    return _TOGETHER.search(claim.text) is not None


def is_one_of_several(world: World, wrong: Binding) -> bool:
    """Tell whether a value is one of several that records of one form give under the same name: none of them denies their sum."""
    record, found = wrong.record, wrong.found
    if record is None or found is None or found.start >= 0 or record.form not in ("json", "row"):
        return False
    name = record.fields[-1 - found.start].name
    alike = [each for each in world.bearing_of(record.item)[:_MOST] if each.form == record.form]
    return sum(any(field.name == name for field in each.fields) for each in alike) >= _ALIKE


def summed(view: View) -> Finding | None:
    """Judge a value of several things together by the field of that name in one record of each."""
    claim = view.claim
    several = _SEVERAL.search(claim.text)
    if several is None or claim.negative or claim.modality != "is" or claim.names or view.identifiers:
        return None
    sums = [fact for fact in claim.facts if not several.start() <= fact.start < several.end()]
    if len(sums) != 1 or sums[0].compared or sums[0].low is None:
        return None
    kind = stem(several["noun"])
    records = [each for each in view.world.with_stem(kind)[:_MOST] if each.form in ("json", "row")]
    values = _values(claim, sums[0], kind, records)
    if len(values) < _ALIKE or len({record.item.id for record in records}) > 1:
        return None
    counted = (
        number(several["count"])
        if several["count"]
        else len(values)
        if several[0][:4].lower() != "both"
        else 2
    )
    agrees = counted == len(values) and sum(values) == sums[0].low
    if not agrees and counted != len(values):
        return None
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/records-summed",
        refs=tuple(record.ref for record in records[:8]),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the {len(values)} records come to {sum(values)}",
    )


def _values(claim: Claim, fact: Fact, kind: str, records: list[Record]) -> list[Decimal]:
    """Give the value of each record in the one field that the claim names; none where a record has none or sums others."""
    named = (claim.content | fact.attribute) - {kind}
    found: list[Decimal] = []
    for record in records:
        fields = [each for each in record.fields if _is_named(each, named)]
        if len(fields) != 1 or _TOTAL & record.own_stems:
            return []
        found.append(Decimal(fields[0].value))
    return found


def _is_named(field: Field, named: frozenset[str]) -> bool:
    said = frozenset(stems(field.name.replace("_", " ")))
    return bool(said) and said <= named and _NUMBER.fullmatch(field.value) is not None
