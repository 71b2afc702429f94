"""Bounds of what is asked and repeated, readings of numbers and spellings, and the shape of the report."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import jsonschema_rs
import pytest

from assay402 import listing
from assay402.checks.listing import CHECK
from assay402.checks.listing.model import ChallengeRead, ListingInput
from assay402.checks.listing.reading.captures import lacks_resource_object
from assay402.checks.listing.reading.catalogue import Page, host_paths, listed
from assay402.checks.listing.reading.challenge import read_challenge
from assay402.checks.listing.reading.facilitators import (
    known_facilitators,
    read_registry,
    resolve_facilitator,
)
from assay402.checks.listing.reading.liveness import read_records
from assay402.checks.listing.reading.words import MAX_SHOWN, shortened
from assay402.core.asks import Answer, Ask, At, Fetch, Fetched, Now, Pause, Paused, Recalled, drive
from assay402.core.check import Refusal
from assay402.core.strictjson import JSON
from vectors import VECTORS

COMPAT = ListingInput(url="https://x.test/", profile="compat", facilitators=known_facilitators())
NOW = datetime(2026, 5, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("version", "is_two"), [("2", True), ("2.0", True), ("2e0", True), ("1", False), ("2.5", False)]
)
def test_the_compat_profile_knows_one_kind_of_number(version: str, is_two: bool) -> None:
    """The reference's runtime reads 2.0 and 2e0 as 2, and then wants `amount` and no `resource`."""
    entry = dict.fromkeys(("scheme", "network", "amount", "payTo", "asset"), "x")
    body = f'{{"x402Version":{version},"accepts":[{json.dumps(entry)}]}}'.encode()
    read = read_challenge(COMPAT, Fetched(status=402, headers=(), body=body))
    assert isinstance(read, ChallengeRead) is is_two


def test_polluted_paths_stand_in_the_order_of_a_dictionary() -> None:
    """The reference sorts them by locale: marks, digits, then letters of either case together, lower case first."""
    paths = ["/b", "/B", "/a/b", "/a_b", "/A", "/a", "/a-b", "/a1", "/C", "/%C3%BC", "/1"]
    hosts = [{"resource": f"https://{host}.dev{path}"} for path in paths for host in "ab"]
    found = [path for path, _ in host_paths(hosts).polluted]
    wanted = ["/%C3%BC", "/1", "/a", "/A", "/a_b", "/a-b", "/a/b", "/a1", "/b", "/B", "/C"]
    assert found == wanted


def test_a_registry_is_compared_without_case_or_blanks_on_either_side() -> None:
    entry: JSON = {
        "id": "mine",
        "names": [" Mine "],
        "urls": ["https://Pay.Mine.dev/X402"],
        "verify": None,
        "catalogue": None,
    }
    registry = read_registry({"facilitators": [entry]})
    assert registry is not None
    given = ListingInput(url="https://x.test/", facilitators=registry)
    for declared in ("mine", "MINE", "https://pay.mine.dev/x402/", "HTTPS://PAY.MINE.DEV/X402/verify"):
        found = resolve_facilitator(given, declared)
        assert found is not None, declared


def test_what_a_detail_repeats_is_bounded() -> None:
    long = "x" * 5_000_000
    assert shortened(long) == "x" * MAX_SHOWN + "…"
    assert shortened("x" * MAX_SHOWN) == "x" * MAX_SHOWN
    assert shortened([long]) == [long]


@pytest.mark.parametrize("sequence", ["-1e400", "1e400"])
def test_a_number_that_no_machine_holds_makes_a_record_damaged(sequence: str) -> None:
    record = (
        '{"t":"2026-05-30T11:00:00.000Z","attempt_seq":'
        + sequence
        + ',"unreachable_cause":null,"latency_ms":1}'
    )
    assert read_records(Recalled(records=(record,))) == ((), 1)


@pytest.mark.parametrize("sent", ["bm8=", "not base64", 5, [], None, {"paymentPayload": "x"}])
def test_what_is_no_payment_payload_is_refused(sent: Any) -> None:
    found = CHECK.operation("check").admit({"url": "https://x.dev/", "payload_capture": sent})
    assert found == Refusal(code="member_type")


def test_a_payload_is_read_from_the_header_that_carried_it() -> None:
    header = base64.b64encode(b'{"x402Version":2,"resource":"https://x.dev/"}').decode()
    found = CHECK.operation("check").admit({"url": "https://x.dev/", "payload_capture": header})
    assert isinstance(found, ListingInput)
    assert lacks_resource_object(found) is True


def asked(given: ListingInput, status: int) -> tuple[list[int], list[Fetch]]:
    """Run a check in which every request has one answer, and give its pauses and what it asked."""
    pauses: list[int] = []
    fetches: list[Fetch] = []
    body = json.dumps(
        {
            "x402Version": 1,
            "name": "n",
            "description": "d",
            "extensions": {"bazaar": {"name": "n", "description": "d", "facilitator": "cdp"}},
            "accepts": [
                dict.fromkeys(("scheme", "network", "maxAmountRequired", "payTo", "asset", "resource"), "x")
            ],
        }
    ).encode()

    def answerer(ask: Ask) -> Answer:
        match ask:
            case Now():
                return At(moment=NOW)
            case Pause(milliseconds=milliseconds):
                pauses.append(milliseconds)
                return Paused()
            case Fetch():
                fetches.append(ask)
                own = {"https://x.test/.well-known/x402": 200, "https://x.test/paid": 402}
                return Fetched(status=own.get(ask.url, status), headers=(), body=body)
        raise AssertionError

    drive(CHECK.operation("check").run(given), answerer)
    return pauses, fetches


@pytest.mark.parametrize("profile", ["default", "compat"])
def test_tries_are_as_far_apart_as_the_page_has_them(profile: Any) -> None:
    """Sections 2 and 7.7: 500, 1000 and 2000 ms for the facilitator; twice 500 ms for the service."""
    given = ListingInput(url="https://x.test/", profile=profile, facilitators=known_facilitators())
    pauses, _ = asked(given, 503)
    assert pauses == [500, 1_000, 2_000, 500, 500]


@pytest.mark.parametrize("profile", ["default", "compat"])
def test_every_request_has_the_limits_of_decision_7(profile: Any) -> None:
    given = ListingInput(
        url="https://x.test/paid", profile=profile, timeout_ms=1_234, facilitators=known_facilitators()
    )
    _, fetches = asked(given, 200)
    assert {fetch.limits.deadline_ms for fetch in fetches} == {1_234}
    assert {fetch.limits.header_bytes for fetch in fetches} == {32_768}
    for fetch in fetches:
        is_catalogue = "discovery" in fetch.url
        assert fetch.limits.body_bytes == (8 << 20 if is_catalogue else 1 << 20)
        assert fetch.limits.wire_bytes == 2 * fetch.limits.body_bytes + 262_144
        assert fetch.redirects == (5 if fetch.method == "GET" else 0)
        assert fetch.keep_status


def test_a_payee_is_asked_for_as_spelled_and_compared_without_case() -> None:
    rows: list[JSON] = [{"resource": "https://x.test/", "accepts": [{"payTo": "0xAbC"}]}]
    found = listed(
        [Page(rows=tuple(rows), total=None)], payees=("0xaBc",), is_complete=True, must_name_payee=True
    )
    assert (found.count, found.others) == (1, 0)


def test_the_schema_takes_more_keys_at_the_top_and_wants_a_fix_with_a_failure() -> None:
    report = json.loads((VECTORS / "listing" / "snapshot.json").read_bytes())
    validator = jsonschema_rs.validator_for(listing.schema())
    assert validator.is_valid({**report, "more": 1})
    report["results"][0] = {"check": "well-known", "status": "fail", "message": "m"}
    assert not validator.is_valid(report)
    report["results"][0]["fix"] = "f"
    assert validator.is_valid(report)
