"""Where sentences end, and where a clause of its own begins."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stop_words

FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|did|does|do|can|cannot|may(?!\s[0-9])|might|must|should|would|could|isn't|wasn't|weren't|didn't|doesn't|hasn't|won't|"
    r"passe[sd]|fail(?:ed|s)|sent|paid|ran|fell|rose|grew|wrote|made|took|went|came|said|says|shows?|costs?|took|takes|remains?|needs?|works?|"
    r"[a-z]{3,}(?:ed))\b",
    re.IGNORECASE,
)
_CLAUSE_START: Final = re.compile(
    r"(?:(?:it|they|we|i|he|she|this|that|these|those|there|nothing|everything|all|no|none|the|a|an|its|our|your|their|my)\b[^,;]{0,60}?\s)?(?:successfully\s|then\s|also\s|not\s)?"
    + FINITE.pattern,
    re.IGNORECASE,
)
_NEW_SUBJECT: Final = Pattern(
    r"[\w$#./-]+(?:\s[\w$#./-]+){0,4}?\s(?:is|are|was|were|has|have|had|will|did|does|fell|rose|passed|failed)\b"
)


def begins_clause(right: str) -> bool:
    """Tell whether a text begins with a clause of its own."""
    return _CLAUSE_START.match(right) is not None or _NEW_SUBJECT.match(right) is not None


_OWN: Final = re.compile(r"(?:[\w$#./-]+\s){1,5}?" + FINITE.pattern, re.IGNORECASE)
_LOOKED_AT: Final = 80
"""Characters behind a full stop that tell whether a sentence begins there."""
_SIGN: Final = r"[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50\u2B55\uFE0F]"
_END: Final = re.compile(rf"(?:[.!?…]+[\"')\]”’]*|{_SIGN}+)(?=\s|$)")
_ABBREVIATED: Final = re.compile(r"(?:^|[^\w.])((?:[A-Za-z]\.){1,3}[A-Za-z]|[A-Za-z]{1,6})\.$")
_MEASURED: Final = re.compile(r"[0-9]\s?(?:[a-z]{1,4}|[A-Z])\.$")
_FIRST: Final = re.compile(r"\s+[\"'(\[“‘*_]*(?:([^\W\d_]+)|([0-9]))?")
_CLAUSE: Final = 300
"""Characters before it in which the verb of its sentence stands."""
_KINDS: Final = ("never_end", "before_digits", "may_name", "may_end")
_MOST: Final = 24
"""Characters before a full stop in which its abbreviation stands."""


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("lexicon")["abbreviations"][name])


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Give the sentences of a stretch of text."""
    start = 0
    for match in _END.finditer(text):
        if _goes_on(text, start, match):
            continue
        yield from trimmed(text, start, match.end())
        start = match.end()
    yield from trimmed(text, start, len(text))


_LABELLED: Final = re.compile(r"[A-Z][\w /()-]{1,40}:\s(?=[$€£]?[0-9])(?!\S+\s\S+\s\S+\s\S+\s\S)[^:\n]{1,60}")
"""A label with a value of a few words, which begins with a number."""


_SORT: Final = re.compile(r"([$€£])|(%)|([A-Z][a-z]{2,}|[0-9]-[0-9])|(:)|([a-z])")
"""What tells sums, shares, days, times and quantities from each other."""


def is_labelled(line: str) -> bool:
    """Tell whether a line is labels with values of different sorts, each with a full stop: `Total: $20. Due: 3 May.`

    Of values of one sort each belongs to its own label alone, and they are read apart.
    """
    if ": " not in line[:_LOOKED_AT] or len(line) > 8 * _LOOKED_AT:
        return False
    parts = [line[first:last] for first, last in sentences(line)]
    if not all(_LABELLED.fullmatch(each) for each in parts):
        return False
    sorts = [
        found.lastindex if (found := _SORT.search(each.partition(": ")[2])) is not None else 0
        for each in parts
    ]
    return len(set(sorts)) == len(sorts)


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Tell whether a sentence goes on behind a sign that may end it."""
    sign, end = match[0], match.end()
    if sign[0] == "." and len(sign) == 1:
        before = text[max(start, end - _MOST) : end]
        known = _ABBREVIATED.search(before)
        return known is not None and _is_shortened(text, start, end, known[1], before)
    if sign[0] in ".!?":
        return False
    following = _FIRST.match(text, end)
    if following is None or following[1] is None:
        return sign[0] != "…" or following is not None
    if sign[0] == "…":
        return following[1][0].islower()
    return following[1][0].islower() or not (
        following[1].lower() in _words("openers") or _OWN.match(text, following.start(1), end + _LOOKED_AT)
    )


def _is_shortened(text: str, start: int, end: int, word: str, before: str) -> bool:
    """Tell whether a word with a full stop is an abbreviation in the middle of a sentence."""
    following = _FIRST.match(text, end)
    if following is None:
        return False
    low, name = word.lower(), following[1] or ""
    kind = next(
        (each for each in _KINDS if low in _words(each)), "letter" if len(word) == 1 or "." in word else ""
    )
    if _MEASURED.search(before) is not None or name[:1].islower():
        return name[:1].islower() and (bool(kind) or _MEASURED.search(before) is not None)
    if kind == "never_end" or (following[2] is not None and (kind == "before_digits" or word.islower())):
        return kind not in ("", "may_end")
    if kind in ("", "before_digits") or name.lower() in _words("openers"):
        return False
    first = following.start(1) if name else following.start(2)
    behind = text[first : first + _LOOKED_AT] if first >= 0 else ""
    if kind == "letter" or low == "st":
        return not (_is_label(before, word) and _OWN.match(behind))
    return FINITE.search(text, max(start, end - _CLAUSE), end) is None or _OWN.match(behind) is None


def _is_label(before: str, word: str) -> bool:
    """Tell whether a letter tells which of its kind a thing is, as in `plan A`, and is no name's first."""
    named = before[: -len(word) - 1].split()
    last = named[-1] if named else ""
    no_kind = last in stop_words() or last in _words("before_names")
    return last.isalpha() and last.islower() and not no_kind


def trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give a stretch without the blanks around it; nothing where there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
