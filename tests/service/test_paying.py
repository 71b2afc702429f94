"""A payment from its offer to its answer, over a loopback facilitator that counts what moves."""

import asyncio
import base64
import json
from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.asks import Failed
from assay402.service.order import Declined, Delivered, Offered, Pending
from assay402.service.ports import PaymentState
from service.facilitator_server import CARELESS_TEXT, Reply, said
from service.test_doubt import Chain
from service.world import (
    ALICE,
    BASE,
    BOB,
    DIALECT,
    KEEPING,
    PAID,
    PAY_TO,
    PROBE,
    REQUESTS,
    SETTINGS,
    SOLANA,
    World,
    run,
    solana_transaction,
)


@pytest.mark.parametrize("name", PAID)
def test_a_paid_order_is_verified_done_settled_and_delivered(name: str) -> None:
    async def story(world: World) -> None:
        outcome, payment = await world.buy(name)
        assert json.loads(outcome.body)
        assert outcome.headers[0] == ("Assay-Signature", f"signed {len(outcome.body)}")
        assert [call for call in world.facilitator.calls if call != "supported"] == ["verify", "settle"]
        ((payer, pay_to, amount, transaction),) = world.facilitator.moved.values()
        assert (payer, pay_to, amount) == (ALICE, PAY_TO, int(payment["accepted"]["amount"]))
        assert outcome.settlement == {
            "success": True, "transaction": transaction, "network": BASE, "payer": ALICE, "amount": str(amount),
        }  # fmt: skip
        assert world.row.state is PaymentState.SETTLED
        # Where no answer is kept, nothing lies between "stored" and "settling": they are one change.
        begun = ["begin_settling"] if name in KEEPING else []
        assert world.payments.changes == ["claim", "keep", *begun, "settled"]
        (booked,) = world.payments.booked
        assert (booked.operation, booked.settled.amount, booked.house) == (name, amount, False)
        assert world.heard == ["payment.verified", "payment.claimed", "payment.settled"]

    run(story)


def test_the_ledger_words_come_from_the_answer() -> None:
    async def story(world: World) -> None:
        entries = {}
        for name in PAID:
            await world.buy(name)
            entries[name] = world.payments.booked[-1].entry
        dialect = entries["dialect/check"]
        assert dialect.report_line is not None
        assert dialect.report_line.startswith("X402 DIALECT REPORT")
        assert (dialect.criteria_version, dialect.summary, dialect.carrier) == (
            "payability/v1 1.0.0", "undetermined", "v1-body",
        )  # fmt: skip
        deliverable = entries["deliverable/check"]
        assert (deliverable.verdict, deliverable.counts) == (
            "ACCEPT", {"total": 1, "pass": 1, "fail": 0, "uncheckable": 0},
        )  # fmt: skip
        claims = entries["claims/diagnose"]
        assert claims.verdict is not None
        assert claims.counts is not None

    run(story)


def test_an_unpaid_order_gets_an_offer_and_touches_neither_store_nor_facilitator() -> None:
    async def story(world: World) -> None:
        offer = await world.offered()
        assert offer["error"] == "payment_required"
        assert world.payments.changes == []
        assert set(world.facilitator.calls) == {"supported"}

    run(story)


def test_a_request_that_cannot_be_answered_never_sees_an_offer() -> None:
    async def story(world: World) -> None:
        for payment in (None, await world.paid()):
            outcome = await world.take(payment=payment, request=b'{"mode":"probe","url":"http://10.0.0.1/"}')
            assert outcome == Declined(
                status=400,
                code="addr_private",
                logical_payment_id=outcome.logical_payment_id,
            )
            assert world.payments.rows == {}
        outcome = await world.take(request=b"x" * 300_000)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.numbers) == (413, {"length": 300_000, "cap": 262_144})
        assert "verify" not in world.facilitator.calls

    run(story)


def test_a_private_name_found_behind_a_payment_is_a_free_refusal() -> None:
    async def story(world: World) -> None:
        world.fetch_says = lambda _ask: Failed(state="addr_private")
        outcome = await world.take(payment=await world.paid(), request=PROBE)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (400, "addr_private")
        assert world.row.state is PaymentState.RELEASED
        assert world.facilitator.count("settle") == 0

    run(story)


def test_a_probe_contacts_nothing_before_its_payment_is_verified() -> None:
    async def story(world: World) -> None:
        world.facilitator.verify_says = lambda _call: said(isValid=False, invalidReason="insufficient_funds")
        outcome = await world.take(payment=await world.paid(), request=PROBE)
        assert isinstance(outcome, Offered)
        assert json.loads(outcome.payment_required)["error"] == "insufficient_funds"
        assert (world.fetched, world.payments.rows) == ([], {})
        world.facilitator.verify_says = lambda _call: None
        assert isinstance(await world.take(payment=await world.paid(), request=PROBE), Delivered)
        assert world.fetched == ["https://pay.shop.dev/"]

    run(story)


def test_work_that_fails_is_422_and_the_same_payment_may_come_again() -> None:
    async def story(world: World) -> None:
        def broken(_ask: Any) -> Any:
            raise RuntimeError(CARELESS_TEXT)

        world.fetch_says = broken
        payment = await world.paid()
        outcome = await world.take(payment=payment, request=PROBE)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code, outcome.free_retry) == (422, "not_produced", True)
        assert world.row.state is PaymentState.RELEASED
        world.fetch_says = lambda _ask: Failed(state="unreachable", detail="refused")
        assert isinstance(await world.take(payment=payment, request=PROBE), Delivered)
        assert (world.row.fence, len(world.facilitator.moved)) == (2, 1)

    run(story)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda p: p["accepted"].update(amount="1"), "no_matching_requirements"),
        (lambda p: p["accepted"].update(amount=10000), "no_matching_requirements"),
        (lambda p: p["accepted"].update(payTo=PAY_TO.lower()), "no_matching_requirements"),
        (lambda p: p["accepted"].update(network="eip155:1"), "no_matching_requirements"),
        (lambda p: p["accepted"].update(scheme="upto"), "no_matching_requirements"),
        (lambda p: p["accepted"].update(maxTimeoutSeconds=9999), "no_matching_requirements"),
        (lambda p: p["accepted"].pop("extra"), "no_matching_requirements"),
        (lambda p: p["accepted"]["extra"].update(version="1"), "no_matching_requirements"),
        (lambda p: p["accepted"]["extra"].update(assetTransferMethod="permit2"), "no_matching_requirements"),
        (lambda p: p["accepted"]["extra"].update(paymentFlow="upfront"), "no_matching_requirements"),
        (lambda p: p["resource"].update(url="https://assay.shop.dev/other"), "resource_mismatch"),
        (
            lambda p: p["extensions"]["bazaar"]["info"]["input"].update(method="GET"),
            "extension_echo_mismatch",
        ),
        (lambda p: p["extensions"]["payment-identifier"].pop("info"), "extension_echo_mismatch"),
        (
            lambda p: p["payload"]["authorization"].update({"to": BOB}),
            "invalid_exact_evm_payload_recipient_mismatch",
        ),
        (
            lambda p: p["payload"]["authorization"].update(value="1"),
            "invalid_exact_evm_payload_authorization_value_mismatch",
        ),
        (
            lambda p: p["payload"]["authorization"].update(validAfter="9999999999"),
            "invalid_exact_evm_payload_authorization_valid_after",
        ),
        (
            lambda p: p["payload"]["authorization"].update(validBefore="1"),
            "invalid_exact_evm_payload_authorization_valid_before",
        ),
    ],
)
def test_a_payment_that_is_not_for_our_offer_gets_the_offer_again_and_is_not_verified(
    change: Any, error: str
) -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        change(payment)
        outcome = await world.take(payment=payment)
        assert isinstance(outcome, Offered), outcome
        assert json.loads(outcome.payment_required)["error"] == error
        assert (world.payments.rows, world.facilitator.count("verify")) == ({}, 0)

    run(story)


def test_what_a_client_adds_to_extra_and_extensions_is_taken() -> None:
    async def story(world: World) -> None:
        payment = await world.paid()
        payment["accepted"]["extra"]["note"] = "mine"
        payment["extensions"]["bazaar"]["info"]["more"] = 1
        payment["extensions"]["builder-code"] = {"info": {"w": "me"}}
        del payment["resource"]
        assert isinstance(await world.take(payment=payment), Delivered)
        without = await world.paid()
        del without["extensions"]
        assert isinstance(await world.take(payment=without), Delivered)

    run(story)


def test_an_authorization_must_outlast_the_work_and_its_settlement() -> None:
    async def story(world: World) -> None:
        assert isinstance(await world.take(payment=await world.paid(lives=44)), Offered)
        assert isinstance(await world.take(payment=await world.paid(lives=45)), Delivered)

    run(story)


def test_a_payer_that_the_facilitator_names_differently_is_not_believed() -> None:
    async def story(world: World) -> None:
        world.facilitator.verify_says = lambda _call: said(isValid=True, payer=BOB)
        outcome = await world.take(payment=await world.paid())
        assert isinstance(outcome, Offered)
        assert world.payments.rows == {}

    run(story)


def test_a_refused_settlement_is_an_offer_with_a_failed_settlement_and_lets_the_payment_go() -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: said(
            success=False, errorReason="insufficient_funds", transaction=""
        )
        payment = await world.paid("deliverable/check")
        outcome = await world.take("deliverable/check", payment)
        assert isinstance(outcome, Offered)
        assert outcome.settlement == {
            "success": False, "errorReason": "insufficient_funds", "transaction": "", "network": BASE, "payer": ALICE,
        }  # fmt: skip
        assert (world.row.state, world.payments.answers) == (PaymentState.RELEASED, {})
        world.facilitator.settle_says = lambda _call: None
        assert isinstance(await world.take("deliverable/check", payment), Delivered)
        assert len(world.payments.booked) == 1

    run(story)


@pytest.mark.parametrize(
    "reply",
    [
        said(success=True, transaction="", network=BASE, payer=ALICE),
        said(success=True, transaction="0x" + "ab" * 32, network="eip155:1", payer=ALICE),
        said(success=True, transaction="pending", network=BASE, payer=ALICE),
        said(success=True, transaction=CARELESS_TEXT, network=BASE),
        said(success=False, errorReason=CARELESS_TEXT),
    ],
)
def test_a_settlement_that_shows_nothing_is_in_doubt_and_no_text_comes_through(reply: Reply) -> None:
    async def story(world: World) -> None:
        world.facilitator.settle_says = lambda _call: reply
        outcome = await world.take(payment=await world.paid())
        assert isinstance(outcome, Pending)
        assert CARELESS_TEXT not in repr(outcome)
        assert world.row.state is PaymentState.SETTLING

    run(story)


def test_a_facilitator_that_is_not_there_sells_nothing_and_a_known_payment_is_still_served() -> None:
    async def story(world: World) -> None:
        first, payment = await world.buy("deliverable/check")
        fresh = await world.paid("deliverable/check")
        world.facilitator.is_down = True
        again = await world.take("deliverable/check", payment)
        assert isinstance(again, Delivered)
        assert again.body == first.body
        for sent in (None, fresh):
            outcome = await world.take("deliverable/check", sent)
            assert isinstance(outcome, Declined)
            assert (outcome.status, outcome.code) == (503, "facilitator_unavailable")
            assert outcome.retry_after_seconds is not None

    run(story)


def test_a_service_that_drains_serves_known_payments_and_nothing_new() -> None:
    async def story(world: World) -> None:
        _, payment = await world.buy("deliverable/check")
        fresh = await world.paid("deliverable/check")
        world.orders.stop_admitting()
        assert isinstance(await world.take("deliverable/check", payment), Delivered)
        for name, sent in (
            ("deliverable/check", None),
            ("deliverable/check", fresh),
            ("deliverable/lint", None),
        ):
            outcome = await world.take(name, sent)
            assert isinstance(outcome, Declined)
            assert (outcome.status, outcome.code) == (503, "not_admitting")

    run(story)


def test_verification_without_an_outcome_is_503_and_claims_nothing() -> None:
    async def story(world: World) -> None:
        world.facilitator.verify_says = lambda _call: Reply(500, CARELESS_TEXT.encode())
        outcome = await world.take(payment=await world.paid())
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (503, "facilitator_unavailable")
        assert world.payments.rows == {}

    run(story)


def test_a_solana_payment_is_known_by_its_message() -> None:
    async def story(world: World) -> None:
        offer = await world.offered("deliverable/check")
        accepted = next(each for each in offer["accepts"] if each["network"] == SOLANA)
        payment = {"x402Version": 2, "accepted": accepted, "payload": {"transaction": solana_transaction()}}
        first = await world.take("deliverable/check", payment)
        assert isinstance(first, Delivered)
        again = await world.take("deliverable/check", payment)
        assert isinstance(again, Delivered)
        assert (again.is_replay, again.body) == (True, first.body)
        assert world.facilitator.count("settle") == 1
        # Other signatures over the same message are the same payment, spelled anew.
        other = json.loads(json.dumps(payment))
        raw = bytearray(base64.b64decode(other["payload"]["transaction"]))
        raw[1:65] = b"\x07" * 64
        other["payload"]["transaction"] = base64.b64encode(raw).decode()
        outcome = await world.take("deliverable/check", other)
        assert isinstance(outcome, Declined)
        assert (outcome.status, outcome.code) == (409, "payment_already_claimed")

    run(story)


def test_the_logical_payment_id_is_of_payer_nonce_network_and_asset() -> None:
    async def story(world: World) -> None:
        outcome, payment = await world.buy()
        assert outcome.logical_payment_id is not None
        respelled = {**payment, "payload": {**payment["payload"], "signature": "0x" + "cd" * 65}}
        conflict = await world.take(payment=respelled)
        assert isinstance(conflict, Declined)
        assert conflict.logical_payment_id == outcome.logical_payment_id

    run(story)


def test_a_client_that_leaves_does_not_stop_work_and_settlement() -> None:
    async def story(world: World) -> None:
        world.facilitator.hold = asyncio.Event()
        payment = await world.paid("deliverable/check")
        waiting = asyncio.create_task(world.take("deliverable/check", payment))
        await world.facilitator.entered.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert world.row.state is PaymentState.SETTLING
        world.facilitator.hold.set()
        await world.orders.drained()
        outcome = await world.take("deliverable/check", payment)
        assert isinstance(outcome, Delivered)
        assert (outcome.is_replay, len(world.facilitator.moved)) == (True, 1)

    run(story)


@pytest.mark.parametrize("name", PAID)
def test_forty_times_the_same_payment_at_once_settle_once(name: str) -> None:
    async def story(world: World) -> None:
        payment = await world.paid(name)
        outcomes = await asyncio.gather(*(world.take(name, payment) for _ in range(40)))
        assert len(world.facilitator.moved) == len(world.payments.booked) == 1
        kinds = {type(outcome) for outcome in outcomes}
        assert kinds <= {Delivered, Pending, Declined}
        assert any(isinstance(outcome, Delivered) for outcome in outcomes)
        if name in KEEPING:
            assert len({outcome.body for outcome in outcomes if isinstance(outcome, Delivered)}) == 1
            assert Declined not in kinds

    run(story)


def test_forty_payments_of_one_payer_under_one_id_settle_once() -> None:
    async def story(world: World) -> None:
        name = "deliverable/check"
        offer = await world.offered(name)
        sent = [world.payment(offer, payment_id="pay_0123456789abcdef") for _ in range(40)]
        outcomes = await asyncio.gather(*(world.take(name, payment) for payment in sent))
        assert len(world.facilitator.moved) == 1
        assert {type(outcome) for outcome in outcomes} <= {Delivered, Pending}

    run(story)


def test_a_house_wallet_marks_its_rows() -> None:
    async def story(world: World) -> None:
        await world.buy()
        assert world.payments.booked[0].house

    run(story, settings=replace(SETTINGS, house_wallets=(ALICE.upper().replace("0X", "0x"),)))


def test_no_artefact_leaves_a_trace_in_the_rows_of_a_room_that_keeps_nothing() -> None:
    async def story(world: World) -> None:
        canary = b"canary-4711"
        request = DIALECT.replace(b'"accepts"', b'"canary-4711": 1, "accepts"')
        assert canary in request
        payment = await world.paid(request=request)
        assert isinstance(await world.take(payment=payment, request=request), Delivered)
        held = repr((world.payments.rows, world.payments.booked, world.payments.answers))
        for trace in (canary.decode(), sha256(request).hexdigest(), sha256(canary).hexdigest()):
            assert trace not in held
        assert world.payments.answers == {}

    run(story)


def test_requests_of_every_room_are_there() -> None:
    assert set(REQUESTS) == {name.partition("/")[0] for name in PAID}


def test_a_known_payment_is_answered_whatever_names_are_asked_for_since() -> None:
    """Making the payment identifier compulsory turns no retry of a payment made before into a 400."""

    async def story(world: World) -> None:
        _, payment = await world.buy("deliverable/check")
        world.settings = replace(world.settings, payment_identifier="required")
        world.orders = world.service()
        assert isinstance(await world.take("deliverable/check", payment), Delivered)
        odd = await world.take("deliverable/check", payment, idempotency_key="no")
        assert isinstance(odd, Delivered)
        fresh = await world.take("deliverable/check", await world.paid("deliverable/check"))
        assert isinstance(fresh, Declined)
        assert fresh.code == "payment_identifier_required"

    run(story)


class Fees(Chain):
    """A chain that tells fees."""

    async def fee(self, network: str, _transaction: str) -> int | None:
        """Tell the same of every transaction on Solana."""
        return 5_000 if network == SOLANA else None


@pytest.mark.parametrize("network", [BASE, SOLANA])
def test_the_ledger_says_the_fee_where_a_node_tells_it(network: str) -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Fees(world))
        payment = await world.paid(network=network)
        if network == SOLANA:
            payment["payload"] = {"transaction": solana_transaction()}
        assert isinstance(await world.take(payment=payment), Delivered)
        (booked,) = world.payments.booked
        assert booked.settled.fee_lamports == (5_000 if network == SOLANA else None)

    run(story)
