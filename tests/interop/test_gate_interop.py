"""The official client pays what the gate offers: it reads the offer, signs, and what it sends is taken as it is."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from assay402.service.order import Declined, Delivered, Offered
from assay402.wire.transport import decode_header, encode_header
from service.test_money import MALFORMED
from service.test_offers import NINE, TERMS, Receipts
from service.world import BASE, PAID, SETTINGS, World, run

pytest.importorskip("x402", reason="the official SDK comes with the extra `interop`")
pytest.importorskip("eth_account", reason="comes with the same extra")


def payer() -> Any:
    from eth_account import Account
    from x402 import x402Client
    from x402.mechanisms.evm import EthAccountSigner
    from x402.mechanisms.evm.exact import register_exact_evm_client

    client = x402Client()
    register_exact_evm_client(client, EthAccountSigner(Account.from_key("0x" + "11" * 32)))
    return client


async def sent_by(client: Any, offered: Offered) -> Any:
    from x402.http.utils import decode_payment_required_header, encode_payment_signature_header

    required = decode_payment_required_header(encode_header(offered.payment_required))
    payload = await client.create_payment_payload(required)
    header = decode_header(encode_payment_signature_header(payload))
    assert header is not None
    return json.loads(header)


@pytest.mark.parametrize(
    "seams", [{}, {"terms": TERMS, "offer_receipts": Receipts()}], ids=["", "all extensions"]
)
@pytest.mark.parametrize("name", PAID)
def test_the_official_client_pays_our_offer_and_its_retry_is_the_same_payment(name: str, seams: Any) -> None:
    async def story(world: World) -> None:
        # The client signs for the time on its own clock.
        world.clock.now = datetime.now(UTC)
        offered = await world.take(name)
        assert isinstance(offered, Offered)
        payment = await sent_by(payer(), offered)
        assert payment["accepted"]["network"] == BASE
        first = await world.take(name, payment, quote_id=offered.quote_id)
        assert isinstance(first, Delivered), first
        again = await world.take(name, payment)
        assert isinstance(again, Delivered)
        assert again.settlement is not None
        assert len(world.facilitator.moved) == 1

    run(story, **seams)


@pytest.mark.parametrize("change", [{}, {"tags": ["a"]}, {"iconUrl": None}, *MALFORMED.values()])
def test_a_payment_that_the_official_reader_refuses_is_refused_by_ours(change: dict[str, Any]) -> None:
    from pydantic import ValidationError
    from x402.schemas import PaymentPayload

    async def story(world: World) -> None:
        payment = await world.paid()
        payment["resource"] = {**payment["resource"], **change}
        try:
            PaymentPayload.model_validate(payment)
        except ValidationError:
            is_read = False
        else:
            is_read = True
        assert isinstance(await world.take(payment=payment), Delivered if is_read else Declined)

    run(story)


def test_the_official_reader_takes_an_offer_over_every_network_of_the_contract() -> None:
    from msgspec.structs import replace
    from x402.http.utils import decode_payment_required_header

    async def story(world: World) -> None:
        world.facilitator.networks = {network: {} for network in NINE}
        orders = world.service()
        offered = await orders.take(world.order("deliverable/check"))
        assert isinstance(offered, Offered)
        required = decode_payment_required_header(encode_header(offered.payment_required))
        assert [each.network for each in required.accepts] == list(NINE)

    run(story, settings=replace(SETTINGS, networks=NINE))
