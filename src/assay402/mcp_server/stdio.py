"""The stdio transport: one message a line, read with a bound, answered in any order.

The SDK's own reads lines of any length, and leaves what is no message without an answer.
"""

import asyncio
import queue
import re
import threading
from typing import Any, BinaryIO, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from msgspec import Struct

from assay402.mcp_server.messages import SHORT_BYTES, read_message, too_long
from assay402.mcp_server.tools import REQUEST_BYTES

_AHEAD: Final = 2
"""Lines read before they are wanted."""
_LAST_SECONDS: Final = 2.0
"""How long the last answers may take to be written when the input has ended."""
_EDGE: Final = 512
"""Bytes kept of either end of a line that is too long: the id stands at one of them in what clients write."""
_ID_FIRST: Final = re.compile(
    rb'\A\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,18}|"[\w.:-]{1,64}")\s*,'
)
_ID_LAST: Final = re.compile(rb'"id"\s*:\s*(-?\d{1,18}|"[\w.:-]{1,64}")\s*\}\s*\Z')


class TooLong(Struct, frozen=True):
    """A line over the limit, of which the ends are kept."""

    head: bytes
    tail: bytes


Line = bytes | TooLong | None
"""A line without its end; None at the end of the input."""


def next_line(stream: BinaryIO, cap: int) -> Line:
    """Read a line without ever holding more than the cap."""
    source = stream.readline(cap + 2)
    if not source:
        return None
    line = source.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= cap:
        return line
    head, tail = line[:_EDGE], line[-_EDGE:]
    while not source.endswith(b"\n") and (source := stream.readline(1 << 16)):
        tail = (tail + source.removesuffix(b"\n"))[-_EDGE:]
    return TooLong(head, tail)


def id_of(line: TooLong) -> Any:  # noqa: ANN401  (an id of any type, or null)
    """Give the id of a message that was too long to read, where it stands first or last in it."""
    found = _ID_FIRST.match(line.head) or _ID_LAST.search(line.tail)
    if found is None:
        return None
    text = found[1].decode()
    return text[1:-1] if text.startswith('"') else int(text)


class Lines:
    """Reads lines in a thread that nobody waits for: a read may block for ever, and a process must end all the same."""

    def __init__(self, stream: BinaryIO, cap: int = REQUEST_BYTES) -> None:
        self._stream: Final = stream
        self._cap: Final = cap
        self._wanted: Final = threading.Semaphore(_AHEAD)
        self._lines: Final[asyncio.Queue[Line]] = asyncio.Queue()
        self._loop: Final = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True, name="stdin").start()

    async def next(self) -> Line:
        """Give the next line."""
        line = await self._lines.get()
        self._wanted.release()
        return line

    def _read(self) -> None:
        line: Line = b""
        while line is not None:
            self._wanted.acquire()
            try:
                line = next_line(self._stream, self._cap)
            except (OSError, ValueError):
                # The stream was closed under the read: that is its end.
                line = None
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            except RuntimeError:
                return


class Writer:
    """Writes in a thread that nobody waits for, as a write blocks where nobody reads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: Final = stream
        self._waiting: Final[queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]]] = queue.SimpleQueue()
        self._loop: Final = asyncio.get_running_loop()
        threading.Thread(target=self._write, daemon=True, name="stdout").start()

    async def write(self, line: bytes) -> None:
        """Write a line, and wait until it is written. Raises `OSError` where the other end is gone."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._waiting.put((line, done))
        await done

    def _write(self) -> None:
        while True:
            line, done = self._waiting.get()
            error = _written(self._stream, line)
            try:
                self._loop.call_soon_threadsafe(_settle, done, error)
            except RuntimeError:
                return


def _written(stream: BinaryIO, line: bytes) -> OSError | None:
    left = memoryview(line)
    try:
        while left:
            left = left[stream.write(left) :]
        stream.flush()
    except OSError as error:
        return error
    except ValueError:
        # The stream was closed under the write.
        return BrokenPipeError()
    return None


def _settle(done: "asyncio.Future[None]", error: OSError | None) -> None:
    if not done.done():
        done.set_result(None) if error is None else done.set_exception(error)


class _Wire:
    """Messages between two binary streams and the SDK."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._lines: Final = Lines(stdin)
        self._writer: Final = Writer(stdout)

    async def read(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand every message on until the input ends; answer what is none."""
        async with into:
            while (line := await self._lines.next()) is not None:
                if isinstance(line, TooLong):
                    await self._write(too_long(id_of(line)))
                elif line.strip():
                    await self._read_line(line, into)

    async def _read_line(self, line: bytes, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        # One after another: the order of messages is kept.
        found = (
            read_message(line) if len(line) <= SHORT_BYTES else await asyncio.to_thread(read_message, line)
        )
        if isinstance(found, bytes):
            await self._write(found)
        else:
            await into.send(
                SessionMessage(found.message, metadata=ServerMessageMetadata(request_context=found.call))
            )

    async def write(self, out_of: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write every message of the SDK."""
        async with out_of:
            async for sent in out_of:
                await self._write(sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def _write(self, message: bytes) -> None:
        await self._writer.write(message + b"\n")


async def serve(server: Server[Any], stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve one client until its input ends or its output breaks. What is under way then is ended."""
    wire = _Wire(stdin, stdout)
    received_in, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_send, to_send_out = anyio.create_memory_object_stream[SessionMessage](0)
    all_written = anyio.Event()

    async def write() -> None:
        await wire.write(to_send_out)
        all_written.set()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(wire.read, received_in)
            group.start_soon(write)
            await server.run(received, to_send, server.create_initialization_options())
            await to_send.aclose()
            # What is on its way is written, unless nobody reads it.
            with anyio.move_on_after(_LAST_SECONDS):
                await all_written.wait()
            group.cancel_scope.cancel()
    except* OSError:
        pass  # Nobody is there to be told anything.
