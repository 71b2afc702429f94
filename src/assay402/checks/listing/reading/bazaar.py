"""The extension `bazaar`: which of its shapes it has, and what is missing in it.

The compat profile knows two shapes, by the reference's rules. The default profile follows the specification: a query,
a body or an MCP tool under `info.input`, and a schema that `info` is valid against; the two older shapes are kept.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.checks.listing.model import Note
from assay402.core.strictjson import JSON
from assay402.wire.json_schema import SchemaFault, validate
from assay402.wire.requirements import mapping, text

Variant: TypeAlias = Literal[
    "mcp-discovery", "body-discovery", "http-query", "http-body", "mcp-tool", "v1-output-schema", "unknown"
]
_QUERY_METHODS: Final = frozenset({"GET", "HEAD", "DELETE"})
_BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
_BODY_TYPES: Final = frozenset({"json", "form-data", "text"})
_TRANSPORTS: Final = frozenset({"streamable-http", "sse"})
_ROUTE: Final = re.compile(r"/[a-zA-Z0-9_/:.\-~%]+")
_PERCENT: Final = re.compile("%([0-9A-Fa-f]{2})")
_DECODINGS: Final = 5
"""Times a template is percent-decoded before it is judged, as the official library does."""


class Shape(Struct, frozen=True, kw_only=True):
    """What the extension is, and what is wrong with it."""

    variant: Variant
    missing: tuple[str, ...] = ()
    """Members that are missing or not what the shape wants, by their path."""
    notes: tuple[Note, ...] = ()


def reference_shape(bazaar: Mapping[str, JSON]) -> Shape:
    """Judge the extension as the reference does."""
    info = mapping(bazaar, "info")
    if info is not None and "input" in info and "output" in info and "schema" in bazaar:
        members = {
            "info.input": info["input"],
            "info.output": info["output"],
            "schema": bazaar["schema"],
        }
        missing = [name for name, value in members.items() if not isinstance(value, Mapping | list)]
        return Shape(variant="body-discovery", missing=tuple(missing))
    return Shape(variant="mcp-discovery", missing=_missing_texts(bazaar))


def specified_shape(bazaar: Mapping[str, JSON]) -> Shape:
    """Judge the extension as the specification does, older shapes included."""
    info = mapping(bazaar, "info")
    if info is None:
        missing = _missing_texts(bazaar)
        is_legacy = len(missing) < len(_TEXTS)
        return Shape(
            variant="mcp-discovery" if is_legacy else "unknown",
            missing=missing if is_legacy else ("info.input", "schema"),
            notes=(Note(code="legacy-shape"),),
        )
    entered = mapping(info, "input")
    kind = None if entered is None else text(entered, "type")
    if entered is None or kind not in ("http", "mcp"):
        older = reference_shape(bazaar)
        if older.variant == "body-discovery":
            return Shape(variant=older.variant, missing=older.missing, notes=(Note(code="legacy-shape"),))
        return Shape(variant="unknown", missing=("info.input" if entered is None else "info.input.type",))
    return _specified(bazaar, info, entered, kind)


def _specified(
    bazaar: Mapping[str, JSON], info: Mapping[str, JSON], entered: Mapping[str, JSON], kind: str
) -> Shape:
    variant: Variant = "mcp-tool"
    if kind == "http":
        has_body = text(entered, "method") in _BODY_METHODS or "bodyType" in entered or "body" in entered
        variant = "http-body" if has_body else "http-query"
    missing = [f"info.input.{name}" for name in _faults_of_input(variant, entered)]
    if "output" in info and text(mapping(info, "output") or {}, "type") is None:
        missing.append("info.output.type")
    notes = (
        [Note(code="route-template")] if "routeTemplate" in bazaar and route_template(bazaar) is None else []
    )
    schema = bazaar.get("schema")
    fault = validate(schema, info) if isinstance(schema, Mapping) else SchemaFault(kind="missing")
    if fault is not None and fault.kind == "unsupported":
        notes.append(Note(code="schema-unsupported"))
    elif fault is not None:
        missing.append(_SCHEMA_FAULTS[fault.kind].format(path=fault.path))
    return Shape(variant=variant, missing=tuple(missing), notes=tuple(notes))


_SCHEMA_FAULTS: Final = {
    "missing": "schema",
    "invalid": "schema (not a JSON Schema)",
    "external": "schema (refers to the outside)",
    "mismatch": "info{path} (not valid against schema)",
}


def _faults_of_input(variant: Variant, entered: Mapping[str, JSON]) -> Iterator[str]:
    if variant == "mcp-tool":
        # Older text of the specification named the member `tool`.
        if not (text(entered, "toolName") or text(entered, "tool")):
            yield "toolName"
        if mapping(entered, "inputSchema") is None:
            yield "inputSchema"
        if "transport" in entered and text(entered, "transport") not in _TRANSPORTS:
            yield "transport"
        return
    if text(entered, "method") not in (_BODY_METHODS if variant == "http-body" else _QUERY_METHODS):
        yield "method"
    if variant == "http-body":
        if text(entered, "bodyType") not in _BODY_TYPES:
            yield "bodyType"
        if entered.get("body") is None:
            yield "body"


_TEXTS: Final = ("name", "description")


def v1_shape(sent: Mapping[str, JSON]) -> Shape | None:
    """Judge what a version 1 challenge declares in `accepts[0].outputSchema`, which is where facilitators look.

    None where there is nothing of it; then its extensions are judged, with a note.
    """
    accepts = sent.get("accepts")
    first = accepts[0] if isinstance(accepts, list) and accepts else None
    declared = mapping(first, "outputSchema") if isinstance(first, Mapping) else None
    entered = None if declared is None else mapping(declared, "input")
    if entered is None:
        return None
    missing = [name for name in ("type", "method") if text(entered, name) is None]
    return Shape(
        variant="v1-output-schema",
        missing=tuple(f"accepts[0].outputSchema.input.{name}" for name in missing),
    )


def _missing_texts(bazaar: Mapping[str, JSON]) -> tuple[str, ...]:
    return tuple(name for name in _TEXTS if not (text(bazaar, name) or "").strip())


def route_template(bazaar: Mapping[str, JSON]) -> str | None:
    """Give the template of a dynamic route, where it is one that catalogues take."""
    template = text(bazaar, "routeTemplate")
    if template is None or not _ROUTE.fullmatch(template):
        return None
    decoded = template
    for _ in range(_DECODINGS):
        decoded = _PERCENT.sub(lambda match: chr(int(match[1], 16)), decoded)
    return None if ".." in decoded or "://" in decoded else template
