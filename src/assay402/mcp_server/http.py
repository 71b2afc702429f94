"""The streamable HTTP endpoint, as an ASGI application of its own: each message is answered by itself, no session is held."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from assay402.mcp_server.messages import fault_of, too_long
from assay402.mcp_server.server import make_server
from assay402.mcp_server.tools import REQUEST_BYTES
from assay402.mcp_server.unpaid import Take

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


class MCPApp:
    """The ASGI application. `running` must be entered before the first request, and left after the last one.

    Sessions would be state to bound and to lose: a client gets none, so that any replica answers any message. GET and
    DELETE, which speak of sessions, are answered 405. To cancel a call, close its connection.
    """

    def __init__(self, server: Server[Any], *, is_loopback: bool, cap: int = REQUEST_BYTES) -> None:
        self._manager: Final = StreamableHTTPSessionManager(
            app=server,
            stateless=True,
            security_settings=_security() if is_loopback else None,
            max_request_body_size=cap,
        )
        self._cap: Final = cap

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep what answers requests alive; leaving ends what is under way. Once per application."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] != "POST":
            await _answer(send, 405, b"", (b"allow", b"POST"))
            return
        body = await _body(receive, self._cap)
        if body is None:
            await _answer(send, 413, too_long())
            return
        await self.answer(scope, body, receive, send)

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer a POST whose body somebody else has read, within `REQUEST_BYTES`."""
        fault = fault_of(body)
        if fault is not None:
            await _answer(send, 400, fault)
            return
        await self._manager.handle_request(scope, _again(body, receive), send)


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


def _security() -> TransportSecuritySettings:
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[name for host in _LOOPBACK for name in (host, f"{host}:*")],
        allowed_origins=[
            f"{scheme}://{name}"
            for scheme in ("http", "https")
            for host in _LOOPBACK
            for name in (host, f"{host}:*")
        ],
    )


async def _body(receive: Receive, cap: int) -> bytes | None:
    """Read a body up to the cap; None beyond it, or where the client leaves."""
    parts: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part: bytes = message.get("body", b"")
        length += len(part)
        if length > cap:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read once more, and then what the connection brings."""
    waiting = [body]

    async def received() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return received


async def _answer(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    described = ((b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": [*described, *headers]})
    await send({"type": "http.response.body", "body": body})
