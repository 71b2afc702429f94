"""Opening the store for a command of an operator: where it is, and what its failures mean on the command line."""

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

import click

from assay402.cli.service_settings import data_dir_option, data_folder, database_option, settings_option
from assay402.cli.usage import Usage
from assay402.core.errors import TheirError

if TYPE_CHECKING:
    from assay402.service.settings import Settings
    from assay402.store.opening import Store

T = TypeVar("T")


def place_options() -> list[click.Parameter]:
    """Make the options that say which database."""
    return [settings_option(), database_option(), data_dir_option()]


def json_option() -> click.Option:
    """Make the switch for JSON."""
    return click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")


def day_options() -> list[click.Parameter]:
    """Make the options for a span of days."""
    return [
        click.Option(["--since"], metavar="DAY", help="From this day (UTC), such as 2026-11-01."),
        click.Option(["--until"], metavar="DAY", help="Until before this day."),
    ]


def day_of(text: str | None, option: str) -> date | None:
    """Read a day. Raises `Usage`."""
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007  (a day, without a time)
    except ValueError:
        raise Usage(f"{option} needs a day, such as 2026-11-27.") from None


def with_store(
    settings: "Settings",
    work: "Callable[[Store], Awaitable[T]]",
    *,
    is_migrating: bool = False,
    must_exist: bool = True,
) -> T:
    """Do something with the store and close it.

    Raises:
        TheirError: `database_missing` for a SQLite file that is not there, a code of `store_code`, or as `open_store`.

    """
    # The database drivers are loaded here and nowhere else on the command line.
    import asyncio  # noqa: PLC0415

    from assay402.service.ports import StoreUnavailable  # noqa: PLC0415
    from assay402.store.notices import store_code  # noqa: PLC0415
    from assay402.store.opening import is_postgresql, open_store, sqlite_path  # noqa: PLC0415

    database, folder = settings.database, data_folder(settings)
    # An operator's question must not make an empty database where the name is mistyped.
    if must_exist and not is_postgresql(database) and not sqlite_path(database, folder).is_file():
        raise TheirError("database_missing")

    async def run() -> T:
        store = await open_store(database, folder, is_migrating=is_migrating)
        try:
            return await work(store)
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except StoreUnavailable as error:
        raise TheirError(store_code(error)) from None
