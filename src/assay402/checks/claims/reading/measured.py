"""A value with a number: its bounds, by the comparison beside it, and the words that say what it is of."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.text import stems, the_same

_SEGMENT: Final = re.compile(r"[,;()\[\]|\n]|\.\s|\s[-–—]\s|->|→|\b(?:and|but|while)\b")
_BEFORE: Final = {
    "than": (
        ("more than", ">"), ("greater than", ">"), ("higher than", ">"), ("larger than", ">"), ("longer than", ">"),
        ("no less than", ">="), ("no fewer than", ">="), ("no more than", "<="), ("not more than", "<="),
        ("less than", "<"), ("fewer than", "<"), ("lower than", "<"), ("smaller than", "<"), ("shorter than", "<"),
    ),
    "over": (("over", ">"),), "above": (("above", ">"),), "exceed": (("exceed", ">"),), "exceeds": (("exceeds", ">"),),
    "exceeded": (("exceeded", ">"),), "exceeding": (("exceeding", ">"),), ">": ((">", ">"),),
    "least": (("at least", ">="),), "of": (("minimum of", ">="), ("maximum of", "<=")), ">=": ((">=", ">="),), "≥": (("≥", ">="),),
    "under": (("under", "<"),), "below": (("below", "<"),), "within": (("within", "within"),), "<": (("<", "<"),),
    "as": (("as many as", "<="), ("as much as", "<="), ("as few as", ">="), ("as little as", ">=")), "most": (("at most", "<="),), "to": (("up to", "<="),), "<=": (("<=", "<="),), "≤": (("≤", "<="),),
} | {word: ((word, "~"),) for word in ("about", "around", "approximately", "roughly", "nearly", "almost", "circa", "some", "~", "≈")}  # fmt: skip
"""The comparisons that words before a number make, by the last of them; of several endings the longest holds."""
_MOVED_UP: Final = re.compile(
    r"\b(?:w[eo]nt|goe?s?|gone|going|moved?s?|scaled?s?|bumped|brought|pushed|ros?en?|climbed|came|crept|shot|sped|driven|added|adds?|caught|is|was|now)\sup to$"
)
"""What went up to a number is at it, and not somewhere below."""
_SIGNS: Final = re.compile(r"(?:[<>]=?|[≥≤~≈])$")
_OR_MORE: Final = re.compile(
    r"\s(?:or|and) (?:more|higher|above|greater|later|newer|over|up)\b", re.IGNORECASE
)
_OR_LESS: Final = re.compile(r"\s(?:or|and) (?:less|fewer|lower|below|under|earlier|older)\b", re.IGNORECASE)
_ABOUT: Final = Decimal("0.05")


def numeric(kind: str, number: Decimal, unit: str, raw: str, start: int, end: int, text: str) -> Fact:
    """Make a value of a number in its base unit, with what the words around it say of it."""
    compared = _compared(text[max(0, start - 24) : start])
    more, less = _OR_MORE.match(text, end), _OR_LESS.match(text, end)
    if text[end : end + 1] == "+" or more is not None:
        compared = ">="
    elif less is not None:
        compared = "<="
    behind = more or less
    end = behind.end() if behind is not None else end
    low, high = _interval(number, compared)
    value = format(number.normalize(), "f") if abs(number.adjusted()) < 40 else str(number)  # readable width
    return Fact(kind, value, low, high, unit, raw, start, end, attribute(text, start, end), compared)


def _compared(before: str) -> str:
    """Give the comparison the words before a number make."""
    low = before.rstrip().lower()
    sign = _SIGNS.search(low)
    endings = _BEFORE.get(sign[0] if sign is not None else low.rpartition(" ")[2], ())
    if not endings or _MOVED_UP.search(low):
        return ""
    held = [each for each in endings if low.endswith(each[0])]
    return max(held, key=lambda each: len(each[0]))[1] if held else ""


def _interval(number: Decimal, compared: str) -> tuple[Decimal | None, Decimal | None]:
    match compared:
        case ">" | ">=":
            return number, None
        case "<" | "<=" | "within":
            return None, number
        case "~":
            return number - abs(number) * _ABOUT, number + abs(number) * _ABOUT
    return number, number


_NOTHING: Final = frozenset[str]()


def attribute(text: str, start: int, end: int) -> frozenset[str]:
    """Give the stems of the words beside a value, up to the next mark that separates."""
    if start == 0 and end >= len(text):
        return _NOTHING
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    cut = 0
    for match in _SEGMENT.finditer(before):
        cut = match.end()
    stop = _SEGMENT.search(after)
    beside = f"{before[cut:]} {after[: stop.start()] if stop else after}"
    return the_same(frozenset([each for each in stems(beside) if not each.isdigit()]))
