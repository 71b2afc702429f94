"""TLS: certificates that do not hold, and ends that are not by the book."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest

from assay402.core.asks import Failed, Fetched, Limits
from assay402.net.http import Fetcher
from net.hostile import HEAD, PUBLIC, Answers, Dialled, hostile_server, message
from net.raw import Tls, bounded, fetch_raw, read_request, reset

ADDRESSES = [PUBLIC, "93.184.216.35"]
RESET = Failed(state="unreachable", detail="reset")


@pytest.mark.parametrize(
    ("sent", "body"),
    [(message(b"hello"), b"hello"), (HEAD + b"\r\nhello", b"hello")],
    ids=["declared length", "until the connection closes"],
)
def test_a_server_that_closes_tls_without_goodbye_ends_its_response(sent: bytes, body: bytes) -> None:
    def act(connected: socket.socket) -> None:
        read_request(connected)
        connected.sendall(sent)

    answer = Tls().visit(act)
    assert isinstance(answer, Fetched)
    assert answer.body == body


def test_a_goodbye_of_tls_within_a_declared_length_is_protocol() -> None:
    def act(connected: socket.socket) -> None:
        assert isinstance(connected, ssl.SSLSocket)
        read_request(connected)
        connected.sendall(HEAD + b"Content-Length: 9\r\n\r\nhi")
        with suppress(OSError):
            connected.unwrap()

    assert Tls().visit(act) == Failed(state="protocol")


def test_bytes_that_are_not_tls_behind_a_handshake_are_a_failure_of_tls() -> None:
    def act(connected: socket.socket) -> None:
        read_request(connected)
        with socket.socket(fileno=connected.detach()) as bare:
            bare.sendall(b"not a record of TLS")

    assert Tls().visit(act) == Failed(state="tls")


def test_a_server_that_speaks_plain_http_on_a_tls_port_is_a_failure_of_tls() -> None:
    def act(connected: socket.socket) -> None:
        connected.recv(65_536)
        connected.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    assert fetch_raw(act, "https://pay.shop.dev/", Tls().trust) == Failed(state="tls")


def test_a_server_that_closes_during_the_handshake_is_a_failure_of_tls() -> None:
    assert fetch_raw(
        lambda connected: connected.recv(65_536), "https://pay.shop.dev/", Tls().trust
    ) == Failed(state="tls")


def test_a_reset_during_the_handshake_is_unreachable() -> None:
    def act(connected: socket.socket) -> None:
        connected.recv(65_536)
        reset(connected)

    assert fetch_raw(act, "https://pay.shop.dev/", Tls().trust) == RESET


@asynccontextmanager
async def _tls_fetcher(
    tls: Tls, trust: ssl.SSLContext, addresses: list[str]
) -> AsyncGenerator[tuple[Fetcher, Dialled]]:
    async with hostile_server(tls=tls.server) as server:
        dial = Dialled(server.port)
        yield Fetcher(resolver=Answers(addresses), dial=dial, trust=trust), dial


@pytest.mark.parametrize("fault", ["another name", "unknown authority"])
def test_a_certificate_that_does_not_hold_is_final_for_the_whole_name(fault: str) -> None:
    """The first address that takes the connection decides: no second one is asked for a better certificate."""
    tls = Tls("other.shop.dev" if fault == "another name" else "pay.shop.dev")
    trust = tls.trust if fault == "another name" else Tls().trust

    async def run() -> tuple[Fetched | Failed, int]:
        async with _tls_fetcher(tls, trust, ADDRESSES) as (fetcher, dial):
            return await bounded(fetcher, "https://pay.shop.dev/plain"), len(dial.addresses)

    assert asyncio.run(run()) == (Failed(state="tls"), 1)


def test_the_wire_cap_holds_for_a_handshake_too() -> None:
    tls = Tls()

    async def run() -> Fetched | Failed:
        async with _tls_fetcher(tls, tls.trust, [PUBLIC]) as (fetcher, _):
            return await bounded(fetcher, "https://pay.shop.dev/plain", Limits(wire_bytes=100))

    assert asyncio.run(run()) == Failed(state="wire_cap")


def test_a_large_body_comes_through_tls_whole() -> None:
    tls = Tls()

    async def run() -> Fetched | Failed:
        async with _tls_fetcher(tls, tls.trust, [PUBLIC]) as (fetcher, _):
            return await bounded(fetcher, "https://pay.shop.dev/body_65536")

    answer = asyncio.run(run())
    assert isinstance(answer, Fetched)
    assert answer.body == b"b" * 65_536
