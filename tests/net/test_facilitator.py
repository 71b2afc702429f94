"""The facilitator over HTTP: every outcome it may have, within its time, and none of its words."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from assay402.net.facilitator import HTTPFacilitator, Patience, operators_fetcher
from assay402.service.ports import Refused, Settled, Unknown, Verified
from service.facilitator_server import (
    CARELESS_TEXT,
    FEE_PAYER,
    FacilitatorServer,
    Reply,
    facilitator_server,
    named,
    said,
)
from service.world import ALICE, BASE, BOB, PAY_TO, SOLANA

HASH = "0x" + "ab" * 32
SIGNATURE = "5" * 87
"""Base58 of 64 bytes."""
ASSET = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
REQUIREMENTS: dict[str, Any] = {
    "scheme": "exact",
    "network": BASE,
    "amount": "10000",
    "asset": ASSET,
    "payTo": PAY_TO,
}
PAYLOAD: dict[str, Any] = {
    "x402Version": 2,
    "accepted": REQUIREMENTS,
    "payload": {"signature": "0xab", "authorization": {"from": ALICE, "to": PAY_TO, "nonce": "0x01"}},
}
PATIENT = Patience(
    verify_ms=10_000, settle_ms=10_000, supported_ms=10_000, pending_pause_seconds=0, apart_seconds=0
)
"""Long enough for a machine that does much else."""
QUICK = Patience(verify_ms=300, settle_ms=300, supported_ms=300, pending_pause_seconds=0, apart_seconds=0)
"""For a facilitator that does not answer."""
Story = Callable[[HTTPFacilitator, FacilitatorServer], Coroutine[Any, Any, None]]


def run(story: Story, patience: Patience = PATIENT, **seams: Any) -> list[float]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def told() -> None:
        async with asyncio.timeout(30), facilitator_server(BASE, SOLANA) as server:
            asked = HTTPFacilitator(
                f"{server.url}/x402/", fetcher=operators_fetcher(), patience=patience, sleep=sleep, **seams
            )
            await story(asked, server)

    asyncio.run(told())
    return slept


def test_a_payment_is_verified_and_settled() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        assert await facilitator.verify(PAYLOAD, REQUIREMENTS) == Verified(payer=ALICE)
        assert await facilitator.settle(PAYLOAD, REQUIREMENTS) == Settled(
            transaction=named("0x01", BASE), network=BASE, payer=ALICE, amount=10_000, asset=ASSET
        )
        assert [head.split(" ")[:2] for head in server.headers] == [
            ["POST", "/x402/verify"],
            ["POST", "/x402/settle"],
        ]
        assert server.bodies[0] == {
            "x402Version": 2,
            "paymentPayload": PAYLOAD,
            "paymentRequirements": REQUIREMENTS,
        }

    run(story)


def test_the_operators_headers_go_along() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        await facilitator.verify(PAYLOAD, REQUIREMENTS)
        await facilitator.extra(BASE)
        assert all("Authorization: Bearer s3cret" in head for head in server.headers)

    run(story, headers=(("Authorization", "Bearer s3cret"),))


SHOW_NOTHING: list[dict[str, Any]] = [
    {},
    *(
        {"transaction": each}
        for each in ("", "pending", "0xabc", HASH[2:], HASH + "0", SIGNATURE, CARELESS_TEXT, 7)
    ),
]
VERIFY = [
    (said(isValid=False, invalidReason="insufficient_funds"), Refused(reason="insufficient_funds")),
    (said(400, isValid=False, invalidReason="insufficient_funds"), Refused(reason="insufficient_funds")),
    (said(isValid=False, invalidReason=CARELESS_TEXT), Refused(reason="refused")),
    (said(isValid=False, invalidReason="x" * 81), Refused(reason="refused")),
    (said(isValid=False, invalidReason="psql_at_10_0_0_7"), Refused(reason="refused")),
    (
        said(isValid=False, invalidReason="permit2_allowance_required"),
        Refused(reason="permit2_allowance_required"),
    ),
    (said(isValid=False, invalidReason="permit2_" + "x" * 80), Refused(reason="refused")),
    (
        said(isValid=False, invalidReason="invalid_exact_evm_nonce_already_used"),
        Refused(reason="invalid_exact_evm_nonce_already_used", is_used=True),
    ),
    (said(isValid=False, invalidReason="nonce_used"), Refused(reason="refused", is_used=True)),
    (said(isValid=False, invalidMessage="Authorization is used"), Refused(reason="refused", is_used=True)),
    (said(isValid=False, invalidReason="Bad Thing"), Refused(reason="refused")),
    (said(isValid=False), Refused(reason="refused")),
    (said(isValid=True, payer=BOB), Verified(payer=BOB)),
    (said(isValid=True), Verified(payer=ALICE)),
    (said(isValid=True, payer=CARELESS_TEXT), Verified(payer=ALICE)),
    (said(isValid="true"), Unknown(retry_after_seconds=10)),
    (said(), Unknown(retry_after_seconds=10)),
    (said(500, isValid=True, payer=ALICE), Unknown(retry_after_seconds=10)),
    (Reply(200, CARELESS_TEXT.encode()), Unknown(retry_after_seconds=10)),
    (Reply(200, b"[]"), Unknown(retry_after_seconds=10)),
    (Reply(200, b"{" + b" " * 70_000 + b"}"), Unknown(retry_after_seconds=10)),
    (Reply(404, b"not here"), Unknown(retry_after_seconds=10)),
    # What contradicts itself says nothing.
    *(
        (said(status, isValid=True, payer=ALICE), Unknown(retry_after_seconds=10))
        for status in (201, 302, 400, 404, 500)
    ),
    (said(302, isValid=False, invalidReason="insufficient_funds"), Unknown(retry_after_seconds=10)),
    (said(isValid=True, payer=ALICE, invalidReason="insufficient_funds"), Unknown(retry_after_seconds=10)),
    (said(isValid=True, payer=ALICE, invalidMessage="no"), Unknown(retry_after_seconds=10)),
    (said(isValid=True, payer=ALICE, invalidReason=None, invalidMessage=""), Verified(payer=ALICE)),
    (said(isValid=True, success=False, payer=ALICE), Unknown(retry_after_seconds=10)),
    (Reply(200, b'{"isValid":false,"isValid":true}'), Unknown(retry_after_seconds=10)),
    (Reply(200, b'{"isValid":true,"extensions":{"a":1,"a":2}}'), Unknown(retry_after_seconds=10)),
]
CONTRADICTIONS = {
    **{
        f"a success of status {status}": said(status, success=True, transaction=HASH, network=BASE)
        for status in (201, 302, 400, 402, 404, 500)
    },
    "a refusal of status 302": said(302, success=False, errorReason="insufficient_funds"),
    "a reason": said(success=True, transaction=HASH, network=BASE, errorReason="insufficient_funds"),
    "a message": said(success=True, transaction=HASH, network=BASE, errorMessage="no funds"),
    "a reason that is no text": said(success=True, transaction=HASH, network=BASE, errorReason=[]),
    "another payer": said(success=True, transaction=HASH, network=BASE, payer=BOB),
    "another amount": said(success=True, transaction=HASH, network=BASE, amount="1"),
    "a no of the other kind": said(success=True, isValid=False, transaction=HASH, network=BASE),
    "no and yes": Reply(
        200, f'{{"success":false,"success":true,"transaction":"{HASH}","network":"{BASE}"}}'.encode()
    ),
    "twice below": Reply(
        200, f'{{"success":true,"transaction":"{HASH}","network":"{BASE}","x":{{"a":1,"a":1}}}}'.encode()
    ),
}


@pytest.mark.parametrize("reply", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_settlement_that_contradicts_itself_is_no_outcome(reply: Reply) -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.settle_says = lambda _call: reply
        assert await facilitator.settle(PAYLOAD, REQUIREMENTS) == Unknown(retry_after_seconds=10)

    run(story)


SETTLE = [
    (said(success=True, transaction=HASH, network=BASE, payer=ALICE.upper().replace("X", "x")), HASH),
    (said(success=True, transaction=HASH, network=BASE, amount="10000", errorReason=None), HASH),
    # Money may have moved: a success that shows no transaction is no outcome.
    *((said(success=True, network=BASE, **shown), Unknown(retry_after_seconds=10)) for shown in SHOW_NOTHING),
    (said(success=True, transaction=HASH, network="eip155:1"), Unknown(retry_after_seconds=10)),
    (said(success=True, transaction=HASH), Unknown(retry_after_seconds=10)),
    (said(success=False, errorReason="insufficient_funds"), Refused(reason="insufficient_funds")),
    (said(402, success=False, errorReason="insufficient_funds"), Refused(reason="insufficient_funds")),
    *(
        (said(success=False, errorReason=reason, transaction=""), Refused(reason=reason))
        for reason in (
            "invalid_exact_evm_payload_signature",
            "invalid_exact_evm_insufficient_balance",
            "invalid_exact_evm_payload_authorization_valid_before",
            "invalid_exact_svm_payload_mint_mismatch",
        )
    ),
    # Neither does a refusal say that nothing was sent, where its reason may be of a time after that.
    *(
        (said(success=False, errorReason=reason), Unknown(retry_after_seconds=10))
        for reason in (
            "refused",
            CARELESS_TEXT,
            "transaction_failed",
            "transaction_simulation_failed",
            "invalid_exact_evm_transaction_simulation_failed",
            "invalid_transaction_state",
            "unexpected_settle_error",
            "settle_exact_svm_transaction_confirmation_timed_out",
            "permit2_insufficient_balance",
        )
    ),
    (said(success=False), Unknown(retry_after_seconds=10)),
    *(
        (
            said(success=False, errorReason="insufficient_funds", transaction=each),
            Unknown(retry_after_seconds=10),
        )
        for each in (HASH, "x", 0)
    ),
    (said(success=False, errorReason="duplicate_settlement"), Unknown(retry_after_seconds=10)),
    (said(success=False, errorReason="nonce_used"), Unknown(retry_after_seconds=10)),
    (
        said(success=False, errorReason="x", errorMessage="authorization is used"),
        Unknown(retry_after_seconds=10),
    ),
    (said(success=False, errorReason="settlement_pending"), Unknown(retry_after_seconds=10)),
    (said(success="yes"), Unknown(retry_after_seconds=10)),
    (said(503), Unknown(retry_after_seconds=10)),
    (Reply(502, CARELESS_TEXT.encode()), Unknown(retry_after_seconds=10)),
    (Reply(200, b""), Unknown(retry_after_seconds=10)),
]


def is_read(reply: Reply) -> bool:
    """Tell whether an answer without an outcome is one that is not asked for again."""
    return reply.body in (b"{}", b'{"isValid": "true"}') or (
        reply.status == 200 and b'"isValid": true' in reply.body
    )


@pytest.mark.parametrize(("reply", "outcome"), VERIFY)
def test_each_answer_to_verify_has_its_outcome(reply: Reply, outcome: Any) -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.verify_says = lambda _call: reply
        got = await facilitator.verify(PAYLOAD, REQUIREMENTS)
        assert got == outcome
        assert CARELESS_TEXT not in repr(got)
        assert server.count("verify") == (2 if isinstance(outcome, Unknown) and not is_read(reply) else 1)

    run(story)


@pytest.mark.parametrize(("reply", "outcome"), SETTLE)
def test_each_answer_to_settle_has_its_outcome_and_is_asked_once(reply: Reply, outcome: Any) -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.settle_says = lambda _call: reply
        got = await facilitator.settle(PAYLOAD, REQUIREMENTS)
        assert (got.transaction if isinstance(got, Settled) else got) == outcome
        assert CARELESS_TEXT not in repr(got)
        assert server.count("settle") == (2 if b"settlement_pending" in reply.body else 1)

    run(story)


def test_a_refusal_after_a_settlement_was_pending_is_no_outcome() -> None:
    """It was sent then: what is said of the second call is not what became of the first."""

    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        pending = said(success=False, errorReason="settlement_pending", transaction="0x1")
        refused = said(success=False, errorReason="insufficient_funds")
        server.settle_says = lambda call: pending if call == 1 else refused
        assert await facilitator.settle(PAYLOAD, REQUIREMENTS) == Unknown(retry_after_seconds=10)
        server.settle_says = lambda _call: refused
        assert await facilitator.settle(PAYLOAD, REQUIREMENTS) == Refused(reason="insufficient_funds")

    run(story)


def test_a_pending_settlement_is_asked_about_once_more() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        pending = said(success=False, errorReason="settlement_pending", transaction="0x1")
        server.settle_says = lambda call: pending if call == 1 else None
        assert isinstance(await facilitator.settle(PAYLOAD, REQUIREMENTS), Settled)

    assert run(story) == [0]


def test_a_verification_without_an_answer_is_tried_once_more() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.verify_says = lambda call: Reply(500, b"") if call == 1 else None
        assert await facilitator.verify(PAYLOAD, REQUIREMENTS) == Verified(payer=ALICE)

    run(story)


@pytest.mark.parametrize(("told", "waits"), [("3", [3]), ("31", []), ("soon", [0])])
def test_retry_after_is_honoured_where_it_is_short_and_passed_on_where_it_is_long(
    told: str, waits: list[int]
) -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.verify_says = lambda call: Reply(429, b"{}", ("Retry-After", told)) if call == 1 else None
        got = await facilitator.verify(PAYLOAD, REQUIREMENTS)
        assert got == (Unknown(retry_after_seconds=31) if told == "31" else Verified(payer=ALICE))

    assert run(story) == waits


def test_a_slow_facilitator_is_not_waited_for() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.hold = asyncio.Event()
        assert isinstance(await facilitator.settle(PAYLOAD, REQUIREMENTS), Unknown)

    run(story, QUICK)


def test_a_facilitator_that_closes_without_an_answer_is_unknown_and_unreachable() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        assert await facilitator.is_reachable()
        server.is_down = True
        assert isinstance(await facilitator.verify(PAYLOAD, REQUIREMENTS), Unknown)
        assert isinstance(await facilitator.settle(PAYLOAD, REQUIREMENTS), Unknown)
        assert not await facilitator.is_reachable()
        server.is_down = False
        assert await facilitator.is_reachable()

    run(story)


@pytest.mark.parametrize("reply", [Reply(500, b""), Reply(200, b"<html>"), said(302, success=True)])
def test_a_fault_of_one_payment_does_not_make_it_unreachable(reply: Reply) -> None:
    """Else whoever finds a payment that the facilitator chokes on closes the service to all others."""
    moment = [0.0]

    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        assert await facilitator.is_reachable()
        server.verify_says = server.settle_says = lambda _call: reply
        for _ in range(20):
            assert isinstance(await facilitator.verify(PAYLOAD, REQUIREMENTS), Unknown)
            assert isinstance(await facilitator.settle(PAYLOAD, REQUIREMENTS), Unknown)
            assert await facilitator.is_reachable()
            moment[0] += 0.5
        # Asked anew, but no oftener than the questions are apart.
        assert server.count("supported") == 5

    run(story, Patience(apart_seconds=2), monotonic=lambda: moment[0])


def test_while_it_is_asked_whether_it_is_there_nobody_waits_for_the_answer() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        assert await facilitator.is_reachable()
        server.verify_says = lambda _call: Reply(500, b"")
        await facilitator.verify(PAYLOAD, REQUIREMENTS)
        held, begun = asyncio.Event(), asyncio.Event()
        answer = server.answer

        async def slowly(path: str, body: bytes) -> Reply:
            begun.set()
            await held.wait()
            return await answer(path, body)

        server.answer = slowly  # type: ignore[method-assign]
        asking = asyncio.create_task(facilitator.is_reachable())
        await begun.wait()
        assert await facilitator.is_reachable()
        held.set()
        assert await asking

    run(story, Patience(apart_seconds=0, verify_ms=300))


def test_what_is_supported_is_asked_once_for_a_while_and_remembered_through_an_outage() -> None:
    moment = [0.0]

    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        assert await facilitator.extra(BASE) == {}
        assert await facilitator.extra(SOLANA) == {"feePayer": FEE_PAYER}
        assert await facilitator.extra("eip155:1") is None
        assert server.count("supported") == 1
        moment[0] = 301.0
        server.supported_says = lambda: Reply(500, b"")
        assert await facilitator.extra(SOLANA) == {"feePayer": FEE_PAYER}
        assert server.count("supported") == 2
        server.supported_says = lambda: None
        server.networks = {}
        assert await facilitator.extra(SOLANA) is None

    run(story, monotonic=lambda: moment[0])


@pytest.mark.parametrize(
    "kinds",
    [
        "none",
        [1, {"scheme": "upto", "network": BASE, "x402Version": 2}],
        [{"scheme": "exact", "x402Version": 2}, {"scheme": "exact", "network": BASE, "x402Version": 1}],
    ],
)
def test_kinds_of_another_shape_are_not_supported(kinds: Any) -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.supported_says = lambda: said(kinds=kinds)
        assert await facilitator.extra(BASE) is None

    run(story)


def test_questions_whether_it_is_there_again_are_kept_apart() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.supported_says = lambda: Reply(500, b"")
        for _ in range(5):
            assert not await facilitator.is_reachable()
        assert server.count("supported") == 1

    run(story, Patience(apart_seconds=60))


def test_a_payer_that_nobody_names_is_no_verification() -> None:
    async def story(facilitator: HTTPFacilitator, server: FacilitatorServer) -> None:
        server.verify_says = lambda _call: said(isValid=True)
        got = await facilitator.verify({"payload": {"transaction": "AA=="}}, REQUIREMENTS)
        assert got == Refused(reason="unexpected_verify_error")

    run(story)
