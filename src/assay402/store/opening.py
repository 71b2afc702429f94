"""Opens the store by its address: `sqlite`, `sqlite:PATH` or `postgresql://…`.

A SQLite file is made with all its tables when it is first opened. A PostgreSQL database gets them from
`assay db upgrade`. Neither driver is loaded before it is needed.
"""

import asyncio
import os
import sqlite3
import time
from pathlib import Path
from typing import Final

from assay402.core.errors import TheirError
from assay402.service.ports import StoreUnavailable
from assay402.store.database import Database
from assay402.store.sql_free_tier import SQLFreeTier
from assay402.store.sql_ledger import SQLLedger
from assay402.store.sql_payments import SQLPayments
from assay402.store.sqlite import SQLiteDatabase, check_version, connect
from assay402.store.sqlite_reasons import reason_of
from assay402.store.versions import VERSION_TABLE, create, require_version

FILE_NAME: Final = "assay.sqlite3"
"""Of the database in the data directory."""
_TRIES: Final = 100
_PAUSE: Final = 0.05
"""Seconds between tries to set the journal mode, which does not wait for others by itself."""
_POSTGRESQL: Final = ("postgresql://", "postgres://")


class Store:
    """The three ports over one database."""

    def __init__(self, database: Database) -> None:
        self.database: Final = database
        self.payments: Final = SQLPayments(database)
        self.ledger: Final = SQLLedger(database)
        self.free_tier: Final = SQLFreeTier(database)

    async def is_writable(self) -> bool:
        """Tell whether a change would be taken now. Never raises."""
        return await self.database.is_writable()

    async def close(self) -> None:
        """Finish what was handed in and let go of files and connections."""
        await self.database.close()


def is_postgresql(address: str) -> bool:
    """Tell whether an address names a PostgreSQL server."""
    return address.startswith(_POSTGRESQL)


def sqlite_path(address: str, data_dir: str | os.PathLike[str]) -> Path:
    """Give the place of the file an address names.

    Raises:
        TheirError: `database_address`.

    """
    kind, _, path = address.partition(":")
    if kind != "sqlite" or path.startswith("//"):
        raise TheirError("database_address")
    return Path(path) if path else Path(data_dir) / FILE_NAME


async def open_store(
    address: str, data_dir: str | os.PathLike[str] = ".", *, is_migrating: bool = False
) -> Store:
    """Open the store, and make a SQLite file where there is none.

    With `is_migrating` the tables need not be those this release works with, and none are made.

    Raises:
        TheirError: `database_address`, `database_folder`, `database_packages`, `sqlite_version`, or as `require_version`.
        StoreUnavailable: where the database cannot be opened.

    """
    database = await open_database(address, data_dir, makes_tables=not is_migrating)
    try:
        if not is_migrating:
            await require_version(database)
    except BaseException:
        await database.close()
        raise
    return Store(database)


async def open_database(
    address: str, data_dir: str | os.PathLike[str] = ".", *, makes_tables: bool = True
) -> Database:
    """Open the database of an address. Raises as `open_store`, but looks at no version."""
    if is_postgresql(address):
        try:
            from assay402.store.postgresql import open_postgresql  # noqa: PLC0415  (an extra, and heavy)
        except ImportError:
            raise TheirError("database_packages") from None
        return await open_postgresql(address)
    if not check_version():
        raise TheirError("sqlite_version")
    path = sqlite_path(address, data_dir)
    # A folder that somebody named is not made: the name may be mistyped, and the books would stand where nobody looks.
    if address != "sqlite" and not path.parent.is_dir():
        raise TheirError("database_folder")
    await asyncio.to_thread(make_file, path)
    database = SQLiteDatabase(path)
    try:
        if makes_tables:
            await database.change(create)
    except BaseException:
        await database.close()
        raise
    return database


def make_file(path: Path) -> None:
    """Make an empty database that only its owner can read, in write-ahead mode; one that is there is set to the mode.

    Raises:
        TheirError: `schema_missing` for a database of something else, which is left as it is.
        StoreUnavailable: where that is not possible.

    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = connect(path)
        try:
            if _is_foreign(connection):
                raise TheirError("schema_missing")
            if _set_journal(connection):
                return
            reason = "locked"
        finally:
            connection.close()
    except (sqlite3.Error, OSError) as error:
        reason = reason_of(error, path)
    raise StoreUnavailable(reason)


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Tell whether there are tables and none of them is ours."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(tables) and VERSION_TABLE not in tables


def _set_journal(connection: sqlite3.Connection) -> bool:
    for _ in range(_TRIES):
        try:
            return bool(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_PAUSE)
    return False
