"""What can be counted, added up or compared over records."""

import re
from datetime import date
from decimal import Decimal
from typing import Final, TypeAlias

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.actions import cue
from assay402.checks.claims.reading.facts import value_facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.view import View, report_words
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_TOTAL: Final = frozenset({"total", "sum"})
_LASTED: Final = Pattern(r"\b(?:took|takes|lasted|ran for|duration|in|within)\b", re.IGNORECASE)
_MOST: Final = 2_000


@rule("claims/counted", since="0.1", spec="section 7, R07")
def counted(view: View) -> Finding | None:
    """Support a number that the records add up to.

    ## What it reports
    SUPPORTED where the claim gives how many there are of something and that many lines or rows of one form tell of
    it, or gives a total and the amounts of such rows add up to it, or gives a duration and the time stamps of the
    first and the last record of the subject lie that far apart.

    ## Why it matters
    `2 tests added` is nowhere written in a log that lists the two.

    ## How to fix it
    Nothing needs fixing.

    ## Known limits
    Records are counted as far as they were supplied, so a smaller count contradicts nothing. A duration is
    contradicted only where one record tells the beginning and one the end.
    """
    claim = view.claim
    numbers = [
        fact for fact in claim.facts if fact.kind in ("number", "money", "quantity") and not fact.compared
    ]
    money = [fact for fact in numbers if fact.kind == "money"]
    counted_too = None
    if len(money) == 1 and len(numbers) == 2 and _TOTAL & claim.content:
        # `The total of the three plans`: how many there are is said beside the sum.
        counted_too = (
            next(int(fact.low or 0) for fact in numbers if fact.kind != "money") if len(money) < 2 else None
        )
        numbers = money
    if len(numbers) != 1 or len(claim.facts) > 2 or claim.negative:  # one number and what it is of
        return None
    fact = numbers[0]
    records = _counted(view, fact) if fact.kind == "number" else []
    if fact.kind == "number" and records and Decimal(len(records)) == fact.low:
        return Finding(
            support="SUPPORTED", rule="claims/counted", refs=tuple(record.ref for record in records[:12])
        )
    summed = _summed(view, fact) if _TOTAL & claim.content and fact.kind != "quantity" else None
    if summed is not None and (counted_too is None or counted_too == len(summed)):
        return Finding(support="SUPPORTED", rule="claims/counted", refs=summed)
    lasted = (
        _lasted(view, fact)
        if fact.kind == "quantity" and fact.unit == "s" and _LASTED.search(claim.text)
        else None
    )
    if lasted is None:
        return None
    refs, agrees = lasted
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/counted",
        refs=refs,
        code="" if agrees else "VALUE_MISMATCH",
        note="the time stamps lie as far apart" if agrees else "the time stamps lie another time apart",
    )


def _counted(view: View, fact: Fact) -> list[Record]:
    wanted = (view.claim.content | fact.attribute) - report_words() - {stem("total"), stem("there")}
    if len(wanted) < 2:  # what is counted, and what is said of it
        return []
    found = view.world.once(("counted", wanted), lambda: _of_kind(view.world, wanted))
    stage = cue(view.claim.text) or next((each.stage for each in view.claim.mentions), None)
    if stage == "FAILED" or cue(view.claim.text) is not None:
        return [record for record in found if stage_of(record) == stage]
    return [record for record in found if stage_of(record) in (None, stage)]


def _of_kind(world: World, wanted: frozenset[str]) -> list[Record]:
    """Give the records that hold all words of a kind, where they are of one form and count nothing themselves."""
    rarest = min(sorted(wanted), key=lambda word: len(world.with_stem(word)))
    named = [record for record in world.holding(wanted, rarest, _MOST) if wanted <= record.all_stems]
    # A line that stands behind others bears their words too; a heading stands over all that are counted.
    found = [record for record in named if record.form != "line" or wanted <= frozenset(stems(record.text))]
    found = found or (named if len({record.label for record in named}) == 1 else [])
    told = {
        record.text.replace(record.moment.replace(" ", "T"), "").replace(record.moment, "")
        for record in found
    }
    if len(told) < len(found):
        return []  # of one thing told twice nobody can say that they are two
    if not found or any(
        number.kind == "number" and number.low is not None for record in found for number in record.facts
    ):
        return []
    first = found[0]
    return found if all(record.item is first.item and record.form == first.form for record in found) else []


def _summed(view: View, fact: Fact) -> tuple[str, ...] | None:
    columns = view.world.once(
        ("columns", fact.kind, fact.unit), lambda: _columns(view.world, fact.kind, fact.unit)
    )
    return next((refs for total, refs in columns if total == fact.low), None)


def _columns(world: World, kind: str, unit: str) -> list[tuple[Decimal, tuple[str, ...]]]:
    """Give for each item what its first values of a kind and a unit add up to, and where they stand."""
    by_item: dict[str, list[tuple[Record, Decimal]]] = {}
    for record in world.bearing[:_MOST]:
        for found in record.facts:
            if (
                found.kind == kind
                and found.unit == unit
                and found.low is not None
                and found.low == found.high
                and not _TOTAL & record.own_stems
            ):
                by_item.setdefault(record.item.id, []).append((record, found.low))
                break
    return [
        (sum((low for _, low in rows), Decimal(0)), tuple(record.ref for record, _ in rows[:12]))
        for rows in by_item.values()
        if 2 <= len(rows) <= 200  # a column that a person could add
    ]


_BEGUN: Final = Pattern(r"\b(?:start\w*|beg[aiu]n\w*|launch\w*|running|opened)\b", re.IGNORECASE)
_ENDED: Final = Pattern(
    r"\b(?:finish\w*|complet\w*|done|end\w*|succeeded|stopped|closed|success)\b", re.IGNORECASE
)


def _lasted(view: View, fact: Fact) -> tuple[tuple[str, str], bool] | None:
    """Say whether the first and the last dated record of the subject lie as far apart as claimed; None if unsaid."""
    dated = sorted(
        (near.record for near in view.near if near.coverage > 0 and ":" in near.record.moment),
        key=lambda record: record.order,
    )
    same = [record for record in dated if record.item is dated[0].item]
    if len(same) < 2 or fact.low is None:  # a beginning and an end
        return None
    lasted = Decimal(_seconds(same[-1].moment) - _seconds(same[0].moment))
    refs = (same[0].ref, same[-1].ref)
    if lasted == fact.low or (abs(lasted - fact.low) * 2 <= _unit(fact) and lasted > 0):
        return refs, True
    told = len(same) == 2 and _BEGUN.search(same[0].text) and _ENDED.search(same[1].text)
    return (refs, False) if told else None


def _unit(fact: Fact) -> Decimal:
    """Give the seconds of the unit a duration is given in; nothing where it is given in fractions of it."""
    if "." in fact.raw:
        return Decimal(0)
    return next(
        (
            Decimal(size)
            for word, size in (("min", 60), ("hour", 3600), ("h", 3600))
            if word in fact.raw.lower()
        ),
        Decimal(0),
    )


def _seconds(moment: str) -> int:
    """Give a moment in seconds; a time without a day counts from midnight."""
    day, _, clock = moment.rpartition(" ")
    hour, minute, second = [int(each) for each in f"{clock}:00".split(":")[:3]]
    date_of = date.fromisoformat(day).toordinal() if day else 0
    return ((date_of * 24 + hour) * 60 + minute) * 60 + second


_LOW: Final = Pattern(
    r"\b(?:cheapest|lowest|least|smallest|minimum|fastest|shortest|fewest)\b", re.IGNORECASE
)
_HIGH: Final = Pattern(
    r"\b(?:most expensive|highest|largest|biggest|maximum|slowest|longest|greatest)\b", re.IGNORECASE
)


_TOGETHER: Final = frozenset(map(stem, ("total", "sum", "average", "overall")))
"""Names of rows of all of them together."""


@rule("claims/count-differs", since="0.1", spec="section 7, R07 and R18")
def count_differs(view: View) -> Finding | None:
    """Contradict an extreme that a table or list shows to be another's.

    ## What it reports
    CONTRADICTED with the reason COMPARISON_FALSE where the claim calls one row the lowest, cheapest, highest or
    largest, and another row of the same table has a lower or higher value in the only column of that kind;
    SUPPORTED where no other row has.

    ## Why it matters
    `The cheapest plan` is bought without looking at the others.

    ## How to fix it
    Name the row that is the extreme.
    """
    low, high = _LOW.search(view.claim.text), _HIGH.search(view.claim.text)
    if (low is None) == (high is None) or view.claim.negative:
        return None
    rows = [each for each in _rows(view) if not each[2] & _TOGETHER]
    said = view.claim.content | view.claim.names
    if rows and rows[0][0].form == "row":
        said |= frozenset(stems(view.claim.text))  # an identifier may name a row
    named = [(record, value) for record, value, head in rows if head and head <= said]
    if len(rows) < 2 or len(named) != 1:  # a comparison needs two
        return None
    values = [value for _, value, _ in rows]
    best = min(values) if low is not None else max(values)
    record, value = named[0]
    if value == best and values.count(best) > 1:
        return None  # no other may be as far
    if value == best:
        return (
            Finding(support="SUPPORTED", rule="claims/count-differs", refs=(record.ref,))
            if not view.claim.facts
            or any(near.record is record and near.matched == len(view.claim.facts) for near in view.near)
            else None
        )
    other = next(row for row, each, _ in rows if each == best)
    return Finding(
        support="CONTRADICTED",
        rule="claims/count-differs",
        refs=(record.ref, other.ref),
        code="COMPARISON_FALSE",
        note="another row goes beyond it",
    )


_Row: TypeAlias = tuple[Record, Decimal, frozenset[str]]
"""A record, its only value, and the words that name it."""


def _rows(view: View) -> list[_Row]:
    if not view.near:
        return []
    nearest = view.near[0].record
    rows = view.world.once(("rows", nearest.item.id, nearest.form), lambda: _rows_like(view.world, nearest))
    if rows or nearest.form != "row":
        return rows
    said = view.claim.content
    return view.world.once(("column", nearest.item.id, said), lambda: _column(view.world, nearest, said))


def _column(world: World, like: Record, said: frozenset[str]) -> list[_Row]:
    """Give the rows of a table with their values in the one column that a claim names."""
    names = [field.name for field in like.fields[1:] if frozenset(stems(field.name)) & said]
    if len(names) != 1:
        return []
    found: list[_Row] = []
    for record in world.bearing_of(like.item)[:200]:
        value = next((each.value for each in record.fields if each.name == names[0]), None)
        held = value_facts(value)[:1] if value is not None else ()
        if record.form == "row" and held and held[0].low is not None:
            found.append((record, held[0].low, frozenset(stems(record.fields[0].value))))
    return found


def _rows_like(world: World, like: Record) -> list[_Row]:
    found: list[_Row] = []
    same = [record for record in world.bearing_of(like.item) if record.form == like.form]
    for record in same[:200]:
        numbers = [
            fact
            for fact in record.facts
            if fact.kind in ("money", "number", "quantity", "percent")
            and fact.low is not None
            and fact.low == fact.high
        ]
        if len(numbers) == 1 and numbers[0].low is not None:
            head = frozenset(stems(re.split(r"[:|,=]", record.text, maxsplit=1)[0]))
            found.append((record, numbers[0].low, head))
    return found
