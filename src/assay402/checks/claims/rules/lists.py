"""How many elements a list of the evidence has: JSON arrays, and the closing line of a query."""

import re
from typing import Final

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.compare import IDENTIFYING
from assay402.checks.claims.rules.elements import array_of, stands
from assay402.checks.claims.rules.phrase import alike
from assay402.checks.claims.rules.view import View, report_words, shared
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_ROWS: Final = Pattern(
    r"^\s*\(?([0-9]+) (?:rows?|records?|results?)(?: in set| returned| found| matched)?\b.{0,40}$",
    re.IGNORECASE,
)
_ASKING: Final = Pattern(
    r"\b(?:query|queries|select|search|lookup|request|call|api|endpoint|response|returned|found|list(?:s|ed)?|there (?:are|were)|has|have|contains?|includes?)\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\s(?:\w+\s)?([a-z][\w-]{2,})\b")
_LOOKED_AT: Final = 400
_ROW_WORDS: Final = frozenset(stem(word) for word in ("row", "record", "result", "entry", "match"))


@rule("claims/listed", since="0.1", spec="section 7, R07")
def listed(view: View) -> Finding | None:
    """Judge a number of things by the list of them that the evidence holds.

    ## What it reports
    Where the claim gives how many there are of something and a JSON array of that name, or the closing line of a
    query, lists them: SUPPORTED where it has as many elements, CONTRADICTED with VALUE_MISMATCH where it has more or
    fewer, if it is the only such list or the one beside an identifier of the claim.

    ## Why it matters
    `The account has three users` is nowhere written in a response that lists two.

    ## How to fix it
    Count again.

    ## Known limits
    A list that was cut off counts as it stands.
    """
    claim = view.claim
    numbers = [fact for fact in claim.facts if fact.kind == "number" and fact.start >= 0]
    if len(numbers) != 1 or claim.negative or _ASKING.search(claim.text) is None:
        return None
    fact = numbers[0]
    match = _COUNTED.match(claim.text, fact.end)
    if match is None:
        return None
    things = frozenset(stems(claim.text[fact.end : match.end()]))
    lists = _arrays(view, things) or _closing(view, things) or _rows(view, things)
    if not lists or len({count for count, _ in lists}) != 1:
        return None
    count, record = lists[0]
    kept = _of_sort(view, record, things)
    if kept is None or not _holds_rest(view, record, fact):
        return None
    agrees = _holds(fact, count if kept < 0 else kept)
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/listed",
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the list has {count} elements",
    )


def _of_sort(view: View, record: Record, things: frozenset[str]) -> int | None:
    """Give how many elements are of the sort that an adjective tells; -1 where none does, None where no element says so."""
    if record.form != "json" or not record.pointer.rpartition("/")[2].isdigit():
        return -1
    named = frozenset(
        stems(f"{record.pointer.rpartition('/')[0]} {record.label}".replace("_", " ").replace("/", " "))
    )
    rest = frozenset(
        each for each in things if not alike(each) & named and not alike(each) & _id_words(record)
    )
    if not rest:
        return -1
    found = sum(stands(each, rest, view.world) for each in array_of(record, view.world))
    return found or None


def _id_words(record: Record) -> frozenset[str]:
    return frozenset(stems(record.fields[0].name.replace("_", " "))) if record.fields else frozenset()


def _holds_rest(view: View, record: Record, number: Fact) -> bool:
    """Tell whether the elements of a list, or what it stands in, hold the names and identifiers that a claim gives beside their number."""
    claim = view.claim
    others = [
        each.value for each in claim.facts if each is not number and each.kind in (*IDENTIFYING, "code")
    ]
    if record.form != "json" or not (claim.names or others):
        return True
    top = record.above[-1] if record.above else record
    held = top.whole_stems | frozenset(
        word for each in array_of(record, view.world) for word in each.whole_stems
    )
    said = {value.value.lower() for each in (top, *top.below[:_LOOKED_AT]) for value in each.fields}
    named = claim.names - held - report_words()
    return not named and all(
        each in said or frozenset(stems(each.replace("_", " "))) <= held for each in others
    )


def _holds(fact: Fact, count: int) -> bool:
    above = fact.low is None or (count > fact.low if fact.compared == ">" else count >= fact.low)
    below = fact.high is None or (count < fact.high if fact.compared == "<" else count <= fact.high)
    return above and below


def _arrays(view: View, things: frozenset[str]) -> list[tuple[int, Record]]:
    """Give the arrays named as the counted things are, with their lengths; those of the claim's identifiers alone, if any."""
    world = view.world
    found: dict[tuple[str, str], tuple[int, Record]] = {}
    for word in sorted({other for each in things for other in alike(each)}):
        found |= world.once(("arrays", word), lambda word=word: _arrays_of(world, word))  # type: ignore[misc]  # (bound at once)
    if view.identifiers:
        return [each for each in found.values() if shared(view.identifiers, each[1].held_ids)]
    return list(found.values())


def _arrays_of(world: World, word: str) -> dict[tuple[str, str], tuple[int, Record]]:
    """Give the arrays of a name, by where they stand."""
    found: dict[tuple[str, str], tuple[int, Record]] = {}
    for record in world.with_stem(word)[:_LOOKED_AT]:
        if record.form != "json":
            continue
        array, _, index = record.pointer.rpartition("/")
        if index.isdigit() and _is_named(record, array.rpartition("/")[2], word):
            key = (f"{record.item.id}#{record.line}", array)
            held = found.get(key)
            found[key] = ((held[0] if held else 0) + 1, held[1] if held else record)
        named = [each for each in record.fields if frozenset(stems(each.name.replace("_", " "))) == {word}]
        if len(named) > 1 or (named and named[0].pointer.rpartition("/")[2] == "0"):
            found[record.ref, named[0].name] = (len(named), record)
        elif named and named[0].value == "[]":
            found[record.ref, named[0].name] = (0, record)
    return found


def _is_named(record: Record, array: str, word: str) -> bool:
    """Tell whether an array is named by a word; one that is a whole answer by the tool, or by what its elements are known by."""
    if array:
        return frozenset(stems(array.replace("_", " "))) == {word}
    called = record.parent is not None and record.parent.label.endswith(" call")
    return called and word in stems(
        f"{record.label} {record.fields[0].name if record.fields else ''}".replace("_", " ")
    )


_TABLE: Final = Pattern(r"\b(?:table|list|listing|report|output|sheet)\b", re.IGNORECASE)


def _rows(view: View, things: frozenset[str]) -> list[tuple[int, Record]]:
    """Give the number of rows of the only table, where the claim speaks of the table and of what its first column names."""
    if _TABLE.search(view.claim.text) is None:
        return []
    rows = [each for each in view.world.bearing[:_ROWS_LOOKED_AT] if each.form == "row" and each.fields]
    heads = {(each.item.id, each.label, each.fields[0].name) for each in rows}
    if len(heads) != 1 or not things & (frozenset(stems(rows[0].fields[0].name)) | _ROW_WORDS):
        return []
    return [(len(rows), rows[0])]


_ROWS_LOOKED_AT: Final = 2_000


def _closing(view: View, things: frozenset[str]) -> list[tuple[int, Record]]:
    """Give the number of rows that the closing line of the last query tells."""
    if not things & _ROW_WORDS:
        return []
    found = view.world.once("closing", lambda: _closing_of(view.world))
    if any(_is_of_other_table(view, record) for _, record in found):
        return []
    if _RETURNED.search(view.claim.text):
        return found
    return [_counted(view.world, count, record) for count, record in found]


def _closing_of(world: World) -> list[tuple[int, Record]]:
    told = [
        (int(match[1]), record)
        for word in sorted(_ROW_WORDS)
        for record in world.with_stem(word)[-_LOOKED_AT:]
        if (match := _ROWS.match(record.text)) is not None
    ]
    return sorted(told, key=lambda each: each[1].order)[-1:]


_STATED: Final = Pattern(r"\bfrom\s[\"`]?(?:\w+\.)?(?P<table>\w+)", re.IGNORECASE)
_NAMED_TABLE: Final = Pattern(r"\b(?P<before>\w+)\stable\b", re.IGNORECASE)
_STATEMENT: Final = 8
"""Lines above the line that closes an answer in which its statement stands."""


def _is_of_other_table(view: View, record: Record) -> bool:
    """Tell whether the statement above an answer is about another table than a claim names."""
    named = _NAMED_TABLE.search(view.claim.text)
    table = stems(named["before"]) if named is not None else []
    above = view.world.records[max(0, record.order - _STATEMENT) : record.order + 1] if table else ()
    told = [match for each in above if (match := _STATED.search(each.text)) is not None]
    return bool(told) and stems(told[-1]["table"]) != table


_COUNT: Final = re.compile(r"\W*count\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\s*([0-9]+)\b")
_RETURNED: Final = Pattern(r"\b(?:quer(?:y|ies)|returned|select)\b", re.IGNORECASE)
"""What the query gave back is its rows, and not what it counted."""
_ABOVE: Final = 4
"""Lines between the header of a count and the line that closes the answer."""


def _counted(world: World, count: int, record: Record) -> tuple[int, Record]:
    """Give the number of rows that a query counted, where its answer is one row with that number."""
    above = world.records[max(0, record.order - _ABOVE) : record.order] if count == 1 else ()
    heads = [each.order for each in above if each.item is record.item and _COUNT.match(each.text)]
    for each in above:
        number = _NUMBER.match(each.text)
        if heads and each.order > heads[-1] and each.item is record.item and number is not None:
            return int(number[1]), each
    return count, record
