"""The library face, and what a run may cost in memory."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from assay402 import listing
from assay402.checks.listing import CHECK, paging
from assay402.checks.listing.model import ListingReport
from assay402.core.asks import Answer, Answered, Ask, At, Failed, Fetch, Fetched, Now, Together, drive
from assay402.net.http import Fetcher
from assay402.net.run import Outside
from checks.test_listing_handed import SCHEMA
from listing.world import World
from property.test_listing_laws import NOW, URL, clean
from vectors import cases

CLEAN: Any = next(case for case in cases("listing/default.json") if case["id"] == "clean")


def nobody() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"


def test_a_service_is_checked_in_one_call() -> None:
    report = listing.check({"url": nobody()}, allow_private=True)
    SCHEMA.validate(report)
    assert report["verdict"]["upstreamChecks"] == ["reachability"]


def test_a_history_is_kept_between_calls(tmp_path: Path) -> None:
    log, url = str(tmp_path / "log"), nobody()
    counts = [
        listing.check({"url": url}, history=log, allow_private=True)["results"][7]["detail"]["reachability"][
            "probe_count"
        ]
        for _ in range(2)
    ]
    assert counts == [1, 2]
    assert listing.check({"url": url}, history=str(tmp_path), allow_private=True) == {
        "refused": True,
        "code": "history_unreadable",
    }


def test_network_and_time_may_be_replaced() -> None:
    with World(CLEAN["mocks"]) as world:
        outside = world.outside(Outside(fetcher=Fetcher()))
        report = asyncio.run(listing.acheck(CLEAN["request"], outside=outside))
    assert report["verdict"]["kind"] == "looks_correct"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({}, "service_url"),
        ({"url": object()}, "not_json"),
        ("text", "not_an_object"),
        ({"url": "https://a.dev/", "body": "x" * (1 << 20)}, "over_cap"),
        ({"url": "http://127.0.0.1/"}, "addr_loopback"),
    ],
)
def test_bad_input_is_refused_and_raises_nothing(request_: Any, code: str) -> None:
    assert listing.check(request_)["code"] == code


def test_a_library_call_without_memory_refuses_a_history() -> None:
    with World(CLEAN["mocks"]) as world:
        outside = world.outside(Outside(fetcher=Fetcher()))
        found = asyncio.run(listing.acheck({**CLEAN["request"], "history": True}, outside=outside))
    assert found == {"refused": True, "code": "history_unreadable"}


@pytest.mark.parametrize("pagination", [{"total": 1_000}, {"cursor": "c"}])
def test_a_catalogue_of_huge_pages_is_left_early(
    pagination: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MAX_BYTES", 10_000)
    asked: list[str] = []

    def page(url: str) -> Fetched:
        asked.append(url)
        row = {"resource": f"https://api.seller.dev/{len(asked)}", "padding": "x" * 4_000}
        body = json.dumps({"resources": [row], "pagination": pagination}).encode()
        return Fetched(status=200, headers=(), body=body)

    def answerer(ask: Ask) -> Answer:
        match ask:
            case Fetch(url=url):
                return page(url) if "merchant" in url else clean(url)
            case Now():
                return At(moment=NOW)
            case Together(asks=asks):
                return Answered(answers=tuple(page(each.url) for each in asks if isinstance(each, Fetch)))
            case _:
                return Failed(state="no_memory")

    operation = CHECK.operation("check")
    report = drive(operation.run(operation.admit({"url": URL})), answerer)
    assert isinstance(report, ListingReport)
    detail: Any = report.findings[3].detail
    assert detail["indexer_state"] == "unknown"
    assert detail["count"] == 3
    assert len(asked) <= 1 + paging.AT_ONCE


def test_a_schema_is_plain_json() -> None:
    assert listing.schema()["properties"]["results"]["minItems"] == 8
