"""The target of a request: a path, or a whole address, which then says the host as well (RFC 9112, 3.2.2)."""

import re
from typing import Final
from urllib.parse import unquote

from assay402.web.answers import HTTPAnswer, Scope, problem

_WHOLE: Final = re.compile(rb"https?://([^/?#]*)(/[^?#]*)?(?:\?([^#]*))?", re.IGNORECASE)
_AUTHORITY: Final = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~-]+)(?::[0-9]{0,5})?")
_STARTS: Final = ("http:", "https:")


def target_problem(scope: Scope) -> HTTPAnswer | None:
    """Turn a whole address into the path and the host it says; a problem where it is none.

    Whatever judges the host afterwards sees the one of the address: the header Host beside it counts for nothing.
    """
    if not scope["path"][:6].lower().startswith(_STARTS):
        return None
    query: bytes = scope["query_string"]
    found = _WHOLE.fullmatch(scope["raw_path"] + (b"?" + query if query else b""))
    if found is None or not _AUTHORITY.fullmatch(found[1]):
        return problem(400, "request_malformed", closes=True)
    raw_path = found[2] or b"/"
    scope["raw_path"], scope["path"] = raw_path, unquote(raw_path.decode("ascii"))
    scope["query_string"] = found[3] or b""
    others = [each for each in scope["headers"] if each[0] != b"host"]
    scope["headers"] = [(b"host", found[1]), *others]
    return None
