"""Names that stand twice on the way to a slot: readers differ in the one they take, so such a slot has two values.

Only the strict reader of `core.strictjson` tells of them; a document that Python's own reader made has none.
"""

from collections.abc import Iterator
from typing import Any

from assay402.checks.terms.kit.manifest import (
    HeaderMap,
    Manifest,
    ObjectPath,
    Slot,
    TaggedArray,
    alias_slot,
    canonical_slot,
)
from assay402.checks.terms.kit.paths import read_path, split
from assay402.checks.terms.kit.values import CONTAINERS
from assay402.core.strictjson import JSON, RepeatedNames, members


def repeated_on_the_way(manifest: Manifest, document: JSON) -> str | None:
    """Give the first place on the way to a slot, or inside its reference, whose name stands twice in its object."""
    for slot in (canonical_slot(manifest), *(alias_slot(manifest, alias) for alias in manifest.read_also)):
        for way in _ways(slot, document):
            place = _repeated(document, way)
            if place is not None:
                return place
        if isinstance(slot.container, HeaderMap) and _stands_twice(document, slot.path):
            return slot.path
    ways = (split(path) for path in manifest.terms_url_fields or ())
    return next((place for way in ways if (place := _repeated(document, way)) is not None), None)


def repeats_a_name(document: JSON) -> bool:
    """Tell whether any object of a document holds a name twice. Neither depth nor a value inside itself can stop it."""
    waiting: list[Any] = [document]
    met: set[int] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, RepeatedNames):
            return True
        if id(each) not in met:
            met.add(id(each))
            inner = each.values() if isinstance(each, dict) else each
            waiting.extend([value for value in inner if isinstance(value, CONTAINERS)])
    return False


def _ways(slot: Slot, document: JSON) -> Iterator[tuple[str, ...]]:
    """Give the segments to a slot's value, once for each entry of a tagged array."""
    inside = ("type", "value") if slot.encoding == "reference-object" else ()
    match slot.container:
        case TaggedArray() as container:
            at = split(container.at)
            yield at
            entries = read_path(document, at)
            for index in range(len(entries) if isinstance(entries, list) else 0):
                for name in (container.tag_field, container.value_field, container.terms_url_field):
                    if name is not None:
                        yield (*at, str(index), name)
                yield from ((*at, str(index), container.value_field, name) for name in inside)
        case container:
            given = container.segments if isinstance(container, ObjectPath) else None
            way = split(slot.path) if given is None else given
            yield way
            yield from ((*way, name) for name in inside)


def _repeated(document: JSON, way: tuple[str, ...]) -> str | None:
    place: Any = document
    for depth, segment in enumerate(way):
        if isinstance(place, RepeatedNames) and [name for name, _ in place.members].count(segment) > 1:
            return ".".join(way[: depth + 1])
        place = read_path(place, (segment,))
    return None


def _stands_twice(document: JSON, path: str) -> bool:
    """Tell whether a header stands twice in its map, in whatever cases."""
    *above, name = split(path)
    headers = read_path(document, above)
    # A Python caller's object may have names that are no text.
    names: list[Any] = [key for key, _ in members(headers)] if isinstance(headers, dict) else []
    return [key.lower() for key in names if isinstance(key, str)].count(name.lower()) > 1
