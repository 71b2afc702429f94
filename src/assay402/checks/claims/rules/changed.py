"""From what to what a thing changed, as a claim tells it and as the fields of a record do."""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.records import Record

_JOINT: Final = re.compile(r"[\s_.\-]+|(?<=[a-z0-9])(?=[A-Z])")
_FROM_TO: Final = re.compile(r"\bfrom\s(?P<old>\S.{0,40}?)\sto\s(?P<new>\S.{0,40})")
_TO_FROM: Final = re.compile(r"\bto\s(?P<new>\S.{0,40}?)\sfrom\s(?P<old>\S.{0,40})")
_ARROW: Final = re.compile(r"(?P<old>[\w$€£.,%]{1,30})\s?(?:->|→|=>)\s?(?P<new>[\w$€£.,%]{1,30})")
_SIGNS: Final = re.compile(r"^[$€£¥\s\"'v]+(?=[0-9])|[\"'.!]+$|(?<=[0-9]),(?=[0-9]{3})")
_MOST_RECORDS: Final = 24
_MOST_FIELDS: Final = 60


def is_turned(claim: Claim, record: Record) -> bool | None:
    """Tell whether a claim tells a change backwards, which a record gives as a value before and one after.

    None where the claim tells of no change, or the record of another one.
    """
    told = _told(claim.text)
    if told is None:
        return None
    old, new = told
    found: bool | None = None
    for before, after in _pairs(record):
        if _is(old, before) and _is(new, after):
            return False
        if _is(old, after) and _is(new, before):
            found = True
    return found


@lru_cache(maxsize=4_096)
def _told(text: str) -> tuple[str, str] | None:
    if " to " not in text and "->" not in text and "→" not in text and "=>" not in text:
        return None
    match = _FROM_TO.search(text) or _TO_FROM.search(text) or _ARROW.search(text)
    return (match["old"], match["new"]) if match is not None else None


def _pairs(record: Record) -> Iterator[tuple[str, str]]:
    """Give the values before and after of what a record tells a change of."""
    listed = table("predicates")
    for each in record.chain[:_MOST_RECORDS]:
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for field in each.fields[:_MOST_FIELDS]:
            parts = [part.lower() for part in _JOINT.split(field.name) if part]
            for names, values in ((listed["before"], before), (listed["after"], after)):
                named = next((part for part in parts if part in names), "")
                if named:
                    values.setdefault(" ".join(part for part in parts if part != named), field.value)
        yield from ((before[name], after[name]) for name in before.keys() & after.keys())


def _is(said: str, value: str) -> bool:
    """Tell whether what a claim says begins with a value, whatever it goes on with."""
    mine, theirs = _plain(said), _plain(value)
    if mine == theirs or mine.startswith((f"{theirs} ", f"{theirs},")):
        return True
    first = _plain(mine.partition(" ")[0])
    try:
        return Decimal(first) == Decimal(theirs.partition(" ")[0])
    except InvalidOperation:
        return False


def _plain(text: str) -> str:
    return _SIGNS.sub("", text.strip().lower().replace("_", " "))
