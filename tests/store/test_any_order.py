"""Changes in any order, drawn by chance, against a model of twenty lines: what each answers, and what is left."""

import random
from datetime import datetime

import pytest
from msgspec.structs import replace

from assay402.service.ports import UNSETTLED_PER_PAYER, Claimed, Known, PaymentState, TooManyUnsettled
from assay402.store.opening import Store
from store.databases import ENTRY, PAID, Place, after, answer, claim

STEPS = 300
KEYS = 12
UNSETTLED = {PaymentState.CLAIMED, PaymentState.STORED, PaymentState.SETTLING}
OPEN = UNSETTLED | {PaymentState.UNRESOLVED}
ENDED = {PaymentState.RELEASED, PaymentState.EXPIRED}


class Row:
    """What the model knows of a payment."""

    def __init__(self, payment_id: str | None, lease: int) -> None:
        self.state = PaymentState.CLAIMED
        self.fence = 1
        self.payment_id = payment_id
        self.lease = lease
        self.reruns = 0
        self.has_answer = False


class Model:
    """One payer's payments, as the port's documentation has them."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def claim(self, key: str, payment_id: str | None, lease: int) -> object:
        """Say what a claim must answer, and do it."""
        row = self.rows.get(key)
        if row is not None and row.state is not PaymentState.RELEASED:
            return Known, key
        for other, each in self.rows.items():
            if payment_id and each.payment_id == payment_id and each.state not in ENDED:
                return Known, other
        if sum(each.state in UNSETTLED for each in self.rows.values()) >= UNSETTLED_PER_PAYER:
            return TooManyUnsettled, None
        fresh = Row(payment_id, lease)
        if row is not None:
            fresh.fence = row.fence + 1
        self.rows[key] = fresh
        return Claimed, fresh.fence

    def move(self, key: str, fence: int, since: set[PaymentState], to: PaymentState) -> bool:
        """Move a row whose state and fence are right."""
        row = self.rows.get(key)
        if row is None or row.fence != fence or row.state not in since:
            return False
        row.state = to
        if to in ENDED:
            row.has_answer = False
        return True

    def take_over(self, key: str, fence: int, now: int, lease: int) -> int | None:
        """Take a row over."""
        row = self.rows.get(key)
        if row is None or row.fence != fence or row.state not in OPEN or row.lease > now:
            return None
        row.fence, row.lease = row.fence + 1, lease
        return row.fence


def told(outcome: object) -> object:
    match outcome:
        case Claimed(fence=fence):
            return Claimed, fence
        case Known(row=row):
            return Known, row.key
        case other:
            return type(other), None


async def step(store: Store, model: Model, chance: random.Random, name: str, now: int) -> None:
    """Draw one change, do it in both, and compare what they say."""
    payments, key = store.payments, f"{name}/{chance.randrange(KEYS)}"
    row = model.rows.get(key)
    fence = chance.choice([row.fence] * 8 + [row.fence + 1, 1]) if row else 1
    lease = now + chance.randrange(1, 40)
    moment, until = after(now), after(lease)
    match chance.choice(
        (
            "claim",
            "claim",
            "take_over",
            "keep",
            "keep",
            "settling",
            "settling",
            "settled",
            "settled",
            "end",
            "hand_over",
            "rerun",
        )
    ):
        case "claim":
            payment_id = chance.choice([None, None, "id-1", "id-2"])
            wanted = claim(1, payer=name, payment_id=payment_id, lease_until=until)
            given = await payments.claim(replace(wanted, key=key), moment)
            assert told(given) == model.claim(key, payment_id, lease)
        case "take_over":
            assert await payments.take_over(key, fence, moment, until) == model.take_over(
                key, fence, now, lease
            )
        case "keep":
            kept = answer(f"{key}/{now}", payment_key=key) if chance.random() < 0.5 else None
            settles = kept is None and chance.random() < 0.5
            to = PaymentState.SETTLING if settles else PaymentState.STORED
            moved = model.move(key, fence, {PaymentState.CLAIMED}, to)
            assert await payments.keep(key, fence, ENTRY, kept, until, settles=settles) is moved
            if moved:
                model.rows[key].has_answer, model.rows[key].lease = kept is not None, lease
        case "settling":
            moved = model.move(key, fence, {PaymentState.STORED}, PaymentState.SETTLING)
            assert await payments.begin_settling(key, fence, until) is moved
            if moved:
                model.rows[key].lease = lease
        case "settled":
            moved = model.move(
                key, fence, {PaymentState.SETTLING, PaymentState.UNRESOLVED}, PaymentState.SETTLED
            )
            assert (
                await payments.settled(key, fence, replace(PAID, transaction=key), moment, house=False)
                is moved
            )
        case "end":
            to = chance.choice([PaymentState.RELEASED] * 5 + [PaymentState.EXPIRED])
            moved = model.move(key, fence, UNSETTLED if to is PaymentState.RELEASED else OPEN, to)
            ended = payments.release if to is PaymentState.RELEASED else payments.expire
            assert await ended(key, fence) is moved
        case "hand_over":
            moved = model.move(key, fence, {PaymentState.SETTLING}, PaymentState.UNRESOLVED)
            assert await payments.hand_over(key, fence, moment) is moved
            if moved:
                model.rows[key].lease = now
        case _:
            await _rerun(store, row, key, moment)


async def _rerun(store: Store, row: Row | None, key: str, moment: datetime) -> None:
    may = row is not None and row.state is PaymentState.SETTLED and row.reruns < 3
    assert await store.payments.rerun(key, after(250), 3, moment) is (may and moment <= after(250))
    if row is not None and may and moment <= after(250):
        row.reruns += 1


@pytest.mark.parametrize("seed", range(6))
def test_every_change_answers_as_the_port_says_in_any_order(place: Place, seed: int) -> None:
    async def story(store: Store) -> None:
        chance, model, name = random.Random(seed), Model(), f"0x{seed}"
        for now in range(STEPS):
            await step(store, model, chance, name, now)
        for key, row in model.rows.items():
            found = await store.payments.find(key)
            assert found is not None
            assert (found.state, found.fence, found.reruns) == (row.state, row.fence, row.reruns)
            assert ((await store.payments.answer_paid_by(key)) is not None) is row.has_answer
        doubtful = {row.key for row in await store.payments.in_doubt(after(STEPS), 99)}
        assert doubtful == {
            key for key, row in model.rows.items() if row.state in UNSETTLED and row.lease <= STEPS
        }
        left = {row.key for row in await store.payments.unresolved(99)}
        assert left == {key for key, row in model.rows.items() if row.state is PaymentState.UNRESOLVED}
        settled = sum(row.state is PaymentState.SETTLED for row in model.rows.values())
        assert len([row async for row in store.ledger.rows(None, None)]) == settled
        assert await store.ledger.mismatches() == ()

    place.run(story)
