"""`assay db`: the tables of the service's database, made, brought up to date and checked."""

from typing import TYPE_CHECKING, Final

import click

from assay402.cli.output import explain_code, print_bytes, print_lines, published_line
from assay402.cli.service_settings import with_settings
from assay402.cli.store_access import json_option, place_options, with_store
from assay402.core.errors import TheirError

if TYPE_CHECKING:
    from assay402.service.settings import Settings
    from assay402.store.opening import Store

EXIT_NOT_READY: Final = 1
PRUNED_AT_ONCE: Final = 1_000
"""Rows of one transaction."""
_GROUP: Final = """The tables of the service's database.

A SQLite file is made with its tables when the service first starts. A PostgreSQL database gets them from
`assay db upgrade`, which is also what brings either up to date after an upgrade of this program."""
_UPGRADE: Final = """Bring the tables up to date.

Under a lock: of several at once one works and the others wait or fail. The release before this one can go on serving
meanwhile: rows are changed a few thousand at a time, and indexes are made beside what goes on. What broke off is gone on with
by the next one. Make a backup first."""

_PRUNE: Final = """Delete what is kept for a time that is over, as a running service does by itself every hour.

That is who made free calls, a day after the last one. Payments, ledger rows and kept answers have no such time."""


def db_command() -> click.Group:
    """Make the group of commands."""
    group = click.Group("db", help=_GROUP)
    group.add_command(
        click.Command(
            "upgrade",
            help=_UPGRADE,
            callback=with_settings(_upgrade),
            params=[json_option(), *place_options()],
        )
    )
    group.add_command(
        click.Command(
            "current",
            help="Print the version of the tables, and the one this release wants.",
            callback=with_settings(_current),
            params=[json_option(), *place_options()],
        )
    )
    group.add_command(
        click.Command(
            "check",
            help="Check that the service would start with this database: its tables fit and it can be written.",
            epilog="Exit codes: 0 it would, 1 it would not, 2 the database cannot be reached.",
            callback=with_settings(_check),
            params=place_options(),
        )
    )
    group.add_command(
        click.Command(
            "prune",
            help=_PRUNE,
            callback=with_settings(_prune),
            params=[json_option(), *place_options()],
        )
    )
    return group


def _upgrade(as_json: bool, settings: "Settings") -> None:
    try:
        from assay402.store.migrating import upgrade  # noqa: PLC0415  (an extra, and heavy)
    except ImportError:
        raise TheirError("database_packages") from None
    from assay402.store.opening import is_postgresql  # noqa: PLC0415  (loads the database)

    dialect = "postgresql" if is_postgresql(settings.database) else "sqlite"

    async def work(store: "Store") -> tuple[str | None, str]:
        return await upgrade(store.database, dialect, _tell)

    before, after = with_store(settings, work, is_migrating=True, must_exist=False)
    if as_json:
        print_bytes(published_line({"before": before, "after": after}))
    elif before == after:
        print_lines([f"The tables are up to date: version {after}."])
    else:
        print_lines([f"The tables now have version {after}; before: {before or 'none'}."])


def _tell(done: int, of: int) -> None:
    """Say how far an upgrade is, beside what is printed."""
    click.echo(f"{done:,} of {of:,} rows of the ledger", err=True)


def _current(as_json: bool, settings: "Settings") -> None:
    from assay402.store.versions import HEAD, version_of  # noqa: PLC0415  (loads the database)

    async def work(store: "Store") -> str | None:
        return await version_of(store.database)

    found = with_store(settings, work, is_migrating=True)
    if as_json:
        print_bytes(published_line({"current": found, "wanted": HEAD}))
    else:
        print_lines([f"current: {found or 'none'}", f"wanted:  {HEAD}"])


def _prune(as_json: bool, settings: "Settings") -> None:
    from assay402.net.clock import utc_now  # noqa: PLC0415  (loads the network)

    async def work(store: "Store") -> int:
        rows, now = 0, utc_now()
        while count := await store.free_tier.forget(now, PRUNED_AT_ONCE):
            rows += count
        return rows

    found = with_store(settings, work)
    if as_json:
        print_bytes(published_line({"free_calls": found}))
    else:
        print_lines([f"Deleted: {found} of the free calls' rows."])


def _check(settings: "Settings") -> None:
    from assay402.store.versions import require_version  # noqa: PLC0415  (loads the database)

    async def work(store: "Store") -> str | None:
        try:
            await require_version(store.database)
        except TheirError as error:
            return error.code
        return None if await store.is_writable() else "store_unavailable"

    problem = with_store(settings, work, is_migrating=True)
    if problem is not None:
        explain_code("error", problem)
        raise click.exceptions.Exit(EXIT_NOT_READY)
    print_lines(["The service can start with this database."])
