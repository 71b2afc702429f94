"""Lines of well-known tools, said in plain words.

A tool has its own way to say that something was done: `1b2c3d4..4c1d0aa  main -> main`, `+ my-lib@1.2.0`,
`deployment.apps/api configured`. The table gives for the form of such a line the words a reporter would use, so that the
rules, which know words, read it as they read any other line. Each form begins where the line begins.
"""

import re
from functools import cache, lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.patterns import Pattern

_BEFORE: Final = 600
"""Characters right before a line in which what leads to it must stand."""
_LONGEST: Final = 400
"""Longer lines are no such line."""
_BLANK: Final = Pattern(r"\{(a?)([0-9])\}")


@cache
def _idioms() -> tuple[tuple[re.Pattern[str], str, re.Pattern[str] | None], ...]:
    return tuple(
        (re.compile(form), said, re.compile(around[0]) if around else None)
        for form, said, *around in table("idioms")
    )


@cache
def _any() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{form})" for form in dict.fromkeys(form for form, *_ in table("idioms"))))


def said_plainly(text: str, start: int, line: str) -> str:
    """Give a line of a text, or what it says in plain words where it has the form of a known tool's line."""
    if len(line) > _LONGEST:
        return line
    line = _as_it_stands(line)
    if _any().match(line) is None:
        return line
    for form, said, around in _idioms():
        match = form.match(line)
        beside = match if match is None or around is None else _beside(around, text, start)
        if match is not None and beside is not None:
            return _BLANK.sub(
                lambda blank, own=match, other=beside: (other if blank[1] else own)[int(blank[2])] or "",  # type: ignore[misc]  # (bound at once)
                said,
            ).strip()
    return line


_CHANGED: Final = Pattern(
    r"(?P<label>\b(?:status|state|phase)\b\s?[:=]?\s?)?(?:\bfrom\s)?\"?\b(?P<old>[A-Za-z_]{2,20})\"?\s?(?P<sign>->|→|=>|\bto\b)\s?\"?(?P<new>[A-Za-z_]{2,20})\b\"?",
    re.IGNORECASE,
)


def _as_it_stands(line: str) -> str:
    """Give a line that tells how a status changed as one that tells the new: what it was before is not how it stands."""
    if not any(sign in line for sign in ("->", "→", "=>", " to ")):
        return line
    return _CHANGED.sub(lambda match: _new(match) if _is_change(match) else match[0], line)


def _new(match: re.Match[str]) -> str:
    return f"{match['label'] or ''}{match['new']}"


def _is_change(match: re.Match[str]) -> bool:
    """Tell whether one status follows another; without a label or an arrow a sentence tells of both."""
    if match["label"] is None and match["sign"] == "to":
        return False
    return match["old"].lower() in _statuses() and match["new"].lower() in _statuses()


@cache
def _statuses() -> frozenset[str]:
    """Give the words that tell a status."""
    told = [word for state, others in table("states").items() for word in (state, *others)]
    return frozenset((*told, *table("phases")["open"], *table("phases")["over"], "new", "draft", "reopened"))


def _beside(around: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    """Find what a form needs beside it: right before the line where the pattern ends there, else anywhere in the text."""
    if around.pattern.endswith("$"):
        return around.search(text[max(0, start - _BEFORE) : start])
    return _anywhere(around, text)


@lru_cache(maxsize=8)  # the few patterns of one text
def _anywhere(around: re.Pattern[str], text: str) -> re.Match[str] | None:
    return around.search(text)
