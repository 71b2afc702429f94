"""What the catalogue's own validator says."""

from typing import Final

from assay402.checks.listing.model import ListingInput, Validated
from assay402.checks.listing.reading.manifest import read_json
from assay402.checks.listing.reading.words import trouble
from assay402.core.asks import Failed
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text

_OUTCOMES: Final = ("outcome", "rejectionReason")


def validation(given: ListingInput, validated: Validated) -> dict[str, JSON]:
    """Give the essence of the answer: valid or not, the failed checks it requires, and the state of its index."""
    said: dict[str, JSON] = {"queryUrl": validated.url}
    answer = validated.answer
    if isinstance(answer, Failed):
        return {**said, "error": trouble(given, answer)}
    said["httpStatus"] = answer.status
    sent = read_json(given, answer.body)
    if isinstance(sent, JSONUnreadable) or not isinstance(sent, dict):
        return said
    if isinstance(sent.get("valid"), bool):
        said["valid"] = sent["valid"]
    simulation = mapping(sent, "simulation") or {}
    said |= {name: simulation[name] for name in _OUTCOMES if text(simulation, name) is not None}
    active = (mapping(sent, "index") or {}).get("active")
    if isinstance(active, bool):
        said["indexActive"] = active
    preflight = sent.get("preflight")
    rows = [row for row in preflight if isinstance(row, dict)] if isinstance(preflight, list) else []
    failed = [row for row in rows if row.get("passed") is False and row.get("severity") == "required"]
    said["failedChecks"] = [text(row, "check") for row in failed]
    return said
