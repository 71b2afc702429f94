"""Schemas whose names are repeated, misspelt and misplaced, and what each reference in them comes to.

Every schema allows one number of its own, so that a reference tells where it led by the numbers it allows. `counted`
says where it leads by the index that costs are counted from, `applied` where the engine went.
"""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.differences import token
from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.schema.guard import guard
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.keywords import DIALECTS, REFERENCES, Draft
from assay402.checks.deliverable.schema.names import id_keyword

DRAFTS: Final = tuple(DIALECTS.values())
_URIS: Final = (
    "http://e.x/a", "http://e.x/b", "HTTP://E.x/a", "http://e.x:80/a", "http://e.x/%61", "http://e.x/./b", "http://e.x",
    "http://e.x/", "a", "b", "./a", "../a", "c/", "c/a", "/a", "//e.x/a", "?q", "", "#", "urn:u:a", "urn:u:b", "URN:u:a",
    "json-schema:///", "json-schema:///1", "json-schema:///a", "http://e.x/é", "http://e.x/%c3%a9", "http://e.x/%C3%A9",
    "http://[::1", "a b", "%zz", *DIALECTS, "https://json-schema.org/draft/2020-12/meta/core",
    "https://json-schema.org/draft/2020-12/meta/./core",
)  # fmt: skip
_NAMES: Final = ("x", "y", "meta", "node")
_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("properties", "$defs", "definitions", "foo"), ("a", "b", "é", "c/d", "$id", "const")),
    **dict.fromkeys(("dependencies", "dependentSchemas", "patternProperties"), ("z1", "z2", "z/3", "z~4")),
}
"""Tables of schemas, of those that apply to no member that is given."""
_SINGLE: Final = ("items", "additionalItems", "contains", "contentSchema", "bar", "default", "examples")
_SINGLE_APART: Final = (*_SINGLE, "const", "enum", "prefixItems")


class _Maker:
    def __init__(self, seed: int, *, is_tame: bool) -> None:
        self._random: Final = random.Random(seed)
        self._is_tame: Final = is_tame
        self.draft: Final[Draft] = self._random.choice(DRAFTS)
        self.count = 0
        self._places: Final[list[str]] = [""]
        self._names: Final[list[str]] = ["#"]

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = self._schema("", self._random.choice((2, 2, 3)))
        probes = made.setdefault("properties", {})
        for name in ("p", "q"):
            probes[name] = {"REF": self._keyword()}
        uri = next(uri for uri, draft in DIALECTS.items() if draft == self.draft)
        made["$schema"] = uri
        for keyword, target in list(self._references(made)):
            target[keyword] = "#" if keyword == "$recursiveRef" else self._written(keyword)
        return made

    def _keyword(self) -> str:
        other = {2019: "$recursiveRef", 2020: "$dynamicRef"}.get(self.draft, "$ref")
        return self._random.choice(["$ref", "$ref", other])

    def _references(self, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(value, list):
            for each in value:
                yield from self._references(each)
        if isinstance(value, dict):
            keyword = value.pop("REF", None)
            if keyword is not None:
                yield keyword, value
            for each in list(value.values()):
                yield from self._references(each)

    def _schema(self, place: str, depth: int) -> Any:
        pick = self._random
        self._places.append(place)
        if place and pick.random() < 0.05:
            return pick.random() < 0.5
        self.count += 1
        made: dict[str, Any] = {"minimum": self.count, "maximum": self.count}
        if place and pick.random() < 0.07:
            made = {"REF": self._keyword()}
            if self.draft < 2019 and pick.random() < 0.3:
                made.update(minimum=-1, maximum=-1)
        self._name(made)
        for _ in range(pick.randrange(1, 4) if depth else 0):
            if pick.random() < 0.75:
                word = pick.choice(["properties", "$defs", *_PLACES])
                inner = made.setdefault(word, {})
                for name in pick.sample(_PLACES[word], 2):
                    if name not in inner:
                        inner[name] = self._schema(f"{place}/{word}/{token(name)}", depth - 1)
            else:
                self._single(made, place, depth)
        return made

    def _single(self, made: dict[str, Any], place: str, depth: int) -> None:
        is_apart = any(f"/{word}/" in f"{place}/" for word in ("$defs", "definitions", "foo", "bar"))
        word = self._random.choice(_SINGLE_APART if is_apart else _SINGLE)
        if word in ("enum", "prefixItems", "examples"):
            made[word] = [self._schema(f"{place}/{word}/0", depth - 1)]
        elif word not in made:
            made[word] = self._schema(f"{place}/{word}", depth - 1)

    def _name(self, made: dict[str, Any]) -> None:
        pick = self._random
        chance = 0.2 if self._is_tame else 0.12
        if pick.random() < chance:
            anchors = (
                []
                if self.draft >= 2019
                else [f"#x{self.count}" if self._is_tame else f"#{pick.choice(_NAMES)}"]
            )
            tame = [f"http://e.x/r{self.count}", f"r{self.count}", f"s/r{self.count}"]
            name = pick.choice([*(tame if self._is_tame else _URIS), *anchors])
            made[id_keyword(self.draft)] = name
            self._names.append(name)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if pick.random() < chance / 2:
                is_own = self._is_tame and (keyword == "$anchor" or pick.random() < 0.5)
                made[keyword] = f"x{self.count}" if is_own else pick.choice(_NAMES)
                self._names.append(f"#{made[keyword]}")
        if pick.random() < chance / 2:
            made["$recursiveAnchor"] = pick.random() < 0.7

    def _written(self, keyword: str) -> str:
        pick = self._random
        place = pick.choice(self._places)
        if pick.random() < 0.3:
            place = place.replace("$", "%24").replace("é", "%C3%A9")
        if keyword == "$ref" and pick.random() < 0.6:
            return f"#{place}"
        name = pick.choice(self._names)
        if pick.random() < 0.6 or "#" in name:
            return name
        return name + pick.choice(["#", *(f"#{each}" for each in _NAMES), f"#{place}"])


def made(seed: int, *, is_tame: bool) -> tuple[Any, Draft, int]:
    """Make a schema, its draft, and the number of numbers that tell its schemas apart."""
    maker = _Maker(seed, is_tame=is_tame)
    schema = maker.schema()
    return schema, maker.draft, maker.count


def ways(schema: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Give the schemas that members of members are judged by, with the names of the members."""
    if isinstance(schema, dict):
        yield way, schema
        members = schema.get("properties")
        is_reference = any(name in schema for name in REFERENCES)
        for name, inner in members.items() if isinstance(members, dict) and not is_reference else ():
            yield from ways(inner, (*way, name))


def within(way: tuple[str, ...], value: Any) -> Any:
    """Put a value where the names of members lead to."""
    for name in reversed(way):
        value = {name: value}
    return value


def taken(schema: Any) -> Any:
    """Give the validator of a schema, or the reason why it is not taken."""
    found = guard({"schema": schema, "assertFormat": False}, Room())
    return found.reason if isinstance(found, Fault) else found["compiled"].validator(1)


def alone(schema: Any, draft: Draft) -> Any:
    """Give the engine's validator of a schema as it is written, or None where it refuses."""
    name = {4: "Draft4", 6: "Draft6", 7: "Draft7", 2019: "Draft201909", 2020: "Draft202012"}[draft]
    try:
        return getattr(jsonschema_rs, f"{name}Validator")(schema, offline=True, validate_formats=False)
    except BaseException:  # noqa: BLE001  (a panic is none of the ordinary ones)
        return None


def applied(validator: Any, way: tuple[str, ...], count: int) -> set[int]:
    """Give the numbers that are allowed at a place."""
    return {number for number in range(1, count + 1) if validator.is_valid(within(way, number))}


def counted(index: Index, schema: Mapping[str, Any], count: int) -> tuple[set[int], set[int]]:
    """Give the numbers that are allowed at all events, and those that are where choices fall so."""
    number = index.number_of(schema)
    assert number is not None
    return _counted(index, number, count)


def _counted(index: Index, number: int, count: int) -> tuple[set[int], set[int]]:
    node = index.nodes[number]
    every: set[int] = set(range(1, count + 1))
    if not isinstance(node.schema, Mapping):
        return (every, every) if node.schema else (set(), set())
    is_alone = index.draft < 2019 and "$ref" in node.schema
    own = every
    if "minimum" in node.schema and not is_alone:
        own = {number for number in every if number == node.schema["minimum"]}
    least, most = own, own
    is_compared = (index.draft > 4 and "const" in node.schema) or "enum" in node.schema
    if node.bundled or (is_compared and not is_alone):
        least, most = set(), set()
    for edge in node.edges:
        # A schema that depends on a member has its name, and no member is given that has it.
        if edge.place != "here" or edge.name:
            continue
        found = [_counted(index, target, count) for target in edge.targets]
        least = least.intersection(*(each[0] for each in found))
        most = {number for number in most if any(number in each[1] for each in found)}
    return least, most
