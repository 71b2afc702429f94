"""Whether an identifier of a claim is what a field of a record is called: `p95` beside `{"metrics": {"p95_ms": 230}}`."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems

PARTED: Final = re.compile(r"[\s_./-]")
"""What parts the words of a field's name, each of which may be what a claim calls it."""


def is_called(fact: Fact, record: Record, claim: Claim) -> bool:
    """Tell whether an identifier is what a field of a record is called, and no other field as the claim calls it."""
    names = record.memo.get("field names")
    if names is None:
        names = record.memo["field names"] = "\n".join([field.name.lower() for field in record.fields])
    if fact.value not in names:
        return False
    named = [name for name in names.split("\n") if fact.value in name]
    if any(fact.value in (name, name.partition("_")[0]) for name in named):
        return True
    parts = [each for name in named if fact.value in (each := PARTED.split(name))]
    if len(parts) > 1:
        parts = [each for each in parts if claim.content & frozenset(stems(" ".join(each)))]
    return len(parts) == 1
