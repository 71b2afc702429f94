"""The MCP endpoint within the service: the same orders and bounds, answers that may stream."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from assay402.mcp_server.http import MCPApp, mcp_app, names_this_machine
from assay402.mcp_server.messages import too_long
from assay402.mcp_server.server import CLIENT_ADDRESS
from assay402.mcp_server.tools import REQUEST_BYTES
from assay402.service.order import Declined, Order, Outcome
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from assay402.web.answers import ALWAYS, REQUEST_ID, HTTPAnswer, Message, Receive, Scope, Send, problem
from assay402.web.limits import Bodies
from assay402.web.requests import client_address, networks_of
from assay402.web.rooms import Full, Rooms
from assay402.web.serving import Serving

PATH: Final = "/mcp"
_OURS: Final = frozenset(name for name, _ in ALWAYS)

SendOut = Callable[[Scope, Receive, Send, HTTPAnswer], Awaitable[None]]


class ToolsEndpoint:
    """Serves the tools. Its answers begin before they are whole, so it sends them itself."""

    def __init__(self, serving: Serving, bodies: Bodies, rooms: Rooms, send_out: SendOut) -> None:
        self._orders: Final = serving.orders
        self._bodies: Final = bodies
        self._rooms: Final = rooms
        self._send_out: Final = send_out
        self._proxies: Final = networks_of(serving.settings.trusted_proxies)
        self._app: Final[MCPApp] = mcp_app(
            self._take,
            prices=_prices(serving),
            checks=serving.settings.checks,
            is_loopback=_is_loopback(serving.settings),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep alive what answers; leaving ends what is still under way."""
        async with self._app.running():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a message within the limits, and answer it."""
        scope["assay"]["route"] = "mcp"
        if scope["method"] != "POST":
            allow = (("Allow", "POST, OPTIONS"),)
            has_body = scope["method"] not in ("GET", "HEAD")
            answer = problem(405, "method_not_allowed", headers=allow, closes=has_body)
            await self._send_out(scope, receive, send, answer)
            return
        body = await self._bodies.read(scope, receive, REQUEST_BYTES)
        if isinstance(body, int):
            body = HTTPAnswer(
                status=413, body=too_long(), outcome="declined", code="message-too-long", closes=True
            )
        if isinstance(body, HTTPAnswer):
            await self._send_out(scope, receive, send, body)
            return
        scope[CLIENT_ADDRESS] = client_address(scope, self._proxies)
        try:
            await self._app.answer(scope, bytes(body), receive, _told(scope, send))
        finally:
            self._bodies.done(body)

    async def _take(self, order: Order) -> Outcome:
        try:
            with self._rooms.place(order.resource.check.name):
                return await self._orders.take(order)
        except Full:
            return Declined(status=503, code="busy", retry_after_seconds=1)
        except StoreUnavailable:
            return Declined(status=503, code="store_unavailable", retry_after_seconds=5)


def _prices(serving: Serving) -> dict[str, int]:
    if serving.settings.payments == "off":
        return {}
    return {resource.name: resource.price for resource in serving.resources}


def _is_loopback(settings: Settings) -> bool:
    """Tell whether nobody but this machine is served: no other address is listened on, and none is published."""
    published = None if settings.public_url is None else urlsplit(settings.public_url).hostname
    return all(name is None or names_this_machine(name) for name in (settings.host, published))


def _told(scope: Scope, send: Send) -> Send:
    """Send with the headers that every answer has, and tell the log how it began."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            scope["assay"]["answer"] = HTTPAnswer(status=message["status"], body=b"")
            kept: list[Any] = [each for each in message.get("headers", ()) if each[0].lower() not in _OURS]
            named = (REQUEST_ID.lower().encode(), scope["request_id"].encode())
            message = {**message, "headers": [*ALWAYS, named, *kept]}
        await send(message)

    return sent
