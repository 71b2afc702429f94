"""Which version of the tables a database has, and which ones this release works with.

Alembic keeps the version in a table of one row; it is read here without alembic, and the SQL of every version stands
beside its migration. A migration must let the previous release go on serving, so a release also works with tables that
are one version ahead of it.
"""

from importlib.resources import files
from typing import Final

from assay402.core.errors import TheirError
from assay402.service.ports import StoreUnavailable
from assay402.store.database import Database, Work

VERSION_TABLE: Final = "schema_version"
HEAD: Final = "0002"
"""The version this release is written for."""
_VERSIONS: Final = (("0001", "0001_first.sql"), ("0002", "0002_transfers.sql"))
_STAMP: Final = (
    f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL,"
    f" CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
)
_READ: Final = f"SELECT version_num FROM {VERSION_TABLE}"


def statements(name: str) -> tuple[str, ...]:
    """Give the statements of a file of SQL beside the migrations."""
    text = files("assay402.store").joinpath("migrations", name).read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return tuple(each.strip() for each in "\n".join(lines).split(";\n") if each.strip())


def none_of(statement: str) -> tuple[int, ...]:
    """Give the parameters of a statement in an empty database: the ids of no row, where it asks for ids."""
    return (0, 0) if is_for_ids(statement) else ()


def is_for_ids(statement: str) -> bool:
    """Tell whether a statement is done for the rows between two ids of the ledger, the first and the last."""
    return "$1" in statement


def create() -> Work[None]:
    """Make all tables in an empty database and stamp them as alembic would. Does nothing where there are some."""
    tables = yield "SELECT count(*) FROM sqlite_master", ()
    if tables[0][0]:
        return
    yield _STAMP, ()
    for _version, name in _VERSIONS:
        for statement in statements(name):
            yield statement, none_of(statement)
    yield f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ($1)", (HEAD,)


async def version_of(database: Database) -> str | None:
    """Give the version of the tables; None where there are none.

    Raises:
        StoreUnavailable: where the database cannot be read.

    """
    try:
        rows = await database.read(_READ)
    except StoreUnavailable as error:
        # There is no such table: the database itself was reached.
        if str(error) == "failed":
            return None
        raise
    return str(rows[0][0]) if rows else None


def is_later(found: str, newest: str) -> bool:
    """Tell whether a version is later than another; one that is no number is of a release nobody here knows."""
    return not found.isdecimal() or int(found) > int(newest)


def fits(found: str) -> bool:
    """Tell whether this release works with tables of a version: its own, or the next."""
    return found.isdecimal() and int(HEAD) <= int(found) <= int(HEAD) + 1


async def require_version(database: Database) -> None:
    """Check that this release works with the tables.

    Raises:
        TheirError: `schema_missing`, `schema_behind` or `schema_ahead`.
        StoreUnavailable: where the database cannot be read.

    """
    found = await version_of(database)
    if found is None:
        raise TheirError("schema_missing")
    if is_later(found, HEAD) and not fits(found):
        raise TheirError("schema_ahead")
    if not fits(found):
        raise TheirError("schema_behind", found=int(found), needed=int(HEAD))
