"""Paid tools: the offer in an error, the payment and the receipt in `_meta`, through the same gate as HTTP."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from assay402.mcp_server.server import make_server
from mcp_wire import PATIENCE, Wire, wire
from service.facilitator_server import said
from service.world import ALICE, CLAIMS, DELIVERABLE, DIALECT, PRICES, World, run

ARGUMENTS = {
    "dialect_check": json.loads(DIALECT),
    "deliverable_check": json.loads(DELIVERABLE),
    "fahce_diagnose_integrity": {"request": json.loads(CLAIMS)},
}
KEEPING = "fahce_diagnose_integrity"
KEY = "a-key-of-mine"


def told(story: Callable[[World, Wire], Coroutine[Any, Any, None]], **seams: Any) -> None:
    """Tell a story of a paid server and its client."""

    async def in_world(world: World) -> None:
        async with wire(make_server(world.orders.take, prices=PRICES)) as client:
            await client.hello()
            await story(world, client)

    run(in_world, **seams)


async def offered(client: Wire, tool: str, arguments: Any = None) -> Any:
    """Call without paying, and give the offer."""
    result = await client.call(tool, arguments or ARGUMENTS[tool])
    assert result["isError"] is True
    return result["structuredContent"]


async def paid(client: Wire, tool: str, payment: Any, arguments: Any = None) -> Any:
    return await client.call(tool, arguments or ARGUMENTS[tool], {"x402/payment": payment})


def text(result: Any) -> Any:
    return json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_call_without_a_payment_is_an_error_that_offers(tool: str) -> None:
    """Page x402, 2.3: the PaymentRequired as structured content and, the same, as text."""

    async def story(world: World, client: Wire) -> None:
        result = await client.call(tool, ARGUMENTS[tool])
        offer = result["structuredContent"]
        assert result["isError"] is True
        assert text(result) == offer
        assert offer["x402Version"] == 2
        assert offer["resource"]["url"] == f"mcp://tool/{tool}"
        described = offer["extensions"]["bazaar"]["info"]["input"]
        assert (described["type"], described["toolName"]) == ("mcp", tool)
        assert world.facilitator.count("verify") == 0

    told(story)


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_paid_call_is_answered_with_its_receipt_and_its_signature(tool: str) -> None:
    async def story(world: World, client: Wire) -> None:
        result = await paid(client, tool, world.payment(await offered(client, tool)))
        assert result["isError"] is False
        assert text(result) == result["structuredContent"]
        settlement = result["_meta"]["x402/payment-response"]
        assert settlement["success"] is True
        assert settlement["payer"].lower() == ALICE
        length = len(result["content"][0]["text"].encode())
        assert result["_meta"]["assay402/headers"]["Assay-Signature"] == f"signed {length}"
        assert world.facilitator.count("settle") == 1

    told(story)


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_replayed_payment_is_not_charged_twice(tool: str) -> None:
    """Issue 8, evidence 2."""

    async def story(world: World, client: Wire) -> None:
        payment = world.payment(await offered(client, tool))
        first, second = await paid(client, tool, payment), await paid(client, tool, payment)
        assert second["isError"] is False
        assert second["_meta"]["x402/payment-response"] == first["_meta"]["x402/payment-response"]
        assert world.facilitator.count("settle") == 1
        assert len(world.facilitator.moved) == 1
        if tool != "dialect_check":
            assert second["content"] == first["content"]
            assert second["_meta"]["assay402/replayed"] is True

    told(story)


def test_a_payment_taken_over_http_is_known_to_the_tool() -> None:
    """One gate and one ledger, whatever the face."""

    async def story(world: World, client: Wire) -> None:
        _, payment = await world.buy("claims/diagnose")
        result = await paid(client, KEEPING, payment)
        assert result["isError"] is False, text(result)
        assert world.facilitator.count("settle") == 1

    told(story)


def test_a_settlement_that_is_refused_withholds_the_answer_and_offers_again() -> None:
    async def story(world: World, client: Wire) -> None:
        world.facilitator.settle_says = lambda _call: said(
            success=False, errorReason="insufficient_funds", transaction="", network=""
        )
        result = await paid(client, KEEPING, world.payment(await offered(client, KEEPING)))
        assert result["isError"] is True
        assert text(result) == result["structuredContent"]
        assert result["structuredContent"]["accepts"]
        assert result["_meta"]["x402/payment-response"]["success"] is False
        assert "diagnosis" not in json.dumps(result)

    told(story)


def test_a_settlement_in_doubt_is_pending_and_no_new_offer() -> None:
    async def story(world: World, client: Wire) -> None:
        world.facilitator.settle_says = lambda _call: said(500)
        payment = world.payment(await offered(client, KEEPING))
        result = await paid(client, KEEPING, payment)
        assert result["isError"] is True
        assert text(result)["code"] == "payment_pending"
        assert text(result)["retry_after_seconds"] > 0
        assert "do not sign another" in text(result)["detail"]
        assert "accepts" not in result["structuredContent"]
        world.facilitator.settle_says = lambda _call: None
        world.clock.pass_by(200)
        await world.orders.reconcile()
        again = await paid(client, KEEPING, payment)
        assert again["isError"] is False
        assert len(world.facilitator.moved) == 1

    told(story)


@pytest.mark.parametrize(
    ("payment", "code"),
    [
        ("a text", "invalid_payload"),
        ([], "invalid_payload"),
        (None, "invalid_payload"),
        ({"x402Version": 1, "scheme": "exact"}, "payment_version"),
        ({"x402Version": 2}, "invalid_payload"),
    ],
)
def test_what_is_no_payment_is_an_error_with_its_code_and_no_offer(payment: Any, code: str) -> None:
    async def story(world: World, client: Wire) -> None:
        result = await paid(client, KEEPING, payment)
        assert result["isError"] is True
        assert text(result)["code"] == code
        assert "PAYMENT-SIGNATURE" not in json.dumps(result)
        assert world.facilitator.count("verify") == 0

    told(story)


def test_a_request_that_cannot_be_answered_never_sees_an_offer() -> None:
    async def story(_world: World, client: Wire) -> None:
        result = await client.call("dialect_check", {"mode": "probe"})
        assert result["isError"] is True
        assert text(result) == result["structuredContent"]
        assert "accepts" not in text(result)
        assert text(result)["code"] == "nothing_to_grade"

    told(story)


def test_a_free_tool_of_a_paid_service_is_free() -> None:
    async def story(world: World, client: Wire) -> None:
        result = await client.call("terms_extract", {"doc": {"x402Version": 2, "accepts": []}})
        assert result["isError"] is False
        assert world.facilitator.count("verify") == 0

    told(story)


def test_a_key_of_a_payer_gives_the_answer_again_without_a_second_settlement() -> None:
    async def story(world: World, client: Wire) -> None:
        keyed = {**ARGUMENTS[KEEPING], "idempotency_key": KEY}
        offer = await offered(client, KEEPING, keyed)
        first = await paid(client, KEEPING, world.payment(offer), keyed)
        again = await paid(client, KEEPING, world.payment(offer), keyed)
        assert first["structuredContent"]["binding"]["idempotency_key"] == KEY
        assert again["content"] == first["content"]
        assert world.facilitator.count("settle") == 1

    told(story)


def test_a_client_that_leaves_after_paying_has_paid_once_and_finds_its_answer() -> None:
    async def in_world(world: World) -> None:
        world.facilitator.hold = asyncio.Event()
        async with wire(make_server(world.orders.take, prices=PRICES)) as client:
            await client.hello()
            payment = world.payment(await offered(client, KEEPING))
            meta = {"x402/payment": payment}
            params = {"name": KEEPING, "arguments": ARGUMENTS[KEEPING], "_meta": meta}
            await client.ask("tools/call", params)
            async with asyncio.timeout(PATIENCE):
                await world.facilitator.entered.wait()
        world.facilitator.hold.set()
        async with asyncio.timeout(PATIENCE):
            await world.orders.drained()
        assert len(world.facilitator.moved) == 1
        async with wire(make_server(world.orders.take, prices=PRICES)) as client:
            await client.hello()
            result = await paid(client, KEEPING, payment)
            assert result["isError"] is False
        assert world.facilitator.count("settle") == 1

    run(in_world)


def test_a_facilitator_that_is_down_sells_nothing() -> None:
    async def story(world: World, client: Wire) -> None:
        world.facilitator.supported_says = lambda: said(500)
        result = await client.call(KEEPING, ARGUMENTS[KEEPING])
        assert result["isError"] is True
        assert "accepts" not in text(result)
        assert text(result)["retry_after_seconds"] > 0

    told(story)
