"""Rates from a copy of the bank's JSON on loopback, as it is, late, broken or not at all."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.errors import TheirError
from assay402.net.rates import BankOfCanada, read_observations

SINCE, UNTIL = date(2026, 11, 20), date(2026, 11, 30)
DOCUMENT: dict[str, Any] = {
    "terms": {"url": "https://bank.example/terms/"},
    "seriesDetail": {
        "FXUSDCAD": {
            "label": "USD/CAD",
            "description": "US dollar to Canadian dollar daily exchange rate",
            "dimension": {"key": "d", "name": "Date"},
        }
    },
    "observations": [
        {"d": "2026-11-26", "FXUSDCAD": {"v": "1.3901"}},
        {"d": "2026-11-27", "FXUSDCAD": {"v": "1.3942"}},
        {"d": "2026-11-30", "FXUSDCAD": {"v": ""}},
    ],
}
RATES = {date(2026, 11, 26): "1.3901", date(2026, 11, 27): "1.3942"}


@contextmanager
def bank(status: int, body: bytes) -> Iterator[tuple[str, list[str]]]:
    """Serve one answer; gives the address and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/valet/observations/FXUSDCAD/json", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def between(url: str) -> Any:
    return asyncio.run(asyncio.wait_for(BankOfCanada(url).between(SINCE, UNTIL), 60))


def test_the_rates_of_a_span_are_asked_for_and_read() -> None:
    with bank(200, json.dumps(DOCUMENT).encode()) as (url, asked):
        assert between(url) == RATES
        assert between(f"{url}?order=asc") == RATES
    span = "start_date=2026-11-20&end_date=2026-11-30"
    path = "/valet/observations/FXUSDCAD/json"
    assert asked == [f"{path}?{span}", f"{path}?order=asc&{span}"]


def test_days_outside_the_span_are_left_out() -> None:
    more = {"observations": [{"d": "2026-01-01", "FXUSDCAD": {"v": "1.5"}}, *DOCUMENT["observations"]]}
    with bank(200, json.dumps(more).encode()) as (url, _):
        assert between(url) == RATES


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, json.dumps(DOCUMENT).encode()),
        (404, b"{}"),
        (200, b"<html>maintenance</html>"),
        (200, b"x" * (2 << 20)),
        (200, b"[]"),
        (200, b'{"observations": {}}'),
        (200, b'{"observations": [1]}'),
        (200, b'{"observations": [{"d": "yesterday", "FXUSDCAD": {"v": "1.3"}}]}'),
        (200, b'{"observations": [{"d": "2026-11-27", "FXUSDCAD": {"v": "free"}}]}'),
        (200, b'{"observations": [{"d": "2026-11-27", "FXUSDCAD": {"v": 1.3942}}]}'),
        (200, b'{"observations": [{"d": 20261127, "FXUSDCAD": {"v": "1.3942"}}]}'),
        (200, b'{"observations": [{"d": "2026-11-27", "FXUSDCAD": {"v": "-1"}}]}'),
    ],
)
def test_what_is_not_the_banks_answer_is_no_rate(status: int, body: bytes) -> None:
    with bank(status, body) as (url, _), pytest.raises(TheirError, match="rates_unavailable"):
        between(url)


def test_a_bank_that_is_not_there_gives_none() -> None:
    with bank(200, b"") as (url, _):
        pass
    with pytest.raises(TheirError, match="rates_unavailable"):
        between(url)


@pytest.mark.parametrize(
    "value",
    [{"FXUSDCAD": {"v": ""}}, {"FXUSDCAD": {}}, {"FXUSDCAD": None}, {"FXEURCAD": {"v": "1.5"}}, {}],
)
def test_a_day_without_a_value_has_no_rate(value: dict[str, Any]) -> None:
    assert read_observations(json.dumps({"observations": [{"d": "2026-11-27", **value}]}).encode()) == {}


@given(st.binary(max_size=200) | st.from_regex(r'\{"observations": ?\[.{0,80}\]\}').map(str.encode))
@settings(max_examples=100, deadline=None)
def test_the_reader_never_fails(body: bytes) -> None:
    found = read_observations(body)
    assert found is None or all(found.values())
