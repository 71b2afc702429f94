"""Whether what a claim says of both or of each is the value of one record alone."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.view import Near

_IN_ALL: Final = Pattern(r"\b(?:in total|in all|altogether|combined)\b", re.IGNORECASE)
_EACH: Final = Pattern(r"\b(?:[Bb]oth|[Ee]ach|[Ee]very)\b")
_VALUED: Final = ("money", "number", "quantity", "percent", "version", "date", "time")
_BESIDE: Final = 12


def is_of_several(claim: Claim, fact: Fact) -> bool:
    """Tell whether a claim gives a value for several records together, which no one of them denies."""
    return fact.kind in ("money", "number", "quantity") and _IN_ALL.search(claim.text) is not None


def of_one_alone(supported: Supported, near: Near, rule_id: str) -> Finding | None:
    """Take back a value of both or each where another record of the same kind gives another."""
    if supported.rule == "answer-code" or _EACH.search(supported.claim.text) is None:
        return None
    held = [each.fact for each in near.bindings if each.state == "match" and each.fact.kind in _VALUED]
    if not held:
        return None
    record = near.record
    for each in supported.view.world.records[max(0, record.order - _BESIDE) : record.order + _BESIDE + 1]:
        if each is record or each.item is not record.item or _kind(each) != _kind(record):
            continue
        if any(_is_another(fact, each) for fact in held):
            return unstated(supported, rule_id, "another record gives another value", "it of each")
    return None


def _is_another(fact: Fact, record: Record) -> bool:
    """Tell whether a record has values of the sort and none of them is the claimed one."""
    told = {compare(fact, each) for each in record.facts}
    return "unequal" in told and "equal" not in told


def _kind(record: Record) -> tuple[str, ...]:
    """Give what records of one kind have alike: the names of their fields, or the first word."""
    head = (
        record.text.lower().split()[:1]
        if record.form == "line"
        else [each.name for each in record.fields[:20]]
    )
    return (record.form, *head)
