"""Faults produced for real, in the service and in the catalogue: the run ends in time and says whose fault it is."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest

from assay402 import listing
from assay402.checks.listing import CHECK
from assay402.checks.listing.model import ListingReport
from assay402.cli.listing import present
from assay402.net.http import Fetcher
from assay402.net.run import Outside, run
from net.hostile import BEHAVIOURS, HOLD, PUBLIC, Answers, Behaviour, Dialled, Step, hostile_server

SERVICE = "http://pay.shop.dev/pay"
BODY = {"x402Version": 1, "extensions": {"bazaar": {"name": "n", "description": "d"}}}
ENTRY = dict.fromkeys(("scheme", "network", "maxAmountRequired", "payTo", "asset"), "x") | {
    "resource": SERVICE
}
CHALLENGE = json.dumps({**BODY, "accepts": [ENTRY]}).encode()
MANIFEST = b'{"name":"n","description":"d"}'
ROWS = json.dumps({"resources": [{"resource": SERVICE, "name": "n", "description": "d"}]}).encode()
TIMEOUT_MS = 500


def answer(status: int, body: bytes, *headers: bytes) -> Behaviour:
    lines = b"".join(header + b"\r\n" for header in headers)
    head = b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n" % (status, lines, len(body))
    return lambda: [head + body]


def flood(piece: bytes) -> Behaviour:
    def behaviour() -> Iterable[Step]:
        yield b"HTTP/1.1 402 X\r\nContent-Length: 10000000\r\n\r\n"
        for _ in range(10_000_000 // len(piece)):
            yield piece

    return behaviour


def run_against(service: Behaviour, *, profile: str, **others: Behaviour) -> ListingReport:
    behaviours = {
        "pay": service,
        "x402": answer(200, MANIFEST),
        "resources": answer(200, ROWS),
        "merchant": answer(200, ROWS),
        "verify": answer(400, b"{}"),
        **others,
    }
    request: dict[str, Any] = {
        "url": SERVICE,
        "profile": profile,
        "timeout_ms": TIMEOUT_MS,
        "discovery_base_url": "http://cat.shop.dev",
    }

    async def work() -> Any:
        async with hostile_server(behaviours) as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            operation = CHECK.operation("check")

            async def no_wait(_seconds: float) -> None:
                return

            async with asyncio.timeout(20):
                given = operation.admit(request)
                report, _ = await run(operation.run(given), Outside(fetcher=fetcher, sleep=no_wait))
                return report

    report = asyncio.run(work())
    assert isinstance(report, ListingReport)
    return report


BIG = flood(b"b" * 16_384)
DEEP = answer(402, b"[" * 100_000 + b"]" * 100_000)
FAULTS: dict[str, tuple[Behaviour, str, str]] = {
    "accept then silence": (BEHAVIOURS["accept_then_silent"], "upstream_issue", "timeout"),
    "reset": (BEHAVIOURS["close_at_once"], "implementation_issue", "timeout"),
    "5xx storm": (answer(503, b"x"), "implementation_issue", "persistent_5xx"),
    "half a body": (BEHAVIOURS["close_mid_body"], "implementation_issue", "ok"),
    "half the headers": (BEHAVIOURS["close_mid_headers"], "implementation_issue", "timeout"),
    "10 MB body": (BIG, "implementation_issue", "ok"),
    "1 GB declared": (BEHAVIOURS["body_cl_1gb"], "implementation_issue", "ok"),
    "endless body": (BEHAVIOURS["body_endless_chunked"], "implementation_issue", "ok"),
    "endless headers": (BEHAVIOURS["headers_endless"], "implementation_issue", "timeout"),
    "redirect loop": (answer(302, b"", b"Location: /pay"), "implementation_issue", "timeout"),
    "redirect to metadata": (
        answer(302, b"", b"Location: http://169.254.169.254/latest"),
        "implementation_issue",
        "timeout",
    ),
    "redirect to nonsense": (answer(302, b"", b"Location: http://[x"), "implementation_issue", "timeout"),
    "two locations": (answer(302, b"", b"Location: /a", b"Location: /b"), "implementation_issue", "ok"),
    "invalid UTF-8": (answer(402, CHALLENGE.replace(b'"n"', b'"\xff"')), "implementation_issue", "ok"),
    "deep JSON": (DEEP, "implementation_issue", "ok"),
    "not HTTP": (BEHAVIOURS["smtp_banner"], "implementation_issue", "timeout"),
    "interim flood": (BEHAVIOURS["never_ending_1xx"], "implementation_issue", "timeout"),
    "drip": (BEHAVIOURS["drip_body"], "implementation_issue", "ok"),
}
COMPAT_DIFFERS = {"accept then silence": "implementation_issue", "invalid UTF-8": "looks_correct"}
"""The reference blames the implementation for silence, and replaces what is not UTF-8."""


@pytest.mark.parametrize("profile", ["default", "compat"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_service_ends_in_a_verdict(fault: str, profile: str) -> None:
    """Evidence 2."""
    service, kind, cause = FAULTS[fault]
    report = run_against(service, profile=profile)
    wanted = COMPAT_DIFFERS.get(fault, kind) if profile == "compat" else kind
    assert report.verdict.kind == wanted, report
    detail: Any = report.findings[7].detail
    assert detail["reachability"].get("unreachable_cause", "ok") == cause


@pytest.mark.parametrize("profile", ["default", "compat"])
@pytest.mark.parametrize(
    "fault",
    [
        "accept_then_silent",
        "headers_endless",
        "body_endless_chunked",
        "close_mid_body",
        "http09",
        "drip_body",
    ],
)
def test_a_fault_of_the_catalogue_is_the_catalogues(fault: str, profile: str) -> None:
    behaviour = BEHAVIOURS[fault]
    report = run_against(answer(402, CHALLENGE), profile=profile, resources=behaviour, merchant=behaviour)
    assert report.verdict.kind == "upstream_issue"
    assert report.verdict.upstream_checks == ("indexing",)


@pytest.mark.parametrize("profile", ["default", "compat"])
@pytest.mark.parametrize(
    "fault", ["accept_then_silent", "close_mid_body", "body_endless_chunked", "set_cookie"]
)
def test_a_fault_of_the_manifest_is_the_implementations(fault: str, profile: str) -> None:
    report = run_against(answer(402, CHALLENGE), profile=profile, x402=BEHAVIOURS[fault])
    assert report.verdict.failed_checks == ("well-known",)


HOSTILE_NAME = "\x1b]0;owned\x07\x1b[31mred\u202eevil\r\n\x9b2J"


def test_no_escape_sequence_of_the_service_reaches_the_terminal() -> None:
    """Evidence 2: names, hosts and reasons are plain text in what people read."""
    manifest = json.dumps({"name": HOSTILE_NAME, "description": "d"}).encode()
    rows = json.dumps(
        {"resources": [{"resource": SERVICE, "name": "other", "description": HOSTILE_NAME}]}
    ).encode()
    report = run_against(
        answer(402, CHALLENGE), profile="compat", x402=answer(200, manifest), resources=answer(200, rows)
    )
    shown = "\n".join(present(report))
    assert "owned" in shown
    assert not set("\x1b\x07\x9b\u202e\r") & set(shown.replace("\x1b[0m", "").replace("\x1b[2m", "")) - {
        "\x1b"
    }
    assert "\x1b[31mred" not in shown
    assert "\x1b]" not in shown


def test_a_held_answer_ends_with_the_timeout_of_the_request() -> None:
    """The library's own door, to the same end."""

    async def work() -> Any:
        async with hostile_server({"pay": lambda: [HOLD], "x402": lambda: [HOLD]}) as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            async with asyncio.timeout(10):
                return await listing.acheck(
                    {"url": SERVICE, "timeout_ms": 300}, outside=Outside(fetcher=fetcher)
                )

    report = asyncio.run(work())
    assert report["verdict"]["kind"] == "upstream_issue"
    assert report["verdict"]["upstreamChecks"] == ["reachability"]
