"""Demands of the contract `dialect-check` 1.0.0 that hold for every artefact and every way to fail."""

import ast
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import dialect
from assay402.checks.dialect import CHECK
from assay402.checks.dialect.criteria import criteria
from assay402.core.asks import Answer, Ask, At, Exchange, Failed, Fetch, Fetched, Now, drive, replay
from assay402.core.check import Refusal, read_request
from assay402.core.target import NOTICES as POLICY
from property.strategies import ARTEFACTS, ERRORS, HEADER_SETS, NETWORKS, PAYLOADS

ROOT = Path(__file__).parent.parent.parent
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URL = "https://shop.dev/pay?q=1"
NOTHING_KNOWN = dict.fromkeys(criteria()["axes"], "UNDETERMINED")

AXIS_VALUES = {
    "challenge_carrier": {"v1-body", "v2-header", "both", "none", "UNDETERMINED"},
    "payload_shape": {"top-level", "inside-accepted", "both", "UNDETERMINED"},
    "amount_field_name": {"maxAmountRequired", "amount", "both", "UNDETERMINED"},
    "network_id_form": {"CAIP-2", "slug", "both", "UNDETERMINED"},
    "receipt_headers": {"X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE", "both", "none", "UNDETERMINED"},
}
CLIENT_HEADERS = ["PAYMENT-SIGNATURE", "X-PAYMENT", "X-Payment-Tx"]
MISMATCHES = [
    {"axis": "network_id_form", "code": "mixed-signal-leg", "leg": "body"},
    {"axis": "network_id_form", "code": "mixed-signal-leg", "leg": "header"},
    {"axis": "challenge_carrier", "code": "x402version-contradiction", "leg": "body"},
    {"axis": "challenge_carrier", "code": "x402version-contradiction", "leg": "header"},
    {"axis": "client_header_names", "code": "client-header-opposite-carrier", "name": "PAYMENT-SIGNATURE"},
    {"axis": "client_header_names", "code": "client-header-opposite-carrier", "name": "X-PAYMENT"},
]
REPORT_LINE = re.compile(
    "X402 DIALECT REPORT — dialect: (v1|v2|dual-stack|mixed|undetermined|not-a-402)"
    " — carrier: (v1-body|v2-header|both|none|UNDETERMINED) — 2026-01-02T03:04:05Z"
)


def graded(artefact: dict[str, Any]) -> dict[str, Any]:
    return dialect.check({"mode": "submitted", "artefact": artefact}, now=AT)


def probed(answer: Answer) -> dict[str, Any]:
    operation = CHECK.operation("check")
    exchanges = [Exchange(ask=Fetch(url=URL), answer=answer), Exchange(ask=Now(), answer=At(moment=AT))]
    return operation.publish(replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges))


def test_the_criteria_repeat_the_literals_of_the_contract() -> None:
    """Identifiers, figures, paths and the ledger's fields are the contract's own; only the corpus is ours."""
    document = criteria()
    assert [document[name] for name in ("criteria_id", "criteria_revision", "family", "op", "ops_not_offered")] == [
        "payability/v1", "1.0.0", "payability", "check", [],
    ]  # fmt: skip
    assert (document["service"], document["version"]) == ("dialect-check", "1.0.0")
    assert document["price"] == {"usdc_units_per_call": 10000, "label": "$0.01", "basis": "per endpoint"}
    assert (document["target_fetch"]["method"], document["target_fetch"]["auth"]) == ("GET", "none")
    assert document["verdict_grammar"]["line"].startswith(
        "X402 DIALECT REPORT — dialect: <SUMMARY> — carrier: <CARRIER> — <"
    )
    assert document["custody"]["ledger_closed_fields"] == [
        "payer wallet",
        "timestamp/day",
        "price (USDC units) with the CAD fair-market-value block (rate, rate date, basis, cad_pending, refund)",
        "payment tx id + Solana fee (lamports)",
        "criteria version",
        "report line",
        "dialect summary",
        "challenge carrier",
        "house flag",
    ]
    paths = {name: " ".join(text.split()[:2]) for name, text in document["endpoints"].items()}
    assert paths == {
        "criteria": "GET /criteria",
        "precheck": "POST /precheck",
        "check": "POST /check",
        "metrics": "GET /metrics",
        "not_offered": "Any other",
    }


def test_report_and_precheck_carry_the_published_identifiers_and_sentences() -> None:
    """`disclosure_sentence`, `honesty_line`, `retention`, `boundary_statement`."""
    document = criteria()
    published = {
        **{
            name: document[name]
            for name in ("service", "version", "criteria_id", "criteria_revision", "corpus")
        },
        "disclosure": document["disclosure_sentence"],
        "honesty": document["honesty_line"],
        "retention": document["retention"],
    }
    request = {"mode": "submitted", "artefact": {"body_obj": {}}}
    precheck, report = dialect.precheck(request), dialect.check(request)
    assert {name: precheck[name] for name in published} == published
    assert {name: report[name] for name in published} == published
    assert report["boundary"] == document["boundary_statement"]


def test_a_request_as_long_as_the_cap_passes_and_one_byte_more_is_refused() -> None:
    """`input_contract.over_cap` and reading A48: raw bytes of the request, blanks included."""
    operation = CHECK.operation("check")
    request = b'{"mode":"submitted","artefact":{"body_obj":{}}}'
    longest = request + b" " * (262_144 - len(request))
    assert not isinstance(operation.admit(read_request(longest, operation.request_bytes)), Refusal)
    refused = operation.admit(read_request(longest + b" ", operation.request_bytes))
    assert refused.published() == {"refused": True, "code": "over_cap", "length": 262_145, "cap": 262_144}


STATES = (
    "unreachable", "tls", "deadline", "header_cap", "body_cap", "wire_cap", "protocol", "dns_no_answer",
    "dns_too_many",
)  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_a_fetch_that_fails_is_reported_with_no_axis_determined(state: str) -> None:
    """`target_safety`: a named state, never an error."""
    report = probed(Failed(state=state, detail="phase"))
    assert (report["dialect"], report["axes"], report["mismatches"]) == ("not-a-402", NOTHING_KNOWN, [])
    assert report["probe_state"] == state


def test_an_answer_other_than_402_is_reported_with_no_axis_determined() -> None:
    """`target_safety`: a redirect is graded as received."""
    challenge = b'{"accepts":[{"amount":"1","network":"base"}],"error":"X-PAYMENT"}'
    for status in (200, 301, 307, 308, 401, 404, 405, 503):
        headers = (("Location", "/elsewhere"), ("PAYMENT-RESPONSE", "e30="))
        report = probed(Fetched(status=status, headers=headers, body=challenge))
        assert (report["dialect"], report["axes"], report["mismatches"]) == ("not-a-402", NOTHING_KNOWN, [])
        assert report["probe_state"] == "answered"


@pytest.mark.parametrize("code", sorted(POLICY))
def test_an_address_refused_after_the_look_up_is_a_refusal_and_no_report(code: str) -> None:
    """Decision 8: the refusal a literal address gets; the time is not even asked for."""
    operation = CHECK.operation("check")
    exchanges = [Exchange(ask=Fetch(url=URL), answer=Failed(state=code))]
    answer = replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges)
    assert answer.published() == {"refused": True, "code": code}


@pytest.mark.parametrize(
    ("name", "request_", "asked"),
    [
        ("check", {"mode": "probe", "url": URL}, [Fetch(url=URL), Now()]),
        ("check", {"mode": "submitted", "artefact": {"payment_required_header": "e30="}}, [Now()]),
        ("precheck", {"mode": "probe", "url": URL}, [Now()]),
        ("precheck", {"mode": "submitted", "artefact": {"body_obj": {}}}, [Now()]),
        ("precheck", {"mode": "probe", "url": "http://10.0.0.1/"}, [Now()]),
    ],
)
def test_a_probe_asks_for_one_fetch_and_nothing_else_asks_for_any(
    name: str, request_: Any, asked: list[Ask]
) -> None:
    """`target_safety`, `free_precheck` and `boundary_statement`."""
    operation = CHECK.operation(name)
    asks: list[Ask] = []

    def answerer(ask: Ask) -> Answer:
        asks.append(ask)
        return At(moment=AT) if isinstance(ask, Now) else Fetched(status=402, headers=(), body=b"{}")

    drive(operation.run(operation.admit(request_)), answerer)
    assert asks == asked


def test_the_precheck_does_not_look_into_an_artefact() -> None:
    """`free_precheck`: assessability only, whatever the artefact says."""
    bodies: list[Any] = [{}, [], {"accepts": [{"amount": "1", "network": "base"}]}, "text"]
    shown = [
        dialect.precheck({"mode": "submitted", "artefact": {"status": status, "body_obj": body}}, now=AT)
        for status in (402, 200)
        for body in bodies
    ]
    assert all(each == shown[0] for each in shown)
    assert shown[0]["in_policy"]


def test_an_artefact_that_shows_nothing_is_undetermined_on_every_axis() -> None:
    """`undetermined_rule`: the same string everywhere, lists included."""
    assert graded({"payload_obj": {}})["axes"] == NOTHING_KNOWN


Put = Callable[[dict[str, Any], Any], dict[str, Any]]


def in_artefact(member: str) -> Put:
    return lambda artefact, value: {**artefact, member: value}


def in_legs(member: str) -> Put:
    def put(artefact: dict[str, Any], value: Any) -> dict[str, Any]:
        legs = {
            name: artefact[name]
            for name in ("body_obj", "header_obj")
            if isinstance(artefact.get(name), dict)
        }
        return {**artefact, **{name: {**leg, member: value} for name, leg in legs.items()}}

    return put


def in_entries(member: str) -> Put:
    def put(artefact: dict[str, Any], value: Any) -> dict[str, Any]:
        changed = dict(artefact)
        for name in ("body_obj", "header_obj"):
            leg = artefact.get(name)
            if isinstance(leg, dict) and "accepts" in leg:
                entries = [
                    {**entry, member: value} if isinstance(entry, dict) else entry for entry in leg["accepts"]
                ]
                changed[name] = {**leg, "accepts": entries}
        return changed

    return put


def as_legs(artefact: dict[str, Any], value: Any) -> dict[str, Any]:
    body, header = value
    return {**artefact, "body_obj": {"accepts": body}, "header_obj": {"accepts": header}}


CARRIERS: st.SearchStrategy[Any] = st.tuples(st.sampled_from([[], [{}]]), st.sampled_from([[], [{}]]))
AMOUNTS: st.SearchStrategy[Any] = st.sampled_from(["1", 1, None])
VERSIONS: st.SearchStrategy[Any] = st.sampled_from([1, 2, None])


@pytest.mark.parametrize(
    ("axis", "values", "put"),
    [
        ("challenge_carrier", CARRIERS, as_legs),
        ("client_header_names", HEADER_SETS, in_artefact("payload_headers")),
        ("client_header_names", ERRORS, in_legs("error")),
        ("payload_shape", PAYLOADS, in_artefact("payload_obj")),
        ("amount_field_name", AMOUNTS, in_entries("amount")),
        ("amount_field_name", AMOUNTS, in_entries("maxAmountRequired")),
        ("network_id_form", NETWORKS, in_entries("network")),
        ("receipt_headers", HEADER_SETS, in_artefact("response_headers")),
        (None, VERSIONS, in_legs("x402Version")),
    ],
    ids=[
        "carrier",
        "request headers",
        "error texts",
        "payload",
        "amount",
        "maxAmountRequired",
        "network",
        "receipts",
        "version",
    ],
)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_a_source_moves_its_own_axis_and_no_other(
    axis: str | None, values: st.SearchStrategy[Any], put: Put, data: st.DataObject
) -> None:
    """`undetermined_rule`: no axis is inferred from another."""
    artefact = data.draw(ARTEFACTS)
    one, other = (graded(put(artefact, data.draw(values)))["axes"] for _ in range(2))
    assert {name for name in one if one[name] != other[name]} <= {axis}


FIXED = {
    **{
        name: criteria()[name]
        for name in ("service", "version", "criteria_id", "criteria_revision", "corpus", "op")
    },
    "mode": "submitted",
    "checked_at": "2026-01-02T03:04:05Z",
    "disclosure": criteria()["disclosure_sentence"],
    "honesty": criteria()["honesty_line"],
    "retention": criteria()["retention"],
    "boundary": criteria()["boundary_statement"],
}


@given(ARTEFACTS)
@settings(deadline=None, max_examples=200)
def test_a_report_is_made_of_closed_words_and_fixed_sentences(artefact: dict[str, Any]) -> None:
    """`verdict_grammar`, `forbidden`: no score, no verdict on payability, no promise, nothing of the artefact."""
    report = graded(artefact)
    assert {name: report[name] for name in FIXED} == FIXED
    assert report.keys() - FIXED == {"dialect", "axes", "mismatches", "report_line"}
    line = REPORT_LINE.fullmatch(report["report_line"])
    assert line is not None
    assert line.groups() == (report["dialect"], report["axes"]["challenge_carrier"])
    names = report["axes"].pop("client_header_names")
    assert names == "UNDETERMINED" or (names and names == [name for name in CLIENT_HEADERS if name in names])
    assert report["axes"].keys() == AXIS_VALUES.keys()
    assert all(value in AXIS_VALUES[axis] for axis, value in report["axes"].items())
    assert all(mismatch in MISMATCHES for mismatch in report["mismatches"])


def test_the_second_implementation_of_the_rules_uses_nothing_of_the_package() -> None:
    """`corpus_pin_definition`: expected outputs never come from the engine's own code."""
    sources = [*(ROOT / "tools").glob("dialect_*.py"), ROOT / "tools" / "gen_dialect_corpus.py"]
    assert len(sources) > 4
    for source in sources:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                imported = [node.module or ""]
            else:
                continue
            assert not [name for name in imported if name.split(".")[0] in {"assay402", "importlib"}], (
                source.name
            )
