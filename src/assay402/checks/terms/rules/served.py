"""What came back for terms or for a listing: bytes that may be hashed, or why there are none."""

from typing import Final

from assay402.checks.terms.kit.values import quoted
from assay402.checks.terms.model import Fetching, Served, Unreadable, Unserved

_OK: Final = 200
_TOO_MUCH: Final = frozenset({"body_cap", "wire_cap"})
"""States of a fetch that was ended because there was too much to read."""


def readable(fetching: Fetching) -> Served | Unreadable:
    """Give an answer whose bytes may be hashed, or why there are none."""
    match fetching:
        case Unserved(state=state):
            return Unreadable(is_too_long=state in _TOO_MUCH, detail=state)
        case Served(status=status) if status != _OK:
            return Unreadable(is_too_long=False, detail=f"status {status}")
        case Served(codings=codings) if any(coding != "identity" for coding in codings):
            return Unreadable(is_too_long=False, detail=f"content coding {quoted(', '.join(codings))}")
        case _:
            return fetching
