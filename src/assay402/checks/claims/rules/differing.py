"""By how much a thing changed, from the two values that a sentence gives: `from $10 to $12` is by $2."""

import itertools
import re
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.compare import NUMERIC

_BY: Final = re.compile(
    r"\b(?:(?P<up>rose|risen|increased|grew|grown|climbed|gained|improved|went up|up)|(?P<down>fell|fallen|dropped|decreased|declined|shrank|went down|reduced|down))\sby\s(?:[a-z]+\s){0,2}$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"\bfrom\s$", re.IGNORECASE)
_TO: Final = re.compile(r"\s(?:[a-z]{1,12}\s)?(?:down |up )?to\s$", re.IGNORECASE)


def claimed_difference(claim: Claim) -> tuple[Fact, bool] | None:
    """Give the only value of a claim, and whether it tells a rise by so much; None where it tells no such change."""
    values = [each for each in claim.facts if each.kind in NUMERIC]
    match = _BY.search(claim.text[: values[0].start]) if len(values) == 1 else None
    return (values[0], match["up"] is not None) if match is not None and values[0].kind != "percent" else None


def agrees_by(fact: Fact, record: Record, *, rose: bool) -> bool | None:
    """Tell whether a thing changed by a value, from one value of its kind to another; None where a record tells no such two."""
    values = [each for each in record.facts if each.start >= 0 and each.kind == fact.kind]
    for old, new in itertools.pairwise(values):
        told = _FROM.search(record.text[: old.start]) and _TO.fullmatch(record.text[old.end : new.start])
        if told is None or old.low is None or new.low is None or not old.unit == new.unit == fact.unit:
            continue
        change = new.low - old.low if rose else old.low - new.low
        return (fact.low is None or fact.low <= change) and (fact.high is None or change <= fact.high)
    return None
