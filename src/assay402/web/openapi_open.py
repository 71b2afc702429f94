"""The part of the OpenAPI document about what anybody may read."""

from typing import Any, Final

from assay402.attest.publication import DID_PATH, JWKS_PATH
from assay402.service.discovery import OPENAPI_PATH
from assay402.web.answers import JSON_TYPE, PROBLEM_TYPE
from assay402.web.contract import PATH as CONTRACT

_PROBLEM: Final = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_OBJECT: Final = {JSON_TYPE: {"schema": {"type": "object"}}}
_TEXT: Final = {"text/plain": {"schema": {"type": "string"}}}
_READINESS: Final = {
    JSON_TYPE: {
        "schema": {
            "type": "object",
            "required": ["ready", "draining"],
            "additionalProperties": {"type": "boolean"},
        }
    }
}


def open_paths(checks: set[str], *, has_did: bool) -> dict[str, Any]:
    """Give the paths of everything that is read for free, of a service that offers these checks.

    `has_did` where it has a public address, which a did:web document names.
    """
    paths = {
        "/healthz": _get("healthz", "Whether the process answers.", _OBJECT),
        "/readyz": _readyz(),
        "/metrics": _get("metrics", "Metrics, as Prometheus reads them.", _TEXT),
        OPENAPI_PATH: _get("openapi", "This document.", _OBJECT),
        "/.well-known/x402": _get("sold", "What is sold here.", _OBJECT),
        JWKS_PATH: _get("keys", "The keys answers are signed with, old ones kept.", _OBJECT),
    }
    if has_did:
        paths[DID_PATH] = _get("did", "The same keys as a did:web document.", _OBJECT)
    if "dialect" in checks:
        paths["/dialect-check/criteria"] = _get("dialect_criteria", "The published criteria.", _OBJECT)
        paths["/dialect-check/metrics"] = _get("dialect_metrics", "Metrics of the dialect check.", _TEXT)
    if "deliverable" in checks:
        paths[CONTRACT] = _get("deliverable_contract", "The contract of the deliverable check.", _OBJECT)
    if "claims" in checks:
        paths["/api/v1/receipts/{receipt_id}"] = _receipts()
    return paths


def _get(name: str, summary: str, content: dict[str, Any]) -> dict[str, Any]:
    found = {"description": summary, "content": content}
    answers = {"200": found, "405": {"description": "Only GET and HEAD.", "content": _PROBLEM}}
    answers["431"] = {"description": "The headers are too many or too long.", "content": _PROBLEM}
    return {"get": {"operationId": name, "summary": summary, "tags": ["service"], "responses": answers}}


def _readyz() -> dict[str, Any]:
    path = _get("readyz", "Whether orders are taken: database and facilitator answer.", _READINESS)
    path["get"]["responses"]["503"] = {"description": "Not now.", "content": _READINESS}
    return path


def _receipts() -> dict[str, Any]:
    path = _get("receipt", "A kept answer of the claims check, exactly as it was sent.", _OBJECT)
    operation = path["get"]
    operation["tags"] = ["claims"]
    operation["parameters"] = [
        {
            "name": "receipt_id",
            "in": "path",
            "required": True,
            "schema": {"type": "string", "format": "uuid"},
        },
        {
            "name": "SIGN-IN-WITH-X",
            "in": "header",
            "required": False,
            "description": "Proof of the payer, for an answer that was paid for.",
            "schema": {"type": "string"},
        },
    ]
    operation["security"] = [{}, {"answerNonce": []}]
    for status, text in (
        ("400", "A header stands twice."),
        ("404", "There is no such receipt for you."),
        ("503", "The database cannot be reached."),
    ):
        operation["responses"][status] = {"description": text, "content": _PROBLEM}
    return path
