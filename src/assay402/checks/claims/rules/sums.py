"""Sums that calculations came to, totals that records tell, and comparisons a claim makes between its own values."""

import re
from decimal import Decimal
from functools import cache
from typing import Final

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules import comparatives
from assay402.checks.claims.rules.between import changed_between
from assay402.checks.claims.rules.compare import NUMERIC
from assay402.checks.claims.rules.differing import agrees_by, claimed_difference
from assay402.checks.claims.rules.ranked import ranked
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World
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
    answers = view.world.once(
        "answers",
        lambda: {
            found.low: record
            for record in reversed(view.world.calculations)
            for found in record.facts
            if found.kind in ("number", "money")
        },
    )
    return answers.get(fact.low)


def _only_total(view: View, fact: Fact) -> Record | None:
    """Give the record of the only total in the evidence, where it is the claimed one and the claim names no subject."""
    if view.claim.names or view.identifiers:
        return None
    told = view.world.once(("totals", fact.unit), lambda: _totals(view.world, fact.unit))
    return next(iter(told.values())) if told.keys() == {fact.low} else None


def _totals(world: World, unit: str) -> dict[Decimal | None, Record]:
    """Give the totals that the evidence tells in a unit, or in none, each with a record of it."""
    return {
        found.low: record
        for record in reversed(world.with_stem(_TOTAL)[:_LOOKED_AT])
        if not record.label.endswith(" call")
        for found in record.facts
        if _TOTAL in found.attribute and found.kind in ("number", "money") and found.unit in ("", unit)
    }


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
    stated = view.world.once(
        "amounts",
        lambda: {
            abs(found.low)
            for record in view.world.bearing[:_LOOKED_AT]
            for found in record.facts
            if found.low is not None and found.kind in ("money", "number")
        },
    )
    return fact.low in stated


_SUFFICES: Final = Pattern(
    r"\b(?P<not>(?:is |was |are |were )?(?:not|n't)\s|in)?(?:enough|sufficient)\s(?:to (?:cover|pay|meet|buy)|for)\b",
    re.IGNORECASE,
)
_THAN: Final = Pattern(
    r"\b(?:(?P<more>more|greater|higher|larger|longer|later|slower|bigger)|(?P<less>less|lower|fewer|smaller|cheaper|shorter|faster))\sthan\b|\b(?P<exceeds>exceed(?:s|ed)?)\b",
    re.IGNORECASE,
)
_MOVED: Final = Pattern(
    r"\b(?:(?P<rose>rose|risen|increased|grew|grown|climbed|went up|improved from|raised)|(?P<fell>fell|fallen|dropped|decreased|declined|went down|reduced|shrank|cut))\b[^.;]{0,40}?\bfrom\s",
    re.IGNORECASE,
)


@rule("claims/comparison-false", since="0.1", spec="section 7, R08")
def comparison_false(view: View) -> Finding | None:
    """Contradict a comparison that the claim's own two values, or a record of the same two things, refute.

    ## What it reports
    CONTRADICTED with the reason COMPARISON_FALSE where the claim says that one value is more or less than another,
    is or is not enough for it, or rose or fell from one to the other, and the two values it gives compare otherwise.
    A record of the evidence must speak of the claim; the reference names it. `A is smaller than B` is SUPPORTED by
    `B is larger than A` and contradicted by `B is smaller than A`; which of two rows is cheaper their prices say,
    and which has more or the most of something the column of that name.

    ## Why it matters
    A balance of 280 that `is not enough` for 110 was copied from the wrong line, whichever line that was.

    ## How to fix it
    Look both values up again.
    """
    turned = comparatives.compared(view) or ranked(view, "claims/comparison-false")
    if turned is not None:
        return turned
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
    enough = _SUFFICES.search(between)
    if enough is not None:
        return (one >= other) == (enough["not"] is None)
    than = _THAN.search(between)
    if than is not None and not re.search(r"\b(?:not|no|n't)\b", between):
        return one < other if than["less"] else one > other
    moved = _MOVED.search(text[: first.start])
    if moved is not None and moved.end() == first.start and re.fullmatch(r"\s(?:down |up )?to\s", between):
        return other > one if moved["rose"] else other < one
    return None


_TIMES: Final = {"doubled": 100, "tripled": 200, "quadrupled": 300, "halved": -50}
_CHANGED: Final = Pattern(
    r"\b(?P<times>doubled|tripled|quadrupled|halved)\b|\b(?P<up>rose|increased|grew|climbed|up|gained|improved)\s(?:by\s)?|\b(?P<down>fell|dropped|decreased|declined|down|shrank|lost|reduced)\s(?:by\s)?",
    re.IGNORECASE,
)
_FROM_TO: Final = Pattern(r"\bfrom\s(.{1,30}?)\s(?:down |up )?to\s(.{1,24})", re.IGNORECASE)
_MOSTLY: Final = 0.6


@rule("claims/change-computed", since="0.1", spec="section 4, percent, and section 7, R07")
def change_computed(view: View) -> Finding | None:
    """Judge a relative change by the two values, or by the percentage, that a record of the same subject gives.

    ## What it reports
    For `doubled`, `halved`, `rose by 20%` or `rose by $2`: SUPPORTED where the record that speaks of the subject gives a change
    from one value to another, or a percentage with its direction, that comes to the same; CONTRADICTED with
    VALUE_MISMATCH where it comes to another, or goes the other way.

    ## Why it matters
    Percentages are computed in the head, and reported as if they had been read.

    ## How to fix it
    Give the two values.
    """
    claim = view.claim
    claimed = _change(claim.text, claim.facts)
    match = _CHANGED.search(claim.text)
    by = claimed_difference(claim) if claimed is None and match is not None else None
    if (claimed is None and by is None) or match is None or claim.negative:
        return None
    subject = frozenset(stems(claim.text[: match.start()]))
    for near in view.near[:4]:
        rest = (near.wanted - _change_words()) or (claim.content - _change_words())
        if near.missing_names or not rest or len(rest & near.stems) < _MOSTLY * len(rest):
            continue
        missing = subject - near.stems
        if missing - near.wanted:
            continue  # costs are no sales, though both are words for any sum
        if by is not None:
            differs = agrees_by(by[0], near.record, rose=by[1])
            if differs is not None:
                return _computed(near.record, "the record gives the two values", agrees=differs)
            continue
        told = _change(near.record.text, near.record.facts)
        told = changed_between(claim, near.record) if told is None and not missing else told
        if told is None or claimed is None:
            continue
        note = f"the record comes to a change of {told.normalize():f}%"
        return _computed(near.record, note, agrees=abs(told - claimed) <= _NEARLY)
    return None


def _computed(record: Record, note: str, *, agrees: bool) -> Finding:
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/change-computed",
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=note,
    )


_NEARLY: Final = Decimal("0.6")
"""Per cent by which a rounded change may differ."""


@cache
def _change_words() -> frozenset[str]:
    words = "rise increase grow climb gain improve fall drop decrease decline shrink reduce double triple quadruple halve up down from to by"
    return frozenset(stem(word) for word in words.split())


def _change(text: str, values: tuple[Fact, ...]) -> Decimal | None:
    """Give the change a text tells, in per cent; None where it tells none, or not one alone."""
    match = _CHANGED.search(text[:600])
    if match is None:
        return None
    if match["times"]:
        return Decimal(_TIMES[match["times"].lower()])
    between = _FROM_TO.search(text[:600], match.start())
    numbers = [
        fact for fact in values if fact.kind in NUMERIC and fact.low is not None and fact.low == fact.high
    ]
    if between is not None:
        first = [fact for fact in numbers if between.start(1) <= fact.start < between.end(1)]
        second = [fact for fact in numbers if between.start(2) <= fact.start < between.end(2)]
        if len(first) != 1 or not second or not first[0].low or second[0].low is None:
            return None if first or second else _share(numbers, match)  # from one month to the next
        return (second[0].low - first[0].low) * 100 / first[0].low
    return _share(numbers, match)


def _share(numbers: list[Fact], match: re.Match[str]) -> Decimal | None:
    """Give the percentage right behind a word of change, with its direction."""
    shares = [
        fact for fact in numbers if fact.kind == "percent" and fact.unit == "%" and fact.start >= match.end()
    ]
    if len(shares) != 1 or shares[0].low is None or shares[0].start - match.end() > _BESIDE:
        return None
    return shares[0].low if match["up"] else -shares[0].low


_BESIDE: Final = 12
"""Characters between a word of change and its percentage."""
