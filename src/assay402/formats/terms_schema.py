"""JSON Schemas of the terms check: what is sent, what comes back."""

from typing import Any, Final, get_args

from assay402.checks.terms import model
from assay402.formats.address_schema import any_url, https_origin
from assay402.formats.dialect_schema import TEXT, closed

_SWITCH: Final = {"type": "boolean"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
_OFFER: Final = {
    "x402Version": 2,
    "accepts": [{"scheme": "exact", "network": "eip155:8453", "amount": "10000"}],
}
_HASH: Final = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
_URL: Final = "https://example.com/terms.md"
_PLACED: Final = {
    **_OFFER,
    "extensions": {"legalContext": {"info": {"type": "sha256", "value": _HASH, "legalContextUrl": _URL}}},
}

EXAMPLES: Final[dict[str, Any]] = {
    "place": {"ref": {"type": "sha256", "value": _HASH}, "termsUrl": _URL, "doc": _OFFER},
    "extract": {"doc": _PLACED},
    "verify": {"url": "https://example.com/paid"},
    "discover": {"origin": "https://example.com"},
}


def request_schema(operation: str) -> dict[str, Any]:
    """Give the schema of a request. What cannot be placed or read is the answer's to say, so most members take anything."""
    kept: dict[str, Any] = {"op": {"description": "Ignored: lines of a file of cases carry it."}}
    made: dict[str, dict[str, Any]] = {
        "place": {
            "ref": {"description": "{type, value}: what the terms are named by."},
            "termsUrl": {"description": "Where the terms are served."},
            "doc": {"description": "The document to place into."},
            "protocol": {**_MAYBE_TEXT, "description": "x402 where none is named."},
            "faithful": {**_SWITCH, "description": "Judge as the reference implementation does."},
            **kept,
        },
        "extract": {
            "doc": {"description": "The document to read."},
            "protocol": {**_MAYBE_TEXT, "description": "x402 where none is named."},
            "strict": {**_SWITCH, "description": "Refuse places that disagree."},
            "faithful": {**_SWITCH, "description": "Read as the reference implementation does."},
            **kept,
        },
        "discover": {"origin": https_origin(model.WELL_KNOWN, "An https origin.")},
    }
    if operation == "verify":
        document = {"doc": {"description": "A challenge."}}
        address = {"url": any_url("The endpoint that sends one.")}
        return {"oneOf": [closed(document), closed(address)]}
    properties = made[operation]
    return closed(properties, () if operation == "discover" else tuple(properties))


def answer_schema(operation: str) -> dict[str, Any]:
    """Give the schema of an answer."""
    match operation:
        case "place":
            return {"oneOf": [_done({"type": "object"}), refusal_schema()]}
        case "extract":
            return {"oneOf": [_done(_extracted()), refusal_schema()]}
        case "verify":
            return _verified()
        case _:
            return _discovered()


def refusal_schema() -> dict[str, Any]:
    """Give the schema of a refusal in the contract's shape."""
    properties = {
        "refused": {"const": True},
        "haltClass": {"const": "verification-failure"},
        "code": TEXT,
        "detail": TEXT,
        "length": _COUNT,
        "cap": _COUNT,
    }
    return closed(properties, ("detail", "length", "cap"))


def _done(value: dict[str, Any]) -> dict[str, Any]:
    return closed({"ok": {"const": True}, "value": value})


def _extracted() -> dict[str, Any]:
    read = closed({"kind": {"const": "read"}, "url": TEXT})
    empty = closed({"kind": {"const": "declared-fields-empty"}, "fields": {"type": "array", "items": TEXT}})
    none = closed({"kind": {"const": "no-field-declared"}})
    return closed({"ref": closed({"type": TEXT, "value": TEXT}), "termsUrl": {"oneOf": [read, empty, none]}})


def _verified() -> dict[str, Any]:
    match = {
        "outcome": {"const": "match"},
        "atrHash": TEXT,
        "bytes": _COUNT,
        "termsUrl": TEXT,
        "advertisedAtrHash": TEXT,
    }
    decline = {
        "outcome": {"const": "decline"},
        "code": {"enum": list(get_args(model.DeclineCode))},
        "detail": TEXT,
        "termsUrl": TEXT,
        "advertisedAtrHash": TEXT,
        "servedAtrHash": TEXT,
        "bytes": _COUNT,
    }
    return {"oneOf": [closed(match), closed(decline, tuple(decline)[2:])]}


def _discovered() -> dict[str, Any]:
    listing = {"listing": {"type": "object"}}
    decline = {
        "outcome": {"const": "decline"},
        "url": TEXT,
        "ok": {"const": False},
        "code": {"enum": list(get_args(model.DiscoverCode))},
        "detail": TEXT,
        **listing,
    }
    listed = {
        "outcome": {"const": "listed"},
        "url": TEXT,
        "ok": _SWITCH,
        "status": {"enum": list(get_args(model.ListingStatus))},
        "hashesMatch": {"type": ["boolean", "null"]},
        "machineReadable": _SWITCH,
        "servedAtrHash": TEXT,
        "advertisedAtrHash": _MAYBE_TEXT,
        **listing,
    }
    return {"oneOf": [closed(decline, ("detail", "listing")), closed(listed, ("listing",))]}
