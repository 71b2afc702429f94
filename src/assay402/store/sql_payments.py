"""The port `Payments` in SQL: the gate's rows, and the answers kept with them.

Every change is a compare-and-set on state and fence. Claims of one payer are decided one after another, in any number of
processes: where a database does several changes at once, a claim locks its payer's row first. How many it has, and whether
its payment id or its `Idempotency-Key` is taken, is then counted from the rows themselves, in a statement that begins after
the lock is held and sees what the others committed.
"""

from datetime import datetime
from functools import partial
from typing import Final

from assay402.core.errors import OurError
from assay402.service.ports import (
    UNSETTLED_PER_PAYER,
    Claim,
    Claimed,
    Entry,
    KeptAnswer,
    Known,
    LedgerRow,
    PaymentRow,
    Settled,
    TooManyUnsettled,
    Value,
)
from assay402.store import placing
from assay402.store.database import Database, Rows, Work, ask
from assay402.store.rows import (
    ANSWER,
    PAYMENT,
    answer_columns,
    entry_of,
    entry_text,
    kept_answer,
    milliseconds,
    payment_row,
    placeholders,
)
from assay402.store.sql_ledger import added

# Word for word as in the partial indexes, which it makes use of.
_UNSETTLED: Final = (
    "state <> 'settled' AND state <> 'released' AND state <> 'expired' AND state <> 'unresolved'"
)
# What may still come to an end, unresolved payments with the rest.
_OPEN: Final = "state <> 'settled' AND state <> 'released' AND state <> 'expired'"
_HELD: Final = "key = $1 AND fence = $2"
# A row that stands before one that may be claimed anew, then the newest.
_NEWEST: Final = "ORDER BY (state IN ('released', 'expired')), claimed_at DESC, fence DESC, key LIMIT 1"

_FIND: Final = f"SELECT {PAYMENT} FROM payments WHERE key = $1"
_FIND_ID: Final = f"SELECT {PAYMENT} FROM payments WHERE payer = $1 AND payment_id = $2 {_NEWEST}"
_FIND_IDEMPOTENT: Final = (
    f"SELECT {PAYMENT} FROM payments WHERE payer = $1 AND operation = $2 AND idempotency_key = $3 {_NEWEST}"
)
_LOCK: Final = (
    "INSERT INTO payers (payer) VALUES ($1) ON CONFLICT (payer) DO UPDATE SET payer = excluded.payer"
)
_COUNT: Final = f"SELECT count(*) FROM payments WHERE payer = $1 AND {_UNSETTLED}"
_CLAIM: Final = (
    "INSERT INTO payments (key, payload_sha256, payer, payment_id, idempotency_key, operation, accepted,"
    " valid_before, lease_until, claimed_at, state, fence, reruns)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'claimed', 1, 0) ON CONFLICT DO NOTHING RETURNING fence"
)
_CLAIM_ANEW: Final = (
    "UPDATE payments SET payload_sha256 = $2, payer = $3, payment_id = $4, idempotency_key = $5, operation = $6,"
    " accepted = $7, valid_before = $8, lease_until = $9, claimed_at = $10, state = 'claimed', fence = fence + 1,"
    " reruns = 0, entry = NULL WHERE key = $1 AND state = 'released' RETURNING fence"
)
_TAKE_OVER: Final = (
    f"UPDATE payments SET fence = fence + 1, lease_until = $4 WHERE {_HELD} AND {_OPEN} AND lease_until <= $3"
    " RETURNING fence"
)
_STORE: Final = f"UPDATE payments SET state = $5, entry = $3, lease_until = $4 WHERE {_HELD} AND state = 'claimed' RETURNING fence"
_SETTLE: Final = f"UPDATE payments SET state = 'settling', lease_until = $3 WHERE {_HELD} AND state = 'stored' RETURNING fence"
_LEAVE: Final = f"UPDATE payments SET lease_until = $3 WHERE {_HELD} AND {_OPEN} RETURNING fence"
_SETTLING: Final = (
    "SELECT payer, operation, entry FROM payments"
    f" WHERE {_HELD} AND (state = 'settling' OR state = 'unresolved')"
)
_FOR_UPDATE: Final = " FOR UPDATE"
_SETTLED: Final = (
    "UPDATE payments SET state = 'settled', settled_at = $3, transaction_id = $4, ledger_id = $5, transfer = $6,"
    " entry = NULL"
    f" WHERE {_HELD} RETURNING fence"
)
_RELEASE: Final = (
    f"UPDATE payments SET state = 'released', entry = NULL WHERE {_HELD} AND {_UNSETTLED} RETURNING fence"
)
_EXPIRE: Final = (
    f"UPDATE payments SET state = 'expired', entry = NULL WHERE {_HELD} AND {_OPEN} RETURNING fence"
)
_HAND_OVER: Final = f"UPDATE payments SET state = 'unresolved', lease_until = $3 WHERE {_HELD} AND state = 'settling' RETURNING fence"
_RERUN: Final = "UPDATE payments SET reruns = reruns + 1 WHERE key = $1 AND state = 'settled' AND reruns < $2 RETURNING reruns"
_IN_DOUBT: Final = f"SELECT {PAYMENT} FROM payments WHERE {_UNSETTLED} AND lease_until <= $1 ORDER BY lease_until, key LIMIT $2"
_FOR_THE_OPERATOR: Final = f"SELECT {PAYMENT} FROM payments WHERE state = 'unresolved' AND lease_until >= 0 ORDER BY lease_until, key LIMIT $1"
_KEEP: Final = (
    f"INSERT INTO answers ({ANSWER}) VALUES ({placeholders(ANSWER)}) ON CONFLICT DO NOTHING RETURNING id"
)
_FORGET: Final = "DELETE FROM answers WHERE payment_key = $1"
_PAID_ANSWER: Final = f"SELECT {ANSWER} FROM answers WHERE payment_key = $1"
_ANSWER: Final = (
    f"SELECT {ANSWER} FROM answers WHERE id = $1 AND (payment_key IS NULL OR EXISTS"
    " (SELECT 1 FROM payments WHERE payments.key = answers.payment_key AND payments.state = 'settled'))"
)
_LOCAL_ANSWER: Final = (
    f"SELECT {ANSWER} FROM answers WHERE operation = $1 AND idempotency_key = $2 AND payment_key IS NULL"
)


class SQLPayments:
    """The gate's rows in a database of either kind."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    async def find(self, key: str) -> PaymentRow | None:
        """Give the row of an authorization key."""
        return _one(await self._database.look(_FIND, key))

    async def find_by_payment_id(self, payer: str, payment_id: str) -> PaymentRow | None:
        """Give the row a payer's payment id stands on, else the newest it stood on."""
        return _one(await self._database.look(_FIND_ID, payer, payment_id))

    async def find_by_idempotency_key(self, payer: str, operation: str, key: str) -> PaymentRow | None:
        """Give the newest row of a payer's `Idempotency-Key` for an operation, those released or expired last."""
        return _one(await self._database.look(_FIND_IDEMPOTENT, payer, operation, key))

    async def claim(self, claim: Claim, now: datetime) -> Claimed | Known | TooManyUnsettled:
        """Claim, or say what stands in the way."""
        return await self._database.change(partial(_claim, claim, now, locks=not self._database.is_serial))

    async def take_over(self, key: str, fence: int, now: datetime, lease_until: datetime) -> int | None:
        """Take a row whose lease ran out from its worker; gives the new fence."""
        rows = await self._database.change(
            partial(ask, _TAKE_OVER, key, fence, milliseconds(now), milliseconds(lease_until))
        )
        return rows[0][0] if rows else None

    async def keep(  # noqa: PLR0913  (as the port has it)
        self,
        key: str,
        fence: int,
        entry: Entry,
        answer: KeptAnswer | None,
        lease_until: datetime,
        *,
        settles: bool = False,
    ) -> bool:
        """Move from `CLAIMED` to `STORED` with what may be kept, or straight on to `SETTLING`."""
        state = "settling" if settles else "stored"
        return await self._database.change(partial(_keep, key, fence, entry, answer, lease_until, state))

    async def begin_settling(self, key: str, fence: int, lease_until: datetime) -> bool:
        """Move from `STORED` to `SETTLING`."""
        return await self._moved(_SETTLE, key, fence, milliseconds(lease_until))

    async def leave(self, key: str, fence: int, lease_until: datetime) -> bool:
        """Let go of a row before its lease is over."""
        return await self._moved(_LEAVE, key, fence, milliseconds(lease_until))

    async def settled(self, key: str, fence: int, settlement: Settled, now: datetime, *, house: bool) -> bool:
        """Move from `SETTLING` or `UNRESOLVED` to `SETTLED` and append the one ledger row, of a transfer not counted before."""
        locks = not self._database.is_serial
        return await self._database.change(
            partial(_settled, key, fence, settlement, now, house=house, locks=locks)
        )

    async def placeless(self, network: str, transaction: str) -> PaymentRow | None:
        """Give the one payment that is settled by a transaction without a place in it."""
        return await self._database.change(partial(placing.placeless, network, transaction))

    async def place(self, key: str, log_index: int) -> bool:
        """Write which transfer settled a payment."""
        return await self._database.change(partial(placing.place, key, log_index))

    async def release(self, key: str, fence: int) -> bool:
        """Move a row that is not final, and not `UNRESOLVED`, to `RELEASED`; a kept answer goes."""
        return await self._database.change(partial(_end, _RELEASE, key, fence))

    async def expire(self, key: str, fence: int) -> bool:
        """Move a row that is not final to `EXPIRED`; a kept answer goes."""
        return await self._database.change(partial(_end, _EXPIRE, key, fence))

    async def hand_over(self, key: str, fence: int, now: datetime) -> bool:
        """Move from `SETTLING` to `UNRESOLVED`, for anybody to take at once."""
        return await self._moved(_HAND_OVER, key, fence, milliseconds(now))

    async def rerun(self, key: str, not_after: datetime, at_most: int, now: datetime) -> bool:
        """Count one more doing of the work for a settled payment."""
        return now <= not_after and await self._moved(_RERUN, key, at_most)

    async def in_doubt(self, now: datetime, limit: int) -> tuple[PaymentRow, ...]:
        """Give rows that are not final and whose lease ran out, oldest first."""
        rows = await self._database.read(_IN_DOUBT, milliseconds(now), limit)
        return tuple(payment_row(row) for row in rows)

    async def unresolved(self, limit: int) -> tuple[PaymentRow, ...]:
        """Give rows that are `UNRESOLVED`, oldest first."""
        rows = await self._database.read(_FOR_THE_OPERATOR, limit)
        return tuple(payment_row(row) for row in rows)

    async def answer_paid_by(self, key: str) -> KeptAnswer | None:
        """Give the answer a payment paid for, or will."""
        return _answer(await self._database.read(_PAID_ANSWER, key))

    async def answer_by_id(self, answer_id: str) -> KeptAnswer | None:
        """Give a kept answer by its id, paid for and settled, or local."""
        return _answer(await self._database.read(_ANSWER, answer_id))

    async def keep_local(self, answer: KeptAnswer) -> KeptAnswer:
        """Keep an unpaid answer; gives the one that stands."""
        return await self._database.change(partial(_keep_local, answer))

    async def local_answer(self, operation: str, idempotency_key: str) -> KeptAnswer | None:
        """Give the unpaid answer kept under an idempotency key."""
        return _answer(await self._database.read(_LOCAL_ANSWER, operation, idempotency_key))

    async def _moved(self, sql: str, *parameters: object) -> bool:
        return bool(await self._database.change(partial(ask, sql, *parameters)))


def _one(rows: Rows) -> PaymentRow | None:
    return payment_row(rows[0]) if rows else None


def _answer(rows: Rows) -> KeptAnswer | None:
    return kept_answer(rows[0]) if rows else None


def _claim(claim: Claim, now: datetime, *, locks: bool) -> Work[Claimed | Known | TooManyUnsettled]:
    if locks:
        yield _LOCK, (claim.payer,)
    counted = yield _COUNT, (claim.payer,)
    is_one_too_many = counted[0][0] >= UNSETTLED_PER_PAYER
    columns = (
        claim.key,
        claim.payload_sha256,
        claim.payer,
        claim.payment_id,
        claim.idempotency_key,
        claim.operation,
        claim.accepted,
        milliseconds(claim.valid_before),
        milliseconds(claim.lease_until),
        milliseconds(now),
    )
    # The indexes let nothing in that has something in its way, so that is looked for only where it was not let in.
    fences = () if is_one_too_many else (yield _CLAIM, columns)
    if fences:
        return Claimed(fence=fences[0][0])
    standing = yield from _standing(claim)
    if standing is not None:
        return Known(row=standing)
    if is_one_too_many:
        return TooManyUnsettled()
    # The row of its key was let go, or what stood in the way has been let go meanwhile.
    for sql in (_CLAIM_ANEW, _CLAIM):
        fences = yield sql, columns
        if fences:
            return Claimed(fence=fences[0][0])
    # Only a claim of the same key in the name of another payer comes between, as it holds another lock.
    rows = yield _FIND, (claim.key,)
    return Known(row=payment_row(rows[0]))


def _standing(claim: Claim) -> Work[PaymentRow | None]:
    """Find the row that stands in the way: of the key, else of the payer's payment id, else of its `Idempotency-Key`."""
    rows = yield _FIND, (claim.key,)
    if rows and rows[0][8] != "released":
        return payment_row(rows[0])
    for sql, name, within in (
        (_FIND_ID, claim.payment_id, (claim.payer,)),
        (_FIND_IDEMPOTENT, claim.idempotency_key, (claim.payer, claim.operation)),
    ):
        if name is not None:
            rows = yield sql, (*within, name)
            if rows and rows[0][8] not in {"released", "expired"}:
                return payment_row(rows[0])
    return None


def _keep(  # noqa: PLR0913, PLR0917  (as the port has it)
    key: str, fence: int, entry: Entry, answer: KeptAnswer | None, lease_until: datetime, state: str
) -> Work[bool]:
    moved = yield _STORE, (key, fence, entry_text(entry), milliseconds(lease_until), state)
    if moved and answer is not None:
        kept = yield _KEEP, answer_columns(answer)
        if not kept:
            raise OurError("internal")
    return bool(moved)


def _settled(  # noqa: PLR0913  (as the port has it)
    key: str, fence: int, settlement: Settled, now: datetime, *, house: bool, locks: bool
) -> Work[bool]:
    sql = _SETTLING + _FOR_UPDATE if locks else _SETTLING
    rows = yield sql, (key, fence)
    if not rows:
        return False
    payer, operation, entry = rows[0]
    row = LedgerRow(
        id=0,
        about=None,
        kind="payment",
        operation=operation,
        payer=payer,
        recorded_at=now,
        network=settlement.network,
        asset=settlement.asset,
        units=settlement.amount,
        value=Value(rate=None, rate_date=None, basis=None, cad_pending=True, refund=False),
        transaction=settlement.transaction,
        fee_lamports=settlement.fee_lamports,
        entry=entry_of(entry),
        house=house,
    )
    number, transfer = yield from added(row, settlement.log_index)
    yield _SETTLED, (key, fence, milliseconds(now), settlement.transaction, number, transfer)
    return True


def _end(sql: str, key: str, fence: int) -> Work[bool]:
    moved = yield sql, (key, fence)
    if moved:
        yield _FORGET, (key,)
    return bool(moved)


def _keep_local(answer: KeptAnswer) -> Work[KeptAnswer]:
    kept = yield _KEEP, answer_columns(answer)
    if kept:
        return answer
    if answer.idempotency_key is None:
        raise OurError("internal")
    standing = yield _LOCAL_ANSWER, (answer.operation, answer.idempotency_key)
    if not standing:
        raise OurError("internal")
    return kept_answer(standing[0])
