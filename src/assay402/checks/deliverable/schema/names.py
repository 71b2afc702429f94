"""What the schemas within a schema are called: the URIs of resources and the names of anchors, each of them once.

What stands twice has no single meaning: a name that leads to one schema here and to another there can hide a cycle, or
an expansion, from whoever counts. So it is told, and such a schema is refused before anything else looks at it.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from assay402.checks.deliverable.schema.keywords import (
    ALL_BUNDLED,
    ANCHORS_FROM,
    DRAFT_4,
    DRAFT_2019,
    DRAFT_2020,
    Draft,
)
from assay402.checks.deliverable.schema.uri import normal, resolve
from assay402.core.strictjson import JSON

ROOT_BASE: Final = "json-schema:///"
"""The URI of a schema that has none."""
META: Final = "meta"
"""The name the meta-schemas of 2020-12 lead back by; those of 2019-09 have one way back, which has no name."""
NAMELESS: Final = ""


class Names:
    """The names found so far, each with the number of its schema.

    `has_repeated` says that one of them stands twice, or is a name of what the engine brings along.
    """

    def __init__(self, draft: Draft) -> None:
        self.resources: Final[dict[str, int]] = {}
        self.anchors: Final[dict[tuple[str, str], int]] = {}
        self.dynamic: Final[dict[str, list[int]]] = {}
        """The schemas that a dynamic reference may lead to, by the name of their anchor."""
        self.has_repeated = False
        self._draft: Final = draft
        self._id: Final = id_keyword(draft)

    def enter_root(self, schema: JSON) -> str:
        """Note what the whole schema is called, and give the base of its references."""
        self.resources[ROOT_BASE] = 0
        return self.enter(schema, ROOT_BASE, 0) if isinstance(schema, Mapping) else ROOT_BASE

    def enter(self, schema: Mapping[str, JSON], outer: str, number: int) -> str:
        """Note what a schema is called, and give the base of its references."""
        base = outer
        found = self.id_of(schema)
        if found is not None:
            base = resolved(outer, found)[0]
            is_taken = self.resources.setdefault(base, number) != number
            self.has_repeated = self.has_repeated or is_taken or base in ALL_BUNDLED
        for name in self._anchors_of(schema):
            # One and the same schema may not have a name twice either: as an anchor and as a dynamic one.
            self.has_repeated = self.has_repeated or (base, name) in self.anchors
            self.anchors[base, name] = number
        dynamic = schema.get("$dynamicAnchor")
        if self._draft == DRAFT_2020 and isinstance(dynamic, str):
            self.dynamic.setdefault(dynamic, []).append(number)
        if self._draft == DRAFT_2019 and schema.get("$recursiveAnchor") is True:
            self.dynamic.setdefault(NAMELESS, []).append(number)
        return base

    def lead_back(self) -> list[int]:
        """Give the schemas that the references within the meta-schemas may lead to."""
        return self.dynamic.get(NAMELESS if self._draft == DRAFT_2019 else META, [])

    def id_of(self, schema: Mapping[str, JSON]) -> str | None:
        """Give the URI a schema gives itself, as written; None where it has none, or a draft does not look at it."""
        found = schema.get(self._id)
        if not isinstance(found, str) or (self._draft < ANCHORS_FROM and "$ref" in schema):
            return None
        return None if self._is_anchor(found) else found

    def _is_anchor(self, found: str) -> bool:
        """Tell whether what stands where a URI does is the name of an anchor. A bare `#` is an empty fragment."""
        return self._draft < ANCHORS_FROM and found.startswith("#") and found != "#"

    def _anchors_of(self, schema: Mapping[str, JSON]) -> Iterator[str]:
        if self._draft < ANCHORS_FROM:
            found = schema.get(self._id)
            if isinstance(found, str) and "$ref" not in schema and self._is_anchor(found):
                yield found[1:]
            return
        for keyword in ("$anchor", *(("$dynamicAnchor",) if self._draft == DRAFT_2020 else ())):
            name = schema.get(keyword)
            if isinstance(name, str):
                yield name


def id_keyword(draft: Draft) -> str:
    """Give the keyword by which a schema gives itself a URI."""
    return "id" if draft == DRAFT_4 else "$id"


def resolved(base: str, reference: str) -> tuple[str, str]:
    """Give the URI a reference names, in the one form in which all its spellings are equal, and the fragment."""
    uri, fragment = resolve(base, reference)
    return normal(uri), fragment
