"""When the outcome of a settlement is not known, a worker is gone, or the store fails: nothing lost, nothing charged twice."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.strictjson import JSON
from assay402.service.order import Declined, Delivered, Offered, Outcome, Pending
from assay402.service.ports import Entry, NotMoved, PaymentState, Settled, StoreUnavailable, Unknown
from service.facilitator_server import Reply, said
from service.world import BASE, KEEPING, PAID, World, run

CLAIMED, STORED, SETTLING = PaymentState.CLAIMED, PaymentState.STORED, PaymentState.SETTLING
SETTLED, RELEASED, EXPIRED = PaymentState.SETTLED, PaymentState.RELEASED, PaymentState.EXPIRED
UNRESOLVED = PaymentState.UNRESOLVED

UNKNOWN = {
    "pending": said(success=False, errorReason="settlement_pending", transaction="0x1"),
    "used": said(success=False, errorReason="invalid_exact_evm_nonce_already_used"),
    "used, in words": said(success=False, errorReason="Authorization is USED or canceled"),
    "used, in a message": said(success=False, errorReason="transaction_failed", errorMessage="nonce too low"),
    "500": Reply(500, b"boom"),
    "429": Reply(429, b"{}", ("Retry-After", "31")),
    "garbage": Reply(200, b"<html>"),
    "neither": said(),
}


class Chain:
    """The chain as the loopback facilitator moves it, for a look-up by key."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.is_unknown = False
        self.time: Callable[[], datetime] = world.clock
        """Of its last block."""
        self.is_known: Callable[[str], bool] = lambda _nonce: True
        self.looked = 0

    def can_find(self, _key: str) -> bool:
        """Look whatever is asked for."""
        return True

    async def fee(self, _network: str, _transaction: str) -> int | None:
        """Know no fee."""
        return None

    async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        """Look into what the facilitator moved."""
        self.looked += 1
        nonce = key.rsplit(" ", maxsplit=1)[-1]
        if self.is_unknown or not self.is_known(nonce):
            return Unknown(retry_after_seconds=1)
        moved = self.world.facilitator.moved.get(nonce)
        if moved is None:
            return NotMoved(as_of=self.time())
        payer, _, amount, transaction = moved
        return Settled(
            transaction=transaction,
            network=BASE,
            payer=payer,
            amount=amount,
            asset=str(requirements["asset"]),
        )


async def in_doubt(world: World, name: str, reply: Reply, *, moves: bool) -> dict[str, Any]:
    """Pay, and get no outcome; the payment is sent back."""
    payment = await world.paid(name)
    world.facilitator.settle_says = lambda _call: reply
    world.facilitator.moves_anyway = moves
    outcome = await world.take(name, payment)
    assert isinstance(outcome, Pending), outcome
    assert outcome.retry_after_seconds >= 1
    assert world.row.state is SETTLING
    world.facilitator.settle_says = lambda _call: None
    return payment


@pytest.mark.parametrize("reply", UNKNOWN.values(), ids=UNKNOWN)
def test_without_an_outcome_the_client_waits_and_the_same_payment_is_settled_once_its_lease_is_over(
    reply: Reply,
) -> None:
    async def story(world: World) -> None:
        payment = await in_doubt(world, "deliverable/check", reply, moves=False)
        for _ in range(3):
            assert isinstance(await world.take("deliverable/check", payment), Pending)
        assert world.facilitator.moved == {}
        world.clock.pass_by(246)
        outcome = await world.take("deliverable/check", payment)
        assert isinstance(outcome, Delivered)
        assert (len(world.facilitator.moved), len(world.payments.booked)) == (1, 1)

    run(story)


@pytest.mark.parametrize("name", PAID)
def test_money_that_moved_unseen_is_found_on_the_chain_and_not_moved_again(name: str) -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        chain.is_unknown = True
        world.orders = world.service(chain=chain)
        payment = await in_doubt(world, name, UNKNOWN["500"], moves=True)
        chain.is_unknown = False
        world.clock.pass_by(246)
        calls = world.facilitator.count("settle")
        outcome = await world.take(name, payment)
        assert isinstance(outcome, Delivered)
        assert outcome.settlement is not None
        ((_, _, _, transaction),) = world.facilitator.moved.values()
        assert outcome.settlement["transaction"] == transaction
        assert world.facilitator.count("settle") == calls
        assert (len(world.payments.booked), world.row.state) == (1, SETTLED)

    run(story)


def test_without_a_chain_a_used_authorization_stays_in_doubt_and_is_never_offered_or_settled_anew() -> None:
    async def story(world: World) -> None:
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=True)
        for _ in range(3):
            world.clock.pass_by(100_000)
            assert isinstance(await world.take("deliverable/check", payment), Pending)
            assert await world.orders.reconcile() == 0
        # What is in doubt when its time is over is the operator's to find out.
        assert (world.row.state, len(world.facilitator.moved)) == (UNRESOLVED, 1)

    run(story)


def test_a_first_unknown_is_asked_of_the_chain_at_once() -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Chain(world))
        payment = await world.paid()
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(payment=payment), Delivered)
        assert len(world.payments.booked) == 1

    run(story)


def test_a_refusal_of_what_moved_is_found_out_where_there_is_a_chain() -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Chain(world))
        payment = await world.paid()
        world.facilitator.settle_says = lambda _call: said(success=False, errorReason="transaction_failed")
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(payment=payment), Delivered)

    run(story)


def test_in_doubt_a_refusal_ends_nothing() -> None:
    """A facilitator that moved the money may refuse the second time because the payer has nothing left."""

    async def story(world: World) -> None:
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=True)
        world.facilitator.settle_says = lambda _call: said(success=False, errorReason="insufficient_funds")
        world.clock.pass_by(246)
        assert isinstance(await world.take("deliverable/check", payment), Pending)
        assert world.row.state is SETTLING

    run(story)


def test_an_authorization_that_ran_out_unused_expires_and_only_then_is_there_an_offer() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        chain.is_unknown = True
        world.orders = world.service(chain=chain)
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=False)
        chain.is_unknown = False
        world.facilitator.settle_says = lambda _call: said(success=False, errorReason="insufficient_funds")
        world.clock.pass_by(300 + 119)
        assert isinstance(await world.take("deliverable/check", payment), Pending)
        world.clock.pass_by(246)
        outcome = await world.take("deliverable/check", payment)
        assert isinstance(outcome, Offered)
        assert world.row.state is EXPIRED
        assert isinstance(await world.take("deliverable/check", payment), Offered)

    run(story)


def test_the_reconciler_ends_what_nobody_comes_back_for() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        chain.is_unknown = True
        world.orders = world.service(chain=chain)
        await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=True)
        assert await world.orders.reconcile() == 0
        world.clock.pass_by(246)
        assert await world.orders.reconcile() == 0
        chain.is_unknown = False
        assert await world.orders.reconcile() == 1
        assert (world.row.state, len(world.payments.booked)) == (SETTLED, 1)
        assert await world.orders.reconcile() == 0

    run(story)


def test_what_is_never_found_out_does_not_keep_the_reconciler_from_the_rest() -> None:
    """A payer can make such rows: it uses an authorization for another payment of its own."""

    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        chain.is_unknown = True
        for number in range(3):
            payment = await world.paid(nonce=f"0x{number + 9:064x}")
            world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
            world.facilitator.moves_anyway = number == 2
            assert isinstance(await world.take("dialect/check", payment), Pending)
            world.clock.pass_by(1)
        chain.is_unknown = False
        chain.is_known = lambda key: key in world.facilitator.moved
        world.clock.pass_by(246)
        assert [await world.orders.reconcile(limit=1) for _ in range(4)] == [0, 0, 1, 0]
        assert len(world.payments.booked) == 1

    run(story)


@pytest.mark.parametrize("fault", [StoreUnavailable("failed"), ValueError("a fault of ours")])
def test_a_payment_that_fails_each_time_does_not_keep_the_reconciler_from_the_rest(fault: Exception) -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        chain.is_unknown = True
        for number in range(3):
            payment = await world.paid(nonce=f"0x{number + 9:064x}")
            world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
            world.facilitator.moves_anyway = True
            assert isinstance(await world.take("dialect/check", payment), Pending)
            world.clock.pass_by(1)

        def is_known(nonce: str) -> bool:
            if nonce != f"0x{11:064x}":
                raise fault
            return True

        chain.is_unknown, chain.is_known = False, is_known
        world.clock.pass_by(151)
        assert [await world.orders.reconcile(limit=1) for _ in range(4)] == [0, 0, 1, 0]
        assert len(world.payments.booked) == 1
        # A store that fails is no fault to be told: it is seen where it is asked for.
        assert world.heard.count("order.failed") == (0 if isinstance(fault, StoreUnavailable) else 3)

    run(story)


def test_an_authorization_does_not_run_out_because_our_clock_is_ahead() -> None:
    """The facilitator may still be moving it: only a block after its end shows that it never will."""

    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        now = world.clock.now
        chain.time = lambda: now
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=False)
        world.clock.pass_by(86_400)
        assert await world.orders.reconcile() == 0
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        assert isinstance(await world.take("deliverable/check", payment), Pending)
        now = world.row.valid_before + timedelta(seconds=120)
        world.clock.pass_by(86_400)
        assert await world.orders.reconcile() == 0
        now += timedelta(seconds=1)
        assert await world.orders.reconcile() == 1
        assert world.row.state is EXPIRED

    run(story)


def test_the_reconciler_leaves_an_unused_authorization_until_it_ran_out() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=False)
        world.clock.pass_by(246)
        assert await world.orders.reconcile() == 0
        assert world.row.state is SETTLING
        world.clock.pass_by(300)
        assert await world.orders.reconcile() == 1
        assert world.row.state is EXPIRED

    run(story)


@pytest.mark.parametrize("after", [1_000_000, 60])
@pytest.mark.parametrize("stopped_at", ["keep", "begin_settling"])
def test_the_reconciler_lets_go_of_work_whose_worker_is_gone(stopped_at: str, after: int) -> None:
    async def story(world: World) -> None:
        payment = await world.paid("deliverable/check")
        world.payments.fails = lambda change: change == stopped_at
        await world.take("deliverable/check", payment)
        world.payments.fails = lambda _change: False
        world.payments.rows[world.row.key] = replace(world.row, lease_until=world.clock())
        world.clock.pass_by(after)
        assert await world.orders.reconcile() == 1
        # Not even by the clock is it at its end: it may have been used since, and is asked about when it comes again.
        assert world.row.state is RELEASED

    run(story)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (name, change)
        for name in PAID
        for change in ("claim", "keep", "begin_settling", "settled")
        if name in KEEPING or change != "begin_settling"
    ],
)
def test_a_store_that_cannot_write_charges_nobody_twice_and_loses_nothing(name: str, change: str) -> None:
    async def story(world: World) -> None:
        payment = await world.paid(name)
        world.payments.fails = lambda tried: tried == change
        outcome = await world.take(name, payment)
        if change == "settled":
            assert isinstance(outcome, Pending)
        else:
            assert isinstance(outcome, Declined)
            assert (outcome.status, outcome.code) == (503, "store_unavailable")
            assert world.facilitator.moved == {}
        world.payments.fails = lambda _tried: False
        world.clock.pass_by(246)
        outcome = await world.take(name, payment)
        assert isinstance(outcome, Delivered)
        assert (len(world.facilitator.moved), len(world.payments.booked)) == (1, 1)

    run(story)


@pytest.mark.parametrize("nth", range(1, 8))
@pytest.mark.parametrize("name", PAID)
def test_every_single_write_may_fail_once(name: str, nth: int) -> None:
    """The n-th write of a purchase fails, for each n, until one passes untouched."""

    async def story(world: World) -> None:
        payment = await world.paid(name)
        world.payments.fails = lambda _change: len(world.payments.changes) == nth
        delivered: list[Outcome] = []
        for _ in range(4):
            outcome = await world.take(name, payment)
            delivered += [outcome] if isinstance(outcome, Delivered) else []
            assert not isinstance(outcome, Offered)
            world.clock.pass_by(246)
            await world.orders.reconcile()
        assert delivered or nth > 4
        assert len(world.payments.booked) == len(world.facilitator.moved) == 1

    run(story)


@pytest.mark.parametrize("name", KEEPING)
def test_a_stalled_worker_that_wakes_after_a_take_over_gives_the_stored_answer(name: str) -> None:
    async def story(world: World) -> None:
        payment = await world.paid(name)
        world.facilitator.hold = asyncio.Event()
        stalled = asyncio.create_task(world.take(name, payment))
        await world.facilitator.entered.wait()
        world.clock.pass_by(246)
        other = world.service(chain=Chain(world))
        taken = await other.take(world.order(name, payment))
        assert isinstance(taken, Delivered)
        world.facilitator.hold.set()
        woken = await stalled
        assert isinstance(woken, Delivered)
        assert woken.body == taken.body
        assert (len(world.facilitator.moved), len(world.payments.booked)) == (1, 1)

    run(story)


@pytest.mark.parametrize(
    ("name", "state"), [*((name, CLAIMED) for name in PAID), *((name, STORED) for name in KEEPING)]
)
def test_a_retry_begins_anew_where_the_worker_died_before_it_settled(name: str, state: PaymentState) -> None:
    async def story(world: World) -> None:
        payment = await world.paid(name)
        world.payments.fails = lambda change: change == ("keep" if state is CLAIMED else "begin_settling")
        await world.take(name, payment)
        world.payments.fails = lambda _change: False
        assert world.row.state is state
        assert isinstance(await world.take(name, payment), Pending)
        world.clock.pass_by(246)
        # The authorization lives 300 seconds and outlasts the retry.
        assert isinstance(await world.take(name, payment), Delivered)
        assert (world.row.fence, len(world.payments.booked)) == (3, 1)

    run(story)


@pytest.mark.parametrize("hash_differs", [False, True])
@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("state", list(PaymentState))
def test_every_state_answers_a_retry_as_the_table_says(
    state: PaymentState, is_late: bool, hash_differs: bool
) -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy("deliverable/check")
        lease = world.clock() if is_late else world.clock.now.replace(year=2027)
        world.payments.rows[world.row.key] = replace(
            world.row,
            state=state,
            lease_until=lease,
            settled_at=world.row.settled_at if state is SETTLED else None,
            transaction=world.row.transaction if state is SETTLED else None,
        )
        if state is not SETTLED:
            world.facilitator.moved.clear()
            world.payments.booked.clear()
        world.payments.entries[world.row.key] = Entry()
        if hash_differs:
            payment["payload"]["signature"] = "0x" + "cd" * 65
        outcome = await world.take("deliverable/check", payment)
        if hash_differs and state in (CLAIMED, STORED, SETTLING, SETTLED, UNRESOLVED):
            assert isinstance(outcome, Declined)
            assert (outcome.status, outcome.code) == (409, "payment_already_claimed")
        else:
            assert isinstance(outcome, EXPECTED[state][is_late])
        assert len(world.facilitator.moved) <= 1

    run(story)


EXPECTED: dict[PaymentState, tuple[type[Outcome], type[Outcome]]] = {
    CLAIMED: (Pending, Delivered),
    STORED: (Pending, Delivered),
    SETTLING: (Pending, Delivered),
    SETTLED: (Delivered, Delivered),
    RELEASED: (Delivered, Delivered),
    EXPIRED: (Offered, Offered),
    UNRESOLVED: (Pending, Pending),
}
