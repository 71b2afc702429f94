"""The function tables of the handed cases, and what a request may hold."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from assay402.checks.listing import CHECK
from assay402.checks.listing.collect import manifest_url
from assay402.checks.listing.model import (
    ChallengeRead,
    CheckName,
    Facts,
    Finding,
    Kind,
    Listed,
    ListingInput,
    ListingReport,
    Manifest,
    ProbeRecord,
    Queried,
    Reached,
    Settle,
    Try,
    Unread,
    Verdict,
)
from assay402.checks.listing.reading.captures import echoes_nothing, lacks_resource_object
from assay402.checks.listing.reading.catalogue import host_paths
from assay402.checks.listing.reading.challenge import read_challenge
from assay402.checks.listing.reading.facilitators import (
    declared_facilitator,
    is_non_cdp,
    known_facilitators,
    resolve_facilitator,
)
from assay402.checks.listing.reading.liveness import cause_of_failure, consensus, new_record, read_records
from assay402.checks.listing.reading.words import trouble
from assay402.checks.listing.rules.metadata import propagation
from assay402.checks.listing.rules.verdict import Judged, verdict
from assay402.core.asks import Answer, Ask, At, Failed, Fetched, Now, Recall, Recalled, drive
from assay402.core.check import Refusal, read_request
from assay402.core.strictjson import Number
from assay402.wire.weburl import parse_web_url
from vectors import VECTORS, cases

TABLES = {
    table["function"].split("(")[0].split(",")[0].split(":")[0].strip(): table
    for table in reversed(json.loads((VECTORS / "listing" / "handed.json").read_bytes())["function_tables"])
}
QUIRKS = next(
    table
    for table in json.loads((VECTORS / "listing" / "handed.json").read_bytes())["function_tables"]
    if "quirks" in table["function"]
)
COMPAT = ListingInput(url="https://x.test/", profile="compat", facilitators=known_facilitators())
NOW = datetime(2026, 5, 30, 12, 0, tzinfo=UTC)
UP = Reached(tries=(Try(answer=Fetched(status=402, headers=(), body=b""), milliseconds=1),), at=NOW)
DOWN = Reached(tries=(Try(answer=Failed(state="dns_no_answer"), milliseconds=1),), at=NOW)


def rows(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", TABLES[name]["rows"], ids=lambda row: str(row[:2])[:60])


def facts(given: ListingInput, **more: Any) -> Facts:
    plain: dict[str, Any] = {
        "manifest_url": "",
        "manifest": None,
        "challenge_url": "",
        "challenge": Unread(key="unreadable"),
        "indexing": (),
        "propagation": None,
        "merchant": None,
        "declared": None,
        "inferred": None,
        "probed": (),
        "reached": UP,
    }
    return Facts(given=given, **{**plain, **more})


@rows("well_known_url")
def test_the_manifest_stands_at_the_root_of_the_origin(row: Any) -> None:
    assert manifest_url(ListingInput(url=row[0])) == row[1]


@rows("resolve_facilitator")
def test_a_declared_facilitator_is_found_as_the_reference_finds_it(row: Any) -> None:
    found = resolve_facilitator(COMPAT, row[0])
    assert (found.id if found else None) == row[1]


@pytest.mark.parametrize("row", QUIRKS["rows"], ids=lambda row: row[0])
def test_the_text_comparison_of_the_reference_is_kept_for_it_alone(row: Any) -> None:
    """Section 10: even `https:` is CDP there. The default profile compares hosts and whole segments."""
    found = resolve_facilitator(COMPAT, row[0])
    assert (found.id if found else None) == row[1]
    ours = resolve_facilitator(ListingInput(url="https://x.test/", facilitators=known_facilitators()), row[0])
    by_address = {"https://x402.org": "x402-org", "https://api.cdp.coinbase.com/": "cdp"}
    by_address["http://api.cdp.coinbase.com"] = "cdp"
    assert (ours.id if ours else None) == by_address.get(row[0])


@rows("detect_facilitator")
def test_another_facilitator_than_cdp_is_told_as_the_reference_tells_it(row: Any) -> None:
    declared = declared_facilitator([{"extensions": {"bazaar": {"facilitator": row[0]}}}])
    found = "unknown" if declared is None else "non-cdp" if is_non_cdp(declared) else "cdp"
    assert found == row[1]


@rows("parse_resource_url")
def test_a_listed_address_is_split_into_host_and_path(row: Any) -> None:
    url = parse_web_url(row[0])
    assert (None if url is None else {"host": url.host_and_port, "path": url.path}) == row[1]


@rows("find_host_pollution")
def test_paths_on_several_hosts_are_found(row: Any) -> None:
    found = host_paths({"resource": url} for url in row[0])
    paths = [{"resource_path": path, "hosts": list(hosts)} for path, hosts in found.polluted]
    said = {
        "polluted_paths": paths,
        "polluted_path_count": len(paths),
        "total_entries": found.entries,
        "distinct_hosts": found.hosts,
        "polluted_path_order": [each["resource_path"] for each in paths],
        "hosts_of_first": paths[0]["hosts"] if paths else None,
    }
    assert {name: said[name] for name in row[1]} == row[1]


NODE_ERRORS: Mapping[str, Failed] = {
    "AbortError": Failed(state="deadline", detail="headers"),
    "UND_ERR_ABORTED": Failed(state="deadline", detail="body"),
    "ENOTFOUND": Failed(state="dns_no_answer"),
    "EAI_AGAIN": Failed(state="deadline", detail="dns"),
    "ESERVFAIL": Failed(state="dns_no_answer"),
    "ECONNREFUSED": Failed(state="unreachable", detail="refused"),
    "EHOSTUNREACH": Failed(state="unreachable", detail="no_route"),
    "ENETUNREACH": Failed(state="unreachable", detail="no_route"),
    "CERT_": Failed(state="tls"),
    "ERR_TLS_": Failed(state="tls"),
    "UNABLE_TO_": Failed(state="tls"),
    "EPROTO": Failed(state="tls"),
    "matches tls": Failed(state="tls"),
    "no recognised code": Failed(state="unreachable", detail="reset"),
    "not an error object": Failed(state="protocol"),
}
"""What each error of the reference's runtime is here."""


@rows("classify_fetch_error")
def test_a_failed_request_has_the_reference_cause(row: Any) -> None:
    failed = next(failed for name, failed in NODE_ERRORS.items() if name in row[0])
    cause, is_known = cause_of_failure(failed)
    assert (cause if is_known else None) == row[1]
    assert is_known or cause == "timeout"


@rows("consensus")
def test_consensus_is_reached_as_in_the_reference(row: Any) -> None:
    history, cause, threshold, multiplier, wanted, _ = row
    given = ListingInput(
        url="https://x.test/", profile="compat", consensus_count=threshold, interval_multiplier=multiplier
    )
    *earlier, last = history or [[None, None]]
    records = tuple(ProbeRecord(t=t, attempt_seq=1, cause=each) for t, each in earlier)
    at = NOW if last[0] is None else datetime.fromisoformat(last[0])
    found = consensus(given, Reached(tries=DOWN.tries, at=at, earlier=records), cause)
    assert (found.met, found.window_ms) == (wanted["met"], wanted["windowMs"])
    # The table counts no run where the last records disagree; here the run is what agrees at the end.
    if wanted["consecutiveMatching"]:
        assert found.run == wanted["consecutiveMatching"]


@rows("next_attempt_seq")
def test_the_next_attempt_has_the_next_number(row: Any) -> None:
    records = tuple(ProbeRecord(t="", attempt_seq=each, cause=None) for each in row[0])
    written = json.loads(new_record(COMPAT, Reached(tries=UP.tries, at=NOW, earlier=records)))
    assert written["attempt_seq"] == row[1]
    assert list(written) == ["event", "t", "service_url", "attempt_seq", "unreachable_cause", "latency_ms"]


def capture(row: Any) -> ListingInput:
    payload = None if row is None else row["paymentPayload"]
    return ListingInput(url="https://x.test/", payment_payload=payload)


@rows("K rule 1")
def test_a_bare_url_as_resource_is_told(row: Any) -> None:
    assert lacks_resource_object(capture(row[0])) is row[1]


@rows("K rule 2")
def test_a_settlement_without_an_echo_is_told(row: Any) -> None:
    settle = None if row[0] is None else Settle(**row[0])
    assert echoes_nothing(ListingInput(url="https://x.test/", settle=settle), row[1]) is row[2]


@rows("upstream_stuck.cause")
def test_a_stuck_listing_has_the_cause_of_the_captures(row: Any) -> None:
    payloads: dict[bool | None, Any] = {True: {"resource": "https://x"}, False: {"resource": {}}, None: None}
    settles: dict[bool | None, Settle | None] = {
        True: Settle(status=200, headers={"extension-responses": "e30="}),
        False: Settle(status=200, headers={}),
        None: None,
    }
    given = ListingInput(
        url="https://x.test/", profile="compat", payment_payload=payloads[row[0]], settle=settles[row[1]]
    )
    findings = statuses({"indexing": "info (detail.indexer_state=processing)"})
    findings["challenge"] = Finding(
        check="challenge", status="pass", message="", detail={"challengeExtensions": {"bazaar": {}}}
    )
    assert verdict(Judged(facts=facts(given), findings=findings)).cause == row[2]


def statuses(named: Mapping[str, str]) -> dict[CheckName, Finding]:
    found: dict[CheckName, Finding] = {}
    for name in get_args(CheckName):
        if name in named:
            text = named[name]
            detail: Any = {"indexer_state": "processing"} if "indexer_state" in text else None
            if name == "reachability":
                met = "consensus_met" in text
                detail = {"reachability": {"consensus_met": met, "probe_count": 3}}
            status: Any = text.split()[0]
            found[name] = Finding(check=name, status=status, message="", detail=detail)
    return found


@rows("synthesise_verdict")
def test_findings_come_to_the_verdict_of_the_reference(row: Any) -> None:
    reached = DOWN
    if "5xx" in row[0].get("reachability", ""):
        answer = Fetched(status=503, headers=(), body=b"")
        reached = Reached(tries=(Try(answer=answer, milliseconds=1),), at=NOW)
    judged = Judged(facts=facts(COMPAT, reached=reached), findings=statuses(row[0]))
    said = verdict(judged)
    published = CHECK.operation("check").publish(ListingReport(given=COMPAT, findings=(), verdict=said))
    found = {**published["verdict"], "unused": None}
    assert {name: found[name] for name in row[1]} == row[1]


@rows("compute_propagation_status")
def test_a_difference_has_the_state_of_the_reference(row: Any) -> None:
    manifest = {"name": "same", "description": "same"} | {each["field"]: each["manifest"] for each in row[0]}
    shown = {"name": "same", "description": "same"} | {each["field"]: each["indexer"] for each in row[0]}
    queried = Queried(url="", found=Listed(rows=(shown,), count=1))
    challenge = ChallengeRead(sent={}, carrier="body", pay_to="0x1", payees=("0x1",), is_v2=False)
    found = propagation(
        facts(COMPAT, manifest=Manifest(sent=manifest), challenge=challenge, propagation=queried)
    )
    assert found.detail is not None
    assert found.detail["metadata_propagation"] == row[2]
    assert found.detail.get("diff", []) == row[0]


@pytest.mark.parametrize("case", cases("listing/admission.json"), ids=lambda case: case["id"])
def test_a_request_is_admitted_or_refused_by_code(case: Any) -> None:
    operation = CHECK.operation("check")
    source = case.get("source", json.dumps(case.get("request"))).encode()
    given = operation.admit(
        read_request(source, operation.request_bytes), allow_private=case.get("allow_private", False)
    )
    assert (given.published() if isinstance(given, Refusal) else None) == case["refusal"]


def test_values_of_a_python_caller_are_taken_as_they_are() -> None:
    given = CHECK.operation("check").admit({"url": "https://a.dev/", "timeout_ms": 1.5})
    assert isinstance(given, ListingInput)
    assert given.timeout_ms == 2
    assert given.interval_multiplier == 1.0
    number = CHECK.operation("check").admit({"url": "https://a.dev/", "timeout_ms": Number("1e3")})
    assert isinstance(number, ListingInput)
    assert number.timeout_ms == 1000


def test_without_a_network_the_check_is_refused() -> None:
    operation = CHECK.operation("check")
    refusal = operation.offline(operation.admit({"url": "https://a.dev/"}))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "check_needs_network"


@pytest.mark.parametrize("profile", ["default", "compat"])
def test_a_refused_address_is_named_by_its_code(profile: Any) -> None:
    given = ListingInput(url="https://a.dev/", profile=profile)
    assert "addr_private" in trouble(given, Failed(state="addr_private"))


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ([], []),
        ({"url": "u"}, {"url": "u"}),
        (
            {"payload_capture": {"resource": "https://x", "payload": 1}},
            {"payload_capture": {"paymentPayload": {"resource": ""}}},
        ),
        (
            {"payload_capture": {"paymentPayload": {"resource": 7}}},
            {"payload_capture": {"paymentPayload": {"resource": {}}}},
        ),
        ({"payload_capture": {"payload": 1}}, {"payload_capture": {"paymentPayload": {}}}),
        ({"payload_capture": "secret"}, {"payload_capture": {"paymentPayload": None}}),
    ],
)
def test_a_recording_keeps_the_form_of_a_capture_alone(request_: Any, kept: Any) -> None:
    assert CHECK.operation("check").redact(request_) == kept


@pytest.mark.parametrize("profile", ["default", "compat"])
def test_a_history_log_that_cannot_be_read_refuses_the_run(profile: str) -> None:
    """Section 4: on standard error, exit 1."""

    def answerer(ask: Ask) -> Answer:
        match ask:
            case Now():
                return At(moment=NOW)
            case Recall():
                return Failed(state="no_memory")
            case _:
                return Failed(state="dns_no_answer")

    operation = CHECK.operation("check")
    given = operation.admit({"url": "https://a.dev/", "profile": profile, "history": True})
    assert drive(operation.run(given), answerer) == Refusal(code="history_unreadable")


def test_a_remembered_line_that_is_no_record_is_damaged() -> None:
    assert read_records(Recalled(records=("nope", "[]", "{}"), damaged=1)) == ((), 4)


def test_the_exit_codes_are_the_contracts() -> None:
    operation = CHECK.operation("check")
    said = [Verdict(kind=kind, message="") for kind in get_args(Kind)]
    reports = [ListingReport(given=COMPAT, findings=(), verdict=each) for each in said]
    assert [operation.exit_code(report) for report in reports] == [0, 2, 3, 3, 3]


@pytest.mark.parametrize("body", [b"[]", b"1", b"null", b'"x"'])
def test_a_challenge_that_is_no_object_is_told_so_under_the_references_rules(body: bytes) -> None:
    given = CHECK.operation("check").admit({"url": "https://shop.dev/pay", "profile": "compat"})
    assert isinstance(given, ListingInput)
    read = read_challenge(given, Fetched(status=402, headers=(), body=body))
    assert read == Unread(key="not_object", status=402)
