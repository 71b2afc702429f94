"""A world on loopback for the listing check: every name leads to one TLS server, and faults are real ones.

A mock is what a URL answers: `status`, `headers`, `body` (JSON) or `body_text`, or `error` with a `kind`, or a
`sequence` of these. The seams are the fetcher's own: resolver, dial and trust. Nothing of the checks is replaced.
"""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any, Final, Self

import trustme
from msgspec.structs import replace

from assay402.core.asks import Failed, Fetch, Fetched
from assay402.net.connection import dial_address
from assay402.net.http import Fetcher
from assay402.net.run import Outside

Mock = Mapping[str, Any]
ROLES: Final = (
    ("well-known", lambda url: url.split("?")[0].endswith("/.well-known/x402")),
    ("discovery-merchant", lambda url: "discovery/merchant" in url),
    ("discovery-resources", lambda url: "discovery/resources" in url),
)


@cache
def authority() -> trustme.CA:
    return trustme.CA()


class World:
    """What every URL answers, and what was asked."""

    _loop: asyncio.AbstractEventLoop
    _thread: threading.Thread

    def __init__(self, mocks: Mapping[str, Mock], *, clock: str | None = None, delay: float = 0.0) -> None:
        self.mocks: Final = mocks
        self.requests: Final[list[str]] = []
        self.bodies: Final[list[bytes]] = []
        self.slept: Final[list[float]] = []
        self._calls: Final[dict[str, int]] = {}
        self._delay: Final = delay
        self._clock: Final = None if clock is None else datetime.fromisoformat(clock)
        self._current: dict[str, Mock] = {}
        self._fetchers: dict[str, Fetcher] = {}
        self._servers: Final[list[asyncio.Server]] = []

    def outside(self, real: Outside) -> Outside:
        """Wrap what a run reaches the world through."""
        clock = self._clock
        return replace(
            real,
            fetcher=self._fetch,
            sleep=self._sleep,
            **({} if clock is None else {"clock": lambda: clock}),
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def __enter__(self) -> Self:
        """Open the servers, in a thread of their own."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(10)
        return self

    def __exit__(self, *_: object) -> None:
        """Close them."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    async def _fetch(self, ask: Fetch) -> Fetched | Failed:
        self.requests.append(f"{ask.method} {ask.url}")
        self.bodies.append(ask.body)
        mock = self._mock(ask)
        self._current[ask.url] = mock
        kind = mock["error"]["kind"] if "error" in mock else "answer"
        if self._delay:
            await asyncio.sleep(self._delay)
        return await self._fetchers[kind](ask)

    def _mock(self, ask: Fetch) -> Mock:
        mock: Mock | None = self.mocks.get(ask.url)
        if mock is None:
            role = next((name for name, holds in ROLES if holds(ask.url)), "")
            mock = next((each for each in self.mocks.values() if each.get("role") == role), {"status": 404})
        if "sequence" in mock:
            calls = self._calls[ask.url] = self._calls.get(ask.url, 0) + 1
            steps: Any = mock["sequence"]
            step: Mock = steps[min(calls, len(steps)) - 1]
            return step
        return mock

    async def _open(self) -> None:
        good = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        names = sorted({url.split("/")[2] for url in self.mocks if "://" in url})
        authority().issue_cert(*names, "api.cdp.coinbase.com").configure_cert(good)
        bad = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert(*names, "api.cdp.coinbase.com").configure_cert(bad)
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        authority().configure_trust(trust)
        port = await self._serve(self._answer, good)
        bad_port = await self._serve(self._answer, bad)
        hanging = await self._serve(_hang, good)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = listener.getsockname()[1]

        def fetcher(port: int, found: Sequence[str] = ("127.0.0.1",)) -> Fetcher:
            async def resolver(_name: str) -> Sequence[str]:
                return found

            async def dial(address: str, _port: int) -> socket.socket:
                return await dial_address(address, port)

            return Fetcher(resolver=resolver, dial=dial, trust=trust, allow_private=True)

        self._fetchers = {
            "answer": fetcher(port),
            "dns": fetcher(port, ()),
            # Nothing but a name that is not found fails like the handed case of this kind.
            "other": fetcher(port, ()),
            "refused": fetcher(closed),
            "tls": fetcher(bad_port),
            "timeout": fetcher(hanging),
            "hang_body": fetcher(port),
        }

    async def _serve(
        self,
        handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
        context: ssl.SSLContext,
    ) -> int:
        async def quietly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await handle(reader, writer)
            writer.close()

        server = await asyncio.start_server(quietly, "127.0.0.1", 0, ssl=context)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        host = next(line.split(": ", 1)[1] for line in lines if line.lower().startswith("host:"))
        url = f"https://{host}{lines[0].split()[1]}"
        # A redirect leads to an address that no ask named.
        mock = self._current.get(url) or self.mocks[url]
        body = mock.get("body_text", json.dumps(mock["body"]) if "body" in mock else "")
        data = body if isinstance(body, bytes) else body.encode()
        held = mock.get("error", {}).get("kind") == "hang_body"
        headers = {**mock.get("headers", {}), "Content-Length": str(len(data) + held)}
        text = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {mock.get('status', 200)} X\r\n{text}\r\n".encode() + data)
        await writer.drain()
        if held:
            await reader.read()


async def _hang(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()
