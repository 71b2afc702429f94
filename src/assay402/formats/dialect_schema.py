"""JSON Schemas of the dialect check: what is sent, what comes back."""

from typing import Any, Final, get_args

from assay402.checks.dialect import criteria, model
from assay402.formats.address_schema import public_url

TEXT: Final = {"type": "string"}
OBJECT: Final = {"type": "object"}
MOMENT: Final = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"}

EXAMPLE: Final = {
    "mode": "submitted",
    "artefact": {
        "status": 402,
        "body_obj": {
            "x402Version": 1,
            "error": "X-PAYMENT header is required",
            "accepts": [{"scheme": "exact", "network": "base", "maxAmountRequired": "10000"}],
        },
    },
}


def closed(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Give the schema of an object with these members and no other, all of them needed but the optional ones."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name in properties if name not in optional],
        "properties": properties,
    }


def refusal_schema() -> dict[str, Any]:
    """Give the schema of a room's own refusal: a code and numbers."""
    count = {"type": "integer", "minimum": 0}
    return closed(
        {"refused": {"const": True}, "code": TEXT, "length": count, "cap": count}, ("length", "cap")
    )


def request_schema(*, is_precheck: bool) -> dict[str, Any]:
    """Give the schema of a request; the pre-check takes a caller beside it."""
    caller = {"caller": {**TEXT, "description": "Who asks; the free allowance is counted by it."}}
    more = caller if is_precheck else {}
    probe = {"mode": {"const": "probe"}, "url": public_url("A public http or https address.")}
    submitted = {"mode": {"const": "submitted"}, "artefact": _artefact()}
    return {"oneOf": [closed({**each, **more}, tuple(more)) for each in (probe, submitted)]}


def report_schema() -> dict[str, Any]:
    """Give the schema of a report."""
    properties = {
        **_signed("check", {"enum": ["probe", "submitted"]}),
        "url": TEXT,
        "probe_state": {"type": ["string", "null"]},
        "checked_at": MOMENT,
        "dialect": {"enum": list(get_args(model.Summary))},
        "axes": _axes(),
        "mismatches": {"type": "array", "items": _mismatch()},
        "report_line": TEXT,
        **dict.fromkeys(("disclosure", "honesty", "retention", "boundary"), TEXT),
    }
    return closed(properties, ("url", "probe_state"))


def precheck_schema() -> dict[str, Any]:
    """Give the schema of a pre-check."""
    return closed(
        {
            **_signed("precheck", {"enum": ["probe", "submitted", None]}),
            "checked_at": MOMENT,
            "in_policy": {"type": "boolean"},
            "refusal": {"anyOf": [refusal_schema(), {"type": "null"}]},
            **dict.fromkeys(("disclosure", "honesty", "retention"), TEXT),
        }
    )


def _artefact() -> dict[str, Any]:
    container = {"type": ["object", "array", "string", "number", "boolean", "null"]}
    properties: dict[str, Any] = {
        "status": {"type": "integer", "minimum": 100, "maximum": 999},
        "body_obj": {**container, "description": "The body as JSON; not beside body_raw."},
        "body_raw": {**TEXT, "description": "The body as text; not beside body_obj."},
        "header_obj": {**OBJECT, "description": "PAYMENT-REQUIRED, decoded; not beside its header."},
        "payment_required_header": TEXT,
        "payload_obj": OBJECT,
        "payload_headers": OBJECT,
        "response_headers": OBJECT,
    }
    gradable = ("body_obj", "body_raw", "header_obj", "payment_required_header", "payload_obj")
    two_forms = (("body_obj", "body_raw"), ("header_obj", "payment_required_header"))
    return {
        **closed(properties, tuple(properties)),
        "anyOf": [{"required": [name]} for name in gradable],
        "not": {"anyOf": [{"required": list(forms)} for forms in two_forms]},
        "description": "What was captured; at least a body, a PAYMENT-REQUIRED header or a payment payload.",
    }


def _signed(operation: str, mode: dict[str, Any]) -> dict[str, Any]:
    return {
        "service": {"const": criteria.SERVICE},
        "version": {"const": criteria.VERSION},
        "criteria_id": {"const": criteria.CRITERIA_ID},
        "criteria_revision": {"const": criteria.CRITERIA_REVISION},
        "corpus": closed({"id": {"const": criteria.CORPUS_ID}, "sha256": {"const": criteria.CORPUS_SHA256}}),
        "op": {"const": operation},
        "mode": mode,
    }


def _axes() -> dict[str, Any]:
    names = {"type": "array", "minItems": 1, "items": {"enum": list(get_args(model.ClientHeader))}}
    return closed(
        {
            "challenge_carrier": {"enum": list(get_args(model.Carrier))},
            "client_header_names": {"anyOf": [{"const": model.UNDETERMINED}, names]},
            "payload_shape": {"enum": list(get_args(model.PayloadShape))},
            "amount_field_name": {"enum": list(get_args(model.AmountField))},
            "network_id_form": {"enum": list(get_args(model.NetworkIdForm))},
            "receipt_headers": {"enum": list(get_args(model.ReceiptHeaders))},
        }
    )


def _mismatch() -> dict[str, Any]:
    said = {"axis": {"enum": list(criteria.AXES)}, "code": {"enum": list(get_args(model.MismatchCode))}}
    leg = {**said, "leg": {"enum": list(get_args(model.LegName))}}
    name = {**said, "name": {"enum": list(get_args(model.ClientHeader))}}
    return {"oneOf": [closed(leg), closed(name)]}
