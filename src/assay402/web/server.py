"""The server: uvicorn with bounds of ours on what comes before a request is one, and a stop that finishes work first."""

import asyncio
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from math import ceil
from types import FrameType
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from assay402.web.answers import HEAD_LINES, PROBLEM_TYPE, Application, Receive, Scope, Send, problem

HEAD_SECONDS: Final = 10.0
"""How long a connection may take to send the head of a request, its first one included."""
HEAD_BYTES: Final = 65_536
"""How long a head may get before the server reads on no more; the application refuses sooner."""
KEEP_ALIVE_SECONDS: Final = 30
DRAIN_SECONDS: Final = 10
"""How long work under way may take once the service is told to stop; leases cover what is cut off then."""
POLL_SECONDS: Final = 0.05
"""How soon the end of the last work under way is seen."""
LINGER_SECONDS: Final = 2.0
"""How long what comes after a refused head is read and dropped."""
LINGER_BYTES: Final = 1 << 20
_TOO_LARGE: Final = 431
MAX_CONNECTIONS: Final = 512
"""Open connections of one process; each may hold up to 400 kB while it sends."""
BACKLOG: Final = 2_048


class Writer(h11.Connection):
    """Writes answers. Header lines it is given go out unread, and with the first bytes of the body in one write."""

    is_head_too_large: bool = False
    """Whether reading ended because a head was longer than is read."""
    _lines: bytes | None = None
    _held: bytes = b""

    def next_event(self) -> Any:  # noqa: ANN401  (h11's own union)
        """Give what came next, and note why there is nothing more."""
        try:
            return super().next_event()
        except h11.RemoteProtocolError as error:
            self.is_head_too_large = error.error_status_hint == _TOO_LARGE
            raise

    def put(self, lines: bytes | None) -> None:
        """Take the lines of the next answer's head, each with its end; None takes them back."""
        self._lines, self._held = lines, b""

    def send(self, event: h11.Event) -> Any:  # noqa: ANN401  (bytes or None, by the kind of event)
        """Give the bytes of an event; those of a head with lines of ours come with what follows it."""
        data = super().send(event)
        if self._lines is not None and type(event) is h11.Response and data is not None:
            self._held, self._lines = data[:-2] + self._lines + b"\r\n", None
            return b""
        if self._held and data is not None:
            data, self._held = self._held + data, b""
        return data


class Connection(H11Protocol):
    """One connection. A head that is no HTTP, too long or too slow gets a problem of ours, and the connection ends."""

    head_seconds: float = HEAD_SECONDS
    max_connections: int = MAX_CONNECTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (uvicorn's own arguments)
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._dropped = 0
        self.conn: Writer = Writer(h11.SERVER, self.config.h11_max_incomplete_event_size or HEAD_BYTES)
        self._inner: Final = self.app
        self.app = self._answering

    async def _answering(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, which may put lines into the head of its answer."""
        self.conn.put(None)
        scope[HEAD_LINES] = self.conn.put
        await self._inner(scope, receive, send)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base class has it
        """Start the time that the head of the first request has, or refuse where there are too many connections."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(503, "busy")
        else:
            self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self._stop_head_timer()
        if self._closing is not None:
            self._closing.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came. Until a request is whole, its time runs."""
        if self.transport.is_closing():
            return
        if self._closing is not None:
            self._dropped += len(data)
            if self._dropped > LINGER_BYTES:
                self.transport.abort()
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
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
        elif self.conn.is_head_too_large:
            # The rest of the head is on its way: closed at once, the client would see a reset instead.
            self._refuse(_TOO_LARGE, "head_too_large", linger_seconds=LINGER_SECONDS)
        else:
            self._refuse(400, "request_malformed")

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

    def _refuse(self, status: int, code: str, *, linger_seconds: float = 0.0) -> None:
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
        if linger_seconds and self.transport.can_write_eof():
            self.transport.write_eof()
            self._closing = self.loop.call_later(linger_seconds, self.transport.close)
        else:
            self.transport.close()


class Server(uvicorn.Server):
    """A server that says first that it stops, and goes on listening while work is under way.

    Whoever comes meanwhile is told that it drains, and a payment that is known gets its answer.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        draining: Callable[[], None],
        started: Callable[[], None] = lambda: None,
        drained: Callable[[], Awaitable[None]] | None = None,
        notice_seconds: float = 0.0,
    ) -> None:
        """`drained` ends once no work is under way that no request waits for; it listens for `notice_seconds` at least."""
        super().__init__(config)
        self._draining: Final = draining
        self._told: Final = started
        self._drained: Final = drained or _at_once
        self._notice: Final = notice_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self._told()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is under way while still listening, within the time that has; then close.

        Whoever asks whether it is ready must have had the time to see that it is not, before nobody answers any more.
        """
        loop = asyncio.get_running_loop()
        noticed = loop.time() + self._notice
        until = loop.time() + max(self._notice, self.config.timeout_graceful_shutdown or 0)
        work = asyncio.ensure_future(self._drained())
        while (  # noqa: ASYNC110  (uvicorn keeps plain sets and flags, without events)
            not self.force_exit
            and (now := loop.time()) < until
            and (now < noticed or self.server_state.tasks or not work.done())
        ):
            await asyncio.sleep(POLL_SECONDS)
        work.cancel()
        await asyncio.wait([work])
        self.config.timeout_graceful_shutdown = max(0, ceil(until - loop.time()))
        await super().shutdown(sockets)

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


async def _at_once() -> None:
    """Stand where nothing goes on without a request."""


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
        "h11_max_incomplete_event_size": HEAD_BYTES,
        **changes,
    }
    return uvicorn.Config(application, **wanted)


def listen(host: str, port: int) -> socket.socket:
    """Open the socket to listen on. Raises `OSError`: `EADDRINUSE` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)


async def serve(  # noqa: PLR0913, PLR0917  (what a server is made of)
    application: Application,
    sockets: Sequence[socket.socket],
    draining: Callable[[], None],
    started: Callable[[], None],
    parent: int | None = None,
    drained: Callable[[], Awaitable[None]] | None = None,
    notice_seconds: float = 0.0,
) -> None:
    """Serve until a signal says to stop, and until what is under way has ended or its time has.

    `parent` becomes readable when the process that watches over this one is gone, which is a reason to stop as well.
    """
    server = Server(config_of(application), draining, started, drained, notice_seconds)
    if parent is not None:
        asyncio.get_running_loop().add_reader(parent, _orphaned, server, parent)
    await server.serve(list(sockets))


def _orphaned(server: Server, parent: int) -> None:
    asyncio.get_running_loop().remove_reader(parent)
    server.handle_exit(signal.SIGTERM, None)
