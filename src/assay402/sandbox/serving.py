"""A small HTTP server on loopback for the sandbox's nodes and facilitator. It lives in threads and ends with all of them.

One request a connection: what serves a few local clients needs no more, and no connection is left open at the end.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

Held = TypeVar("Held")
Result = TypeVar("Result")

LOOPBACK: Final = "127.0.0.1"
MAX_BODY: Final = 4 << 20
"""Bytes of a request; what is sent here is a payment or a call of a node."""
IDLE_SECONDS: Final = 5.0
"""How long a client may be silent before its connection is closed, and so how long `close` may take at worst."""


class Request(Struct, frozen=True, kw_only=True):
    """A request as it came."""

    method: str
    path: str
    body: bytes


class Reply(Struct, frozen=True, kw_only=True):
    """What is answered, as JSON."""

    status: int = 200
    body: bytes = b"{}"


class LoopbackServer:
    """Answers requests on loopback until it is closed. `answer` is called in several threads at once."""

    def __init__(self, answer: Callable[[Request], Reply], port: int = 0) -> None:
        self._server = _Server((LOOPBACK, port), _handler(answer))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="sandbox-server"
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{LOOPBACK}:{self.port}"

    def close(self) -> None:
        """Stop listening, and wait until every request is answered and every thread has ended."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class OneThread(Generic[Held]):
    """A thing that only one thread may touch, and the thread that does: it is made there, used there, and let go there."""

    def __init__(self, make: Callable[[], Held], name: str) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._held: list[Held] = []
        try:
            self._worker.submit(lambda: self._held.append(make())).result()
        except BaseException:
            self._worker.shutdown()
            raise

    def run(self, work: Callable[[Held], Result]) -> Result:
        """Do some work with it and give its result; raises what the work raises."""
        return self._worker.submit(lambda: work(self._held[0])).result()

    def close(self) -> None:
        """Let the thing go in its thread, and end that."""
        self._worker.submit(self._held.clear).result()
        self._worker.shutdown()


class OneThreadServer(Generic[Held]):
    """Serves a thing that only one thread may touch, until it is closed."""

    def __init__(
        self, make: Callable[[], Held], reply: Callable[[Request], Reply], *, name: str, port: int
    ) -> None:
        self.held: Final = OneThread(make, name)
        try:
            self._server = LoopbackServer(reply, port)
        except BaseException:
            self.held.close()
            raise

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return self._server.url

    def close(self) -> None:
        """Finish what is under way and stop serving, then let the thing go."""
        self._server.close()
        self.held.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    # Sixty-four clients that come at once are a test of ours.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  (the library's signature)
        """Print nothing: a client that went away is no event, and what it sent belongs in no log."""


def _handler(answer: Callable[[Request], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = IDLE_SECONDS

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isascii() or not length.isdigit() or len(length) > len(str(MAX_BODY)):
                self._send(Reply(status=411))
            elif int(length) > MAX_BODY:
                self._send(Reply(status=413))
            else:
                self._answer(self.rfile.read(int(length)))

        def _answer(self, body: bytes) -> None:
            self._send(answer(Request(method=self.command, path=self.path, body=body)))

        def _send(self, reply: Reply) -> None:
            with suppress(ConnectionError):
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply.body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(reply.body)
            self.close_connection = True

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, ANN401  (the library's signature)
            """Log nothing."""

    return Handler
