"""Whether a sentence of the evidence says a claim in its own order, adding nothing that would change it."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stop_words
from assay402.checks.claims.rules.view import report_words

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,;]")
_JOINING: Final = frozenset({"and", "or", "but", "nor", "either", "neither", "except"})
_TURNING: Final = frozenset(
    [
        "not",
        "never",
        "no",
        "without",
        "almost",
        "nearly",
        "former",
        "formerly",
        "alleged",
        "allegedly",
        "hardly",
        "rarely",
        "barely",
        "few",
        "half",
        "if",
        "unless",
        "only",
        "most",
        "some",
        "except",
        "fake",
        "denied",
        "false",
    ]
)
_STARTS: Final = 6
_GAP: Final = 3
"""Content words that may stand between two of the claim's."""


def tokens(text: str) -> list[str]:
    """Give the content stems of a text in order, joining and turning words kept as they are."""
    found = []
    for word in _WORD.findall(text):
        low = word.lower()
        if low in _JOINING or low in _TURNING or low.endswith("n't"):
            found.append(f"={low}")
        elif low not in stop_words() and word not in ",;":
            found.append(stem(low))
    return found


def _claimed(claim: Claim, ignoring: frozenset[Fact]) -> list[str]:
    kept, position = [], 0
    for fact in claim.facts:
        if fact in ignoring or fact.kind in ("money", "date", "time", "percent", "quantity", "number"):
            kept.append(claim.text[position : fact.start])
            position = max(position, fact.end)
    kept.append(claim.text[position:])
    return [each for each in tokens(" ".join(kept)) if each not in report_words() or each in claim.names]


def says_in_order(claim: Claim, record: Record, ignoring: frozenset[Fact] = frozenset()) -> bool:
    """Tell whether a record has all content words of a claim in their order, close together, with nothing turning between."""
    wanted = _claimed(claim, ignoring)
    if sum(not each.startswith("=") for each in wanted) < 2:  # one word says nothing
        return False
    given = tokens(record.text[:4_000])
    starts = [index for index, each in enumerate(given) if each == wanted[0]][:_STARTS]
    return any(_runs(wanted, given, start) for start in starts)


def _runs(wanted: list[str], given: list[str], start: int) -> bool:
    if start and given[start - 1].startswith("=") and not wanted[0].startswith("="):
        return False
    position = start
    for each in wanted[1:]:
        gap = 0
        position += 1
        while position < len(given) and given[position] != each:
            if given[position].startswith("="):
                return False
            gap += not given[position].isdigit()
            position += 1
        if position >= len(given) or gap > _GAP:
            return False
    return True
