"""Reading and writing along a path, on own members of real objects and lists alone."""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from assay402.checks.terms.kit.values import ABSENT, Absent, own
from assay402.core.strictjson import JSON

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
"""A canonical index. More digits than nine would be an element no list has."""


_PATHS: Final = 1024
"""Paths and segments that are remembered; they come from manifests, which are few."""


class Unwritable(Enum):
    """A path that leads through something that cannot be merged into."""

    UNWRITABLE = "unwritable"


UNWRITABLE: Final = Unwritable.UNWRITABLE


@lru_cache(maxsize=_PATHS)
def split(path: str) -> tuple[str, ...]:
    """Split a path at its dots; the empty path is one empty segment."""
    return tuple(path.split("."))


def read_path(document: JSON, segments: Sequence[str]) -> Any | Absent:  # noqa: ANN401  (any JSON value)
    """Give what stands at a path, null included, or say that nothing does."""
    place: Any = document
    for segment in segments:
        place = _element(place, segment) if isinstance(place, list) else own(place, segment)
        if place is ABSENT:
            return ABSENT
    return place


def write_path(document: JSON, segments: Sequence[str], value: JSON) -> dict[str, Any] | Unwritable:
    """Give a document with a value at a path, one shallow copy for each level; the document itself stays.

    Absent objects on the way are made, lists and elements never. What cannot be merged into is replaced where it
    would hold the value directly, and makes the path unwritable anywhere above.
    """
    *parents, leaf = segments
    if not isinstance(document, dict) or not leaf:
        return UNWRITABLE
    trail: list[tuple[Any, str]] = []
    holder: Any = document
    for position, segment in enumerate(parents):
        child = holder.get(segment) if isinstance(holder, dict) else None
        if not isinstance(child, dict):
            # Whatever is no object yet takes a longer look: lists, absence, what has to be replaced.
            child = _step(holder, segment, segments[position + 1], is_last=position + 1 == len(parents))
            if isinstance(child, Unwritable):
                return child
        trail.append((holder, segment))
        holder = child
    if isinstance(holder, list):
        return UNWRITABLE
    rebuilt: dict[str, Any] = {**holder, leaf: value}
    for above, segment in reversed(trail):
        rebuilt = {**above, segment: rebuilt} if isinstance(above, dict) else _with(above, segment, rebuilt)
    return rebuilt


def _step(holder: Any, segment: str, following: str, *, is_last: bool) -> Any:  # noqa: ANN401  (any JSON value)
    """Go one level down for writing."""
    child = _element(holder, segment) if isinstance(holder, list) else own(holder, segment)
    if child is ABSENT:
        makes_list = isinstance(holder, list) or is_index(segment) or is_index(following)
        return UNWRITABLE if makes_list else {}
    if isinstance(child, dict) or (isinstance(child, list) and is_index(following)):
        return child
    return {} if is_last and isinstance(holder, dict) else UNWRITABLE


def _with(elements: list[Any], segment: str, value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    copy = [*elements]
    copy[int(segment)] = value
    return copy


@lru_cache(maxsize=_PATHS)
def is_index(segment: str) -> bool:
    """Tell whether a segment is a canonical index of a list."""
    return _INDEX.fullmatch(segment) is not None


def _element(elements: list[Any], segment: str) -> Any | Absent:  # noqa: ANN401  (any JSON value)
    return elements[int(segment)] if is_index(segment) and int(segment) < len(elements) else ABSENT
