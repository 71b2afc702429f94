"""A server of raw sockets, for ends that a polite server library cannot make, over TLS too."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import trustme

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.net.http import Fetcher
from net.hostile import PUBLIC, Answers, Dialled

BOUND: Final = 20
"""Seconds that no test comes near; the end of a wait that would never end."""

Act = Callable[[socket.socket], object]
"""What a server does with its connection."""


async def bounded(fetcher: Fetcher, url: str, limits: Limits | None = None) -> Fetched | Failed:
    """Fetch, in a time that has an end."""
    async with asyncio.timeout(BOUND):
        return await fetcher(Fetch(url=url, limits=limits or Limits()))


@contextmanager
def listening_socket() -> Iterator[socket.socket]:
    """Listen on a loopback port for the time of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(BOUND)
        yield listening


def reset(connected: socket.socket) -> None:
    """Close so that the other side gets a reset."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connected.close()


def fetch_raw(
    act: Act, url: str = "http://pay.shop.dev/", trust: ssl.SSLContext | None = None
) -> Fetched | Failed:
    """Fetch from a server that does this with the connection."""

    def serve(listening: socket.socket) -> None:
        connected, _ = listening.accept()
        with connected:
            connected.settimeout(BOUND)
            act(connected)

    async def run(listening: socket.socket) -> Fetched | Failed:
        serving = asyncio.create_task(asyncio.to_thread(serve, listening))
        dial = Dialled(listening.getsockname()[1])
        answer = await bounded(Fetcher(resolver=Answers([PUBLIC]), dial=dial, trust=trust), url)
        await serving
        return answer

    with listening_socket() as listening:
        return asyncio.run(run(listening))


def read_request(connected: socket.socket) -> None:
    """Read until the request is complete."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        piece = connected.recv(65_536)
        assert piece
        received += piece


class Tls:
    """A certificate authority, a server of its certificate, and a client that trusts it."""

    def __init__(self, name: str = "pay.shop.dev") -> None:
        authority = trustme.CA()
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name).configure_cert(self.server)
        self.trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authority.configure_trust(self.trust)

    def visit(self, act: Act) -> Fetched | Failed:
        """Fetch over TLS from a server that does this with the connection once it is secure."""

        def over_tls(connected: socket.socket) -> None:
            with self.server.wrap_socket(connected, server_side=True) as secure:
                act(secure)

        return fetch_raw(over_tls, "https://pay.shop.dev/", self.trust)
