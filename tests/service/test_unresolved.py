"""Payments of which nobody can tell whether they moved: they lock nobody out, and end with the operator."""

import asyncio
from typing import Any

import pytest

from assay402.core.errors import TheirError
from assay402.service.order import Declined, Delivered, Offered, Pending
from assay402.service.ports import PaymentState
from assay402.service.resolving import resolve
from service.facilitator_server import Reply
from service.test_doubt import UNKNOWN, Chain
from service.world import SOLANA, World, run, solana_transaction

HASH = "0x" + "ab" * 32
UNRESOLVED, SETTLING = PaymentState.UNRESOLVED, PaymentState.SETTLING
NAME = "deliverable/check"


async def left_over(world: World, *, moves: bool = False) -> dict[str, Any]:
    """Pay without an outcome, and let the time of the authorization pass; the reconciler then hands it over."""
    payment = await world.paid(NAME)
    world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
    world.facilitator.moves_anyway = moves
    assert isinstance(await world.take(NAME, payment), Pending)
    world.facilitator.settle_says = lambda _call: None
    world.facilitator.moves_anyway = False
    world.clock.pass_by(300 + 121)
    assert await world.orders.reconcile() == 1
    assert world.row.state is UNRESOLVED
    return payment


def test_a_payer_is_not_locked_out_by_payments_nobody_can_tell_of() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        sent = [await world.paid() for _ in range(4)]
        for payment in sent:
            assert isinstance(await world.take(payment=payment), Pending)
        world.facilitator.settle_says = lambda _call: None
        fifth = await world.take(payment=await world.paid())
        assert isinstance(fifth, Declined)
        assert fifth.code == "too_many_unsettled"
        world.clock.pass_by(300 + 119)
        assert await world.orders.reconcile() == 0
        world.clock.pass_by(2)
        assert await world.orders.reconcile() == 4
        assert len(await world.payments.unresolved(9)) == 4
        assert isinstance(await world.take(payment=await world.paid()), Delivered)
        # Maybe paid for: no offer, and not settled a second time.
        calls = len(world.facilitator.calls)
        for payment in sent:
            outcome = await world.take(payment=payment)
            assert isinstance(outcome, Pending)
            assert outcome.retry_after_seconds == 600
        assert len(world.facilitator.calls) == calls

    run(story)


def test_a_retry_hands_over_as_the_reconciler_does() -> None:
    async def story(world: World) -> None:
        payment = await world.paid(NAME)
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        assert isinstance(await world.take(NAME, payment), Pending)
        world.clock.pass_by(300 + 121)
        outcome = await world.take(NAME, payment)
        assert isinstance(outcome, Pending)
        assert (outcome.retry_after_seconds, world.row.state) == (600, UNRESOLVED)

    run(story)


def test_on_solana_too() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        payment = await world.paid(network=SOLANA)
        payment["payload"] = {"transaction": solana_transaction()}
        assert isinstance(await world.take(payment=payment), Pending)
        world.clock.pass_by(180 + 121)
        assert await world.orders.reconcile() == 1
        assert world.row.state is UNRESOLVED

    run(story)


@pytest.mark.parametrize("is_known_by_then", [False, True])
def test_with_a_node_that_does_not_answer_it_takes_a_day(is_known_by_then: bool) -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        chain.is_unknown = True
        world.orders = world.service(chain=chain)
        payment = await world.paid(NAME)
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(NAME, payment), Pending)
        world.clock.pass_by(86_000)
        assert await world.orders.reconcile() == 0
        world.clock.pass_by(401)
        chain.is_unknown = not is_known_by_then
        assert await world.orders.reconcile() == 1
        assert world.row.state is (PaymentState.SETTLED if is_known_by_then else UNRESOLVED)
        # A node that is back tells whoever asks again.
        chain.is_unknown = False
        assert isinstance(await world.take(NAME, payment), Delivered)
        assert len(world.payments.booked) == 1

    run(story)


def test_an_authorization_without_an_end_does_not_stay_in_doubt_without_an_end() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        payment = await world.paid(NAME, lives=10**9)
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        assert isinstance(await world.take(NAME, payment), Pending)
        world.clock.pass_by(86_000)
        assert await world.orders.reconcile() == 0
        world.clock.pass_by(401)
        assert await world.orders.reconcile() == 1
        assert world.row.state is UNRESOLVED
        assert isinstance(await world.take(NAME, payment), Pending)

    run(story)


def test_a_worker_that_wakes_after_the_row_was_handed_over_still_delivers() -> None:
    async def story(world: World) -> None:
        payment = await world.paid(NAME)
        world.facilitator.hold = asyncio.Event()
        stalled = asyncio.create_task(world.take(NAME, payment))
        await world.facilitator.entered.wait()
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 1
        assert world.row.state is UNRESOLVED
        world.facilitator.hold.set()
        assert isinstance(await stalled, Delivered)
        assert (world.row.state, len(world.payments.booked)) == (PaymentState.SETTLED, 1)

    run(story)


def test_a_fresh_authorization_under_the_name_of_an_unresolved_payment_waits() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        key = {"idempotency_key": "idem_0123456789abcdef"}
        assert isinstance(await world.take(NAME, await world.paid(NAME), **key), Pending)
        world.facilitator.settle_says = lambda _call: None
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 1
        assert isinstance(await world.take(NAME, await world.paid(NAME), **key), Pending)
        assert world.facilitator.moved == {}

    run(story)


def test_the_operator_says_that_it_moved_and_the_client_gets_its_answer() -> None:
    async def story(world: World) -> None:
        payment = await left_over(world, moves=True)
        key = world.row.key
        for wrong in ("pending", "0xabc", "5" * 87):
            with pytest.raises(TheirError, match="transaction_invalid"):
                await resolve(world.payments, key, wrong, world.clock(), house=False)
        await resolve(world.payments, key, HASH, world.clock(), house=True)
        (booked,) = world.payments.booked
        assert (booked.settled.transaction, booked.settled.amount, booked.house) == (HASH, 40_000, True)
        outcome = await world.take(NAME, payment)
        assert isinstance(outcome, Delivered)
        assert outcome.settlement is not None
        assert outcome.settlement["transaction"] == HASH
        with pytest.raises(TheirError, match="payment_not_in_doubt"):
            await resolve(world.payments, key, HASH, world.clock(), house=False)

    run(story)


@pytest.mark.parametrize(("waits", "is_answered"), [(600.2, True), (1_199, True), (1_201, False)])
def test_who_waited_as_long_as_it_was_told_gets_its_answer(waits: float, is_answered: bool) -> None:
    """A past defect: ten minutes were told, and ten minutes after it was resolved nothing was served any more."""

    async def story(world: World) -> None:
        name = "dialect/check"
        payment = await world.paid(name)
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(name, payment), Pending)
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 1
        told = await world.take(name, payment)
        assert isinstance(told, Pending)
        assert told.retry_after_seconds == 600
        await resolve(world.payments, world.row.key, HASH, world.clock(), house=False)
        world.clock.pass_by(waits)
        outcome = await world.take(name, payment)
        assert isinstance(outcome, Delivered if is_answered else Declined)
        assert world.row.reruns == is_answered

    run(story)


def test_the_operator_says_that_it_did_not_move_and_the_client_is_offered_to_pay() -> None:
    async def story(world: World) -> None:
        payment = await left_over(world)
        await resolve(world.payments, world.row.key, None, world.clock(), house=False)
        assert (world.row.state, world.payments.booked) == (PaymentState.EXPIRED, [])
        assert isinstance(await world.take(NAME, payment), Offered)

    run(story)


def test_the_operator_settles_no_two_payments_with_one_transfer() -> None:
    async def story(world: World) -> None:
        for _ in range(2):
            await world.take(NAME, await in_doubt(world))
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 2
        first, second = world.payments.rows
        await resolve(world.payments, first, HASH, world.clock(), house=False, log_index=3)
        for taken in (3, None):
            with pytest.raises(TheirError, match="transaction_counted"):
                await resolve(world.payments, second, HASH, world.clock(), house=False, log_index=taken)
        # What was refused can be said otherwise at once.
        await resolve(
            world.payments, second, HASH.upper().replace("X", "x"), world.clock(), house=False, log_index=5
        )
        assert [each.settled.log_index for each in world.payments.booked] == [3, 5]

    run(story)


def test_the_operator_names_a_transfer_beside_one_that_was_counted_without_a_place() -> None:
    """A past defect: the place of the very transfer that was counted was taken for another one."""

    async def story(world: World) -> None:
        for _ in range(2):
            await world.take(NAME, await in_doubt(world))
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 2
        first, second = world.payments.rows
        await resolve(world.payments, first, HASH, world.clock(), house=False)
        with pytest.raises(TheirError, match="transaction_counted"):
            await resolve(world.payments, second, HASH, world.clock(), house=False, log_index=8)
        with pytest.raises(TheirError, match="payment_not_in_doubt"):
            await resolve(world.payments, first, "0x" + "cd" * 32, world.clock(), house=False, log_index=8)
        await resolve(world.payments, first, HASH.lower(), world.clock(), house=False, log_index=8)
        for taken in (8, None):
            with pytest.raises(TheirError, match="transaction_counted"):
                await resolve(world.payments, second, HASH, world.clock(), house=False, log_index=taken)
        with pytest.raises(TheirError, match="transaction_counted"):
            await resolve(world.payments, first, HASH, world.clock(), house=False, log_index=9)
        await resolve(world.payments, second, HASH, world.clock(), house=False, log_index=9)
        assert [each.settled.log_index for each in world.payments.booked] == [8, 9]

    run(story)


async def in_doubt(world: World) -> dict[str, Any]:
    """Make a payment whose settlement has no outcome."""
    payment = await world.paid(NAME)
    world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
    return payment


def test_the_operator_ends_nothing_that_is_known_or_under_way_or_can_still_move() -> None:
    async def story(world: World) -> None:
        with pytest.raises(TheirError, match="payment_unknown"):
            await resolve(world.payments, "no such key", None, world.clock(), house=False)
        payment = await world.paid(NAME)
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        await world.take(NAME, payment)
        key = world.row.key
        with pytest.raises(TheirError, match="payment_usable"):
            await resolve(world.payments, key, None, world.clock(), house=False)
        # Its worker has it.
        with pytest.raises(TheirError, match="payment_not_in_doubt"):
            await resolve(world.payments, key, HASH, world.clock(), house=False)
        assert world.row.state is SETTLING

    run(story)
