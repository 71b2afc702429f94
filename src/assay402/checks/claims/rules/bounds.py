"""Bounds: of what was measured, a value within is enough; of a rule the bound is the value itself."""

import re
from decimal import Decimal
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.compare import Outcome
from assay402.checks.claims.rules.embedding import is_of_past

_BOUND: Final = ("<", "<=", ">", ">=")


@cache
def _ruling() -> Pattern:
    return Pattern(rf"\b(?:{'|'.join(table('lexicon')['ruling'])})\b", re.IGNORECASE)


_LIMITS: Final = frozenset(
    stem(word) for word in ("max", "maximum", "min", "minimum", "limit", "cap", "quota", "threshold")
)


def is_rule(claim: Claim) -> bool:
    """Tell whether a claim permits, demands or limits, so that what is within its bound is another rule."""
    return _ruling().search(claim.text) is not None


def as_bound(claim: Claim, fact: Fact, found: Fact, outcome: Outcome) -> Outcome:
    """Give what a comparison comes to where the claimed value is a bound and the other one lies within it."""
    if fact.compared not in _BOUND or outcome != "equal":
        return outcome
    is_ruling = is_rule(claim)
    if found.compared in _BOUND and found.compared[0] == fact.compared[0]:
        if _ends(fact) == _ends(found) or (not is_ruling and is_of_past(claim.text)):
            return outcome
        return "unequal" if is_ruling else "weaker"
    if found.attribute & _LIMITS and (is_ruling or not is_of_past(claim.text)):
        return outcome if found.low in _ends(fact) else "weaker"
    return "weaker" if is_ruling else outcome


def _ends(fact: Fact) -> tuple[Decimal | None, Decimal | None]:
    return fact.low, fact.high
