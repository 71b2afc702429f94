"""The server: uvicorn with bounds of ours on what comes before a request is one, and a stop that finishes work first."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from assay402.web.answers import PROBLEM_TYPE, Application, problem

HEAD_SECONDS: Final = 10.0
"""How long a connection may take to send the head of a request, its first one included."""
KEEP_ALIVE_SECONDS: Final = 30
DRAIN_SECONDS: Final = 10
"""How long work under way may take once the service is told to stop; leases cover what is cut off then."""
MAX_CONNECTIONS: Final = 512
"""Open connections of one process; each may hold up to 400 kB while it sends."""
BACKLOG: Final = 2_048


class Connection(H11Protocol):
    """One connection. A head that is no HTTP, too long or too slow gets a problem of ours, and the connection ends."""

    head_seconds: float = HEAD_SECONDS
    max_connections: int = MAX_CONNECTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (uvicorn's own arguments)
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base class has it
        """Start the time that the head of the first request has, or refuse where there are too many connections."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(503, "busy")
        else:
            self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer with the connection."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came. Until a request is whole, its time runs."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        is_waiting = self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # None before the first request
        if not is_waiting:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._start_head_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request: too long a head, or none at all."""
        del msg
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400, "request_malformed")
        else:
            self.transport.close()

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing() and self.conn.our_state is h11.IDLE:
            self._refuse(408, "head_late")

    def _refuse(self, status: int, code: str) -> None:
        answer = problem(status, code)
        headers = [
            ("content-type", PROBLEM_TYPE),
            ("content-length", str(len(answer.body))),
            ("cache-control", "no-store"),
            ("connection", "close"),
        ]
        parts = (
            h11.Response(status_code=status, headers=headers, reason=b""),
            h11.Data(data=answer.body),
            h11.EndOfMessage(),
        )
        for part in parts:
            self.transport.write(self.conn.send(part))
        self.transport.close()


class Server(uvicorn.Server):
    """A server that says first that it stops, so that what watches it sends nothing new."""

    def __init__(
        self,
        config: uvicorn.Config,
        draining: Callable[[], None],
        started: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._draining: Final = draining
        self._told: Final = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self._told()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain on the first signal; a second interrupt ends at once, as uvicorn has it."""
        self._draining()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Listen to signals, and do not raise them again at the end: the service is not closed by then."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def config_of(application: Application, **changes: Any) -> uvicorn.Config:  # noqa: ANN401  (uvicorn's own settings)
    """Give uvicorn's configuration: no access log (it would hold paths), no Server header, h11 for its bounds."""
    wanted: dict[str, Any] = {
        "http": Connection,
        "ws": "none",
        "lifespan": "off",
        "interface": "asgi3",
        "access_log": False,
        "log_config": None,
        "log_level": "critical",
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": DRAIN_SECONDS,
        "h11_max_incomplete_event_size": 65_536,
        **changes,
    }
    return uvicorn.Config(application, **wanted)


def listen(host: str, port: int) -> socket.socket:
    """Open the socket to listen on. Raises `OSError`: `EADDRINUSE` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)


async def serve(
    application: Application,
    sockets: Sequence[socket.socket],
    draining: Callable[[], None],
    started: Callable[[], None],
    parent: int | None = None,
) -> None:
    """Serve until a signal says to stop, and until what is under way has ended or its time has.

    `parent` becomes readable when the process that watches over this one is gone, which is a reason to stop as well.
    """
    server = Server(config_of(application), draining, started)
    if parent is not None:
        asyncio.get_running_loop().add_reader(parent, _orphaned, server, parent)
    await server.serve(list(sockets))


def _orphaned(server: Server, parent: int) -> None:
    asyncio.get_running_loop().remove_reader(parent)
    server.handle_exit(signal.SIGTERM, None)
