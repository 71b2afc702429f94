"""A clause of a longer sentence that says what a claim says, word for word: `the cache is warm` behind another `and`."""

from functools import lru_cache
from typing import Final

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.joints import LED, joints
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain
from assay402.checks.claims.rules.polarity import is_negative

_LONGEST: Final = 600
"""Longer texts are no sentence."""


def is_clause_of(claim: Claim, record: Record) -> bool:
    """Tell whether a claim is a later clause of a sentence that neither denies, supposes nor only reports, of the same subject."""
    if claim.form not in ("clause", "fragment") or not record.is_prose or len(record.text) > _LONGEST:
        return False
    said, subject = plain(claim.text), plain(claim.context)
    return any(said == part and subject in before for before, part in _clauses(record.text))


@lru_cache(maxsize=1_024)
def _clauses(text: str) -> tuple[tuple[str, str], ...]:
    """Give each later clause of a sentence with what stands before it, both as they are compared."""
    cuts = () if LED.search(text) is not None else tuple(joints(text))
    ends = [start for start, _ in cuts[1:]] + [len(text)]
    return tuple(
        (plain(text[:start]), plain(text[end:stop]))
        for (start, end), stop in zip(cuts, ends, strict=False)
        if not is_negative(text[:start])
    )
