"""Patterns of a schema: which of them the linear engine reads as ECMA-262 does.

The engine is not ECMA-262's. What it reads differently is put otherwise for it, or refused as what ECMA-262 refuses and it
does not, so that a pattern that is taken means what the buyer's own tools say it means.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from assay402.checks.deliverable.schema.index import Index
from assay402.core.strictjson import JSON

_TOKEN: Final = re.compile(
    r"(?P<assertion>[\^$]|\\[bB])|\\(?P<escape>.)|(?P<group>\(\?(?![:<])|\(\?<[=!])|(?P<open>\[\^?)|(?P<quantifier>[*+?]|\{[0-9]+(?:,[0-9]*)?\})|.",
    re.DOTALL,
)
_CLASS_TOKEN: Final = re.compile(r"\\(?P<escape>.)|(?P<operation>&&|--|~~|\[)|(?P<close>\])|.", re.DOTALL)
_ESCAPES: Final = frozenset("bBdDwWsSpPfnrtvcxuk")
"""The letters ECMA-262 gives a meaning after a backslash."""


def patterns(index: Index) -> list[str]:
    """Give the patterns of all schemas, used or not, each once and in order of their text."""
    found: set[str] = set()
    for node in index.nodes:
        if isinstance(node.schema, Mapping):
            found.update(patterns_of(node.schema))
    return sorted(found)


def all_portable(found: Iterable[str]) -> bool:
    """Tell whether no pattern uses what only the engine knows."""
    return all(map(is_portable, found))


def is_portable(pattern: str) -> bool:
    """Tell whether a pattern keeps to what ECMA-262 knows and runs in linear time, as far as its tokens show."""
    position = 0
    quantified = 0
    is_assertion = True
    while match := _TOKEN.match(pattern, position):
        position = match.end()
        if match["group"] is not None or not _is_known(match["escape"]):
            return False
        if match["open"] is not None:
            end = _class_end(pattern, position)
            if end is None:
                return False
            position = end
        quantified = quantified + 1 if match["quantifier"] is not None else 0
        if quantified and is_assertion:
            return False
        is_assertion = match["assertion"] is not None
        # One quantifier, and `?` behind it to make it lazy; anything more is possessive or nothing at all.
        if quantified > 1 and not (quantified == 2 and match[0] == "?"):  # noqa: PLR2004
            return False
    return True


def as_engine_reads(pattern: str) -> str:
    """Put a portable pattern for the engine, to which the edges of a word are those of all scripts."""
    if "\\b" not in pattern and "\\B" not in pattern:
        return pattern
    parts: list[str] = []
    position = 0
    while match := _TOKEN.match(pattern, position):
        end = match.end()
        if match["open"] is not None:
            end = _class_end(pattern, end) or end
        is_edge = match[0] in ("\\b", "\\B")
        parts.append(f"(?-u:{match[0]})" if is_edge else pattern[position:end])
        position = end
    return "".join(parts)


def as_written(part: str | int) -> str:
    """Give a step of the way into a schema as the buyer wrote it: no portable pattern says what is put for an edge."""
    return str(part).replace("(?-u:\\b)", "\\b").replace("(?-u:\\B)", "\\B")


def _class_end(pattern: str, position: int) -> int | None:
    """Give the place behind a character class, or None where it is not portable or not closed."""
    start = position
    while match := _CLASS_TOKEN.match(pattern, position):
        position = match.end()
        if match["close"] is not None:
            # An empty class is one to ECMA-262, and to the engine the beginning of another.
            return position if position > start + 1 else None
        if match["operation"] is not None or not _is_known(match["escape"]):
            return None
    return None


def _is_known(escape: str | None) -> bool:
    # A digit other than 0 refers back to a group, which takes more than linear time.
    if escape is not None and escape in "123456789":
        return False
    return escape is None or not (escape.isascii() and escape.isalpha()) or escape in _ESCAPES


def patterns_of(schema: Mapping[str, JSON]) -> Iterable[str]:
    """Give the patterns of one schema, those of its names included."""
    pattern, by_name = schema.get("pattern"), schema.get("patternProperties")
    if isinstance(pattern, str):
        yield pattern
    if isinstance(by_name, Mapping):
        yield from by_name
