"""What a schema can cost, counted from the schema alone.

`expansion` counts the schemas applied to one value with every reference written out. `work` adds what is applied to
the values within it, along the dearest way down: the engine remembers what it found only where a schema leads back to
itself, so elsewhere each way is walked. For an `unevaluated` keyword the engine looks again at each link of the chain of
schemas beside it; where such a keyword leads back to itself, each level of a document multiplies that, so this is told
apart and refused.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.schema.index import Edge, Index, Node
from assay402.checks.deliverable.schema.patterns import patterns_of

CEILING: Final = 1 << 30
"""Counts stop here: far above every limit."""
_BUNDLED_SCHEMAS: Final = 64
"""Schemas in the largest meta-schema, whose own recursion the engine remembers."""
_LISTS: Final = ("enum", "required")
_UNEVALUATED_FROM: Final = 2019


class Cost(Struct, frozen=True, kw_only=True):
    """The counts of a schema."""

    expansion: int
    longest_chain: int
    """Schemas applied to one value one inside the other: the engine's stack holds as many frames."""
    is_recursive: bool
    work: int
    has_unevaluated_cycle: bool
    """Whether a schema with an `unevaluated` keyword leads back to itself, at the same value or below."""
    multiple_work: int
    """The `multipleOf` among the work."""
    equal_work: int
    """The values of `const` and `enum` among the work."""
    unique_work: int
    """The `uniqueItems` among the work."""
    largest_multiple: int
    """The size of the longest or most distant number of a `multipleOf`."""
    pattern_work: int = 0
    """The patterns among the work, each by its compiled size."""


def cost(index: Index) -> Cost | None:
    """Count; None where a schema leads back to itself at one value, which has no meaning."""
    order = _order_in_place(index)
    if order is None:
        return None
    expansion, chain = _in_place(index, order)
    way_down = _WayDown(index, chain)
    return Cost(
        expansion=max(expansion),
        longest_chain=max(chain),
        is_recursive=bool(way_down.heads),
        has_unevaluated_cycle=_has_unevaluated_cycle(index),
        work=way_down.total(_weight),
        multiple_work=way_down.total(lambda node: len(_multiples(node))),
        equal_work=way_down.total(_equals),
        unique_work=way_down.total(_uniques),
        largest_multiple=max((size for node in index.nodes for size in _multiples(node)), default=0),
    )


def pattern_work(index: Index, weights: Mapping[str, int]) -> int:
    """Add up the patterns on the dearest way down, each with its weight."""
    order = _order_in_place(index)
    assert order is not None  # noqa: S101  (schemas with a cycle at one value were refused)
    return _WayDown(index, _in_place(index, order)[1]).total(
        lambda node: (
            sum(weights[pattern] for pattern in patterns_of(node.schema))
            if isinstance(node.schema, Mapping)
            else 0
        )
    )


def number_size(number: int | Decimal) -> int:
    """Give the decimal places an exact number spans from its first digit to the point, and its digits."""
    if isinstance(number, int):
        return len(str(abs(number)))
    return len(number.as_tuple().digits) + abs(number.adjusted())


def _has_unevaluated_cycle(index: Index) -> bool:
    if index.draft < _UNEVALUATED_FROM or not any(map(_is_unevaluated, index.nodes)):
        return False
    targets = [
        [target for edge in node.edges if edge.place != "nowhere" for target in edge.targets]
        for node in index.nodes
    ]
    return any(_is_unevaluated(index.nodes[number]) for number in _in_cycles(targets))


def _in_cycles(targets: list[list[int]]) -> set[int]:
    """Give what leads back to itself: by the strongly connected components, found without recursion."""
    order, _ = _descend(targets, range(len(targets)))
    sources: list[list[int]] = [[] for _ in targets]
    for number, its_targets in enumerate(targets):
        for target in its_targets:
            sources[target].append(number)
    found: set[int] = set()
    seen: set[int] = set()
    for start in reversed(order):
        component: set[int] = set()
        waiting = [start]
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                component.add(number)
                waiting.extend(sources[number])
        if len(component) > 1 or start in targets[start]:
            found |= component
    return found


def _order_in_place(index: Index) -> list[int] | None:
    """Order the schemas so that each stands behind those applied to the same value; None where there is a cycle."""
    targets = [
        [target for edge in node.edges if edge.place == "here" for target in edge.targets]
        for node in index.nodes
    ]
    order, heads = _descend(targets, range(len(targets)))
    return None if heads else order


def _descend(targets: list[list[int]], starts: range) -> tuple[list[int], set[int]]:
    """Walk a graph without recursion: what was left, in order, and what was met again while it was still open."""
    order: list[int] = []
    heads: set[int] = set()
    state: dict[int, int] = {}
    for start in starts:
        waiting = [(start, False)]
        while waiting:
            number, is_left = waiting.pop()
            if is_left:
                state[number] = 2
                order.append(number)
            elif state.get(number, 0) == 1:
                heads.add(number)
            elif state.get(number, 0) == 0:
                state[number] = 1
                waiting.append((number, True))
                waiting.extend((target, False) for target in targets[number])
    return order, heads


def _in_place(index: Index, order: list[int]) -> tuple[list[int], list[int]]:
    expansion = [0] * len(index.nodes)
    chain = [0] * len(index.nodes)
    for number in order:
        node = index.nodes[number]
        here = [edge for edge in node.edges if edge.place == "here"]
        applied = sum(max(expansion[target] for target in edge.targets) for edge in here)
        chain[number] = 1 + max((chain[target] for edge in here for target in edge.targets), default=0)
        looks = chain[number] if _is_unevaluated(node) else 1
        expansion[number] = min(CEILING, 1 + node.bundled * _BUNDLED_SCHEMAS + looks * applied)
    return expansion, chain


class _WayDown:
    """The walk from the root through everything that is applied to a value or to a value within it."""

    def __init__(self, index: Index, chain: list[int]) -> None:
        self._nodes = index.nodes
        self._chain = chain
        targets = [
            [target for edge in node.edges if edge.place != "nowhere" for target in edge.targets]
            for node in index.nodes
        ]
        self._order, self.heads = _descend(targets, range(1))

    def total(self, weight: Callable[[Node], int]) -> int:
        """Add up the weights on the dearest way down, and on those that begin where the engine remembers."""
        counts: dict[int, int] = {}
        for number in self._order:
            node = self._nodes[number]
            counts[number] = min(CEILING, weight(node) + self._below(number, counts))
        return min(CEILING, sum(counts[number] for number in {0, *self.heads}))

    def _below(self, number: int, counts: Mapping[int, int]) -> int:
        node = self._nodes[number]
        by_place: dict[str, list[int]] = {}
        for edge in node.edges:
            by_place.setdefault(edge.place, []).append(_dearest(edge, counts))
        here, others, elements = (sum(by_place.get(place, ())) for place in ("here", "others", "elements"))
        member, element = (max(by_place.get(place, ()), default=0) for place in ("member", "element"))
        # A value is an object or an array, so only one of the two is walked.
        looks = self._chain[number] if _is_unevaluated(node) else 1
        return looks * here + max(member + others, element + elements)


def _dearest(edge: Edge, counts: Mapping[int, int]) -> int:
    """Give the dearest choice; what is still open is a way back, and counts as one look at what is remembered."""
    return max(counts.get(target, 1) for target in edge.targets)


def _is_unevaluated(node: Node) -> bool:
    return isinstance(node.schema, Mapping) and any(
        name in node.schema for name in ("unevaluatedProperties", "unevaluatedItems")
    )


def _weight(node: Node) -> int:
    if not isinstance(node.schema, Mapping):
        return 1
    listed = (node.schema.get(name) for name in _LISTS)
    return (
        1 + node.bundled * _BUNDLED_SCHEMAS + sum(len(value) for value in listed if isinstance(value, list))
    )


def _multiples(node: Node) -> tuple[int, ...]:
    found = node.schema.get("multipleOf") if isinstance(node.schema, Mapping) else None
    is_number = isinstance(found, (int, Decimal)) and not isinstance(found, bool)
    return (number_size(found),) if is_number else ()  # type: ignore[arg-type]  # told in the line above


def _equals(node: Node) -> int:
    if not isinstance(node.schema, Mapping):
        return 0
    listed = node.schema.get("enum")
    return ("const" in node.schema) + (len(listed) if isinstance(listed, list) else 0)


def _uniques(node: Node) -> int:
    return isinstance(node.schema, Mapping) and node.schema.get("uniqueItems") is True
