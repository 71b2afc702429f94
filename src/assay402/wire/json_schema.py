"""JSON Schema as strangers send it: no reference leaves the document, no pattern runs long, nothing is fetched."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, Literal

from msgspec import Struct

from assay402.core.strictjson import JSON, Number, integer, write

MAX_SCHEMA_DEPTH: Final = 64
"""Nesting of a schema; the engine recurses over it."""
MAX_REFERENCES: Final = 16
"""References in a schema: each may double the work, so 16 of them cannot multiply it by more than a few hundred."""
MAX_WORK: Final = 1 << 28
"""Bytes of the schema times bytes of the instance, which bounds the steps of the engine to well below a second."""
_PATTERN_BYTES: Final = 1 << 20
"""Memory one pattern may compile to."""


class SchemaFault(Struct, frozen=True, kw_only=True):
    """Why an instance does not stand under a schema.

    `missing`: there is no schema. `external`: a `$ref` or `$id` leads out of the document. `invalid`: it is no
    JSON Schema. `unsupported`: it is too large, it refers to itself, a pattern needs look-around or
    back-references, or a text or number is none the engine takes (lone surrogates, thousands of digits). `mismatch`: the instance is not valid, at `path`.
    """

    kind: Literal["missing", "external", "invalid", "unsupported", "mismatch"]
    path: str = ""


def validate(schema: Mapping[str, JSON], instance: JSON) -> SchemaFault | None:
    """Validate an instance against a schema (2020-12 unless `$schema` names an older draft), or say what is wrong."""
    references = tuple(_references(schema))
    if any(not reference.startswith("#") for reference in references):
        return SchemaFault(kind="external")
    if (
        _depth(schema) > MAX_SCHEMA_DEPTH
        or len(references) > MAX_REFERENCES
        or len(write(schema)) * len(write(instance)) > MAX_WORK
        or any(_returns(schema, reference, ()) for reference in references)
    ):
        return SchemaFault(kind="unsupported")
    import jsonschema_rs  # noqa: PLC0415  (29 ms that only runs with a schema should pay)

    options = jsonschema_rs.RegexOptions(size_limit=_PATTERN_BYTES)
    try:
        plain = _plain(schema)
        engine = jsonschema_rs.validator_cls_for(plain)
        validator = engine(plain, pattern_options=options, offline=True)
    except jsonschema_rs.ValidationError as error:
        # A pattern the engine cannot run in linear time is reported like one that is none.
        is_pattern = isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Format)
        return SchemaFault(kind="unsupported" if is_pattern else "invalid")
    except (ValueError, jsonschema_rs.ReferencingError):
        return SchemaFault(kind="unsupported")
    try:
        for mismatch in validator.iter_errors(_plain(instance)):
            return SchemaFault(kind="mismatch", path="".join(f".{step}" for step in mismatch.instance_path))
    except ValueError:
        return SchemaFault(kind="unsupported")
    return None


def _depth(value: JSON) -> int:
    if isinstance(value, Mapping):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list | tuple) else 0


def _references(value: JSON) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name in ("$ref", "$id", "$dynamicRef"):
            if isinstance(reference := value.get(name), str):
                yield reference
    inside = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    )
    for each in inside:
        yield from _references(each)


def _returns(schema: JSON, reference: str, entered: tuple[str, ...]) -> bool:
    """Tell whether following a reference leads back to it; one that is no pointer may lead anywhere."""
    if reference in entered or (reference.startswith("#") and not reference.startswith("#/")):
        return True
    target = schema
    for step in reference.removeprefix("#/").split("/"):
        target = _member(target, step.replace("~1", "/").replace("~0", "~"))
    return any(_returns(schema, inner, (*entered, reference)) for inner in _references(target))


def _member(value: JSON, name: str) -> JSON:
    if isinstance(value, Mapping):
        return value.get(name)
    is_index = isinstance(value, list) and name.isdecimal() and int(name) < len(value)
    return value[int(name)] if isinstance(value, list) and is_index else None


def _plain(value: JSON) -> Any:  # noqa: ANN401  (what the engine takes)
    """Give a value in the types the engine takes; a number keeps its exact value."""
    match value:
        case Number():
            whole = integer(value)
            return Decimal(value.spelling) if whole is None else whole
        case Mapping():
            return {name: _plain(member) for name, member in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return value
