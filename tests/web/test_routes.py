"""Every route of the table: its method, status, headers and body; and what is no route."""

import base64
import json
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from assay402.checks.deliverable.published import contract_document
from assay402.checks.deliverable.schema.engine import validator
from assay402.checks.deliverable.schema.exact import always
from assay402.checks.dialect.criteria import criteria
from assay402.formats.schema import schemas_of
from assay402.service.resources import PATHS
from assay402.service.settings import Settings
from web.plain_orders import PlainOrders
from web.served import Service, service

DOCS = Path(__file__).parent.parent.parent / "docs"
DELIVERABLE = PATHS["deliverable/check"]
OPEN = (
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/.well-known/x402",
    "/.well-known/jwks.json",
    "/.well-known/did.json",
    "/dialect-check/criteria",
    "/dialect-check/metrics",
    "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json",
)
PAID = Settings(
    payments="required",
    public_url="https://checks.example",
    networks=("eip155:8453",),
    pay_to=(("eip155:*", "0x1"),),
    facilitator_url="https://f.example",
)

CONTRACT: dict[str, Any] = {
    "productId": "DELIVERABLE_ACCEPTANCE_CHECK",
    "productVersion": "1.0.0",
    "schemaVersion": "1.0.0",
    "docsPath": "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json",
    "resourceUrl": "https://checks.example/api/x402/DELIVERABLE_ACCEPTANCE_CHECK",
    "method": "POST",
    "operationId": "agenthubmachinedeliverable_acceptance_check",
    "family": "VERIFY",
    "inputSchema": {"x-arbiter-contentType": "application/json", "x-arbiter-schemaVersion": "1.0.0"},
    "outputSchema": {"x-arbiter-contentType": "application/json", "x-arbiter-schemaVersion": "1.0.0"},
    "examples": {"state": "OMITTED_UNTIL_REAL_EVIDENCE", "request": None, "deliverable": None},
    "freshness": {
        "freshnessClass": "CACHEABLE_SNAPSHOT",
        "latencyClass": "FAST",
        "outputDomainKind": None,
    },
    "payment": {
        "admitted": True,
        "challengeHeader": "PAYMENT-REQUIRED",
        "logicalPaymentHeader": "ARBITER-LOGICAL-PAYMENT-ID",
        "protocol": "X402_V2",
        "protocolVersion": 2,
        "quoteHeader": "ARBITER-QUOTE-ID",
        "scheme": "exact",
        "signatureHeader": "PAYMENT-SIGNATURE",
    },
    "pricing": {
        "currency": "USD",
        "floorUsd": 0.04,
        "mode": "DYNAMIC_QUOTE",
        "ownerCeilingUsd": None,
        "pricingClass": "CACHEABLE_UNIT",
        "publicStartingPriceUsd": 0.04,
    },
    "provenance": {"basis": "YOUR_INPUT", "protocols": []},
}
"""Names and literals of the contract."""


@pytest.fixture(scope="module")
def free() -> Iterator[Service]:
    with service(did_document=lambda: b'{"id":"did:web:checks.example"}') as running:
        yield running


def example(name: str) -> Any:
    return schemas_of(*name.split("/")).example


@pytest.mark.parametrize("path", OPEN)
def test_what_anybody_may_read_is_read_with_get_and_head(free: Service, path: str) -> None:
    got, head = free.call("GET", path), free.call("HEAD", path)
    assert (got.status, head.status) == (200, 200)
    assert got.header("Content-Type") == head.header("Content-Type")
    assert head.body == b""
    assert got.header("Cache-Control") == "no-store"
    if "metrics" not in path:
        assert got.header("Content-Type") == "application/json"
        assert isinstance(got.json, dict)


@pytest.mark.parametrize("path", OPEN)
def test_what_is_read_takes_no_other_method(free: Service, path: str) -> None:
    refused = free.call("PUT", path, b"{}")
    assert (refused.status, refused.json["code"]) == (405, "method_not_allowed")
    assert refused.header("Allow") == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("name", list(PATHS))
def test_every_operation_answers_its_example(free: Service, name: str) -> None:
    answered = free.post(PATHS[name], example(name))
    assert answered.status == 200
    assert answered.header("Assay-Signature") == "aGVhZA..c2lnbg"
    assert answered.header("Cache-Control") == "no-store"
    assert len(answered.header("Assay-Request-Id") or "") == 32


@pytest.mark.parametrize("name", list(PATHS))
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE"])
def test_no_other_method_reaches_an_operation(free: Service, name: str, method: str) -> None:
    """HEAD and OPTIONS never reach a handler unpaid."""
    before = free.orders.entered
    refused = free.call(method, PATHS[name])
    assert refused.status == 405
    assert refused.header("Allow") == "POST, OPTIONS"
    assert free.orders.entered == before


@pytest.mark.parametrize("path", [*PATHS.values(), *OPEN, "/nowhere"])
def test_a_preflight_is_answered_without_reaching_anything(free: Service, path: str) -> None:
    before = free.orders.entered
    answered = free.call("OPTIONS", path)
    assert (answered.status, answered.body) == (204, b"")
    assert answered.header("Access-Control-Allow-Origin") == "*"
    assert "PAYMENT-SIGNATURE" in (answered.header("Access-Control-Allow-Headers") or "")
    assert answered.header("Content-Length") is None
    assert free.orders.entered == before


def test_the_payment_headers_can_be_read_by_pages_of_other_origins(free: Service) -> None:
    exposed = set((free.call("GET", "/healthz").header("Access-Control-Expose-Headers") or "").split(", "))
    assert exposed >= {
        "PAYMENT-REQUIRED",
        "PAYMENT-RESPONSE",
        "Assay-Signature",
        "ARBITER-QUOTE-ID",
        "ARBITER-LOGICAL-PAYMENT-ID",
    }


@pytest.mark.parametrize(
    "path",
    [
        "/dialect-check",
        "/dialect-check/",
        "/dialect-check/criteria",
        "/dialect-check/metrics",
        "/dialect-check/report",
        "/dialect-check/check/",
        "/dialect-check/a/b",
    ],
)
def test_every_other_post_of_the_dialect_check_is_not_covered(free: Service, path: str) -> None:
    """The criteria's `endpoints.not_offered`."""
    answered = free.post(path, {})
    assert (answered.status, answered.json["code"], answered.json["title"]) == (
        404,
        "not_covered",
        "NOT COVERED",
    )


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/healthz/",
        "//healthz",
        "/HEALTHZ",
        "/api/v1/diagnose/",
        "/mcp/",
        "/dialect-check",
        "/dialect-checks",
        "*",
    ],
)
def test_what_is_no_route_is_not_found(free: Service, path: str) -> None:
    assert free.call("GET", path).json["code"] == "not_found"


def curls() -> list[list[str]]:
    """Give the words of every `curl` of the guides that sends a body."""
    texts = [file.read_text() for file in sorted(DOCS.rglob("*.md"))]
    lines = [line for text in texts for line in text.replace("\\\n", " ").splitlines()]
    found = [line.strip().removeprefix("$ ") for line in lines if "curl " in line and " -d " in line]
    return [shlex.split(line, comments=True) for line in found if line.startswith("curl ")]


def test_every_request_that_the_guides_send_with_curl_is_taken(free: Service) -> None:
    """Curl announces a form where it is not told otherwise."""
    assert len(curls()) >= 2
    names = {path: name for name, path in PATHS.items()}
    for words in curls():
        path = urlsplit(next(word for word in words if word.startswith(("http:", "https:")))).path
        said = [after.partition(": ") for word, after in pairwise(words) if word == "-H"]
        headers = {"Content-Type": "application/x-www-form-urlencoded"} | {
            name: text for name, _, text in said
        }
        assert free.post(path, example(names[path]), headers).status == 200, words


def test_a_path_spelled_otherwise_is_the_same_resource(free: Service) -> None:
    """Nothing is gated by the spelling of a path: `%63heck` is `check`."""
    before = free.orders.entered
    assert free.post("/dialect-check/%63heck", example("dialect/check")).status == 200
    assert free.orders.taken[before].resource.name == "dialect/check"


def test_criteria_and_contract_are_the_rooms_own(free: Service) -> None:
    assert free.call("GET", "/dialect-check/criteria").json == criteria()
    document = free.call("GET", "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json").json
    for name, value in contract_document().items():
        assert (
            (document[name].items() >= value.items()) if isinstance(value, dict) else document[name] == value
        )
    assert document["resourcePath"] == DELIVERABLE


def test_the_contract_has_the_half_of_the_service_with_the_values_of_its_settings() -> None:
    with service(settings=PAID) as running:
        document = running.call("GET", "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json").json
    assert document.keys() >= CONTRACT.keys()
    for name, wanted in CONTRACT.items():
        found = document[name]
        assert (found.items() >= wanted.items()) if isinstance(wanted, dict) else found == wanted, name
    assert [(each["status"], each["code"]) for each in document["errors"]] == [
        (status, None) for status in (400, 402, 422, 503)
    ]
    payment = document["payment"]
    assert (
        payment["paymentIdentifier"].items()
        >= {
            "extension": "payment-identifier",
            "supported": True,
            "required": False,
        }.items()
    )
    destination = payment["destination"]
    assert destination["address"] == "0x1"
    assert destination["networks"] == ["eip155:8453"]
    assert destination["assetContracts"] == ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"]
    assert destination["resolvable"]
    assert len(destination["bindingVersion"]) == 64
    assert document["freshness"].keys() == {
        "evidenceCutoff",
        "freshnessClass",
        "latencyClass",
        "machineVersion",
        "outputDomainKind",
        "provenance",
    }


def test_the_contract_follows_the_settings(free: Service) -> None:
    document = free.call("GET", "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json").json
    assert not document["payment"]["admitted"]
    assert document["payment"]["destination"]["networks"] == []
    assert document["resourceUrl"] == DELIVERABLE
    other = replace(
        PAID,
        networks=("eip155:8453", "eip155:10"),
        pay_to=(("eip155:8453", "0x1"), ("eip155:10", "0x2")),
        prices=(("deliverable/check", 250_000),),
        payment_identifier="required",
    )
    with service(settings=other) as running:
        document = running.call("GET", "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json").json
    assert document["pricing"]["floorUsd"] == document["pricing"]["publicStartingPriceUsd"] == 0.25
    assert document["payment"]["paymentIdentifier"]["required"]
    assert document["payment"]["destination"]["address"] is None
    assert document["payment"]["destination"]["payTo"] == {"eip155:8453": "0x1", "eip155:10": "0x2"}


@pytest.mark.parametrize(
    ("query", "profile"), [("", "contract"), ("?profile=contract", "contract"), ("?profile=assay", "assay")]
)
@pytest.mark.parametrize("tail", ["", "/lint"])
def test_the_query_names_the_contract_that_answers(
    free: Service, query: str, profile: str, tail: str
) -> None:
    name = "deliverable/lint" if tail else "deliverable/check"
    before = free.orders.entered
    answered = free.post(DELIVERABLE + tail + query, example(name))
    assert answered.status == 200
    assert free.orders.taken[before].resource.profile == profile
    if not tail:
        assert ("criteriaRoot" in answered.json) == (profile == "assay")


@pytest.mark.parametrize(
    "query",
    [
        "?profile=canary",
        "?x=1",
        "?envelope=2",
        "?envelope=",
        "?envelope=1&envelope=1",
        "?profile",
        "?a&b&c&d&e",
        "?%ff=1",
    ],
)
def test_a_query_nobody_knows_is_refused_before_anything_is_taken(free: Service, query: str) -> None:
    before = free.orders.entered
    refused = free.post(DELIVERABLE + query, example("deliverable/check"))
    assert (refused.status, refused.json["code"]) == (400, "query")
    assert free.orders.entered == before


def test_a_profile_is_refused_where_there_is_none(free: Service) -> None:
    assert free.post("/dialect-check/check?profile=assay", {}).json["code"] == "query"


def test_an_envelope_is_the_answer_in_its_signature(free: Service) -> None:
    plain = free.post(DELIVERABLE, example("deliverable/check"))
    enveloped = free.post(f"{DELIVERABLE}?envelope=1", example("deliverable/check"))
    assert enveloped.header("Content-Type") == "application/jose+json"
    payload = enveloped.json["payload"]
    assert base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)) == plain.body
    assert (enveloped.json["protected"], enveloped.json["signature"]) == ("aGVhZA", "c2lnbg")


def test_without_signing_there_is_no_envelope() -> None:
    with service(signs=False) as running:
        refused = running.post("/dialect-check/check?envelope=1", {})
        assert (refused.status, refused.json["code"]) == (400, "envelope_unavailable")
        assert running.orders.entered == 0


def test_a_receipt_is_given_by_its_id_and_the_proof_is_handed_on(free: Service) -> None:
    made = free.post("/api/v1/verify", example("claims/verify"))
    receipt = f"/api/v1/receipts/{made.json['request_id']}"
    answered = free.call(
        "GET", receipt, headers={"Authorization": "bearer abc.def", "SIGN-IN-WITH-X": "signed"}
    )
    assert (answered.status, answered.body) == (200, made.body)
    assert free.orders.asked_receipts[-1] == (made.json["request_id"], "abc.def", "signed")


@pytest.mark.parametrize(
    "receipt",
    ["x", "00000000-0000-4000-8000-000000000000", "../../etc", "00000000-0000-4000-8000-00000000000G"],
)
def test_a_receipt_that_is_not_there_looks_like_one_that_is_not_yours(free: Service, receipt: str) -> None:
    answered = free.call("GET", f"/api/v1/receipts/{receipt}")
    assert answered.status == 404
    assert answered.json["code"] in ("receipt_unknown", "not_found")


def test_a_receipt_takes_no_head_and_no_doubled_proof(free: Service) -> None:
    receipt = "/api/v1/receipts/00000000-0000-4000-8000-000000000000"
    assert free.call("HEAD", receipt).status == 405
    with free.line() as line:
        line.send(
            f"GET {receipt} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n".encode()
        )
        assert line.reply().json["code"] == "header_repeated"


def test_readiness_tells_what_cannot_be_reached() -> None:
    async def yes() -> bool:
        return True

    async def no() -> bool:
        return False

    with service(health={"database": yes, "facilitator": no}) as running:
        answered = running.call("GET", "/readyz")
        assert answered.status == 503
        assert answered.header("Retry-After") == "5"
        assert answered.json == {"ready": False, "draining": False, "database": True, "facilitator": False}
        assert running.call("GET", "/healthz").status == 200


def test_a_service_of_some_checks_has_their_routes_only() -> None:
    with service(settings=Settings(checks=("terms",))) as running:
        assert running.post("/terms/place", example("terms/place")).status == 200
        for path in (
            "/dialect-check/criteria",
            "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json",
            "/api/v1/receipts/x",
        ):
            assert running.call("GET", path).status == 404
        assert set(running.call("GET", "/openapi.json").json["paths"]) == {
            "/mcp",
            "/healthz",
            "/readyz",
            "/metrics",
            "/openapi.json",
            "/.well-known/x402",
            "/.well-known/jwks.json",
            "/terms/place",
            "/terms/extract",
            "/terms/verify",
            "/terms/discover",
        }


def test_the_manifest_lists_what_is_sold_under_the_public_address_only(free: Service) -> None:
    """The Host header is never used: `forged.example` stands in every request of these tests."""
    assert free.call("GET", "/.well-known/x402").json["resources"] == []
    with service(settings=PAID) as running:
        document = running.call("GET", "/.well-known/x402").json
        bodies = [running.call("GET", path).body for path in OPEN]
    assert document["resources"][0] == "https://checks.example/dialect-check/check"
    assert [item["price"]["amount"] for item in document["items"]] == ["0.01", "0.04", "0.04"] + ["0.02"] * 4
    assert not any(b"forged" in body for body in bodies)


def test_the_manifest_satisfies_our_own_listing_check(free: Service) -> None:
    document = free.call("GET", "/.well-known/x402").json
    assert document["name"]
    assert document["description"]


def test_metrics_count_by_closed_labels_and_the_dialect_sees_its_own(free: Service) -> None:
    free.post("/dialect-check/check", example("dialect/check"))
    free.call("GET", "/nowhere/canary")
    everything = free.call("GET", "/metrics").body.decode()
    assert 'assay_requests_total{outcome="delivered",route="dialect/check",status="200"}' in everything
    assert "canary" not in everything
    own = free.call("GET", "/dialect-check/metrics").body.decode()
    assert 'route="dialect/check"' in own
    assert "deliverable" not in own


def test_keys_are_published_as_they_are(free: Service) -> None:
    assert free.call("GET", "/.well-known/jwks.json").json == {"keys": []}


def test_a_crash_is_a_problem_that_tells_the_class_of_the_fault_alone() -> None:
    def fail(_order: object) -> None:
        raise RuntimeError("canary")

    with service(PlainOrders(fail)) as running:
        answered = running.post("/dialect-check/check", example("dialect/check"))
        assert (answered.status, answered.json["code"]) == (500, "internal")
        assert running.call("GET", "/healthz").status == 200
        assert "canary" not in "".join(running.lines) + answered.body.decode()
        failed = [line for line in running.log if line["event"] == "request.failed"]
        assert [line["fault"] for line in failed] == ["RuntimeError"]
        assert json.loads(answered.body)["title"]


def test_a_panic_of_an_engine_is_a_problem_and_the_server_lives_on() -> None:
    def fail(_order: object) -> None:
        twice: Any = {"$defs": {"p": {"$id": "a", "$anchor": "m"}, "q": {"$id": "a"}}, "$ref": "a#m"}
        validator(twice, 2020, assert_format=False, keywords=always())

    with service(PlainOrders(fail)) as running:
        answered = running.post("/dialect-check/check", example("dialect/check"))
        assert (answered.status, answered.json["code"]) == (500, "internal")
        assert running.call("GET", "/healthz").status == 200
        failed = [line for line in running.log if line["event"] == "request.failed"]
        assert [line["fault"] for line in failed] == ["EngineFailed"]
