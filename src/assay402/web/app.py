"""The application: finds the endpoint, answers what is not an order itself, and tells the log how each request ended."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Any, Final

from starlette.routing import Route, Router

from assay402.service.telemetry import METHODS, Event
from assay402.web.answers import (
    HEAD_LINES,
    NO_CONTENT,
    PREFLIGHT,
    Application,
    HTTPAnswer,
    Receive,
    Scope,
    Send,
    problem,
    send_answer,
)
from assay402.web.endpoints import OpenEndpoint, OrderEndpoint, ReceiptEndpoint
from assay402.web.limits import Bodies, Gone, head_problem
from assay402.web.rooms import Rooms
from assay402.web.routes import Draining, routes
from assay402.web.serving import Serving
from assay402.web.targets import target_problem
from assay402.web.tools import PATH, ToolsEndpoint

DIALECT: Final = "/dialect-check"


class Face:
    """The service as an ASGI application, free of its server. Makes no connection and opens no file by itself."""

    def __init__(self, serving: Serving, clock: Callable[[], float] = time.perf_counter) -> None:
        self._serving: Final = serving
        self._clock: Final = clock
        self._bodies: Final = Bodies(serving.limits, serving.telemetry)
        self._draining: Final = Draining()
        self.rooms: Final = Rooms(serving.settings.queue, serving.telemetry)
        self._tools: Final = ToolsEndpoint(serving, self._bodies, self.rooms, self._send)
        endpoints = list(self._endpoints())
        self._exact: Final = {path: endpoint for path, endpoint in endpoints if "{" not in path}
        self._router: Final[Any] = Router(
            [Route(path, endpoint) for path, endpoint in endpoints if "{" in path],
            redirect_slashes=False,
            default=self._nothing_there,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep alive what must outlast single requests; wraps the time in which requests are answered."""
        async with self._tools.running():
            yield

    def drain(self) -> None:
        """Say that the service is about to stop: not ready any more, and nothing new is admitted."""
        if not self._draining.began:
            self._draining.began = True
            self._serving.telemetry.draining()
            self._serving.orders.stop_admitting()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. An exception becomes a problem of ours, told by its class alone."""
        if scope["type"] != "http":
            return
        started = self._clock()
        told: dict[str, Any] = {"route": "other", "answer": None}
        scope["assay"] = told
        scope["request_id"] = token_hex(16)
        try:
            refused = target_problem(scope) or head_problem(scope, self._serving.limits)
            if refused is not None:
                await self._send(scope, receive, send, refused)
            elif scope["method"] == "OPTIONS":
                await self._send(scope, receive, send, _preflight())
            else:
                await self._exact.get(scope["path"], self._router)(scope, receive, send)
        except Gone:
            self._tell(scope, started, "abandoned", 400, None)
            return
        except Exception as error:  # noqa: BLE001  (the outermost frame: the text may hold what was submitted)
            self._failed(scope, error)
            if told["answer"] is None:
                await self._send(scope, receive, send, problem(500, "internal", closes=True))
        answer = told["answer"]
        if isinstance(answer, HTTPAnswer):
            outcome = "failed" if answer.code == "internal" else answer.outcome
            self._tell(scope, started, outcome, answer.status, answer)

    def _endpoints(self) -> Iterator[tuple[str, Application]]:
        for path, endpoint in routes(self._serving, self._bodies, self.rooms, self._draining):
            yield path, _Mounted(endpoint, self._send)
        yield PATH, self._tools

    async def _send(self, scope: Scope, receive: Receive, send: Send, answer: HTTPAnswer) -> None:
        """Send an answer. A client that is cut off is first read for a while, or it would see a reset instead."""
        scope["assay"]["answer"] = answer
        await send_answer(
            send, answer, scope["request_id"], complete=not answer.closes, put=scope.get(HEAD_LINES)
        )
        if answer.closes:
            await self._bodies.linger(receive)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _nothing_there(self, scope: Scope, receive: Receive, send: Send) -> None:
        code = "not_covered" if _is_not_covered(scope) else "not_found"
        await self._send(scope, receive, send, problem(404, code, closes=scope["method"] == "POST"))

    def _tell(
        self, scope: Scope, started: float, outcome: str, status: int, answer: HTTPAnswer | None
    ) -> None:
        told: dict[str, Any] = scope["assay"]
        route, method = told["route"], scope["method"]
        seconds = self._clock() - started
        self._serving.telemetry.answered(route=route, status=status, outcome=outcome, seconds=seconds)
        code = {} if answer is None or answer.code is None else {"code": answer.code}
        self._serving.telemetry.log.say(
            Event.REQUEST_ANSWERED,
            request_id=scope["request_id"],
            route=route,
            method=method if method in METHODS else "other",
            status=status,
            outcome=outcome,
            milliseconds=round(seconds * 1_000),
            sent_bytes=told.get("sent_bytes", 0 if answer is None else len(answer.body)),
            **({"operation": told["operation"]} if "operation" in told else {}),
            **code,
        )

    def _failed(self, scope: Scope, error: Exception) -> None:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        self._serving.telemetry.log.say(
            Event.REQUEST_FAILED,
            request_id=scope["request_id"],
            route=scope["assay"]["route"],
            fault=type(error).__name__,
            fault_line=0 if trace is None else trace.tb_lineno,
        )


class _Mounted:
    """An endpoint as the router calls it: told to the log by its name, and called with its own methods only."""

    def __init__(
        self,
        endpoint: OrderEndpoint | ReceiptEndpoint | OpenEndpoint,
        send_out: Callable[[Scope, Receive, Send, HTTPAnswer], Any],
    ) -> None:
        self._endpoint: Final = endpoint
        self._send_out: Final = send_out

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say which methods there are."""
        scope["assay"]["route"] = self._endpoint.route
        if scope["method"] in self._endpoint.methods:
            answer = await self._endpoint(scope, receive)
        elif _is_not_covered(scope):
            answer = problem(404, "not_covered", closes=True)
        else:
            allow = (("Allow", ", ".join((*self._endpoint.methods, "OPTIONS"))),)
            has_body = scope["method"] not in ("GET", "HEAD")
            answer = problem(405, "method_not_allowed", headers=allow, closes=has_body)
        await self._send_out(scope, receive, send, answer)


def _is_not_covered(scope: Scope) -> bool:
    """Tell whether a request that nothing takes is a POST to the dialect check, whose contract has a word for it."""
    path: str = scope["path"]
    return scope["method"] == "POST" and (path == DIALECT or path.startswith(f"{DIALECT}/"))


def _preflight() -> HTTPAnswer:
    return HTTPAnswer(status=NO_CONTENT, body=b"", headers=PREFLIGHT)
