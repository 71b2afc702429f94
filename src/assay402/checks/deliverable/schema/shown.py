"""What the engine is shown of a schema: what it would read otherwise than the draft says is put so that it does not."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct

from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.patterns import as_engine_reads
from assay402.core.exactjson import is_integral
from assay402.core.strictjson import JSON

_CONTENT: Final = ("contentEncoding", "contentMediaType")
_CONTENT_DRAFTS: Final = (6, 7)
"""The drafts in which the engine asserts what is said of a string's content; later ones only inform."""
_COUNTS: Final = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
)  # fmt: skip
_MANY: Final = 1 << 53
"""More than there is of anything."""
_MARK: Final = "$assay402-"


class Shown(Struct, frozen=True, kw_only=True):
    """A schema as the engine is shown it, and the schemas within it by the names that mark them there."""

    schema: JSON
    marked: Mapping[str, Mapping[str, Any]]


def shown(schema: JSON, index: Index, text: bytes) -> Shown:
    """Put a schema for the engine, whose canonical text is given. The depth has been found small."""
    mark = next(mark for mark in _marks() if mark.encode() not in text)
    showing = _Showing(index, mark)
    return Shown(schema=showing.put(schema), marked=showing.marked)


def counts_shortened(value: JSON) -> JSON:
    """Shorten what may count something, wherever it stands: the engine takes no integer from some 10^308 on for one."""
    if isinstance(value, list):
        return [counts_shortened(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    # What an enumeration lists must stay different.
    return {
        name: each if name == "enum" and isinstance(each, list) else _count(name, counts_shortened(each))
        for name, each in value.items()
    }


def _count(name: str, value: JSON) -> JSON:
    is_long = name in _COUNTS and isinstance(value, Decimal) and value > _MANY and is_integral(value)
    return _MANY if is_long else value


def _marks() -> Iterator[str]:
    number = 0
    while True:
        yield f"{_MARK}{number}-"
        number += 1


class _Showing:
    def __init__(self, index: Index, mark: str) -> None:
        self.marked: Final[dict[str, Mapping[str, Any]]] = {}
        self._index: Final = index
        self._mark: Final = mark
        self._left_out: Final = _CONTENT if index.draft in _CONTENT_DRAFTS else ()

    def put(self, value: JSON) -> JSON:
        """Put a value, and all within it."""
        if isinstance(value, list):
            return [self.put(each) for each in value]
        if not isinstance(value, Mapping):
            return value
        number = self._index.number_of(value)
        if number is None:
            return {name: self.put(each) for name, each in value.items()}
        mark = f"{self._mark}{number}"
        self.marked[mark] = value
        found = {name: self._member(name, each) for name, each in value.items() if name not in self._left_out}
        return {**found, mark: {}}

    def _member(self, name: str, value: JSON) -> JSON:
        """Put what a schema says by a keyword."""
        if name == "pattern" and isinstance(value, str):
            return as_engine_reads(value)
        if name == "patternProperties" and isinstance(value, Mapping):
            return {as_engine_reads(pattern): self.put(each) for pattern, each in value.items()}
        return _count(name, self.put(value))
