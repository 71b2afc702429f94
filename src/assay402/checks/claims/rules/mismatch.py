"""Values that the evidence gives otherwise: contradictions, and conflicts between items."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules import together
from assay402.checks.claims.rules.alignment import says_in_order
from assay402.checks.claims.rules.bind import Binding, is_asked
from assay402.checks.claims.rules.compare import IDENTIFYING, is_year
from assay402.checks.claims.rules.every import is_of_several
from assay402.checks.claims.rules.exclusive import exclusive_mismatch
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.repairing import replacement, shown
from assay402.checks.claims.rules.slips import is_slip
from assay402.checks.claims.rules.standing import holds, out_of_force
from assay402.checks.claims.rules.told import told
from assay402.checks.claims.rules.view import Near, View, bound_values
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_COVERED: Final = 0.8
_COVERED_WITH_VALUES: Final = 0.5
_ALIGNED: Final = 0.6
_CLOSE: Final = 0.15
"""Share of a claim's content by which one record must fit better than another to be the one meant."""
_LOOKED_AT: Final = 600
_YEAR: Final = re.compile(r"(?=([0-9]{4}))")
_COMPARING: Final = Pattern(
    r"\b(?:than|average|total|sum|difference|times|each|both|combined)\b", re.IGNORECASE
)
"""Words that set rows beside each other, so that no single row can deny the value."""
_CODES: Final = {"money": "VALUE_MISMATCH", "date": "DATE_MISMATCH", "time": "DATE_MISMATCH"}


@rule("claims/value-mismatch", since="0.1", spec="section 7, R04 and R08")
def value_mismatch(view: View) -> Finding | None:
    """Contradict a claim whose value the evidence gives otherwise for the same subject and attribute.

    ## What it reports
    CONTRADICTED with the reason VALUE_MISMATCH, UNIT_OR_CURRENCY_MISMATCH, DATE_MISMATCH, IDENTITY_MISMATCH or
    COMPARISON_FALSE, where the record that fits the claim best (by identifier, by its other values, by its words)
    gives the attribute another value and no record that fits as well gives the claimed one.
    `The Basic plan costs $39` beside `Basic: $19/month, Pro: $39/month` is contradicted: 39 stands there for another plan.
    So is another version of one place, end of a change (`to=6`), `all 300` beside fewer done, and value of one name (`p95_ms`).

    ## Why it matters
    A wrong amount, date or number in a report is acted on as if it were right.

    ## How to fix it
    Use the value of the record the finding names, or name the subject the value belongs to.

    ## Known limits
    A value that only an undivided subject would exclude (a member of a list, one cause of several) is UNSUPPORTED.
    """
    claim = view.claim
    held = _best_mismatch(view)
    found = (*held, True) if held is not None else exclusive_mismatch(view)
    if found is None or is_of_several(claim, found[1].fact):
        return None
    near, binding, is_to_replace = found
    fact = binding.fact
    code = (
        "IDENTITY_MISMATCH"
        if fact.kind in (*IDENTIFYING, "code")
        else _CODES.get(fact.kind, "VALUE_MISMATCH")
    )
    if binding.state == "unit":
        code = "UNIT_OR_CURRENCY_MISMATCH"
    if fact.compared and fact.compared != "~":
        code = "COMPARISON_FALSE"
    return Finding(
        support="CONTRADICTED",
        rule="claims/value-mismatch",
        refs=(binding.ref,),
        code=code,
        note=f"the record of the same subject gives {shown(binding) or 'it otherwise'}",
        bound=bound_values(claim, near),
        repair=replacement(claim, binding) if is_to_replace else None,
    )


@rule("claims/value-conflict", since="0.1", spec="section 7, R02b")
def value_conflict(view: View) -> Finding | None:
    """Leave unverified a value that one item gives and another gives otherwise, with nothing to order them.

    ## What it reports
    UNVERIFIED with both references and the missing family CONFLICT_RESOLUTION, where two items that fit the claim
    equally well disagree about a value of it and their records bear no times that order them. Of two versions of a
    document the one in force decides (what it says it supersedes, then its effective date, then its number; never a
    draft): CONTRADICTED with STALE_AUTHORITY where the claimed value is the other's, unless the claim names that version.

    ## Why it matters
    Both cannot be right, and nothing supplied says which is.

    ## How to fix it
    Supply times or versions, or the record that decides.
    """
    for near in view.near:
        wrong = [each for each in near.bindings if each.state in ("mismatch", "unit")]
        if not wrong or near.record.item.kind == "description" or not _same_subject(view, near, wrong):
            continue
        for other in view.near:
            if other.record.item is near.record.item or other.record.item.kind == "description":
                continue
            if (
                _fits_as_well(other, near, wrong)
                and _fits_as_well_in_words(near, other)
                and not _ordered(near, other)
            ):
                held = holds(view, near, other)
                if held is not None:
                    if held is near:
                        return out_of_force(view, near, other)
                    continue
                refs = (other.record.ref, near.record.ref)
                return Finding(
                    support="UNVERIFIED",
                    rule="claims/value-conflict",
                    refs=refs,
                    code="EVIDENCE_CONFLICT",
                    note="two items give different values and nothing orders them",
                    missing=(
                        "CONFLICT_RESOLUTION",
                        f"A time, a version or a further record that decides between {refs[0]} and {refs[1]}.",
                    ),
                    conflict=True,
                )
    return None


def _fits_as_well_in_words(near: Near, other: Near) -> bool:
    return near.coverage >= other.coverage - 0.15 and len(near.shared) >= len(other.shared)


def _ordered(near: Near, other: Near) -> bool:
    one, two = near.record.moment, other.record.moment
    return len(one) >= 10 and len(two) >= 10 and one != two  # a day at least


def _other_label(near: Near, other: Near) -> bool:
    """Tell whether two labelled lines are of two things."""
    one, two = near.record.fields, other.record.fields
    return len(one) == len(two) == 1 and one[0].name.lower() != two[0].name.lower()


def _newer(near: Near, other: Near) -> bool:
    if _other_label(near, other):
        return False
    if near.record.item is other.record.item and not (near.record.moment and other.record.moment):
        return (
            near.record.form == "line"
            and near.record.order > other.record.order
            and near.coverage >= other.coverage
            and near.record.item.kind != "document"
        )
    return _ordered(near, other) and near.record.moment > other.record.moment


def _best_mismatch(view: View) -> tuple[Near, Binding] | None:
    """Give the first mismatch of the best fitting record, unless a record that fits as well agrees."""
    claim = view.claim
    slip = _year_slip(view)
    if slip is not None:
        return slip
    for near in view.near:
        wrong = [each for each in near.bindings if each.state in ("mismatch", "unit") and not is_asked(each)]
        if not wrong or not _same_subject(view, near, wrong):
            continue
        if (near.record.form == "row" and _COMPARING.search(claim.text)) or (
            together.is_said(claim) and together.is_one_of_several(view.world, wrong[0])
        ):
            continue
        if claim.negative and not denies(near.record):
            continue
        if _told_elsewhere(view, near, wrong) or not _counts_here(view, near):
            continue
        if any(
            _fits_as_well(other, near, wrong) and not _newer(near, other)
            for other in view.near
            if other is not near
        ):
            continue
        return near, wrong[0]
    return None


def _year_slip(view: View) -> tuple[Near, Binding] | None:
    """Give a date whose day the nearest structured record has in another year, where no record has the claimed year."""
    for fact in view.claim.facts:
        if fact.kind != "date" or not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fact.value):
            continue
        for near in view.near[:3]:
            if near.record.form not in ("json", "row") or not (near.shared or near.wanted & near.stems):
                continue
            alike = [
                Binding("mismatch", fact, found, record, 1)
                for record in near.chain
                if not record.label.endswith(" call")
                for found in record.facts
                if found.kind == "date"
                and found.value[4:10] == fact.value[4:10]
                and found.value[:4] != fact.value[:4]
            ]
            if alike and not _has_year(view, fact.value[:4]):
                return near, alike[0]
    return None


def _has_year(view: View, year: str) -> bool:
    years = view.world.once(
        "years",
        lambda: {
            match[1]
            for record in view.world.bearing[:_LOOKED_AT]
            for text in (record.text, record.searched)
            for match in _YEAR.finditer(text)
        },
    )
    return year in years


def _counts_here(view: View, near: Near) -> bool:
    """Tell whether a record can deny a claimed action: one of the action itself, not of how things stood before it."""
    action = told(view)
    if action is None or not action.act.is_done or near.record.is_prose:
        return True
    return any(deed.record is near.record or deed.record in near.chain for deed in action.deeds)


def _told_elsewhere(view: View, near: Near, wrong: list[Binding]) -> bool:
    """Tell whether another record of the same kind gives the claimed value, so that it may be the one meant."""
    if near.own_shared and not any(each.fact.kind in IDENTIFYING for each in wrong):
        return _another_of_same_identifier(view, near, wrong)
    if near.record.form == "json" and any(
        each.fact.kind == "money" and each.state != "unit" and _stands_elsewhere(view, near, each)
        for each in wrong
    ):
        return True
    others = {
        each.record.order: each.record for each in (*view.near, *(view.to(one) for one in near.record.beside))
    }
    for record in others.values():
        other = view.to(record)
        agrees = {
            each.fact
            for each in other.bindings
            if each.state == "match" and (each.overlap >= 1 or each.fact.kind not in ("number", "money"))
        }
        if (
            record.form == near.record.form == "json"
            and {each.fact for each in wrong} <= agrees
            and other.matched >= near.matched
            and other.coverage >= near.coverage - _CLOSE
        ):
            return True
    return False


def _stands_elsewhere(view: View, near: Near, wrong: Binding) -> bool:
    """Tell whether a sum stands anywhere in the item: which of two it is, only a name or an identifier could tell."""
    low, digits = wrong.fact.low, wrong.fact.value.split(".")[0]
    if any(
        found.low == low
        for record in near.chain
        for found in record.facts
        if found.kind in ("money", "number")
    ):
        return True
    stated = view.world.once("stated", lambda: _stated(view.world))
    records = stated.get((near.record.item.id, low), ())
    return any(digits in record.text for record in records)


def _stated(world: World) -> dict[tuple[str, Decimal | None], list[Record]]:
    """Give the records that state a sum, by their item and the sum."""
    found: dict[tuple[str, Decimal | None], list[Record]] = {}
    for record in world.bearing[:_LOOKED_AT]:
        for each in record.facts:
            if each.kind in ("money", "number"):
                found.setdefault((record.item.id, each.low), []).append(record)
    return found


def _another_of_same_identifier(view: View, near: Near, wrong: list[Binding]) -> bool:
    for other in view.near:
        if other is near or not (other.shared & near.shared) or other.record.item is not near.record.item:
            continue
        agrees = {each.fact for each in other.bindings if each.state == "match"}
        if {each.fact for each in wrong} <= agrees and other.own_shared:
            return True
    return False


def _fits_as_well(other: Near, near: Near, wrong: list[Binding]) -> bool:
    agrees = {each.fact for each in other.bindings if each.state == "match"}
    if not {each.fact for each in wrong} <= agrees:
        return False
    if near.record.form == "row":
        # What another row gives is given there for another value of the claim.
        held = {each.fact for each in near.bindings if each.state == "match"}
        if any(each.fact in held for each in other.bindings if each.state != "match"):
            return False
    return len(other.shared) >= len(near.shared) and other.coverage >= near.coverage - 0.15


def _same_subject(view: View, near: Near, wrong: list[Binding]) -> bool:
    if _is_the_deed(view, near):
        return not near.missing_names or bool(near.shared)
    identifiers = view.identifiers - {each.fact.value for each in wrong}
    if _speaks_of_another(near, wrong):
        return False
    if near.record.item.kind == "description" and not near.shared:
        return near.coverage >= _COVERED
    if (
        any(each.fact.kind == "version" for each in wrong)
        and near.wanted
        and near.coverage >= (_COVERED_WITH_VALUES if any(each.overlap >= 1 for each in wrong) else _COVERED)
    ):
        return True
    if any(each.fact.kind in IDENTIFYING for each in wrong):
        return (
            bool(near.shared)
            or _slip(view, near, wrong)
            or near.matched >= 2
            or _is_attribute(view, near, wrong)
        )  # two other values tell one record from the rest
    if identifiers and not (near.shared & identifiers):
        return False
    if near.missing_names and not near.shared:
        return False
    if identifiers:
        return any(
            each.overlap >= 1 or each.fact.kind in ("date", "time", "code") or near.matched >= 1
            for each in wrong
        )
    return _fits(view, near, wrong)


_IS: Final = Pattern(r"\b(?:is|was|are|equals)\s(?:at\s|v)?$")


def _is_attribute(view: View, near: Near, wrong: list[Binding]) -> bool:
    """Tell whether a claim gives an identifier as an attribute of its subject, and a named value of the record is another."""
    return (
        near.coverage >= _COVERED
        and not near.missing_names
        and all(each.overlap >= 1 or each.fact.kind == "hash" for each in wrong)
        and _IS.search(view.claim.text[: wrong[0].fact.start]) is not None
        and bool(near.record.fields)
    )


def _fits(view: View, near: Near, wrong: list[Binding]) -> bool:
    """Tell whether a record that shares no identifier fits by its other values, its fields or its words."""
    named = any(each.overlap >= 1 for each in wrong)
    least = 0.25 if near.record.form == "json" else _COVERED_WITH_VALUES
    if near.matched >= 2 and not near.record.is_prose and near.coverage >= least:
        return True
    if near.record.form in ("json", "row") and near.coverage >= _COVERED_WITH_VALUES and named:
        return True
    if near.record.is_prose:
        return near.coverage >= _COVERED and says_in_order(
            view.claim, near.record, frozenset(each.fact for each in wrong)
        )
    return near.coverage >= _ALIGNED and (bool(near.wanted) or named)


def _speaks_of_another(near: Near, wrong: list[Binding]) -> bool:
    """Tell whether a record is of another route or pair of currencies, or a sentence that shares little with the claim."""
    codes = [each for each in near.bindings if each.fact.kind == "code"]
    apart = [each for each in codes if each.state == "mismatch"]
    if not near.shared and apart and (len(apart) == len(codes) > 1 or len(wrong) > len(apart)):
        return True
    # A sentence shares a name or a year with many that speak of something else.
    least = _COVERED if all(is_year(each.fact) for each in wrong) else _COVERED_WITH_VALUES
    return near.record.is_prose and near.coverage < least


def _is_the_deed(view: View, near: Near) -> bool:
    """Tell whether the record is the only one of the claimed action, which makes it the subject."""
    action = told(view)
    if action is None or action.act.is_status or not action.deeds or near.record.is_prose:
        return False
    done = [deed for deed in action.deeds if deed.stage == "COMPLETED"]
    exact = {deed.record.order for deed in done if deed.group in action.act.groups} or {
        deed.record.order for deed in done
    }
    return exact == {near.record.order} and action.newest is not None and action.newest.stage == "COMPLETED"


def _slip(view: View, near: Near, wrong: list[Binding]) -> bool:
    """Tell whether an identifier is the only one of the evidence's, miscopied by a character."""
    fact = next(each for each in wrong if each.fact.kind in IDENTIFYING).fact
    if near.coverage < _COVERED_WITH_VALUES or fact.value in view.known_identifiers:
        return False
    return view.world.once(("slip", fact.value), lambda: is_slip(view.world, fact.value))
