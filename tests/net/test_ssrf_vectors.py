"""Every case of vectors/ssrf.json: spelling through `parse`, answers and servers through the real fetcher."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trustme

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.core.check import Refusal
from assay402.core.target import Target, parse
from assay402.net.connection import Dial
from assay402.net.http import Fetcher
from net.hostile import PUBLIC, Answers, Dialled, hostile_server, never

VECTORS = Path(__file__).parents[2] / "vectors" / "ssrf.json"
DOCUMENT = msgspec.json.decode(VECTORS.read_bytes())
CASES: list[dict[str, Any]] = DOCUMENT["cases"]
QUICK = Limits(deadline_ms=500)
AMPLE = Limits(deadline_ms=4_000)
"""For servers that answer at once; the machine may be slow."""


def _of_stage(stage: str, verdict: str = "") -> list[Any]:
    return [
        pytest.param(case, id=case["id"])
        for case in CASES
        if case["stage"] == stage and verdict in {"", case["verdict"]}
    ]


def test_the_rules_of_the_cases_are_the_limits_of_a_fetch() -> None:
    rules = DOCUMENT["rules"]
    assert Limits() == Limits(
        deadline_ms=rules["deadline_ms"],
        body_bytes=rules["body_cap"],
        header_bytes=rules["header_cap"],
        wire_bytes=rules["wire_cap"],
        interim_responses=rules["interim_max"],
    )


@pytest.mark.parametrize("case", _of_stage("parse"))
def test_a_spelling_is_refused_or_allowed_as_published(case: dict[str, Any]) -> None:
    judged = parse(case["url"])
    if case["verdict"] == "refuse":
        assert isinstance(judged, Refusal)
        assert judged.code == case["code"]
    else:
        assert isinstance(judged, Target)


@pytest.mark.parametrize("case", _of_stage("parse", verdict="refuse"))
def test_a_refused_spelling_is_neither_looked_up_nor_dialled(case: dict[str, Any]) -> None:
    async def run() -> tuple[Fetched | Failed, Answers, Dialled]:
        resolver, dial = Answers([]), Dialled(9)
        return await Fetcher(resolver=resolver, dial=dial)(Fetch(url=case["url"])), resolver, dial

    answer, resolver, dial = asyncio.run(run())
    assert answer == Failed(state=case["code"])
    assert (resolver.names, dial.addresses) == ([], [])


@pytest.mark.parametrize("case", _of_stage("resolve"))
def test_a_bad_answer_of_the_name_servers_ends_the_fetch_before_any_connection(case: dict[str, Any]) -> None:
    async def run() -> tuple[Fetched | Failed, Answers, Dialled]:
        hangs = case["resolve"] == "hang"
        counted = Answers(*([] if hangs else case["resolve"]))
        dial = Dialled(9)
        fetcher = Fetcher(resolver=never if hangs else counted, dial=dial, own_addresses=case.get("own", ()))
        return await fetcher(Fetch(url=case["url"], limits=QUICK)), counted, dial

    answer, resolver, dial = asyncio.run(run())
    assert answer == Failed(state=case["code"], detail="dns" if case["code"] == "deadline" else None)
    assert dial.addresses == []
    if case["resolve"] != "hang":
        assert resolver.names == ["pay.shop.dev"] * case.get("expect_lookups", 1)


async def _refuse(_address: str, _port: int) -> Any:
    raise ConnectionRefusedError


@asynccontextmanager
async def _set_up(kind: str) -> AsyncGenerator[tuple[Dial, ssl.SSLContext]]:
    """Give the dial and the trust of a server case."""
    authority = trustme.CA()
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(trust)
    if kind == "connect_refused":
        yield _refuse, trust
        return
    tls = None
    if kind == "tls_expired":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        expired = authority.issue_cert("pay.shop.dev", not_after=datetime(2020, 1, 1, tzinfo=UTC))
        expired.configure_cert(tls)
    async with hostile_server(tls=tls) as server:
        yield Dialled(server.port), trust


_PLAIN = {"env_proxy_set": "plain", "keepalive_reuse": "plain"}
_DETAILS = {
    "connect_refused": "refused",
    "accept_then_silent": "headers",
    "tls_silent": "tls",
    "drip_headers": "headers",
    "drip_body": "body",
    "drip_chunks": "body",
}


@pytest.mark.parametrize("case", _of_stage("response"))
def test_a_hostile_server_ends_the_fetch_in_the_published_state(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if case["server"] == "env_proxy_set":
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
    url = case["url"]
    for name, behaviour in _PLAIN.items():
        url = url.replace(name, behaviour)

    async def run() -> Fetched | Failed:
        async with _set_up(case["server"]) as (dial, trust):
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=dial, trust=trust)
            return await fetcher(Fetch(url=url, limits=QUICK if case["code"] == "deadline" else AMPLE))

    answer = asyncio.run(run())
    if case["verdict"] == "allow":
        assert isinstance(answer, Fetched)
    else:
        assert isinstance(answer, Failed)
        assert answer.state in case.get("accept", [case["code"]])
        assert answer.detail == _DETAILS.get(case["server"])


def test_the_deadline_of_five_seconds_ends_a_silent_server() -> None:
    """The production limits, once, as they are."""

    async def run() -> Fetched | Failed:
        async with hostile_server() as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            async with asyncio.timeout(20):
                return await fetcher(Fetch(url="http://pay.shop.dev/drip_body"))

    assert asyncio.run(run()) == Failed(state="deadline", detail="body")
