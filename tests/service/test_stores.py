"""The gate over every store there is: memory and SQLite here; the interop tests run the same stories on PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assay402.service.order import Declined, Delivered, Offered, Pending
from assay402.service.ports import FreeTier, Payments, PaymentState, StoreUnavailable
from assay402.store.opening import open_store
from service.facilitator_server import Reply
from service.memory import MemoryFreeTier, MemoryPayments
from service.test_attacks import OTHER
from service.test_doubt import Chain
from service.world import KEEPING, PAID, World, world

CHANGES = (
    "claim",
    "take_over",
    "keep",
    "begin_settling",
    "leave",
    "settled",
    "release",
    "expire",
    "hand_over",
    "rerun",
    "keep_local",
)
Ports = tuple[Any, FreeTier]


class Watched:
    """A store whose n-th change fails, before or after it was made: a full disk, or a connection that broke too late."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments
        self.fails_at = 0
        self.is_made_anyway = False
        self.changes: list[str] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._payments, name)
        if name not in CHANGES:
            return method

        async def change(*arguments: Any, **named: Any) -> Any:
            self.changes.append(name)
            is_failing = len(self.changes) == self.fails_at
            made = None if is_failing and not self.is_made_anyway else await method(*arguments, **named)
            if is_failing:
                raise StoreUnavailable("locked")
            return made

        return change


@asynccontextmanager
async def memory(_folder: Path) -> AsyncIterator[Ports]:
    yield MemoryPayments(), MemoryFreeTier()


@asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Ports]:
    store = await open_store("sqlite", folder)
    try:
        yield store.payments, store.free_tier
        assert await store.ledger.mismatches() == ()
    finally:
        await store.close()


STORES: dict[str, Callable[[Path], Any]] = {"memory": memory, "sqlite": sqlite}


@pytest.fixture(params=list(STORES.values()), ids=list(STORES))
def tell(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Tell a story over a store."""

    def told(story: Callable[[World], Coroutine[Any, Any, None]]) -> None:
        async def run() -> None:
            async with (
                request.param(tmp_path) as (payments, free_tier),
                world(payments=Watched(payments), free_tier=free_tier) as made,
            ):
                await story(made)

        asyncio.run(run())

    return told


async def state(world: World) -> PaymentState:
    """Give the state of the one authorization that was bought with last."""
    rows = await world.payments.in_doubt(world.clock.now.replace(year=2099), 10)
    return rows[0].state if rows else PaymentState.SETTLED


@pytest.mark.parametrize("name", PAID)
def test_a_purchase_and_its_retries(tell: Any, name: str) -> None:
    async def story(world: World) -> None:
        first, payment = await world.buy(name, payment_id="pay_0123456789abcdef")
        again = await world.take(name, payment)
        assert isinstance(again, Delivered)
        assert again.settlement == first.settlement
        fresh = await world.take(name, await world.paid(name, payment_id="pay_0123456789abcdef"))
        assert isinstance(fresh, Delivered)
        assert len(world.facilitator.moved) == 1
        if name in KEEPING:
            assert again.body == fresh.body == first.body
            other = await world.take(name, payment, request=OTHER[name])
            assert isinstance(other, Declined)
            assert other.code == "payment_already_used"
        else:
            assert isinstance(await world.take(name, payment), Delivered)
            assert isinstance(await world.take(name, payment), Declined)

    tell(story)


@pytest.mark.parametrize("name", PAID)
def test_forty_at_once_settle_once(tell: Any, name: str) -> None:
    async def story(world: World) -> None:
        payment = await world.paid(name)
        outcomes = await asyncio.gather(*(world.take(name, payment) for _ in range(40)))
        assert len(world.facilitator.moved) == 1
        assert {type(outcome) for outcome in outcomes} <= {Delivered, Pending, Declined}

    tell(story)


def test_forty_under_one_id_settle_once(tell: Any) -> None:
    async def story(world: World) -> None:
        offer = await world.offered("deliverable/check")
        sent = [world.payment(offer, payment_id="pay_0123456789abcdef") for _ in range(40)]
        outcomes = await asyncio.gather(*(world.take("deliverable/check", payment) for payment in sent))
        assert len(world.facilitator.moved) == 1
        assert {type(outcome) for outcome in outcomes} <= {Delivered, Pending}

    tell(story)


@pytest.mark.parametrize("name", PAID)
def test_forty_authorizations_under_one_idempotency_key_settle_once(tell: Any, name: str) -> None:
    async def story(world: World) -> None:
        offer = await world.offered(name)
        sent = [world.payment(offer) for _ in range(40)]
        outcomes = await asyncio.gather(
            *(world.take(name, payment, idempotency_key="idem_0123456789abcdef") for payment in sent)
        )
        assert len(world.facilitator.moved) == 1
        assert {type(outcome) for outcome in outcomes} <= {Delivered, Pending, Declined}

    tell(story)


@pytest.mark.parametrize("is_made", [False, True], ids=["not written", "written and not told"])
@pytest.mark.parametrize(
    ("name", "nth"),
    [*(("dialect/check", nth) for nth in range(1, 6)), *(("claims/diagnose", nth) for nth in range(1, 7))],
)
def test_each_change_may_fail_before_or_after_it_was_made(
    tell: Any, name: str, nth: int, is_made: bool
) -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Chain(world))
        payment = await world.paid(name, lives=3_000)
        watched: Any = world.payments
        watched.fails_at, watched.is_made_anyway = nth, is_made
        for _ in range(3):
            outcome = await world.take(name, payment)
            assert not isinstance(outcome, Offered)
            world.clock.pass_by(1 if isinstance(outcome, Delivered) else 246)
        assert isinstance(await world.take(name, payment), Delivered)
        assert len(world.facilitator.moved) == 1
        assert await state(world) is PaymentState.SETTLED

    tell(story)


def test_a_worker_that_died_in_doubt_is_followed_by_the_chain(tell: Any) -> None:
    async def story(world: World) -> None:
        payment = await world.paid("claims/diagnose")
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take("claims/diagnose", payment), Pending)
        assert await state(world) is PaymentState.SETTLING
        world.clock.pass_by(246)
        other = world.service(chain=Chain(world))
        outcome = await other.take(world.order("claims/diagnose", payment))
        assert isinstance(outcome, Delivered)
        assert (outcome.is_replay, world.facilitator.count("settle")) == (True, 1)

    tell(story)


def test_a_stalled_worker_loses_to_the_one_that_took_over(tell: Any) -> None:
    async def story(world: World) -> None:
        payment = await world.paid("deliverable/check")
        world.facilitator.hold = asyncio.Event()
        stalled = asyncio.create_task(world.take("deliverable/check", payment))
        await world.facilitator.entered.wait()
        world.clock.pass_by(246)
        taken = await world.service(chain=Chain(world)).take(world.order("deliverable/check", payment))
        world.facilitator.hold.set()
        woken = await stalled
        assert isinstance(taken, Delivered)
        assert isinstance(woken, Delivered)
        assert woken.body == taken.body
        assert len(world.facilitator.moved) == 1

    tell(story)


def test_four_may_be_under_way(tell: Any) -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        sent = [await world.paid() for _ in range(9)]
        outcomes = await asyncio.gather(*(world.take(payment=payment) for payment in sent))
        waiting = [outcome for outcome in outcomes if isinstance(outcome, Pending)]
        refused = [outcome.code for outcome in outcomes if isinstance(outcome, Declined)]
        assert len(waiting) == 4
        assert set(refused) == {"too_many_unsettled"}

    tell(story)


def test_a_receipt_is_given_to_its_holder(tell: Any) -> None:
    async def story(world: World) -> None:
        outcome, _ = await world.buy("claims/diagnose")
        answer = json.loads(outcome.body)
        given = await world.orders.receipt(answer["request_id"], bearer=answer["binding"]["nonce"])
        assert isinstance(given, Delivered)
        assert (given.body, given.headers) == (outcome.body, outcome.headers)
        assert isinstance(await world.orders.receipt(answer["request_id"], bearer="guessed"), Declined)

    tell(story)


def test_a_row_is_left_by_its_worker_alone_and_may_be_taken_at_once(tell: Any) -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        await world.take(payment=await world.paid())
        (row,) = await world.payments.in_doubt(world.clock.now.replace(year=2099), 10)
        payments, now = world.payments, world.clock()
        later = now.replace(year=2027)
        assert not await payments.leave(row.key, row.fence + 1, now)
        assert await payments.leave(row.key, row.fence, later)
        assert await payments.take_over(row.key, row.fence, now, later) is None
        assert await payments.leave(row.key, row.fence, now)
        assert await payments.take_over(row.key, row.fence, now, later) == row.fence + 1
        assert not await payments.leave(row.key, row.fence, now)
        assert await payments.release(row.key, row.fence + 1)
        assert not await payments.leave(row.key, row.fence + 1, now)

    tell(story)
