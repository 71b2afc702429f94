"""Where in a sentence one clause ends and the next begins, each with something of its own to say."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.sentences import FINITE, begins_clause

_JOINT: Final = re.compile(
    r";\s+|,?\s+(?:but|while|whereas)\s+|,\s+(?:and|so)\s+|\s+and\s+|(?P<dash>\s*—\s*|\s+[-–]\s+)|(?P<comma>,\s+)"
)
_LOOKED_AT: Final = 300
"""Characters on either side of a joint that decide whether two clauses meet there."""
_HOLDING: Final = "|".join(table("joints")["holding"])
HOLDS: Final = Pattern(
    rf"\b(?:{_HOLDING})s?\b(?=\s(?:at|by|from|until|up to|to|on|over|about|around|[0-9$€£¥]|an?\s|the\s|(?:{'|'.join(table('joints')['counting'])})\b))"
)
"""A verb that says what something is, has or comes to, before a value."""
BY_ITSELF: Final = Pattern(rf"(?:{_HOLDING})s\s(?:at|by|from|until|to|on|[0-9$€£¥])")
_OF_ITS_OWN: Final = Pattern(rf"(?:the|its|it|this|our|your|an?)\s(?:[\w-]+\s){{0,3}}?(?={HOLDS.pattern})")
_FOUND_NONE: Final = re.compile(
    r"(?:found|had|left|saw|showed|gave|hit)\s(?:no|zero|[0-9]+)\s[a-z]", re.IGNORECASE
)
"""A clause that tells what was found, with the subject of the one before it."""
_OPENS: Final = re.compile(r":\s|\b(?:that|whether)\s(?=\w)")
"""Behind these a clause begins, so that what stands before is none of its verbs."""
LED: Final = Pattern(table("joints")["led"], re.IGNORECASE)
"""What hangs on another clause, or tells what somebody says."""


def joints(sentence: str) -> Iterator[tuple[int, int]]:
    """Give the places of the joints at which a sentence is parted."""
    if '"' in sentence or "“" in sentence:
        return
    begin = 0
    listed = _is_listed(sentence)
    for match in _JOINT.finditer(sentence):
        left = sentence[max(begin, match.start() - _LOOKED_AT) : match.start()]
        right = sentence[match.end() : match.end() + _LOOKED_AT]
        if "if " in sentence[begin : begin + 4].lower():
            continue
        if match["comma"] is not None:
            parted = listed and _says(left) and _is_sentence(right)
        else:
            hangs = match["dash"] is not None and FINITE.match(right) is not None
            goes_on = any(begins(right) for begins in (begins_clause, BY_ITSELF.match, _FOUND_NONE.match))
            parted = goes_on and not hangs and _says(_open(left))
        if parted:
            yield match.start(), match.end()
            begin = match.end()


def _open(left: str) -> str:
    """Give what stands behind the last colon or `that`, where anything does: the members of a list have one verb, behind them."""
    cut = 0
    for match in _OPENS.finditer(left):
        cut = match.end()
    return left[cut:]


def _says(left: str) -> bool:
    return FINITE.search(left) is not None or HOLDS.search(left) is not None


def _is_listed(sentence: str) -> bool:
    """Tell whether clauses may stand in a list of which commas part the first: `A opens at 7, B begins at 8 and ends at 9`."""
    return ", " in sentence and " and " in sentence and LED.search(sentence) is None


def _is_sentence(right: str) -> bool:
    """Tell whether a text begins with a subject and a verb before a value."""
    return _OF_ITS_OWN.match(right) is not None
