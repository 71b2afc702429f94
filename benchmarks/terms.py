"""Speed of the terms check and of its middleware, against baselines measured in the same run.

Run with `benchmarks/run terms`. Rates are per second of one core's CPU time, the best of several rounds.

- `place + extract` of an ordinary challenge, by the library. `copy.deepcopy` of the same challenge is the least that
  a placement which shares nothing must do with the standard library's means; `decode` is `json.loads` of its text.
- the middleware around an application that answers 200, and 402: what it adds to the bare application, in
  microseconds of a request.
"""

import asyncio
import copy
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from assay402 import terms
from assay402.asgi import TermsMiddleware
from assay402.asgi.terms import ASGIApp, Message, Receive, Scope, Send

SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 1 if SHORT else 7
CHALLENGE: dict[str, Any] = {
    "x402Version": 2,
    "error": "PAYMENT-SIGNATURE header is required",
    "resource": {
        "url": "https://seller.example/reports/daily",
        "description": "",
        "mimeType": "application/json",
    },
    "accepts": [
        {
            "scheme": "exact",
            "network": "eip155:84532",
            "amount": "10000",
            "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
            "maxTimeoutSeconds": 60,
            "extra": {"name": "USDC", "version": "2"},
        }
    ],
}
TERMS_HASH = terms.hash_terms(b"terms")
TERMS_URL = "https://seller.example/terms.md"
AD = {"ref": {"type": "sha256", "value": TERMS_HASH}, "termsUrl": TERMS_URL}
BODY = json.dumps(CHALLENGE).encode()


def rate(work: Callable[[], object], calls: int) -> float:
    """Give calls per CPU second, the best of several rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(calls):
            work()
        best = max(best, calls / (time.process_time() - start))
    return best


def pair() -> None:
    """Place and extract once."""
    terms.extract(terms.place(AD, CHALLENGE)["value"])


async def microseconds(app: ASGIApp, calls: int) -> float:
    """Give the CPU microseconds of one request, the best of several rounds."""

    async def send(message: Message) -> None:
        pass

    async def nothing() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http"}
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(calls):
            await app(scope, nothing, send)
        best = min(best, (time.process_time() - start) / calls * 1e6)
    return best


def answering(status: int) -> ASGIApp:
    """Make the smallest application that answers with this status."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": BODY})

    return app


def added(status: int, calls: int) -> tuple[float, float]:
    """Give what the bare application takes, and what the middleware adds to it."""
    bare = asyncio.run(microseconds(answering(status), calls))
    wrapped = TermsMiddleware(answering(status), terms_hash=TERMS_HASH, terms_url=TERMS_URL)
    return bare, asyncio.run(microseconds(wrapped, calls)) - bare


def main() -> int:
    """Measure and print; exits 1 where a bar of the project is missed."""
    if not terms.extract(terms.place(AD, CHALLENGE)["value"], strict=True).get("ok"):
        raise SystemExit("the measured challenge must be placed into, not refused")
    pairs = rate(pair, 5_000)
    copies = rate(lambda: copy.deepcopy(CHALLENGE), 5_000)
    decodes = rate(lambda: json.loads(BODY), 20_000)
    bare, passing = added(200, 20_000)
    _, placing = added(402, 2_000)
    print(f"ordinary challenge, {len(BODY)} bytes of JSON")
    print(f"  place + extract          {pairs:>10,.0f} pairs/s    bar 25,000")
    print(
        f"  copy.deepcopy            {copies:>10,.0f} /s         a pair costs {copies / pairs:.1f} deep copies"
    )
    print(
        f"  json.loads               {decodes:>10,.0f} /s         a pair costs {decodes / pairs:.1f} decodes"
    )
    print("middleware, CPU microseconds of a request")
    print(f"  bare application         {bare:>10.2f}")
    print(f"  added to a 200           {passing:>10.2f}            bar 60")
    print(f"  added to a 402 (body)    {placing:>10.2f}")
    return 0 if pairs >= 25_000 and passing <= 60 else 1


if __name__ == "__main__":
    sys.exit(main())
