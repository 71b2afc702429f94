"""Codes, versions, pairs and accounts that are the same only as they are written; and the table a statement was about."""

import re
from typing import Final

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.compare import NUMERIC
from assay402.checks.claims.rules.deed import is_sql_answer
from assay402.checks.claims.rules.view import Near
from assay402.checks.claims.rules.world import World

_PAIR: Final = re.compile(
    r"(?<![\w.,:/-])([0-9]+(?:\.[0-9]+)?)(\s?[-–:/]\s?|,\s)([0-9]+(?:\.[0-9]+)?)(?![\w:/-]|[.,][0-9])"
)
_DASHED: Final = re.compile(r"(?<![\w-])\(?[0-9]{2,}\)?(?:[-\s][0-9]{2,})+(?![\w-])")
_ACCOUNT: Final = Pattern(r"\(\s?[$€£¥]?\s?[0-9][0-9,.]*\s?\)")
_WRITTEN: Final = re.compile(r"[0-9][0-9.,]*")
_LEAST_DIGITS: Final = 5
_DOTTED: Final = frozenset(
    stem(each)
    for each in (
        "version",
        "release",
        "section",
        "chapter",
        "article",
        "protocol",
        "clause",
        "paragraph",
        "build",
    )
)
"""What is numbered in parts, of which `1.10` is not `1.1`."""
_LEADING: Final = re.compile(r"0[0-9]{2,}")
_THOUSAND: Final = re.compile(r"[0-9]\.[0-9]{3}(?![0-9])")


def is_written_otherwise(claim: Claim, near: Near) -> bool:
    """Tell whether a record gives a value of a claim in a spelling that makes it another: `0042`, `1.1`, `2-3`, `($40)`."""
    for binding in near.bindings:
        fact, found, record = binding.fact, binding.found, binding.record
        if binding.state != "match" or found is None or record is None or fact.kind not in NUMERIC:
            continue
        one, other = _digits(fact.raw), _digits(found.raw)
        if fact.compared == "~":
            continue  # what is about so much is spelled otherwise
        if one != other and (_LEADING.fullmatch(one) or _LEADING.fullmatch(other)):
            return True
        if (
            one != other
            and "." in one + other
            and (fact.attribute | found.attribute | claim.content) & _DOTTED
        ):
            return True
        if one != other and "€" in claim.text and (_THOUSAND.search(one) or _THOUSAND.search(other)):
            return True
        if _is_account(record, found.start) and "(" not in claim.text:
            return True
    return _is_turned(claim, near.record) or _is_other_dashed(claim, near.record)


def _digits(raw: str) -> str:
    match = _WRITTEN.search(raw)
    return match[0].replace(",", "").rstrip(".") if match is not None else ""


def _is_account(record: Record, start: int) -> bool:
    """Tell whether a value is written as accounts write what is owed: in brackets, and nothing beside it."""
    place = -1 - start
    value = record.fields[place].value if 0 <= place < len(record.fields) else ""
    if start >= 0 and len(record.fields) == 1:
        value = record.fields[0].value
    return value.startswith("(") and _ACCOUNT.fullmatch(value) is not None


def _is_numbers(claim: Claim, start: int, end: int) -> bool:
    """Tell whether a stretch of a claim is no date, time or identifier."""
    return all(each.kind in NUMERIC for each in claim.facts if each.start < end and start < each.end)


def _is_turned(claim: Claim, record: Record) -> bool:
    """Tell whether a record gives the two values of a score, a ratio or a range the other way round."""
    pairs = [
        (match[1], match[2].strip(), match[3])
        for match in _PAIR.finditer(claim.text[:_READ])
        if _is_numbers(claim, *match.span())
    ]
    if not pairs:
        return False
    told = {(match[1], match[2].strip(), match[3]) for match in _PAIR.finditer(record.text[:_READ])}
    return any((two, by, one) in told and (one, by, two) not in told for one, by, two in pairs if one != two)


_READ: Final = 2_000


def _is_other_dashed(claim: Claim, record: Record) -> bool:
    """Tell whether a record holds other numbers in groups than the one a claim gives."""
    wanted = [
        digits
        for match in _DASHED.finditer(claim.text[:_READ])
        if len(digits := re.sub(r"[^0-9]", "", match[0])) >= _LEAST_DIGITS
        and _is_numbers(claim, *match.span())
    ]
    if not wanted:
        return False
    told = [re.sub(r"[^0-9]", "", match[0]) for match in _DASHED.finditer(record.text[:_READ])]
    return bool(told) and not all(each in told for each in wanted)


_READY: Final = Pattern(r"([0-9]+)/([0-9]+)")


_SHARE: Final = re.compile(r"\b([0-9]+)\s?(?:of|out of|/)\s?(?:the\s|its\s)?([0-9]+)\b")


def is_unready(claim: Claim, record: Record) -> bool:
    """Tell whether a column or a field for how many are ready counts fewer than there are, and than a claim says: `READY 0/1`."""
    counts = (_READY.fullmatch(each.value) for each in record.fields if each.name.lower() == "ready")
    said = {match.groups() for match in _SHARE.finditer(claim.text)}
    return any(each is not None and each[1] != each[2] and each.groups() not in said for each in counts)


_STATEMENT: Final = Pattern(r"\b(?:DELETE\s+FROM|UPDATE|INSERT\s+INTO|COPY)\s+[`\"]?([\w.]+)", re.IGNORECASE)
_ROWS: Final = frozenset(
    stem(each)
    for each in (
        "rows",
        "records",
        "entries",
        "lines",
        "items",
        "data",
        "database",
        "table",
        "query",
        "statement",
        "old",
        "stale",
        "successfully",
    )
)
_ABOVE: Final = 4


def other_table(claim: Claim, near: Near, world: World) -> str:
    """Give the table that the statement above a count was about, where a claim names another thing; empty where it does not."""
    record = near.record
    if not is_sql_answer(record.text):
        return ""
    for above in reversed(world.records[max(0, record.order - _ABOVE) : record.order]):
        match = _STATEMENT.search(above.text) if above.item is record.item else None
        if match is None:
            continue
        named = [each for each in stems(match[1].replace("_", " ").replace(".", " ")) if each.isalpha()][-1:]
        rest = (
            claim.content
            - frozenset(stems(above.text[match.end() :].replace("_", " ")))
            - _ROWS
            - frozenset(stems(record.text))
        )
        done = frozenset(stem(claim.text[each.start : each.end]) for each in claim.mentions)
        return match[1] if not claim.content.intersection(named) and rest - done - _spoken(claim) else ""
    return ""


def _spoken(claim: Claim) -> frozenset[str]:
    return frozenset(stem(word) for fact in claim.facts for word in stems(fact.raw))
