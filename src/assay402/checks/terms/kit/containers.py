"""The three ways a manifest reaches a field: a path, an entry with a tag, a header whatever its case."""

from collections.abc import Mapping
from typing import Any

from assay402.checks.terms.kit.manifest import Container, ObjectPath, TaggedArray
from assay402.checks.terms.kit.paths import Unwritable, read_path, split, write_path
from assay402.checks.terms.kit.values import ABSENT, Absent, own
from assay402.core.strictjson import JSON


def read_field(document: JSON, container: Container, path: str) -> Any | Absent:  # noqa: ANN401  (any JSON value)
    """Give what stands in a field, or say that nothing does."""
    match container:
        case ObjectPath(segments=segments):
            return read_path(document, split(path) if segments is None else segments)
        case TaggedArray():
            return own(tagged_entry(document, container), container.value_field)
        case _:
            *above, name = split(path)
            headers = read_path(document, above)
            key = _spelled(headers, name)
            return ABSENT if key is None else own(headers, key)


def write_field(
    document: JSON,
    container: Container,
    path: str,
    value: JSON,
    entry_fields: Mapping[str, JSON] | None = None,
) -> dict[str, Any] | Unwritable:
    """Give a document with a value in a field. `entry_fields` go into the same entry of a tagged array."""
    match container:
        case ObjectPath(segments=segments):
            return write_path(document, split(path) if segments is None else segments, value)
        case TaggedArray():
            return _write_tagged(document, container, value, entry_fields or {})
        case _:
            *above, name = split(path)
            key = _spelled(read_path(document, above), name) if name else None
            return write_path(document, (*above, key or name), value)


def tagged_entry(document: JSON, container: TaggedArray) -> Any | Absent:  # noqa: ANN401  (an object: nothing else has a tag)
    """Give the first entry that carries the tag: it alone decides, whether or not it has the value."""
    entries = read_path(document, split(container.at))
    if isinstance(entries, list):
        for entry in entries:
            if own(entry, container.tag_field) == container.tag:
                return entry
    return ABSENT


def _write_tagged(
    document: JSON, container: TaggedArray, value: JSON, entry_fields: Mapping[str, JSON]
) -> dict[str, Any] | Unwritable:
    at = split(container.at)
    there = read_path(document, at)
    entries = there if isinstance(there, list) else []
    written = {container.tag_field: container.tag, container.value_field: value}
    target = tagged_entry(document, container)
    if target is ABSENT:
        return write_path(document, at, [*entries, {**container.constants, **entry_fields, **written}])
    merged = {**target, **entry_fields, **written}
    # By identity and once: an equal entry further on is another entry.
    first = next(index for index, entry in enumerate(entries) if entry is target)
    return write_path(document, at, [*entries[:first], merged, *entries[first + 1 :]])


def _spelled(headers: JSON | Absent, name: str) -> str | None:
    """Give the first name among the headers that is this one in any case."""
    if not isinstance(headers, dict):
        return None
    wanted = name.lower()
    return next((key for key in headers if isinstance(key, str) and key.lower() == wanted), None)
