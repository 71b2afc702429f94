"""The guards, in their order; the first that holds gives the reason. What passes them is compiled, closed to the world."""

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from assay402.checks.deliverable.automaton import Price
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.measure import measure
from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.schema.cost import Cost, cost
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.keywords import DEFAULT_DIALECT, DIALECTS, Draft
from assay402.checks.deliverable.schema.patterns import all_portable, patterns
from assay402.checks.deliverable.schema.stand_in import NEAR
from assay402.checks.deliverable.schema.unique import KEYWORDS
from assay402.checks.deliverable.schema.weights import KNOWN_ABOVE, PATTERN_PRICES, bound_steps
from assay402.checks.deliverable.schema.work import plan
from assay402.core.canon import canonical
from assay402.core.grammar import depth
from assay402.core.strictjson import JSON

if TYPE_CHECKING:
    from jsonschema_rs import Validator

INVALID: Final = Fault("SCHEMA_INVALID")
DIALECT_UNSUPPORTED: Final = Fault("SCHEMA_DIALECT_UNSUPPORTED")
PATTERN_UNSUPPORTED: Final = Fault("SCHEMA_PATTERN_UNSUPPORTED")
REMOTE_REF: Final = Fault("SCHEMA_REMOTE_REF")
TOO_COMPLEX: Final = Fault("SCHEMA_TOO_COMPLEX")

MAX_DEPTH: Final = 64
MAX_BYTES: Final = 32_768
MAX_EXPANSION: Final = 10_000
MAX_RECURSIVE_CHAIN: Final = 24
"""Measured: with 256 levels of document, chains of 42 fit a stack of 512 KiB and chains of 80 do not."""
MAX_PATTERNS: Final = 256
"""Different ones; compiling a hostile pattern takes milliseconds."""
MAX_WAY_DOWN: Final = 1 << 22
"""Schemas applied on the dearest way down, whatever is delivered."""
PATTERN_BYTES: Final = 1 << 20
"""Size of a compiled pattern."""
PATTERN_SIZES: Final = tuple(PATTERN_PRICES)
"""What a pattern may count as: the least of these that its compiled form fits."""
_CONTENT: Final = ("contentEncoding", "contentMediaType")
_CONTENT_DRAFTS: Final = (6, 7)
"""The drafts in which the engine asserts what is said of a string's content; later ones only inform."""

_NAMES: Final[Mapping[Draft, str]] = {
    4: "Draft4Validator",
    6: "Draft6Validator",
    7: "Draft7Validator",
    2019: "Draft201909Validator",
    2020: "Draft202012Validator",
}


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
    if not _meta_validator(draft).is_valid(schema):
        return INVALID
    index = Index(schema, draft, room.schemas)
    if not _one_dialect(index, draft):
        return DIALECT_UNSUPPORTED
    if index.has_dangling:
        return INVALID
    if not room.takes(index.size):
        return TOO_COMPLEX
    counts = cost(index)
    if counts is None:
        return INVALID
    return _compile(parameters, index, counts, room, len(text))


def _compile(
    parameters: Mapping[str, Any], index: Index, counts: Cost, room: Room, schema_bytes: int
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
    is_deep = counts.is_recursive and counts.longest_chain > MAX_RECURSIVE_CHAIN
    if (
        counts.expansion > MAX_EXPANSION
        or is_deep
        or counts.has_unevaluated_cycle
        or counts.work > MAX_WAY_DOWN
    ):
        return TOO_COMPLEX
    schema = (
        _without_content(parameters["schema"], index)
        if index.draft in _CONTENT_DRAFTS
        else parameters["schema"]
    )
    validator = _validator(schema, index.draft, assert_format=parameters["assertFormat"])
    if isinstance(validator, Fault):
        return validator
    planned = plan(index, _prices(sizes, room), schema_bytes, assert_format=parameters["assertFormat"])
    return {**parameters, "validator": validator, "plan": planned}


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


@cache
def _meta_validator(draft: Draft) -> "Validator":
    """Give the validator of a draft's meta-schema, in which a pattern is any string."""
    import jsonschema_rs  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    uri = next(uri for uri, its_draft in DIALECTS.items() if its_draft == draft)
    made: Validator = getattr(jsonschema_rs, _NAMES[draft])(
        {"$ref": f"{uri}#"}, offline=True, validate_formats=False, keywords=KEYWORDS
    )
    return made


def _validator(
    schema: JSON, draft: Draft, *, assert_format: bool, pattern_bytes: int = PATTERN_BYTES
) -> "Validator | Fault":
    """Compile a schema closed to network and file system, or say why the engine refuses it."""
    import jsonschema_rs  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    try:
        made: Validator = getattr(jsonschema_rs, _NAMES[draft])(
            schema,
            validate_formats=assert_format,
            ignore_unknown_formats=True,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=pattern_bytes),
            offline=True,
            keywords=KEYWORDS,
        )
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        # The engine has no other way to say it. The text holds the schema's references, and goes no further.
        return REMOTE_REF if "retriev" in str(error).lower() else INVALID
    return made


def _without_content(value: JSON, index: Index) -> JSON:
    """Leave out of each schema what only informs, and the engine would judge by. The depth has been found small."""
    if isinstance(value, list):
        return [_without_content(each, index) for each in value]
    if not isinstance(value, Mapping):
        return value
    left_out = _CONTENT if index.is_schema(value) else ()
    return {name: _without_content(each, index) for name, each in value.items() if name not in left_out}


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
    place = bisect_left(PATTERN_SIZES, True, key=lambda size: _engine_takes(pattern, size))
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


def _engine_takes(pattern: str, size: int) -> bool:
    """Tell whether the linear engine can run a pattern within a size of its compiled form."""
    made = _validator({"pattern": pattern}, 2020, assert_format=False, pattern_bytes=size)
    return not isinstance(made, Fault)
