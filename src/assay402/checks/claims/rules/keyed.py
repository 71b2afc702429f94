"""What the names of an object's fields say was done, and of what action the object is the record."""

import re
from typing import Final

from assay402.checks.claims.reading.actions import groups_in, is_participle
from assay402.checks.claims.reading.records import Record

_EVENTS: Final = ("type", "event", "action", "kind", "name", "status", "state", "message", "msg")
_NOTHING: Final = ("", "null", "false", "0", "none")
_DONE: Final = re.compile(
    r"(?:(?!not\b|never\b|no\b)[a-z]+[._ ])?(?:[a-z]+ed|(?:re)?sent|(?:re|pre)?paid)", re.IGNORECASE
)
_OF_DEED: Final = re.compile(
    r"(refund|charge|payment|payout|transfer|deployment|migration|rollback|cancellation|reversal|backup|export|import|upload)(?:_id)?",
    re.IGNORECASE,
)
_MIXED: Final = re.compile(r"(?=\D*[0-9])(?=[^A-Za-z]*[A-Za-z])[\w-]{2,80}")


def done_by_fields(record: Record, *, has_stage: bool) -> list[str]:
    """Name the groups of what fields such as `refunded: true` and `created_at: …` say was done; money that was received was paid."""
    told = [
        field.name
        for field in record.fields
        if field.value.lower() not in _NOTHING and _says_done(field.name.lower())
    ]
    if not has_stage:
        # An event that is named by what was done.
        told += [
            field.value
            for field in record.fields
            if field.name.lower() in _EVENTS and _DONE.fullmatch(field.value)
        ]
    groups = [group for name in told for group in sorted(groups_in(name))]
    paid = "received" in told and any(each.kind == "money" for each in record.facts)
    return [*groups, "pay"] if paid else groups


def _says_done(name: str) -> bool:
    return name.endswith(("ed_at", "ed", "ed_to", "sent_to", "assignee")) or is_participle(
        name.rpartition("_")[2]
    )


def of_deed(record: Record, *, has_status: bool) -> frozenset[str]:
    """Give the action of which an object with a status is the record, named by it: `{"refund": "rf_1", "status": "pending"}`."""
    named = [match for field in record.fields if (match := _OF_DEED.fullmatch(field.name)) is not None]
    if len(named) != 1 or not has_status:
        return frozenset()
    value = next(field.value for field in record.fields if field.name == named[0][0])
    return groups_in(named[0][1]) if _MIXED.fullmatch(value) is not None else frozenset()
