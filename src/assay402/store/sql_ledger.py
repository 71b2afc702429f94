"""The port `Ledger` in SQL: read in order of the ids, added to, and matched with the gate.

An id is given by the one row of `ledger_head`, which the transaction holds until it is committed.
"""

from collections.abc import AsyncIterator
from datetime import date
from functools import partial
from typing import Final

from msgspec.structs import replace

from assay402.core.errors import TheirError
from assay402.service.ports import LedgerRow, TransactionCounted
from assay402.service.transactions import transfer_name
from assay402.store.database import Database, Work
from assay402.store.matching import mismatches
from assay402.store.placing import is_counted
from assay402.store.rows import LEDGER, ledger_columns, ledger_row, midnight, placeholders

CHUNK: Final = 500
"""Rows read at once: what an export holds in memory."""
_ALWAYS: Final = 1 << 62
_NEXT: Final = "UPDATE ledger_head SET last = last + 1 WHERE id = 1 RETURNING last"
_ADD: Final = f"INSERT INTO ledger ({LEDGER}) VALUES ({placeholders(LEDGER)})"
_ADD_PAYMENT: Final = (
    f"INSERT INTO ledger ({LEDGER}, transfer) VALUES ({placeholders(f'{LEDGER}, transfer')})"
)
_ROWS: Final = f"SELECT {LEDGER} FROM ledger WHERE id > $1 AND recorded_at >= $2 AND recorded_at < $3 ORDER BY id LIMIT {CHUNK}"
_KEPT_VALUE: Final = ("rate", "rate_date", "basis", "cad_pending")
_VALUED: Final = (
    "SELECT "
    + ", ".join(
        f"CASE WHEN v.id IS NULL THEN l.{name} ELSE v.{name} END" if name in _KEPT_VALUE else f"l.{name}"
        for name in LEDGER.split(", ")
    )
    + " FROM ledger l LEFT JOIN ledger v ON v.id ="
    " (SELECT max(r.id) FROM ledger r WHERE r.about = l.id AND r.kind = 'rate')"
    " WHERE l.id > $1 AND l.recorded_at >= $2 AND l.recorded_at < $3 AND l.kind IN ('payment', 'refund')"
    f" ORDER BY l.id LIMIT {CHUNK}"
)
_ONE: Final = f"SELECT {LEDGER} FROM ledger WHERE id = $1"
_REFUNDS: Final = "SELECT units FROM ledger WHERE about = $1 AND kind = 'refund'"
_RATES: Final = "SELECT id FROM ledger WHERE about = $1 AND kind = 'rate' AND NOT cad_pending"


class SQLLedger:
    """The ledger in a database of either kind."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    def rows(self, since: date | None, until: date | None) -> AsyncIterator[LedgerRow]:
        """Give rows in order of their ids, of the days (in UTC) from `since` until before `until`."""
        return self._chunked(_ROWS, since, until)

    def valued(self, since: date | None, until: date | None) -> AsyncIterator[LedgerRow]:
        """Give payments and refunds in order, each with the value that a later rate row gave it."""
        return self._chunked(_VALUED, since, until)

    async def find(self, number: int) -> LedgerRow | None:
        """Give the row of an id."""
        rows = await self._database.read(_ONE, number)
        return ledger_row(rows[0]) if rows else None

    async def append(self, row: LedgerRow) -> int:
        """Append a refund, rate or correction; the id is given by the ledger and returned.

        Raises:
            TheirError: `ledger_row_unknown` where there is no payment or refund it could be about,
                `refund_too_large`, or `rate_known` where the row it values has a rate.

        """
        return await self._database.change(partial(_append, row))

    async def mismatches(self) -> tuple[str, ...]:
        """Match payment rows and settled gate rows one to one; gives a closed code and the id of each mismatch."""
        return await mismatches(self._database)

    async def _chunked(self, sql: str, since: date | None, until: date | None) -> AsyncIterator[LedgerRow]:
        earliest = -_ALWAYS if since is None else midnight(since)
        before = _ALWAYS if until is None else midnight(until)
        last = 0
        while rows := await self._database.read(sql, last, earliest, before):
            for row in rows:
                yield ledger_row(row)
            last = rows[-1][0]


def added(row: LedgerRow, log_index: int | None) -> Work[tuple[int, str]]:
    """Give the row of a payment the next id and add it, as a part of a change; gives the id, and the transfer's name.

    Raises:
        TransactionCounted: where the transfer was counted before.

    """
    # The id first: its lock makes the looking and the adding one step.
    rows = yield _NEXT, ()
    number: int = rows[0][0]
    transfer = transfer_name(row.network, row.transaction, log_index)
    if (yield from is_counted(row.network, row.transaction, transfer)):
        raise TransactionCounted
    yield _ADD_PAYMENT, (*ledger_columns(replace(row, id=number)), transfer)
    return number, transfer


def _append(row: LedgerRow) -> Work[int]:
    # The id first: its lock makes the looking and the adding one step.
    rows = yield _NEXT, ()
    number: int = rows[0][0]
    yield from _require_fitting(row)
    yield _ADD, ledger_columns(replace(row, id=number))
    return number


def _require_fitting(row: LedgerRow) -> Work[None]:
    found = yield _ONE, (row.about,)
    if row.kind == "payment" or not found:
        raise TheirError("ledger_row_unknown")
    about = ledger_row(found[0])
    if about.kind != "payment" and (row.kind != "rate" or about.kind != "refund"):
        raise TheirError("ledger_row_unknown")
    if row.kind == "refund":
        refunds = yield _REFUNDS, (row.about,)
        if row.units >= 0 or about.units + row.units + sum(int(each[0]) for each in refunds) < 0:
            raise TheirError("refund_too_large")
    if row.kind == "rate":
        rates = yield _RATES, (row.about,)
        if rates or not about.value.cad_pending:
            raise TheirError("rate_known")
