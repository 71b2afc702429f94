"""What was captured on the buyer's side: the payment payload, and the answer of the facilitator to /settle."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.listing.model import ListingInput, Settle
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read
from assay402.wire.requirements import mapping, text
from assay402.wire.transport import decode_header

EXTENSION_RESPONSES: Final = "extension-responses"
"""The header of /verify and /settle in which a facilitator says what it did with each extension, by lower-case name."""
_EMPTY_OBJECT: Final = "e30="
"""Base64 of `{}`: nothing was echoed."""
_SUCCESS: Final = range(200, 300)


class ExtensionResponse(Struct, frozen=True, kw_only=True):
    """What a facilitator did with the extension `bazaar`."""

    status: str
    reason: str | None


def lacks_resource_object(given: ListingInput) -> bool | None:
    """Tell whether the captured payload has a bare URL where the resource belongs; None without a payload."""
    payload = given.payment_payload
    if not isinstance(payload, Mapping):
        return None
    return isinstance(payload.get("resource"), str)


def echoes_nothing(given: ListingInput, extensions: Mapping[str, JSON] | None) -> bool | None:
    """Tell whether settling succeeded without an echo of the challenge's extensions; None without a capture."""
    settle = given.settle
    if settle is None:
        return None
    header = settle.headers.get(EXTENSION_RESPONSES, "").strip()
    return settle.status in _SUCCESS and header == _EMPTY_OBJECT and bool(extensions)


def extension_response(settle: Settle | None) -> ExtensionResponse | None:
    """Read what the facilitator says of the extension `bazaar`."""
    data = None if settle is None else decode_header(settle.headers.get(EXTENSION_RESPONSES, ""))
    try:
        sent = read(data) if data else None
    except JSONUnreadable:
        return None
    bazaar = mapping(sent, "bazaar") if isinstance(sent, Mapping) else None
    status = None if bazaar is None else text(bazaar, "status")
    if bazaar is None or status is None:
        return None
    return ExtensionResponse(status=status, reason=text(bazaar, "rejectedReason"))
