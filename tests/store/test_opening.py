"""Opening a database: made where it may be, refused where it does not fit, migrated by one at a time."""

import asyncio
import logging
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay402.core.errors import TheirError
from assay402.service.ports import StoreUnavailable
from assay402.store.migrating import head, script, upgrade
from assay402.store.opening import FILE_NAME, Store, is_postgresql, open_database, open_store, sqlite_path
from assay402.store.sqlite import SQLiteDatabase
from assay402.store.versions import HEAD, VERSION_TABLE, version_of
from store.databases import BOUND, NOW, Place, PostgreSQL, claim


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, BOUND))


def dialect(place: Place) -> str:
    return "sqlite" if place.is_sqlite else "postgresql"


async def migrated(place: Place) -> tuple[str | None, str]:
    store = await open_store(place.address, is_migrating=True)
    try:
        return await upgrade(store.database, dialect(place))
    finally:
        await store.close()


def test_the_first_start_makes_a_file_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "assay"

    async def story() -> tuple[Any, Any]:
        store = await open_store("sqlite", folder)
        mode = await store.database.read("PRAGMA journal_mode")
        assert isinstance(store.database, SQLiteDatabase)
        assert await store.is_writable()
        connection = store.database._file.connection
        assert connection is not None
        sync = connection.execute("PRAGMA synchronous").fetchone()[0]
        await store.close()
        return mode[0][0], sync

    assert run(story()) == ("wal", 2)
    file = folder / FILE_NAME
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_several_first_starts_at_once_make_one_database(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    code = (
        "import asyncio, sys; from assay402.store.opening import open_store\n"
        "async def main():\n"
        "    sys.stdin.read(); store = await open_store('sqlite', sys.argv[1]); await store.close()\n"
        "asyncio.run(main())"
    )
    starts = [
        subprocess.Popen([sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE) for _ in range(4)
    ]
    for start in starts:
        assert start.stdin is not None
        start.stdin.close()
    assert [start.wait(BOUND) for start in starts] == [0] * 4
    place = Place(f"sqlite:{folder / FILE_NAME}")
    assert place.rows(f"SELECT version_num FROM {VERSION_TABLE}") == [(HEAD,)]


def test_a_folder_that_an_address_names_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(TheirError, match="database_folder"):
        run(open_store(f"sqlite:{tmp_path / 'mistyped' / 'a.db'}"))
    assert list(tmp_path.iterdir()) == []


def test_the_service_starts_on_sqlite_without_alembic(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from assay402.store.opening import open_store\n"
        "async def main():\n"
        "    store = await open_store(sys.argv[1]); await store.close()\n"
        "asyncio.run(main()); print(*sorted(sys.modules))"
    )
    command = [sys.executable, "-c", code, f"sqlite:{tmp_path / 'a.sqlite3'}"]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert not {"alembic", "sqlalchemy", "asyncpg", "click"} & set(loaded)


SHAPE = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"


def test_a_migrated_database_and_a_freshly_made_one_have_the_same_tables(tmp_path: Path) -> None:
    def shape(place: Place) -> list[tuple[Any, ...]]:
        rows = place.rows(SHAPE)
        return [(*row[:3], re.sub(r"\s+", " ", row[3]).replace("( ", "(").replace(" )", ")")) for row in rows]

    made, moved = Place(f"sqlite:{tmp_path / 'made'}"), Place(f"sqlite:{tmp_path / 'moved'}")
    assert run(migrated(moved)) == (None, HEAD)
    assert shape(made) == shape(moved)
    assert len(shape(made)) > 10


def test_alembic_agrees_with_the_stamp_of_a_freshly_made_database(tmp_path: Path) -> None:
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415  (heavy)
    from sqlalchemy import create_engine  # noqa: PLC0415

    place = Place(f"sqlite:{tmp_path / 'made'}")
    assert place.rows("SELECT last FROM ledger_head") == [(0,)]
    engine = create_engine(f"sqlite:///{tmp_path / 'made'}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert context.get_current_revision() == HEAD == head()
    engine.dispose()
    assert run(migrated(place)) == (HEAD, HEAD)
    assert script("sqlite", HEAD) == ()


def test_migrating_twice_at_once_migrates_once(bare: Place) -> None:
    async def story() -> list[Any]:
        return await asyncio.gather(*(migrated(bare) for _ in range(4)))

    assert sorted(run(story()), key=str) == sorted([(None, HEAD), *[(HEAD, HEAD)] * 3], key=str)
    bare.run(lambda store: store.payments.claim(claim(), NOW))


def test_a_migration_that_breaks_off_changes_nothing(bare: Place) -> None:
    async def story() -> str | None:
        database = await open_database(bare.address, makes_tables=False)
        await database.change(lambda: _do("CREATE TABLE free_days (day bigint)"))
        with pytest.raises(StoreUnavailable):
            await upgrade(database, dialect(bare))
        found = await version_of(database)
        with pytest.raises(StoreUnavailable):
            await database.read("SELECT * FROM payments")
        await database.close()
        return found

    assert run(story()) is None


def _do(statement: str) -> Any:
    yield statement, ()


def _set_version(version: str) -> Callable[[Store], Any]:
    return lambda store: store.database.change(
        lambda: _do(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'")
    )


@pytest.mark.parametrize(
    ("version", "code"),
    [("0001", "schema_behind"), ("0003", None), ("0004", "schema_ahead"), ("other", "schema_ahead")],
)
def test_tables_that_do_not_fit_are_refused_at_the_start(
    place: Place, version: str, code: str | None
) -> None:
    """A release works with its own tables and those of the next, so that a migration can come first."""
    place.run(_set_version(version))
    if code is None:
        assert place.run(lambda store: store.is_writable())
        return
    with pytest.raises(TheirError) as refused:
        place.run(lambda store: store.is_writable())
    assert refused.value.code == code


@pytest.mark.parametrize("version", ["0004", "other"])
def test_tables_of_a_later_release_are_not_upgraded_and_the_refusal_says_so(
    place: Place, version: str
) -> None:
    """A bug of the past: it was said to be a fault of ours."""
    place.run(_set_version(version))
    with pytest.raises(TheirError) as refused:
        run(migrated(place))
    assert refused.value.code == "schema_ahead"


def test_after_a_rollback_the_tables_of_the_next_release_are_left_as_they_are(place: Place) -> None:
    place.run(_set_version("0003"))
    assert run(migrated(place)) == ("0003", "0003")
    assert place.run(lambda store: store.is_writable())


def test_a_postgresql_without_tables_is_refused(server: PostgreSQL) -> None:
    with pytest.raises(TheirError, match="schema_missing"):
        server.database(has_tables=False).run(lambda store: store.is_writable())


@pytest.mark.parametrize("address", ["mysql://h/d", "", "file.db", "sqlite://host/x", "postgres:x"])
def test_an_address_that_is_none_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(TheirError, match="database_address"):
        run(open_store(address, tmp_path))


def test_an_address_says_which_database_and_where() -> None:
    assert sqlite_path("sqlite", "data") == Path("data") / FILE_NAME
    assert sqlite_path("sqlite:/var/lib/a.db", "data") == Path("/var/lib/a.db")
    assert is_postgresql("postgresql://u:p@h/d")
    assert is_postgresql("postgres://h/d")
    assert not is_postgresql("sqlite:postgresql://")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://127.0.0.1:1/none?connect_timeout=2",
        "postgresql:///none?host=/nowhere",
        "postgresql://u:secret@127.0.0.1:notaport/x",
    ],
)
def test_a_server_that_is_not_there_is_said_without_its_address(address: str) -> None:
    with pytest.raises(StoreUnavailable) as refused:
        run(open_store(address))
    assert refused.value.args == ("gone",)
    assert refused.value.__cause__ is refused.value.__context__ is None


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database " * 100)
    with pytest.raises(StoreUnavailable):
        run(open_store(f"sqlite:{file}"))
    assert file.read_text() == "not a database " * 100


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite3"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()
    before = file.read_bytes()
    with pytest.raises(TheirError, match="schema_missing"):
        run(open_store(f"sqlite:{file}"))
    assert file.read_bytes() == before


def test_alembic_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert len(script("postgresql", None)) > 10
    assert not [
        record for record in caplog.records if record.levelno >= logging.INFO and "alembic" in record.name
    ]
