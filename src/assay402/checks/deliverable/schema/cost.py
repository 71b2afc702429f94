"""What a schema can cost, counted from the schema alone.

`expansion` counts the schemas applied to one value with every reference written out. `work` adds what is applied to
the values within it, along the dearest way down: the engine remembers what it found only where a schema leads back to
itself, so elsewhere each way is walked. For an `unevaluated` keyword the engine looks again at each link of the chain of
schemas beside it; where such a keyword leads back to itself, each level of a document multiplies that, so this is told
apart and refused.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.deliverable.schema.index import Edge, Index, Node
from assay402.checks.deliverable.schema.keywords import is_unevaluated
from assay402.checks.deliverable.schema.stack import recursive_stack, straight_stack
from assay402.checks.deliverable.schema.weights import BUNDLED_SCHEMAS

CEILING: Final = 1 << 30
"""Counts stop here: far above every limit."""
_LISTS: Final = ("enum", "required")
_UNEVALUATED_FROM: Final = 2019


class Cost(Struct, frozen=True, kw_only=True):
    """The counts of a schema."""

    expansion: int
    stack: int
    """Bytes of the engine's stack."""
    work: int
    has_unevaluated_cycle: bool
    """Whether a schema with an `unevaluated` keyword leads back to itself, at the same value or below."""


def cost(index: Index) -> Cost | None:
    """Count; None where a schema leads back to itself at one value, which has no meaning."""
    order = _order_in_place(index)
    if order is None:
        return None
    expansion, chain = _in_place(index, order)
    way_down = _WayDown(index, chain)
    return Cost(
        expansion=max(expansion),
        stack=way_down.stack(order),
        has_unevaluated_cycle=_has_unevaluated_cycle(index),
        work=way_down.total(),
    )


def chains(index: Index) -> list[int]:
    """Give for each schema how many are applied to one value one inside the other, from it on."""
    order = _order_in_place(index)
    assert order is not None  # noqa: S101  (schemas with a cycle at one value were refused)
    return _in_place(index, order)[1]


def order_down(index: Index) -> tuple[list[int], set[int]]:
    """Give the schemas that can be applied, each behind those it leads to, and those that lead back to themselves."""
    return _descend(_targets(index), range(1))


def below_heads(index: Index, heads: set[int]) -> set[int]:
    """Give the schemas that can be applied on the way down from such heads, themselves included."""
    return set(_descend(_targets(index), sorted(heads))[0])


def _has_unevaluated_cycle(index: Index) -> bool:
    if index.draft < _UNEVALUATED_FROM or not any(is_unevaluated(node.schema) for node in index.nodes):
        return False
    targets = _targets(index)
    return any(is_unevaluated(index.nodes[number].schema) for number in _in_cycles(targets))


def _targets(index: Index) -> list[list[int]]:
    return [
        [target for edge in node.edges if edge.place != "nowhere" for target in edge.targets]
        for node in index.nodes
    ]


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


def _descend(targets: list[list[int]], starts: Iterable[int]) -> tuple[list[int], set[int]]:
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
        looks = chain[number] if is_unevaluated(node.schema) else 1
        expansion[number] = min(CEILING, 1 + node.bundled * BUNDLED_SCHEMAS + looks * applied)
    return expansion, chain


class _WayDown:
    """The walk from the root through everything that is applied to a value or to a value within it."""

    def __init__(self, index: Index, chain: list[int]) -> None:
        self._index = index
        self._nodes = index.nodes
        self._chain = chain
        self._order, self.heads = order_down(index)

    def total(self) -> int:
        """Add up the weights on the dearest way down, and on those that begin where the engine remembers."""
        counts: dict[int, int] = {}
        for number in self._order:
            node = self._nodes[number]
            counts[number] = min(CEILING, _weight(node) + self._below(number, counts))
        return min(CEILING, sum(counts[number] for number in {0, *self.heads}))

    def stack(self, in_place: list[int]) -> int:
        """Count what the engine's stack holds, down the deepest way."""
        if self.heads:
            return recursive_stack(self._index, in_place, self._order)
        return straight_stack(self._index, self._order)

    def _below(self, number: int, counts: Mapping[int, int]) -> int:
        node = self._nodes[number]
        by_place: dict[str, list[int]] = {}
        for edge in node.edges:
            by_place.setdefault(edge.place, []).append(_dearest(edge, counts))
        here, others, names, elements = (
            sum(by_place.get(place, ())) for place in ("here", "others", "names", "elements")
        )
        member, element = (max(by_place.get(place, ()), default=0) for place in ("member", "element"))
        # A value is an object or an array, so only one of the two is walked.
        looks = self._chain[number] if is_unevaluated(node.schema) else 1
        return looks * here + max(member + others + names, element + elements)


def _dearest(edge: Edge, counts: Mapping[int, int]) -> int:
    """Give the dearest choice; what is still open is a way back, and counts as one look at what is remembered."""
    return max(counts.get(target, 1) for target in edge.targets)


def _weight(node: Node) -> int:
    if not isinstance(node.schema, Mapping):
        return 1
    listed = (node.schema.get(name) for name in _LISTS)
    return 1 + node.bundled * BUNDLED_SCHEMAS + sum(len(value) for value in listed if isinstance(value, list))
