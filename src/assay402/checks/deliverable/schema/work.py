"""What a schema takes of a value, counted before the engine runs: each keyword where the schema can apply it.

A schema reaches a value by a way: members by name, elements by place, references at the same value. Each way meets a
value once, and at most as many values as there are of its last step; so what stands beside them in a document, and no
way leads to, costs nothing. Where a schema leads back to itself, the engine remembers what it found of each value.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.measure import NOTHING, Held, Measure
from assay402.checks.deliverable.schema.cost import chains, order_down
from assay402.checks.deliverable.schema.index import Edge, Index
from assay402.checks.deliverable.schema.keywords import is_unevaluated
from assay402.checks.deliverable.schema.weights import Applied, Weights, steps, weigh

_LOOK: Final = 8
"""Looking up what is remembered of a schema and a value."""


class Stop(Struct, frozen=True, kw_only=True):
    """A schema on the ways down, after all that lead to it."""

    number: int
    weights: Weights
    edges: tuple[Edge, ...]
    looks: int
    """How often what is applied at the same value is looked at."""


class Plan(Struct, frozen=True, kw_only=True):
    """The schemas that can be applied, in the order of the ways down."""

    stops: tuple[Stop, ...]
    heads: frozenset[int]
    """Those that lead back to themselves."""


def plan(index: Index, sizes: Mapping[str, int], *, assert_format: bool) -> Plan:
    """Weigh the schemas of a schema, once for all values."""
    chain = chains(index)
    order, heads = order_down(index)
    return Plan(
        stops=tuple(
            Stop(
                number=number,
                weights=weigh(index.nodes[number], chain[number], sizes, assert_format=assert_format),
                edges=tuple(edge for edge in index.nodes[number].edges if edge.place != "nowhere"),
                looks=chain[number] if is_unevaluated(index.nodes[number].schema) else 1,
            )
            for number in reversed(order)
        ),
        heads=frozenset(heads),
    )


def work(planned: Plan, size: Measure) -> int:
    """Count the steps of applying a schema to a value of a size: never fewer than the engine takes."""
    met = {stop.number: Applied() for stop in planned.stops}
    for head in planned.heads:
        met[head] = _within(1, size.values, _anything(size))
    met[0] = _sum(met[0], _within(1, 1, size.own))
    total = 0
    passed: set[int] = set()
    for stop in planned.stops:
        passed.add(stop.number)
        applied = met[stop.number]
        total += steps(stop.weights, applied, size)
        for edge in stop.edges:
            reached = _reached(edge, applied, stop.looks, size)
            for target in edge.targets:
                if target in passed:
                    total += _LOOK * reached.values
                else:
                    met[target] = _sum(met[target], reached)
    return total


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
        case "others":
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
