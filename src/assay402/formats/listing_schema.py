"""JSON Schema of a request to the listing check. The report's own ships with the check."""

from typing import Any, Final

from assay402.checks.listing import admission
from assay402.checks.listing.model import MAX_TIMEOUT_MS
from assay402.formats.dialect_schema import TEXT, closed

EXAMPLE: Final = {"url": "https://example.com", "endpoint": "https://example.com/paid"}
_OBJECT: Final = {"type": "object"}
_SWITCH: Final = {"type": "boolean"}


def request_schema() -> dict[str, Any]:
    """Give the schema of a request."""
    properties: dict[str, Any] = {
        "url": {**TEXT, "description": "The service's public address."},
        "endpoint": {**TEXT, "description": "The paid route, where it is another address."},
        "profile": {"enum": list(admission.PROFILES)},
        "chain": {"enum": list(admission.CHAINS)},
        "timeout_ms": {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_TIMEOUT_MS},
        "unreachable_consensus_count": {"type": "integer", "minimum": 1},
        "unreachable_interval_multiplier": {"type": "number", "exclusiveMinimum": 0},
        "payer_hint": {**TEXT, "maxLength": admission.MAX_BODY},
        "discovery_base_url": TEXT,
        "history": _SWITCH,
        "method": {"enum": list(admission.METHODS)},
        "body": {**TEXT, "maxLength": admission.MAX_BODY},
        "facilitator_registry": {"description": "Facilitators to ask beside the known ones."},
        "payload_capture": {"description": "A captured payment payload: an object, or the header in base64."},
        "settle_capture": {**_OBJECT, "description": "A captured settlement: {status, headers?, body?}."},
        "validate": _SWITCH,
    }
    return closed(properties, tuple(properties)[1:])
