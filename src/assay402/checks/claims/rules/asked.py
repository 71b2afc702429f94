"""Requests and their answers, as one line tells them: `DELETE /users/41 204`."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stems

HTTP: Final = Pattern(
    r"\b(GET|POST|PUT|PATCH|DELETE)\s+(\S{1,500})(?:\s+HTTP/[0-9.]+)?\"?(?:\s+(?:->|=>|→))?\s+([1-5][0-9]{2})\b|\bHTTP(?:/[0-9.]+)?\s+([1-5][0-9]{2})\b"
)
METHODS: Final = {
    "POST": frozenset(("send", "save")),
    "PUT": frozenset(("send", "update")),
    "PATCH": frozenset(("update",)),
    "DELETE": frozenset(("delete",)),
}
"""What a request of a method does."""


def http_code(text: str) -> str:
    """Give the status code of a line about an HTTP request; empty where there is none."""
    match = HTTP.search(text[:600])
    return (match[3] or match[4]) if match is not None else ""


def path_words(text: str) -> frozenset[str]:
    """Give the stems of the words in the path of a request that a line tells with its answer."""
    match = HTTP.search(text[:600]) if "/" in text[:600] else None
    if match is None or not match[2]:
        return frozenset()
    path = re.sub(r"^\w+://[^/]*|[?#].*$", "", match[2])
    return frozenset(each for each in stems(re.sub(r"[^A-Za-z]+", " ", path)) if len(each) > _TINY)


_TINY: Final = 2


def resource_of(text: str) -> frozenset[str]:
    """Give the stems of the kind of thing that a request in a line is of: `user` of `DELETE /users/41`; empty where it has none."""
    match = HTTP.search(text[:600])
    if match is None or not match[2]:
        return frozenset()
    path = re.sub(r"^\w+://[^/]*|[?#].*$", "", match[2])
    kinds = [each for each in path.split("/") if _COLLECTION.fullmatch(each)]
    return frozenset(stems(kinds[-1])) if kinds and kinds[-1] == _last_word(path) else frozenset()


def _last_word(path: str) -> str:
    return next((each for each in reversed(path.split("/")) if each.isalpha()), "")


_COLLECTION: Final = re.compile(r"[A-Za-z]{3,40}(?<![su])s", re.IGNORECASE)
"""The part of a path that names things of one kind, in the plural."""


def is_code(text: str, start: int, said: Decimal | None) -> bool:
    """Tell whether a value at a place of a line is the code of an answer, and a claimed one can be none."""
    match = HTTP.search(text[:600]) if said is None or not _LOWEST <= said <= _HIGHEST else None
    return match is not None and start in (match.start(3), match.start(4))


_LOWEST: Final = 100
_HIGHEST: Final = 599
