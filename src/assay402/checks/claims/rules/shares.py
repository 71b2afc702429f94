"""How many of several things fared in one way, and what several records come to."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Fact, Finding, Stage
from assay402.checks.claims.reading.actions import cue
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules import together
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.elements import elements_of
from assay402.checks.claims.rules.numbered import part_and_whole
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.portions import WORDS, N, Portion, number, portion_of, whole_of
from assay402.checks.claims.rules.view import View, report_words
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_SHARE: Final = re.compile(
    rf"\b(?:(?P<part>{N})\s?(?:/|of|out of)\s?(?:the\s|our\s)?(?P<whole>{N})|(?P<most>most)\sof\s(?:the\s|our\s)?(?P<among>{N})?|only\s(?P<only>{N}))",
    re.IGNORECASE,
)
_COUNT: Final = Pattern(
    r"\b([0-9]{1,6})\s(succeeded|successful|passed|completed|ok|done|failed|failures?|errors?|skipped|pending|total)\b"
    r"|\b(succeeded|passed|completed|failed|skipped|pending|total)\s?[=:]\s?([0-9]{1,6})\b",
    re.IGNORECASE,
)
_OF_STATUS: Final = frozenset(
    stem(word)
    for word in (
        "succeeded",
        "passed",
        "completed",
        "failed",
        "skipped",
        "total",
        "success",
        "only",
        "most",
    )
)
_LONGEST: Final = 160
"""Longer lines tell more than the outcome of one thing."""


@rule("claims/share-counted", since="0.1", spec="section 4, ratio and count over records, and section 7, R07")
def share_counted(view: View) -> Finding | None:
    """Judge how many of several things are claimed to have fared in one way by counts, or by one record of each.

    ## What it reports
    For `9 of 10 backups succeeded`, `most of the uploads`, `only one job failed`, `two thirds of the jobs`, `all but one`
    and `not all`: SUPPORTED where a record of the
    thing counts its outcomes or, in fields of their own, the things and those that are so (`members=700 renewed=308`), or its
    records tell one outcome each, and the numbers agree; CONTRADICTED with
    VALUE_MISMATCH where they do not; UNSUPPORTED where no record counts them.

    ## Why it matters
    No single record can carry or deny a share; all of them together can.

    ## How to fix it
    Give the numbers of the records.
    """
    claim = view.claim
    portion = portion_of(claim.text)
    if portion is not None:
        return _portion_counted(view, portion)
    match = _SHARE.search(claim.text)
    stage = cue(claim.text[match.end() :]) if match is not None else None
    noun = claim.content - report_words() - _OF_STATUS
    if match is None or stage is None or claim.negative or not noun:
        return None
    told = _counts(view, noun) or _outcomes(view, noun)
    if told is None:
        return None
    counts, whole, record = told
    count = counts.get(stage, 0)
    return _counted(record, count, whole, agrees=_holds(match, count, whole))


def _counted(record: Record, count: int, whole: int, *, agrees: bool) -> Finding:
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/share-counted",
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the records count {count} of {whole}",
    )


def _portion_counted(view: View, portion: Portion) -> Finding | None:
    """Judge a part of several things, such as two thirds of them or all but one."""
    claim = view.claim
    among = whole_of(claim, portion)
    if among is not None and (of_stated := _of_stated(view, portion, among)) is not None:
        return of_stated
    stage = cue(claim.text[portion.end :])
    noun = claim.content - report_words() - _OF_STATUS - WORDS
    said = [fact for fact in claim.facts if not portion.start <= fact.start < portion.end]
    if claim.negative and not portion.is_denial:
        return None
    counted = _fields_counted(view, portion, frozenset(fact.low for fact in said))
    if counted is not None or stage is None or not noun or said or among is not None:
        return counted
    told = _counts(view, noun) or _outcomes(view, noun)
    if told is not None:
        counts, whole, record = told
        count = counts.get(stage, 0)
        return _counted(record, count, whole, agrees=portion.holds(count, whole))
    near = next(iter(view.addressed), None)
    stated = any(portion_of(each.record.text) is not None for each in view.near)
    if near is None or stated or "%" in claim.text or near.record.is_prose:
        return None
    return _uncounted(near.record)


def _fields_counted(view: View, portion: Portion, said: frozenset[Decimal | None]) -> Finding | None:
    """Judge a part of several things by a record that counts the things and those of them that are so in fields of their own."""
    for near in view.near[:6]:
        told = part_and_whole(view.claim.text, portion.end, near)
        if told is None or not said <= {told[1]}:
            continue
        if told[0] is not None:
            count, whole = told[0], told[1]
            return _counted(near.record, count, whole, agrees=portion.holds(count, whole))
        if "%" in view.claim.text:
            return _uncounted(near.record)
    return None


def _uncounted(record: Record) -> Finding:
    return Finding(
        support="UNSUPPORTED",
        rule="claims/share-counted",
        refs=(record.ref,),
        code="MISSING_FACT",
        note="no record counts them",
        missing=("QUANTITY_SOURCE", "A record that counts all of them and how each fared."),
    )


def _of_stated(view: View, portion: Portion, stated: Fact) -> Finding | None:
    """Judge a part of so many things by a record that counts both: `25% of the 40 hosts` beside `10 of 40 hosts`."""
    claim = view.claim
    noun = claim.content - report_words() - WORDS
    others = [
        each for each in claim.facts if each is not stated and not portion.start <= each.start < portion.end
    ]
    if claim.negative or others or not noun or portion.is_of_named:
        return None
    for near in view.near[:6]:
        match = _PART.search(near.record.text[:400])
        if match is None or not noun <= near.stems or near.missing_names or denies(near.record):
            continue
        if int(match[2]) == stated.low:
            count, whole = int(match[1]), int(match[2])
            return _counted(near.record, count, whole, agrees=portion.holds(count, whole))
    return None


_PART: Final = re.compile(r"(?<![\w.,])([0-9]{1,6})\s?(?:/|of|out of)\s?(?:the\s|our\s)?([0-9]{1,6})\b")


def _holds(match: re.Match[str], count: int, whole: int) -> bool:
    if match["only"]:
        return count == number(match["only"])
    if match["most"]:
        return 2 * count > whole and (not match["among"] or whole == number(match["among"]))
    return count == number(match["part"]) and whole == number(match["whole"])


def _counts(view: View, noun: frozenset[str]) -> tuple[dict[Stage, int], int, Record] | None:
    """Give the outcomes that one record of the thing counts."""
    for near in view.near[:6]:
        found = {
            (match[2] or match[3]).lower(): int(match[1] or match[4])
            for match in _COUNT.finditer(near.record.text[:400])
        }
        if len(found) > 1 and noun <= near.stems:
            whole = found.pop("total", None)
            counts = {told: count for name, count in found.items() if (told := cue(name)) is not None}
            return counts, sum(found.values()) if whole is None else whole, near.record
    return None


def _of_thing(view: View, noun: frozenset[str]) -> list[Record]:
    """Give the short lines of one item that each tell of one such thing."""
    return view.world.once(("things", noun), lambda: _lines_of(view.world, noun))


def _lines_of(world: World, noun: frozenset[str]) -> list[Record]:
    first = min(noun, key=lambda word: (len(world.with_stem(word)), word))
    lines = [
        record
        for record in world.with_stem(first)
        if record.form == "line" and len(record.text) <= _LONGEST and noun <= record.own_stems
    ]
    if len({record.item.id for record in lines}) == 1 and len(lines) > 1:
        return lines
    arrays = elements_of(world, first) if len(noun) == 1 and not lines else []
    return arrays[0] if len(arrays) == 1 else []


def _outcomes(view: View, noun: frozenset[str]) -> tuple[dict[Stage, int], int, Record] | None:
    """Give the outcomes that one record each of the things tells, no thing told of twice."""
    return view.world.once(("outcomes", noun), lambda: _told_outcomes(_of_thing(view, noun)))


def _told_outcomes(lines: list[Record]) -> tuple[dict[Stage, int], int, Record] | None:
    stages = [stage for record in lines if (stage := stage_of(record)) is not None]
    heads = {re.split(r"[:=]", record.text)[0].strip() for record in lines}
    if not lines or len(stages) < len(lines) or len(heads) < len(lines):
        return None
    return {stage: stages.count(stage) for stage in stages}, len(lines), lines[0]


@rule("claims/records-summed", since="0.1", spec="section 5.5 and section 7, R07")
def records_summed(view: View) -> Finding | None:
    """Judge the total claimed of several things by the amounts that one record each of them gives.

    ## What it reports
    For `The three charges total $60`: SUPPORTED where every line about such a thing gives one amount under the same
    name and they come to the claimed sum; CONTRADICTED with VALUE_MISMATCH where they come to another.

    ## Why it matters
    A sum stands in no record, and a single record is no evidence against it.

    ## How to fix it
    Give the sum of the records.
    """
    claim = view.claim
    sums = [fact for fact in claim.facts if fact.kind == "money"]
    several = _SEVERAL.search(claim.text)
    found = together.summed(view) if together.is_said(claim) else None
    if found is not None:
        return found
    if len(sums) != 1 or several is None or claim.negative or view.identifiers:
        return None
    noun = frozenset({stem(several["noun"])})
    lines = _of_thing(view, noun)
    given, total = view.world.once(("amounts", noun), lambda: _summed(lines))
    if not given:
        return None
    if given < len(lines):
        return Finding(
            support="UNSUPPORTED",
            rule="claims/records-summed",
            refs=tuple(record.ref for record in lines[:_MOST]),
            code="MISSING_FACT",
            note="not every record gives an amount",
            missing=("QUANTITY_SOURCE", "An amount of each of the things that are summed."),
        )
    many = not several["count"] or number(several["count"]) == len(lines)
    agrees = total == sums[0].low and many
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/records-summed",
        refs=tuple(record.ref for record in lines[:_MOST]),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the {len(lines)} records come to {total}",
    )


_MOST: Final = 8
_SEVERAL: Final = re.compile(
    rf"^\W*(?:the|all|these|our|both|your)\s(?:(?P<count>{N})\s)?(?P<noun>[a-z]+s)\s(?:total(?:l?ed)?|sum(?:med)? (?:up )?to|add(?:ed)? up to|c[oa]me to)\b",
    re.IGNORECASE,
)


def _summed(lines: list[Record]) -> tuple[int, Decimal]:
    """Give how many lines give an amount, and what these come to."""
    amounts = [amount for record in lines if (amount := _amount(record)) is not None]
    if len({each.unit for each in amounts}) > 1:
        return 0, Decimal(0)  # euros and dollars come to nothing together
    return len(amounts), sum((each.low for each in amounts if each.low is not None), Decimal(0))


def _amount(record: Record) -> Fact | None:
    """Give the one amount of a line."""
    found = [
        fact
        for fact in record.facts
        if fact.start < 0
        and fact.kind in ("money", "number")
        and fact.attribute & {"amount", "total", "cost"}
    ]
    return found[0] if len(found) == 1 else None
