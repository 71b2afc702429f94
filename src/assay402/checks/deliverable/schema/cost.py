"""What a schema can cost, counted from the schema alone.

`expansion` counts the schemas applied to one value with every reference written out. `work` adds what is applied to
the values within it, along the dearest way down: the engine remembers what it found only where a schema leads back to
itself, so elsewhere each way is walked. The engine looks twice at what stands under an `unevaluated` keyword.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.schema.index import Edge, Index, Node

CEILING: Final = 1 << 30
"""Counts stop here: far above every limit."""
_BUNDLED_SCHEMAS: Final = 64
"""Schemas in the largest meta-schema, whose own recursion the engine remembers."""
_LISTS: Final = ("enum", "required")


class Cost(Struct, frozen=True, kw_only=True):
    """The counts of a schema."""

    expansion: int
    longest_chain: int
    """Schemas applied to one value one inside the other: the engine's stack holds as many frames."""
    is_recursive: bool
    work: int
    pattern_work: int
    """The patterns among the work."""


def cost(index: Index) -> Cost | None:
    """Count; None where a schema leads back to itself at one value, which has no meaning."""
    order = _order_in_place(index)
    if order is None:
        return None
    expansion, chain = _in_place(index, order)
    way_down = _WayDown(index)
    return Cost(
        expansion=max(expansion),
        longest_chain=max(chain),
        is_recursive=bool(way_down.heads),
        work=way_down.total(_weight),
        pattern_work=way_down.total(_patterns),
    )


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
        expansion[number] = min(CEILING, 1 + node.bundled * _BUNDLED_SCHEMAS + _looks(node) * applied)
        chain[number] = 1 + max((chain[target] for edge in here for target in edge.targets), default=0)
    return expansion, chain


class _WayDown:
    """The walk from the root through everything that is applied to a value or to a value within it."""

    def __init__(self, index: Index) -> None:
        self._nodes = index.nodes
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
            counts[number] = min(CEILING, weight(node) + self._below(node, counts))
        return min(CEILING, sum(counts[number] for number in {0, *self.heads}))

    def _below(self, node: Node, counts: Mapping[int, int]) -> int:
        by_place: dict[str, list[int]] = {}
        for edge in node.edges:
            by_place.setdefault(edge.place, []).append(_dearest(edge, counts))
        here, others, elements = (sum(by_place.get(place, ())) for place in ("here", "others", "elements"))
        member, element = (max(by_place.get(place, ()), default=0) for place in ("member", "element"))
        # A value is an object or an array, so only one of the two is walked.
        return _looks(node) * here + max(member + others, element + elements)


def _dearest(edge: Edge, counts: Mapping[int, int]) -> int:
    """Give the dearest choice; what is still open is a way back, and counts as one look at what is remembered."""
    return max(counts.get(target, 1) for target in edge.targets)


def _looks(node: Node) -> int:
    is_unevaluated = isinstance(node.schema, Mapping) and any(
        name in node.schema for name in ("unevaluatedProperties", "unevaluatedItems")
    )
    return 2 if is_unevaluated else 1


def _weight(node: Node) -> int:
    if not isinstance(node.schema, Mapping):
        return 1
    listed = (node.schema.get(name) for name in _LISTS)
    return (
        1 + node.bundled * _BUNDLED_SCHEMAS + sum(len(value) for value in listed if isinstance(value, list))
    )


def _patterns(node: Node) -> int:
    if not isinstance(node.schema, Mapping):
        return 0
    by_name = node.schema.get("patternProperties")
    return ("pattern" in node.schema) + (len(by_name) if isinstance(by_name, Mapping) else 0)
