"""A server on loopback that misbehaves on demand, and the seams that lead a guarded fetcher to it.

The last part of a request's path names the behaviour. A behaviour is a generator: bytes are sent, a number is waited
for (in seconds), `HOLD` waits until the client has gone. What was received is kept in `seen`.
"""

import asyncio
import gzip
import ssl
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import repeat
from socket import socket
from typing import Any, Final

from msgspec import Struct

from assay402.net.connection import dial_address

HOLD: Final = None
Step = bytes | float | None
Behaviour = Callable[[], Iterable[Step]]

PUBLIC: Final = "93.184.216.34"
"""A public address that names resolve to; `leading_to` takes connections to it home to loopback."""
HEAD: Final = b"HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\n"
CHUNKED: Final = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BODY: Final = b'{"x402Version":2}'
SHORT_PAUSE: Final = 0.02
EMPTY: Final = b"Content-Length: 0\r\n\r\n"


def message(body: bytes = BODY, *headers: bytes) -> bytes:
    """Write a 402 whose length is declared."""
    lines = b"".join(header + b"\r\n" for header in headers)
    return HEAD + lines + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _slowly(data: bytes, size: int = 1) -> Iterator[Step]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
        yield SHORT_PAUSE
    yield HOLD


def _first(data: bytes, then: Iterable[Step]) -> Behaviour:
    def behaviour() -> Iterator[Step]:
        yield data
        yield from then

    return behaviour


def _flood(data: bytes, piece: bytes) -> Behaviour:
    """Send without end; written so that each run starts afresh."""

    def behaviour() -> Iterator[Step]:
        yield data
        yield from repeat(piece)

    return behaviour


def _dripped(data: bytes, dripping: bytes, size: int) -> Behaviour:
    def behaviour() -> Iterator[Step]:
        yield data
        yield from _slowly(dripping, size)

    return behaviour


def _interim_flood() -> Iterator[Step]:
    for _ in range(1_000):
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
        yield SHORT_PAUSE


_ONCE: Mapping[str, bytes] = {
    "header_line_1mb": HEAD + b"X-Long: " + b"h" * 1_048_576 + b"\r\n" + EMPTY,
    "headers_10k": HEAD + b"".join(b"X-%d: h\r\n" % number for number in range(10_000)) + EMPTY,
    "status_line_long": b"HTTP/1.1 402 " + b"r" * 200_000 + b"\r\n" + EMPTY,
    "body_65536": message(b"b" * 65_536),
    "body_65537": CHUNKED + b"10001\r\n" + b"b" * 65_537 + b"\r\n0\r\n\r\n",
    "gzip_bomb": message(gzip.compress(bytes(100_000)), b"Content-Encoding: gzip"),
    "gzip_bomb_1000x": message(gzip.compress(bytes(70_000_000)), b"Content-Encoding: gzip"),
    "cl_te_both": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "cl_twice_differ": HEAD + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
    "cl_negative": HEAD + b"Content-Length: -1\r\n\r\nhello",
    "cl_plus": HEAD + b"Content-Length: +5\r\n\r\nhello",
    "te_unknown": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "obs_fold": HEAD + b"X-Folded: a\r\n  b\r\nContent-Length: 2\r\n\r\nhi",
    "bare_lf": message(b"hi").replace(b"\r\n", b"\n"),
    "nul_in_header": message(b"hi", b"X-Nul: a\x00b"),
    "http09": b"<html>hello</html>\r\n",
    "http2_preface": b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18),
    "smtp_banner": b"220 mail.shop.dev ESMTP\r\n250 ok\r\n",
    "status_1000": b"HTTP/1.1 1000 X\r\n" + EMPTY,
    "status_99": b"HTTP/1.1 99 X\r\n" + EMPTY,
    "redirect_301_private": b"HTTP/1.1 301 Moved\r\nLocation: http://169.254.169.254/\r\n" + EMPTY,
    "redirect_302_same_host": b"HTTP/1.1 302 Found\r\nLocation: /plain\r\n" + EMPTY,
    "redirect_307": b"HTTP/1.1 307 Temporary\r\nLocation: /plain\r\n" + EMPTY,
    "refresh_header": message(BODY, b"Refresh: 0; url=/elsewhere"),
    "redirect_402_with_location": message(BODY, b"Location: /elsewhere"),
    "set_cookie": message(BODY, b"Set-Cookie: session=1; Path=/"),
    "www_authenticate": b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n' + EMPTY,
    "alt_svc": message(BODY, b'Alt-Svc: h3=":443"'),
    "hsts": message(BODY, b"Strict-Transport-Security: max-age=9"),
    "close_mid_body": HEAD + b"Content-Length: 100\r\n\r\nhello",
    "close_mid_headers": HEAD,
    "close_at_once": b"",
    "pipelined_second": message() + message(b"second"),
    "plain": message(),
}

BEHAVIOURS: Mapping[str, Behaviour] = {
    "accept_then_silent": lambda: [HOLD],
    "drip_headers": lambda: _slowly(message()),
    "drip_body": _dripped(HEAD + b"Content-Length: 2000\r\n\r\n", b"b" * 2_000, 1),
    "drip_chunks": _dripped(CHUNKED, b"1\r\nb\r\n" * 2_000, 6),
    "never_ending_1xx": _interim_flood,
    "headers_endless": _flood(HEAD, b"X-More: " + b"h" * 200 + b"\r\n"),
    "body_cl_1gb": _first(HEAD + b"Content-Length: 1073741824\r\n\r\n" + b"b" * 1_000, [HOLD]),
    "body_endless_chunked": _flood(CHUNKED, b"4000\r\n" + b"b" * 16_384 + b"\r\n"),
    "body_endless_close": _flood(HEAD + b"Connection: close\r\n\r\n", b"b" * 16_384),
    "chunk_ext_bomb": _flood(CHUNKED, b"1;e=" + b"x" * 65_536 + b"\r\nb\r\n"),
    "many_small_chunks": _flood(CHUNKED, b"1;e=" + b"x" * 2_000 + b"\r\nb\r\n"),
    "trailer_bomb": _flood(CHUNKED + b"1\r\nb\r\n0\r\n", b"X-Trailer: " + b"t" * 200 + b"\r\n"),
    "upgrade_101": _first(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", [HOLD]
    ),
    "hold_after_body": _first(message(), [HOLD]),
    **{name: _first(data, []) for name, data in _ONCE.items()},
}


class Seen(Struct, frozen=True, kw_only=True):
    """One request as it arrived."""

    raw: bytes
    server_name: str | None
    """What the TLS hello asked for."""


class HostileServer:
    """Answers on a loopback port; `connected` says that a client came, `idle` that none is left."""

    def __init__(self, behaviours: Mapping[str, Behaviour]) -> None:
        self._behaviours = behaviours
        self._handlers: set[asyncio.Task[None]] = set()
        self.seen: list[Seen] = []
        self.connections = 0
        self.connected = asyncio.Event()
        self.idle = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection."""
        self.connections += 1
        self.connected.set()
        self.idle.clear()
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._behave(reader, writer)
        finally:
            self._handlers.discard(task)
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()
            if not self._handlers:
                self.idle.set()

    async def _behave(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raw = await reader.readuntil(b"\r\n\r\n")
        tls = writer.get_extra_info("ssl_object")
        self.seen.append(Seen(raw=raw, server_name=getattr(tls, "asked_for", None)))
        name = raw.split(b" ", 2)[1].partition(b"?")[0].rpartition(b"/")[2].decode()
        for step in self._behaviours[name]():
            # Neither a full buffer nor a client that left makes `drain` wait for certain.
            await asyncio.sleep(0)
            if writer.is_closing():
                return
            if step is HOLD:
                with suppress(ConnectionError):
                    await reader.read()
            elif isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            else:
                await asyncio.sleep(step)

    async def finish(self) -> None:
        """End what still runs."""
        for task in self._handlers:
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)


@asynccontextmanager
async def hostile_server(
    behaviours: Mapping[str, Behaviour] = BEHAVIOURS,
    *,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> AsyncGenerator[HostileServer]:
    """Run a server of these behaviours for the time of the block."""
    hostile = HostileServer(behaviours)
    if tls is not None:
        tls.sni_callback = _note_server_name
    listening = await asyncio.start_server(hostile.serve, host, 0, ssl=tls)
    hostile.port = listening.sockets[0].getsockname()[1]
    try:
        yield hostile
    finally:
        listening.close()
        await hostile.finish()


def _note_server_name(tls: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
    tls.asked_for = name  # type: ignore[attr-defined]  # the one place a handler can read it from


class Dialled:
    """A dial that takes connections to public addresses home to one loopback port, and remembers them."""

    def __init__(self, port: int, *, refusing: Sequence[str] = (), host: str = "127.0.0.1") -> None:
        self._port = port
        self._refusing = refusing
        self._host = host
        self.addresses: list[tuple[str, int]] = []

    async def __call__(self, address: str, port: int) -> socket:
        """Connect to the loopback port instead."""
        self.addresses.append((address, port))
        if address in self._refusing:
            raise ConnectionRefusedError
        return await dial_address(self._host, self._port)


class Answers:
    """A resolver that gives the prepared answers one after another and counts the look-ups."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = answers
        self.names: list[str] = []

    async def __call__(self, name: str) -> Sequence[str]:
        """Give the next answer; the last one stands."""
        self.names.append(name)
        return self._answers[min(len(self.names), len(self._answers)) - 1]


async def never(*_: object) -> Any:
    """Wait for ever, as a resolver or a dial that nobody answers."""
    return await asyncio.get_running_loop().create_future()
