"""The MCP endpoint within the service: the same orders and bounds, answers that may stream."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from assay402.mcp_server.http import MCPApp, mcp_app, names_this_machine
from assay402.mcp_server.messages import too_long
from assay402.mcp_server.server import CALL, CLIENT_ADDRESS, ENDED, Ended
from assay402.mcp_server.tools import REQUEST_BYTES
from assay402.service.order import Declined, Delivered, Offered, Order, Outcome, Pending
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from assay402.web.answers import ALWAYS, REQUEST_ID, HTTPAnswer, Message, Receive, Scope, Send, problem
from assay402.web.limits import Bodies
from assay402.web.requests import client_address, networks_of
from assay402.web.rooms import Full, Rooms
from assay402.web.serving import Serving

PATH: Final = "/mcp"
_OK: Final = 200
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
        seen = _Seen()
        try:
            await self._app.answer(scope, bytes(body), seen.receiving(receive), seen.sending(scope, send))
        finally:
            self._bodies.done(body)
            seen.tell(scope)

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


class _Seen:
    """What went by while a message was answered, for the log."""

    def __init__(self) -> None:
        self._status: int | None = None
        self._sent_bytes = 0
        self._has_left = False

    def receiving(self, receive: Receive) -> Receive:
        """Receive, and see who leaves."""

        async def received() -> Message:
            message = await receive()
            self._has_left = self._has_left or message["type"] == "http.disconnect"
            return message

        return received

    def sending(self, scope: Scope, send: Send) -> Send:
        """Send with the headers that every answer has, and count."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
                kept: list[Any] = [
                    each for each in message.get("headers", ()) if each[0].lower() not in _OURS
                ]
                named = (REQUEST_ID.lower().encode(), scope["request_id"].encode())
                message = {**message, "headers": [*ALWAYS, named, *kept]}
            self._sent_bytes += len(message.get("body", b""))
            await send(message)

        return sent

    def tell(self, scope: Scope) -> None:
        """Say how it ended: a call by its outcome, as over REST; what is no call by its status."""
        if self._status is None:
            return
        ended: Ended | None = scope.get(ENDED)
        outcome, code = self._unended(scope) if ended is None else _word(ended.outcome)
        if ended is not None and ended.operation is not None:
            scope["assay"]["operation"] = ended.operation
        scope["assay"]["sent_bytes"] = self._sent_bytes
        scope["assay"]["answer"] = HTTPAnswer(status=self._status, body=b"", outcome=outcome, code=code)

    def _unended(self, scope: Scope) -> tuple[str, str | None]:
        if self._status != _OK:
            return "declined", None
        if scope.get(CALL) is None:
            return "served", None
        return ("abandoned" if self._has_left else "failed"), None


def _word(outcome: Outcome) -> tuple[str, str | None]:
    match outcome:
        case Delivered():
            return ("replayed" if outcome.is_replay else "delivered"), None
        case Offered():
            return "offered", None
        case Pending():
            return "pending", "payment_pending"
        case Declined():
            return "declined", outcome.code
