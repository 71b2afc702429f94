"""Every schema within a schema, with its base, and where its references lead.

The engine is shown references as they are resolved here (`shown.py`), so nothing it does with a URI decides anything.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.schema.keywords import (
    BUNDLED,
    Draft,
    Place,
    is_schema,
    references,
    subschemas,
)
from assay402.checks.deliverable.schema.names import NAMELESS, Names, resolved
from assay402.core.strictjson import JSON

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_VALUES: Final = ("const", "enum")
"""Keywords that hold values to compare with, which the engine is shown as they are."""


class Edge(Struct, frozen=True, kw_only=True):
    """One schema leads to others: by standing within it, or by a reference, of which a dynamic one has a choice."""

    place: Place
    targets: tuple[int, ...]
    name: str = ""
    """The name of the member it leads to, or the place of the element."""


class Way(Struct, frozen=True, kw_only=True):
    """Where something stands: steps down from a schema with a number."""

    start: int
    steps: tuple[str, ...] = ()


class Reference(Struct, frozen=True, kw_only=True):
    """A reference to what stands within the schema."""

    keyword: str
    way: Way
    anchor: str | None = None
    """The name by which a dynamic one chooses."""


class Bundled(Struct, frozen=True, kw_only=True):
    """A reference to what the engine brings along."""

    keyword: str
    uri: str
    fragment: str


class Node:
    """One schema, by number: 0 is the root."""

    def __init__(self, schema: JSON, base: str, resource: int) -> None:
        self.schema: Final = schema
        self.base: Final = base
        """The URI its references are resolved against."""
        self.resource: Final = resource
        """The schema its resource starts with."""
        self.edges: Final[list[Edge]] = []
        self.references: Final[list[Reference | Bundled]] = []

    @property
    def bundled(self) -> int:
        """Count the references to what the engine brings along."""
        return sum(isinstance(reference, Bundled) for reference in self.references)


class _Waiting(Struct, frozen=True):
    """A schema that is to be taken in, and what leads to it."""

    schema: JSON
    base: str
    resource: int
    parent: int = 0
    place: Place | None = None
    name: str = ""


class Index:
    """The schemas of a schema, as far as there is room for them.

    `is_ambiguous` says that a name stands twice, so that what follows is not to be relied on; `has_dangling` that a
    reference leads nowhere within it, `has_remote` that one leads outside it, and `is_too_large` that there was no room
    for all and the rest was not looked at.
    """

    def __init__(self, schema: JSON, draft: Draft, room: int) -> None:
        self.draft: Final = draft
        self.nodes: Final[list[Node]] = []
        self.has_dangling = False
        self.has_remote = False
        self._room: Final = room
        self._choices = 0
        self._numbers: dict[int, int] = {}
        self._names = Names(draft)
        self._add(_Waiting(schema, self._names.enter_root(schema), 0))
        self._standing: Final = len(self.nodes)
        """Schemas from this number on stand where no keyword makes a schema, and are led to by reference alone."""
        done = 0
        while done < len(self.nodes) and not self.is_too_large:
            self._resolve(self.nodes[done])
            done += 1
        self._lead_back()
        self.has_dangling = self.has_dangling or self._has_misplaced()

    @property
    def size(self) -> int:
        """The schemas, and those a dynamic reference may lead to besides its first."""
        return len(self.nodes) + self._choices

    @property
    def is_too_large(self) -> bool:
        """Whether there was not the room for all of them."""
        return self.size > self._room

    @property
    def is_ambiguous(self) -> bool:
        """Whether a name stands twice, or is one of what the engine brings along."""
        return self._names.has_repeated

    @property
    def is_dynamic(self) -> bool:
        """Whether it depends on the way to a reference where that leads."""
        return bool(self._names.dynamic) or any(
            reference.keyword == "$recursiveRef" for node in self.nodes for reference in node.references
        )

    def number_of(self, value: Mapping[str, JSON]) -> int | None:
        """Give the number of an object of the schema, by identity; None where it does not stand where a schema does."""
        return self._numbers.get(id(value))

    def _add(self, first: _Waiting) -> int:
        """Take in a schema and all within it, and give its number."""
        number_of_first = len(self.nodes)
        waiting = [first]
        while waiting:
            item = waiting.pop()
            found = item.schema
            known = self._numbers.get(id(found)) if isinstance(found, Mapping) else None
            number = len(self.nodes) if known is None else known
            if item.place is not None:
                edge = Edge(place=item.place, targets=(number,), name=item.name)
                self.nodes[item.parent].edges.append(edge)
            if known is None:
                waiting.extend(self._within(item, number))
        return number_of_first

    def _within(self, item: _Waiting, number: int) -> list[_Waiting]:
        """Give one schema its number, and tell what stands in it."""
        found = item.schema
        if not isinstance(found, Mapping):
            self.nodes.append(Node(found, item.base, item.resource))
            return []
        base = self._names.enter(found, item.base, number) if number else item.base
        starts = number == 0 or self._names.id_of(found) is not None
        node = Node(found, base, number if starts else item.resource)
        self.nodes.append(node)
        self._numbers[id(found)] = number
        return [
            _Waiting(sub.schema, node.base, node.resource, number, sub.place, sub.name)
            for sub in subschemas(found, self.draft)
        ]

    def _resolve(self, node: Node) -> None:
        if not isinstance(node.schema, Mapping):
            return
        for keyword, written in references(node.schema, self.draft):
            uri, fragment = resolved(node.base, written)
            start = self._names.resources.get(uri)
            if start is not None:
                self._lead(node, keyword, fragment, start)
            elif uri in BUNDLED[self.draft]:
                node.references.append(Bundled(keyword=keyword, uri=uri, fragment=fragment))
            else:
                self.has_remote = True

    def _lead(self, node: Node, keyword: str, fragment: str, start: int) -> None:
        """Let a schema lead to what a reference within the schema names."""
        found = self._target(start, fragment)
        # The draft has a recursive reference lead to its resource and nowhere else.
        if found is None or (keyword == "$recursiveRef" and (fragment or start != node.resource)):
            self.has_dangling = True
            return
        target, way = found
        choice = self._choice(keyword, fragment, target)
        targets = tuple(dict.fromkeys((target, *choice)))
        self._choices += len(targets) - 1
        node.edges.append(Edge(place="here", targets=targets))
        anchor = fragment if choice and keyword == "$dynamicRef" else None
        node.references.append(Reference(keyword=keyword, way=way, anchor=anchor))

    def _lead_back(self) -> None:
        """Follow the meta-schemas back: their dynamic references lead to a schema that takes their anchor's name."""
        back = tuple(self._names.lead_back())
        for node in self.nodes if back else ():
            if node.bundled and not self.is_too_large:
                self._choices += len(back)
                node.edges.append(Edge(place="others", targets=back))

    def _target(self, start: int, fragment: str) -> tuple[int, Way] | None:
        """Give the number of what a fragment names in a resource, and the way there; None where it leads nowhere."""
        if fragment and not fragment.startswith("/"):
            named = self._names.anchors.get((self.nodes[start].base, fragment))
            return None if named is None else (named, Way(start=named))
        value = self.nodes[start].schema
        steps: tuple[str, ...] = ()
        for token in map(unescape_token, fragment.split("/")[1:]):
            # Nothing says whether what is no schema may name itself, so no way leads through it.
            if steps and isinstance(value, Mapping) and self._names.id_of(value) is not None:
                return None
            value, steps = _step(value, token), (*steps, token)
            number = self._numbers.get(id(value)) if isinstance(value, Mapping) else None
            if number is not None:
                start, steps = number, ()
        if not is_schema(value):
            return None
        if not steps:
            return start, Way(start=start)
        node = self.nodes[start]
        target = self._add(_Waiting(value, node.base, node.resource))
        # An object has a number of its own from now on.
        return target, Way(start=target) if isinstance(value, Mapping) else Way(start=start, steps=steps)

    def _choice(self, keyword: str, fragment: str, target: int) -> list[int]:
        """Give the other schemas a dynamic reference may lead to."""
        schema = self.nodes[target].schema
        if (
            keyword == "$dynamicRef"
            and isinstance(schema, Mapping)
            and schema.get("$dynamicAnchor") == fragment
        ):
            return self._names.dynamic.get(fragment, [])
        return self._names.dynamic.get(NAMELESS, []) if keyword == "$recursiveRef" else []

    def _has_misplaced(self) -> bool:
        """Tell whether a reference makes a schema of what it cannot be one in, or of what no resource can start with."""
        led_to = self.nodes[self._standing :]
        if self.is_dynamic and any(node.resource >= self._standing for node in led_to):
            return True
        return bool(led_to) and any(
            id(value) in self._numbers
            for node in self.nodes
            if isinstance(node.schema, Mapping)
            for value in _values(node.schema)
        )


def unescape_token(token: str) -> str:
    """Read one step of a JSON Pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def _values(schema: Mapping[str, JSON]) -> Iterator[JSON]:
    """Give what no schema can be in a schema: what values are compared with, and the table of patterns."""
    yield schema.get("patternProperties")
    for keyword in _VALUES:
        yield from _objects(schema.get(keyword))


def _objects(value: JSON) -> Iterator[JSON]:
    """Give the objects within a value."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Mapping):
            yield found
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)


def _step(value: JSON, token: str) -> JSON:
    if isinstance(value, Mapping):
        return value.get(token)
    if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
        return value[int(token)]
    return None
