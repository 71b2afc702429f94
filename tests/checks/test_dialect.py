"""The dialect check against its vectors: handed cases, admission, probes, corpus, published form."""

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, get_args, get_type_hints

import pytest

from assay402 import dialect
from assay402.checks.dialect import CHECK
from assay402.checks.dialect.collect import collect
from assay402.checks.dialect.contract import admit
from assay402.checks.dialect.corpus import read_corpus, verify_corpus
from assay402.checks.dialect.criteria import AXES, CORPUS_SHA256, criteria
from assay402.checks.dialect.model import UNDETERMINED, ClientHeader, DialectFacts, Mismatch, Probe
from assay402.core.asks import Answer, At, Exchange, Failed, Fetch, Fetched, Now, replay
from assay402.core.check import Refusal, Rule, read_request
from vectors import cases

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URL = "https://shop.dev/pay?q=1"


def flat(report: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a report out as the handed cases have it, lists sorted because they compare as sets."""
    mismatches = [f"{each['code']}:{each.get('leg') or each['name']}" for each in report["mismatches"]]
    found = {**report["axes"], "summary": report["dialect"], "mismatches": mismatches}
    return {name: sorted(value) if isinstance(value, list) else value for name, value in found.items()}


@pytest.mark.parametrize("case", cases("dialect/handed.json"), ids=lambda case: case["id"])
def test_a_handed_case_is_reported_as_expected(case: Any) -> None:
    report = dialect.check({"mode": "submitted", "artefact": case["artefact"]}, now=AT)
    expected = {
        key: sorted(value) if isinstance(value, list) else value for key, value in case["expected"].items()
    }
    assert flat(report) == expected


@pytest.mark.parametrize("case", cases("dialect/admission.json"), ids=lambda case: case["id"])
def test_a_request_is_admitted_or_refused_by_code(case: Any) -> None:
    """Decision 1; the refusal holds nothing but code and numbers."""
    operation = CHECK.operation("check")
    given = operation.admit(read_request(case["source"].encode(), operation.request_bytes))
    assert (given.published() if isinstance(given, Refusal) else None) == case["refusal"]


@pytest.mark.parametrize("case", cases("dialect/admission.json"), ids=lambda case: case["id"])
def test_the_precheck_says_what_the_check_would_say(case: Any) -> None:
    """`free_precheck`: whether the input is in policy, or the refusal; no finding."""
    operation = CHECK.operation("precheck")
    given = operation.admit(read_request(case["source"].encode(), operation.request_bytes))
    report = operation.publish(replay(operation.run(given), [Exchange(ask=Now(), answer=At(moment=AT))]))
    if case["id"] == "caller-on-check":
        assert report["in_policy"]
    else:
        assert report["refusal"] == case["refusal"]
        assert report["in_policy"] is (case["refusal"] is None)
    assert "axes" not in report


def answer_of(vector: Mapping[str, Any]) -> Answer:
    if "failed" in vector:
        return Failed(state=vector["failed"])
    encoded = [
        base64.b64encode(json.dumps(each).encode()).decode() for each in vector.get("payment_required", [])
    ]
    headers = [*vector.get("headers", []), *(("Payment-Required", value) for value in encoded)]
    return Fetched(
        status=vector["status"],
        headers=tuple((name, value) for name, value in headers),
        body=vector["body"].encode(),
    )


@pytest.mark.parametrize("case", cases("dialect/probe.json"), ids=lambda case: case["id"])
def test_a_probe_reports_what_was_answered(case: Any) -> None:
    operation = CHECK.operation("check")
    exchanges = [Exchange(ask=Fetch(url=URL), answer=answer_of(case["answer"]))]
    if "refused" in case["expected"]:
        assert (
            replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges).published()
            == (case["expected"])
        )
        return
    exchanges.append(Exchange(ask=Now(), answer=At(moment=AT)))
    report = operation.publish(
        replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges)
    )
    found = {**report, **report["axes"]}
    assert {name: found[name] for name in case["expected"]} == case["expected"]
    assert report["url"] == URL


def test_the_report_has_the_members_of_the_decision_in_order() -> None:
    """Decision 2."""
    report = dialect.check({"mode": "submitted", "artefact": {"body_obj": {}}}, now=AT)
    assert list(report) == [
        "service", "version", "criteria_id", "criteria_revision", "corpus", "op", "mode", "checked_at", "dialect",
        "axes", "mismatches", "report_line", "disclosure", "honesty", "retention", "boundary",
    ]  # fmt: skip
    assert (report["service"], report["version"], report["criteria_id"]) == (
        "dialect-check",
        "1.0.0",
        "payability/v1",
    )
    assert report["corpus"] == {"id": "assay-dialect-corpus/v1", "sha256": CORPUS_SHA256}
    assert tuple(report["axes"]) == AXES
    assert report["checked_at"] == "2026-01-02T03:04:05Z"


def test_a_probe_report_names_url_and_state_after_the_mode() -> None:
    operation = CHECK.operation("check")
    exchanges = [
        Exchange(ask=Fetch(url=URL), answer=Failed(state="tls")),
        Exchange(ask=Now(), answer=At(moment=AT)),
    ]
    report = operation.publish(
        replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges)
    )
    assert list(report)[5:10] == ["op", "mode", "url", "probe_state", "checked_at"]


def test_the_precheck_has_the_members_of_the_decision_in_order() -> None:
    report = dialect.precheck({"mode": "probe", "url": URL, "caller": "0x1"}, now=AT)
    assert list(report) == [
        "service", "version", "criteria_id", "criteria_revision", "corpus", "op", "mode", "checked_at", "in_policy",
        "refusal", "disclosure", "honesty", "retention",
    ]  # fmt: skip
    assert (report["op"], report["mode"], report["in_policy"], report["refusal"]) == (
        "precheck",
        "probe",
        True,
        None,
    )


def test_the_precheck_takes_a_caller_only_as_text() -> None:
    report = dialect.precheck({"mode": "probe", "url": URL, "caller": 1})
    assert report["refusal"] == {"refused": True, "code": "member_type"}


def test_the_report_line_follows_the_grammar() -> None:
    """`verdict_grammar` and reading A43."""
    artefact = {"header_obj": {"accepts": [{"amount": "1"}]}}
    report = dialect.check({"mode": "submitted", "artefact": artefact}, now=AT)
    assert report["report_line"] == (
        "X402 DIALECT REPORT — dialect: v2 — carrier: v2-header — 2026-01-02T03:04:05Z"
    )


@pytest.mark.parametrize(
    ("artefact", "code"),
    [
        ({"header_obj": {"accepts": [{"amount": "1"}]}}, 0),
        ({"body_obj": {"accepts": [{"network": "base"}]}}, 0),
        ({"body_obj": {"accepts": [{"network": "base"}]}, "header_obj": {"accepts": [{"amount": "1"}]}}, 0),
        ({"body_obj": {"accepts": [{"network": "base", "amount": "1"}]}}, 1),
        ({"body_obj": {"accepts": ["x"], "error": "PAYMENT-SIGNATURE"}}, 1),
        ({"body_obj": {}}, 4),
        ({"status": 200, "body_obj": {"accepts": [{"amount": "1"}]}}, 4),
    ],
)
def test_the_exit_code_tells_mismatch_from_nothing_to_grade(artefact: dict[str, Any], code: int) -> None:
    """Decision 6."""
    operation = CHECK.operation("check")
    given = operation.admit({"mode": "submitted", "artefact": artefact})
    assert (
        operation.exit_code(replay(operation.run(given), [Exchange(ask=Now(), answer=At(moment=AT))])) == code
    )


def test_the_corpus_pin_and_outputs_hold() -> None:
    """Decision 5."""
    verdict = verify_corpus(read_corpus())
    assert verdict.differing == ()
    assert verdict.holds


def test_a_corpus_that_differs_is_told_by_case_and_pin() -> None:
    corpus = {**read_corpus()}
    first, *rest = corpus["cases"]
    refused = {**first, "id": "refused", "artefact": {}}
    wrong = {**first, "id": "wrong", "expected": None}
    verdict = verify_corpus({**corpus, "cases": [refused, wrong, *rest]})
    assert verdict.differing[:2] == ("refused", "wrong")
    assert not verdict.pin_holds
    assert not verdict.holds


def test_the_criteria_name_our_corpus_and_the_contracts_literals() -> None:
    """Decision 5: the pin of the contract belongs to a corpus that is not public and is never printed."""
    document = criteria()
    assert document["corpus"] == {"id": "assay-dialect-corpus/v1", "sha256": CORPUS_SHA256}
    assert document["axes"] == list(AXES)
    assert document["price"]["usdc_units_per_call"] == 10000
    assert document["free_tier"] == {"per_day": 100, "min_interval_ms": 5000, "on_exhaustion": "402"}
    assert document["target_fetch"]["timeout_ms"] == 5000
    assert document["target_fetch"]["body_cap_bytes"] == 65536
    assert document["input_contract"]["caps"] == {"body_bytes": 262144}
    assert "9c3d10dc" not in json.dumps(document)


def test_a_precheck_exits_two_on_a_refusal() -> None:
    operation = CHECK.operation("precheck")
    for request, code in (({"mode": "probe", "url": URL}, 0), ({}, 2)):
        given = operation.admit(request)
        report = replay(operation.run(given), [Exchange(ask=Now(), answer=At(moment=AT))])
        assert operation.exit_code(report) == code


def facts_of_every_vector() -> Iterator[DialectFacts]:
    """Give the facts of all handed cases, corpus cases and probes."""
    requests = [case["artefact"] for case in (*cases("dialect/handed.json"), *read_corpus()["cases"])]
    for artefact in requests:
        given = admit({"mode": "submitted", "artefact": artefact})
        assert not isinstance(given, Refusal)
        yield replay(collect(given), [])
    for case in cases("dialect/probe.json"):
        asked = Fetch(url=URL)
        yield replay(collect(Probe(url=URL)), [Exchange(ask=asked, answer=answer_of(case["answer"]))])


def words_of(statement: Any) -> set[Any]:
    """Give what a statement says: a word, or for a tuple each of its parts, or that it is empty."""
    if isinstance(statement, str):
        return {statement}
    return {each.leg or each.name if isinstance(each, Mismatch) else each for each in statement} or {
        "nothing"
    }


ABOUT: Mapping[str, set[str]] = {
    "dialect/client-header-names": {*get_args(ClientHeader), UNDETERMINED},
    "dialect/mixed-signal-leg": {"body", "header", "nothing"},
    "dialect/x402version-contradiction": {"body", "header", "nothing"},
    "dialect/client-header-opposite-carrier": {"PAYMENT-SIGNATURE", "X-PAYMENT", "nothing"},
}
"""What a rule can say that gives more than one word; the others say the words of their own type."""


@pytest.mark.parametrize("judge", CHECK.rules, ids=lambda judge: judge.id)
def test_every_value_a_rule_can_say_is_said_of_a_vector(judge: Rule[DialectFacts, Any]) -> None:
    """CONTRIBUTING, step 4: the "not known" value included."""
    words = ABOUT.get(judge.id) or set(get_args(get_type_hints(judge.judge)["return"]))
    assert len(words) > 1
    assert {word for facts in facts_of_every_vector() for word in words_of(judge(facts))} == words


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        (
            {
                "mode": "submitted",
                "artefact": {"body_obj": 1, "payload_headers": {"X-PAYMENT": "s", "Cookie": "s"}},
            },
            {
                "mode": "submitted",
                "artefact": {"body_obj": 1, "payload_headers": {"X-PAYMENT": "", "Cookie": ""}},
            },
        ),
        (
            {"mode": "submitted", "artefact": {"response_headers": {"Set-Cookie": "s"}, "status": 402}},
            {"mode": "submitted", "artefact": {"response_headers": {"Set-Cookie": ""}, "status": 402}},
        ),
        ({"mode": "probe", "url": URL}, {"mode": "probe", "url": URL}),
        ({"artefact": {"payload_headers": "s"}}, {"artefact": {"payload_headers": "s"}}),
        ([], []),
    ],
)
def test_a_recording_keeps_names_and_not_values_of_submitted_headers(request_: Any, kept: Any) -> None:
    """Style guide, rule 37; the values are never read, so a replay says the same."""
    assert CHECK.operation("check").redact(request_) == kept
