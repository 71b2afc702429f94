"""The operator says what became of a payment that nobody else can tell of."""

from datetime import datetime, timedelta
from typing import Final

from assay402.core.errors import TheirError
from assay402.service.endings import requirements_of
from assay402.service.gate import MARGIN_SECONDS
from assay402.service.ports import PaymentRow, Payments, PaymentState, Settled, TransactionCounted
from assay402.service.transactions import is_transaction, transfer_name

_IN_DOUBT: Final = (PaymentState.SETTLING, PaymentState.UNRESOLVED)


async def resolve(  # noqa: PLR0913  (what the operator saw)
    payments: Payments,
    key: str,
    transaction: str | None,
    now: datetime,
    *,
    house: bool,
    log_index: int | None = None,
) -> PaymentRow:
    """Write that a payment moved in this transaction, with its ledger row; or with None, that it never will.

    Gives the row as it was. `house` where the payer is the operator itself; `log_index` names the transfer where the
    transaction holds several. Of a payment that is settled by this transaction already it says which transfer of it that
    was, where nobody knew.

    Raises:
        TheirError: `payment_unknown`, `payment_not_in_doubt`, `payment_usable` (not moved, and still can),
            `transaction_invalid`, `transaction_counted` (it paid for another payment).
        StoreUnavailable: where nothing was written.

    """
    row = await payments.find(key)
    if row is None:
        raise TheirError("payment_unknown")
    if row.transaction is not None and log_index is not None and _is_same(row, transaction):
        if not await payments.place(key, log_index):
            raise TheirError("transaction_counted")
        return row
    if row.state not in _IN_DOUBT:
        raise TheirError("payment_not_in_doubt")
    settled = None if transaction is None else _settled(row, transaction, log_index)
    if settled is None and now - row.valid_before <= timedelta(seconds=MARGIN_SECONDS):
        raise TheirError("payment_usable")
    # Free again at once: what is refused below can be said otherwise, and whoever comes between wins.
    fence = await payments.take_over(key, row.fence, now, now)
    if fence is None:
        raise TheirError("payment_not_in_doubt")
    try:
        is_written = (
            await payments.expire(key, fence)
            if settled is None
            else await payments.settled(key, fence, settled, now, house=house)
        )
    except TransactionCounted:
        raise TheirError("transaction_counted") from None
    if not is_written:
        raise TheirError("payment_not_in_doubt")
    return row


def _is_same(row: PaymentRow, transaction: str | None) -> bool:
    network = str(requirements_of(row)["network"])
    names = (transfer_name(network, each or "", None) for each in (row.transaction, transaction))
    return len(set(names)) == 1


def _settled(row: PaymentRow, transaction: str, log_index: int | None) -> Settled:
    offer = requirements_of(row)
    network = str(offer["network"])
    if not is_transaction(network, transaction):
        raise TheirError("transaction_invalid")
    return Settled(
        transaction=transaction,
        network=network,
        payer=row.payer,
        amount=int(str(offer["amount"])),
        asset=str(offer["asset"]),
        log_index=log_index,
    )
