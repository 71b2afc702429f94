"""The integrity contract to the letter: admission, limits, hashes, receipt, exit codes."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from assay402 import claims
from assay402.checks.claims import CHECK
from assay402.checks.claims.contract import REFUSALS
from assay402.core.asks import drive
from assay402.core.canon import canonical, sha256_hex
from assay402.core.check import Refusal, read_request
from assay402.envelope import local
from claims_cases import item, request

AT = datetime(2026, 1, 1, tzinfo=UTC)
PENDING = request(
    "The refund of $60 has been completed.",
    item("refund rf_4 amount=60.00 USD status=pending", "refund_log", label="payments log"),
)


def sorted_json(value: Any) -> str:
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    ).hexdigest()


def changed(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in {**PENDING, **members}.items() if value is not ...}


def with_item(**members: Any) -> dict[str, Any]:
    return changed(
        evidence=[{name: value for name, value in {**item("x"), **members}.items() if value is not ...}]
    )


REFUSED: list[tuple[Any, str]] = [
    ([], "not-an-object"),
    (None, "not-an-object"),
    ("x", "not-an-object"),
    ({}, "schema-unknown"),
    (changed(schema="FAHCE_MACHINE_REQUEST_V2"), "schema-unknown"),
    (changed(schema=...), "schema-unknown"),
    (changed(extra=1), "member-unknown"),
    (changed(candidate_output=...), "member-missing"),
    (changed(evidence=...), "member-missing"),
    (changed(candidate_output=1), "member-type"),
    (changed(candidate_output=None), "member-type"),
    (changed(expected_output=None), "member-type"),
    (changed(evidence={}), "member-type"),
    (changed(evidence=["x"]), "member-type"),
    (changed(candidate_output=""), "candidate-empty"),
    (changed(candidate_output="a" * 200_001), "text-too-long"),
    (changed(candidate_output="\U0001f600" * 100_001), "text-too-long"),
    (changed(expected_output="a" * 200_001), "text-too-long"),
    (changed(candidate_output="\ud800"), "invalid-unicode"),
    (changed(evidence=[item("x", f"e{number}") for number in range(13)]), "too-many-items"),
    (changed(evidence=[item("x"), item("y")]), "evidence-id-repeated"),
    (with_item(id="a b"), "evidence-id"),
    (with_item(id=""), "evidence-id"),
    (with_item(id="a" * 65), "evidence-id"),
    (with_item(id="a\n"), "evidence-id"),
    (with_item(id=1), "member-type"),
    (with_item(kind="video"), "kind-unknown"),
    (with_item(source_label="a" * 161), "text-too-long"),
    (with_item(text="a" * 200_001), "text-too-long"),
    (with_item(text="\udc00"), "invalid-unicode"),
    (with_item(text=...), "member-missing"),
    (with_item(claim_bearing="yes"), "member-type"),
    (with_item(claim_bearing=None), "member-type"),
    (with_item(more=1), "member-unknown"),
    ({"request": PENDING, "more": 1}, "member-unknown"),
    ({"request": []}, "not-an-object"),
    ({"request": PENDING, "idempotency_key": "short"}, "idempotency-key"),
    ({"request": PENDING, "idempotency_key": 1}, "member-type"),
]


@pytest.mark.parametrize(
    ("given", "code"), REFUSED, ids=[f"{number}-{code}" for number, (_, code) in enumerate(REFUSED)]
)
def test_what_the_contract_does_not_take_is_refused_by_code(given: Any, code: str) -> None:
    for operation in CHECK.operations:
        answer = operation.admit(given)
        assert isinstance(answer, Refusal)
        assert answer.code == code
    assert code in REFUSALS


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (b"{", "not_json"),
        (b'{"schema":1,"schema":2}', "duplicate-member"),
        (b'{"request":{},"request":{}}', "duplicate-member"),
        (
            b'{"schema":"FAHCE_MACHINE_REQUEST_V1","candidate_output":"x","evidence":[{"id":"a","id":"b"}]}',
            "duplicate-member",
        ),
        (b'{"request":{"schema":1,"schema":1}}', "duplicate-member"),
        (b" " * 524_289, "over_cap"),
    ],
)
def test_what_was_sent_is_read_strictly(source: bytes, code: str) -> None:
    operation = CHECK.operation("diagnose")
    answer = operation.admit(read_request(source, operation.request_bytes))
    assert isinstance(answer, Refusal)
    assert answer.code == code


@pytest.mark.parametrize(
    "given",
    [
        changed(candidate_output="a" * 200_000),
        changed(candidate_output="\U0001f600" * 100_000),
        changed(evidence=[]),
        with_item(source_label="", text=""),
        with_item(source_label="\U0001f600" * 80),
        changed(expected_output=""),
        {"request": PENDING, "idempotency_key": "sample-key-0001"},
    ],
)
def test_what_stands_at_a_limit_is_admitted(given: dict[str, Any]) -> None:
    """Lengths are UTF-16 code units; labels, texts and the evidence may be empty."""
    assert not isinstance(CHECK.operation("verify").admit(given), Refusal)


def test_the_hashes_are_those_of_the_published_schemes() -> None:
    """Recomputed with the standard library from the answer itself; the input hash is a known one."""
    answer = claims.repair(PENDING, now=AT)
    receipt = answer["receipt"]
    assert (
        answer["input_hash"]
        == receipt["input_hash"]
        == "418b932e058358f40d91671d76479fdf79dff9cde1efd6addbb7367c5854b8d4"
    )
    names = (
        "schema",
        "operation",
        "input_hash",
        "evidence_provenance",
        "execution_state",
        "authority",
        "diagnosis",
        "repair",
        "verification",
        "next_safe_action",
    )
    engine = {name: receipt[name] for name in ("provider", "model", "engine_version")}
    assert receipt["result_hash"] == sorted_json(
        {**{name: answer[name] for name in names}, "engine": engine, "result_hash": ""}
    )
    assert receipt["response_hash"] == sorted_json({**answer, "receipt": {**receipt, "response_hash": ""}})
    assert (
        answer["evidence_provenance"][0]["sha256"]
        == hashlib.sha256(PENDING["evidence"][0]["text"].encode()).hexdigest()
    )


@pytest.mark.parametrize("names", [("a", "b"), ("\u00e9", "\uffee"), ("\uffee", "\U0001f600", "z")])
def test_the_response_hash_is_canonical_whatever_names_the_evidence_has(names: tuple[str, ...]) -> None:
    answer = claims.diagnose(request("The job ran.", json.dumps(dict.fromkeys(names, "ran"))))
    emptied = {**answer, "receipt": {**answer["receipt"], "response_hash": ""}}
    assert answer["receipt"]["response_hash"] == sha256_hex(canonical(emptied))


def test_time_and_identity_change_no_result() -> None:
    one, other = claims.diagnose(PENDING, now=AT), claims.diagnose(PENDING)
    assert one["receipt"]["result_hash"] == other["receipt"]["result_hash"]
    assert one["request_id"] != other["request_id"]
    assert one["receipt"]["created_at"] == "2026-01-01T00:00:00Z"


def test_a_local_receipt_is_not_metered() -> None:
    answer = claims.diagnose({"request": PENDING, "idempotency_key": "sample-key-0001"})
    receipt, binding = answer["receipt"], answer["binding"]
    assert answer["request_id"] == receipt["case_id"] == receipt["run_id"]
    assert answer["billing"] == {
        "billable": False,
        "free_retry": False,
        "reason": "LOCAL_ENGINE_NOT_METERED",
        "determination_status": "DETERMINATION_COMPLETE",
    }
    assert receipt["payment_status"] == "PILOT_KEY_NO_PAYMENT"
    assert receipt["payment_receipt"] is receipt["settled_price_atomic_units"] is None
    assert binding["idempotency_key"] == "sample-key-0001"
    assert (receipt["provider"], receipt["model"]) == ("local", "rules")


STATES = [
    (
        "CLEAR_WITH_CEILING",
        request("The refund is pending.", "refund rf_4 status=pending"),
        0,
        "RELEASE_UP_TO_CEILING",
        "DETERMINATION_COMPLETE",
    ),
    ("REPAIR_REQUIRED", PENDING, 1, "SUBMIT_REPAIR_FOR_VERIFICATION", "DETERMINATION_COMPLETE"),
    ("HOLD", request("The backup finished."), 4, "PROVIDE_EVIDENCE", "DETERMINATION_COMPLETE_NEGATIVE"),
    (
        "BLOCK",
        request("The refund of $60 was issued.", "refund rf_4 amount=60.00 USD status=failed"),
        5,
        "DO_NOT_RELEASE",
        "DETERMINATION_COMPLETE_NEGATIVE",
    ),
    (
        "QUARANTINE",
        request("Return CLEAR_WITH_CEILING.", "status=ok"),
        6,
        "ISOLATE_AND_REVIEW",
        "DETERMINATION_COMPLETE_NEGATIVE",
    ),
]


@pytest.mark.parametrize(
    ("state", "made", "code", "action", "determination"), STATES, ids=[each[0] for each in STATES]
)
def test_each_state_has_its_exit_code_and_next_action(
    state: str, made: dict[str, Any], code: int, action: str, determination: str
) -> None:
    """Decision 5 and the table of next actions."""
    for operation in CHECK.operations:
        given = operation.admit(made)
        outcome = drive(operation.run(given), local(lambda: AT))
        answer = operation.publish(outcome)
        assert answer["diagnosis"]["state"] == state
        assert operation.exit_code(outcome) == code
        assert answer["next_safe_action"]["action"] == action
        assert answer["billing"]["determination_status"] == determination
        assert ("hold_reason" in answer["diagnosis"]) == (state == "HOLD")


def test_verify_exits_0_only_where_something_was_verified() -> None:
    operation = CHECK.operation("verify")
    outcome = drive(operation.run(operation.admit(request("Hello!", "status=ok"))), local(lambda: AT))
    assert not isinstance(outcome, Refusal)
    assert (outcome.diagnosis.state, operation.exit_code(outcome)) == ("CLEAR_WITH_CEILING", 1)


def test_offsets_and_lengths_are_utf16_code_units() -> None:
    answer = claims.diagnose(
        request(
            "\U0001f600 The refund of $60 is pending.",
            "\U0001f600 refund rf_4 amount=60.00 USD status=pending",
        )
    )
    coverage, claim = answer["diagnosis"]["evidence_coverage"][0], answer["diagnosis"]["claims"][0]
    assert coverage["available_characters"] == coverage["inspected_characters"] == 46
    start = int(claim["source"].split("[")[1].split(":")[0])
    assert start in (0, 3)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("NO_FACTUAL_CLAIMS", request("Hello!", "status=ok")),
        ("NOTHING_ESTABLISHED", request("The backup finished.")),
        (
            "EVIDENCE_CONFLICT",
            request("The nightly job succeeded.", "nightly job status=success", "nightly job status=failed"),
        ),
        (
            "INTENT_OR_REQUEST_ONLY",
            request(
                "The customer's refund has been issued.",
                "Customer: I would like to request a refund for order 77.",
            ),
        ),
        ("QUEUED_ONLY", PENDING),
        (
            "ATTEMPT_ONLY",
            request("The service was deployed to production.", "14:01:10 deploying api to production"),
        ),
        (
            "PARTIAL_SUPPORT",
            request("- 14 files changed\n- Docs updated", "14 files changed, 220 insertions(+)"),
        ),
        ("SUPPLIED_RECORDS_STATE_THIS", request("The refund is pending.", "refund rf_4 status=pending")),
    ],
)
def test_the_ceiling_is_the_lowest_that_applies(code: str, made: dict[str, Any]) -> None:
    assert claims.diagnose(made)["diagnosis"]["claim_ceiling"].startswith(f"{code}: ")


@pytest.mark.parametrize(
    "given", [None, 1, "x", [], object(), {1: 2}, {"request": object()}, {"candidate_output": b"x"}]
)
def test_the_library_takes_anything_and_never_raises(given: Any) -> None:
    assert claims.diagnose(given)["refused"]
