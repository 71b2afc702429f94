"""What an ask may want beyond a GET: a method, headers, a body, redirects, and the status of what broke off."""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import pytest
import trustme

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.net.http import Fetcher
from net.hostile import (
    BEHAVIOURS,
    HEAD,
    HOLD,
    PUBLIC,
    Answers,
    Behaviour,
    Dialled,
    Step,
    hostile_server,
    message,
)

OPEN = "http://pay.shop.dev"


def answering(data: bytes) -> Behaviour:
    return lambda: [data]


def redirect(status: int, *locations: str) -> Behaviour:
    lines = "".join(f"Location: {each}\r\n" for each in locations)
    return answering(f"HTTP/1.1 {status} X\r\n{lines}Content-Length: 0\r\n\r\n".encode())


def visit(behaviours: dict[str, Behaviour], *asks: Fetch) -> tuple[list[Any], list[bytes]]:
    async def run() -> tuple[list[Any], list[bytes]]:
        async with hostile_server({**BEHAVIOURS, **behaviours}) as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            found = [await fetcher(ask) for ask in asks]
            return found, [seen.raw for seen in server.seen]

    return asyncio.run(run())


def test_a_post_says_its_headers_and_the_length_of_its_body() -> None:
    ask = Fetch(
        url=f"{OPEN}/plain", method="POST", headers=(("Content-Type", "application/json"),), body=b"{}"
    )
    (found,), (raw,) = visit({}, ask)
    assert isinstance(found, Fetched)
    head = raw.decode().split("\r\n")
    assert head[0] == "POST /plain HTTP/1.1"
    assert head[-4:] == ["Content-Type: application/json", "Content-Length: 2", "", ""]


def test_a_post_without_a_body_says_that_it_has_none() -> None:
    _, (raw,) = visit({}, Fetch(url=f"{OPEN}/plain", method="POST"))
    assert b"Content-Length: 0\r\n" in raw


def test_a_head_is_answered_without_a_body() -> None:
    (found,), _ = visit({}, Fetch(url=f"{OPEN}/plain", method="HEAD"))
    assert isinstance(found, Fetched)
    assert (found.status, found.body) == (402, b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_where_it_is_wanted(status: int) -> None:
    behaviours = {"there": redirect(status, "/plain#part")}
    (found, unfollowed), raws = visit(
        behaviours, Fetch(url=f"{OPEN}/there", redirects=1), Fetch(url=f"{OPEN}/there")
    )
    assert (found.status, unfollowed.status) == (402, status)
    assert raws[1].startswith(b"GET /plain HTTP/1.1")


def test_redirects_end_at_their_number() -> None:
    """Five and the answer behind them are read; a sixth is one too many."""
    chain = {f"r{number}": redirect(302, f"/r{number + 1}") for number in range(6)}
    asks = [Fetch(url=f"{OPEN}/r{start}", redirects=5) for start in (0, 1)]
    (six, five), raws = visit({**chain, "r6": answering(message())}, *asks)
    assert six == Failed(state="redirects")
    assert five.status == 402
    assert len(raws) == 12


@pytest.mark.parametrize(
    ("location", "state"),
    [
        ("http://169.254.169.254/", "addr_link_local"),
        ("http://localhost/", "host_single_label"),
        ("ftp://pay.shop.dev/", "scheme"),
        ("http://[x", "host_malformed"),
        ("http://user@pay.shop.dev/", "userinfo"),
    ],
)
def test_every_hop_is_judged_anew(location: str, state: str) -> None:
    (found,), raws = visit({"there": redirect(302, location)}, Fetch(url=f"{OPEN}/there", redirects=5))
    assert found == Failed(state=state)
    assert len(raws) == 1


@pytest.mark.parametrize("locations", [(), ("",), ("/plain", "/other")])
def test_a_redirect_that_leads_nowhere_is_the_answer(locations: tuple[str, ...]) -> None:
    (found,), _ = visit({"there": redirect(302, *locations)}, Fetch(url=f"{OPEN}/there", redirects=5))
    assert found.status == 302


def test_a_post_is_never_sent_elsewhere() -> None:
    (found,), raws = visit(
        {"there": redirect(307, "/plain")}, Fetch(url=f"{OPEN}/there", method="POST", redirects=5)
    )
    assert found.status == 307
    assert len(raws) == 1


def test_the_deadline_holds_for_all_hops_together() -> None:
    def late() -> Iterable[Step]:
        yield 0.2
        yield b"HTTP/1.1 302 X\r\nLocation: /late\r\nContent-Length: 0\r\n\r\n"

    ask = Fetch(url=f"{OPEN}/late", redirects=5, limits=Limits(deadline_ms=300))
    (found,), _ = visit({"late": late}, ask)
    assert found == Failed(state="deadline", detail="headers")


@pytest.mark.parametrize(
    ("behaviour", "failed"),
    [
        ("body_cl_1gb", Failed(state="body_cap")),
        ("close_mid_body", Failed(state="protocol")),
        ("held", Failed(state="deadline", detail="body")),
    ],
)
def test_the_status_of_what_broke_off_is_told_where_it_is_wanted(behaviour: str, failed: Failed) -> None:
    held: Behaviour = lambda: [HEAD + b"Content-Length: 5\r\n\r\nx", HOLD]  # noqa: E731  (a table entry)
    limits = Limits(deadline_ms=300)
    url = f"{OPEN}/{behaviour}"
    (plain, told), _ = visit(
        {"held": held}, Fetch(url=url, limits=limits), Fetch(url=url, limits=limits, keep_status=True)
    )
    assert plain == failed
    assert told == Failed(state=failed.state, detail=failed.detail, status=402)


def test_no_status_is_told_before_the_headers_are_complete() -> None:
    ask = Fetch(url=f"{OPEN}/accept_then_silent", limits=Limits(deadline_ms=200), keep_status=True)
    (found,), _ = visit({}, ask)
    assert found == Failed(state="deadline", detail="headers")


def test_a_body_longer_than_a_record_goes_through_tls_whole() -> None:
    authority = trustme.CA()
    served, trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.issue_cert("pay.shop.dev").configure_cert(served)
    authority.configure_trust(trust)
    received = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        received.extend(await reader.readexactly(50_000))
        writer.write(message())
        await writer.drain()
        writer.close()

    async def run() -> Fetched | Failed:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=served)
        async with server:
            dial = Dialled(server.sockets[0].getsockname()[1])
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=dial, trust=trust)
            return await fetcher(Fetch(url="https://pay.shop.dev/", method="POST", body=b"b" * 50_000))

    found = asyncio.run(run())
    assert isinstance(found, Fetched)
    assert received == b"b" * 50_000
