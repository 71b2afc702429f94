"""Which thing of its kind: what a claim calls by name must be what the record tells of."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import listed, stem, stems, stop_words
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.view import Near

_ID: Final = "claims/other-party"
_LOOKED_AT: Final = 600
_THING: Final = Pattern(
    r"\b(deployment|service|pod|container|image|branch|repository|repo|host|server|table|bucket|queue|cluster|namespace|database|topic|package|module|function|node|volume|index|schema|project)\s[\"'`]?(?!which\b|that\b|has\b|had\b|will\b)([a-z][\w.-]*)[\"'`]?\s(?:was|were|is|are|has|had)\s(?!\w+ing\b)"
)
_CALLED: Final = Pattern(
    r"\b(?:deployment|service|pod|container|image|branch|repository|repo|host|server|table|bucket|queue|cluster|namespace|database|topic|package|module|function|node|volume|project|file|tag|job|flag|user)\s[\"'`]?([A-Za-z][\w./]*[-_./0-9][\w./-]*\w)"
)
"""A kind of thing with a name that no common word has the form of."""


def other_thing(supported: Supported, near: Near, text: str) -> Finding | None:
    """Leave unsupported what the record tells of another thing than the one the claim calls by its name."""
    called = _CALLED.search(text)
    if called is not None:
        name, told = called[1].lower(), " ".join(each.searched for each in (*near.chain, near.record)).lower()
        alike = re.search(rf"(?<![\w-]){re.escape(name.replace('_', ' '))}(?![\w-])", told.replace("_", " "))
        return None if alike else unstated(supported, _ID, "the record does not name it", "this very thing")
    other = _of_other_kind(text, near)
    if other:
        return unstated(supported, _ID, "there it is a thing of another kind", "it of this kind")
    match = _THING.search(text)
    if match is None or match[2] in stop_words():
        return None
    if frozenset(stems(match[2])) <= (near.stems | frozenset(stems(near.record.item.source_label))) | listed(
        "vague"
    ):
        kind = re.search(rf"\b([a-z]+)\s[\"'`]?{re.escape(match[2])}\b", near.record.text)
        other = kind is not None and kind[1] != match[1] and _THING.match(f"{kind[1]} x is ") is not None
        return (
            unstated(supported, _ID, "there it is a thing of another kind", "it of this kind")
            if other
            else None
        )
    if match[2].endswith(("ed", "tion", "ment", "ing")) or match[2] in _PLAIN_NOUNS:
        return None
    return unstated(supported, _ID, "the record does not name it", "this very thing")


_KIND: Final = Pattern(
    r"(?<![\w-])(?!the\b|an?\b|our\b|this\b|that\b|your\b)([A-Za-z][\w-]*)\s(table|index|view|schema|bucket|queue|topic|branch|repository|repo|database|cluster|namespace|server|service|page|column|key|token|password|certificate|role|group|folder|file)\b",
    re.IGNORECASE,
)


def _of_other_kind(text: str, near: Near) -> bool:
    """Tell whether a record has the name that a claim has before a kind of thing only before another: `users index`."""
    claimed = _KIND.findall(text)
    told = (
        {(name.lower(), stem(kind)) for name, kind in _KIND.findall(near.record.text[:_LOOKED_AT])}
        if claimed
        else ()
    )
    return bool(told) and any(
        stem(kind) not in near.stems and any(name.lower() == one for one, _ in told) for name, kind in claimed
    )


_PLAIN_NOUNS: Final = frozenset(
    ("restart", "build", "image", "rollback", "backup", "upgrade", "update", "name", "version", "status", "health", "count",
     "size", "usage", "memory", "password", "role", "account", "access", "schema", "table", "entry", "file", "page")
)  # fmt: skip
"""Words behind the kind of a thing that say what of it, and are no name: `the server restart was`."""
