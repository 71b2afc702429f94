"""Brings the tables of a database up to date. Alembic is loaded here alone.

Alembic writes the SQL between the version that is found and the newest. Tables that are made are made in one transaction.
Tables that are there are changed step by step, while the release before goes on serving: a lock lets one migrator at a time
look and change, and nothing else is held for long. Each step may be done again, so an upgrade that broke off is begun anew.
"""

import io
import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from assay402.core.errors import TheirError
from assay402.store.database import Database, Work
from assay402.store.versions import VERSION_TABLE, fits, is_for_ids, is_later, none_of

BATCH: Final = 5_000
"""Ids of the ledger whose rows are changed in one transaction."""
_LAST: Final = "SELECT last FROM ledger_head"
_ADDED: Final = re.compile(r"ALTER TABLE (\w+) ADD COLUMN (\w+) ")
_INDEX: Final = re.compile(r"CREATE (UNIQUE )?INDEX (\w+) ON ")
_COLUMNS: Final = {
    "postgresql": "SELECT count(*) FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2",
    "sqlite": "SELECT count(*) FROM pragma_table_info($1) WHERE name = $2",
}
# An index whose making broke off stays, and is none.
_BROKEN: Final = (
    "SELECT count(*) FROM pg_catalog.pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid"
)
_TABLES: Final = {
    "postgresql": "SELECT count(*) FROM pg_catalog.pg_tables WHERE tablename = $1 AND schemaname = current_schema()",
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = $1",
}


def _untold(_done: int, _of: int) -> None:
    """Tell nobody."""


async def upgrade(
    database: Database, dialect: str, tell: Callable[[int, int], None] = _untold
) -> tuple[str | None, str]:
    """Bring the tables to the newest version; gives the version before and after.

    Tables of the next release, with which this one works, are left as they are: after a rollback nothing is to be done.
    `tell` hears of each batch of rows how many are done, of how many, where there are several.

    Raises:
        TheirError: `schema_ahead` for tables that this release does not know.
        StoreUnavailable: where the database cannot be changed. What was done until then stands and harms nobody; the
            version is the one before, and the next upgrade goes on.

    """
    async with database.alone():
        found, newest = await database.change(partial(_made, dialect))
        if found is None or found == newest or is_later(found, newest):
            return found, newest
        for statement in script(dialect, found):
            await _done(database, dialect, statement, tell)
        return found, newest


async def _done(database: Database, dialect: str, statement: str, tell: Callable[[int, int], None]) -> None:
    """Do a statement of an upgrade, in as many transactions as it takes."""
    if is_for_ids(statement):
        last = (await database.read(_LAST))[0][0]
        for first in range(1, last + 1, BATCH):
            until = min(first + BATCH - 1, last)
            await database.slowly(statement, first, until)
            if last > BATCH:
                tell(until, last)
        return
    index = _INDEX.match(statement)
    if index is not None:
        await _indexed(database, dialect, statement, index)
        return
    added = _ADDED.match(statement)
    if added is not None and (await database.read(_COLUMNS[dialect], *added.groups()))[0][0]:
        return
    await database.slowly(statement)


async def _indexed(database: Database, dialect: str, statement: str, index: re.Match[str]) -> None:
    unique, name = index.group(1) or "", index.group(2)
    rest = statement[index.end() :]
    if dialect == "sqlite":
        await database.slowly(f"CREATE {unique}INDEX IF NOT EXISTS {name} ON {rest}")
        return
    if (await database.read(_BROKEN, name))[0][0]:
        await database.slowly(f"DROP INDEX CONCURRENTLY {name}", is_apart=True)
    await database.slowly(f"CREATE {unique}INDEX CONCURRENTLY IF NOT EXISTS {name} ON {rest}", is_apart=True)


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


def _made(dialect: str) -> Work[tuple[str | None, str]]:
    """Find out the version, and make the tables where there are none."""
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
    if found is None:
        for statement in script(dialect, None):
            yield statement, none_of(statement)
    return found, newest
