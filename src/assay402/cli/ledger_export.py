"""`assay ledger export`: the rows in order, all fields, for other programs."""

import os
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from assay402.cli.output import plain, print_bytes
from assay402.cli.service_settings import with_settings
from assay402.cli.store_access import day_of, day_options, place_options, with_store
from assay402.cli.usage import Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from assay402.service.ports import LedgerRow
    from assay402.service.settings import Settings
    from assay402.store.opening import Store


def export_command() -> click.Command:
    """Make the command."""
    return click.Command(
        "export",
        help="Write the rows in order, all fields, to standard output or a file.",
        callback=with_settings(_export),
        params=[
            click.Option(["--format", "kind"], type=click.Choice(["csv", "jsonl", "parquet"]), default="csv"),
            click.Option(["--out"], metavar="FILE", help="Write to this file; parquet needs one."),
            click.Option(
                ["--valued"],
                is_flag=True,
                help="Payments and refunds only, each with the rate that a later row gave it.",
            ),
            *day_options(),
            *place_options(),
        ],
    )


def _export(  # noqa: PLR0913, PLR0917  (click's parameters)
    kind: Any,  # noqa: ANN401  (one of the choices)
    out: str | None,
    valued: bool,
    since: str | None,
    until: str | None,
    settings: "Settings",
) -> None:
    from assay402.cli.ledger_rows import export  # noqa: PLC0415  (the rows of the service)

    if kind == "parquet" and out is None:
        raise Usage("parquet needs a file: --out FILE.")
    first, before = day_of(since, "--since"), day_of(until, "--until")

    async def work(store: "Store") -> int:
        rows: AsyncIterator[LedgerRow] = (
            store.ledger.valued(first, before) if valued else store.ledger.rows(first, before)
        )
        if kind == "parquet" or out is None:
            return await export(rows, kind, print_bytes, out)
        with open(out, "wb") as file:  # noqa: ASYNC230, PTH123  (nothing else runs)
            return await export(rows, kind, partial(_write, file), None)

    try:
        with_store(settings, work)
    except OSError as error:
        if out is None:
            raise
        reason = os.strerror(error.errno or 0)
        raise Usage(f"The file of --out cannot be written: {plain(out)} ({reason}).") from None


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)
