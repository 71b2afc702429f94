"""Rows that correct the ledger: it is never changed, it is added to."""

from datetime import datetime

from assay402.core.errors import TheirError
from assay402.service.ports import Entry, LedgerRow, Value
from assay402.service.transactions import is_transaction
from assay402.service.valuation import Rate


def refund_row(about: LedgerRow, units: int | None, transaction: str, now: datetime) -> LedgerRow:
    """Make the row of a refund of a payment: of so many atomic units, or of all of it.

    Raises:
        TheirError: `transaction_invalid` where it names no transaction of the payment's network.

    """
    if not is_transaction(about.network, transaction):
        raise TheirError("transaction_invalid")
    return _row(
        about,
        kind="refund",
        now=now,
        units=-(about.units if units is None else units),
        value=Value(rate=None, rate_date=None, basis=None, cad_pending=True, refund=True),
        transaction=transaction,
    )


def wrong_row(about: LedgerRow, now: datetime) -> LedgerRow:
    """Make the row that says the report of a payment was found wrong. It moves nothing, so its units are 0."""
    return _row(about, kind="wrong", now=now, units=0, value=about.value, transaction=about.transaction)


def rate_row(about: LedgerRow, rate: Rate, now: datetime) -> LedgerRow:
    """Make the row that values a payment or refund. It moves nothing, so its units are 0."""
    value = Value(
        rate=rate.rate,
        rate_date=rate.rate_date,
        basis=rate.basis,
        cad_pending=False,
        refund=about.value.refund,
    )
    return _row(about, kind="rate", now=now, units=0, value=value, transaction=about.transaction)


def _row(  # noqa: PLR0913  (what the corrections differ in)
    about: LedgerRow, *, kind: str, now: datetime, units: int, value: Value, transaction: str
) -> LedgerRow:
    return LedgerRow(
        id=0,
        about=about.id,
        kind=kind,
        operation=about.operation,
        payer=about.payer,
        recorded_at=now,
        network=about.network,
        asset=about.asset,
        units=units,
        value=value,
        transaction=transaction,
        fee_lamports=None,
        entry=Entry(),
        house=about.house,
    )
