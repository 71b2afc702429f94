"""Orders nobody pays for: a service on a laptop, operations without a price, and the allowance of the pre-check."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.asks import Failed
from assay402.service.order import Declined, Delivered, Offered, UnreadablePayment
from assay402.service.orders import TIDIED_AT_ONCE
from assay402.service.ports import StoreUnavailable
from assay402.service.review import Tripwire, review
from assay402.service.settings import Settings
from assay402.service.work import INLINE_BYTES
from assay402.store.opening import Store, open_store
from service.memory import MemoryFreeTier
from service.test_attacks import OTHER
from service.world import ALICE, CLAIMS, KEEPING, NOON, PAID, PROBE, RESOURCES, World, run, world

LOCAL = Settings()


def precheck(caller: str | None = None) -> bytes:
    named = {} if caller is None else {"caller": caller}
    return json.dumps({"mode": "probe", "url": "https://pay.shop.dev/", **named}).encode()


async def asked(world: World, caller: str | None = None, address: str = "198.51.100.7") -> Any:
    return await world.take("dialect/precheck", request=precheck(caller), client_address=address)


def test_with_payments_off_every_answer_is_free_and_signed() -> None:
    async def story(world: World) -> None:
        for name in PAID:
            outcome = await world.take(name)
            assert isinstance(outcome, Delivered)
            assert (outcome.settlement, outcome.is_replay) == (None, False)
            assert outcome.headers[0] == ("Assay-Signature", f"signed {len(outcome.body)}")
        assert world.facilitator.calls == []
        for payment in (UnreadablePayment(code="invalid_payload"), {"x402Version": 1}):
            order = replace(world.order(), payment=payment)
            assert isinstance(await world.orders.take(order), Delivered)
        assert await world.orders.reconcile() == 0
        assert await world.orders.offer(RESOURCES["dialect/check"]) is None

    run(story, settings=LOCAL)


def test_a_receipt_of_an_unpaid_answer_is_given_by_its_id() -> None:
    async def story(world: World) -> None:
        outcome = await world.take("claims/diagnose")
        assert isinstance(outcome, Delivered)
        answer = json.loads(outcome.body)
        assert answer["receipt"]["payment_status"] == "PILOT_KEY_NO_PAYMENT"
        given = await world.orders.receipt(answer["request_id"])
        assert isinstance(given, Delivered)
        assert given.body == outcome.body

    run(story, settings=LOCAL)


@pytest.mark.parametrize("name", KEEPING)
def test_an_idempotency_key_gives_the_same_answer_for_the_same_request(name: str) -> None:
    async def story(world: World) -> None:
        first = await world.take(name, idempotency_key="key-12345678")
        again = await world.take(name, idempotency_key="key-12345678")
        assert isinstance(first, Delivered)
        assert isinstance(again, Delivered)
        assert (again.body, again.is_replay) == (first.body, True)
        conflict = Declined(status=409, code="idempotency_key_conflict")
        assert await world.take(name, request=OTHER[name], idempotency_key="key-12345678") == conflict
        assert await world.take(name, idempotency_key="bad") == Declined(
            status=400, code="idempotency_key_invalid"
        )

    run(story, settings=LOCAL)


def test_a_key_in_the_published_wrapper_is_the_key_beside_the_request() -> None:
    """The same request has one answer under a key, wherever the key stands. A bug of the past: a conflict."""

    async def story(world: World) -> None:
        key = "key-12345678"
        wrapped = b'{"idempotency_key": "%s", "request": %s}' % (key.encode(), CLAIMS)
        first = await world.take("claims/diagnose", request=wrapped)
        again = await world.take("claims/diagnose", idempotency_key=key)
        assert isinstance(first, Delivered)
        assert isinstance(again, Delivered)
        assert (again.body, again.is_replay) == (first.body, True)
        elsewhere = await world.take("claims/verify", idempotency_key=key)
        assert isinstance(elsewhere, Delivered)
        assert not elsewhere.is_replay

    run(story, settings=LOCAL)


def test_an_idempotency_key_keeps_nothing_in_a_room_that_keeps_nothing() -> None:
    async def story(world: World) -> None:
        for request in (None, OTHER["dialect/check"]):
            outcome = await world.take(request=request, idempotency_key="key-12345678")
            assert isinstance(outcome, Delivered)
            assert not outcome.is_replay
        assert world.payments.answers == {}

    run(story, settings=LOCAL)


def test_of_two_at_once_under_one_key_one_answer_stands() -> None:
    async def story(world: World) -> None:
        long = CLAIMS.replace(b'log"', b'log"' + b" " * INLINE_BYTES)
        outcomes = await asyncio.gather(
            *(world.take("claims/diagnose", request=long, idempotency_key="key-12345678") for _ in range(4))
        )
        assert len({outcome.body for outcome in outcomes if isinstance(outcome, Delivered)}) == 1
        assert len(world.payments.answers) == 1

    run(story, settings=LOCAL)


def test_a_refusal_found_while_working_is_free_too() -> None:
    async def story(world: World) -> None:
        world.fetch_says = lambda _ask: Failed(state="addr_private")
        assert await world.take(request=PROBE) == Declined(status=400, code="addr_private")

    run(story, settings=LOCAL)


def test_a_store_that_cannot_keep_an_answer_is_503() -> None:
    async def story(world: World) -> None:
        world.payments.fails = lambda _change: True
        outcome = await world.take("claims/diagnose")
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (503, "store_unavailable")
        assert isinstance(await world.take(), Delivered)

    run(story, settings=LOCAL)


def test_a_caller_has_a_hundred_pre_checks_a_day_five_seconds_apart() -> None:
    async def story(world: World) -> None:
        for _ in range(100):
            assert isinstance(await asked(world, ALICE), Delivered)
            world.clock.pass_by(5)
        outcome = await asked(world, ALICE)
        assert isinstance(outcome, Offered)
        offer = json.loads(outcome.payment_required)
        assert offer["resource"]["url"].endswith("/dialect/check")
        assert offer["accepts"][0]["amount"] == "10000"
        world.clock.pass_by(86_400)
        assert isinstance(await asked(world, ALICE), Delivered)
        world.clock.pass_by(4.999)
        assert isinstance(await asked(world, ALICE), Offered)
        world.clock.pass_by(0.001)
        assert isinstance(await asked(world, ALICE.upper().replace("0X", "0x")), Delivered)

    run(story)


def test_a_client_address_has_five_hundred_whoever_calls() -> None:
    async def story(world: World) -> None:
        for number in range(500):
            assert isinstance(await asked(world, f"caller {number}"), Delivered)
        assert isinstance(await asked(world, "one more"), Offered)
        assert isinstance(await asked(world, "one more", "203.0.113.9"), Offered)
        world.clock.pass_by(5)
        assert isinstance(await asked(world, "one more", "203.0.113.9"), Delivered)

    run(story)


def test_without_a_caller_the_address_is_counted() -> None:
    async def story(world: World) -> None:
        assert isinstance(await asked(world), Delivered)
        assert isinstance(await asked(world), Offered)
        assert isinstance(await asked(world, address="203.0.113.9"), Delivered)

    run(story)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"{",
        b"[]",
        b'{"mode":"neither"}',
        b'{"mode":"probe","url":"http://10.0.0.1/"}',
        b'{"mode":"probe","url":"https://pay.shop.dev/","caller":7}',
    ],
)
def test_a_pre_check_of_what_would_be_refused_is_no_free_call_and_never_sees_an_offer(
    request_bytes: bytes,
) -> None:
    """A bug of the past: it used the allowance up, and was 402 after that."""

    async def story(world: World) -> None:
        for _ in range(3):
            outcome = await world.take("dialect/precheck", request=request_bytes)
            assert isinstance(outcome, Delivered)
            assert json.loads(outcome.body)["refusal"] is not None
        assert world.free_tier.buckets == {}
        assert isinstance(await asked(world), Delivered)
        assert isinstance(await asked(world), Offered)
        assert isinstance(await world.take("dialect/precheck", request=request_bytes), Delivered)

    run(story)


def test_no_wallet_and_no_address_is_written_down() -> None:
    async def story(world: World) -> None:
        await asked(world, ALICE)
        held = "".join(world.free_tier.buckets)
        assert ALICE not in held
        assert "198.51.100.7" not in held

    run(story)


def test_a_review_counts_each_free_call_once_and_trips_on_too_many(tmp_path: Path) -> None:
    async def reviewed(store: Store) -> Tripwire:
        found = await review(store.ledger.rows(None, None), await store.free_tier.used(NOON))
        return next(wire for wire in found.tripwires if wire.name == "free_use")

    async def told() -> None:
        store = await open_store("sqlite", tmp_path)
        try:
            async with world(payments=store.payments, free_tier=store.free_tier) as made:
                await made.buy()
                for number in range(10):
                    assert isinstance(await asked(made, f"caller {number}"), Delivered)
                # Refused for its caller's interval, so it was no free call.
                assert isinstance(await asked(made, "caller 9"), Offered)
                wire = await reviewed(store)
                assert (wire.measured, wire.against, wire.is_tripped) == (10, 1, False)
                assert isinstance(await asked(made), Delivered)
                wire = await reviewed(store)
                assert (wire.measured, wire.against, wire.is_tripped) == (11, 1, True)
        finally:
            await store.close()

    asyncio.run(told())


def test_where_dialect_is_not_sold_the_pre_check_is_not_counted() -> None:
    async def story(world: World) -> None:
        unsold = [replace(resource, price=0) for resource in RESOURCES.values()]
        orders = world.service(resources=unsold)
        for _ in range(3):
            assert isinstance(
                await orders.take(world.order("dialect/precheck", request=precheck())), Delivered
            )
        assert world.free_tier.buckets == {}

    run(story)


def test_an_operation_without_a_price_is_free_where_others_are_paid_for() -> None:
    async def story(world: World) -> None:
        lint = json.dumps({"criteria": [{"id": "x", "check": "is_json"}]}).encode()
        for key in (None, "key-12345678"):
            outcome = await world.take("deliverable/lint", request=lint, idempotency_key=key)
            assert isinstance(outcome, Delivered)
        assert world.payments.answers == {}

    run(story)


def test_an_unreadable_payment_for_something_sold_is_400() -> None:
    async def story(world: World) -> None:
        for code in ("invalid_payload", "payment_version"):
            order = replace(world.order(), payment=UnreadablePayment(code=code))
            assert await world.orders.take(order) == Declined(status=400, code=code)

    run(story)


class FailingOnce(MemoryFreeTier):
    """Fails when it is asked to forget for the second time; `batches` tells how much was asked for each time."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def forget(self, now: datetime, at_most: int) -> int:
        """Forget, but for the second time."""
        self.batches.append(at_most)
        if len(self.batches) == 2:
            raise StoreUnavailable("locked")
        return await super().forget(now, at_most)


def test_who_called_is_forgotten_a_day_later_in_batches_and_a_store_that_fails_is_asked_again() -> None:
    free_tier = FailingOnce()

    async def story(world: World) -> None:
        for number in range(TIDIED_AT_ONCE + 1):
            assert await world.free_tier.take(f"call:{number}", world.clock(), 9, 0)
        assert await world.orders.tidy() == 0
        world.clock.pass_by(86_401)
        free_tier.batches.clear()
        assert await world.orders.tidy() == TIDIED_AT_ONCE
        assert await world.orders.tidy() == 1
        assert world.free_tier.buckets == {}
        assert set(free_tier.batches) == {TIDIED_AT_ONCE}

    run(story, free_tier=free_tier)
