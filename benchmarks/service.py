"""Requests per second of the service, as ratios to a bare Starlette endpoint that decodes the same body, in one run.

Server and client are processes of their own, on loopback. Both servers are of the same class, with the same parser, loop
and limits: what is compared is the application, and the bare one does nothing but decode the body. The load generator keeps
connections open and sends one request after another on each. Rounds are short and alternate, and a ratio is the median over
pairs of neighbours, so that other load on the machine meets both alike; processor time disturbs it less still. Rows: the free pre-check, the 402 answer
of an unpaid dialect check, and a paid dialect check with a facilitator in the server's process that says yes at once
(database on a RAM disk, then on disk), each with p99 at half of the rate it reached. Before them: how soon a service that
starts for the first time has answered.
"""

import asyncio
import base64
import json
import multiprocessing
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from assay402.core.strictjson import JSON
from assay402.service.ports import Settled, Verified
from assay402.service.settings import Settings
from assay402.service.telemetry import Log, Telemetry
from assay402.web.answers import Application
from assay402.web.app import Face
from assay402.web.assembly import Outside, assembled
from assay402.web.running import loop_factory
from assay402.web.server import listen, serve

CONNECTIONS = 8
SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
SECONDS = 0.1 if SHORT else 1.0
ROUNDS = 1 if SHORT else 9
ANSWER_BAR = 3.0
"""Seconds from the first line of `assay serve` to an answer."""
BARS = {"precheck": 0.5, "offer": 0.6, "paid": 0.15}
PRECHECK = json.dumps(
    {
        "mode": "submitted",
        "artefact": {
            "status": 402,
            "body_obj": {
                "x402Version": 1,
                "accepts": [{"scheme": "exact", "network": "base", "maxAmountRequired": "10000"}],
            },
        },
        "caller": "bench",
    }
).encode()
CHECK = json.dumps({name: value for name, value in json.loads(PRECHECK).items() if name != "caller"}).encode()


def request(path: str, body: bytes, *headers: str) -> bytes:
    """Write a request."""
    head = [
        f"POST {path} HTTP/1.1",
        "Host: bench",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> tuple[int, bytes]:
    """Send one request and read its answer: the status, and the body."""
    writer.write(data)
    head = await reader.readuntil(b"\r\n\r\n")
    start = head.lower().index(b"content-length: ") + 16
    length = int(head[start : head.index(b"\r\n", start)])
    body = await reader.readexactly(length)
    return int(head[9:12]), body


async def load(
    port: int, make: Callable[[], Iterator[bytes]], status: int, rate: float | None
) -> tuple[float, list[float]]:
    """Load for some seconds; gives requests per second and the times of each, in seconds."""
    taken: list[float] = []
    data = make()
    until = time.perf_counter() + SECONDS
    pause = None if rate is None else CONNECTIONS / rate

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        due = time.perf_counter()
        while time.perf_counter() < until:
            if pause is not None:
                due += pause
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            began = time.perf_counter()
            answered, body = await one(reader, writer, next(data))
            taken.append(time.perf_counter() - began)
            if answered != status:
                raise SystemExit(f"status {answered} instead of {status}: {body[:300]!r}")
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return len(taken) / (time.perf_counter() - began), taken


def fixed(data: bytes) -> Callable[[], Iterator[bytes]]:
    """Give the same request again and again."""

    def make() -> Iterator[bytes]:
        while True:
            yield data

    return make


def measure(
    port: int, make: Callable[[], Iterator[bytes]], status: int, rate: float | None = None
) -> tuple[float, float]:
    """Give the rate and the 99th percentile in milliseconds."""
    reached, taken = asyncio.run(load(port, make, status, rate))
    return reached, sorted(taken)[int(len(taken) * 0.99)] * 1_000


def bare(pipe: Connection) -> None:
    """Serve the baseline: one Starlette endpoint that decodes the body and answers a small object."""

    async def endpoint(received: Request) -> JSONResponse:
        document = await received.json()
        return JSONResponse({"mode": document["mode"]})

    serve_here(Starlette(routes=[Route("/bare", endpoint, methods=["POST"])]), pipe)


def serve_here(application: Application, pipe: Connection) -> None:
    """Serve an application on a free port and tell which."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    run_loop(serve(application, [listening], lambda: None, lambda: pipe.send(port)))


def run_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run on the loop that the service runs on."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(work)


def assay(pipe: Connection, data: str, settings: dict[str, Any]) -> None:
    """Serve the real service with a facilitator that says yes at once."""
    log: deque[str] = deque(maxlen=1_000)

    async def run() -> None:
        telemetry = Telemetry(Log(log.append))
        listening = listen("127.0.0.1", 0)
        wanted = Settings(**settings)
        async with assembled(wanted, Path(data), telemetry, Outside(facilitator=Yes())) as serving:
            face = Face(serving)
            await serve(face, [listening], face.drain, lambda: pipe.send(listening.getsockname()[1]))

    run_loop(run())


class Yes:
    """A facilitator in process: every payment holds and settles at once."""

    async def verify(self, payload: Mapping[str, Any], requirements: Mapping[str, JSON]) -> Verified:
        """Say that the payment would hold."""
        del requirements
        return Verified(payer=payload["payload"]["authorization"]["from"])

    async def settle(self, payload: Mapping[str, Any], requirements: Mapping[str, Any]) -> Settled:
        """Say that money moved."""
        return Settled(
            transaction=payload["payload"]["authorization"]["nonce"],
            network=requirements["network"],
            payer=payload["payload"]["authorization"]["from"],
            amount=int(str(getattr(requirements["amount"], "spelling", requirements["amount"]))),
            asset=requirements["asset"],
        )

    async def extra(self, network: str) -> dict[str, Any]:
        """Support every network."""
        del network
        return {}

    async def is_reachable(self) -> bool:
        """Be there."""
        return True


def payments(port: int) -> Callable[[], Iterator[bytes]]:
    """Give paid requests, each with an authorization of its own; its signature is judged by nobody."""
    status, body = asyncio.run(_ask(port, request("/dialect-check/check", CHECK)))
    if status != 402:
        raise SystemExit(f"no offer: {status} {body[:300]!r}")
    accepted = json.loads(body)["accepts"][0]

    def make() -> Iterator[bytes]:
        while True:
            authorization = {
                "from": "0x" + secrets.token_hex(20),
                "to": accepted["payTo"],
                "value": accepted["amount"],
                "validAfter": "0",
                "validBefore": str(int(time.time()) + 300),
                "nonce": "0x" + secrets.token_hex(32),
            }
            payload = {
                "x402Version": 2,
                "accepted": accepted,
                "payload": {"signature": "0x" + "11" * 65, "authorization": authorization},
            }
            header = base64.b64encode(json.dumps(payload).encode()).decode()
            yield request("/dialect-check/check", CHECK, f"PAYMENT-SIGNATURE: {header}")

    return make


async def _ask(port: int, data: bytes) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    found = await one(reader, writer, data)
    writer.close()
    return found


class Server:
    """A server process."""

    def __init__(self, target: Callable[..., None], *arguments: object) -> None:
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=target, args=(theirs, *arguments))
        self.process.start()
        if not ours.poll(60):
            raise SystemExit("a server did not start")
        self.port: int = ours.recv()

    def stop(self) -> None:
        """Tell it to stop."""
        self.process.terminate()
        self.process.join(20)


PAID = {
    "payments": "required",
    "public_url": "https://bench.example",
    "networks": ("eip155:8453",),
    "pay_to": (("eip155:*", "0x63aA5960943865e7d57FDdF0D899eE36B6D2046E"),),
    "facilitator_url": "https://facilitator.example",
}


def processor_seconds(process: int) -> float:
    """Give what a process has used of the processors, its threads included."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(server: Server, make: Callable[[], Iterator[bytes]], status: int) -> tuple[float, float]:
    """Give the rate, and the processor's microseconds for a request, which other load disturbs less."""
    pid = server.process.pid or 0
    before = processor_seconds(pid)
    began = time.perf_counter()
    rate, _ = measure(server.port, make, status)
    return rate, (processor_seconds(pid) - before) / (rate * (time.perf_counter() - began)) * 1e6


def best(
    base: Server, server: Server, make: Callable[[], Iterator[bytes]], status: int
) -> tuple[float, float, float, float]:
    """Give the ratio to the baseline (median of rounds that alternate), that of processor time, the rate, and p99 at half of it."""
    rounds = []
    for _ in range(ROUNDS):
        base_rate, base_cost = measured(base, fixed(request("/bare", CHECK)), 200)
        rate, cost = measured(server, make, status)
        rounds.append((rate / base_rate, base_cost / cost, rate))
    ratio, _, rate = sorted(rounds)[ROUNDS // 2]
    by_processor = sorted(each for _, each, _ in rounds)[ROUNDS // 2]
    return ratio, by_processor, rate, measure(server.port, make, status, rate / 2)[1]


def first_answer(data: str) -> tuple[float, float]:
    """Start `assay serve` with nothing configured; gives the seconds to its first line, and from there to an answer."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    began = time.perf_counter()
    with subprocess.Popen(
        [Path(sys.executable).with_name("assay"), "serve", "--port", "0"],
        env={**kept, "ASSAY_DATA_DIR": data},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            line = "" if process.stdout is None else process.stdout.readline()
            told = time.perf_counter()
            status, body = asyncio.run(
                _ask(int(line.rpartition(":")[2]), request("/dialect-check/check", CHECK))
            )
            answered = time.perf_counter()
        finally:
            process.terminate()
    if status != 200:
        raise SystemExit(f"status {status} instead of 200: {body[:300]!r}")
    return told - began, answered - told


def main() -> int:
    """Measure and print a table; exit 1 where a bar is missed."""
    memory = Path("/dev/shm")  # noqa: S108  (a RAM disk, where there is one)
    shared = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    disk = Path(tempfile.mkdtemp(dir=Path.cwd()))
    servers: list[Server] = []
    missed = 0
    try:
        to_line, to_answer = first_answer(str(disk / "first"))
        print(
            f"start: first line after {to_line:.2f} s, an answer {to_answer:.2f} s later (bar {ANSWER_BAR:.0f} s)"
        )
        missed += to_answer > ANSWER_BAR
        servers = [
            base := Server(bare),
            free := Server(assay, str(shared / "free"), {}),
            paid := Server(assay, str(shared / "paid"), PAID),
            slow := Server(assay, str(disk / "paid"), PAID),
        ]
        base_rate, _ = measure(base.port, fixed(request("/bare", CHECK)), 200)
        print(f"bare Starlette endpoint: {base_rate:,.0f} requests/s, {CONNECTIONS} connections")
        rows = [
            (
                "free pre-check",
                free,
                fixed(request("/dialect-check/precheck", PRECHECK)),
                200,
                BARS["precheck"],
            ),
            ("402 answer", paid, fixed(request("/dialect-check/check", CHECK)), 402, BARS["offer"]),
            ("paid check, RAM disk", paid, payments(paid.port), 200, BARS["paid"]),
            ("paid check, disk", slow, payments(slow.port), 200, None),
        ]
        print(
            "| row | requests/s | ratio | by processor time | bar | p99 at half load |\n|---|---|---|---|---|---|"
        )
        for name, server, make, status, bar in rows:
            ratio, by_processor, rate, p99 = best(base, server, make, status)
            missed += bar is not None and ratio < bar
            shown = "none" if bar is None else f"{bar}"
            print(
                f"| {name} | {rate:,.0f} | {ratio:.2f} | {by_processor:.2f} | {shown} | {p99:.1f} ms |",
                flush=True,
            )
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(shared, ignore_errors=True)
        shutil.rmtree(disk, ignore_errors=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
