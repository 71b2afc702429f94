"""The status that the record of one thing gives in a field of that name."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.naming import is_id_name, kinds
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.view import Near, View

_STANDS: Final = Pattern(
    r"\W*(?:the |our |your )?(?P<subject>.{2,60}?)\s(?:is|are|(?P<was>was|were|has been|have been)(?=\spaid))\s(?:now |currently |still |already )?(?P<state>in progress|being processed|[a-z]{2,14})[.!]?\s*",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(r"(?:^|[_.])(?:status|state|phase)$", re.IGNORECASE)
_ID: Final = re.compile(r"(?:^|_)(?:id|key|number|ref|no)$", re.IGNORECASE)
_PLACES: Final = frozenset(
    stem(word)
    for word in (
        "name",
        "version",
        "path",
        "host",
        "email",
        "branch",
        "env",
        "environment",
        "to",
        "recipient",
        "channel",
    )
)
"""Fields that say where something is or what it is called, and not what it is."""
_BEFORE_PAIRS: Final = re.compile(r"[^=]{0,120}?(?=\s?[\w.-]{1,60}=)")
_HEAD: Final = 200
_MOST_FIELDS: Final = 40


_GOING_ON: Final = dict.fromkeys(
    ("in progress", "processing", "being processed", "underway", "ongoing"), "in progress"
)
"""Words for one state, which is told in each of them."""


def phased(view: View) -> Finding | None:
    """Judge how one thing is said to stand by the status that the newest record of it gives."""
    claim = view.claim
    match = _STANDS.fullmatch(claim.text)
    if match is None or claim.negative or claim.quantifier or claim.modality != "is":
        return None
    subject = frozenset(stems(match["subject"].replace("_", " ")))
    told = [
        near
        for near in view.near
        if subject and _is_of(near, subject) is not None and not _is_self_told(near)
    ]
    newest = [one for one in told if not any(is_later(two.record, one.record) for two in told)]
    things = {_thing(near.record) for near in told}
    if len(newest) != 1 or len(things) != 1 or _went_on(view, newest[0].record):
        return None
    record, state = newest[0].record, match["state"].lower()
    given = status_of(record)
    if _GOING_ON.get(given, given) == _GOING_ON.get(state, state):
        if match["was"] or not _is_of(newest[0], subject):
            return None
        return Finding(support="SUPPORTED", rule="claims/state-recorded", refs=(record.ref,))
    if given in table("states").get(state, ()) or (state in _open() and given in _over()):
        return Finding(
            support="CONTRADICTED",
            rule="claims/state-otherwise",
            refs=(record.ref,),
            code="STATUS_CONFLICT",
            note="the newest record gives another state",
        )
    return None


def _went_on(view: View, record: Record) -> bool:
    """Tell whether a later record without such a field says how the same thing ended."""
    named = main_of(record)
    return any(
        is_later(near.record, record)
        and named <= near.record.own_stems
        and not status_of(near.record)
        and stage_of(near.record) is not None
        for near in view.near
    )


def is_of_other(record: Record, subject: frozenset[str]) -> bool:
    """Tell whether the status of a record is that of another thing than a claim names, or of what is done to it."""
    main = main_of(record) if status_of(record) else frozenset()
    beside = main - subject
    return bool(main) and (
        not main & subject or bool(groups_in(" ".join(sorted(beside))) or beside & kinds())
    )


def tells_other(claim: Claim, record: Record) -> bool:
    """Tell whether the status that a claim gives of a thing is in a record that of another, or of what is done to it."""
    match = _STANDS.fullmatch(claim.text) if status_of(record) else None
    if match is None or match["state"].lower() != status_of(record):
        return False
    subject = frozenset(stems(f"{claim.context} {match['subject']}".replace("_", " ")))
    return bool(subject) and is_of_other(record, subject)


def _is_self_told(near: Near) -> bool:
    return near.record.item.kind == "description"


def status_of(record: Record) -> str:
    """Give the status a record has in a field, in lower case; empty where it has none or several."""
    told = [
        field.value.lower().replace("_", " ").replace("-", " ")
        for field in record.fields[:_MOST_FIELDS]
        if _STATUS.search(field.name)
    ]
    return told[0] if len(told) == 1 else ""


def _is_of(near: Near, subject: frozenset[str]) -> bool | None:
    """Tell whether a record with a status has all of what a claim names in what it is of, or elsewhere; None where it is of another thing."""
    record = near.record
    main = main_of(record) if status_of(record) else frozenset()
    if is_of_other(record, subject):
        return None
    held = main | frozenset(part for each in record.ids for part in stems(each.replace("_", " ")))
    if not main & subject:
        return None
    return True if subject <= held else False if near.shared and subject <= record.own_stems else None


def main_of(record: Record) -> frozenset[str]:
    """Give the stems of what the status of a record is of, found once."""
    known: frozenset[str] | None = record.memo.get("main")
    if known is None:
        known = record.memo["main"] = _main(record)
    return known


def _main(record: Record) -> frozenset[str]:
    """Give the stems of what a record is of: the words before its pairs, or the first field that identifies a thing."""
    if record.form == "line":
        match = _BEFORE_PAIRS.match(record.text[:_HEAD])
        return (
            frozenset(each for each in stems(match[0]) if not each.isdigit())
            if match is not None
            else frozenset()
        )
    if record.form != "json":
        return frozenset()
    told = next((each.value for each in record.fields[:_MOST_FIELDS] if each.name == "object"), "")
    if told:
        return frozenset(stems(told.replace("_", " ")))  # what calls itself a refund is one
    named = [
        said
        for field in record.fields[:_MOST_FIELDS]
        if is_id_name(field.name)
        and (said := frozenset(stems(_ID.sub("", field.name).replace("_", " "))))
        and not said & _PLACES
    ]
    if (
        record.label and record.pointer and not record.pointer[1:].isdigit()
    ):  # the name it stands under; what stands before a JSON text may say anything
        return frozenset(stems(record.label.replace("_", " ")))
    return named[0] if named else record.id_kinds


def _thing(record: Record) -> tuple[frozenset[str], frozenset[str]]:
    return record.ids, main_of(record)


@cache
def _open() -> frozenset[str]:
    """Give the words for what has not ended."""
    return frozenset(table("phases")["open"])


@cache
def _over() -> frozenset[str]:
    """Give the words for what has."""
    return frozenset(table("phases")["over"])
