"""The store's ports in memory, for one process: what the suite runs on where no database is wanted."""

# ruff: noqa: D102  (the port says what each method does)

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from assay402.service.ports import (
    UNSETTLED_PER_PAYER,
    Claim,
    Claimed,
    Entry,
    KeptAnswer,
    Known,
    PaymentRow,
    PaymentState,
    Settled,
    StoreUnavailable,
    TooManyUnsettled,
    TransactionCounted,
)

UNSETTLED = (PaymentState.CLAIMED, PaymentState.STORED, PaymentState.SETTLING)
OPEN = (*UNSETTLED, PaymentState.UNRESOLVED)
LET_GO = (PaymentState.RELEASED, PaymentState.EXPIRED)


class Booked(Struct, frozen=True, kw_only=True):
    """A row of the ledger, as far as the gate decides it."""

    key: str
    payer: str
    operation: str
    settled: Settled
    entry: Entry
    house: bool


class MemoryPayments:
    """`Payments`. Every method that changes something first asks `fails`, which may say that it cannot."""

    def __init__(self) -> None:
        self.rows: dict[str, PaymentRow] = {}
        self.entries: dict[str, Entry] = {}
        self.answers: dict[str, KeptAnswer] = {}
        self.booked: list[Booked] = []
        self.fails: Callable[[str], bool] = lambda _change: False
        self.changes: list[str] = []

    async def find(self, key: str) -> PaymentRow | None:
        return self.rows.get(key)

    async def find_by_payment_id(self, payer: str, payment_id: str) -> PaymentRow | None:
        return self._newest(lambda row: (row.payer, row.payment_id) == (payer, payment_id))

    async def find_by_idempotency_key(self, payer: str, operation: str, key: str) -> PaymentRow | None:
        wanted = (payer, operation, key)
        return self._newest(lambda row: (row.payer, row.operation, row.idempotency_key) == wanted)

    async def claim(self, claim: Claim, now: datetime) -> Claimed | Known | TooManyUnsettled:
        self._change("claim")
        standing = self.rows.get(claim.key)
        if standing is not None and standing.state is not PaymentState.RELEASED:
            return Known(row=standing)
        if claim.payment_id is not None:
            same = await self.find_by_payment_id(claim.payer, claim.payment_id)
            if same is not None and same.state not in LET_GO:
                return Known(row=same)
        if claim.idempotency_key is not None:
            same = await self.find_by_idempotency_key(claim.payer, claim.operation, claim.idempotency_key)
            if same is not None and same.state not in LET_GO:
                return Known(row=same)
        if (
            sum(row.payer == claim.payer and row.state in UNSETTLED for row in self.rows.values())
            >= UNSETTLED_PER_PAYER
        ):
            return TooManyUnsettled()
        fence = 1 if standing is None else standing.fence + 1
        self.rows[claim.key] = PaymentRow(
            key=claim.key,
            payload_sha256=claim.payload_sha256,
            payer=claim.payer,
            payment_id=claim.payment_id,
            idempotency_key=claim.idempotency_key,
            operation=claim.operation,
            accepted=claim.accepted,
            valid_before=claim.valid_before,
            state=PaymentState.CLAIMED,
            fence=fence,
            lease_until=claim.lease_until,
            claimed_at=now,
            settled_at=None,
            transaction=None,
            reruns=0,
        )
        return Claimed(fence=fence)

    async def take_over(self, key: str, fence: int, now: datetime, lease_until: datetime) -> int | None:
        self._change("take_over")
        row = self._held(key, fence, *OPEN)
        if row is None or row.lease_until > now:
            return None
        self.rows[key] = replace(row, fence=fence + 1, lease_until=lease_until)
        return fence + 1

    async def keep(
        self,
        key: str,
        fence: int,
        entry: Entry,
        answer: KeptAnswer | None,
        lease_until: datetime,
        *,
        settles: bool = False,
    ) -> bool:
        self._change("keep")
        row = self._held(key, fence, PaymentState.CLAIMED)
        if row is None:
            return False
        state = PaymentState.SETTLING if settles else PaymentState.STORED
        self.rows[key] = replace(row, state=state, lease_until=lease_until)
        self.entries[key] = entry
        if answer is not None:
            self.answers[answer.id] = answer
        return True

    async def begin_settling(self, key: str, fence: int, lease_until: datetime) -> bool:
        self._change("begin_settling")
        row = self._held(key, fence, PaymentState.STORED)
        if row is not None:
            self.rows[key] = replace(row, state=PaymentState.SETTLING, lease_until=lease_until)
        return row is not None

    async def leave(self, key: str, fence: int, lease_until: datetime) -> bool:
        self._change("leave")
        row = self._held(key, fence, *OPEN)
        if row is not None:
            self.rows[key] = replace(row, lease_until=lease_until)
        return row is not None

    async def settled(self, key: str, fence: int, settlement: Settled, now: datetime, *, house: bool) -> bool:
        self._change("settled")
        row = self._held(key, fence, PaymentState.SETTLING, PaymentState.UNRESOLVED)
        if row is None:
            return False
        same = [
            booked.settled.log_index
            for booked in self.booked
            if (booked.settled.network, booked.settled.transaction.lower())
            == (settlement.network, settlement.transaction.lower())
        ]
        if same and (None in same or settlement.log_index in {None, *same}):
            raise TransactionCounted
        self.rows[key] = replace(
            row, state=PaymentState.SETTLED, settled_at=now, transaction=settlement.transaction
        )
        self.booked.append(
            Booked(
                key=key,
                payer=row.payer,
                operation=row.operation,
                settled=settlement,
                entry=self.entries.pop(key),
                house=house,
            )
        )
        return True

    async def placeless(self, network: str, transaction: str) -> PaymentRow | None:
        found = [
            each.key
            for each in self.booked
            if (each.settled.network, each.settled.transaction.lower()) == (network, transaction.lower())
            and each.settled.log_index is None
        ]
        return self.rows[found[0]] if len(found) == 1 else None

    async def place(self, key: str, log_index: int) -> bool:
        self._change("place")
        number = next((number for number, each in enumerate(self.booked) if each.key == key), None)
        if number is None:
            return False
        own = self.booked[number].settled
        same = [
            each.settled.log_index
            for each in self.booked
            if (each.settled.network, each.settled.transaction.lower())
            == (own.network, own.transaction.lower())
        ]
        if own.log_index is not None or log_index in same:
            return False
        self.booked[number] = replace(self.booked[number], settled=replace(own, log_index=log_index))
        return True

    async def release(self, key: str, fence: int) -> bool:
        self._change("release")
        return self._end(key, fence, PaymentState.RELEASED, *UNSETTLED)

    async def expire(self, key: str, fence: int) -> bool:
        self._change("expire")
        return self._end(key, fence, PaymentState.EXPIRED, *OPEN)

    async def hand_over(self, key: str, fence: int, now: datetime) -> bool:
        self._change("hand_over")
        row = self._held(key, fence, PaymentState.SETTLING)
        if row is not None:
            self.rows[key] = replace(row, state=PaymentState.UNRESOLVED, lease_until=now)
        return row is not None

    async def rerun(self, key: str, not_after: datetime, at_most: int, now: datetime) -> bool:
        self._change("rerun")
        row = self.rows[key]
        if row.state is not PaymentState.SETTLED or now > not_after or row.reruns >= at_most:
            return False
        self.rows[key] = replace(row, reruns=row.reruns + 1)
        return True

    async def in_doubt(self, now: datetime, limit: int) -> tuple[PaymentRow, ...]:
        late = [row for row in self.rows.values() if row.state in UNSETTLED and row.lease_until <= now]
        return tuple(sorted(late, key=lambda row: row.lease_until)[:limit])

    async def unresolved(self, limit: int) -> tuple[PaymentRow, ...]:
        left = [row for row in self.rows.values() if row.state is PaymentState.UNRESOLVED]
        return tuple(sorted(left, key=lambda row: row.lease_until)[:limit])

    async def answer_paid_by(self, key: str) -> KeptAnswer | None:
        return next((answer for answer in self.answers.values() if answer.payment_key == key), None)

    async def answer_by_id(self, answer_id: str) -> KeptAnswer | None:
        answer = self.answers.get(answer_id)
        if answer is None or answer.payment_key is None:
            return answer
        return answer if self.rows[answer.payment_key].state is PaymentState.SETTLED else None

    async def keep_local(self, answer: KeptAnswer) -> KeptAnswer:
        self._change("keep_local")
        if answer.idempotency_key is not None:
            standing = await self.local_answer(answer.operation, answer.idempotency_key)
            if standing is not None:
                return standing
        self.answers[answer.id] = answer
        return answer

    async def local_answer(self, operation: str, idempotency_key: str) -> KeptAnswer | None:
        wanted = (None, operation, idempotency_key)
        for answer in self.answers.values():
            if (answer.payment_key, answer.operation, answer.idempotency_key) == wanted:
                return answer
        return None

    def _change(self, name: str) -> None:
        self.changes.append(name)
        if self.fails(name):
            raise StoreUnavailable

    def _held(self, key: str, fence: int, *states: PaymentState) -> PaymentRow | None:
        row = self.rows.get(key)
        return row if row is not None and row.fence == fence and row.state in states else None

    def _end(self, key: str, fence: int, state: PaymentState, *since: PaymentState) -> bool:
        row = self._held(key, fence, *since)
        if row is None:
            return False
        self.rows[key] = replace(row, state=state)
        self.entries.pop(key, None)
        self.answers = {name: each for name, each in self.answers.items() if each.payment_key != key}
        return True

    def _newest(self, fits: Callable[[PaymentRow], bool]) -> PaymentRow | None:
        rows = [row for row in self.rows.values() if fits(row)]
        return max(rows, key=lambda row: (row.state not in LET_GO, row.claimed_at), default=None)


class MemoryFreeTier:
    """`FreeTier`."""

    def __init__(self) -> None:
        self.buckets: dict[str, tuple[object, int, datetime]] = {}

    async def take(self, bucket: str, now: datetime, per_day: int, interval_ms: int) -> bool:
        day, count, last = self.buckets.get(bucket, (now.date(), 0, None))
        if last is not None and (now - last).total_seconds() * 1_000 < interval_ms:
            return False
        count = count + 1 if day == now.date() else 1
        if count > per_day:
            return False
        self.buckets[bucket] = (now.date(), count, now)
        return True

    async def forget(self, now: datetime, at_most: int) -> int:
        over = [bucket for bucket, (_, _, last) in self.buckets.items() if now - last > timedelta(days=1)]
        for bucket in over[:at_most]:
            del self.buckets[bucket]
        return len(over[:at_most])
