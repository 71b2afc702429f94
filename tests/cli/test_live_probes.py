"""The dialect check against live sellers on loopback, over real sockets."""

import socket
from typing import Any

import pytest

from assay402 import __version__
from assay402.checks.dialect import CHECK
from assay402.cli.execute import execute, execute_recorded
from assay402.core.check import Refusal
from assay402.formats.recording_v1 import read_recording, write_recording
from cli.sellers import seller

OPERATION = CHECK.operation("check")


def probe(url: str, *, allow_private: bool = True) -> Any:
    request = {"mode": "probe", "url": url}
    answer, recording = execute(CHECK, OPERATION, request, allow_private=allow_private, record=True)
    if isinstance(answer, Refusal):
        return answer.published()
    published = OPERATION.publish(answer)
    assert recording is not None
    _, _, replayed = execute_recorded(read_recording(write_recording(recording)))
    assert OPERATION.publish(replayed) == published
    return published


@pytest.mark.parametrize(
    ("shape", "state", "dialect", "carrier", "mismatches"),
    [
        ("v1-body", "answered", "v1", "v1-body", []),
        ("v2-header", "answered", "v2", "v2-header", []),
        ("dual", "answered", "dual-stack", "both", []),
        ("mixed", "answered", "mixed", "v1-body", ["mixed-signal-leg"]),
        ("html-paywall", "answered", "undetermined", "none", []),
        ("redirect", "answered", "not-a-402", "UNDETERMINED", []),
        ("post-only", "answered", "not-a-402", "UNDETERMINED", []),
        ("body-70-kb", "body_cap", "not-a-402", "UNDETERMINED", []),
        ("body-at-the-cap", "answered", "v1", "v1-body", []),
        ("gzip-body", "answered", "undetermined", "none", []),
        ("header-16-kb", "answered", "v2", "v2-header", []),
        ("header-40-kb", "header_cap", "not-a-402", "UNDETERMINED", []),
        ("two-differing-headers", "answered", "undetermined", "none", []),
        ("two-identical-headers", "answered", "v2", "v2-header", []),
        ("receipt-on-the-402", "answered", "v1", "v1-body", []),
        ("reset", "unreachable", "not-a-402", "UNDETERMINED", []),
        ("not-http", "protocol", "not-a-402", "UNDETERMINED", []),
        ("slow-drip", "deadline", "not-a-402", "UNDETERMINED", []),
    ],
)
def test_a_live_seller_is_reported_as_it_answers(
    shape: str, state: str, dialect: str, carrier: str, mismatches: list[str]
) -> None:
    """Evidence 3 of the issue; `slow-drip` runs to the contract's own deadline of five seconds. Each run replays."""
    with seller(shape) as (url, _):
        report = probe(url)
    assert (report["probe_state"], report["dialect"]) == (state, dialect)
    assert report["axes"]["challenge_carrier"] == carrier
    assert [each["code"] for each in report["mismatches"]] == mismatches
    assert report["axes"]["receipt_headers"] == "UNDETERMINED"
    assert report["url"] == url


def test_a_probe_sends_five_headers_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision 8 and reading A51: nothing of the environment reaches the request."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with seller("v1-body") as (url, received):
        assert probe(url)["dialect"] == "v1"
    head, _, rest = received[0].partition(b"\r\n")
    assert head == b"GET /v1-body HTTP/1.1"
    headers = dict(line.split(": ", 1) for line in rest.decode().strip().split("\r\n"))
    agent = headers.pop("User-Agent")
    host = headers.pop("Host")
    assert headers == {"Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
    assert agent.startswith(f"assay402/{__version__}")
    assert url.startswith(f"http://{host}/")


def test_a_server_that_speaks_no_tls_is_a_tls_failure() -> None:
    with seller("speaks-first") as (url, _):
        report = probe(url.replace("http://", "https://"))
    assert (report["probe_state"], report["dialect"]) == ("tls", "not-a-402")


def test_nobody_listening_is_a_report_and_not_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert probe(f"http://127.0.0.1:{port}/")["probe_state"] == "unreachable"


def test_this_machine_is_refused_unless_it_is_allowed() -> None:
    with seller("v1-body") as (url, received):
        assert probe(url, allow_private=False) == {"refused": True, "code": "addr_loopback"}
        assert received == []
        assert probe(url)["dialect"] == "v1"


def test_a_name_of_this_machine_needs_no_look_up_where_it_is_allowed() -> None:
    with seller("v2-header") as (url, _):
        assert probe(url.replace("127.0.0.1", "seller.localhost"))["dialect"] == "v2"
