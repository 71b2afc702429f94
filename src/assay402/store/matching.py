"""Matches the ledger with the gate: row with row, and each row's money with what the payer agreed to.

The requirements that a payment was claimed under stand in the gate's row, apart from the ledger, so that a row whose
amount, asset or network was changed is found by them.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from assay402.service.transactions import transfer_name
from assay402.store.database import Database

CHUNK: Final = 500
"""Pairs of rows read at once: what is held in memory."""
_GATE_WITHOUT_LEDGER: Final = (
    "SELECT p.key FROM payments p LEFT JOIN ledger l ON l.id = p.ledger_id AND l.kind = 'payment'"
    " WHERE p.state = 'settled' AND l.id IS NULL ORDER BY p.key"
)
_LEDGER_WITHOUT_GATE: Final = (
    "SELECT l.id FROM ledger l LEFT JOIN payments p ON p.ledger_id = l.id AND p.state = 'settled'"
    " WHERE l.kind = 'payment' AND p.key IS NULL ORDER BY l.id"
)
_MATCHED_TWICE: Final = "SELECT ledger_id FROM payments WHERE ledger_id IS NOT NULL GROUP BY ledger_id HAVING count(*) > 1 ORDER BY ledger_id"
# Of two payments of one transaction each must say which transfer of it was its own: its name then has two spaces.
_REPEATED: Final = (
    "SELECT l.id FROM ledger l JOIN ledger e ON e.kind = 'payment' AND e.network = l.network"
    " AND lower(e.transaction_id) = lower(l.transaction_id) AND e.id < l.id"
    " LEFT JOIN payments lp ON lp.ledger_id = l.id LEFT JOIN payments ep ON ep.ledger_id = e.id"
    " WHERE l.kind = 'payment' AND (coalesce(lp.transfer, l.transfer, '') NOT LIKE '% % %'"
    " OR coalesce(ep.transfer, e.transfer, '') NOT LIKE '% % %') GROUP BY l.id ORDER BY l.id"
)
_ABOUT_UNKNOWN: Final = (
    "SELECT l.id FROM ledger l LEFT JOIN ledger a ON a.id = l.about"
    " WHERE l.about IS NOT NULL AND (a.id IS NULL OR a.id >= l.id) ORDER BY l.id"
)
# A gap is named by the id before it; the ids begin behind 0 and end at the head.
_GAP: Final = (
    "SELECT b.id FROM (SELECT 0 AS id UNION ALL SELECT id FROM ledger) b, ledger_head h"
    " WHERE b.id <> h.last AND NOT EXISTS (SELECT 1 FROM ledger n WHERE n.id = b.id + 1) ORDER BY b.id"
)
_PAIRS: Final = (
    "SELECT l.id, p.accepted, l.network, l.asset, l.units, l.kind, l.payer, p.payer, l.operation, p.operation,"
    " l.transaction_id, p.transaction_id, l.recorded_at, p.settled_at, l.transfer, p.transfer"
    " FROM ledger l JOIN payments p ON p.ledger_id = l.id WHERE l.id > $1"
    f" ORDER BY l.id LIMIT {CHUNK}"
)
_ROWS: Final = (
    ("gate_without_ledger", _GATE_WITHOUT_LEDGER),
    ("ledger_without_gate", _LEDGER_WITHOUT_GATE),
    ("matched_twice", _MATCHED_TWICE),
    ("transaction_repeated", _REPEATED),
    ("about_unknown", _ABOUT_UNKNOWN),
    ("gap_after", _GAP),
)
_DIFFERENCES: Final = (
    "kind_differs",
    "payer_differs",
    "operation_differs",
    "transaction_differs",
    "time_differs",
    "transfer_differs",
    "network_differs",
    "asset_differs",
    "units_differ",
)


async def mismatches(database: Database) -> tuple[str, ...]:
    """Give a closed code and the id of each mismatch."""
    found: list[str] = []
    for code, sql in _ROWS:
        found += [f"{code} {row[0]}" for row in await database.read(sql)]
    async for row in _pairs(database):
        found += [f"{code} {row[0]}" for code in _differing(row)]
    return tuple(found)


async def _pairs(database: Database) -> AsyncIterator[Sequence[Any]]:
    last = 0
    while rows := await database.read(_PAIRS, last):
        for row in rows:
            yield row
        last = rows[-1][0]


def _differing(row: Sequence[Any]) -> Iterator[str]:
    _, text, network, asset, units, kind, *pairs = row
    accepted: Mapping[str, Any] = {}
    with suppress(msgspec.DecodeError):
        accepted = msgspec.json.decode(text, type=dict)
    compared = (
        (kind, "payment"),
        *zip(pairs[::2], pairs[1::2], strict=True),
        (network, accepted.get("network")),
        (asset, accepted.get("asset")),
        (units, accepted.get("amount")),
    )
    for code, (ours, theirs) in zip(_DIFFERENCES, compared, strict=True):
        differs = (
            not _is_one(ours, theirs, network, pairs[4]) if code == "transfer_differs" else ours != theirs
        )
        if differs:
            yield code


def _is_one(counted: str | None, placed: str | None, network: str, transaction: str) -> bool:
    """Tell whether the ledger's name of a transfer and the gate's are of this transaction and the same.

    The gate's may say the place that was found later, and neither was written by the first release.
    """
    name = transfer_name(network, transaction, None)
    if counted == placed:
        return placed is None or placed == name or _is_of(placed, name)
    return counted in {None, name} and placed is not None and _is_of(placed, name)


def _is_of(transfer: str, name: str) -> bool:
    """Tell whether a transfer is one of the transaction of this name, by its place."""
    return transfer.startswith(f"{name} ") and transfer[len(name) + 1 :].isdecimal()
