"""The JSON Schemas and the example of every operation with a face on the network, by its name and profile."""

from importlib.resources import files
from typing import Any, Final

import msgspec
from msgspec import Struct

from assay402.checks.deliverable.model import ASSAY, CONTRACT, Profile
from assay402.checks.listing.contract import output_schema
from assay402.core.strictjson import write
from assay402.formats import deliverable_schema, dialect_schema, listing_schema, terms_schema

_CLAIMS_EXAMPLE: Final = {
    "schema": "FAHCE_MACHINE_REQUEST_V1",
    "candidate_output": "All 13 tests passed.",
    "evidence": [
        {"id": "log1", "kind": "log", "source_label": "job log", "text": "===== 12 passed, 1 failed ====="}
    ],
}


class Schemas(Struct, frozen=True, kw_only=True):
    """What an operation takes, gives and refuses with, as JSON Schemas (2020-12), and a request that shows it."""

    request: dict[str, Any]
    answer: dict[str, Any]
    refusal: dict[str, Any] | None
    """The room's own shape of a refusal; None where a refusal is a problem document."""
    example: dict[str, Any]


def schemas_of(check: str, operation: str, profile: str = "") -> Schemas:
    """Give the schemas of an operation. Raises `KeyError` for one that is not offered on the network."""
    match check:
        case "dialect":
            return _dialect(operation)
        case "deliverable":
            return _deliverable(operation, ASSAY if profile == ASSAY else CONTRACT)
        case "claims":
            return _claims()
        case "listing":
            report: dict[str, Any] = msgspec.json.decode(write(output_schema()))
            return Schemas(
                request=listing_schema.request_schema(),
                answer=report,
                refusal=None,
                example=listing_schema.EXAMPLE,
            )
        case _:
            return Schemas(
                request=terms_schema.request_schema(operation),
                answer=terms_schema.answer_schema(operation),
                refusal=terms_schema.refusal_schema(),
                example=terms_schema.EXAMPLES[operation],
            )


def _dialect(operation: str) -> Schemas:
    is_precheck = operation == "precheck"
    return Schemas(
        request=dialect_schema.request_schema(is_precheck=is_precheck),
        answer=dialect_schema.precheck_schema() if is_precheck else dialect_schema.report_schema(),
        refusal=None,
        example=dialect_schema.EXAMPLE,
    )


def _deliverable(operation: str, profile: Profile) -> Schemas:
    if operation == "lint":
        return Schemas(
            request=deliverable_schema.lint_request_schema(profile),
            answer=deliverable_schema.lint_answer_schema(),
            refusal=None,
            example=deliverable_schema.LINT_EXAMPLE,
        )
    return Schemas(
        request=deliverable_schema.request_schema(profile),
        answer=deliverable_schema.answer_schema(profile),
        refusal=None,
        example=deliverable_schema.EXAMPLE,
    )


def _claims() -> Schemas:
    wrapped = _shipped("request.schema.json")
    bare = wrapped["properties"]["request"]
    return Schemas(
        request={"anyOf": [bare, wrapped]},
        answer=_shipped("response.schema.json"),
        refusal=None,
        example=_CLAIMS_EXAMPLE,
    )


def _shipped(name: str) -> dict[str, Any]:
    text = files("assay402.checks.claims.data").joinpath(name).read_bytes()
    schema: dict[str, Any] = msgspec.json.decode(text)
    return schema
