"""Attacks on the gate: what must not be had without paying, twice for one payment, or with somebody else's."""

import asyncio
import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.service.order import Declined, Delivered, Offered, Pending
from assay402.service.ports import PaymentState
from service.facilitator_server import Reply, said
from service.world import (
    ALICE,
    BASE,
    BOB,
    CLAIMS,
    DELIVERABLE,
    DIALECT,
    KEEPING,
    PAID,
    RESOURCES,
    SETTINGS,
    World,
    run,
    solana_transaction,
)

OTHER_DELIVERABLE = DELIVERABLE.replace(b'"a": 1', b'"a": 2')
OTHER = {
    "dialect/check": DIALECT.replace(b"402", b"403"),
    "deliverable/check": OTHER_DELIVERABLE,
    "claims/diagnose": CLAIMS.replace(b"$60", b"$61"),
}


def code(outcome: Any) -> tuple[int, str]:
    assert isinstance(outcome, Declined), outcome
    return outcome.status, outcome.code


def copied(payment: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(payment))
    return made


def in_upper_case(payment: dict[str, Any]) -> None:
    authorization = payment["payload"]["authorization"]
    authorization["nonce"] = "0x" + authorization["nonce"][2:].upper()
    authorization["from"] = "0x" + authorization["from"][2:].upper()
    authorization["to"] = "0x" + authorization["to"][2:].upper()


RESPELLED = {
    "upper case": in_upper_case,
    "another signature over it": lambda p: p["payload"].update(signature="0x" + "cd" * 65),
    "a longer signature": lambda p: p["payload"].update(signature="0x" + "ab" * 97),
    "no resource": lambda p: p.pop("resource"),
    "no extensions": lambda p: p.pop("extensions"),
    "more in extra": lambda p: p["accepted"]["extra"].update(more=1),
    "another id": lambda p: p["extensions"]["payment-identifier"]["info"].update(id="pay_another_id_of_it"),
}
REFUSED = {
    "nonce with leading zeros": lambda p: p["payload"]["authorization"].update(
        nonce="0x00" + p["payload"]["authorization"]["nonce"][2:]
    ),
    "nonce without them": lambda p: p["payload"]["authorization"].update(nonce="0x1"),
    "nonce without 0x": lambda p: p["payload"]["authorization"].update(
        nonce=p["payload"]["authorization"]["nonce"][2:]
    ),
    "nonce with 0X": lambda p: p["payload"]["authorization"].update(
        nonce="0X" + p["payload"]["authorization"]["nonce"][2:]
    ),
    "nonce as a number": lambda p: p["payload"]["authorization"].update(nonce=1),
    "nonce with a blank": lambda p: p["payload"]["authorization"].update(
        nonce=p["payload"]["authorization"]["nonce"] + " "
    ),
    "payer without 0x": lambda p: p["payload"]["authorization"].update({"from": ALICE[2:]}),
    "value as a number": lambda p: p["payload"]["authorization"].update(value=10_000),
    "value with leading zeros": lambda p: p["payload"]["authorization"].update(value="010000"),
    "time as a number": lambda p: p["payload"]["authorization"].update(validBefore=9_999_999_999),
    "a member more": lambda p: p["payload"]["authorization"].update(memo="x"),
    "a member more beside it": lambda p: p["payload"].update(memo="x"),
    "a member more at the top": lambda p: p.update(scheme="exact"),
    "two kinds at once": lambda p: p["payload"].update(permit2Authorization={}),
    "a transaction beside it": lambda p: p["payload"].update(transaction=solana_transaction()),
    "version 1": lambda p: p.update(x402Version=1),
    "version as text": lambda p: p.update(x402Version="2"),
    "version 2.0": lambda p: p.update(x402Version=2.0),
    "extensions as a list": lambda p: p.update(extensions=[]),
    "network by its old name": lambda p: p["accepted"].update(network="base"),
    "a signature cut short": lambda p: p["payload"].update(signature="0xab"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("respell", RESPELLED.values(), ids=RESPELLED)
def test_a_respelled_payment_of_one_authorization_is_no_second_payment(respell: Any, name: str) -> None:
    async def story(world: World) -> None:
        first, payment = await world.buy(
            name, payer="0xabcdefabcdefabcdefabcdefabcdefabcdefabcd", nonce="0x" + "ab" * 32
        )
        again = copied(payment)
        respell(again)
        assert code(await world.take(name, again)) == (409, "payment_already_claimed")
        assert (len(world.facilitator.moved), len(world.payments.rows)) == (1, 1)
        assert first.body

    run(story)


@pytest.mark.parametrize("respell", REFUSED.values(), ids=REFUSED)
def test_a_spelling_the_specification_does_not_have_is_refused(respell: Any) -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy()
        again = copied(payment)
        respell(again)
        assert code(await world.take(payment=again)) == (400, "invalid_payload")
        fresh = await world.paid()
        respell(fresh)
        assert code(await world.take(payment=fresh)) == (400, "invalid_payload")
        assert (len(world.facilitator.moved), len(world.payments.rows)) == (1, 1)

    run(story)


def test_bytes_behind_a_solana_transaction_make_no_second_payment() -> None:
    async def story(world: World) -> None:
        offer = await world.offered()
        accepted = offer["accepts"][1]
        raw = base64.b64decode(solana_transaction())
        for data in (raw + b"\x00", raw[:-1], b"", b"\x00" + raw[129:], b"\x82\x00" + raw[1:]):
            sent = {"transaction": base64.b64encode(data).decode()}
            payment = {"x402Version": 2, "accepted": accepted, "payload": sent}
            assert code(await world.take(payment=payment)) == (400, "invalid_payload")

    run(story)


def test_a_settled_payment_replayed_by_somebody_else_gets_no_kept_answer() -> None:
    async def story(world: World) -> None:
        for name in KEEPING:
            first, payment = await world.buy(name)
            assert code(await world.take(name, payment, request=OTHER[name])) == (409, "payment_already_used")
            outcome = await world.take(name, payment)
            assert isinstance(outcome, Delivered)
            assert outcome.body == first.body

    run(story)


def test_a_settled_payment_buys_a_room_without_memory_three_more_runs_in_ten_minutes() -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy()
        for _ in range(3):
            outcome = await world.take(payment=payment)
            assert isinstance(outcome, Delivered)
            assert not outcome.is_replay
        assert code(await world.take(payment=payment)) == (409, "payment_already_used")
        _, payment = await world.buy()
        world.clock.pass_by(600)
        assert isinstance(await world.take(payment=payment), Delivered)
        world.clock.pass_by(1)
        assert code(await world.take(payment=payment)) == (409, "payment_already_used")
        assert len(world.facilitator.moved) == 2

    run(story)


def test_a_rerun_of_a_request_that_is_refused_costs_none_of_the_three() -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy()
        assert code(await world.take(payment=payment, request=b"{"))[0] == 400
        assert world.row.reruns == 0

    run(story)


@pytest.mark.parametrize(
    ("bought", "tried"), [("claims/diagnose", "claims/repair"), ("dialect/check", "claims/repair")]
)
def test_a_payment_for_one_operation_buys_no_other(bought: str, tried: str) -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy(bought)
        assert code(await world.take(tried, payment)) == (409, "payment_already_claimed")

    run(story)


def test_a_payer_may_have_four_payments_under_way() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        for _ in range(4):
            assert isinstance(await world.take(payment=await world.paid()), Pending)
        fifth = await world.paid()
        assert code(await world.take(payment=fifth)) == (429, "too_many_unsettled")
        assert len(world.payments.rows) == 4
        assert isinstance(await world.take(payment=await world.paid(payer=BOB)), Pending)
        world.clock.pass_by(0)

    run(story)


def test_a_price_that_changes_in_flight_gets_the_new_offer_and_settles_nothing() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        dearer = replace(RESOURCES["dialect/check"], price=20_000)
        outcome = await world.orders.take(replace(world.order(payment=payment), resource=dearer))
        assert isinstance(outcome, Offered)
        offer = json.loads(outcome.payment_required)
        assert {each["amount"] for each in offer["accepts"]} == {"20000"}
        assert (world.payments.rows, world.facilitator.moved) == ({}, {})
        # What was settled at the old price is known and is served on.
        assert isinstance(await world.take(payment=payment), Delivered)
        again = await world.orders.take(replace(world.order(payment=payment), resource=dearer))
        assert isinstance(again, Delivered)

    run(story)


@pytest.mark.parametrize("key", ["payment_id", "idempotency_key"])
def test_a_stolen_key_gives_nothing_to_another_payer(key: str) -> None:
    async def story(world: World) -> None:
        name, stolen = "deliverable/check", "pay_0123456789abcdef"
        of_payment = {"payment_id": stolen} if key == "payment_id" else {}
        of_request: dict[str, Any] = {"idempotency_key": stolen} if key == "idempotency_key" else {}
        payment = await world.paid(name, **of_payment)
        first = await world.take(name, payment, **of_request)
        assert isinstance(first, Delivered)
        # Without a payment there is no paid answer.
        assert isinstance(await world.take(name, **of_request), Offered)
        # Another payer pays for its own.
        outcome = await world.take(name, await world.paid(name, payer=BOB, **of_payment), **of_request)
        assert isinstance(outcome, Delivered)
        assert not outcome.is_replay
        assert len(world.facilitator.moved) == 2
        # Whoever claims to be the payer and cannot sign does not verify.
        world.facilitator.verify_says = lambda _call: said(isValid=False, invalidReason="invalid_signature")
        forged = await world.paid(name, payer=ALICE, **of_payment)
        assert isinstance(await world.take(name, forged, **of_request), Offered)

    run(story)


@pytest.mark.parametrize("key", ["payment_id", "idempotency_key"])
@pytest.mark.parametrize("name", PAID)
def test_a_fresh_authorization_under_a_used_key_gets_the_answer_and_is_left_unsettled(
    name: str, key: str
) -> None:
    async def story(world: World) -> None:
        mine = "pay_0123456789abcdef"
        of_payment = {"payment_id": mine} if key == "payment_id" else {}
        of_request: dict[str, Any] = {"idempotency_key": mine} if key == "idempotency_key" else {}
        first = await world.take(name, await world.paid(name, **of_payment), **of_request)
        fresh = await world.paid(name, **of_payment)
        outcome = await world.take(name, fresh, **of_request)
        assert isinstance(first, Delivered)
        assert isinstance(outcome, Delivered)
        assert outcome.settlement == first.settlement
        assert (len(world.facilitator.moved), len(world.payments.rows)) == (1, 1)
        if name in KEEPING:
            assert outcome.body == first.body
            conflict = "payment_identifier_conflict" if key == "payment_id" else "idempotency_key_conflict"
            other = await world.paid(name, request=OTHER[name], **of_payment)
            assert code(await world.take(name, other, request=OTHER[name], **of_request)) == (409, conflict)
        assert len(world.facilitator.moved) == 1

    run(story)


def test_the_same_id_for_another_operation_is_a_conflict() -> None:
    async def story(world: World) -> None:
        mine = "pay_0123456789abcdef"
        await world.buy("claims/diagnose", payment_id=mine)
        payment = await world.paid("claims/repair", payment_id=mine)
        assert code(await world.take("claims/repair", payment)) == (409, "payment_identifier_conflict")

    run(story)


def test_while_the_first_payment_under_an_id_is_in_flight_the_second_waits() -> None:
    async def story(world: World) -> None:
        name, mine = "deliverable/check", "pay_0123456789abcdef"
        world.facilitator.hold = asyncio.Event()
        sent = await world.paid(name, payment_id=mine)
        first = asyncio.create_task(world.take(name, sent))
        await world.facilitator.entered.wait()
        second = await world.paid(name, payment_id=mine)
        assert isinstance(await world.take(name, second), Pending)
        world.facilitator.hold.set()
        done = await first
        outcome = await world.take(name, second)
        assert isinstance(done, Delivered)
        assert isinstance(outcome, Delivered)
        assert (outcome.body, outcome.is_replay) == (done.body, True)
        assert len(world.facilitator.moved) == 1

    run(story)


def test_an_agent_that_lost_its_payment_goes_on_under_its_id_where_the_worker_died() -> None:
    async def story(world: World) -> None:
        mine = "pay_0123456789abcdef"
        lost = await world.paid("deliverable/check", payment_id=mine)
        world.payments.fails = lambda change: change == "keep"
        await world.take("deliverable/check", lost)
        world.payments.fails = lambda _change: False
        world.clock.pass_by(246)
        fresh = await world.paid("deliverable/check", payment_id=mine)
        assert isinstance(await world.take("deliverable/check", fresh), Delivered)
        assert sorted(row.state.value for row in world.payments.rows.values()) == ["released", "settled"]

    run(story)


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ("pay_0123456789abcdef", None),
        ("short", "payment_identifier_invalid"),
        ("pay_0123456789abcdef\n", "payment_identifier_invalid"),
        ("p" * 129, "payment_identifier_invalid"),
        (17, "payment_identifier_invalid"),
    ],
)
def test_an_id_is_matched_from_end_to_end(sent: Any, refused: str | None) -> None:
    async def story(world: World) -> None:
        outcome = await world.take(payment=await world.paid(payment_id=sent))
        if refused is None:
            assert isinstance(outcome, Delivered)
        else:
            assert code(outcome) == (400, refused)

    run(story)


def test_an_id_that_is_required_and_absent_is_400() -> None:
    async def story(world: World) -> None:
        offer = await world.offered()
        assert offer["extensions"]["payment-identifier"]["info"] == {"required": True}
        assert code(await world.take(payment=world.payment(offer))) == (400, "payment_identifier_required")
        paid = world.payment(offer, payment_id="pay_0123456789abcdef")
        assert isinstance(await world.take(payment=paid), Delivered)

    run(story, settings=replace(SETTINGS, payment_identifier="required"))


@pytest.mark.parametrize("sent", ["short", "a b c d e f g h", "k" * 129, "key\n123456"])
def test_an_idempotency_key_of_another_form_is_400(sent: str) -> None:
    async def story(world: World) -> None:
        assert code(await world.take(payment=await world.paid(), idempotency_key=sent)) == (
            400,
            "idempotency_key_invalid",
        )

    run(story)


def test_a_stolen_receipt_id_gives_nothing() -> None:
    async def story(world: World) -> None:
        outcome, _ = await world.buy("claims/diagnose")
        answer = json.loads(outcome.body)
        receipt_id, secret = answer["request_id"], answer["binding"]["nonce"]
        assert len(bytes.fromhex(secret)) == 32
        missing = Declined(status=404, code="receipt_unknown")
        assert await world.orders.receipt(receipt_id) == missing
        for wrong in (
            "",
            secret[:-1],
            secret.upper() if secret.upper() != secret else "x",
            "ä",
            "x" * 10_000,
        ):
            assert await world.orders.receipt(receipt_id, bearer=wrong) == missing
        assert await world.orders.receipt("no such receipt", bearer=secret) == missing
        given = await world.orders.receipt(receipt_id, bearer=secret)
        assert isinstance(given, Delivered)
        assert (given.body, given.headers) == (outcome.body, outcome.headers)

    run(story)


def test_a_receipt_of_a_payment_that_did_not_settle_is_not_given() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: Reply(500, b"")
        await world.take("claims/diagnose", await world.paid("claims/diagnose"))
        (kept,) = world.payments.answers.values()
        secret = json.loads(kept.body)["binding"]["nonce"]
        assert await world.orders.receipt(kept.id, bearer=secret) == Declined(
            status=404, code="receipt_unknown"
        )

    run(story)


def test_a_paid_determination_says_how_it_is_bound_and_billed() -> None:
    async def story(world: World) -> None:
        outcome, payment = await world.buy("claims/diagnose", payment_id="pay_0123456789abcdef")
        answer = json.loads(outcome.body)
        row = world.row
        assert answer["binding"] == {
            "operation_scope": "machine:diagnose",
            "actor_id": ALICE,
            "tenant_model": "PAYMENT_CONTEXT_ISOLATION",
            "tenant_id": f"payment:{row.payload_sha256}",
            "credential_id": None,
            "nonce": answer["binding"]["nonce"],
            "idempotency_key": "pay_0123456789abcdef",
            "payment_context_hash": row.payload_sha256,
        }
        assert answer["billing"]["billable"] is True
        assert answer["receipt"]["payment_status"] == "AUTHORIZED_PENDING_GATEWAY_SETTLEMENT"
        assert payment["accepted"]["network"] == BASE

    run(story)


def test_a_payment_of_another_network_of_the_same_family_is_not_taken() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        payment["accepted"]["network"] = "eip155:84532"
        assert isinstance(await world.take(payment=payment), Offered)
        assert world.payments.rows == {}

    run(story)


def test_permit2_is_offered_nowhere_and_therefore_not_taken() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        accepted = payment["accepted"]
        payment["payload"] = permit2(accepted)
        outcome = await world.take(payment=payment)
        assert isinstance(outcome, Offered)
        assert json.loads(outcome.payment_required)["error"] == "unsupported_scheme"
        assert world.payments.rows == {}

    run(story)


def permit2(accepted: dict[str, Any]) -> dict[str, Any]:
    return {
        "signature": "0x" + "ab" * 65,
        "permit2Authorization": {
            "permitted": {"token": accepted["asset"], "amount": accepted["amount"]},
            "from": ALICE,
            "spender": "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
            "nonce": "7",
            "deadline": "1900000000",
            "witness": {"to": accepted["payTo"], "validAfter": "0"},
        },
    }


def test_a_row_that_is_settled_stays_settled() -> None:
    async def story(world: World) -> None:
        await world.buy()
        world.clock.pass_by(10_000_000)
        assert await world.orders.reconcile() == 0
        assert world.row.state is PaymentState.SETTLED

    run(story)
