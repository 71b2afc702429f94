"""How large a part of several things a claim speaks of: half, two thirds, 95 %, all but one, not all."""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.text import stem

NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
}
N: Final = rf"[0-9]{{1,6}}|{'|'.join(NUMBERS)}"
_PARTS: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_BOUNDS: Final = {
    "more than": ">", "over": ">", "well over": ">", "at least": ">=", "no less than": ">=",
    "less than": "<", "fewer than": "<", "under": "<", "at most": "<=", "no more than": "<=", "up to": "<=",
    "about": "~", "around": "~", "roughly": "~", "approximately": "~", "nearly": "~", "almost": "~", "only": "", "exactly": "",
}  # fmt: skip
_PORTION: Final = re.compile(
    rf"(?:\b(?P<bound>{'|'.join(_BOUNDS)})\s)?(?:"
    rf"\b(?:(?P<times>an?|{'|'.join(NUMBERS)})\s)?(?<!first\s)(?<!second\s)(?<!other\s)(?P<part>{'|'.join(_PARTS)})s?(?=\s(?:of|the|our|all)\b)"
    r"|\b(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,4})?)\s?(?:%|percent)(?=\sof\b)"
    rf"|\b(?:all|every|each)\b(?:\s(?!but\b|except\b|bar\b|save\b)[\w-]+){{0,4}}?\s(?:but|except(?:\sfor)?|bar|save)\s(?P<but>{N})\b"
    r"|\b(?P<most>most|(?:the|a) majority)(?=\s(?:of\s)?(?:the\s|our\s|these\s|those\s)?[a-z][\w-]*s\b)"
    r"|\b(?:not|\w+n't)\s(?P<some>all|every(?:one|body|thing)?)\b)",
    re.IGNORECASE,
)
WORDS: Final = frozenset(
    stem(word)
    for word in (*NUMBERS, *_PARTS, "percent", "all", "every", "each", "but", "except", "bar", "save", "more", "less", "fewer", "least", "most", "only", "nearly", "almost", "roughly", "approximately", "exactly")
)  # fmt: skip
"""What the words of a part of something stem to: they name nothing."""
_HINTS: Final = (
    "half",
    "third",
    "quarter",
    "fifth",
    "tenth",
    "%",
    "percent",
    "all ",
    "every",
    "each ",
    "most ",
    "majority ",
)


class Portion(NamedTuple):
    """A part of several things."""

    low: Fraction
    high: Fraction
    """The bounds of its share of the whole."""
    bound: str
    left: int | None
    """How many of them are left out, where that is said."""
    start: int
    end: int

    @property
    def is_denial(self) -> bool:
        """It is said that it was not all of them."""
        return self.bound == "!"

    @property
    def is_of_named(self) -> bool:
        """What it is of may be named before it as well: `the tests have not all passed`, `all tests but one`."""
        return self.left is not None or self.is_denial

    def holds(self, count: int, whole: int) -> bool:
        """Tell whether so many of so many are this part."""
        if self.left is not None:
            return whole > self.left and whole - count == self.left
        share = Fraction(count, whole) if whole else Fraction(0)
        if self.bound == ">":
            return share > self.low
        if self.bound == ">=":
            return share >= self.low
        if self.bound in ("<", "!"):
            return share < self.high
        return share <= self.high if self.bound == "<=" else self.low <= share <= self.high


def portion_of(text: str) -> Portion | None:
    """Give the part of several things that a text speaks of first; None where it speaks of none."""
    return _portion_of(text[:_READ])


def whole_of(claim: Claim, portion: Portion) -> Fact | None:
    """Give the number of things of which a claim tells a part, where it tells it: `half of the 40 tests`."""
    return next(
        (
            each
            for each in claim.facts
            if each.kind == "number" and _OF_ALL.fullmatch(claim.text, portion.end, each.start) is not None
        ),
        None,
    )


_OF_ALL: Final = re.compile(r"\s(?:of\s)?(?:(?:the|our|your|all)\s){0,2}")


@lru_cache(maxsize=4_096)
def _portion_of(text: str) -> Portion | None:
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return None
    match = _PORTION.search(text)
    if match is None:
        return None
    bound = _BOUNDS[match["bound"].lower()] if match["bound"] else ""
    if match["some"]:
        return Portion(Fraction(0), Fraction(1), "!", None, *match.span())
    if match["most"]:
        return Portion(Fraction(1, 2), Fraction(1), ">", None, *match.span())
    if match["but"]:
        return (
            Portion(Fraction(0), Fraction(1), "", number(match["but"]), *match.span()) if not bound else None
        )
    low, high = _share(match, bound)
    return Portion(low, high, bound, None, *match.span())


_READ: Final = 400
_NEAR: Final = Fraction(1, 20)
"""What `about` leaves open, to both sides."""


def number(text: str) -> int:
    """Give the number that digits or a word from one to ten name."""
    return NUMBERS.get(text.lower()) or int(text)


def _share(match: re.Match[str], bound: str) -> tuple[Fraction, Fraction]:
    """Give the bounds of a share; those of a percentage lie half of its last digit apart from it."""
    if match["percent"]:
        exact = Fraction(match["percent"]) / 100
        digits = len(match["percent"].partition(".")[2])
        apart = Fraction(1, 200 * 10**digits) if not bound and exact not in (0, 1) else Fraction(0)
    else:
        times = match["times"]
        exact = Fraction(
            1 if times is None or times.lower() in ("a", "an") else number(times),
            _PARTS[match["part"].lower()],
        )
        apart = Fraction(0)
    if bound == "~":
        apart = exact * _NEAR
    return exact - apart, exact + apart
