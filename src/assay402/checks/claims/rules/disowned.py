"""Names that a record denies: `signed by Kim, not by Lee`, and those of whom only another is named after: `Lee's deputy`."""

import re
from typing import Final

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems

_READ: Final = 600
_NOT: Final = Pattern(
    r"(?:,\s|\()(?:and\s|but\s)?(?:not|NOT)\s(?!only\b|just\b|merely\b|yet\b)(?:(?:by|to|for|from)\s)?(?:the\s)?(?P<one>[\w'’@.-]+(?:\s[A-Z][\w'’-]*){0,3})|\b(?:not|NOT)\s(?:by|to|for|from)\s(?:the\s)?(?P<two>[A-Z][\w'’@.-]*(?:\s[A-Z][\w'’-]*){0,3})"
)
_DENIES: Final = Pattern(r"\bnot\b|\bnever\b|n't\b|n’t\b", re.IGNORECASE)
_NAME: Final = re.compile(r"\b[A-Z][\w-]*(?:\s[A-Z][\w-]*){0,2}(?=['’]s?\s[a-z])")
_OWN: Final = Pattern(
    r"['’]s?\s(?:own\s)?(?:approval|signature|consent|sign-?off|permission|decision|request|order|behalf|account|card|vote)\b",
    re.IGNORECASE,
)
"""What somebody gives in person."""


def is_denied_name(claim: Claim, record: Record) -> bool:
    """Tell whether a record says of a name of the claim that it was not this one: `by Kim, not by Lee`."""
    if record.form not in ("line", "prose") or _DENIES.search(claim.text) is not None:
        return False
    text = record.text[:_READ]
    for match in _NOT.finditer(text):
        denied = frozenset(stems(match["one"] or match["two"]))
        left = frozenset(stems(f"{text[: match.start()]} . {text[match.end() :]}"))
        if denied and denied <= frozenset(stems(claim.text)) and not denied & left:
            return True
    return False


def only_owns(wanted: frozenset[str], record: Record) -> bool:
    """Tell whether a record names a doer only as the one whose deputy, assistant or team did it."""
    text = record.text[:_READ]
    if record.form not in ("line", "prose") or _OWN.search(text) is not None:
        return False
    owners = [match for match in _NAME.finditer(text) if wanted & frozenset(stems(match[0]))]
    if not owners:
        return False
    left = " . ".join((text[: owners[0].start()], text[owners[-1].end() :]))
    return not wanted & frozenset(stems(left))
