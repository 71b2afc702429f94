"""The streamable HTTP endpoint, for a service to mount: each message is answered by itself, no session is held."""

import asyncio
import ipaddress
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from sse_starlette.sse import AppStatus

from assay402.mcp_server.messages import SHORT_BYTES, Received, error_message, read_message
from assay402.mcp_server.server import CALL, make_server
from assay402.mcp_server.tools import REQUEST_BYTES
from assay402.mcp_server.unpaid import Take

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_AUTHORITY: Final = r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::[0-9]{1,5})?"
_HOST: Final = re.compile(_AUTHORITY)
_ORIGIN: Final = re.compile(rf"https?://{_AUTHORITY}", re.IGNORECASE)
_NAMING: Final = (b"host", b"origin")
_READ_AT_ONCE: Final = 2
"""Long messages that are read at once, each in a thread; further ones wait their turn."""


class MCPApp:
    """The application. `running` must be entered before the first request, and left after the last one.

    Sessions would be state to bound and to lose: a client gets none, so that any replica answers any message. To cancel
    a call, close its connection.
    """

    def __init__(self, server: Server[Any], *, is_loopback: bool) -> None:
        self._manager: Final = StreamableHTTPSessionManager(
            app=server, stateless=True, max_request_body_size=REQUEST_BYTES
        )
        self._is_loopback: Final = is_loopback
        self._readings: Final = asyncio.Semaphore(_READ_AT_ONCE)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep what answers requests alive; leaving ends what is under way. Once per application."""
        # The SDK's event streams would otherwise all be cut at the first sign of a stop, paid work and its answer
        # included; each of ours ends with its answer, and a draining service waits for that.
        # The end of another server in this process, which is remembered there, is no end of this one either.
        AppStatus.enable_automatic_graceful_drain = False
        AppStatus.should_exit = False
        async with self._manager.run():
            yield

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer a POST whose body somebody else has read, within `REQUEST_BYTES`."""
        if self._is_loopback and (refused := _stranger(scope)) is not None:
            status, text = refused
            await _answer(send, status, error_message(types.INVALID_REQUEST, text))
            return
        found = await self._read(body)
        if isinstance(found, bytes):
            await _answer(send, 400, found)
            return
        scope[CALL] = found.call
        await self._manager.handle_request(scope, _again(found.source, receive), send)

    async def _read(self, body: bytes) -> Received | bytes:
        if len(body) <= SHORT_BYTES:
            return read_message(body)
        async with self._readings:
            return await asyncio.to_thread(read_message, body)


def mcp_app(
    take: Take,
    *,
    prices: Mapping[str, int] | None = None,
    checks: tuple[str, ...] | None = None,
    is_loopback: bool = True,
) -> MCPApp:
    """Make the endpoint, to be routed at `/mcp` and at no path below.

    `take` takes the orders; whoever bounds how many are under way does so in front of it. `prices` by
    `check/operation` in millionths of a US dollar make the tools paid. With `is_loopback`, a request must name this
    machine in Host, and in Origin where it has one: a page of somebody else's must not reach a local service.
    """
    return MCPApp(make_server(take, prices=prices, checks=checks), is_loopback=is_loopback)


def names_this_machine(name: str) -> bool:
    """Tell whether a host name or address, an IPv6 one in brackets or not, is this machine's own."""
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def _stranger(scope: Scope) -> tuple[int, str] | None:
    """Say what to answer where Host or Origin names another machine; None where they do not."""
    sent: list[tuple[bytes, bytes]] = scope["headers"]
    hosts, origins = ([value.decode("latin-1") for key, value in sent if key == name] for name in _NAMING)
    if len(hosts) != 1 or not _is_ours(_HOST, hosts[0]):
        return 421, "This service serves its own machine alone, and Host does not name it."
    if not all(_is_ours(_ORIGIN, origin) for origin in origins):
        return 403, "This service serves its own machine alone, and Origin does not name it."
    return None


def _is_ours(form: re.Pattern[str], value: str) -> bool:
    match = form.fullmatch(value)
    return match is not None and names_this_machine(match["name"])


def _again(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read once more, and then what the connection brings."""
    waiting = [body]

    async def received() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return received


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = ((b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
