"""What the engine is shown of a schema: what it would read otherwise than the draft says is put so that it does not.

References are put as the places they lead to, and names are left out, so that the engine goes where was counted, whatever
it makes of a URI. Where a choice depends on the way, resources keep a name, one of ours.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from msgspec import Struct

from assay402.checks.deliverable.differences import token
from assay402.checks.deliverable.schema.index import Bundled, Index, Node, Reference
from assay402.checks.deliverable.schema.keywords import DRAFT_6, DRAFT_7, REFERENCES
from assay402.checks.deliverable.schema.names import ROOT_BASE, id_keyword
from assay402.checks.deliverable.schema.patterns import as_engine_reads
from assay402.checks.deliverable.schema.uri import escape_fragment
from assay402.core.exactjson import is_integral
from assay402.core.strictjson import JSON

_CONTENT: Final = ("contentEncoding", "contentMediaType")
_CONTENT_DRAFTS: Final = (DRAFT_6, DRAFT_7)
"""The drafts in which the engine asserts what is said of a string's content; later ones only inform."""
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_VALUES: Final = ("const", "enum")
_COUNTS: Final = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
)  # fmt: skip
_MANY: Final = 1 << 53
"""More than there is of anything."""
_MARK: Final = "$assay402-"

Steps: TypeAlias = tuple[str, ...]


class Shown(Struct, frozen=True, kw_only=True):
    """A schema as the engine is shown it, and the schemas within it by the names that mark them there."""

    schema: JSON
    marked: Mapping[str, Mapping[str, Any]]


def shown(schema: JSON, index: Index, text: bytes) -> Shown:
    """Put a schema for the engine, whose canonical text is given. The depth has been found small."""
    mark = next(mark for mark in _marks() if mark.encode() not in text)
    showing = _Showing(index, mark)
    return Shown(schema=showing.whole(schema), marked=showing.marked)


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
        self._is_dynamic: Final = index.is_dynamic
        self._left_out: Final = _CONTENT if index.draft in _CONTENT_DRAFTS else ()
        self._namings: Final = (*_ANCHORS, id_keyword(index.draft))
        self._ways: Final[dict[int, Steps]] = {}
        """Where each schema stands."""
        self._put: Final[dict[int, dict[str, Any]]] = {}

    def whole(self, schema: JSON) -> JSON:
        """Put the whole schema, and then its references: what they lead to may stand anywhere in it."""
        found = self._value(schema, ())
        for number, put in self._put.items():
            node = self._index.nodes[number]
            for reference in node.references:
                put[reference.keyword] = self._reference(node, reference)
        return found

    def _value(self, value: JSON, way: Steps) -> JSON:
        """Put a value, and all within it."""
        if isinstance(value, list):
            return [self._value(each, (*way, str(place))) for place, each in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        number = self._index.number_of(value)
        if number is None:
            # The engine looks for names and references also where no schema stands, as beside a reference of older drafts.
            return {
                name: self._value(each, (*way, name))
                for name, each in value.items()
                if not (self._is_naming(name, each) or (name in REFERENCES and isinstance(each, str)))
            }
        mark = f"{self._mark}{number}"
        self.marked[mark] = value
        self._ways[number] = way
        found = {
            name: self._member(name, each, (*way, name))
            for name, each in value.items()
            if name not in self._left_out and not self._is_naming(name, each)
        }
        self._put[number] = {**found, **self._names(number, value), mark: {}}
        return self._put[number]

    def _member(self, name: str, value: JSON, way: Steps) -> JSON:
        """Put what a schema says by a keyword."""
        if name in _VALUES:
            return value
        if name == "pattern" and isinstance(value, str):
            return as_engine_reads(value)
        if name == "patternProperties" and isinstance(value, Mapping):
            return {
                as_engine_reads(pattern): self._value(each, (*way, as_engine_reads(pattern)))
                for pattern, each in value.items()
            }
        return _count(name, self._value(value, way))

    def _is_naming(self, name: str, value: JSON) -> bool:
        """Tell whether a member gives a name; where members are schemas, any name may stand before one."""
        return name in self._namings and isinstance(value, str)

    def _names(self, number: int, schema: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Give the names a schema keeps: those that a choice depends on."""
        if not self._is_dynamic:
            return {}
        kept = {
            name: each for name, each in schema.items() if name == "$dynamicAnchor" and isinstance(each, str)
        }
        is_start = number > 0 and self._index.nodes[number].resource == number
        return {**kept, "$id": _uri(number)} if is_start else kept

    def _reference(self, node: Node, reference: Reference | Bundled) -> str:
        if isinstance(reference, Bundled):
            return (
                f"{reference.uri}#{escape_fragment(reference.fragment)}"
                if reference.fragment
                else reference.uri
            )
        if reference.keyword == "$recursiveRef":
            return "#"
        start = self._index.nodes[reference.way.start]
        resource = start.resource if self._is_dynamic else 0
        uri = "" if resource == 0 and (node.resource == 0 or not self._is_dynamic) else _uri(resource)
        if reference.anchor is not None:
            return f"{uri}#{escape_fragment(reference.anchor)}"
        way = (*self._ways[reference.way.start], *reference.way.steps)
        pointer = "".join(f"/{escape_fragment(token(each))}" for each in way[len(self._ways[resource]) :])
        # Behind a URI an empty fragment makes the engine forget by which way it came.
        return f"{uri}#{pointer}" if pointer or not uri else uri


def _uri(resource: int) -> str:
    """Give the URI by which the engine knows a resource."""
    return f"{ROOT_BASE}{resource or ''}"
