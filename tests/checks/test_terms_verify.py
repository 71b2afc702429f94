"""Verifying and discovering on recorded answers: which fetch is asked, and what is said of what came."""

import base64
import json
from typing import Any

import pytest

from assay402 import terms
from assay402.checks.terms import CHECK
from assay402.checks.terms.collect import CHALLENGE_LIMITS, LISTING_LIMITS, TERMS_LIMITS
from assay402.checks.terms.model import Listing, ListingFacts
from assay402.checks.terms.rules.discover import listing_document, listing_integrity
from assay402.core.asks import Answer, Exchange, Failed, Fetch, Fetched, Limits, drive, replay
from assay402.core.check import Refusal
from assay402.core.strictjson import read, write
from assay402.core.target import parse
from vectors import cases

HANDED = [case for case in cases("terms/handed.json") if case["op"] == "verify"]
PLAIN_URL = "https://terms.example/t"


def of_kind(kind: str) -> list[Any]:
    return [case for case in HANDED if case["input"]["kind"] == kind]


def answer_of(vector: dict[str, Any]) -> Answer:
    if "failed" in vector:
        return Failed(state=vector["failed"])
    headers = [(name, value) for name, value in vector.get("headers", [])]
    if "header" in vector:
        encoded = base64.b64encode(json.dumps(vector["header"]).encode()).decode()
        headers.append(("Payment-Required", encoded))
    if "bodyBase64" in vector:
        body = base64.b64decode(vector["bodyBase64"])
    else:
        body = json.dumps(vector["json"]).encode() if "json" in vector else vector.get("body", "").encode()
    return Fetched(status=vector["status"], headers=tuple(headers), body=body)


def limits_of(url: str, request: Any) -> Limits:
    if url == request.get("url"):
        return CHALLENGE_LIMITS
    return LISTING_LIMITS if url.endswith("/.well-known/legal-context.json") else TERMS_LIMITS


def run(operation_name: str, vector: dict[str, Any]) -> dict[str, Any]:
    operation = CHECK.operation(operation_name)
    request = read(json.dumps(vector["request"]))
    given = operation.admit(request)
    if isinstance(given, Refusal):
        published = operation.publish_refusal(given)
        published.pop("detail", None)
        return published
    assert isinstance(operation.offline(given), Refusal)
    exchanges = [
        Exchange(
            ask=Fetch(url=each["url"], limits=limits_of(each["url"], vector["request"])),
            answer=answer_of(each),
        )
        for each in vector["fetches"]
    ]
    report = replay(operation.run(given), exchanges)
    published = operation.publish(report)
    good = published.get("outcome") == "match" or published.get("ok", False)
    assert operation.exit_code(report) == (0 if good else 1)
    # As it is printed: numbers of a listing keep their spelling until then.
    printed: dict[str, Any] = json.loads(write(published))
    return printed


@pytest.mark.parametrize("case", cases("terms/verify.json"), ids=lambda case: case["name"])
def test_a_challenge_is_verified_or_declined(case: Any) -> None:
    """Decision 3."""
    assert run("verify", case) == case["expect"]


@pytest.mark.parametrize("case", cases("terms/discover.json"), ids=lambda case: case["name"])
def test_a_listing_is_held_against_what_is_served(case: Any) -> None:
    """Decision 4 and section 11."""
    assert run("discover", case) == case["expect"]


def test_the_limits_of_the_fetch_are_those_of_the_contract() -> None:
    """Section 11: ten seconds, one mebibyte; 65,536 bytes of a listing."""
    assert (TERMS_LIMITS.deadline_ms, TERMS_LIMITS.body_bytes) == (10_000, 1_048_576)
    assert (LISTING_LIMITS.deadline_ms, LISTING_LIMITS.body_bytes) == (10_000, 65_536)


@pytest.mark.parametrize("case", of_kind("terms-fetch"), ids=lambda case: case["name"])
def test_a_handed_fetch_is_answered_as_expected(case: Any) -> None:
    given, expected = case["input"], case["expect"]
    info = {
        "type": "sha256",
        "value": given["advertised"]["value"],
        "legalContextUrl": given["advertised"]["termsUrl"],
    }
    operation = CHECK.operation("verify")
    asked: list[Fetch] = []

    def answerer(ask: Any) -> Answer:
        asked.append(ask)
        return handed_answer(given["response"], ask.limits)

    run = operation.run(operation.admit({"doc": {"extensions": {"legalContext": {"info": info}}}}))

    published = operation.publish(drive(run, answerer))
    assert len(asked) == expected["requests"]
    for name in ("outcome", "code", "atrHash", "bytes"):
        assert published.get(name) == expected.get(name) or name == "bytes"
    if "detail" in expected:
        assert published["detail"] == expected["detail"]
    if expected["outcome"] == "match":
        assert published["bytes"] == expected["bytes"]


def handed_answer(response: Any, limits: Limits) -> Answer:
    """Answer as the fetcher does: a length over the cap ends the fetch, declared or met."""
    repeat = response.get("bodyRepeat")
    body = (repeat["char"] * repeat["count"] if repeat else response["bodyUtf8"]).encode()
    headers = response.get("headers", {})
    if max(len(body), int(headers.get("content-length", 0))) > limits.body_bytes:
        return Failed(state="body_cap")
    return Fetched(status=response["status"], headers=tuple(headers.items()), body=body)


REASONS = {
    "hash-disagree": {"terms/hash-mismatch", "terms/mirror-malformed"},
    "url-disagree": {"x402/terms-url-mismatch"},
    "type-not-sha256": {"x402/reference-malformed", "x402/carrier-type-not-permitted"},
    "hash-absent": {"x402/reference-absent"},
    "url-absent": {"x402/terms-url-missing"},
}


@pytest.mark.parametrize("case", of_kind("reader-comparison"), ids=lambda case: case["name"])
def test_two_readers_are_told_apart_as_handed(case: Any) -> None:
    """Decision 3: `placementExtract` binds the faithful read, `strictTwoCarrier` the strict one."""
    document, expected = case["input"]["doc"], case["expect"]
    faithful, strict = terms.extract(document), terms.extract(document, strict=True)
    reader = expected["placementExtract"]
    if reader["outcome"] == "read":
        assert faithful["value"] == {
            "ref": {"type": "sha256", "value": reader["value"]},
            "termsUrl": reader["termsUrl"],
        }
    else:
        assert faithful["code"] == reader["code"]
    reader = expected["strictTwoCarrier"]
    if reader["outcome"] == "read":
        assert strict["value"]["ref"]["value"].lower() == reader["value"].lower()
        assert strict["value"]["termsUrl"] == {"kind": "read", "url": reader["termsUrl"]}
    else:
        assert strict["code"] in REASONS[reader["reason"]]


@pytest.mark.parametrize("case", of_kind("well-known-document"), ids=lambda case: case["name"])
def test_a_handed_discovery_document_is_valid_or_not(case: Any) -> None:

    assert isinstance(listing_document(case["input"]["doc"]), Listing) is case["expect"]["valid"]


@pytest.mark.parametrize("case", of_kind("listing-integrity"), ids=lambda case: case["name"])
def test_a_handed_listing_has_the_integrity_it_should(case: Any) -> None:

    given, expected = case["input"], dict(case["expect"])
    facts = ListingFacts(
        terms_format=given["listing"].get("termsFormat"),
        served=given["servedUtf8"].encode(),
        advertised=given["advertisedAtrHash"],
    )
    found = listing_integrity(facts)
    assert {
        "ok": found.ok,
        "status": found.status,
        "hashesMatch": found.hashes_match,
        "machineReadable": found.machine_readable,
        "servedAtrHash": found.served,
    } == {
        name: expected[name] for name in ("ok", "status", "hashesMatch", "machineReadable", "servedAtrHash")
    }


@pytest.mark.parametrize("case", of_kind("reference-placement"), ids=lambda case: case["name"])
def test_a_reference_is_held_against_a_record_as_handed(case: Any) -> None:
    given = case["input"]
    assert terms.against_record(given.get("placement"), given.get("recordAtrHash")) == case["expect"]


def test_a_record_without_a_placement_is_not_attempted() -> None:
    assert terms.against_record(None, "0x00") == {"status": "not-attempted", "depth": "no-placement-input"}
    assert terms.against_record([], "0x00")["depth"] == "no-reference-extracted"
    assert terms.against_record({"extracted": {"ref": {"value": 5}}}, "0x00")["depth"] == (
        "malformed-extracted-reference"
    )


RECORD = "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069"


def extracted(kind: Any, value: Any) -> Any:
    return {"extracted": {"ref": {"type": kind, "value": value}}}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("sha256", ""),
        ("sha256", "abc"),
        ("sha256", "0x"),
        ("sha256", f"0x{RECORD[:-1]}"),
        ("sha256", f"0x{RECORD}0"),
        ("sha256", f"0x0x{RECORD}"),
        ("sha256", f"{RECORD}\n"),
        ("sha256", "0x" + "g" * 64),
        ("sha256", None),
        ("url", f"0x{RECORD}"),
        ("url", "0x"),
        ("ipfs", RECORD),
        (None, RECORD),
    ],
)
def test_a_reference_that_is_no_hash_proves_nothing(kind: Any, value: Any) -> None:
    """Section 11: 32 decoded bytes are compared, and malformed never equals anything."""
    for record in (value, RECORD, "", None):
        assert terms.against_record(extracted(kind, value), record) == {
            "status": "not-attempted",
            "depth": "malformed-extracted-reference",
        }


@pytest.mark.parametrize("record", ["", "abc", "0x", RECORD[:-1], f"{RECORD}0", f" {RECORD}", None, 5, []])
def test_a_record_without_a_hash_proves_nothing(record: Any) -> None:
    assert terms.against_record(extracted("sha256", f"0x{RECORD}"), record) == {
        "status": "not-attempted",
        "depth": "no-record-fingerprint",
    }


@pytest.mark.parametrize("record", [RECORD, RECORD.upper(), f"0x{RECORD}", f"0X{RECORD.upper()}"])
def test_case_and_prefix_of_a_record_do_not_matter(record: str) -> None:
    assert terms.against_record(extracted("sha256", f"0x{RECORD.upper()}"), record) == {"status": "proved"}
    assert terms.against_record(extracted("sha256", "0x" + "00" * 32), record)["status"] == "failed"


@pytest.mark.parametrize("case", of_kind("fetch-address"), ids=lambda case: case["name"])
def test_a_handed_address_is_refused_as_a_target(case: Any) -> None:
    address = case["input"]["address"]
    host = f"[{address}]" if ":" in address else address
    assert isinstance(parse(f"https://{host}/t"), Refusal) is not case["expect"]["publicUnicast"]


def test_the_library_compares_bytes_that_were_received_elsewhere() -> None:
    body = b"governing law: none\n"
    advertisement = {"ref": {"type": "sha256", "value": terms.hash_terms(body)}, "termsUrl": PLAIN_URL}
    document = terms.place(advertisement, {"accepts": [{}]})["value"]
    assert terms.verify(document, body)["outcome"] == "match"
    assert terms.verify(document, body + b"\n")["code"] == "hash-mismatch"
    assert terms.verify({}, body) == {
        "outcome": "decline",
        "code": "offer-unreadable",
        "detail": "x402/reference-absent",
    }


GOOD: dict[str, Any] = {
    "api": "https://shop.dev/openapi.json",
    "x-ours": [1],
    "contact": {"legal": "legal@shop.dev", "x": " "},
    "atrHash": "0x" + "AB" * 32,
    "terms": "https://shop.dev/terms.md",
    "disputeResolution": {"method": "arbitration", "clauseId": "sha256:0x" + "CD" * 32},
    "acceptanceRequired": False,
    "termsFormat": "",
    "returns": "none",
}


def test_a_discovery_document_is_written_in_order_and_lower_case() -> None:
    made = terms.well_known(GOOD)
    assert list(made["value"]) == [
        "terms", "termsFormat", "atrHash", "acceptanceRequired", "disputeResolution", "returns", "contact", "api",
        "x-ours",
    ]  # fmt: skip
    assert made["value"] == {
        **GOOD,
        "atrHash": "0x" + "ab" * 32,
        "disputeResolution": {"method": "arbitration", "clauseId": "sha256:0x" + "cd" * 32},
    }
    assert GOOD["atrHash"] == "0x" + "AB" * 32
    assert made["value"]["contact"] is not GOOD["contact"]
    operation = CHECK.operation("well-known")
    result = drive(operation.run(operation.admit(GOOD)), lambda _ask: Failed(state="deadline"))
    assert operation.publish(result) == made
    bare = {"terms": "https://shop.dev/terms.md", "disputeResolution": {"method": "arbitration"}}
    assert terms.well_known(bare)["value"] == bare


@pytest.mark.parametrize(
    ("change", "member"),
    [
        ({"terms": "https://"}, "terms"),
        ({"terms": "HTTPS://shop.dev/t"}, "terms"),
        ({"terms": "https://shop.dev/a b"}, "terms"),
        ({"terms": "https://me@shop.dev/t"}, "terms"),
        ({"terms": None}, "terms"),
        ({"atrHash": "0x00"}, "atrHash"),
        ({"atrHash": None}, "atrHash"),
        ({"termsFormat": 1}, "termsFormat"),
        ({"acceptanceRequired": "yes"}, "acceptanceRequired"),
        ({"acceptanceRequired": None}, "acceptanceRequired"),
        ({"returns": {}}, "returns"),
        ({"api": 1}, "api"),
        ({"contact": "legal@shop.dev"}, "contact"),
        ({"contact": {"legal": " "}}, "contact.legal"),
        ({"contact": {"technical": None}}, "contact.technical"),
        ({"disputeResolution": []}, "disputeResolution"),
        ({"disputeResolution": {"method": "\t"}}, "disputeResolution.method"),
        ({"disputeResolution": {"clauseId": "sha256:0x00"}}, "disputeResolution.clauseId"),
    ],
)
def test_a_discovery_document_that_readers_would_refuse_is_not_written(
    change: dict[str, Any], member: str
) -> None:
    refused = terms.well_known({**GOOD, **change})
    assert refused["code"] == "listing-malformed"
    assert refused["detail"].startswith(f"{member} holds ")
    assert terms.well_known({})["detail"] == "terms holds nothing"
    assert terms.well_known([])["code"] == "listing-malformed"  # type: ignore[arg-type]
