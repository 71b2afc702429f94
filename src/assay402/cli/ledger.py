"""`assay ledger`: the books of the service, listed, exported, matched, reviewed and corrected by rows of their own."""

from typing import TYPE_CHECKING, Any, Final

import click

from assay402.cli.ledger_export import export_command
from assay402.cli.ledger_rates import rates_command
from assay402.cli.ledger_resolve import resolve_command
from assay402.cli.output import plain, print_bytes, print_lines, published_line
from assay402.cli.service_settings import with_settings
from assay402.cli.store_access import day_of, day_options, json_option, place_options, with_store
from assay402.core.errors import TheirError

if TYPE_CHECKING:
    from assay402.service.review import Review, Tripwire
    from assay402.service.settings import Settings
    from assay402.store.opening import Store

EXIT_FOUND: Final = 1
IN_DOUBT: Final = 1_000
"""Payments in doubt that a review lists."""
_GROUP: Final = """The ledger: one row for each payment, and a row for each refund, rate and correction.

Nothing in it is ever changed. It holds no part of what was examined."""
_REFUND: Final = """Write down a refund. IT MOVES NO MONEY: send the money first, with your wallet, then record it here.

ID is the row of the payment. The refunds of a payment cannot exceed it."""
_WRONG: Final = """Write down that the report of a payment was found wrong. ID is the row of the payment.

The report itself is not amended; `assay ledger review` trips until the operator has dealt with it."""
_REVIEW: Final = """Compute the tripwires, and list payments whose outcome is not known.

\b
refunds        more than 5 % of the payments of any 30 days, by number, or by
               the amount of an asset
free_use       more than 10 free calls for a paid one
wrong_reports  a report was later found wrong

\b
Payments and refunds of the operator's own wallets count for none of them."""


def ledger_command() -> click.Group:
    """Make the group of commands."""
    group = click.Group("ledger", help=_GROUP)
    for command in (
        click.Command(
            "list",
            help="List the rows in order.",
            callback=with_settings(_list),
            params=[*day_options(), json_option(), *place_options()],
        ),
        export_command(),
        click.Command(
            "verify",
            help="Match the ledger and the settled payments of the gate one to one, and look for missing rows.",
            epilog="Exit codes: 0 they match, 1 they do not.",
            callback=with_settings(_verify),
            params=[json_option(), *place_options()],
        ),
        click.Command(
            "review",
            help=_REVIEW,
            epilog="Exit codes: 0 nothing tripped, 1 something did or a payment is in doubt.",
            callback=with_settings(_review),
            params=[json_option(), *place_options()],
        ),
        _refund_command(),
        click.Command(
            "wrong",
            help=_WRONG,
            callback=with_settings(_wrong),
            params=[_id_argument(), json_option(), *place_options()],
        ),
        rates_command(),
        resolve_command(),
    ):
        group.add_command(command)
    return group


def _refund_command() -> click.Command:
    return click.Command(
        "refund",
        help=_REFUND,
        callback=with_settings(_refund),
        params=[
            _id_argument(),
            click.Option(
                ["--units"],
                type=click.IntRange(min=1),
                metavar="N",
                help="Atomic units of the asset; the whole payment if not given.",
            ),
            click.Option(
                ["--transaction"], metavar="HASH", required=True, help="The transaction that paid it back."
            ),
            json_option(),
            *place_options(),
        ],
    )


def _id_argument() -> click.Argument:
    return click.Argument(["number"], type=click.IntRange(min=1), metavar="ID")


def _list(since: str | None, until: str | None, as_json: bool, settings: "Settings") -> None:
    from assay402.cli.ledger_rows import exported  # noqa: PLC0415  (the rows of the service)

    first, before = day_of(since, "--since"), day_of(until, "--until")

    async def work(store: "Store") -> None:
        async for row in store.ledger.rows(first, before):
            if as_json:
                print_bytes(published_line(exported(row)))
            else:
                print_lines([plain(_line(exported(row)))])

    with_store(settings, work)


def _line(row: dict[str, Any]) -> str:
    about = "" if row["about"] is None else f" of {row['about']}"
    value = "pending" if row["cad_pending"] else f"{row['rate']} ({row['rate_date']})"
    house = "  house" if row["house"] else ""
    return (
        f"{row['id']:>8}  {row['recorded_at']}  {row['kind'] + about:<16}  {row['operation']:<22}"
        f"  {row['units']:>14}  CAD {value}  {row['payer']}  {row['transaction']}{house}"
    )


def _verify(as_json: bool, settings: "Settings") -> None:
    async def work(store: "Store") -> tuple[str, ...]:
        return await store.ledger.mismatches()

    found = with_store(settings, work)
    if as_json:
        print_bytes(published_line({"matches": not found, "mismatches": list(found)}))
    else:
        print_lines(found or ["The ledger and the gate match one to one."])
    if found:
        raise click.exceptions.Exit(EXIT_FOUND)


def _review(as_json: bool, settings: "Settings") -> None:
    from datetime import UTC, datetime  # noqa: PLC0415  (with the rest of the service)

    from assay402.net.clock import utc_now  # noqa: PLC0415
    from assay402.service.review import review  # noqa: PLC0415

    async def work(store: "Store") -> "tuple[Review, list[dict[str, Any]]]":
        free = await store.free_tier.used(datetime.fromtimestamp(0, UTC))
        found = await review(store.ledger.rows(None, None), free)
        doubtful = (
            *await store.payments.unresolved(IN_DOUBT),
            *await store.payments.in_doubt(utc_now(), IN_DOUBT),
        )
        return found, [
            {
                "key": row.key,
                "state": row.state.value,
                "operation": row.operation,
                "payer": row.payer,
                "lease_until": row.lease_until.isoformat(),
            }
            for row in doubtful
        ]

    found, doubtful = with_store(settings, work)
    if as_json:
        print_bytes(published_line(_published(found, doubtful)))
    else:
        print_lines([*_told(found), *_doubts(doubtful)])
    if found.is_tripped or doubtful:
        raise click.exceptions.Exit(EXIT_FOUND)


def _published(found: "Review", doubtful: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "payments": found.payments,
        "refunds": found.refunds,
        "tripwires": [
            {
                "name": each.name,
                "tripped": each.is_tripped,
                "measured": each.measured,
                "against": each.against,
                "last_day": None if each.last_day is None else each.last_day.isoformat(),
            }
            for each in found.tripwires
        ],
        "in_doubt": doubtful,
    }


def _told(found: "Review") -> list[str]:
    return [
        f"payments {found.payments}, refunds {found.refunds}",
        *(
            f"{'TRIPPED' if each.is_tripped else 'ok':<8} {each.name}: {_compared(each)}"
            for each in found.tripwires
        ),
    ]


def _compared(wire: "Tripwire") -> str:
    if wire.name == "wrong_reports":
        return f"{wire.measured} found wrong"
    window = "" if wire.last_day is None else f" in the 30 days to {wire.last_day.isoformat()}"
    return f"{wire.measured} against {wire.against} paid{window}"


def _doubts(doubtful: list[dict[str, Any]]) -> list[str]:
    if not doubtful:
        return ["No payment is in doubt."]
    return [
        f"in doubt: {each['state']} {each['operation']} of {each['payer']}, lease to {each['lease_until']}, {each['key']}"
        for each in doubtful
    ]


def _refund(number: int, units: int | None, transaction: str, as_json: bool, settings: "Settings") -> None:
    added = _append(number, "refund", units, transaction, settings)
    if as_json:
        print_bytes(published_line({"id": added, "about": number, "money_moved": False}))
    else:
        print_lines([f"Row {added} records a refund of payment {number}. No money was moved by this."])


def _wrong(number: int, as_json: bool, settings: "Settings") -> None:
    added = _append(number, "wrong", None, "", settings)
    if as_json:
        print_bytes(published_line({"id": added, "about": number}))
    else:
        print_lines([f"Row {added} records that the report of payment {number} was found wrong."])


def _append(number: int, kind: str, units: int | None, transaction: str, settings: "Settings") -> int:
    from assay402.net.clock import utc_now  # noqa: PLC0415  (with the rest of the service)
    from assay402.service.corrections import refund_row, wrong_row  # noqa: PLC0415

    async def work(store: "Store") -> int:
        about = await store.ledger.find(number)
        if about is None or about.kind != "payment":
            raise TheirError("ledger_row_unknown")
        now = utc_now()
        row = refund_row(about, units, transaction, now) if kind == "refund" else wrong_row(about, now)
        return await store.ledger.append(row)

    return with_store(settings, work)
