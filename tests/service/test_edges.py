"""What happens between the steps: races that are lost, fences that moved, stores that fail at the worst moment."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.asks import Failed
from assay402.service.order import Declined, Delivered, Offered, Pending
from assay402.service.ports import PaymentState, Settled, StoreUnavailable
from assay402.service.unwritten import MOST, Held, Unwritten
from service.facilitator_server import Reply, said
from service.test_doubt import UNKNOWN, Chain, in_doubt
from service.world import ALICE, BASE, NOON, PROBE, World, resources, run


def test_a_worker_that_ends_in_doubt_leaves_the_payment_to_the_next_retry() -> None:
    async def story(world: World) -> None:
        payment = await in_doubt(world, "claims/diagnose", UNKNOWN["500"], moves=False)
        assert isinstance(await world.take("claims/diagnose", payment), Pending)
        world.clock.pass_by(10)
        assert isinstance(await world.take("claims/diagnose", payment), Delivered)
        assert len(world.facilitator.moved) == 1

    run(story)


def test_a_client_is_told_the_facilitators_own_time() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        world.facilitator.settle_says = lambda _call: UNKNOWN["429"]
        outcome = await world.take(payment=payment)
        assert isinstance(outcome, Pending)
        assert outcome.retry_after_seconds == 31

    run(story)


def test_a_lease_that_cannot_be_given_up_runs_out() -> None:
    async def story(world: World) -> None:
        world.payments.fails = lambda change: change == "leave"
        payment = await in_doubt(world, "claims/diagnose", UNKNOWN["500"], moves=False)
        world.clock.pass_by(100)
        assert isinstance(await world.take("claims/diagnose", payment), Pending)
        world.clock.pass_by(146)
        assert isinstance(await world.take("claims/diagnose", payment), Delivered)

    run(story)


def test_a_settlement_whose_refusal_cannot_be_written_is_in_doubt() -> None:
    async def story(world: World) -> None:
        world.payments.fails = lambda change: change == "release"
        world.facilitator.settle_says = lambda _call: said(success=False, errorReason="insufficient_funds")
        payment = await world.paid()
        assert isinstance(await world.take(payment=payment), Pending)
        assert world.row.state is PaymentState.SETTLING

    run(story)


def test_a_doubt_that_cannot_be_written_about_stays() -> None:
    async def story(world: World) -> None:
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=True)
        world.clock.pass_by(246)
        world.payments.fails = lambda change: change == "take_over"
        assert isinstance(await world.take("deliverable/check", payment), Pending)
        assert await world.orders.reconcile() == 0

    run(story)


def test_of_two_that_take_over_at_once_one_does() -> None:
    async def story(world: World) -> None:
        payment = await in_doubt(world, "deliverable/check", UNKNOWN["500"], moves=False)
        world.clock.pass_by(246)
        outcomes = await asyncio.gather(*(world.take("deliverable/check", payment) for _ in range(8)))
        assert any(isinstance(outcome, Delivered) for outcome in outcomes)
        assert {type(outcome) for outcome in outcomes} <= {Delivered, Pending}
        assert (len(world.facilitator.moved), len(world.payments.booked)) == (1, 1)

    run(story)


def test_of_many_that_start_over_at_once_one_does() -> None:
    async def story(world: World) -> None:
        payment = await world.paid("deliverable/check")
        world.payments.fails = lambda change: change == "keep"
        await world.take("deliverable/check", payment)
        world.payments.fails = lambda _change: False
        world.clock.pass_by(246)
        outcomes = await asyncio.gather(*(world.take("deliverable/check", payment) for _ in range(8)))
        assert any(isinstance(outcome, Delivered) for outcome in outcomes)
        assert (len(world.facilitator.moved), len(world.payments.booked)) == (1, 1)

    run(story)


def test_a_worker_that_was_outrun_while_it_worked_gives_what_the_other_stored() -> None:
    async def story(world: World) -> None:
        first_works, other_is_done = asyncio.Event(), asyncio.Event()
        calls: list[str] = []

        async def fetch(ask: Any) -> Failed:
            calls.append(ask.url)
            if len(calls) == 1:
                first_works.set()
                await other_is_done.wait()
            return Failed(state="unreachable", detail="refused")

        world.fetch = fetch  # type: ignore[method-assign]
        world.orders = world.service()
        payment = await world.paid(request=PROBE, lives=3_000)
        stalled = asyncio.create_task(world.take(payment=payment, request=PROBE))
        await first_works.wait()
        world.clock.pass_by(246)
        assert isinstance(await world.take(payment=payment, request=PROBE), Delivered)
        other_is_done.set()
        woken = await stalled
        assert isinstance(woken, Delivered)
        assert (len(world.facilitator.moved), len(world.payments.booked), len(calls)) == (1, 1, 3)

    run(story)


def test_a_refusal_found_by_a_worker_that_was_outrun_is_not_given() -> None:
    async def story(world: World) -> None:
        first_works, other_is_done = asyncio.Event(), asyncio.Event()
        calls: list[str] = []

        async def fetch(ask: Any) -> Failed:
            calls.append(ask.url)
            if len(calls) > 1:
                return Failed(state="unreachable", detail="refused")
            first_works.set()
            await other_is_done.wait()
            return Failed(state="addr_private")

        world.fetch = fetch  # type: ignore[method-assign]
        world.orders = world.service()
        payment = await world.paid(request=PROBE, lives=3_000)
        stalled = asyncio.create_task(world.take(payment=payment, request=PROBE))
        await first_works.wait()
        world.clock.pass_by(246)
        assert isinstance(await world.take(payment=payment, request=PROBE), Delivered)
        other_is_done.set()
        assert isinstance(await stalled, Delivered)
        assert len(world.payments.booked) == 1

    run(story)


def test_a_row_that_never_stands_still_ends_in_a_wait() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        await world.take(payment=payment)
        world.payments.rows[world.row.key] = replace(
            world.row, state=PaymentState.CLAIMED, lease_until=world.clock()
        )

        async def never(*_arguments: Any) -> None:
            return None

        payments: Any = world.payments
        payments.take_over = never
        assert isinstance(await world.take(payment=payment), Pending)

    run(story)


def test_under_an_id_a_doubt_of_the_first_payment_is_looked_up_by_the_second() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        chain.is_unknown = True
        world.orders = world.service(chain=chain)
        name, mine = "deliverable/check", "pay_0123456789abcdef"
        payment = await world.paid(name, payment_id=mine)
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(name, payment), Pending)
        world.clock.pass_by(246)
        fresh = await world.paid(name, payment_id=mine)
        assert isinstance(await world.take(name, fresh), Pending)
        chain.is_unknown = False
        world.clock.pass_by(246)
        outcome = await world.take(name, await world.paid(name, payment_id=mine))
        assert isinstance(outcome, Delivered)
        assert (outcome.is_replay, len(world.facilitator.moved)) == (True, 1)

    run(story)


def test_settlements_that_cannot_be_written_are_remembered_within_bounds() -> None:
    held = Unwritten()
    settled = Settled(transaction="0x1", network=BASE, payer=ALICE, amount=1, asset="0x2")
    for number in range(MOST + 5):
        held.hold(Held(key=f"key {number}", fence=1, payer=ALICE, settled=settled))
    assert held.settled("key 4") is None
    assert held.settled("key 5") == settled
    # Nobody offers the store what is being written, nor what another has by now.
    assert held.due(NOON) == ()
    held.put_off("key 5", NOON)
    held.put_off("key 6", NOON)
    held.put_off("nobody's", NOON)
    held.give_up("key 6")
    held.give_up("nobody's")
    assert held.due(NOON + timedelta(seconds=0.9)) == ()
    assert [each.key for each in held.due(NOON + timedelta(seconds=1))] == ["key 5"]
    assert held.settled("key 6") == settled
    pauses = []
    for _ in range(9):
        held.put_off("key 5", NOON)
        (each,) = held.due(NOON + timedelta(days=1), "key 5")
        pauses.append((each.next_at - NOON).total_seconds())
    assert pauses == [2, 4, 8, 16, 32, 60, 60, 60, 60]
    held.forget("key 5")
    assert held.due(NOON + timedelta(days=1), "key 5") == ()


@pytest.mark.parametrize("name", ["listing/check", "terms/extract", "terms/verify"])
def test_rooms_of_ours_can_be_sold_too(name: str) -> None:
    async def story(world: World) -> None:
        sold = tuple(replace(each, price=5_000) for each in resources())
        resource = next(each for each in sold if each.name == name)
        world.orders = world.service(resources=sold)
        request = {
            "listing/check": {"url": "https://pay.shop.dev/"},
            "terms/extract": {"doc": {"x402Version": 2, "accepts": []}},
            "terms/verify": {"url": "https://pay.shop.dev/"},
        }[name]
        order = replace(world.order(), resource=resource, request=json.dumps(request).encode())
        offered = await world.orders.take(order)
        assert isinstance(offered, Offered)
        payment = world.payment(json.loads(offered.payment_required), lives=2_000)
        outcome = await world.orders.take(replace(order, payment=payment))
        assert isinstance(outcome, Delivered), outcome
        (booked,) = world.payments.booked
        assert (booked.operation, booked.settled.amount) == (name, 5_000)
        assert booked.entry.program is not None
        assert booked.entry.verdict is not None

    run(story)


def test_a_receipt_of_a_store_that_is_gone_is_503() -> None:
    async def story(world: World) -> None:
        async def gone(_answer_id: str) -> None:
            raise StoreUnavailable

        payments: Any = world.payments
        payments.answer_by_id = gone
        outcome = await world.orders.receipt("x")
        assert isinstance(outcome, Declined)
        assert outcome.status == 503
        assert isinstance(await world.take(), Offered)
        world.orders.stop_admitting()
        declined = await world.take()
        assert isinstance(declined, Declined)
        assert (declined.status, declined.code) == (503, "not_admitting")

    run(story)


def test_a_fault_of_ours_in_a_paid_order_is_told_and_raised() -> None:
    async def story(world: World) -> None:
        async def broken(_key: str) -> None:
            raise RuntimeError

        payment = await world.paid()
        payments: Any = world.payments
        payments.find = broken
        with pytest.raises(RuntimeError):
            await world.take(payment=payment)
        await asyncio.sleep(0)
        assert "order.failed" in world.heard

    run(story)


def test_a_rerun_whose_work_fails_is_422() -> None:
    async def story(world: World) -> None:
        payment = await world.paid(request=PROBE)
        assert isinstance(await world.take(payment=payment, request=PROBE), Delivered)

        def broken(_ask: Any) -> Any:
            raise RuntimeError

        world.fetch_says = broken
        outcome = await world.take(payment=payment, request=PROBE)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (422, "not_produced")

    run(story)


def test_an_expired_payment_with_a_request_that_is_refused_sees_the_refusal() -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy()
        world.payments.rows[world.row.key] = replace(world.row, state=PaymentState.EXPIRED)
        outcome = await world.take(payment=payment, request=b"{")
        assert isinstance(outcome, Declined)
        assert outcome.code == "not_json"

    run(story)
