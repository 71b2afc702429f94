"""Where a schema holds further schemas, in each draft."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.core.strictjson import JSON

Draft: TypeAlias = Literal[4, 6, 7, 2019, 2020]
Place: TypeAlias = Literal["here", "member", "others", "names", "element", "elements", "nowhere"]
"""What a subschema is applied to: the same value; one member, the other members, their names; one element, the elements;
nothing."""
_Shape: TypeAlias = Literal["one", "list", "map", "one or list"]

DRAFT_4: Final[Draft] = 4
DRAFT_6: Final[Draft] = 6
DRAFT_7: Final[Draft] = 7
DRAFT_2019: Final[Draft] = 2019
DRAFT_2020: Final[Draft] = 2020

DIALECTS: Final[Mapping[str, Draft]] = {
    "http://json-schema.org/draft-04/schema": DRAFT_4,
    "http://json-schema.org/draft-06/schema": DRAFT_6,
    "http://json-schema.org/draft-07/schema": DRAFT_7,
    "https://json-schema.org/draft/2019-09/schema": DRAFT_2019,
    "https://json-schema.org/draft/2020-12/schema": DRAFT_2020,
}
"""The published URIs, without the empty fragment some are written with."""
DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_VOCABULARIES: Final[Mapping[Draft, tuple[str, ...]]] = {
    DRAFT_2019: (
        "core", "applicator", "validation", "meta-data", "format", "content",
    ),
    DRAFT_2020: (
        "core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "format-assertion",
        "content",
    ),
}  # fmt: skip
BUNDLED: Final[Mapping[Draft, frozenset[str]]] = {
    draft: frozenset(
        {uri, *(f"{uri.removesuffix('schema')}meta/{name}" for name in _VOCABULARIES.get(draft, ()))}
    )
    for uri, draft in DIALECTS.items()
}
"""What the engine brings along for a schema of a draft, so that a reference to it needs no fetching."""
ALL_BUNDLED: Final = frozenset().union(*BUNDLED.values())


class _Keyword(Struct, frozen=True):
    shape: _Shape
    place: Place
    first: Draft = DRAFT_4
    last: Draft = DRAFT_2020


_KEYWORDS: Final[Mapping[str, _Keyword]] = {
    "allOf": _Keyword("list", "here"),
    "anyOf": _Keyword("list", "here"),
    "oneOf": _Keyword("list", "here"),
    "not": _Keyword("one", "here"),
    "if": _Keyword("one", "here", 7),
    "then": _Keyword("one", "here", 7),
    "else": _Keyword("one", "here", 7),
    "dependencies": _Keyword("map", "here"),
    "dependentSchemas": _Keyword("map", "here", 2019),
    "properties": _Keyword("map", "member"),
    "patternProperties": _Keyword("map", "others"),
    "additionalProperties": _Keyword("one", "others"),
    "unevaluatedProperties": _Keyword("one", "others", 2019),
    "propertyNames": _Keyword("one", "names", 6),
    "prefixItems": _Keyword("list", "element", 2020),
    "items": _Keyword("one or list", "elements"),
    "additionalItems": _Keyword("one", "elements", 4, 2019),
    "unevaluatedItems": _Keyword("one", "elements", 2019),
    "contains": _Keyword("one", "elements", 6),
    "contentSchema": _Keyword("one", "nowhere", 2019),
    "$defs": _Keyword("map", "nowhere"),
    "definitions": _Keyword("map", "nowhere"),
}
ANCHORS_FROM: Final[Draft] = DRAFT_2019
"""Before this draft an anchor is written as a URI that is a fragment alone."""
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_SIBLINGS_COUNT_FROM: Final[Draft] = DRAFT_2019
"""Before this draft a schema with `$ref` is the reference alone; only its definitions can still be pointed into."""


class Sub(Struct, frozen=True, kw_only=True):
    """A schema within a schema."""

    schema: JSON
    place: Place
    name: str = ""
    """The name of the member, or the place of the element it is applied to, where that is one."""


def is_unevaluated(schema: JSON) -> bool:
    """Tell whether a schema looks at what the schemas beside it left over."""
    return isinstance(schema, Mapping) and any(
        name in schema for name in ("unevaluatedProperties", "unevaluatedItems")
    )


def subschemas(schema: Mapping[str, JSON], draft: Draft) -> Iterator[Sub]:
    """Give the schemas directly within one, in an order that does not depend on the order of names."""
    is_reference = draft < _SIBLINGS_COUNT_FROM and "$ref" in schema
    for name in sorted(schema):
        keyword = _KEYWORDS.get(name)
        if keyword is None or not keyword.first <= draft <= keyword.last:
            continue
        if is_reference and keyword.place != "nowhere":
            continue
        yield from _within(keyword, schema[name])


def references(schema: Mapping[str, JSON], draft: Draft) -> Iterator[tuple[str, str]]:
    """Give the references of a schema: keyword and target as written."""
    for keyword in REFERENCES:
        target = schema.get(keyword)
        exists = (
            keyword == "$ref"
            or (keyword == "$dynamicRef" and draft == DRAFT_2020)
            or (keyword == "$recursiveRef" and draft == DRAFT_2019)
        )
        if exists and isinstance(target, str):
            yield keyword, target


def is_schema(value: JSON) -> bool:
    """Tell whether a value can be a schema."""
    return isinstance(value, (bool, Mapping))


def _within(keyword: _Keyword, value: JSON) -> Iterator[Sub]:
    place: Place = keyword.place
    inner: list[JSON] = []
    names: list[str] = []
    if isinstance(value, list) and keyword.shape in ("list", "one or list"):
        # An array of schemas stands for the elements one by one.
        place = "element" if keyword.shape == "one or list" else place
        inner = value
        names = list(map(str, range(len(value)))) if place == "element" else []
    elif isinstance(value, Mapping) and keyword.shape == "map":
        names = sorted(value)
        inner = [value[name] for name in names]
    elif keyword.shape in ("one", "one or list"):
        inner = [value]
    for number, schema in enumerate(inner):
        if is_schema(schema):
            yield Sub(schema=schema, place=place, name=names[number] if names else "")
