"""`assay ledger resolve`: the operator looked at the chain, and says what became of a payment in doubt."""

from typing import TYPE_CHECKING, Final

import click

from assay402.cli.output import print_bytes, print_lines, published_line
from assay402.cli.service_settings import with_settings
from assay402.cli.store_access import json_option, place_options, with_store
from assay402.cli.usage import Usage

if TYPE_CHECKING:
    from assay402.service.ports import PaymentRow
    from assay402.service.settings import Settings
    from assay402.store.opening import Store

_HELP: Final = """Say what became of a payment whose outcome is not known. IT MOVES NO MONEY.

KEY is the key that `assay ledger review` lists, in quotes. Look the authorization up on its chain first.

\b
--moved HASH  it was paid in this transaction: the row is settled, its ledger
              row is written, and its client gets the answer when it asks again
--not-moved   it was not paid and cannot be any more: the client is offered to
              pay anew

One transfer pays for one payment. Where a transaction holds several, name the
payment's own by its place among the logs of the block: --log-index N. With the
key of a payment that is settled by HASH already it says which transfer that
was, where nobody knew; until then no other of HASH is taken."""


def resolve_command() -> click.Command:
    """Make the command."""
    return click.Command(
        "resolve",
        help=_HELP,
        callback=with_settings(_resolve),
        params=[
            click.Argument(["key"], metavar="KEY"),
            click.Option(["--moved"], metavar="HASH", help="The transaction that paid."),
            click.Option(
                ["--log-index"],
                type=click.IntRange(min=0, max=2**31),
                metavar="N",
                help="Which transfer of that transaction, as an explorer numbers it.",
            ),
            click.Option(["--not-moved"], is_flag=True, help="No transaction paid, and none can."),
            click.Option(["--house"], is_flag=True, help="The payer is a wallet of the operator itself."),
            json_option(),
            *place_options(),
        ],
    )


def _resolve(  # noqa: PLR0913, PLR0917  (click's parameters)
    key: str,
    moved: str | None,
    log_index: int | None,
    not_moved: bool,
    house: bool,
    as_json: bool,
    settings: "Settings",
) -> None:
    from assay402.net.clock import utc_now  # noqa: PLC0415  (with the rest of the service)
    from assay402.service.resolving import resolve  # noqa: PLC0415

    if (moved is None) is not not_moved:
        raise Usage("give --moved HASH or --not-moved.")
    if moved is None and log_index is not None:
        raise Usage("--log-index belongs to --moved HASH.")

    async def work(store: "Store") -> "PaymentRow":
        return await resolve(store.payments, key, moved, utc_now(), house=house, log_index=log_index)

    with_store(settings, work)
    state = "expired" if moved is None else "settled"
    if as_json:
        print_bytes(published_line({"key": key, "state": state, "money_moved": False}))
    else:
        print_lines([f"The payment is {state}. No money was moved by this."])
