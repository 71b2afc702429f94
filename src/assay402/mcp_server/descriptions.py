"""What a tool's list entry says of its arguments beyond the schema of the operation: an agent has nothing else to read."""

from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.deliverable.model import ASSAY
from assay402.checks.deliverable.registry import registry
from assay402.checks.terms.protocols import PROTOCOLS

_REFERENCE: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "value"],
    "properties": {
        "type": {"enum": ["sha256", "url", "ipfs", "ar"], "description": "sha256 suits every protocol."},
        "value": {"type": "string", "description": "sha256: 0x and 64 lower-case hexadecimal digits."},
    },
    "description": "What the terms are named by: the hash of the bytes that termsUrl serves.",
}
_PROTOCOL: Final[dict[str, Any]] = {"enum": [*PROTOCOLS, None], "description": "x402 where none is named."}
_PATHS: Final = "JSON Pointer, singular JSONPath or dotted names"
_DOCUMENT: Final[dict[str, Any]] = {"type": "object"}
_TERMS: Final[Mapping[str, tuple[tuple[str, ...], dict[str, dict[str, Any]]]]] = {
    "terms/place": (
        ("ref", "doc"),
        {"ref": _REFERENCE, "termsUrl": {"type": "string"}, "doc": _DOCUMENT, "protocol": _PROTOCOL},
    ),
    "terms/extract": (("doc",), {"doc": _DOCUMENT, "protocol": _PROTOCOL}),
}
"""Of operations that answer any request with a refusal of their own: what a request that is not refused has."""


def describe(place: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the schema of a tool's arguments with what is said of them here; `place` is its `check/operation`."""
    properties: dict[str, Any] = schema.get("properties", {})
    if "criteria" in properties:
        criteria = properties["criteria"]
        items = {**criteria["items"], "description": _parameters()}
        return {**schema, "properties": {**properties, "criteria": {**criteria, "items": items}}}
    if place not in _TERMS:
        return schema
    required, said = _TERMS[place]
    typed = {name: {**each, **said.get(name, {})} for name, each in properties.items() if name != "op"}
    return {**schema, "required": list(required), "properties": typed}


def _parameters() -> str:
    """Say what each check of the menu takes; checks that take the same together."""
    taken: dict[str, list[str]] = {}
    for check in registry(ASSAY)["checks"]:
        taken.setdefault(_taken(check), []).append(check["name"])
    said = "; ".join(f"{', '.join(names)}: {parameters}" for parameters, names in taken.items())
    return f"Parameters stand beside id and check, no others (? is optional). {said}. A path: {_PATHS}."


def _taken(check: Mapping[str, Any]) -> str:
    parameters = check["parameters"]
    if isinstance(parameters, str):
        return parameters
    names = ", ".join(each["name"] + ("" if each["required"] else "?") for each in parameters)
    one_of = check.get("atLeastOneOf", ())
    return f"{names} (at least one of {', '.join(one_of)})" if one_of else names
