"""The HTTP endpoint on loopback, as a service would mount it, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from assay402.mcp_server.http import MCPApp

SECONDS: Final = 30


class _Server(uvicorn.Server):
    """Tells when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        self.is_up.set()


class _Mounted:
    """Reads a body, and lets the application answer."""

    def __init__(self, app: MCPApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        body = await Request(scope, receive).body()
        await self._app.answer(scope, body, receive, send)


class Endpoint:
    """A served endpoint: its address, and a way into its event loop."""

    def __init__(self, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.port: Final = port
        self.url: Final = f"http://127.0.0.1:{port}/mcp"
        self._loop: Final = loop

    def inside(self, look: Callable[[], Any]) -> Any:
        """Give what something finds when it is called on the server's event loop."""

        async def looked() -> Any:
            return look()

        return asyncio.run_coroutine_threadsafe(looked(), self._loop).result(SECONDS)


@contextmanager
def serving(make: Callable[[], MCPApp]) -> Iterator[Endpoint]:
    """Serve an application, made on the server's event loop, until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    found: dict[str, Any] = {}

    async def main() -> None:
        app = make()

        @asynccontextmanager
        async def life(_: Starlette) -> AsyncIterator[None]:
            async with app.running():
                yield

        served = Starlette(routes=[Route("/mcp", endpoint=_Mounted(app))], lifespan=life)
        config = uvicorn.Config(served, log_level="critical", timeout_graceful_shutdown=SECONDS)
        found["server"] = server = _Server(config)
        found["loop"] = asyncio.get_running_loop()
        ready.set()
        await server.serve([listening])

    ready = threading.Event()
    thread = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    thread.start()
    assert ready.wait(SECONDS)
    server = found["server"]
    assert server.is_up.wait(SECONDS)
    try:
        yield Endpoint(listening.getsockname()[1], found["loop"])
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()
        assert not thread.is_alive()
