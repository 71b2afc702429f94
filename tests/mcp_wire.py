"""A client of lines: what an MCP server does with bytes, seen without anybody's SDK in between."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp.server.lowlevel import Server

from assay402.mcp_server.stdio import serve

PATIENCE: Final = 30
"""Seconds after which a test gives up."""
HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """One client of a server that runs in this process, over two pipes."""

    def __init__(self, reader: asyncio.StreamReader, to_server: int) -> None:
        self._reader: Final = reader
        self._to_server: Final = to_server
        self._last_id = 0

    async def send(self, line: bytes) -> None:
        """Send bytes and a line end."""
        await asyncio.to_thread(_write, self._to_server, line + b"\n")

    async def receive(self) -> Any:
        """Give the next message of the server."""
        async with asyncio.timeout(PATIENCE):
            line = await self._reader.readline()
        assert line.endswith(b"\n"), "the server ended"
        return json.loads(line)

    async def ask(self, method: str, params: Any = None) -> int:
        """Send a request and give its id."""
        self._last_id += 1
        await self.send(_message(method, params, id=self._last_id))
        return self._last_id

    async def tell(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        await self.send(_message(method, params))

    async def answer(self, method: str, params: Any = None) -> Any:
        """Send a request and give the message that answers it."""
        sent = await self.ask(method, params)
        while (message := await self.receive()).get("id") != sent:
            continue
        return message

    async def hello(self) -> None:
        """Shake hands."""
        assert "result" in await self.answer("initialize", HELLO)
        await self.tell("notifications/initialized")

    async def call(self, tool: str, arguments: Any, meta: Any = None) -> Any:
        """Call a tool and give its result."""
        more = {} if meta is None else {"_meta": meta}
        return (await self.answer("tools/call", {"name": tool, "arguments": arguments, **more}))["result"]

    async def call_with(self, tool: str, arguments: bytes) -> Any:
        """Call a tool with arguments exactly as spelled, and give the whole answer."""
        self._last_id += 1
        head = _message("tools/call", {"name": tool, "arguments": None}, id=self._last_id)
        await self.send(head.replace(b'"arguments": null', b'"arguments": ' + arguments))
        while (message := await self.receive()).get("id") != self._last_id:
            continue
        return message


def _message(method: str, params: Any, **more: Any) -> bytes:
    held = {} if params is None else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "method": method, **held, **more}).encode()


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


@asynccontextmanager
async def wire(server: Server[Any]) -> AsyncIterator[Wire]:
    """Run a server and give a client of it; leaving ends the server's input and waits for its end."""
    (stdin, to_server), (from_server, stdout) = os.pipe(), os.pipe()
    reader = asyncio.StreamReader(limit=1 << 24)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_server, "rb")
    )
    with os.fdopen(stdin, "rb") as input_, os.fdopen(stdout, "wb") as output:
        running = asyncio.create_task(serve(server, input_, output))
        try:
            yield Wire(reader, to_server)
        finally:
            os.close(to_server)
            async with asyncio.timeout(PATIENCE):
                await running
    transport.close()


def run_on(server: Server[Any], use: Callable[[Wire], Awaitable[Any]]) -> Any:
    """Run a server, shake hands with it and use it."""

    async def main() -> Any:
        async with wire(server) as client:
            await client.hello()
            return await use(client)

    return asyncio.run(main())
