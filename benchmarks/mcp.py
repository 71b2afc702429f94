"""What the MCP face adds to a check: a small tool call over stdio and over HTTP, beyond the check's own time.

Run with `benchmarks/run mcp`. Times are wall time of one call after another by a client that writes and reads plain
bytes; the check's own time is that of the library function in this process. The bars are 3 ms and 6 ms.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay402 import dialect

ASSAY = Path(sys.executable).with_name("assay")
SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 5 if SHORT else 500
STDIO_BAR_MS = 3.0
HTTP_BAR_MS = 6.0
REQUEST: dict[str, Any] = {
    "mode": "submitted",
    "artefact": {"status": 402, "body_obj": {"x402Version": 1, "accepts": [{"network": "base"}]}},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def message(method: str, params: dict[str, Any], number: int | None = None) -> bytes:
    """Write a message as a line."""
    numbered = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": params}).encode() + b"\n"


CALL = message("tools/call", {"name": "dialect_check", "arguments": REQUEST}, 1)


@contextmanager
def stdio() -> Iterator[Callable[[], bytes]]:
    """Start `assay mcp` and give one call of it."""
    with subprocess.Popen([ASSAY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        to, out = running.stdin, running.stdout
        if to is None or out is None:
            raise SystemExit("no pipes")

        def ask(line: bytes) -> bytes:
            to.write(line)
            to.flush()
            return out.readline()

        ask(message("initialize", HELLO, 0))
        to.write(message("notifications/initialized", {}))
        yield lambda: ask(CALL)
        to.close()


@contextmanager
def over_http() -> Iterator[Callable[[], bytes]]:
    """Start `assay serve` with payments off and give one call of its endpoint, over a connection that is kept."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ASSAY_DATA_DIR": folder, "ASSAY_PORT": "0"}
        with subprocess.Popen(
            [ASSAY, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as running:
            connection = http.client.HTTPConnection("127.0.0.1", _port(running), timeout=30)

            def ask() -> bytes:
                connection.request("POST", "/mcp", CALL, HEADERS)
                return connection.getresponse().read()

            yield ask
            connection.close()
            running.terminate()


def _port(running: "subprocess.Popen[bytes]") -> int:
    for line in running.stdout or ():
        found = line.decode().partition("http://127.0.0.1:")[2]
        if found:
            return int(found)
    raise SystemExit("the service did not start")


def median(ask: Callable[[], Any]) -> float:
    """Give the median time of a call, in milliseconds."""
    for _ in range(50):
        ask()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1_000


def main() -> int:
    """Measure, print a table and say whether the bars are kept."""
    own = median(lambda: dialect.check(REQUEST))
    print(f"the check itself     {own:6.2f} ms")
    kept = True
    for name, start, bar in (("stdio", stdio, STDIO_BAR_MS), ("HTTP", over_http, HTTP_BAR_MS)):
        with start() as ask:
            if b"dialect-check" not in ask():
                raise SystemExit("the tool does not answer")
            added = median(ask) - own
        kept = kept and added <= bar
        print(f"{name:<5} adds           {added:6.2f} ms   (bar {bar:.0f} ms)")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
