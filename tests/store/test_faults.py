"""A database that is locked, full, read-only or gone: the store says so, nothing half-done remains, and it resumes."""

import asyncio
import errno
import sqlite3
import traceback
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assay402.core.errors import OurError, TheirError
from assay402.service.ports import Claimed, LedgerRow, PaymentState, StoreUnavailable
from assay402.store.database import Work, ask
from assay402.store.opening import Store, open_store
from assay402.store.sqlite import SQLiteDatabase
from assay402.store.sqlite_reasons import reason_of
from small_disk import mount_for_reading, mounted
from store.databases import BOUND, ENTRY, NOW, PAID, Place, PostgreSQL, after, answer, claim, settle

CANARY = "canary-7f3a"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give where the database of a test stands."""
    return tmp_path / "assay.sqlite3"


def writer(store: Store) -> sqlite3.Connection:
    """Give the connection that writes, to spoil it."""
    database = store.database
    assert isinstance(database, SQLiteDatabase)
    connection = database._file.connection
    assert connection is not None
    return connection


async def refused(store: Store) -> str:
    """Try every change, each of which must be refused as a whole; gives the one word it is refused with."""
    words = set()
    for change in (
        store.payments.claim(claim(99), NOW),
        store.payments.keep(claim(1).key, 1, ENTRY, answer(), after(60)),
        store.payments.begin_settling(claim(2).key, 1, after(60)),
        store.payments.settled(claim(3).key, 1, PAID, NOW, house=False),
        store.payments.release(claim(1).key, 1),
        store.payments.take_over(claim(1).key, 1, after(999), after(1999)),
        store.payments.rerun(claim(4).key, after(600), 3, NOW),
        store.payments.keep_local(answer(payment_key=None)),
        store.free_tier.take("caller:a", NOW, 9, 0),
    ):
        with pytest.raises(StoreUnavailable) as caught:
            await change
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        words.add(str(caught.value))
    assert len(words) == 1
    return words.pop()


async def ready(store: Store) -> None:
    """Put a payment into each state."""
    payments = store.payments
    await settle(store, claim(4))
    for number in (1, 2, 3):
        await payments.claim(claim(number), NOW)
    for number in (2, 3):
        await payments.keep(claim(number).key, 1, ENTRY, None, after(60))
    await payments.begin_settling(claim(3).key, 1, after(60))


async def standing(store: Store) -> list[Any]:
    """Give all that a change could have touched."""
    rows: list[Any] = [await store.payments.find(claim(number).key) for number in (1, 2, 3, 4, 99)]
    rows += [row async for row in store.ledger.rows(None, None)]
    rows += await store.database.read("SELECT count(*) FROM answers")
    return rows


async def serves(store: Store) -> None:
    """Do what was refused, now that it can be done."""
    assert await store.is_writable()
    assert await store.payments.settled(claim(3).key, 1, PAID, after(9), house=False)
    assert await store.payments.claim(claim(99), NOW) == Claimed(fence=1)
    assert await store.payments.keep(claim(1).key, 1, ENTRY, answer(), after(60))
    assert await store.free_tier.take("caller:a", NOW, 9, 0)
    assert await store.ledger.mismatches() == ()


def test_a_sqlite_file_that_may_not_be_written_refuses_and_resumes(file: Path) -> None:
    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        writer(store).execute("PRAGMA query_only = ON")
        assert await refused(store) == "read_only"
        assert not await store.is_writable()
        assert await standing(store) == before
        writer(store).execute("PRAGMA query_only = OFF")
        await serves(store)

    Place(f"sqlite:{file}").run(story)


def test_a_sqlite_file_without_room_refuses_and_resumes(file: Path) -> None:
    """Small changes may still fit into the pages there are; a large one does not, and is refused alone."""

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        pages = writer(store).execute("PRAGMA page_count").fetchone()[0]
        writer(store).execute(f"PRAGMA max_page_count = {pages}")
        large = answer("large", payment_key=None, body=b"x" * 500_000)
        outcomes = await asyncio.gather(
            store.payments.keep_local(large),
            store.payments.take_over(claim(2).key, 1, after(60), after(70)),
            store.payments.keep(claim(1).key, 1, ENTRY, answer(body=b"x" * 500_000), after(60)),
            return_exceptions=True,
        )
        assert [str(each) for each in outcomes] == ["full", "2", "full"]
        assert await store.payments.take_over(claim(2).key, 2, after(70), after(80)) == 3
        assert (await standing(store))[0] == before[0]
        writer(store).execute("PRAGMA max_page_count = 1000000")
        assert await store.payments.keep_local(large) == large
        await serves(store)

    Place(f"sqlite:{file}").run(story)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of one mebibyte, where such a one may be mounted."""
    with mounted(tmp_path / "disk") as disk:
        yield disk


def test_a_disk_that_is_full_refuses_and_the_store_resumes_when_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "ballast"

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        fill(ballast)
        large = answer("large", payment_key=None, body=b"x" * 100_000)
        with pytest.raises(StoreUnavailable):
            await store.payments.keep_local(large)
        assert await standing(store) == before
        ballast.unlink()
        assert await store.payments.keep_local(large) == large
        await serves(store)

    Place(f"sqlite:{small_disk / 'assay.sqlite3'}").run(story)


def test_a_disk_that_is_mounted_for_reading_alone_is_said_to_be_and_the_store_resumes_when_it_is_not(
    small_disk: Path,
) -> None:
    """Whether the service starts on it or is running already."""
    address = f"sqlite:{small_disk / 'assay.sqlite3'}"

    async def story(store: Store) -> None:
        await ready(store)

    Place(address).run(story)
    mount_for_reading(small_disk, only=True)

    async def opened() -> str:
        with pytest.raises(StoreUnavailable) as caught:
            await open_store(address)
        return str(caught.value)

    assert asyncio.run(opened()) == "read_only"
    mount_for_reading(small_disk, only=False)

    async def running() -> None:
        store = await open_store(address)
        assert isinstance(store.database, SQLiteDatabase)
        store.database._file.close()
        # A file that is open for writing keeps a disk from becoming read-only.
        await store.close()
        mount_for_reading(small_disk, only=True)
        spoiled = Store(SQLiteDatabase(small_disk / "assay.sqlite3"))
        assert await refused(spoiled) == "read_only"
        mount_for_reading(small_disk, only=False)
        await serves(spoiled)
        await spoiled.close()

    asyncio.run(asyncio.wait_for(running(), BOUND))


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (PermissionError(errno.EACCES, ""), "read_only"),
        (OSError(errno.EROFS, ""), "read_only"),
        (OSError(errno.ENOSPC, ""), "full"),
        (FileNotFoundError(errno.ENOENT, ""), "gone"),
        (sqlite3.OperationalError(), "failed"),
    ],
)
def test_a_failure_of_the_file_has_one_word(file: Path, error: Any, word: str) -> None:
    file.write_bytes(b"")
    assert reason_of(error, file) == word


def test_a_file_that_is_not_there_is_gone_even_where_none_may_be_made(file: Path) -> None:
    assert reason_of(PermissionError(errno.EACCES, ""), file) == "gone"


def fill(file: Path) -> None:
    """Write until the disk takes no more."""
    with file.open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(b"x" * 4096)


def test_a_sqlite_file_that_another_process_holds_refuses_and_resumes(file: Path) -> None:
    async def story() -> None:
        store = await open_store(f"sqlite:{file}")
        await ready(store)
        before = await standing(store)
        impatient = Store(SQLiteDatabase(file, busy_seconds=0.02))
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert await refused(impatient) == "locked"
        together = await asyncio.gather(
            *(impatient.payments.claim(claim(50 + each), NOW) for each in range(20)), return_exceptions=True
        )
        assert {str(each) for each in together} == {"locked"}
        assert await standing(impatient) == before
        other.execute("ROLLBACK")
        other.close()
        await serves(impatient)
        await impatient.close()
        await store.close()

    asyncio.run(asyncio.wait_for(story(), BOUND))


def test_a_deleted_answer_is_overwritten_whatever_the_build_of_sqlite_does_unasked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def careless(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **kwargs)
        connection.execute("PRAGMA secure_delete = OFF").fetchall()
        return connection

    monkeypatch.setattr(sqlite3, "connect", careless)
    long = f"{CANARY} ".encode() * 2_000

    async def story() -> None:
        store = await open_store(f"sqlite:{file}")
        await store.payments.claim(claim(1), NOW)
        await store.payments.keep(claim(1).key, 1, ENTRY, answer(body=long), after(60))
        assert await store.payments.release(claim(1).key, 1)
        await store.close()

    asyncio.run(asyncio.wait_for(story(), BOUND))
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert CANARY.encode() not in file.read_bytes()


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_a_sqlite_file_that_is_gone_is_not_written_to_unseen(file: Path, what: str) -> None:
    """An open file that was deleted can be written to, and all of it would be lost."""

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        moved(file, file.with_name("elsewhere"))
        if what == "replaced":
            spoil(file)
        assert await refused(store) in {"gone", "failed"}
        with pytest.raises(StoreUnavailable):
            await store.payments.find(claim(1).key)
        assert not await store.is_writable()
        moved(file.with_name("elsewhere"), file)
        assert await standing(store) == before
        await serves(store)

    Place(f"sqlite:{file}").run(story)


def moved(file: Path, to: Path) -> None:
    """Take a database away, with everything beside it, as a volume that is unmounted."""
    for suffix in ("", "-wal", "-shm"):
        file.with_name(f"{file.name}{suffix}").replace(to.with_name(f"{to.name}{suffix}"))


def spoil(file: Path) -> None:
    """Put something else where the database was."""
    file.write_bytes(b"no database at all, but a file of some length" * 100)


def test_a_postgresql_that_is_set_read_only_refuses_and_resumes(server: PostgreSQL) -> None:
    place = server.database()

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        name = place.address.partition("?")[0].rpartition("/")[2]
        await _administer(place.address, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        fresh = await open_store(place.address)
        assert await refused(fresh) == "read_only"
        assert not await fresh.is_writable()
        assert await standing(fresh) == before
        await fresh.close()
        await _administer(
            place.address,
            "SET default_transaction_read_only = off",
            f"ALTER DATABASE {name} RESET default_transaction_read_only",
        )
        await serves(store)

    place.run(story)


def test_a_postgresql_row_that_another_holds_refuses_and_resumes(server: PostgreSQL) -> None:
    import asyncpg  # noqa: PLC0415  (may not be installed)

    place = server.database()

    async def story(store: Store) -> None:
        await ready(store)
        other = await asyncpg.connect(place.address)
        await other.execute("BEGIN; SELECT 1 FROM payments WHERE key LIKE '%/3' FOR UPDATE")
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.payments.settled(claim(3).key, 1, PAID, NOW, house=False)
        await other.execute("ROLLBACK")
        await other.close()
        row = await store.payments.find(claim(3).key)
        assert row is not None
        assert row.state is PaymentState.SETTLING
        await serves(store)

    place.run(story)


def test_a_postgresql_that_is_stopped_refuses_and_the_store_resumes_when_it_is_back(
    server: PostgreSQL,
) -> None:
    place = server.database()

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        await asyncio.to_thread(server.stop)
        assert await refused(store) == "gone"
        with pytest.raises(StoreUnavailable):
            await store.payments.find(claim(1).key)
        with pytest.raises(StoreUnavailable):
            await open_store(place.address)
        assert not await store.is_writable()
        await asyncio.to_thread(server.start)
        assert await standing(store) == before
        await serves(store)

    place.run(story)


def test_a_postgresql_that_ends_a_connection_in_the_middle_leaves_nothing_half_done(
    server: PostgreSQL,
) -> None:
    place = server.database()

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        with pytest.raises(StoreUnavailable, match="gone"):
            await store.database.change(_cut)
        assert await standing(store) == before
        await serves(store)

    place.run(story)


def _cut() -> Any:
    yield "UPDATE payments SET fence = 99", ()
    yield "SELECT pg_terminate_backend(pg_backend_pid())", ()


def test_a_connection_whose_end_was_told_and_has_not_come_is_no_fault_of_ours(server: PostgreSQL) -> None:
    """The driver then speaks of a mistake of its own, and a settlement was about to be written."""
    place = server.database()

    async def story(store: Store) -> None:
        await ready(store)
        before = await standing(store)
        pool = getattr(store.database, "_pool")  # noqa: B009  (of the one kind of database)
        for holder in pool._holders:
            if holder._con is not None:
                holder._con._protocol.data_received(told_of_the_end())
        with pytest.raises(StoreUnavailable, match="gone"):
            await store.payments.settled(claim(3).key, 1, PAID, NOW, house=False)
        for _ in pool._holders:
            # As many as may have been told.
            with suppress(StoreUnavailable):
                await standing(store)
        assert await standing(store) == before
        await serves(store)

    place.run(story)


def told_of_the_end() -> bytes:
    """Give what a server says before it ends a connection."""
    fields = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
    return b"E" + (len(fields) + 4).to_bytes(4, "big") + fields


def test_a_pooler_that_loses_the_names_of_statements_loses_nothing_of_ours(server: PostgreSQL) -> None:
    """A pooler gives each transaction another connection; here the one there is forgets what was prepared on it."""
    from assay402.store.postgresql import PostgreSQLDatabase  # noqa: PLC0415  (may not be installed)

    place = server.database()
    joint = "&" if "?" in place.address else "?"

    async def forgetting(store: Store) -> None:
        assert isinstance(store.database, PostgreSQLDatabase)
        async with store.database._pool.acquire() as connection:
            await connection.execute("DEALLOCATE ALL")

    async def story(store: Store) -> None:
        await ready(store)
        for number in range(50, 53):
            await forgetting(store)
            await settle(store, claim(number))
        await forgetting(store)
        await serves(store)

    Place(f"{place.address}{joint}pooler=transaction").run(story)
    with pytest.raises(TheirError, match="database_address"):
        Place(f"{place.address}{joint}pooler=session").run(story)


def test_a_change_that_is_cancelled_leaves_the_store_serving(place: Place) -> None:
    async def story(store: Store) -> None:
        await ready(store)
        tasks = [asyncio.create_task(store.payments.claim(claim(50 + each), NOW)) for each in range(20)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.payments.release(claim(1).key, 1)
        assert await store.payments.settled(claim(3).key, 1, PAID, after(9), house=False)
        assert await store.ledger.mismatches() == ()

    place.run(story)


def test_no_failure_quotes_a_row_or_the_driver(place: Place) -> None:
    """Not even a defect of our own SQL, whose errors would quote what it was given."""

    async def story(store: Store) -> list[str]:
        await store.payments.claim(claim(1, payer=CANARY, payment_id=CANARY), NOW)
        texts = []
        for statement in (
            "INSERT INTO payers (payer) VALUES ('canary-7f3a'), ('canary-7f3a')",
            "UPDATE payments SET state = 'canary-7f3a'",
            "SELECT canary-7f3a FROM nowhere",
        ):
            try:
                await store.database.change(partial(_do, statement))
            except StoreUnavailable as error:
                # Without the lines of this file, which hold the statements.
                texts += [str(error), repr(error.__cause__), repr(error.__context__)]
                texts += [line for line in traceback.format_exception(error) if __file__ not in line]
        return texts

    told = place.run(story)
    assert told[0] == "failed"
    assert not any(CANARY in each or "UNIQUE" in each or "asyncpg" in each for each in told)


def _do(statement: str) -> Any:
    yield statement, ()


async def _administer(address: str, *statements: str) -> None:
    import asyncpg  # noqa: PLC0415  (may not be installed)

    connection = await asyncpg.connect(address)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def test_the_ledger_is_whole_after_every_fault(place: Place) -> None:
    """Each statement of the one change with four of them fails once, and once none does."""

    async def story(store: Store) -> list[LedgerRow]:
        await ready(store)
        settled = "settled"
        for failing in range(4):
            with pytest.raises(RuntimeError, match=settled):
                await store.database.change(partial(_broken, failing, locks=not store.database.is_serial))
            row = await store.payments.find(claim(3).key)
            assert row is not None
            assert row.state is PaymentState.SETTLING
            assert len([each async for each in store.ledger.rows(None, None)]) == 1
        assert await store.payments.settled(claim(3).key, 1, PAID, after(9), house=False)
        return [each async for each in store.ledger.rows(None, None)]

    assert [row.id for row in place.run(story)] == [1, 2]


def _broken(failing: int, *, locks: bool) -> Any:
    """Settle as the store does, and break off before this statement."""
    from assay402.store.sql_payments import _settled  # noqa: PLC0415  (the part that is the subject)

    work = _settled(claim(3).key, 1, PAID, NOW, house=False, locks=locks)
    statement = next(work)
    for _ in range(failing):
        statement = work.send((yield statement))
    raise RuntimeError("settled")


def test_a_change_that_fails_undoes_nothing_of_those_that_share_its_transaction(file: Path) -> None:
    async def story() -> None:
        await (await open_store(f"sqlite:{file}")).close()
        database = SQLiteDatabase(file)

        def failing() -> Work[None]:
            yield "INSERT INTO payers (payer) VALUES ($1)", ("undone",)
            raise OurError("internal")

        try:
            asked = [
                database.change(partial(ask, "INSERT INTO payers (payer) VALUES ($1)", "one")),
                database.change(failing),
                database.change(partial(ask, "INSERT INTO payers (payer) VALUES ($1)", "two")),
            ]
            told = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(each) for each in told] == [list, OurError, list]
            for look in (database.look, database.read):
                rows = await look("SELECT payer FROM payers WHERE payer <> $1 ORDER BY payer", "")
                assert [row[0] for row in rows] == ["one", "two"]
        finally:
            await database.close()
        with pytest.raises(StoreUnavailable):
            await database.look("SELECT 1")

    asyncio.run(story())


def test_a_look_that_finds_no_file_is_refused_as_a_read_is(file: Path) -> None:
    away = file.with_suffix(".away")

    def move(source: Path, target: Path) -> None:
        source.rename(target)

    async def story() -> None:
        await (await open_store(f"sqlite:{file}")).close()
        database = SQLiteDatabase(file)
        try:
            assert len(await database.look("SELECT 1")) == 1
            move(file, away)
            with pytest.raises(StoreUnavailable):
                await database.look("SELECT 1")
            move(away, file)
            assert len(await database.look("SELECT 1")) == 1
        finally:
            await database.close()

    asyncio.run(story())
