"""JSON Schemas of the deliverable check: those of the published contract, and ours that add to them."""

from typing import Any, Final

from assay402.checks.deliverable.menu import MENU
from assay402.checks.deliverable.model import ASSAY, Profile
from assay402.checks.deliverable.published import contract_document

_HEX_64: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}

_BASE64: Final = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
_VALUES: Final[dict[str, dict[str, Any]]] = {
    "text": {"type": "string"},
    "json": {},
    "bytes": {
        "type": "string",
        "pattern": _BASE64,
        "description": "In canonical base64 (RFC 4648, section 4).",
    },
}
"""What a deliverable of each kind is. The published contract says it in words alone."""

EXAMPLE: Final = {
    "deliverable": {"kind": "json", "value": {"status": "done", "items": [1, 2, 3]}},
    "criteria": [
        {"id": "status", "check": "json_path_equals", "path": "status", "value": "done"},
        {"id": "count", "check": "array_length", "path": "items", "min": 3},
    ],
}
LINT_EXAMPLE: Final = {"criteria": EXAMPLE["criteria"]}


def request_schema(profile: Profile) -> dict[str, Any]:
    """Give the schema of a request under a profile."""
    schema: dict[str, Any] = contract_document()["inputSchema"]
    described = schema["properties"]["deliverable"]
    schema["properties"]["deliverable"] = {
        "description": described["description"],
        "oneOf": [_delivered(kind, value) for kind, value in _VALUES.items()],
    }
    if profile == ASSAY:
        schema["properties"]["criteria"] = _criteria(profile)
    return schema


def _delivered(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    properties = {"kind": {"const": kind}, "value": value}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def answer_schema(profile: Profile) -> dict[str, Any]:
    """Give the schema of an answer under a profile."""
    schema: dict[str, Any] = contract_document()["outputSchema"]
    if profile == ASSAY:
        schema["required"] = [*schema["required"], "criteriaRoot"]
        schema["properties"]["criteriaRoot"] = _HEX_64
        provenance = schema["properties"]["provenance"]
        provenance["required"] = [*provenance["required"], "canonicalization", "outputRootKeccak"]
        provenance["properties"]["canonicalization"] = {"enum": ["RFC8785", "RFC8785+EXACT_NUMBERS"]}
        provenance["properties"]["outputRootKeccak"] = _HEX_64
    return schema


def lint_request_schema(profile: Profile) -> dict[str, Any]:
    """Give the schema of a request to lint: the criteria alone, or an object that holds them."""
    criteria = _criteria(profile)
    held = {"type": "object", "required": ["criteria"], "properties": {"criteria": criteria}}
    return {"anyOf": [held, criteria]}


def lint_answer_schema() -> dict[str, Any]:
    """Give the schema of what lint says."""
    said = {
        "index": {"type": "integer", "minimum": 0},
        "id": {"type": "string"},
        "check": {"type": "string"},
        "checkable": {"type": "boolean"},
        "reason": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"},
    }
    count = {"type": "integer", "minimum": 0}
    each = {"type": "object", "additionalProperties": False, "required": list(said), "properties": said}
    properties = {
        "criteria": {"type": "array", "items": each},
        "checkable": count,
        "total": count,
        "criteriaRoot": _HEX_64,
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _criteria(profile: Profile) -> dict[str, Any]:
    criteria: dict[str, Any] = contract_document()["inputSchema"]["properties"]["criteria"]
    if profile == ASSAY:
        criteria["items"]["properties"]["check"] = {"enum": [spec.name for spec in MENU]}
    return criteria
