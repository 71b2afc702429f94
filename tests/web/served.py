"""A real server on loopback in a thread, and exact bytes sent to it."""

import json
import socket
import threading
from asyncio import AbstractEventLoop, Runner, get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM
from typing import Any

from msgspec import Struct

from assay402.service.resources import resources
from assay402.service.settings import Settings
from assay402.service.telemetry import Log, Telemetry
from assay402.web.app import Face
from assay402.web.limits import Limits
from assay402.web.server import Connection, Server, config_of, listen
from assay402.web.serving import Serving
from web.plain_orders import PlainOrders, jwks

SECONDS = 20.0


class Reply(Struct, frozen=True, kw_only=True):
    """One answer as received."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def all(self, name: str) -> list[str]:
        """Give every value of a header."""
        return [value for found, value in self.headers if found.lower() == name.lower()]

    def header(self, name: str) -> str | None:
        """Give the one value of a header, or None."""
        found = self.all(name)
        assert len(found) <= 1
        return found[0] if found else None

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Line:
    """One connection: what is sent, and answers read from it."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self._file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def reply(self, method: str = "POST") -> Reply:
        """Read one answer."""
        status_line = self._file.readline()
        assert status_line.startswith(b"HTTP/1.1 "), status_line
        status = int(status_line.split()[1])
        headers = []
        while (line := self._file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name, value.strip()))
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        body = b"" if method == "HEAD" else self._file.read(length)
        return Reply(status=status, headers=tuple(headers), body=body)

    def is_closed(self) -> bool:
        """Tell whether the server ends the connection, within the time a wait may take."""
        try:
            return self._file.read(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        """End the connection."""
        self._file.close()
        self.socket.close()


class Service:
    """A running service."""

    def __init__(
        self,
        port: int,
        face: Face,
        orders: Any,
        lines: list[str],
        telemetry: Telemetry,
    ) -> None:
        self.port = port
        self.face = face
        self.orders = orders
        self.lines = lines
        self.telemetry = telemetry
        self.loop: AbstractEventLoop | None = None
        self.stop: Callable[[], None] = lambda: None
        """Tell the server to stop, as SIGTERM does."""
        self.interrupt: Callable[[], None] = lambda: None
        """Tell it so as Ctrl-C does."""
        self.ended = threading.Event()
        """Set once it has stopped by itself."""

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log as JSON."""
        return [json.loads(line) for line in self.lines]

    @contextmanager
    def line(self) -> Iterator[Line]:
        """Open a connection for a block."""
        made = Line(self.port)
        try:
            yield made
        finally:
            made.close()

    def call(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Send one well-formed request and give its answer."""
        head = {"Host": "forged.example", **(headers or {})}
        if body is not None:
            head = {"Content-Type": "application/json", "Content-Length": str(len(body)), **head}
        text = f"{method} {path} HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in head.items()
        )
        with self.line() as line:
            line.send(text.encode("latin-1") + b"\r\n" + (body or b""))
            return line.reply(method)

    def post(self, path: str, document: Any, headers: dict[str, str] | None = None) -> Reply:
        """Send a document, or bytes as a body."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.call("POST", path, body, headers)


@contextmanager
def service(
    orders: PlainOrders | None = None,
    settings: Settings | None = None,
    limits: Limits | None = None,
    **changes: Any,
) -> Iterator[Service]:
    """Run the face on a free port until the block ends."""
    wanted = settings or Settings()
    taken = orders or PlainOrders()
    lines: list[str] = []
    telemetry = Telemetry(Log(lines.append))
    head_seconds = changes.pop("head_seconds", SECONDS)
    base = changes.pop("connection", Connection)
    drained = changes.pop("drained", None)
    notice_seconds = changes.pop("notice_seconds", 0.0)
    serving = Serving(
        **{
            "settings": wanted,
            "resources": resources(wanted),
            "orders": taken,
            "telemetry": telemetry,
            "jwks": jwks,
            "limits": limits or Limits(),
            **changes,
        }
    )
    face = Face(serving)
    connection = type("QuickConnection", (base,), {"head_seconds": head_seconds})
    server = Server(
        config_of(face, http=connection, timeout_graceful_shutdown=2),
        face.drain,
        drained=drained,
        notice_seconds=notice_seconds,
    )
    listening = listen("127.0.0.1", 0)
    up = threading.Event()
    running = Service(listening.getsockname()[1], face, taken, lines, telemetry)

    running.stop = lambda: server.handle_exit(SIGTERM, None)
    running.interrupt = lambda: server.handle_exit(SIGINT, None)

    async def run() -> None:
        running.loop = get_running_loop()
        async with face.running():
            await server.startup(sockets=[listening])
            up.set()
            await server.main_loop()
            await server.shutdown(sockets=[listening])
            running.ended.set()

    def body() -> None:
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        with Runner() as runner:
            runner.run(run())

    thread = threading.Thread(target=body)
    thread.start()
    try:
        assert up.wait(SECONDS)
        yield running
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()
        assert not thread.is_alive()
