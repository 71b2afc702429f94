"""What is believed about money, and for how long: one transfer for one answer, nobody's fault but one's own, the truth about waiting."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.strictjson import JSON
from assay402.net.chain import EVMLookup
from assay402.net.facilitator import Patience
from assay402.service.order import Declined, Delivered, Offered, Outcome, Pending
from assay402.service.ports import NotMoved, PaymentRow, PaymentState, Refused, Settled, Unknown, Verified
from assay402.service.timing import LOOK_SECONDS, PAUSE_SECONDS, SETTLE_SECONDS, STORE_SECONDS, Timing
from service.facilitator_server import Reply, said
from service.memory import MemoryPayments
from service.test_doubt import UNKNOWN, Chain
from service.test_refusals import BEFORE, let_go
from service.world import BASE, BOB, PAID, SETTINGS, Clock, World, run

HASH = "0x" + "aB" * 32
ONE_HASH = said(success=True, transaction=HASH, network=BASE)


class Batch(Chain):
    """A chain on which one transaction moved everything that was moved."""

    async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        """Look into what was moved, each in a place of its own."""
        found = await super().find(key, requirements)
        if not isinstance(found, Settled):
            return found
        place = [*self.world.facilitator.moved].index(key.rsplit(" ", maxsplit=1)[-1])
        return replace(found, transaction=HASH.lower(), log_index=2 * place + 1)


@pytest.mark.parametrize("has_chain", [False, True])
def test_one_transaction_that_a_facilitator_names_twice_settles_one_payment(has_chain: bool) -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Chain(world) if has_chain else None)
        world.facilitator.settle_says = lambda _call: ONE_HASH
        assert isinstance(await world.take(payment=await world.paid()), Delivered)
        second = await world.paid()
        for _ in range(3):
            assert isinstance(await world.take(payment=second), Pending)
            world.clock.pass_by(11)
            assert await world.orders.reconcile() == 0
        assert len(world.payments.booked) == 1
        # Its time is over: with a node nothing moved, without one the operator finds out.
        world.clock.pass_by(300 + 121)
        assert await world.orders.reconcile() == 1
        states = {row.state for row in world.payments.rows.values()}
        ended = PaymentState.EXPIRED if has_chain else PaymentState.UNRESOLVED
        assert states == {PaymentState.SETTLED, ended}

    run(story)


def test_of_a_batch_each_payment_is_settled_by_its_own_transfer() -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Batch(world))
        world.facilitator.settle_says = lambda _call: ONE_HASH
        world.facilitator.moves_anyway = True
        for _ in range(3):
            assert isinstance(await world.take(payment=await world.paid()), Delivered)
        # The first was settled on the facilitator's word; when the second came, its place was looked up.
        assert [each.settled.log_index for each in world.payments.booked] == [1, 3, 5]

    run(story)


def test_one_transfer_does_not_settle_two_payments_under_two_names() -> None:
    """A past defect: the facilitator named for a payment that did not move the transaction of one that did."""

    async def story(world: World) -> None:
        world.orders = world.service(chain=Batch(world))
        world.facilitator.settle_says = lambda _call: ONE_HASH
        assert isinstance(await world.take(payment=await world.paid()), Delivered)
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(payment=await world.paid()), Pending)
        assert len(world.payments.booked) == len(world.facilitator.moved) == 1

    run(story)


def test_a_chain_that_shows_one_transfer_for_two_payments_settles_one() -> None:
    """Nothing but a fault of a node does that, and then too nobody is served twice."""

    class Odd(Batch):
        async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
            found = await super().find(key, requirements)
            return replace(found, log_index=1) if isinstance(found, Settled) else found

    async def story(world: World) -> None:
        world.orders = world.service(chain=Odd(world))
        world.facilitator.settle_says = lambda _call: UNKNOWN["500"]
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(payment=await world.paid()), Delivered)
        second = await world.paid()
        assert isinstance(await world.take(payment=second), Pending)
        world.clock.pass_by(11)
        assert await world.orders.reconcile() == 0
        assert isinstance(await world.take(payment=second), Pending)
        assert len(world.payments.booked) == 1
        world.clock.pass_by(86_401)
        assert await world.orders.reconcile() == 1
        assert PaymentState.UNRESOLVED in {row.state for row in world.payments.rows.values()}

    run(story)


def test_a_place_in_another_transaction_is_not_taken_for_one_in_this() -> None:
    """The facilitator named for the first payment a transaction in which it did not move: its own is another."""

    class Elsewhere(Batch):
        async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
            found = await super().find(key, requirements)
            if isinstance(found, Settled) and found.log_index == 1:
                return replace(found, transaction="0x" + "ee" * 32)
            return found

    async def story(world: World) -> None:
        world.orders = world.service(chain=Elsewhere(world))
        world.facilitator.settle_says = lambda _call: ONE_HASH
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take(payment=await world.paid()), Delivered)
        assert isinstance(await world.take(payment=await world.paid()), Pending)
        assert [each.settled.log_index for each in world.payments.booked] == [None]

    run(story)


async def again(world: World, name: str, payment: dict[str, Any], how: str) -> Outcome:
    order = world.order(name, payment)
    if how == "at another price":
        order = replace(order, resource=replace(order.resource, price=order.resource.price * 2))
    return await world.orders.take(order)


AGAIN = ("near its end", "past its end", "at another price", "to another recipient")


def later(world: World, how: str, chain: Chain | None) -> None:
    """Let the world move on, so that a payment is for no offer of ours any more."""
    world.orders = world.service(chain=chain)
    if how == "near its end":
        world.clock.pass_by(300 - 44)
    elif how == "past its end":
        world.clock.pass_by(301)
    elif how == "to another recipient":
        world.orders = world.service(
            settings=replace(SETTINGS, pay_to=(("eip155:*", BOB), *SETTINGS.pay_to[1:])), chain=chain
        )


@pytest.mark.parametrize("how", AGAIN)
@pytest.mark.parametrize("has_chain", [False, True])
@pytest.mark.parametrize("name", PAID)
def test_a_payment_that_was_let_go_and_moved_gets_no_offer_though_it_is_for_none_of_ours_any_more(
    name: str, has_chain: bool, how: str
) -> None:
    async def story(world: World) -> None:
        payment = await let_go(world, name)
        later(world, how, Chain(world) if has_chain else None)
        outcome = await again(world, name, payment, how)
        assert isinstance(outcome, Delivered if has_chain else Pending)
        assert len(world.payments.booked) == has_chain
        if has_chain:
            # For what was agreed then.
            assert world.payments.booked[0].settled.amount == int(payment["accepted"]["amount"])

    run(story)


@pytest.mark.parametrize("how", AGAIN)
def test_the_facilitator_is_asked_about_what_a_payment_agreed_to_when_it_was_let_go(how: str) -> None:
    async def story(world: World) -> None:
        payment = await let_go(world, "deliverable/check")
        later(world, how, None)
        asked = len(world.facilitator.bodies)
        assert isinstance(await again(world, "deliverable/check", payment, how), Pending)
        requirements = world.facilitator.bodies[asked]["paymentRequirements"]
        for member in ("amount", "payTo", "asset", "network"):
            assert requirements[member] == payment["accepted"][member]

    run(story)


@pytest.mark.parametrize("how", AGAIN)
def test_of_a_payment_that_was_let_go_and_of_which_nobody_can_tell_now_there_is_no_offer(how: str) -> None:
    async def story(world: World) -> None:
        payment = await let_go(world, "deliverable/check")
        chain = Chain(world)
        chain.is_unknown = True
        later(world, how, chain)
        # A facilitator that says something else of it first, as one that looks at the time or at the balance does.
        world.facilitator.verify_says = lambda _call: said(
            isValid=False, invalidReason="invalid_exact_evm_insufficient_balance"
        )
        assert isinstance(await again(world, "deliverable/check", payment, how), Pending)
        chain.is_unknown = False
        assert isinstance(await again(world, "deliverable/check", payment, how), Delivered)

    run(story)


@pytest.mark.parametrize("has_chain", [False, True])
def test_a_payment_that_was_let_go_and_did_not_move_is_offered_anew(has_chain: bool) -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        world.facilitator.settle_says = lambda _call: BEFORE
        assert isinstance(await world.take(payment=payment), Offered)
        later(world, "at another price", Chain(world) if has_chain else None)
        outcome = await again(world, "dialect/check", payment, "at another price")
        assert isinstance(outcome, Offered)
        assert json.loads(outcome.payment_required)["error"] == "no_matching_requirements"
        world.facilitator.verify_says = lambda _call: Reply(500, b"")
        outcome = await again(world, "dialect/check", payment, "at another price")
        assert isinstance(outcome, Declined)
        assert outcome.code == "facilitator_unavailable"

    run(story)


def test_a_quote_that_ran_out_does_not_hide_that_its_payment_moved() -> None:
    async def story(world: World) -> None:
        payment = await world.paid("deliverable/check", lives=10_000)
        world.facilitator.settle_says = lambda _call: BEFORE
        world.facilitator.moves_anyway = True
        assert isinstance(await world.take("deliverable/check", payment), Offered)
        world.clock.pass_by(5_000)
        world.orders = world.service(chain=Chain(world))
        assert isinstance(await world.take("deliverable/check", payment), Delivered)

    run(story)


def test_a_worker_that_dies_over_a_payment_that_moved_leaves_it_to_be_found_out_about() -> None:
    """Its time is over by our clock when it comes again, and that alone is no reason for an offer."""

    async def story(world: World) -> None:
        payment = await let_go(world, "deliverable/check")
        world.orders = world.service(chain=Chain(world))
        world.payments.fails = lambda change: change == "keep"
        assert isinstance(await world.take("deliverable/check", payment), Declined)
        world.payments.fails = lambda _change: False
        world.clock.pass_by(100_000)
        assert await world.orders.reconcile() == 1
        assert isinstance(await world.take("deliverable/check", payment), Delivered)
        assert len(world.payments.booked) == 1

    run(story)


def test_a_payment_the_facilitator_chokes_on_does_not_close_the_service_to_others() -> None:
    async def story(world: World) -> None:
        assert isinstance(await world.take(), Offered)
        world.facilitator.verify_says = lambda _call: Reply(500, b"")
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        for _ in range(5):
            bad = await world.take(payment=await world.paid())
            assert isinstance(bad, Declined)
            assert bad.code == "facilitator_unavailable"
            assert isinstance(await world.take(), Offered)
        world.facilitator.verify_says = lambda _call: None
        assert isinstance(await world.take(payment=await world.paid()), Pending)
        assert isinstance(await world.take(), Offered)

    run(story, patience=Patience(pending_pause_seconds=0, apart_seconds=60))


async def unwritten(world: World, name: str = "deliverable/check") -> dict[str, Any]:
    """Pay while the store takes no settlement."""
    payment = await world.paid(name)
    world.payments.fails = lambda change: change == "settled"
    outcome = await world.take(name, payment)
    assert isinstance(outcome, Pending)
    assert outcome.retry_after_seconds == 2
    return payment


@pytest.mark.parametrize("name", PAID)
def test_a_settlement_the_store_could_not_take_is_written_when_its_client_asks_again(name: str) -> None:
    async def story(world: World) -> None:
        payment = await unwritten(world, name)
        world.clock.pass_by(2)
        assert isinstance(await world.take(name, payment), Pending)
        tried = world.payments.changes.count("settled")
        # Not again before its pause is over.
        assert isinstance(await world.take(name, payment), Pending)
        assert world.payments.changes.count("settled") == tried == 2
        world.payments.fails = lambda _change: False
        world.clock.pass_by(2)
        assert isinstance(await world.take(name, payment), Delivered)
        assert (len(world.payments.booked), len(world.facilitator.moved)) == (1, 1)

    run(story)


def test_a_settlement_the_store_could_not_take_is_written_with_nobody_asking() -> None:
    async def story(world: World) -> None:
        await unwritten(world)
        world.clock.pass_by(2)
        assert await world.orders.reconcile() == 0
        world.payments.fails = lambda _change: False
        world.clock.pass_by(2)
        assert await world.orders.reconcile() == 1
        assert world.row.state is PaymentState.SETTLED
        assert await world.orders.reconcile() == 0

    run(story)


def test_a_settlement_the_store_could_not_take_is_written_before_a_service_stops() -> None:
    async def story(world: World) -> None:
        await unwritten(world)
        world.payments.fails = lambda _change: False
        world.orders.stop_admitting()
        await world.orders.drained()
        assert world.row.state is PaymentState.SETTLED

    run(story)


def test_a_store_that_takes_nothing_is_asked_for_one_of_many() -> None:
    """Each try may wait for a lock, and a service that stops must come to its end."""

    async def story(world: World) -> None:
        for _ in range(3):
            await unwritten(world)
        world.clock.pass_by(100)
        tried = world.payments.changes.count("settled")
        await world.orders.drained()
        assert world.payments.changes.count("settled") == tried + 1
        world.payments.fails = lambda _change: False
        await world.orders.drained()
        assert len(world.payments.booked) == 3

    run(story)


def test_a_held_settlement_is_written_though_another_replica_looked_at_its_row() -> None:
    """A past defect: the other one knew nothing of it and raised the fence, and at the stop it was lost."""

    async def story(world: World) -> None:
        other = world.service()
        payment = await unwritten(world)
        world.clock.pass_by(Timing().settling + 1)
        world.payments.fails = lambda _change: False
        assert await other.reconcile() == 0
        world.orders.stop_admitting()
        await world.orders.drained()
        assert (len(world.payments.booked), world.row.state) == (1, PaymentState.SETTLED)
        assert isinstance(await other.take(world.order("deliverable/check", payment)), Delivered)

    run(story)


def test_a_held_settlement_is_not_written_into_a_row_that_another_worker_has() -> None:
    async def story(world: World) -> None:
        await unwritten(world)
        row, now = world.row, world.clock
        world.clock.pass_by(Timing().settling + 1)
        world.payments.fails = lambda _change: False
        assert await world.payments.take_over(row.key, row.fence, now(), now() + timedelta(seconds=60)) == 2
        assert await world.orders.reconcile() == 0
        assert world.payments.booked == []
        # That one lets go of it, and before this one stops it is offered again.
        world.clock.pass_by(61)
        await world.orders.drained()
        assert len(world.payments.booked) == 1

    run(story)


def test_a_fault_over_a_held_settlement_does_not_end_the_reconciler() -> None:
    async def story(world: World) -> None:
        await unwritten(world)
        world.clock.pass_by(2)
        heard: list[tuple[str, str]] = []
        world.orders._tell = lambda *said: heard.append(said)  # type: ignore[misc]
        world.payments.fails = lambda _change: False
        working = world.payments.settled

        async def broken(*_: object, **__: object) -> bool:
            raise ZeroDivisionError

        world.payments.settled = broken  # type: ignore[method-assign]
        assert await world.orders.reconcile() == 0
        assert heard == [("order.failed", "")]
        assert await world.orders.reconcile() == 0
        assert len(heard) == 1
        world.clock.pass_by(2)
        world.payments.settled = working  # type: ignore[method-assign]
        assert await world.orders.reconcile() == 1

    run(story)


def test_the_fee_is_not_lost_with_a_write_that_failed() -> None:
    class Costly(Chain):
        async def fee(self, _network: str, _transaction: str) -> int | None:
            return 5_000

    async def story(world: World) -> None:
        world.orders = world.service(chain=Costly(world))
        world.payments.fails = lambda change: change == "settled"
        payment = await world.paid()
        assert isinstance(await world.take(payment=payment), Pending)
        world.payments.fails = lambda _change: False
        world.clock.pass_by(2)
        assert isinstance(await world.take(payment=payment), Delivered)
        assert [each.settled.fee_lamports for each in world.payments.booked] == [5_000]

    run(story)


def test_what_another_has_written_meanwhile_is_not_written_again() -> None:
    async def story(world: World) -> None:
        payment = await unwritten(world)
        world.payments.fails = lambda _change: False
        world.clock.pass_by(246)
        other = world.service(chain=Chain(world))
        assert isinstance(await other.take(world.order("deliverable/check", payment)), Delivered)
        tried = world.payments.changes.count("settled")
        for _ in range(3):
            assert await world.orders.reconcile() == 0
            world.clock.pass_by(100)
        assert world.payments.changes.count("settled") == tried + 1
        assert len(world.payments.booked) == 1

    run(story)


MALFORMED: dict[str, Any] = {
    "a description that is none": {"description": 5},
    "an address that is none": {"url": 5},
    "no address": {"url": None},
    "a type that is none": {"mimeType": ["x"]},
    "a name that is none": {"serviceName": {"a": 1}},
    "an icon that is none": {"iconUrl": 1},
    "tags that are none": {"tags": "x"},
    "a tag that is none": {"tags": ["x", 1]},
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_a_payment_whose_resource_no_facilitator_can_read_is_told_so(change: dict[str, Any]) -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        payment["resource"] = {**payment["resource"], **change}
        outcome = await world.take(payment=payment)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (400, "invalid_payload")
        assert world.facilitator.count("verify") == 0

    run(story)


def test_a_payment_with_all_there_can_be_of_a_resource_is_taken() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        payment["resource"] |= {"serviceName": "s", "tags": ["a"], "iconUrl": None}
        assert isinstance(await world.take(payment=payment), Delivered)

    run(story)


def test_who_asks_at_once_is_told_the_time_that_was_told_before() -> None:
    async def story(world: World) -> None:
        told = Reply(429, b"{}", ("Retry-After", "60"))
        world.facilitator.settle_says = lambda _call: told
        payment = await world.paid()
        waits = []
        for seconds in (0, 0, 45, 10):
            world.clock.pass_by(seconds)
            outcome = await world.take(payment=payment)
            assert isinstance(outcome, Pending)
            waits.append(outcome.retry_after_seconds)
        assert waits == [60, 60, 15, 5]
        # Another replica cannot know that nobody works on it, and says the shorter time; none says less than is left of long ones.
        world.facilitator.settle_says = lambda _call: Reply(429, b"{}", ("Retry-After", "600"))
        world.clock.pass_by(5)
        assert isinstance(await world.take(payment=payment), Pending)
        outcome = await world.service().take(world.order(payment=payment))
        assert isinstance(outcome, Pending)
        assert outcome.retry_after_seconds == 600

    run(story)


class Slow(Chain):
    """A node that takes as long as it may and knows nothing before it has been asked twice."""

    def __init__(self, world: World, clock: Clock) -> None:
        super().__init__(world)
        self.clock = clock

    async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        """Answer at the last moment."""
        assert key
        self.clock.pass_by(LOOK_SECONDS)
        self.looked += 1
        if self.looked < 3:
            return Unknown(retry_after_seconds=1)
        amount, asset = int(str(requirements["amount"])), str(requirements["asset"])
        return Settled(transaction=HASH, network=BASE, payer=None, amount=amount, asset=asset, log_index=1)

    async def fee(self, _network: str, _transaction: str) -> int | None:
        """Answer at the last moment."""
        self.clock.pass_by(2)
        return None


class SlowFacilitator:
    """A facilitator that takes as long as it may, says that it is pending, and names a transaction that paid for another."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.calls = 0

    async def verify(self, *_: object) -> Verified:
        """Take anything."""
        return Verified(payer="0x" + "11" * 20)

    async def settle(self, _payload: object, requirements: Mapping[str, JSON]) -> Settled | Refused | Unknown:
        """Answer at the last moment."""
        self.calls += 1
        self.clock.pass_by(2 * SETTLE_SECONDS + PAUSE_SECONDS)
        if self.calls == 1:
            return Unknown(retry_after_seconds=1)
        amount, asset = int(str(requirements["amount"])), str(requirements["asset"])
        return Settled(transaction=HASH, network=BASE, payer=None, amount=amount, asset=asset)

    async def extra(self, _network: str) -> Mapping[str, JSON]:
        """Support everything."""
        return {}

    async def is_reachable(self) -> bool:
        """Be there."""
        return True


class SlowPayments(MemoryPayments):
    """A store that takes as long as it may over each step."""

    clock: Clock

    async def take_over(self, key: str, fence: int, now: datetime, lease_until: datetime) -> int | None:
        """Answer at the last moment."""
        self.clock.pass_by(STORE_SECONDS)
        return await super().take_over(key, fence, now, lease_until)

    async def placeless(self, network: str, transaction: str) -> PaymentRow | None:
        """Answer at the last moment."""
        self.clock.pass_by(STORE_SECONDS)
        return await super().placeless(network, transaction)

    async def place(self, key: str, log_index: int) -> bool:
        """Answer at the last moment."""
        self.clock.pass_by(STORE_SECONDS)
        return await super().place(key, log_index)

    async def settled(self, key: str, fence: int, settlement: Settled, now: datetime, *, house: bool) -> bool:
        """Answer at the last moment."""
        self.clock.pass_by(STORE_SECONDS)
        return await super().settled(key, fence, settlement, now, house=house)


def test_a_lease_covers_the_longest_way_a_settlement_can_take() -> None:
    async def story(world: World) -> None:
        payments = world.payments
        assert isinstance(payments, SlowPayments)
        payments.clock = world.clock
        chain = Slow(world, world.clock)
        world.orders = world.service(chain=chain, facilitator=SlowFacilitator(world.clock))
        other = await world.paid(nonce="0x" + "0e" * 32)
        chain.looked = 2
        assert isinstance(await world.take(payment=other), Delivered)
        chain.looked = 0
        payment = await world.paid(lives=1_000)
        first = world.orders._till.facilitator  # type: ignore[union-attr]
        assert isinstance(first, SlowFacilitator)
        first.calls = 0
        begun = world.clock()
        assert isinstance(await world.take(payment=payment), Pending)
        assert world.clock() - begun <= timedelta(seconds=Timing().settling)
        row: PaymentRow = next(each for each in world.payments.rows.values() if each.settled_at is None)
        world.clock.pass_by(Timing().settling + 1)
        begun, changes = world.clock(), len(world.payments.changes)
        await world.orders.take(world.order(payment=payment))
        assert "settled" in world.payments.changes[changes:]
        took = world.clock() - begun
        assert row.fence == 1
        assert timedelta(seconds=150) < took <= timedelta(seconds=Timing().settling)

    run(story, payments=SlowPayments())


def test_the_parts_of_a_lease_are_the_times_that_are_kept() -> None:
    patience = Patience()
    assert patience.settle_ms == SETTLE_SECONDS * 1_000
    assert patience.pending_pause_seconds == PAUSE_SECONDS
    assert EVMLookup({}, fetcher=_nobody)._fee_limits.deadline_ms == 2_000
    parts = 3 * LOOK_SECONDS + 2 * SETTLE_SECONDS + PAUSE_SECONDS + 2 * 2 + 6 * STORE_SECONDS
    assert Timing().settling == parts == 245


async def _nobody(_ask: object) -> Any:
    raise AssertionError
