"""A refusal is believed where it shows that nothing was sent to the chain; all others leave the payment in doubt."""

from typing import Any

import pytest

from assay402.service.order import Delivered, Offered, Pending
from assay402.service.ports import PaymentState
from service.facilitator_server import Reply, said
from service.test_doubt import Chain
from service.world import PAID, World, run

SENT = {
    "a reason of after": said(success=False, errorReason="transaction_failed"),
    "and a transaction": said(
        success=False,
        errorReason="transaction_failed",
        errorMessage="settlement_pending, but failed to persist for retry",
        transaction="0x" + "ab" * 32,
    ),
    "a reason of before, and a transaction": said(
        success=False, errorReason="insufficient_funds", transaction="0x" + "ab" * 32
    ),
    "a simulation": said(success=False, errorReason="invalid_exact_evm_transaction_simulation_failed"),
    "words": said(success=False, errorReason="out of gas"),
    "no reason": said(success=False),
    "a success without a transaction": said(success=True, transaction="pending", network="eip155:8453"),
}
BEFORE = said(success=False, errorReason="invalid_exact_evm_insufficient_balance", transaction="")


@pytest.mark.parametrize("has_chain", [False, True])
@pytest.mark.parametrize("reply", SENT.values(), ids=SENT)
@pytest.mark.parametrize("name", PAID)
def test_a_transfer_that_lands_after_its_refusal_is_never_offered_anew(
    name: str, reply: Reply, has_chain: bool
) -> None:
    async def story(world: World) -> None:
        world.orders = world.service(chain=Chain(world) if has_chain else None)
        payment = await world.paid(name)
        world.facilitator.settle_says = lambda _call: reply
        assert isinstance(await world.take(name, payment), Pending)
        assert world.row.state is PaymentState.SETTLING
        # It lands: whoever asks the facilitator now is told that the nonce is used.
        world.facilitator._settled(world.facilitator.bodies[-1])
        world.facilitator.settle_says = lambda _call: None
        world.clock.pass_by(11)
        outcome = await world.take(name, payment)
        assert isinstance(outcome, Delivered if has_chain else Pending)
        assert len(world.payments.booked) == has_chain
        assert len(world.facilitator.moved) == 1

    run(story)


def test_where_there_is_a_chain_a_refusal_waits_for_its_word() -> None:
    async def story(world: World) -> None:
        chain = Chain(world)
        world.orders = world.service(chain=chain)
        chain.is_unknown = True
        world.facilitator.settle_says = lambda _call: BEFORE
        payment = await world.paid()
        assert isinstance(await world.take(payment=payment), Pending)
        chain.is_unknown = False
        assert isinstance(await world.take(payment=await world.paid()), Offered)

    run(story)


async def let_go(world: World, name: str) -> dict[str, Any]:
    """Pay a facilitator that moves the money and says it could not, in words that are believed without a chain."""
    payment = await world.paid(name)
    world.facilitator.settle_says = lambda _call: BEFORE
    world.facilitator.moves_anyway = True
    assert isinstance(await world.take(name, payment), Offered)
    assert world.row.state is PaymentState.RELEASED
    world.facilitator.settle_says = lambda _call: None
    world.facilitator.moves_anyway = False
    return payment


@pytest.mark.parametrize("says", [None, said(isValid=False, invalidReason="nonce is used")])
@pytest.mark.parametrize("has_chain", [False, True])
@pytest.mark.parametrize("name", PAID)
def test_a_payment_that_was_let_go_and_turns_out_used_is_found_out_about_and_not_offered_anew(
    name: str, has_chain: bool, says: Reply | None
) -> None:
    async def story(world: World) -> None:
        payment = await let_go(world, name)
        world.facilitator.verify_says = lambda _call: says
        world.orders = world.service(chain=Chain(world) if has_chain else None)
        outcome = await world.take(name, payment)
        assert isinstance(outcome, Delivered if has_chain else Pending)
        assert len(world.payments.booked) == has_chain
        world.clock.pass_by(11)
        assert isinstance(await world.take(name, payment), Delivered if has_chain else Pending)
        assert len(world.facilitator.moved) == 1

    run(story)


def test_a_refusal_of_what_is_used_is_not_believed_whatever_its_reason() -> None:
    """The payer of what has moved may have nothing left, which is no sign that it did not move."""

    async def story(world: World) -> None:
        payment = await let_go(world, "deliverable/check")
        world.facilitator.settle_says = lambda _call: BEFORE
        for _ in range(3):
            assert isinstance(await world.take("deliverable/check", payment), Pending)
            world.clock.pass_by(11)
        assert world.row.state is PaymentState.SETTLING

    run(story)


def test_another_spelling_of_a_used_payment_gets_no_answer_and_no_offer() -> None:
    """The nonce and the payer are public once it moved: whoever forges a signature beside them must get nothing."""

    async def story(world: World) -> None:
        payment = await let_go(world, "deliverable/check")
        world.orders = world.service(chain=Chain(world))
        payment["payload"]["signature"] = "0x" + "cd" * 65
        assert isinstance(await world.take("deliverable/check", payment), Pending)
        assert (world.row.state, world.payments.booked) == (PaymentState.RELEASED, [])

    run(story)


def test_a_used_authorization_that_was_never_ours_is_offered_as_ever() -> None:
    async def story(world: World) -> None:
        world.facilitator.verify_says = lambda _call: said(
            isValid=False, invalidReason="invalid_exact_evm_nonce_already_used"
        )
        outcome = await world.take(payment=await world.paid())
        assert isinstance(outcome, Offered)
        assert world.payments.rows == {}

    run(story)
