"""The contract document in our wording: what is sent, what comes back, what is refused."""

from typing import Any, Final

from assay402.checks.deliverable import admission
from assay402.checks.deliverable.contract import CONTRACT_VERSION, SERVICE
from assay402.checks.deliverable.menu import MENU
from assay402.checks.deliverable.reasons import REFUSALS

_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"
_HEX_64: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def contract_document() -> dict[str, Any]:
    """Give the contract document."""
    return {
        "productId": SERVICE,
        "productVersion": CONTRACT_VERSION,
        "summary": (
            "Judges a deliverable by criteria from a closed menu. Each criterion comes to PASS, FAIL or UNCHECKABLE; "
            "all together to ACCEPT, REJECT or NO_VERDICT. The same request gives the same answer on every machine, "
            "with roots over request, program and answer to show it. Free text is never judged. The deliverable is "
            "neither repeated in an answer nor kept."
        ),
        "method": "POST",
        "inputSchema": _input_schema(),
        "outputSchema": _output_schema(),
        "refusals": {code: notice.text for code, notice in REFUSALS.items() if code != "answer-shape"},
    }


def _input_schema() -> dict[str, Any]:
    return {
        "$schema": _SCHEMA,
        "type": "object",
        "additionalProperties": False,
        "required": ["deliverable", "criteria"],
        "properties": {
            "deliverable": {
                "type": "object",
                "description": f"What was delivered: at most {admission.MAX_DELIVERABLE} evaluated bytes.",
                "additionalProperties": False,
                "required": ["kind", "value"],
                "properties": {
                    "kind": {"enum": ["text", "json", "bytes"]},
                    "value": {
                        "description": "Text as a string; any JSON value; or bytes in canonical base64 (RFC 4648 section 4)."
                    },
                },
            },
            "criteria": {
                "type": "array",
                "minItems": 1,
                "maxItems": admission.MAX_CRITERIA,
                "items": {
                    "type": "object",
                    "required": ["id", "check"],
                    "properties": {
                        "id": {"type": "string", "minLength": 1, "maxLength": admission.MAX_ID},
                        "check": {"enum": [spec.name for spec in MENU if not spec.extension]},
                    },
                },
            },
            "jobRef": {
                "type": "string",
                "description": "A reference of yours, of which only the digest is given back. It is never fetched.",
            },
        },
    }


def _output_schema() -> dict[str, Any]:
    counts = ["total", "pass", "fail", "uncheckable"]
    return {
        "$schema": _SCHEMA,
        "type": "object",
        "required": [
            "verdict", "criteria", "counts", "deliverableDigest", "program", "provenance", "warrantyScope",
            "uncertainty",
        ],
        "properties": {
            "verdict": {"enum": ["ACCEPT", "REJECT", "NO_VERDICT"]},
            "criteria": {"type": "array", "items": _criterion_schema()},
            "counts": {
                "type": "object",
                "required": counts,
                "properties": {name: {"type": "integer", "minimum": 0} for name in counts},
            },
            "deliverableDigest": _digest_schema(),
            "jobRefSha256": _HEX_64,
            "program": {
                "type": "object",
                "required": ["id", "version", "programRoot", "registryRoot"],
                "properties": {"programRoot": _HEX_64, "registryRoot": _HEX_64},
            },
            "provenance": _provenance_schema(),
            "warrantyScope": {"type": "string"},
            "uncertainty": {"type": "string"},
        },
    }  # fmt: skip


def _criterion_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["index", "id", "check", "result", "reason"],
        "properties": {
            "index": {"type": "integer", "minimum": 0},
            "id": {"type": "string"},
            "check": {"type": "string"},
            "result": {"enum": ["PASS", "FAIL", "UNCHECKABLE"]},
            "reason": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"},
            "detail": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    }


def _digest_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["kind", "byteLength", "sha256", "keccak256", "isJson"],
        "properties": {
            "kind": {"enum": ["text", "json", "bytes"]},
            "byteLength": {"type": "integer", "minimum": 0},
            "sha256": _HEX_64,
            "keccak256": _HEX_64,
            "isJson": {"type": "boolean"},
        },
    }


def _provenance_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["basis", "thirdPartyData", "networkAccess", "inputRoot", "programRoot", "outputRoot"],
        "properties": {
            "thirdPartyData": {"const": False},
            "networkAccess": {"const": False},
            **dict.fromkeys(("inputRoot", "programRoot", "outputRoot"), _HEX_64),
        },
    }
