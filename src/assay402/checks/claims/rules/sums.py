"""Sums that calculations came to, totals that records tell, and comparisons a claim makes between its own values."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.compare import NUMERIC
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_LOOKED_AT: Final = 600
_COMPUTED: Final = frozenset(
    stem(word)
    for word in (
        "total",
        "cost",
        "price",
        "difference",
        "balance",
        "refund",
        "save",
        "pay",
        "amount",
        "bring",
        "come",
    )
)
_ALONE: Final = frozenset(stem(word) for word in ("total", "difference", "balance", "save", "sum"))
"""Words of a sum that is the answer of a calculation and the property of no single thing."""
_TOTAL: Final = stem("total")


@rule("claims/computed", since="0.1", spec="section 5.1 and section 7, R07")
def computed(view: View) -> Finding | None:
    """Judge a total, a difference or a price by a calculation or by the only total that the evidence tells.

    ## What it reports
    SUPPORTED where the claim gives one sum, with a word such as total, cost, difference or balance, and the answer
    of a calculating tool is exactly that number, or the one total that any record gives. CONTRADICTED with the
    reason VALUE_MISMATCH where it calls a sum the total, the difference or the balance, the evidence holds exactly
    one calculation, its answer is another, and the claimed sum stands nowhere.

    ## Why it matters
    An agent that adds up prices shows its sum in the call, and nowhere else.

    ## How to fix it
    Give the sum of the calculation.

    ## Known limits
    The rule reads the result; whether the right numbers went into the calculation it does not say.
    """
    sums = [fact for fact in view.claim.facts if fact.kind == "money"]
    if len(sums) != 1 or len(view.claim.facts) > 1 or view.claim.negative or sums[0].compared:
        return None
    said = view.claim.content | sums[0].attribute
    if not _COMPUTED & said:
        return None
    record = _answer(view, sums[0]) or (_only_total(view, sums[0]) if _TOTAL in said else None)
    if record is not None:
        return Finding(
            support="SUPPORTED",
            rule="claims/computed",
            refs=(record.ref,),
            bound=((0, record.ref, sums[0].value),),
        )
    return _another(view, sums[0]) if _ALONE & said else None


def _answer(view: View, fact: Fact) -> Record | None:
    return next(
        (
            record
            for record in view.world.calculations
            if any(found.low == fact.low for found in record.facts if found.kind in ("number", "money"))
        ),
        None,
    )


def _only_total(view: View, fact: Fact) -> Record | None:
    """Give the record of the only total in the evidence, where it is the claimed one and the claim names no subject."""
    if view.claim.names or view.identifiers:
        return None
    told = [
        (found.low, record)
        for record in view.world.with_stem(_TOTAL)[:_LOOKED_AT]
        if not record.label.endswith(" call")
        for found in record.facts
        if _TOTAL in found.attribute and found.kind in ("number", "money") and found.unit in ("", fact.unit)
    ]
    values = {low for low, _ in told}
    return told[0][1] if values == {fact.low} else None


def _another(view: View, fact: Fact) -> Finding | None:
    calculations = view.world.calculations
    if len(calculations) != 1 or view.claim.names or view.identifiers:
        return None
    answer = next((found for found in calculations[0].facts if found.low is not None), None)
    if answer is None or answer.low is None or abs(answer.low) == fact.low or _stands(view, fact):
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/computed",
        refs=(calculations[0].ref,),
        code="VALUE_MISMATCH",
        note=f"the only calculation comes to {answer.raw}",
        bound=((0, calculations[0].ref, answer.raw),),
    )


def _stands(view: View, fact: Fact) -> bool:
    return any(
        found.low is not None and abs(found.low) == fact.low
        for record in view.world.bearing[:_LOOKED_AT]
        for found in record.facts
        if found.kind in ("money", "number")
    )


_ENOUGH: Final = re.compile(
    r"\b(?P<not>(?:is |was |are |were )?(?:not|n't)\s|in)?(?:enough|sufficient)\s(?:to (?:cover|pay|meet|buy)|for)\b",
    re.IGNORECASE,
)
_THAN: Final = re.compile(
    r"\b(?:(?P<more>more|greater|higher|larger|longer|later|slower|bigger)|(?P<less>less|lower|fewer|smaller|cheaper|shorter|faster))\sthan\b|\b(?P<exceeds>exceed(?:s|ed)?)\b",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    r"\b(?:(?P<rose>rose|risen|increased|grew|grown|climbed|went up|improved from|raised)|(?P<fell>fell|fallen|dropped|decreased|declined|went down|reduced|shrank|cut))\b[^.;]{0,40}?\bfrom\s",
    re.IGNORECASE,
)


@rule("claims/comparison-false", since="0.1", spec="section 7, R08")
def comparison_false(view: View) -> Finding | None:
    """Contradict a comparison that the claim's own two values refute.

    ## What it reports
    CONTRADICTED with the reason COMPARISON_FALSE where the claim says that one value is more or less than another,
    is or is not enough for it, or rose or fell from one to the other, and the two values it gives compare otherwise.
    A record of the evidence must speak of the claim; the reference names it.

    ## Why it matters
    A balance of 280 that `is not enough` for 110 was copied from the wrong line, whichever line that was.

    ## How to fix it
    Look both values up again.
    """
    values = [fact for fact in view.claim.facts if fact.kind in NUMERIC and fact.low is not None]
    if len(values) != 2 or values[0].unit != values[1].unit or not view.near or view.claim.modality == "may":
        return None
    agrees = _agrees(view.claim.text, values[0], values[1])
    if agrees is not False:
        return None
    near = next((each for each in view.near if each.matched), view.near[0])
    return Finding(
        support="CONTRADICTED",
        rule="claims/comparison-false",
        refs=(near.record.ref,),
        code="COMPARISON_FALSE",
        note="the claim's own two values compare otherwise",
    )


def _agrees(text: str, first: Fact, second: Fact) -> bool | None:
    """Say whether two values compare as the words between or before them say; None where nothing compares them."""
    one, other = first.low or Decimal(0), second.low or Decimal(0)
    between = text[first.end : second.start]
    enough = _ENOUGH.search(between)
    if enough is not None:
        return (one >= other) == (enough["not"] is None)
    than = _THAN.search(between)
    if than is not None and not re.search(r"\b(?:not|no|n't)\b", between):
        return one < other if than["less"] else one > other
    moved = _MOVED.search(text[: first.start])
    if moved is not None and moved.end() == first.start and re.fullmatch(r"\s(?:down |up )?to\s", between):
        return other > one if moved["rose"] else other < one
    return None
