"""What the engine's stack holds of a schema: bytes of frames, counted from the schema alone.

Measured on the pinned engine, the dearest case of each keyword, and rounded up. The engine recurses once for each schema
applied to one value inside the other, and once for each level of a document that a schema goes down.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assay402.checks.deliverable.schema.index import Index, Node
from assay402.core.exactjson import MAX_DEPTH

MAX_STACK: Final = 448 << 10
"""Bytes: what a stack of 512 KiB has left beside the frames around the engine."""

_TO_ELEMENT: Final = 210
_TO_MEMBER: Final = 420
_FRAME: Final = 66
_REFERENCE_ALONE: Final = 60
_MANY: Final[Mapping[str, int]] = {"allOf": 320, "oneOf": 110}
"""Keywords that take more than others where they hold more than one schema."""
_BUNDLED: Final = 700
"""The meta-schemas, on their way through themselves to the level below."""
_LEVELS: Final = 4
"""Levels counted together: where arrays lie between objects, only each second one is dear."""


def recursive_stack(index: Index, in_place: Iterable[int], reached: Iterable[int]) -> int:
    """Count the bytes where schemas lead back to themselves, so that each level of the deepest document is dear.

    `in_place` has each schema behind those applied to the same value, `reached` those that are applied at all.
    """
    order = list(in_place)
    below = [0] * len(index.nodes)
    for _ in range(_LEVELS):
        below = _one_level(index, order, below)
    return max(below[number] for number in reached) * (MAX_DEPTH // _LEVELS)


def straight_stack(index: Index, order: Iterable[int]) -> int:
    """Count the bytes where none does. `order` has each schema that is applied behind all it leads to."""
    bytes_from: dict[int, int] = {}
    for number in order:
        bytes_from[number] = _frames(index.nodes[number], bytes_from, bytes_from)
    return bytes_from[0]


def _one_level(index: Index, order: Iterable[int], below: Sequence[int]) -> list[int]:
    """Count from each schema on, where what is below one value is counted already."""
    here = [0] * len(index.nodes)
    for number in order:
        here[number] = _frames(index.nodes[number], here, below)
    return here


def _frames(
    node: Node, here: Sequence[int] | Mapping[int, int], below: Sequence[int] | Mapping[int, int]
) -> int:
    """Count the bytes of a schema and the dearest way on from it."""
    deepest = 0
    for edge in node.edges:
        if edge.place == "here":
            deepest = max([deepest, *(here[target] for target in edge.targets)])
        elif edge.place != "nowhere":
            step = _TO_ELEMENT if edge.place in ("element", "elements") else _TO_MEMBER
            deepest = max([deepest, *(step + below[target] for target in edge.targets)])
    return _frame(node) + deepest


def _frame(node: Node) -> int:
    """Count the bytes of a schema itself."""
    bundled = _BUNDLED if node.bundled else 0
    if not isinstance(node.schema, Mapping):
        return _FRAME
    if node.schema.keys() == {"$ref"}:
        return _REFERENCE_ALONE + bundled
    held = ((node.schema.get(keyword), frame) for keyword, frame in _MANY.items())
    frames = [frame for schemas, frame in held if isinstance(schemas, list) and len(schemas) > 1]
    return max([_FRAME, *frames]) + bundled
