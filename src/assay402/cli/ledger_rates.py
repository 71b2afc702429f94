"""`assay ledger rates`: gives payments and refunds their value in Canadian dollars, by rows of their own."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Final

import click

from assay402.cli.output import print_bytes, print_lines, published_line
from assay402.cli.service_settings import with_settings
from assay402.cli.store_access import day_of, json_option, place_options, with_store
from assay402.cli.usage import Usage
from assay402.core.errors import TheirError

if TYPE_CHECKING:
    from assay402.service.ports import LedgerRow
    from assay402.service.settings import Settings
    from assay402.service.valuation import Rate, Rates
    from assay402.store.opening import Store

TYPED_IN: Final = "typed_in"
AT_ONCE: Final = 64
"""Rows that are handed to the database together."""
_HELP: Final = """Give values to payments and refunds that wait for one.

Rates are Canadian dollars for one US dollar, by the Bank of Canada (FXUSDCAD). A day without a rate takes that of the
nearest day before, once a later one is published; until then its rows stay pending. Days are those of UTC.

\b
Or type a rate in, for the rows of one day:
  assay ledger rates --rate 1.3942 --date 2026-11-27
  assay ledger rates --rate 1.3942 --date 2026-11-27 --for 2026-11-28"""


def rates_command() -> click.Command:
    """Make the command."""
    return click.Command(
        "rates",
        help=_HELP,
        callback=with_settings(_rates),
        params=[
            click.Option(["--rate"], metavar="RATE", help="Canadian dollars for one US dollar."),
            click.Option(["--date", "rate_day"], metavar="DAY", help="The day the typed rate is of."),
            click.Option(
                ["--for", "valued_day"],
                metavar="DAY",
                help="The day whose rows it values; --date if not given.",
            ),
            click.Option(
                ["--url"],
                envvar="ASSAY_RATES_URL",
                metavar="URL",
                help="Another place with the bank's JSON.",
            ),
            json_option(),
            *place_options(),
        ],
    )


def _rates(  # noqa: PLR0913, PLR0917  (click's parameters)
    rate: str | None,
    rate_day: str | None,
    valued_day: str | None,
    url: str | None,
    as_json: bool,
    settings: "Settings",
) -> None:
    from assay402.net.rates import BANK_OF_CANADA, BankOfCanada  # noqa: PLC0415  (the network)

    typed = _typed(rate, rate_day, valued_day)

    async def work(store: "Store") -> tuple[int, int]:
        if typed is not None:
            return await _fill(store, *typed)
        return await _fill_published(store, BankOfCanada(url or BANK_OF_CANADA))

    valued, pending = with_store(settings, work)
    if as_json:
        print_bytes(published_line({"valued": valued, "pending": pending}))
    else:
        print_lines([f"{valued} rows were valued; {pending} are still pending."])


def _typed(
    rate: str | None, rate_day: str | None, valued_day: str | None
) -> "tuple[Mapping[date, str], str, date] | None":
    """Read what was typed: the one rate, its basis, and the day that is valued."""
    from assay402.service.valuation import is_rate  # noqa: PLC0415  (with the rest of the service)

    day = day_of(rate_day, "--date")
    if rate is None and day is None and valued_day is None:
        return None
    if rate is None or day is None or not is_rate(rate):
        raise Usage("A typed rate needs --rate, such as 1.3942, and --date, the day it is of.")
    return {day: rate}, TYPED_IN, day_of(valued_day, "--for") or day


async def _fill_published(store: "Store", rates: "Rates") -> tuple[int, int]:
    from assay402.net.clock import utc_now  # noqa: PLC0415  (with the rest of the service)
    from assay402.service.valuation import LOOK_BACK  # noqa: PLC0415

    # Rows are numbered as they were recorded, but clocks jump: the earliest day need not be the first row's.
    earliest = None
    async for row in store.ledger.valued(None, None):
        if row.value.cad_pending:
            day = row.recorded_at.date()
            earliest = day if earliest is None else min(earliest, day)
    if earliest is None:
        return 0, 0
    published = await rates.between(earliest - LOOK_BACK, utc_now().date())
    return await _fill(store, published, rates.basis, None)


async def _fill(
    store: "Store", published: Mapping[date, str], basis: str, only: date | None
) -> tuple[int, int]:
    """Value what waits and can be valued; gives how many were, and how many still wait."""
    valued = pending = 0
    chunk: list[tuple[LedgerRow, Rate]] = []
    async for row in store.ledger.valued(None, None):
        if not row.value.cad_pending:
            continue
        rate = _rate_of(row.recorded_at.date(), published, basis, only)
        if rate is None:
            pending += 1
            continue
        chunk.append((row, rate))
        if len(chunk) == AT_ONCE:
            valued += await _add(store, chunk)
            chunk = []
    return valued + await _add(store, chunk), pending


def _rate_of(day: date, published: Mapping[date, str], basis: str, only: date | None) -> "Rate | None":
    from assay402.service.valuation import Rate, rate_for  # noqa: PLC0415  (with the rest of the service)

    if only is None:
        return rate_for(day, published, basis)
    typed_day, typed = next(iter(published.items()))
    return Rate(rate=typed, rate_date=typed_day, basis=basis) if day == only else None


async def _add(store: "Store", chunk: "list[tuple[LedgerRow, Rate]]") -> int:
    """Add the rate rows; one that somebody else added meanwhile is left out."""
    import asyncio  # noqa: PLC0415  (with the rest of the service)

    from assay402.net.clock import utc_now  # noqa: PLC0415
    from assay402.service.corrections import rate_row  # noqa: PLC0415

    now = utc_now()
    outcomes = await asyncio.gather(
        *(store.ledger.append(rate_row(row, rate, now)) for row, rate in chunk), return_exceptions=True
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not (
            isinstance(outcome, TheirError) and outcome.code == "rate_known"
        ):
            raise outcome
    return sum(isinstance(outcome, int) for outcome in outcomes)
