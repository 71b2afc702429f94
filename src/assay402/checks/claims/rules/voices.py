"""Who did it and to whom it was done, said the other way round: `Acme acquired Bolt`, `Bolt was acquired by Acme`."""

import re
from functools import lru_cache
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import ARTICLES, is_past, stem
from assay402.checks.claims.rules.enumerated import sorted_lists
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.view import View

_PASSIVE: Final = Pattern(
    r"\W*(?P<goal>[^,;:?!\n]{1,80}?)\s(?:was|were|has\sbeen|have\sbeen)\s(?P<verb>[a-z]{3,20})(?:\sby\s(?P<agent>[^,;:?!\n]{1,80}?))?(?P<rest>\s(?:in|on|at|for)\s[^,;:?!\n]{1,60})?[.\s]*",
    re.IGNORECASE,
)
_LONGEST: Final = 200
_AGENT: Final = 3
_NAMED: Final = re.compile(
    r"(?!(?:Nobody|No|None|Neither|Nothing|Hardly|Few|If|Had)\b)(?:(?:The|Our|An?|Your)\s[a-z-]+(?<!ly)|[A-Z][\w.]*(?:\s[A-Z][\w.]*){0,2})\s[a-z]{3,20}\s"
)
"""One name or noun right before a verb: who did it, where a claim leaves it out."""


def _tokens(text: str) -> list[str]:
    return [each for each in re.findall(r"[\w'#$%&-]+(?:\.\w+)*", text.lower()) if each not in ARTICLES]


@lru_cache(maxsize=4_096)
def _turned(text: str) -> tuple[tuple[str, ...], str, tuple[str, ...]] | None:
    """Give who did it, the verb, and what stands behind it, of a sentence in the passive."""
    match = _PASSIVE.fullmatch(text)
    if match is None or not is_past(match["verb"].lower()):
        return None
    behind = (*_tokens(match["goal"]), *_tokens(match["rest"] or ""))
    return tuple(_tokens(match["agent"] or "")), match["verb"].lower(), behind


def _is_active(text: str, turned: tuple[tuple[str, ...], str, tuple[str, ...]]) -> bool:
    """Tell whether a sentence says in the active what another says in the passive, no more and no less."""
    agent, verb, behind = turned
    given = tuple(_tokens(text.rstrip(". ")))
    place = len(given) - len(behind) - 1
    if place < 1 or given[place + 1 :] != behind:
        return False
    said = given[place]
    if not is_past(said) or stem(said) != stem(verb):
        return False
    return given[:place] == agent if agent else _NAMED.match(text) is not None and place <= _AGENT


def says_in_other_voice(view: View) -> str:
    """Give the reference of a record that says a claim in the other voice; empty where none does."""
    claim = view.claim
    if claim.negative or claim.quantifier or claim.modality != "is" or len(claim.text) > _LONGEST:
        return ""
    said = sorted_lists(claim.text)
    mine = _turned(said)
    for near in view.near[:6]:
        record = near.record
        if (
            len(record.text) > _LONGEST
            or record.form not in ("line", "prose")
            or record.fields
            or record.item.kind == "description"
        ):
            continue
        given = sorted_lists(record.text)
        theirs = _turned(given) if mine is None else None
        told = (mine is not None and _is_active(given, mine)) or (
            theirs is not None and bool(theirs[0]) and _is_active(said, theirs)
        )
        if told and not denies(record):
            return record.ref
    return ""
