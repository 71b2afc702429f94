"""Which transfer of its transaction settled a payment, so that one is counted once.

The ledger keeps the name a transfer was first counted under. Where its place in the transaction is found out later, the
gate's row says so, as the ledger's is never changed.
"""

from typing import Final

from assay402.service.ports import PaymentRow
from assay402.service.transactions import has_place, transfer_name
from assay402.store.database import Work
from assay402.store.rows import PAYMENT, payment_row

# The lock under which payments are settled.
_LOCK: Final = "UPDATE ledger_head SET last = last WHERE id = 1"
_NAMES: Final = (
    "SELECT coalesce(p.transfer, l.transfer), p.key FROM ledger l LEFT JOIN payments p ON p.ledger_id = l.id"
    " WHERE l.kind = 'payment' AND l.network = $1 AND lower(l.transaction_id) = lower($2)"
)
_OWN: Final = (
    "SELECT l.network, l.transaction_id FROM ledger l JOIN payments p ON p.ledger_id = l.id WHERE p.key = $1"
)
_FIND: Final = f"SELECT {PAYMENT} FROM payments WHERE key = $1"
_PLACE: Final = "UPDATE payments SET transfer = $2 WHERE key = $1 RETURNING key"


def is_counted(network: str, transaction: str, transfer: str) -> Work[bool]:
    """Tell whether a transfer is counted, or may be: where either of two of one transaction has no place."""
    rows = yield _NAMES, (network, transaction)
    names = [row[0] for row in rows]
    return bool(names) and not (
        has_place(transfer)
        and all(name is not None and has_place(name) for name in names)
        and transfer not in names
    )


def placeless(network: str, transaction: str) -> Work[PaymentRow | None]:
    """Find the one payment of a transaction without a place."""
    rows = yield _NAMES, (network, transaction)
    keys = [key for name, key in rows if name is None or not has_place(name)]
    if len(keys) != 1 or keys[0] is None:
        return None
    found = yield _FIND, (keys[0],)
    return payment_row(found[0])


def place(key: str, log_index: int) -> Work[bool]:
    """Give a payment its place, where it has none and no other has that."""
    yield _LOCK, ()
    own = yield _OWN, (key,)
    if not own:
        return False
    network, transaction = own[0]
    rows = yield _NAMES, (network, transaction)
    transfer = transfer_name(network, transaction, log_index)
    mine = next(name for name, each in rows if each == key)
    if (mine is not None and has_place(mine)) or any(name == transfer for name, _ in rows):
        return False
    placed = yield _PLACE, (key, transfer)
    return bool(placed)
