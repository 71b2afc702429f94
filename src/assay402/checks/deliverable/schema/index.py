"""Every schema within a schema, with its base, its anchors, and where its references lead."""

import re
from collections.abc import Mapping
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
from assay402.checks.deliverable.schema.uri import resolve
from assay402.core.strictjson import JSON

ROOT_BASE: Final = "json-schema:///"
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_ANCHORS_BEFORE: Final = 2019


class Edge(Struct, frozen=True, kw_only=True):
    """One schema leads to others: by standing within it, or by a reference, of which a dynamic one has a choice."""

    place: Place
    targets: tuple[int, ...]
    name: str = ""
    """The name of the member it leads to, or the place of the element."""


class Node:
    """One schema, by number: 0 is the root."""

    def __init__(self, schema: JSON, base: str) -> None:
        self.schema: Final = schema
        self.base: Final = base
        """The URI its references are resolved against."""
        self.edges: Final[list[Edge]] = []
        self.bundled = 0
        """References to what the engine brings along."""


class Index:
    """The schemas of a schema, as far as there is room for them.

    `has_dangling` says that a reference leads nowhere within it, `has_remote` that one leads outside it, and
    `is_too_large` that there was no room for all and the rest was not looked at.
    """

    def __init__(self, schema: JSON, draft: Draft, room: int) -> None:
        self.draft: Final = draft
        self.nodes: Final[list[Node]] = []
        self.has_dangling = False
        self.has_remote = False
        self._room: Final = room
        self._choices = 0
        self._numbers: dict[int, int] = {}
        self._resources: dict[str, JSON] = {}
        self._anchors: dict[tuple[str, str], JSON] = {}
        self._dynamic: dict[str, list[int]] = {}
        self._add(schema, ROOT_BASE, is_resource=True)
        resolved = 0
        # A reference may lead to a place no keyword makes a schema; what stands there is walked too.
        while resolved < len(self.nodes) and not self.is_too_large:
            self._resolve(self.nodes[resolved])
            resolved += 1
        self._lead_back()

    @property
    def size(self) -> int:
        """The schemas, and those a dynamic reference may lead to besides its first."""
        return len(self.nodes) + self._choices

    @property
    def is_too_large(self) -> bool:
        """Whether there was not the room for all of them."""
        return self.size > self._room

    def number_of(self, value: Mapping[str, JSON]) -> int | None:
        """Give the number of an object of the schema, by identity; None where it does not stand where a schema does."""
        return self._numbers.get(id(value))

    def _add(self, schema: JSON, base: str, *, is_resource: bool = False) -> int:
        """Take in a schema and all within it, and give its number."""
        first = len(self.nodes)
        waiting: list[tuple[JSON, str, bool]] = [(schema, base, is_resource)]
        parents: list[tuple[int, Place, str] | None] = [None]
        while waiting:
            (found, outer, starts), parent = waiting.pop(), parents.pop()
            known = self._numbers.get(id(found)) if isinstance(found, Mapping) else None
            number = len(self.nodes) if known is None else known
            if parent is not None:
                self.nodes[parent[0]].edges.append(Edge(place=parent[1], targets=(number,), name=parent[2]))
            if known is not None:
                continue
            node = Node(found, self._enter(found, outer, number, starts=starts))
            self.nodes.append(node)
            if isinstance(found, Mapping):
                self._numbers[id(found)] = number
                for sub in subschemas(found, self.draft):
                    waiting.append((sub.schema, node.base, False))
                    parents.append((number, sub.place, sub.name))
        return first

    def _enter(self, schema: JSON, outer: str, number: int, *, starts: bool) -> str:
        """Note what a schema is called, and give the base of its references."""
        if not isinstance(schema, Mapping):
            if starts:
                self._resources[outer] = schema
            return outer
        base = self._base(schema, outer)
        if starts or base != outer:
            self._resources.setdefault(base, schema)
        if starts:
            self._resources.setdefault(outer, schema)
        for name in self._anchor_names(schema):
            self._anchors.setdefault((base, name), schema)
        dynamic = schema.get("$dynamicAnchor")
        if self.draft == 2020 and isinstance(dynamic, str):  # noqa: PLR2004  (a draft)
            self._dynamic.setdefault(dynamic, []).append(number)
        if self.draft == 2019 and schema.get("$recursiveAnchor") is True:  # noqa: PLR2004
            self._dynamic.setdefault("", []).append(number)
        return base

    def _base(self, schema: Mapping[str, JSON], outer: str) -> str:
        found = schema.get("id" if self.draft == 4 else "$id")  # noqa: PLR2004  (a draft)
        is_sibling = self.draft < _ANCHORS_BEFORE and "$ref" in schema
        if not isinstance(found, str) or is_sibling or found.startswith("#"):
            return outer
        return resolve(outer, found)[0]

    def _anchor_names(self, schema: Mapping[str, JSON]) -> list[str]:
        if self.draft < _ANCHORS_BEFORE:
            found = schema.get("id" if self.draft == 4 else "$id")  # noqa: PLR2004  (a draft)
            return [found[1:]] if isinstance(found, str) and found.startswith("#") else []
        names = [schema.get("$anchor"), schema.get("$dynamicAnchor")]
        return [name for name in names if isinstance(name, str)]

    def _resolve(self, node: Node) -> None:
        if not isinstance(node.schema, Mapping):
            return
        for keyword, written in references(node.schema, self.draft):
            uri, fragment = resolve(node.base, written)
            if uri not in self._resources:
                is_bundled = uri in BUNDLED[self.draft]
                node.bundled += is_bundled
                self.has_remote = self.has_remote or not is_bundled
                continue
            target = self._target(uri, fragment)
            if target is None:
                self.has_dangling = True
                continue
            choice = (target, *self._choice(keyword, fragment, target))
            targets = tuple(dict.fromkeys(choice))
            self._choices += len(targets) - 1
            node.edges.append(Edge(place="here", targets=targets))

    def _lead_back(self) -> None:
        """Follow the meta-schemas back: their dynamic references lead to a schema that takes their anchor's name."""
        back = tuple(self._dynamic.get("" if self.draft == 2019 else "meta", ()))  # noqa: PLR2004  (a draft)
        for node in self.nodes if back else ():
            if node.bundled and not self.is_too_large:
                self._choices += len(back)
                node.edges.append(Edge(place="others", targets=back))

    def _target(self, uri: str, fragment: str) -> int | None:
        """Give the number of what a reference within the schema leads to; None where it leads nowhere."""
        value: JSON = self._resources[uri]
        if fragment and not fragment.startswith("/"):
            value = self._anchors.get((uri, fragment))
        base = uri
        for token in fragment.split("/")[1:] if fragment.startswith("/") else ():
            value = _step(value, token.replace("~1", "/").replace("~0", "~"))
            if isinstance(value, Mapping):
                number = self._numbers.get(id(value))
                base = self._base(value, base) if number is None else self.nodes[number].base
        if not is_schema(value):
            return None
        known = self._numbers.get(id(value)) if isinstance(value, Mapping) else None
        return self._add(value, base) if known is None else known

    def _choice(self, keyword: str, fragment: str, target: int) -> list[int]:
        """Give the other schemas a dynamic reference may lead to."""
        schema = self.nodes[target].schema
        if (
            keyword == "$dynamicRef"
            and isinstance(schema, Mapping)
            and schema.get("$dynamicAnchor") == fragment
        ):
            return self._dynamic.get(fragment, [])
        return self._dynamic.get("", []) if keyword == "$recursiveRef" else []


def _step(value: JSON, token: str) -> JSON:
    if isinstance(value, Mapping):
        return value.get(token)
    if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
        return value[int(token)]
    return None
