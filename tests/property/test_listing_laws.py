"""Laws of the listing check over generated worlds, in memory: no exception, a valid report, what is missing helps nobody."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import listing
from assay402.checks.listing import CHECK
from assay402.checks.listing.model import ListingInput, ListingReport
from assay402.core.asks import (
    Answer,
    Answered,
    Ask,
    At,
    Exchange,
    Failed,
    Fetch,
    Fetched,
    Now,
    Paused,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Together,
    drive,
    replay,
)
from assay402.core.strictjson import write
from vectors import cases

OPERATION = CHECK.operation("check")
SCHEMA = jsonschema_rs.validator_for(listing.schema())
CLEAN: Any = next(case for case in cases("listing/default.json") if case["id"] == "clean")
URL = CLEAN["request"]["url"]
MOCKS: dict[str, Any] = CLEAN["mocks"]
NOW = datetime(2026, 11, 30, tzinfo=UTC)
RANK = {"pass": 0, "info": 1, "fail": 2}

names = st.sampled_from(
    [
        "name",
        "description",
        "accepts",
        "extensions",
        "bazaar",
        "info",
        "input",
        "output",
        "schema",
        "type",
        "method",
        "payTo",
        "resource",
        "items",
        "resources",
        "pagination",
        "total",
        "facilitator",
        "serviceName",
        "tags",
        "iconUrl",
        "url",
        "x402Version",
        "quality",
        "routeTemplate",
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["bazaar", URL, "cdp"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
statuses = st.sampled_from([200, 204, 302, 400, 402, 404, 429, 500, 503])
headers = st.lists(
    st.tuples(
        st.sampled_from(["PAYMENT-REQUIRED", "Location", "Content-Type"]),
        values.map(lambda value: base64.b64encode(json.dumps(value).encode()).decode()) | st.text(max_size=5),
    ),
    max_size=2,
)
failures = st.builds(
    Failed,
    state=st.sampled_from(
        ["dns_no_answer", "unreachable", "tls", "deadline", "protocol", "redirects", "addr_private"]
    ),
    detail=st.sampled_from([None, "dns", "connect", "refused", "reset", "body"]),
    status=st.none() | statuses,
)
answers = (
    st.builds(
        lambda status, pairs, body: Fetched(status=status, headers=tuple(pairs), body=body),
        statuses,
        headers,
        values.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=12),
    )
    | failures
)


def answering(overrides: dict[str, Any], log: tuple[str, ...] = ()) -> Any:
    """Answer from the clean world, with some addresses answering otherwise."""

    def answerer(ask: Ask) -> Answer:
        match ask:
            case Fetch(url=url):
                return overrides[url] if url in overrides else clean(url)
            case Now():
                return At(moment=NOW)
            case Recall():
                return Recalled(records=log)
            case Remember():
                return Remembered()
            case Together(asks=asks):
                return Answered(answers=tuple(answerer(each) for each in asks))  # type: ignore[misc]  # (fetches)
            case _:
                return Paused()

    return answerer


def clean(url: str) -> Fetched:
    mock = MOCKS.get(url, {"status": 404})
    body = json.dumps(mock["body"]).encode() if "body" in mock else b""
    return Fetched(status=mock["status"], headers=tuple(mock.get("headers", {}).items()), body=body)


def report_of(answerer: Any, **more: Any) -> ListingReport:
    given_input = OPERATION.admit({"url": URL, **more}, allow_private=True)
    assert isinstance(given_input, ListingInput)
    report = drive(OPERATION.run(given_input), answerer)
    assert isinstance(report, ListingReport)
    return report


def published(report: ListingReport) -> Any:
    plain = json.loads(write(OPERATION.publish(report)))
    SCHEMA.validate(plain)
    return plain


profiles = st.sampled_from(["default", "compat"])


@settings(deadline=None, max_examples=300)
@given(profile=profiles, overrides=st.dictionaries(st.sampled_from(sorted(MOCKS)), answers, max_size=5))
def test_any_world_ends_in_a_valid_report(profile: str, overrides: dict[str, Any]) -> None:
    """Never an exception, always the contract's shape, and the exit code of its verdict."""
    report = report_of(answering(overrides), profile=profile)
    plain = published(report)
    assert OPERATION.exit_code(report) == plain["verdict"]["exitCode"]
    failed = [each["check"] for each in plain["results"] if each["status"] == "fail"]
    assert plain["verdict"].get("failedChecks", []) in (failed, [])
    assert bool(failed) is (plain["verdict"]["kind"] == "implementation_issue")


@settings(deadline=None, max_examples=200)
@given(missing=st.sets(st.sampled_from(sorted(MOCKS)), min_size=1), failure=failures, profile=profiles)
def test_what_is_missing_never_improves_a_finding(missing: set[str], failure: Failed, profile: str) -> None:
    """An answer that did not come makes no `fail` or `info` a `pass`, except where nothing is asked any more."""
    worse = {URL: Fetched(status=200, headers=(), body=b"{}")} if URL not in missing else {}
    before = report_of(answering(worse), profile=profile)
    after = report_of(answering({**worse, **dict.fromkeys(missing, failure)}), profile=profile)
    for was, now in zip(before.findings, after.findings, strict=True):
        if was.check in ("well-known", "challenge", "indexing", "reachability"):
            is_outage = was.status == "fail" and now.status == "info"
            assert RANK[now.status] >= RANK[was.status] or is_outage, was.check
    assert after.verdict.kind != "looks_correct"


stamps = st.integers(-7_200, 60).map(lambda seconds: (NOW + timedelta(seconds=seconds)).isoformat())
records = st.fixed_dictionaries(
    {
        "event": st.just("bazaar.probe_attempt"),
        "t": stamps | st.text(max_size=5),
        "service_url": st.just(URL),
        "attempt_seq": st.integers(0, 9) | st.none(),
        "unreachable_cause": st.sampled_from([None, "dns_failure", "timeout"]),
        "latency_ms": st.integers(0, 9),
    }
)


@settings(deadline=None, max_examples=200)
@given(log=st.lists(records, max_size=6), profile=profiles, count=st.integers(1, 4))
def test_a_record_of_an_answer_never_makes_a_service_unreachable(
    log: list[Any], profile: str, count: int
) -> None:
    """Consensus needs as many agreeing records as it says, whatever the log holds."""
    down = dict.fromkeys([URL, *(url for url in MOCKS if "well-known" in url)], Failed(state="dns_no_answer"))
    lines = tuple(json.dumps(each) for each in log)
    report = report_of(
        answering(down, lines), profile=profile, history=True, unreachable_consensus_count=count
    )
    published(report)
    agreeing = sum(each["unreachable_cause"] == "dns_failure" for each in log) + 1
    if report.verdict.kind == "service_unreachable":
        assert agreeing >= count
    answered = [*lines, json.dumps({**_ANSWERED, "t": (NOW - timedelta(seconds=1)).isoformat()})]
    again = report_of(
        answering(down, tuple(answered)), profile=profile, history=True, unreachable_consensus_count=count
    )
    if count > 1 and not any(each["t"] >= answered_at(answered[-1]) for each in log):
        assert again.verdict.kind != "service_unreachable"


_ANSWERED = {
    "event": "bazaar.probe_attempt",
    "service_url": URL,
    "attempt_seq": 1,
    "unreachable_cause": None,
    "latency_ms": 1,
}


def answered_at(line: str) -> str:
    return str(json.loads(line)["t"])


@settings(deadline=None, max_examples=60)
@given(profile=profiles, overrides=st.dictionaries(st.sampled_from(sorted(MOCKS)), answers, max_size=4))
def test_every_run_replays_to_the_same_report(profile: str, overrides: dict[str, Any]) -> None:
    exchanges: list[Exchange] = []
    answerer = answering(overrides)

    def recording(ask: Ask) -> Answer:
        exchanges.append(Exchange(ask=ask, answer=answerer(ask)))
        return exchanges[-1].answer

    report = report_of(recording, profile=profile)
    replayed = replay(OPERATION.run(report.given), exchanges)
    assert isinstance(replayed, ListingReport)
    assert published(replayed) == published(report)
