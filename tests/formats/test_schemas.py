"""The published schemas, held to every vector: what is admitted fits the request's, what is answered the answer's."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from assay402.checks import CHECKS, check_named
from assay402.checks.terms.codes import NOTICES
from assay402.core.check import Faces, Operation, Refusal
from assay402.formats.schema import schemas_of
from assay402.library import answer
from vectors import cases

OFFERED = [
    (check.name, operation.name, profile, operation.profiles.get(profile, operation))
    for check in CHECKS
    for operation in check.operations
    if operation.faces is Faces.EVERYWHERE
    for profile in operation.profiles or [""]
]
NAMES = [f"{check}/{operation}/{profile}" for check, operation, profile, _ in OFFERED]


def faults(schema: dict[str, Any], value: Any) -> list[str]:
    return [str(error) for error in jsonschema_rs.validator_for(schema).iter_errors(value)]


@pytest.mark.parametrize(("check", "operation", "profile", "offered"), OFFERED, ids=NAMES)
def test_the_example_fits_is_admitted_and_its_answer_fits(
    check: str, operation: str, profile: str, offered: Operation[Any, Any]
) -> None:
    found = schemas_of(check, operation, profile)
    assert faults(found.request, found.example) == []
    given = offered.admit(offered.read(json.dumps(found.example).encode(), offered.request_bytes))
    assert not isinstance(given, Refusal)
    if offered.offline(given) is None:
        assert faults(found.answer, answer(offered, found.example, None)) == []


@pytest.mark.parametrize(("check", "operation", "profile", "offered"), OFFERED, ids=NAMES)
def test_schemas_refuse_what_no_request_and_no_answer_is(
    check: str, operation: str, profile: str, offered: Operation[Any, Any]
) -> None:
    del offered
    found = schemas_of(check, operation, profile)
    assert faults(found.request, {"canary": 1})
    assert faults(found.answer, {"canary": 1})


def dialect_requests() -> Iterator[Any]:
    yield from ({"mode": "submitted", "artefact": case["artefact"]} for case in cases("dialect/handed.json"))
    for case in cases("dialect/admission.json"):
        try:
            request = json.loads(case["source"])
            json.dumps(request, allow_nan=False)
        except ValueError:
            continue  # no JSON, or numbers that only our own reader keeps
        yield request


@pytest.mark.parametrize("operation", ["check", "precheck"])
def test_dialect_requests_and_reports_fit(operation: str) -> None:
    offered, found = check_named("dialect").operation(operation), schemas_of("dialect", operation)
    seen = 0
    for request in dialect_requests():
        given = offered.admit(request)
        if isinstance(given, Refusal) or getattr(given, "refusal", None) is not None:
            continue
        assert faults(found.request, request) == []
        reply = answer(offered, request, None)
        if not reply.get("refused"):
            assert faults(found.answer, reply) == []
            seen += 1
    assert seen > 30


def test_a_precheck_that_says_no_fits() -> None:
    offered, found = check_named("dialect").operation("precheck"), schemas_of("dialect", "precheck")
    for request in dialect_requests():
        assert faults(found.answer, answer(offered, request, None)) == []


def test_terms_outcomes_fit() -> None:
    """Vectors of the kit name functions and not operations; those are not sent over the network."""
    seen = 0
    for case in cases("terms/handed.json"):
        if case["op"] not in ("place", "extract"):
            continue
        found = schemas_of("terms", case["op"])
        request = case["input"]
        offered = check_named("terms").operation(case["op"])
        if not isinstance(offered.admit(request), Refusal):
            assert faults(found.request, request) == []
        assert faults(found.answer, answer(offered, request, None)) == []
        seen += 1
    assert seen > 30


@pytest.mark.parametrize("operation", ["verify", "discover"])
def test_terms_that_were_fetched_fit(operation: str) -> None:
    found = schemas_of("terms", operation)
    for case in cases(f"terms/{operation}.json"):
        if "refused" not in case["expect"]:
            assert faults(found.answer, case["expect"]) == []


def test_every_refusal_of_the_terms_room_fits_its_shape() -> None:
    refusal = schemas_of("terms", "place").refusal
    assert refusal is not None
    offered = check_named("terms").operation("place")
    for code in NOTICES:
        assert faults(refusal, offered.publish_refusal(Refusal(code=code, length=2, cap=1))) == []


@pytest.mark.parametrize("profile", ["assay", "contract"])
def test_deliverable_requests_and_answers_fit(profile: str) -> None:
    for operation in ("check", "lint"):
        offered = check_named("deliverable").operation(operation).profiles[profile]
        found = schemas_of("deliverable", operation, profile)
        seen = 0
        for case in cases("deliverable/handed.json"):
            request = case.get("request")
            if request is None:
                continue
            sent = {"criteria": request.get("criteria")} if operation == "lint" else request
            reply = answer(offered, sent, None)
            if not reply.get("refused"):
                assert faults(found.request, sent) == []
                assert faults(found.answer, reply) == []
                seen += 1
        assert seen > 20


def test_claims_requests_fit_bare_and_wrapped() -> None:
    found = schemas_of("claims", "diagnose")
    for case in cases("claims/handed.json"):
        assert faults(found.request, case["request"]) == []
        assert faults(found.request, {"request": case["request"]}) == []


def test_listing_requests_fit() -> None:
    found = schemas_of("listing", "check")
    offered = check_named("listing").operation("check")
    for case in cases("listing/admission.json"):
        request = case.get("request", {})
        if not isinstance(offered.admit(request), Refusal):
            assert faults(found.request, request) == []
