"""Lines that hold a name and a status and nothing else: each is of what it names."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.world import World

_BARE: Final = re.compile(r"\W*([A-Za-z][\w./-]*)\s+([A-Za-z]+|loaded\s+[a-z]+\s+[a-z]+)\W*")
_RULES: Final = ("status-conflict", "state-otherwise", "antonym")
_MOST: Final = 400


def is_of_another_name(claim: Claim, finding: Finding, record: Record, world: World) -> bool:
    """Tell whether a record that denies a claim is a bare line of another name, beside one of the very name it has."""
    if finding.support != "CONTRADICTED" or finding.rule.partition("/")[2] not in _RULES:
        return False
    name = _name(record)
    if not name:
        return False
    said = frozenset(re.findall(r"[a-z0-9][\w./-]*\w|[a-z0-9]", claim.text.lower()))
    if name in said:
        return False
    return any(
        _name(each) in said for each in world.bearing_of(record.item)[:_MOST] if each.form == record.form
    )


def _name(record: Record) -> str:
    """Give the name that a line or a row of two words, or of a unit that was loaded, begins with; empty where it is no such line."""
    if record.form == "row":
        return record.fields[0].value.lower() if len(record.fields) == 2 else ""  # (a name and a state)
    match = _BARE.fullmatch(record.text) if record.form == "line" else None
    return match[1].lower() if match is not None else ""


_HEADED: Final = re.compile(
    r"(?:[0-9T:.,Z+ -]{8,40}\s)?(?:[A-Z]{4,5}\s)?(?P<kind>[a-z]{3,})[ ](?P<name>[A-Za-z0-9][\w./-]*)[ ](?=[\w.-]+=)"
)
"""A line of fields that begins with what it is of: `node a version=1.2`."""


def is_of_other_row(claim: Claim, record: Record, world: World) -> bool:
    """Tell whether a line of fields is headed by another name than the claim's, and a line beside it of the same kind by the claim's."""
    head = _HEADED.match(record.text) if record.form == "line" and "=" in record.text else None
    if head is None or _heads(head, claim):
        return False
    return any(
        (other := _HEADED.match(each.text)) is not None
        and other["kind"] == head["kind"]
        and _heads(other, claim)
        for each in world.with_stem(stem(head["kind"]))[:_MOST]
        if each.item is record.item and each is not record
    )


def _heads(head: re.Match[str], claim: Claim) -> bool:
    """Tell whether a claim says the kind and the name with which a line begins, side by side."""
    kind, name = head["kind"], re.escape(head["name"])
    turned = rf"|{name}\s{kind}s?" if len(head["name"]) > 1 else ""  # `a node` is any
    return (
        re.search(rf"(?<![\w./-])(?:{kind}s?\s{name}{turned})(?![\w/-])", claim.text, re.IGNORECASE)
        is not None
    )
