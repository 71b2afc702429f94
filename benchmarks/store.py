"""Speed of the store on SQLite, against a bare loop of inserts measured in the same run.

Run with `benchmarks/run store`. Rates are per second of wall time, the best of several rounds, as a disk decides most
of them; the disk may be slow or quick by the minute, so the ratios are what can be compared.

- `bare inserts` is one row a transaction with `sqlite3` alone, in write-ahead mode with synchronous=FULL.
- `claims` and `whole payments` (claim, keep, settling, settled: four transactions) run 64 at once, as a service does,
  and share transactions; `one at a time` waits for each.
- `export` writes 10,000 rows of the ledger as CSV and as JSON Lines, through the code of `assay ledger export`.

A second table is made in memory where there is a RAM disk.
"""

import asyncio
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from assay402.cli.ledger_rows import export
from assay402.service.ports import Claim, Claimed, Entry, Settled
from assay402.store.opening import Store, open_store

SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 1 if SHORT else 3
COUNT = 64 if SHORT else 2_000
AT_ONCE = 64
EXPORTED = 500 if SHORT else 10_000
EXPORT_SECONDS = 2.0
MEMORY = Path("/dev/shm")  # noqa: S108  (a folder of our own in it)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
ENTRY = Entry(criteria_version="1.0.0", report_line="x402 dialect: v2", summary="v2", carrier="v2-header")
PAID = Settled(transaction="0x" + "ab" * 32, network="eip155:8453", payer=None, amount=10_000, asset="0xusdc")


def claim(name: str) -> Claim:
    """Make a claim of a payer of its own, about as long as a real one."""
    return Claim(
        key=f"eip155:8453/0x{'a' * 40}/0x{'b' * 40}/{name}",
        payload_sha256="c" * 64,
        payer=f"0x{name:>40}",
        payment_id=f"payment-{name}",
        idempotency_key=None,
        operation="dialect/check",
        accepted='{"scheme":"exact","network":"eip155:8453"}' * 5,
        valid_before=LATER,
        lease_until=LATER,
    )


async def claimed(store: Store, name: str) -> None:
    """Claim once."""
    if not isinstance(await store.payments.claim(claim(name), NOW), Claimed):
        raise SystemExit("a measured claim must be ours")


async def paid(store: Store, name: str) -> None:
    """Make one whole payment."""
    key, payments = claim(name).key, store.payments
    await claimed(store, name)
    done = (
        await payments.keep(key, 1, ENTRY, None, LATER)
        and await payments.begin_settling(key, 1, LATER)
        and await payments.settled(key, 1, replace(PAID, transaction=key), NOW, house=False)
    )
    if not done:
        raise SystemExit("a measured payment must be settled")


def bare(folder: str) -> float:
    """Give single inserts per second with the standard library alone."""
    connection = sqlite3.connect(Path(folder) / "bare.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS rows (key text PRIMARY KEY, a text, b text, c text)")
    best = 0.0
    for round_number in range(ROUNDS):
        start = time.perf_counter()
        for number in range(COUNT):
            one = claim(f"{round_number}-{number}")
            connection.execute(
                "INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (one.key, one.payload_sha256, one.payer, one.accepted),
            )
        best = max(best, COUNT / (time.perf_counter() - start))
    connection.close()
    return best


async def rate(
    store: Store, work: Callable[[Store, str], Awaitable[None]], prefix: str, *, count: int, at_once: int
) -> float:
    """Give how often something is done in a second, the best of several rounds."""
    best = 0.0
    for round_number in range(ROUNDS):
        names = iter([f"{prefix}{round_number}-{number}" for number in range(count)])

        async def worker(names: Iterator[str] = names) -> None:
            for name in names:
                await work(store, name)

        start = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(at_once)))
        best = max(best, count / (time.perf_counter() - start))
    return best


async def seconds_to_export(store: Store, kind: Literal["csv", "jsonl"]) -> float:
    """Give the seconds an export of the ledger takes, the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        with open(os.devnull, "wb") as sink:  # noqa: ASYNC230, PTH123  (nothing else runs)
            written = await export(store.ledger.rows(None, None), kind, lambda data: _write(sink, data), None)
        best = min(best, time.perf_counter() - start)
        if written < EXPORTED:
            raise SystemExit("the ledger must be filled before it is exported")
    return best


def _write(sink: object, data: bytes) -> None:
    sink.write(data)  # type: ignore[attr-defined]


async def measure(folder: str) -> float:
    """Measure one folder's disk and print; gives the slower export in seconds."""
    single = bare(folder)
    store = await open_store(f"sqlite:{folder}/assay.sqlite3")
    lone = await rate(store, claimed, "l", count=COUNT // 4, at_once=1)
    claims = await rate(store, claimed, "c", count=COUNT, at_once=AT_ONCE)
    payments = await rate(store, paid, "p", count=COUNT, at_once=AT_ONCE)
    number = 0
    while (await store.database.read("SELECT last FROM ledger_head"))[0][0] < EXPORTED:
        await asyncio.gather(*(paid(store, f"f{number}-{each}") for each in range(500)))
        number += 1
    exports = {
        "csv": await seconds_to_export(store, "csv"),
        "jsonl": await seconds_to_export(store, "jsonl"),
    }
    await store.close()
    for name, found in (
        ("bare inserts, one at a time", single),
        ("claims, one at a time", lone),
        (f"claims, {AT_ONCE} at once", claims),
        (f"whole payments, {AT_ONCE} at once", payments),
    ):
        print(f"  {name:<32} {found:>10,.0f} /s    {found / single:>6.2f} of the bare loop")
    for name, seconds in exports.items():
        print(f"  export of {EXPORTED:,} rows, {name:<6}   {seconds:>10.2f} s     bar {EXPORT_SECONDS} s")
    return max(exports.values())


def main() -> int:
    """Measure and print; exits 1 where a bar of the project is missed."""
    slowest = 0.0
    for title, place in (("disk", None), ("memory", MEMORY)):
        if place is not None and not os.access(place, os.W_OK):
            print("no RAM disk here")
            continue
        with tempfile.TemporaryDirectory(prefix="assay-store-", dir=place) as folder:
            print(f"SQLite, {title}")
            slowest = max(slowest, asyncio.run(measure(folder)))
    return 0 if slowest < EXPORT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
