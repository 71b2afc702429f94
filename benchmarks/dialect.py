"""Speed of the dialect check, against two baselines measured in the same run.

Run with `benchmarks/run dialect`. Rates are per second of one core's CPU time, the best of several rounds; a
report is timed from the request mapping (header still base64) to the report mapping.

- `bare decode`: `base64.b64decode` and `json.loads` of the same header, which is the least any check must do.
- `x402-validator 0.3.1`: its header and body checks on the same capture, served to it in memory.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from x402_validator._engine import checks as validator

from assay402 import dialect

ROOT = Path(__file__).resolve().parent.parent
SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 1 if SHORT else 5
LARGE_BYTES = 180_000
"""As text inside a request its quotes are escaped, so this is near the cap of 262,144 bytes."""

TYPICAL: dict[str, Any] = {
    "x402Version": 2,
    "error": "PAYMENT-SIGNATURE header is required",
    "resource": {
        "url": "https://seller.example/reports/daily",
        "description": "The daily market report as structured data",
        "mimeType": "application/json",
    },
    "accepts": [
        {
            "scheme": "exact",
            "network": network,
            "amount": "10000",
            "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            "payTo": "0x81e47b5f5f14330a0aa42470215bcd9bc8101fea",
            "maxTimeoutSeconds": 60,
            "extra": {"name": "USDC", "version": "2"},
        }
        for network in ("eip155:84532", "eip155:8453")
    ],
}


def large() -> str:
    """Make a body of many entries, near the request cap."""
    entry = json.dumps(TYPICAL["accepts"][0])
    return '{"x402Version": 2, "accepts": [' + ", ".join([entry] * (LARGE_BYTES // len(entry))) + "]}"


def rate(work: Callable[[], object], calls: int) -> float:
    """Give calls per CPU second, the best of several rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(calls):
            work()
        best = max(best, calls / (time.process_time() - start))
    return best


def validator_rate(header: str) -> float:
    """Give the baseline's reports per CPU second: its header check and its body check of one answer."""

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(402, headers={"PAYMENT-REQUIRED": header}, content=b"{}")

    async def best_round() -> float:
        best = 0.0
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            for _ in range(ROUNDS):
                start = time.process_time()
                for _ in range(100):
                    await validator.check_caip2(client, "https://seller.example/")
                    await validator.check_json_resilience(client, "https://seller.example/")
                best = max(best, 100 / (time.process_time() - start))
        return best

    return asyncio.run(best_round())


def start_up(*arguments: str) -> float:
    """Give the CPU milliseconds of one run of the README's command, the best of several."""
    best = float("inf")
    for _ in range(ROUNDS * 2):
        before = os.times()
        subprocess.run([ROOT / "assay", *arguments], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, spent * 1000)
    return best


def main() -> int:
    """Measure and print; exits 1 where a bar of the project is missed."""
    text = json.dumps(TYPICAL).encode()
    header = base64.b64encode(text).decode()
    request = {
        "mode": "submitted",
        "artefact": {"status": 402, "payment_required_header": header, "body_obj": {}},
    }
    ours = rate(lambda: dialect.check(request), 5_000)
    bare = rate(lambda: json.loads(base64.b64decode(header)), 20_000)
    theirs = validator_rate(header)
    body = large()
    big = {"mode": "submitted", "artefact": {"status": 402, "body_raw": body}}
    for measured in (request, big):
        if dialect.check(measured).get("dialect") != "v2":
            raise SystemExit("the measured requests must be reported on, not refused")
    big_rate = rate(lambda: dialect.check(big), 20) * len(body) * 60 / 1e6
    big_bare = rate(lambda: json.loads(body), 20) * len(body) * 60 / 1e6
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request, file)
        file.flush()
        check_ms, help_ms = start_up("dialect", "check", file.name), start_up("--help")

    print(f"typical v2 header artefact, {len(text)} bytes of JSON (a report, not a decode)")
    print(f"  assay                    {ours:>10,.0f} reports/s   bar 20,000")
    print(f"  bare decode              {bare:>10,.0f} /s          assay costs {bare / ours:.1f} bare decodes")
    print(
        f"  x402-validator 0.3.1     {theirs:>10,.0f} /s          assay is {ours / theirs:.0f} times as fast (its figure includes its HTTP client)"
    )
    print(f"large body, {len(body):,} bytes")
    print(f"  assay                    {big_rate:>10,.0f} MB/min      bar 300")
    print(
        f"  bare json.loads          {big_bare:>10,.0f} MB/min      assay costs {big_bare / big_rate:.1f} bare decodes"
    )
    print("start-up, CPU milliseconds of the whole process")
    print(f"  assay --help             {help_ms:>10,.0f} ms          bar 250")
    print(f"  assay dialect check FILE {check_ms:>10,.0f} ms          bar 250")
    bars = (ours >= 20_000, big_rate >= 300, help_ms <= 250, check_ms <= 250)
    return 0 if all(bars) else 1


if __name__ == "__main__":
    sys.exit(main())
