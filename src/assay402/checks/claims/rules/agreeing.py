"""One of a thing, or several: the words beside a number that a repair puts in follow it."""

import re
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern

_NOUN: Final = re.compile(
    r"(?P<noun>\s[a-z]{2,20}[a-z])(?P<verb>\s(?:is|are|was|were)\b)?(?=\W*$|[.,;!?]|\s(?:in|on|at|for|from|of|and|but|with|to|per|left|free|available|is|are|was|were)\b)"
)
_THERE: Final = Pattern(r"\b[Tt]here (?:is|are|was|were)\s$")
_BE: Final = {"is": "are", "was": "were"}
_ONES: Final = frozenset(("1", "one"))
_HISSING: Final = re.compile(r"(?:s|x|z|ch|sh)$")


def agreeing(text: str, start: int, end: int, value: str) -> tuple[int, int, str]:
    """Give the place and the words of a number put into a text, with the noun and the verb that go with it."""
    said, put = text[start:end].lower() in _ONES, value.lower() in _ONES
    noun = _NOUN.match(text, end) if said != put and (put or value.replace(",", "").isdigit()) else None
    if noun is None or (said and noun["noun"].endswith("s")) or (put and not _is_plural(noun["noun"])):
        return start, end, value
    there = _THERE.search(text[:start])
    first = there.start() if there is not None else start
    before, verb = text[first:start], noun["verb"] or ""
    for one, several in _BE.items():
        old, new = (several, one) if put else (one, several)
        before, verb = (re.sub(rf"\b{old}\b", new, each) for each in (before, verb))
    made = _one(noun["noun"]) if put else _several(noun["noun"])
    return first, noun.end(), f"{before}{value}{made}{verb}"


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def _one(noun: str) -> str:
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith("es") and _HISSING.search(noun[:-2]) else noun[:-1]


def _several(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _HISSING.search(noun) else f"{noun}s"
