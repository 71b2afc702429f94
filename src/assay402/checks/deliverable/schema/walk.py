"""What a schema takes of a value, counted pair by pair: each schema at each value it really comes to.

`work` bounds this by the largest of each kind that stands anywhere, which what stands beside a schema's ways can
inflate. Here each value is charged by its own size. The walk takes one step for each pair, so it is made only where the
bound says too much, and is bounded itself.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from assay402.checks.deliverable.budget import Pairs
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.index import Edge
from assay402.checks.deliverable.schema.steps_at import bundled_at, steps_at, steps_of_names
from assay402.checks.deliverable.schema.work import LOOK, Plan


def exact_work(plan: Plan, nodes: Nodes, root: int, pairs: Pairs, *, is_ours: bool) -> int | None:
    """Count the steps of applying a schema to the value with a number; None where it meets too many pairs.

    `is_ours` says that its numbers are judged here and not by the engine.
    """
    return _Walk(plan, nodes, pairs, is_ours=is_ours).total(root)


class _TooMany(Exception):
    """More pairs than are left."""


class _Walk:
    def __init__(self, plan: Plan, nodes: Nodes, pairs: Pairs, *, is_ours: bool) -> None:
        self._plan = plan
        self._nodes = nodes
        self._pairs = pairs
        self._is_ours = is_ours
        self._waiting: dict[int, dict[int, int]] = {}
        """How often each schema, by its place in the plan, is to be applied to each value."""
        self._covered: dict[int, tuple[int, int]] = {}
        """Up to which value, and how often, the meta-schemas of each schema have been applied."""

    def total(self, root: int) -> int | None:
        """Walk from the value down: what is within a value stands behind it."""
        self._waiting[root] = {0: 1}
        total = 0
        try:
            for number in range(root, root + self._nodes.values[root]):
                here = self._waiting.pop(number, None)
                total += 0 if here is None else self._at(number, here)
        except _TooMany:
            return None
        return total

    def _at(self, number: int, here: dict[int, int]) -> int:
        """Apply all that waits at one value, in the order of the plan; what is remembered is only looked up."""
        order = list(here)
        heapify(order)
        applied: set[int] = set()
        total = 0
        while order:
            place = heappop(order)
            count = here.pop(place)
            applied.add(place)
            stop = self._plan.stops[place]
            total += count * steps_at(stop.weights, self._nodes, number, is_ours=self._is_ours)
            total += self._bundled(number, place, count) if stop.weights.bundled else 0
            for edge in stop.edges:
                for target in (self._plan.places[each] for each in edge.targets):
                    self._step()
                    is_back = target <= place
                    if edge.place == "here":
                        if is_back and (target in applied or target in here):
                            total += count * LOOK
                            continue
                        if target not in here:
                            heappush(order, target)
                            here[target] = 0
                        here[target] += 1 if is_back else count * stop.looks
                    elif edge.place == "names":
                        total += self._names(number, target, count)
                    else:
                        total += self._below(number, edge, target, count, is_back=is_back)
        return total

    def _bundled(self, number: int, place: int, count: int) -> int:
        """Apply a meta-schema, which goes down by itself; what it found within a value is remembered."""
        stop = self._plan.stops[place]
        until, known = self._covered.get(place, (0, 0))
        if stop.is_below_head and number < until:
            count -= known
        if count <= 0:
            return 0
        if stop.is_below_head and number >= until:
            self._covered[place] = number + self._nodes.values[number], count
        return count * stop.weights.bundled * bundled_at(self._nodes, number, is_ours=self._is_ours)

    def _below(self, number: int, edge: Edge, target: int, count: int, *, is_back: bool) -> int:
        """Let a schema wait at what stands within a value."""
        looks = 0
        for each in self._reached(number, edge):
            self._step()
            there = self._waiting.setdefault(each, {})
            if is_back:
                there.setdefault(target, 1)
                looks += count
            else:
                there[target] = there.get(target, 0) + count
        return looks * LOOK

    def _reached(self, number: int, edge: Edge) -> Iterator[int]:
        nodes = self._nodes
        match edge.place:
            case "member":
                if edge.name in nodes.members(number):
                    yield nodes.members(number)[edge.name]
            case "others":
                yield from nodes.members(number).values()
            case "element":
                if int(edge.name) < len(nodes.elements(number)):
                    yield nodes.elements(number)[int(edge.name)]
            case _:
                yield from nodes.elements(number)

    def _names(self, number: int, target: int, count: int) -> int:
        """Apply a schema to the names of an object, all at once: nothing stands within a name."""
        if not self._nodes.members(number):
            return 0
        order, here = [target], {target: count}
        total = 0
        while order:
            place = heappop(order)
            count = here.pop(place)
            stop = self._plan.stops[place]
            total += count * steps_of_names(stop.weights, self._nodes, number, is_ours=self._is_ours)
            for edge in stop.edges:
                for each in edge.targets if edge.place == "here" else ():
                    self._step()
                    inner = self._plan.places[each]
                    if inner not in here:
                        heappush(order, inner)
                        here[inner] = 0
                    here[inner] += count * stop.looks
        return total

    def _step(self) -> None:
        self._pairs.left -= 1
        if self._pairs.left < 0:
            raise _TooMany
