"""Lines that hold a name and a status and nothing else: each is of what it names."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.records import Record
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
