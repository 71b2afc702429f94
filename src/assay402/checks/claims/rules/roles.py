"""Who did it, to whom, for whom: the parts that names have around one verb."""

import re
from functools import lru_cache
from typing import Final

from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem, stop_words

_READ: Final = 400
_NAME: Final = re.compile(r"\b[A-Z][A-Za-z&]*(?![\w-]*[0-9])(?:\s[A-Z][A-Za-z&]*){0,3}")
_VERB: Final = re.compile(
    r"(?<![\w=.-])([a-z]{2,}(?:ed|id|nt|ent|ught|ook|old|ote|tten|ave|iven|on|ost|an))(?![\w=.-]*[=_])\b"
)
_PASSIVE: Final = Pattern(r"\b(?:was|were|is|are|been|being|got)\s(?:\w+ly\s)?$")
_OBJECT: Final = re.compile(r"\s(?:(?:for|against|on|from)\s|[A-Z$€£]|(?:the|a|an|his|her|their|our|all)\s)")
"""What stands behind a verb that its subject does; a record in short leaves out the `was` of the passive."""
_LEAD: Final = Pattern(
    r"\b(by|to|for|from|against|of|with|on|in|at|behind|before|after)\s(?:the\s|mr\.?\s|ms\.?\s|dr\.?\s)?$",
    re.IGNORECASE,
)
_CLASHES: Final = frozenset(
    (
        frozenset(("agent", "goal")),
        frozenset(("agent", "for")),
        frozenset(("agent", "against")),
        frozenset(("for", "against")),
        frozenset(("goal", "from")),
    )
)


def plays_another_part(claimed: str, told: str) -> bool:
    """Tell whether a name has another part around the same verb in a record than in a claim."""
    if _swapped(claimed[:_READ], told[:_READ]):
        return True
    mine, theirs = _parts(claimed[:_READ]), _parts(told[:_READ])
    for verb, parts in mine.items():
        found = theirs.get(verb)
        for name, part in parts.items():
            other = found.get(name) if found else None
            if other is not None and other != part and frozenset((part, other)) in _CLASHES:
                return True
    return False


_DOES: Final = re.compile(r"\b([A-Z]\w+)\s([a-z]{2,}s)\s(?:the\s|to\s)?([A-Z]\w+)\b")


def _swapped(claimed: str, told: str) -> bool:
    """Tell whether of two names the other one does it to the other: `Ann owes Bob` beside `Bob owes Ann`."""
    mine = {match.groups() for match in _DOES.finditer(claimed)}
    theirs = {match.groups() for match in _DOES.finditer(told)} if mine else set()
    return any(
        (goal, verb, agent) in theirs and (agent, verb, goal) not in theirs for agent, verb, goal in mine
    )


@lru_cache(maxsize=4_096)
def _parts(text: str) -> dict[str, dict[str, str]]:
    """Give the part of each name around each verb of a sentence."""
    found: dict[str, dict[str, str]] = {}
    for match in _VERB.finditer(text):
        key = min(groups_in(match[1]), default="") or stem(match[1])
        passive = _PASSIVE.search(text[: match.start()]) is not None
        active = not passive and _OBJECT.match(text, match.end()) is not None
        parts: dict[str, str] = {}
        for name in _NAME.finditer(text):
            said = name[0].lower()
            if said in stop_words():
                continue
            part = _part(text, name.start(), match.start(), passive=passive, active=active)
            if part:
                for word in said.split():
                    parts.setdefault(word, part)
        if parts:
            found[key] = parts
    return found


def _part(text: str, place: int, verb: int, *, passive: bool, active: bool) -> str:
    """Give the part of a name at a place: who did it, whom it was done to, or by the preposition before it."""
    lead = _LEAD.search(text[:place])
    if lead is not None:
        word = lead[1].lower()
        return {"by": "agent" if passive or place > verb else "", "to": "goal"}.get(
            word, word if place > verb else ""
        )
    if place < verb:
        return "goal" if passive else "agent" if active else ""
    return "goal"
