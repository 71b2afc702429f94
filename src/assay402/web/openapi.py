"""The OpenAPI 3.1 document, made from the resources: nothing in it is written twice."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from assay402 import __version__
from assay402.attest.signature import ENVELOPE_TYPE
from assay402.core.strictjson import JSON
from assay402.formats.schema import Schemas, schemas_of
from assay402.service.order import Resource
from assay402.service.resources import DEFAULT_PROFILE, by_path
from assay402.service.settings import Settings
from assay402.service.work import EVIDENCE_CUTOFF as CUTOFF
from assay402.web.answers import JSON_TYPE, LOGICAL_PAYMENT, PROBLEM_TYPE, QUOTE, REPLAYED, SIGNATURE
from assay402.web.contract import CHECK, OPERATION_ID
from assay402.web.openapi_open import open_paths
from assay402.web.openapi_tools import MESSAGE, REPLY, tools_path
from assay402.web.wellknown import DESCRIPTION, NAME, address, price_of
from assay402.wire.transport import IDEMPOTENCY_KEY, PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE

_DIALECT: Final = "https://spec.openapis.org/oas/3.1/dialect/base"
_STRING: Final = {"type": "string"}
_PAYMENT: Final = (
    "The payment, an x402 PaymentPayload of version 2 in base64; without it the answer is an offer."
)
_QUOTED: Final = "The quote of the offer, where the client does not echo it in the payment's `extra.quoteId`."
_ENVELOPE: Final = {
    ENVELOPE_TYPE: {
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["payload", "protected", "signature"],
            "properties": dict.fromkeys(("payload", "protected", "signature"), _STRING),
            "description": "A JWS in the flattened form over the bytes of the answer.",
        }
    }
}


def openapi(settings: Settings, resources: Iterable[Resource]) -> dict[str, JSON]:
    """Give the document."""
    listed = tuple(resources)
    schemas: dict[str, Any] = {
        "Problem": problem_schema(),
        "PaymentRequired": payment_required_schema(),
        "MCPMessage": MESSAGE,
        "MCPReply": REPLY,
    }
    checks = {each.check.name for each in listed}
    paths: dict[str, Any] = open_paths(checks, has_did=settings.public_url is not None)
    paths |= tools_path(settings, listed)
    for path, by_profile in by_path(listed).items():
        paths[path] = {"post": _operation(settings, list(by_profile.values()), schemas)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": NAME,
            "version": __version__,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "jsonSchemaDialect": _DIALECT,
        **({} if settings.public_url is None else {"servers": [{"url": address(settings, "")}]}),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "answerNonce": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`binding.nonce` of the answer that was paid for.",
                }
            },
        },
    }


def problem_schema() -> dict[str, Any]:
    """Give the schema of a problem document."""
    return {
        "type": "object",
        "required": ["type", "status", "code"],
        "properties": {
            "type": _STRING,
            "title": _STRING,
            "status": {"type": "integer"},
            "code": {**_STRING, "description": "Stable; the sentences are not."},
            "detail": _STRING,
        },
        "additionalProperties": {"type": ["integer", "boolean", "string"]},
    }


def payment_required_schema() -> dict[str, Any]:
    """Give the schema of an offer, x402 version 2."""
    return {
        "type": "object",
        "required": ["x402Version", "resource", "accepts"],
        "properties": {
            "x402Version": {"const": 2},
            "error": _STRING,
            "resource": {"type": "object", "required": ["url"]},
            "accepts": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds"],
                },
            },
            "extensions": {"type": "object"},
        },
    }


def _name(resource: Resource, part: str) -> str:
    words = [resource.check.name, *resource.operation.name.split("-"), resource.profile or "", part]
    return "".join(word.capitalize() for word in words)


def _operation(settings: Settings, by_profile: list[Resource], schemas: dict[str, Any]) -> dict[str, Any]:
    first = by_profile[0]
    made = [schemas_of(each.check.name, each.operation.name, each.profile or "") for each in by_profile]
    for resource, found in zip(by_profile, made, strict=True):
        for name, schema in (("Request", found.request), ("Answer", found.answer)):
            schemas[_name(resource, name)] = _placed(schema, f"#/components/schemas/{_name(resource, name)}")
    parameters = [_envelope_parameter()]
    if len(by_profile) > 1:
        parameters.append(_profile_parameter([each.profile or "" for each in by_profile]))
    if first.check.name == "claims":
        parameters.append(_key_parameter())
    is_paid = settings.payments == "required" and first.price > 0
    if is_paid:
        parameters.append(_header(PAYMENT_SIGNATURE, _PAYMENT))
        parameters += [_header(QUOTE, _QUOTED)] if first.is_quoted else []
    return {
        "operationId": OPERATION_ID
        if first.name == CHECK
        else first.name.replace("/", "_").replace("-", "_"),
        "summary": first.description,
        "tags": [first.check.name],
        "parameters": parameters,
        "requestBody": {
            "required": True,
            "content": {
                JSON_TYPE: {
                    "schema": _any_of([_name(each, "Request") for each in by_profile]),
                    "example": made[0].example,
                }
            },
        },
        "responses": _responses(by_profile, made[0], is_paid=is_paid),
        **({"x-payment": {"protocol": "x402", "version": 2, "price": price_of(first)}} if is_paid else {}),
        "x-request-bytes": first.operation.request_bytes,
    }


def _any_of(names: list[str]) -> dict[str, Any]:
    references = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return references[0] if len(references) == 1 else {"anyOf": references}


def _placed(schema: Any, place: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Have a schema's references to parts of itself lead to where it stands in the document."""
    match schema:
        case Mapping():
            return {
                name: f"{place}{value[1:]}"
                if name == "$ref" and isinstance(value, str) and value.startswith("#/$defs/")
                else _placed(value, place)
                for name, value in schema.items()
            }
        case list() | tuple():
            return [_placed(each, place) for each in schema]
        case _:
            return schema


def _responses(by_profile: list[Resource], schemas: Schemas, *, is_paid: bool) -> dict[str, Any]:
    answers = {JSON_TYPE: {"schema": _any_of([_name(each, "Answer") for each in by_profile])}, **_ENVELOPE}
    found: dict[str, Any] = {
        "200": {
            "description": "The answer.",
            "headers": _headers(SIGNATURE, PAYMENT_RESPONSE, LOGICAL_PAYMENT, CUTOFF, REPLAYED),
            "content": answers,
        }
    }
    offer = {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/PaymentRequired"}}}
    if is_paid or by_profile[0].operation.name == "precheck":
        found["402"] = {
            "description": "Payment is required: the offer stands in PAYMENT-REQUIRED and in the body.",
            "headers": _headers(PAYMENT_REQUIRED, PAYMENT_RESPONSE, QUOTE, LOGICAL_PAYMENT),
            "content": offer,
        }
    if is_paid:
        found["202"] = {
            "description": "This payment is being worked on: ask again with it.",
            "headers": _headers("Retry-After", LOGICAL_PAYMENT),
            "content": {
                JSON_TYPE: {"schema": {"type": "object", "required": ["code", "retry_after_seconds"]}}
            },
        }
    told = {
        "400": "The request cannot be read or is not acceptable. Nothing was charged.",
        "405": "The path does not take this method.",
        "408": "The body did not arrive in time.",
        "409": "The key or payment stands for something else already. Nothing was charged.",
        "413": "The body is longer than the cap.",
        "415": "The body is not plain JSON.",
        "422": "The work could not be done. Nothing was charged.",
        "429": "Too many payments of this payer are unsettled. Nothing was charged.",
        "431": "The headers are too many or too long.",
        "503": "Not taken now: try again after Retry-After. Nothing was charged.",
    }
    for status, description in told.items():
        found[status] = {"description": description, "content": _refusals(schemas.refusal)}
    return found


def _refusals(own: Mapping[str, Any] | None) -> dict[str, Any]:
    problems = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return problems if own is None else {**problems, JSON_TYPE: {"schema": own}}


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"schema": _STRING, "required": False} for name in names}


def _envelope_parameter() -> dict[str, Any]:
    return {
        "name": "envelope",
        "in": "query",
        "required": False,
        "description": "1: give the answer as one signed document, a JWS, where answers are signed.",
        "schema": {"const": "1"},
    }


def _profile_parameter(profiles: list[str]) -> dict[str, Any]:
    return {
        "name": "profile",
        "in": "query",
        "required": False,
        "description": f"Which published contract answers; {DEFAULT_PROFILE} where none is named.",
        "schema": {"enum": profiles},
    }


def _header(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": _STRING}


def _key_parameter() -> dict[str, Any]:
    return {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "The same key and request give the kept answer again; with another request they are a conflict.",
        "schema": {"type": "string", "pattern": f"^{IDEMPOTENCY_KEY.pattern}$"},
    }
