"""Brings the tables of a database up to date. Alembic is loaded here alone.

Alembic writes the SQL between the version that is found and the newest; it is executed as one transaction, under a
lock that lets one migrator at a time look and change.
"""

import io
import logging
from functools import partial
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from assay402.core.errors import TheirError
from assay402.store.database import Database, Work
from assay402.store.versions import VERSION_TABLE, fits, is_later

_LOCK: Final = "SELECT pg_advisory_xact_lock(40202)"
_NO_LIMIT: Final = "SET LOCAL statement_timeout = 0"
"""A change of tables may take its time; waiting for a lock may not."""
_TABLES: Final = {
    "postgresql": "SELECT count(*) FROM pg_catalog.pg_tables WHERE tablename = $1 AND schemaname = current_schema()",
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = $1",
}


async def upgrade(database: Database, dialect: str) -> tuple[str | None, str]:
    """Bring the tables to the newest version; gives the version before and after.

    Tables of the next release, with which this one works, are left as they are: after a rollback nothing is to be done.

    Raises:
        TheirError: `schema_ahead` for tables that this release does not know.
        StoreUnavailable: where the database cannot be changed; nothing of it was.

    """
    return await database.change(partial(_upgrade, dialect))


def head() -> str:
    """Give the newest version that there is a migration to."""
    return ScriptDirectory.from_config(_config("sqlite", io.StringIO())).get_current_head() or ""


def script(dialect: str, found: str | None) -> tuple[str, ...]:
    """Give the statements from the version that was found to the newest."""
    written = io.StringIO()
    # Alembic tells of its steps in the log, and there is nobody to read it.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    command.upgrade(_config(dialect, written), f"{found or 'base'}:head", sql=True)
    lines = [line for line in written.getvalue().splitlines() if not line.startswith("--")]
    return tuple(each.strip() for each in "\n".join(lines).split(";\n") if each.strip(" \n;"))


def _config(dialect: str, written: io.StringIO) -> Config:
    config = Config(output_buffer=written)
    config.set_main_option("script_location", "assay402.store:migrations")
    config.set_main_option("path_separator", "os")
    config.set_main_option("dialect", dialect)
    return config


def _upgrade(dialect: str) -> Work[tuple[str | None, str]]:
    if dialect == "postgresql":
        # The statement that waits for the lock is bounded by the lock's own time-out.
        yield _LOCK, ()
        yield _NO_LIMIT, ()
    found = None
    tables = yield _TABLES[dialect], (VERSION_TABLE,)
    if tables[0][0]:
        versions = yield f"SELECT version_num FROM {VERSION_TABLE}", ()
        found = str(versions[0][0]) if versions else None
    newest = head()
    if found is not None and is_later(found, newest):
        if not fits(found):
            raise TheirError("schema_ahead")
        return found, found
    if found != newest:
        for statement in script(dialect, found):
            yield statement, ()
    return found, newest
