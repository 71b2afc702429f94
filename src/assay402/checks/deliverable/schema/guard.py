"""The guards, in their order; the first that holds gives the reason. What passes them is compiled, closed to the world."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.deliverable.automaton import Price
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.measure import measure
from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.schema.cost import Cost, cost
from assay402.checks.deliverable.schema.engine import (
    INVALID,
    PATTERN_BYTES,
    REMOTE_REF,
    Compiled,
    is_valid_schema,
    takes_pattern,
)
from assay402.checks.deliverable.schema.exact import NEAR
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.keywords import DEFAULT_DIALECT, DIALECTS, Draft
from assay402.checks.deliverable.schema.patterns import all_portable, as_engine_reads, patterns
from assay402.checks.deliverable.schema.shown import shown
from assay402.checks.deliverable.schema.stack import MAX_STACK
from assay402.checks.deliverable.schema.weights import KNOWN_ABOVE, PATTERN_PRICES, bound_steps
from assay402.checks.deliverable.schema.work import plan
from assay402.core.canon import canonical
from assay402.core.grammar import depth
from assay402.core.strictjson import JSON

DIALECT_UNSUPPORTED: Final = Fault("SCHEMA_DIALECT_UNSUPPORTED")
PATTERN_UNSUPPORTED: Final = Fault("SCHEMA_PATTERN_UNSUPPORTED")
TOO_COMPLEX: Final = Fault("SCHEMA_TOO_COMPLEX")

MAX_DEPTH: Final = 64
MAX_BYTES: Final = 32_768
MAX_EXPANSION: Final = 10_000
MAX_PATTERNS: Final = 256
"""Different ones; compiling a hostile pattern takes milliseconds."""
MAX_WAY_DOWN: Final = 1 << 22
"""Schemas applied on the dearest way down, whatever is delivered."""
PATTERN_SIZES: Final = tuple(PATTERN_PRICES)
"""What a pattern may count as: the least of these that its compiled form fits."""
_COMPILING: Final = 64
"""Steps that compiling a byte of a schema takes, besides its patterns."""


def guard(parameters: Mapping[str, Any], room: Room) -> Mapping[str, Any] | Fault:
    """Compile the schema of a criterion, or say why it is not taken."""
    schema = parameters["schema"]
    text = canonical(schema)
    if depth(text) > MAX_DEPTH or len(text) > MAX_BYTES:
        return TOO_COMPLEX
    draft = _draft(schema)
    if draft is None:
        return DIALECT_UNSUPPORTED
    counted = measure(schema, len(text))
    room.constants -= counted.long_numbers * bound_steps(counted.number_size, counted.digits)
    if counted.number_size > NEAR and room.constants < 0:
        return TOO_COMPLEX
    if not is_valid_schema(schema, draft):
        return INVALID
    index = Index(schema, draft, room.schemas)
    if not _one_dialect(index, draft):
        return DIALECT_UNSUPPORTED
    if index.is_ambiguous or index.has_dangling:
        return INVALID
    if not room.takes(index.size):
        return TOO_COMPLEX
    counts = cost(index)
    if counts is None:
        return INVALID
    return _compile(parameters, index, counts, room, text)


def _compile(
    parameters: Mapping[str, Any], index: Index, counts: Cost, room: Room, text: bytes
) -> Mapping[str, Any] | Fault:
    found = patterns(index)
    if len(found) > MAX_PATTERNS:
        return TOO_COMPLEX
    if not all_portable(found):
        return PATTERN_UNSUPPORTED
    sizes = _sizes(found, room)
    if isinstance(sizes, Fault):
        return sizes
    if index.has_remote:
        return REMOTE_REF
    if (
        counts.expansion > MAX_EXPANSION
        or counts.stack > MAX_STACK
        or counts.has_unevaluated_cycle
        or counts.work > MAX_WAY_DOWN
    ):
        return TOO_COMPLEX
    assert_format = parameters["assertFormat"]
    planned = plan(index, _prices(sizes, room), len(text), assert_format=assert_format)
    compiled = Compiled(
        shown(parameters["schema"], index, text),
        index.draft,
        planned,
        assert_format=assert_format,
        steps=len(text) * _COMPILING + sum(sizes.values()),
    )
    if isinstance(compiled.found, Fault):
        return compiled.found
    return {**parameters, "compiled": compiled, "plan": planned}


def _draft(schema: JSON) -> Draft | None:
    written = schema.get("$schema", DEFAULT_DIALECT) if isinstance(schema, Mapping) else DEFAULT_DIALECT
    return DIALECTS.get(written.removesuffix("#")) if isinstance(written, str) else None


def _one_dialect(index: Index, draft: Draft) -> bool:
    """Tell whether no schema within declares another dialect; the counts are made for one."""
    return all(
        _draft(node.schema) == draft
        for node in index.nodes
        if isinstance(node.schema, Mapping) and "$schema" in node.schema
    )


def _sizes(found: list[str], room: Room) -> dict[str, int] | Fault:
    """Give the size of each pattern's compiled form, taken from the room of the request, or say why it is not taken."""
    sizes: dict[str, int] = {}
    for pattern in found:
        if pattern not in room.sizes:
            if room.left < PATTERN_BYTES:
                return TOO_COMPLEX
            room.sizes[pattern] = _size(pattern)
            # Finding out that a pattern is refused costs as much as compiling the largest.
            room.left -= PATTERN_BYTES if room.sizes[pattern] is None else 0
        size = room.sizes[pattern]
        if size is None:
            return PATTERN_UNSUPPORTED
        if size > room.left:
            return TOO_COMPLEX
        room.left -= size
        sizes[pattern] = size
    return sizes


def _size(pattern: str) -> int | None:
    """Give the least size that a pattern's compiled form fits; None where it fits none."""
    read = as_engine_reads(pattern)
    place = bisect_left(PATTERN_SIZES, True, key=lambda size: takes_pattern(read, size))
    return PATTERN_SIZES[place] if place < len(PATTERN_SIZES) else None


def _prices(sizes: Mapping[str, int], room: Room) -> dict[str, Price]:
    """Give what each pattern costs: what its size says, or where that is less, what its places say."""
    prices: dict[str, Price] = {}
    for pattern, size in sizes.items():
        prices[pattern] = Price(byte=PATTERN_PRICES[size], reach=None)
        known = room.places.price(pattern) if size > KNOWN_ABOVE else None
        if known is not None and known.byte < PATTERN_PRICES[size]:
            prices[pattern] = known
    return prices
