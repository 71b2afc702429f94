"""What a schema takes of a value, counted before the engine runs: each keyword where the schema can apply it.

A schema reaches a value by a way: members by name, elements by place, references at the same value. Each way meets a
value once, and at most as many values as there are of its last step; so what stands beside them in a document, and no
way leads to, costs nothing. Where a schema leads back to itself, the engine remembers what it found of each value.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.automaton import Price
from assay402.checks.deliverable.measure import NOTHING, Held, Measure, number_size, text_size
from assay402.checks.deliverable.schema.cost import below_heads, chains, order_down
from assay402.checks.deliverable.schema.exact import NEAR, judged
from assay402.checks.deliverable.schema.index import Edge, Index
from assay402.checks.deliverable.schema.keywords import DRAFT_4, is_unevaluated
from assay402.checks.deliverable.schema.weights import (
    Applied,
    Weights,
    kept_bytes,
    lists_numbers,
    most_violations,
    names_number,
    numbers_of,
    steps,
    weigh,
)

LOOK: Final = 8
"""Looking up what is remembered of a schema and a value."""


_ERROR: Final = 256
"""Bytes that a violation takes as much as, beside what it copies and its places in schema and value."""
_COPIED: Final = 8
"""Steps that copying a byte of a written value takes: each value in it is one to the engine."""
_ALTERNATIVES: Final = ("anyOf", "oneOf")
_TOKEN: Final = 24
"""Bytes of a step in a schema that is a keyword or a number."""


class Stop(Struct, frozen=True, kw_only=True):
    """A schema on the ways down, after all that lead to it."""

    number: int
    weights: Weights
    edges: tuple[Edge, ...]
    looks: int
    """How often what is applied at the same value is looked at."""
    violations: int
    """The most there can be at one value."""
    kept: int
    """Bytes of the schema that each of them holds."""
    is_below_head: bool
    """Whether a schema that leads back to itself leads to it, so that it comes to values within each other."""


class Plan(Struct, frozen=True, kw_only=True):
    """The schemas that can be applied, in the order of the ways down."""

    stops: tuple[Stop, ...]
    places: Mapping[int, int]
    """Where each schema stands among them."""
    heads: frozenset[int]
    """Those that lead back to themselves."""
    levels: int
    """The most schemas one inside the other, on the way down, where none leads back to itself."""
    longest_name: int
    """Bytes of the longest name of the schema."""
    has_alternatives: bool
    """Whether a violation can hold those of several schemas."""
    is_far: bool
    """Whether it holds a number that the engine is not let compare, so that it compares none."""
    judged: frozenset[str]
    """The keywords that are judged by us and not by the engine then, or where the document holds one."""

    def judges(self, size: Measure) -> bool:
        """Tell whether numbers are judged by us and not by the engine where it is applied to a value of a size."""
        return self.is_far or size.number_size > NEAR


def plan(index: Index, prices: Mapping[str, Price], schema_bytes: int, *, assert_format: bool) -> Plan:
    """Weigh the schemas of a schema that takes so many bytes, once for all values."""
    chain = chains(index)
    order, heads = order_down(index)
    levels: dict[int, int] = {}
    for number in order:
        inner = (target for edge in index.nodes[number].edges for target in edge.targets)
        levels[number] = 1 + max((levels.get(target, 0) for target in inner), default=0)
    its_judged = _judged(index)
    below = below_heads(index, heads)
    return Plan(
        judged=its_judged,
        is_far=any(number_size(number) > NEAR for node in index.nodes for number in numbers_of(node.schema)),
        stops=tuple(
            Stop(
                number=number,
                weights=weigh(
                    index.nodes[number], its_judged, chain[number], prices, assert_format=assert_format
                ),
                edges=tuple(edge for edge in index.nodes[number].edges if edge.place != "nowhere"),
                looks=chain[number] if is_unevaluated(index.nodes[number].schema) else 1,
                violations=most_violations(index.nodes[number]),
                kept=kept_bytes(index.nodes[number], schema_bytes),
                is_below_head=number in below,
            )
            for number in reversed(order)
        ),
        places={number: place for place, number in enumerate(reversed(order))},
        heads=frozenset(heads),
        levels=levels[0],
        has_alternatives=any(
            name in node.schema
            for node in index.nodes
            if isinstance(node.schema, Mapping)
            for name in _ALTERNATIVES
        ),
        longest_name=max((text_size(edge.name) for node in index.nodes for edge in node.edges), default=0),
    )


def _judged(index: Index) -> frozenset[str]:
    return judged(
        lists_numbers=any(lists_numbers(node.schema) for node in index.nodes),
        # In draft 4 the engine looks whether a number is an integer whatever the type is; a meta-schema asks too.
        names_number=index.draft == DRAFT_4
        or any(node.bundled or names_number(node.schema) for node in index.nodes),
    )


def work(planned: Plan, size: Measure) -> int:
    """Count the steps of applying a schema to a value of a size: never fewer than the engine takes."""
    is_ours = planned.judges(size)
    return sum(
        steps(stop.weights, applied, size, is_ours=is_ours) + LOOK * looks
        for stop, applied, looks in _ways(planned, size)
    )


def counting(planned: Plan, size: Measure, steps_taken: int) -> int | None:
    """Count the steps of counting violations, each of which copies the value; None for what leads back to itself.

    The engine looks at a value again for each alternative around it, and a violation of a name copies the object.
    """
    if planned.heads:
        return None
    longest_name = max(map(text_size, size.by_name), default=0)
    place = planned.levels * (planned.longest_name + longest_name + _TOKEN)
    copied = 0
    for stop, applied, _ in _ways(planned, size):
        each = stop.violations
        copied += each * (applied.values * (_ERROR + place + stop.kept) + applied.ways * size.size)
        copied += applied.members * size.size if any(edge.place == "names" for edge in stop.edges) else 0
    return _COPIED * copied + steps_taken * (1 + planned.levels)


def _ways(planned: Plan, size: Measure) -> Iterator[tuple[Stop, Applied, int]]:
    """Give how often each schema is applied, in the order of the ways down, and how often what is remembered is."""
    met = {stop.number: Applied() for stop in planned.stops}
    for head in planned.heads:
        met[head] = _within(1, size.values, _anything(size))
    met[0] = _sum(met[0], _within(1, 1, size.own))
    passed: set[int] = set()
    for stop in planned.stops:
        passed.add(stop.number)
        applied = met[stop.number]
        looks = 0
        for edge in stop.edges:
            reached = _reached(edge, applied, stop.looks, size)
            for target in edge.targets:
                if target in passed:
                    looks += reached.values
                else:
                    met[target] = _sum(met[target], reached)
        yield stop, applied, looks


def _reached(edge: Edge, applied: Applied, looks: int, size: Measure) -> Applied:
    """Give what a step further meets of what was met."""
    ways = applied.ways
    match edge.place:
        case "here":
            return Applied(
                ways=ways * looks,
                values=applied.values * looks,
                text=applied.text * looks,
                members=applied.members * looks,
                elements=applied.elements * looks,
            )
        case "member":
            held = size.by_name.get(edge.name, NOTHING)
            return _within(ways, min(ways * held.count, applied.values), held)
        case "others" | "names":
            return _within(ways, applied.members, _anything(size))
        case "element":
            return _within(ways, min(ways * size.arrays, applied.values), _anything(size))
        case _:
            return _within(ways, applied.elements, _anything(size))


def _within(ways: int, values: int, held: Held) -> Applied:
    """Give what so many of the values have at most."""
    return Applied(
        ways=ways,
        values=values,
        text=min(ways * held.text, values * held.longest),
        members=min(ways * held.members, values * held.largest_object),
        elements=min(ways * held.elements, values * held.longest_array),
    )


def _anything(size: Measure) -> Held:
    """Give what any values of a document have at most."""
    return Held(
        count=size.values,
        longest=size.longest_text,
        text=size.size,
        members=size.members,
        largest_object=size.largest_object,
        elements=size.elements,
        longest_array=size.longest_array,
    )


def _sum(one: Applied, other: Applied) -> Applied:
    return Applied(
        ways=one.ways + other.ways,
        values=one.values + other.values,
        text=one.text + other.text,
        members=one.members + other.members,
        elements=one.elements + other.elements,
    )
