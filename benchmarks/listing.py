"""Wall time and CPU cost of the listing check. Run with `benchmarks/run listing`.

A server on loopback, in a process of its own, answers every request after 200 ms: a service that everything is right
with, its catalogues and its facilitator. Measured are

- wall time of a run: the baseline is the compat profile, which asks one after another as the reference does;
- CPU time of a run: the baseline is a process that has imported the same modules and made one TLS context.

Each figure is the best of several rounds, both sides measured in the same run.
"""

import asyncio
import base64
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 1 if SHORT else 5
DELAY = 0.2
PAYEE = "0x" + "1" * 40
SERVICE = "http://api.seller.dev/v1/weather"
WALL_BUDGET = 0.9
CPU_BUDGET_MS = 150

BAZAAR = {
    "name": "Weather",
    "description": "Forecasts",
    "facilitator": "cdp",
}
ENTRY = {
    "scheme": "exact",
    "network": "base",
    "maxAmountRequired": "5000",
    "asset": "0x83",
    "payTo": PAYEE,
    "resource": SERVICE,
}
V2 = {
    "x402Version": 2,
    "resource": {"url": SERVICE, "description": "Forecasts"},
    "accepts": [{**ENTRY, "network": "eip155:8453", "amount": "5000"}],
    "extensions": {
        "bazaar": {
            "info": {"input": {"type": "http", "method": "GET"}, "output": {"type": "json"}},
            "schema": {"type": "object", "required": ["input"], "properties": {"input": {"type": "object"}}},
        }
    },
}
"""What the default profile reads, in the header; it validates `info` against the schema."""
HEADER = b"PAYMENT-REQUIRED: " + base64.b64encode(json.dumps(V2).encode()) + b"\r\n"
ROW = {"resource": SERVICE, "name": "Weather", "description": "Forecasts", "accepts": [ENTRY]}
ANSWERS: dict[str, tuple[int, Any]] = {
    "x402": (200, {"name": "Weather", "description": "Forecasts", "extensions": {"bazaar": BAZAAR}}),
    "weather": (402, {"x402Version": 1, "accepts": [ENTRY], "extensions": {"bazaar": BAZAAR}}),
    "resources": (200, {"resources": [ROW]}),
    "merchant": (200, {"resources": [ROW], "pagination": {"total": 1}}),
    "verify": (400, {}),
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request after the delay."""
    head = await reader.readuntil(b"\r\n\r\n")
    name = head.split(b" ")[1].partition(b"?")[0].rpartition(b"/")[2].decode()
    status, value = ANSWERS[name]
    body = json.dumps(value).encode()
    await asyncio.sleep(DELAY)
    header = HEADER if name == "weather" else b""
    writer.write(b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n" % (status, header, len(body)) + body)
    await writer.drain()
    writer.close()


async def serve() -> None:
    """Serve until the parent closes our standard input."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


def run_once(port: int, profile: str) -> float:
    """Run the check once against the server and give the seconds it took."""
    from assay402.checks.listing import CHECK  # noqa: PLC0415  (imported by the measured process alone)
    from assay402.core.asks import Failed, Fetch, Fetched  # noqa: PLC0415
    from assay402.net.connection import dial_address, system_trust  # noqa: PLC0415
    from assay402.net.http import Fetcher  # noqa: PLC0415
    from assay402.net.run import Outside, run  # noqa: PLC0415

    async def resolver(_name: str) -> Sequence[str]:
        return ("93.184.216.34",)

    async def dial(_address: str, _port: int) -> socket.socket:
        return await dial_address("127.0.0.1", port)

    fetcher = Fetcher(resolver=resolver, dial=dial, trust=system_trust())

    async def plainly(ask: Fetch) -> Fetched | Failed:
        # The facilitator's address is https; the delay is what counts here, not its handshake.
        url = ask.url.replace("https://", "http://")
        return await fetcher(
            Fetch(url=url, method=ask.method, headers=ask.headers, body=ask.body, limits=ask.limits)
        )

    operation = CHECK.operation("check")
    given = operation.admit(
        {"url": SERVICE, "profile": profile, "discovery_base_url": "http://catalogue.dev"}
    )
    start = time.perf_counter()
    report, _ = asyncio.run(run(operation.run(given), Outside(fetcher=plainly)))
    seconds = time.perf_counter() - start
    if operation.exit_code(report):
        sys.exit(f"the benchmark's service should look correct: {operation.publish(report)['verdict']}")
    return seconds


def cpu_ms(port: int, profile: str) -> float:
    """Give the CPU milliseconds of a process that runs the check once; of the bare one without a profile."""
    command = [sys.executable, __file__, "--child", str(port), profile]
    times = []
    for _ in range(ROUNDS):
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        times.append(float(found.stdout))
    return min(times)


def child(port: int, profile: str) -> None:
    """Run, or only import and make a TLS context, and print the CPU milliseconds of this process."""
    if profile == "none":
        import assay402.checks.listing  # noqa: PLC0415  (the same modules)
        import assay402.net.http  # noqa: PLC0415
        import assay402.net.run  # noqa: F401, PLC0415
        from assay402.net.connection import system_trust  # noqa: PLC0415

        system_trust()
    else:
        run_once(port, profile)
    print(time.process_time() * 1_000)


def main() -> int:
    """Measure and print; exit 1 where a budget does not hold."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdout is None or server.stdin is None:
            sys.exit("the server has no pipes")
        port = int(server.stdout.readline())
        walls = {
            profile: [run_once(port, profile) for _ in range(ROUNDS)] for profile in ("compat", "default")
        }
        costs = {profile: cpu_ms(port, profile) for profile in ("none", "compat", "default")}
        server.stdin.close()
    best = {profile: min(times) for profile, times in walls.items()}
    print(
        f"Every answer after {DELAY * 1_000:.0f} ms; best of {ROUNDS}; load average {os.getloadavg()[0]:.1f}"
    )
    for profile, times in walls.items():
        print(f"  wall, {profile:<8} {best[profile]:.2f} s (median {statistics.median(times):.2f} s)")
    print(f"  ratio default : compat (one after another) = {best['default'] / best['compat']:.2f}")
    for profile in ("compat", "default"):
        above = costs[profile] - costs["none"]
        print(
            f"  CPU, {profile:<9} {above:.0f} ms above {costs['none']:.0f} ms of imports and one TLS context"
        )
    holds = best["default"] <= WALL_BUDGET and costs["default"] - costs["none"] <= CPU_BUDGET_MS
    print(f"  budgets ({WALL_BUDGET} s, {CPU_BUDGET_MS} ms): {'hold' if holds else 'do not hold'}")
    return 0 if holds else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
    elif sys.argv[1:2] == ["--child"]:
        child(int(sys.argv[2]), sys.argv[3])
    else:
        sys.exit(main())
