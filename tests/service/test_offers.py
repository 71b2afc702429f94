"""Offers: what strict clients want, in as many bytes as a header holds, and quotes that nobody can make but we."""

import json
from datetime import timedelta
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import replace

from assay402.checks import CHECKS
from assay402.core.check import Faces
from assay402.core.errors import TheirError
from assay402.net.answerer import NetworkAnswerer
from assay402.service.assets import known_assets
from assay402.service.discovery import examples
from assay402.service.offer import MAX_HEADER, UNPAID, Offers, with_quote
from assay402.service.order import Declined, Delivered, Offered
from assay402.service.orders import Orders
from assay402.service.quote import quote_holds, quote_id
from assay402.service.settings import Settings
from assay402.wire.transport import encode_header
from assay402.wire.validity import validity
from service.facilitator_server import FEE_PAYER
from service.test_attacks import OTHER_DELIVERABLE
from service.world import (
    BASE,
    DELIVERABLE,
    NOON,
    PAY_TO,
    RESOURCES,
    SECRET,
    SETTINGS,
    SOLANA,
    SOLANA_PAY_TO,
    World,
    run,
)

NINE = (
    "eip155:1", "eip155:10", "eip155:1329", "eip155:137", "eip155:143", "eip155:42161", "eip155:43114", "eip155:5042",
    "eip155:8453",
)  # fmt: skip
"""The networks the acceptance contract names."""
TERMS = {
    "ref": {"type": "sha256", "value": "0x" + "ab" * 32},
    "termsUrl": "https://assay.shop.dev/terms/2026-11",
}
SOLD = tuple(sorted(examples()))


class Receipts:
    """Signs offers with as many bytes as an Ed25519 signature in compact form takes."""

    def offers(self, resource_url: str, accepts: Any, now: Any) -> Any:
        """Sign an offer for each entry."""
        signed = [
            {"format": "jws", "signature": "x" * 620, "acceptIndex": index} for index, _ in enumerate(accepts)
        ]
        return {
            "info": {"offers": signed},
            "schema": {"type": "object"},
            "about": [resource_url, now.isoformat()],
        }

    def receipt(self, resource_url: str, network: str, payer: str, transaction: str, now: Any) -> Any:
        """Sign what it was told."""
        told = [resource_url, network, payer, transaction, now.isoformat()]
        return {
            "info": {"receipt": {"format": "jws", "signature": "|".join(told)}},
            "schema": {"type": "object"},
        }


def settings_for(*networks: str) -> Settings:
    return replace(SETTINGS, networks=networks)


def made(settings: Settings, name: str, **seams: Any) -> tuple[bytes, Any]:
    offers = Offers(settings, server_key=SECRET, **seams)
    resource = replace(RESOURCES[name], price=40_000)
    offer = offers.offer(resource, {network: {"feePayer": FEE_PAYER} for network in settings.networks})
    assert offer is not None
    if resource.is_quoted:
        offer = offers.quoted(offer, resource, "ab" * 32, NOON)
    return offers.payment_required(offer, resource, UNPAID, NOON), offer


@pytest.mark.parametrize("receipts", [None, Receipts()], ids=["", "signed"])
@pytest.mark.parametrize("terms", [None, TERMS], ids=["", "terms"])
@pytest.mark.parametrize("networks", [NINE[:1], NINE, (*NINE, SOLANA)], ids=len)
@pytest.mark.parametrize("name", SOLD)
def test_every_offer_fits_the_header_and_is_well_formed(
    name: str, networks: Any, terms: Any, receipts: Any
) -> None:
    data, _ = made(settings_for(*networks), name, terms=terms, receipts=receipts)
    assert len(encode_header(data)) <= MAX_HEADER
    offer = json.loads(data)
    assert validity(offer, "payment_required", 2).violation is None
    assert [each["network"] for each in offer["accepts"]] == list(networks)
    assert all(type(each["amount"]) is str for each in offer["accepts"])
    assert offer["resource"]["url"].startswith("https://assay.shop.dev/")
    assert type(offer["resource"]["description"]) is str
    assert ("legalContext" in offer["extensions"]) == (terms is not None)


@pytest.mark.parametrize("name", SOLD)
def test_the_catalogue_entry_validates_against_its_own_schema_and_is_an_order_we_take(name: str) -> None:
    offer = json.loads(made(settings_for(BASE), name)[0])
    bazaar = offer["extensions"]["bazaar"]
    assert jsonschema_rs.is_valid(bazaar["schema"], bazaar["info"])
    operation = RESOURCES[name].operation
    request = json.dumps(bazaar["info"]["input"]["body"]).encode()
    given = operation.admit(operation.read(request, operation.request_bytes))
    assert not hasattr(given, "is_ours"), given
    assert "https://assay.shop.dev/openapi.json" in json.dumps(bazaar["schema"])


def test_every_operation_of_the_network_can_be_sold() -> None:
    offered = {
        f"{check.name}/{operation.name}"
        for check in CHECKS
        for operation in check.operations
        if operation.faces is Faces.EVERYWHERE
    }
    assert offered == set(SOLD)


def test_an_evm_entry_names_its_domain_and_a_solana_entry_its_fee_payer() -> None:
    offer = json.loads(made(settings_for(BASE, SOLANA), "dialect/check")[0])
    assert offer["accepts"] == [
        {
            "scheme": "exact", "network": BASE, "amount": "40000",
            "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "payTo": PAY_TO, "maxTimeoutSeconds": 300,
            "extra": {"name": "USD Coin", "version": "2"},
        },
        {
            "scheme": "exact", "network": SOLANA, "amount": "40000",
            "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "payTo": SOLANA_PAY_TO,
            "maxTimeoutSeconds": 300, "extra": {"feePayer": FEE_PAYER},
        },
    ]  # fmt: skip


def test_the_contracts_networks_are_known_with_its_assets() -> None:
    assert set(NINE) <= set(known_assets())


def test_a_network_the_facilitator_does_not_serve_is_not_offered() -> None:
    offers = Offers(settings_for(BASE, SOLANA), server_key=SECRET)
    resource = RESOURCES["dialect/check"]
    one = offers.offer(resource, {BASE: {}})
    assert one is not None
    assert [entry["network"] for entry in one.accepts] == [BASE]
    without_fee_payer = offers.offer(resource, {BASE: {}, SOLANA: {}})
    assert without_fee_payer is not None
    assert [entry["network"] for entry in without_fee_payer.accepts] == [BASE]
    assert offers.offer(resource, {}) is None


def test_an_offer_that_does_not_move_is_made_once_and_the_memory_is_bounded() -> None:
    offers = Offers(settings_for(BASE, SOLANA), server_key=SECRET)
    resource = RESOURCES["dialect/check"]
    assert offers.offer(resource, {BASE: {}}) is offers.offer(resource, {BASE: {}})
    first = offers.offer(resource, {BASE: {}})
    for turn in range(300):
        offers.offer(resource, {BASE: {}, SOLANA: {"feePayer": f"payer{turn}"}})
    assert offers.offer(resource, {BASE: {}}) == first


@pytest.mark.parametrize(
    ("setting", "asset"),
    [
        ((BASE, "0x1111111111111111111111111111111111111111"), ("USD Coin", "2")),
        ((BASE, "0x1111111111111111111111111111111111111111/Test Dollar/1"), ("Test Dollar", "1")),
    ],
)
def test_a_setting_names_another_token(setting: tuple[str, str], asset: tuple[str, str]) -> None:
    offer = json.loads(made(replace(settings_for(BASE), assets=(setting,)), "dialect/check")[0])
    assert offer["accepts"][0]["asset"] == "0x1111111111111111111111111111111111111111"
    assert offer["accepts"][0]["extra"] == {"name": asset[0], "version": asset[1]}


def test_a_setting_names_another_mint() -> None:
    settings = replace(settings_for(SOLANA), assets=((SOLANA, SOLANA_PAY_TO),))
    offer = json.loads(made(settings, "dialect/check")[0])
    assert (offer["accepts"][0]["asset"], offer["accepts"][0]["extra"]) == (
        SOLANA_PAY_TO,
        {"feePayer": FEE_PAYER},
    )


def test_settings_that_cannot_be_offered_are_named() -> None:
    for settings, code in (
        (settings_for("eip155:31337"), "asset_unknown"),
        (replace(settings_for("eip155:31337"), assets=(("eip155:31337", PAY_TO),)), "asset_unknown"),
        (replace(settings_for(BASE, SOLANA), pay_to=(("eip155:*", PAY_TO),)), "pay_to_missing"),
    ):
        with pytest.raises(TheirError) as raised:
            Offers(settings, server_key=SECRET)
        assert raised.value.code == code
    with pytest.raises(TheirError) as raised:
        made(settings_for(BASE), "dialect/check", terms={"ref": {"type": "nothing"}})
    assert raised.value.code == "terms_not_placed"
    with pytest.raises(TheirError) as raised:
        made(
            replace(settings_for(*NINE), public_url=f"https://{'a' * 60}.shop.dev/{'b' * 2_000}"),
            "dialect/check",
        )
    assert raised.value.code == "offer_too_long"


def test_the_time_of_an_offer_is_never_too_short_for_its_own_verification() -> None:
    settings = replace(settings_for(BASE), max_timeout_seconds=1)
    offer = json.loads(made(settings, "listing/check")[0])
    assert offer["accepts"][0]["maxTimeoutSeconds"] >= RESOURCES["listing/check"].work_seconds + 30


def test_signed_offers_and_receipts_travel_in_their_extension() -> None:
    async def story(world: World) -> None:
        outcome, payment = await world.buy()
        assert "offer-receipt" in payment["extensions"]
        assert outcome.settlement is not None
        receipt = json.loads(json.dumps(outcome.settlement["extensions"]))["offer-receipt"]["info"]["receipt"]
        (moved,) = world.facilitator.moved.values()
        told = ["https://assay.shop.dev/dialect/check", BASE, moved[0], moved[3], NOON.isoformat()]
        assert receipt["signature"] == "|".join(told)

    run(story, offer_receipts=Receipts())


@pytest.mark.parametrize("name", ["dialect/check", "claims/diagnose"])
def test_a_replay_gives_the_same_receipt_whenever_it_comes(name: str) -> None:
    """A bug of the past: the receipt was signed anew with the time of the replay."""

    async def story(world: World) -> None:
        first, payment = await world.buy(name)
        world.clock.pass_by(90)
        again = await world.take(name, payment)
        assert isinstance(again, Delivered)
        assert again.settlement == first.settlement

    run(story, offer_receipts=Receipts())


# Quotes.


def test_a_quote_is_bound_to_request_price_offer_and_time() -> None:
    accepts = [{"scheme": "exact", "amount": "40000"}]
    made_id = quote_id(SECRET, "ab" * 32, 40_000, accepts, NOON + timedelta(seconds=300))
    assert len(made_id) == 50

    def holds(
        sent: str = made_id, key: bytes = SECRET, root: str = "ab" * 32, price: int = 40_000, **more: Any
    ) -> bool:
        return quote_holds(sent, key, root, price, more.get("accepts", accepts), more.get("now", NOON))

    assert holds()
    assert holds(now=NOON + timedelta(seconds=300))
    assert not holds(now=NOON + timedelta(seconds=301))
    assert not holds(key=b"x" * 32)
    assert not holds(root="cd" * 32)
    assert not holds(price=1)
    assert not holds(accepts=[])
    for index in range(50):
        assert (
            not holds(made_id[:index] + ("A" if made_id[index] != "A" else "B") + made_id[index + 1 :])
            or index == 49
        )
    for garbage in ("", "x", "=" * 50, "ä" * 50, "!" * 50, made_id + "A", "_" * 50):
        assert not holds(garbage)


def test_an_acceptance_check_is_sold_by_quote() -> None:
    async def story(world: World) -> None:
        name = "deliverable/check"
        outcome = await world.take(name)
        assert isinstance(outcome, Offered)
        offer = json.loads(outcome.payment_required)
        assert {entry["extra"]["quoteId"] for entry in offer["accepts"]} == {outcome.quote_id}
        payment = world.payment(offer)
        for sent, error in (("x" * 50, "quote_mismatch"), ("", "quote_mismatch")):
            refused = await world.take(name, payment, quote_id=sent)
            assert isinstance(refused, Offered)
            assert json.loads(refused.payment_required)["error"] == error
        assert isinstance(await world.take(name, payment, quote_id=outcome.quote_id), Delivered)

    run(story)


def test_a_quote_for_another_request_or_past_its_end_is_a_new_offer_and_settles_nothing() -> None:
    async def story(world: World) -> None:
        name = "deliverable/check"
        payment = await world.paid(name)
        other = await world.take(name, payment, request=OTHER_DELIVERABLE)
        assert isinstance(other, Offered)
        assert json.loads(other.payment_required)["error"] == "quote_expired"
        without = json.loads(json.dumps(payment))
        del without["accepted"]["extra"]["quoteId"]
        outcome = await world.take(name, without)
        assert isinstance(outcome, Offered)
        assert json.loads(outcome.payment_required)["error"] == "quote_mismatch"
        long_lived = await world.paid(name, lives=10_000)
        world.clock.pass_by(301)
        late = await world.take(name, long_lived)
        assert isinstance(late, Offered)
        assert (world.payments.rows, world.facilitator.moved) == ({}, {})

    run(story)


def test_the_same_request_spelled_otherwise_has_the_same_quote() -> None:
    async def story(world: World) -> None:
        payment = await world.paid("deliverable/check")
        spelled = json.dumps(json.loads(DELIVERABLE), indent=2, sort_keys=True).encode()
        first = await world.take("deliverable/check", payment, request=spelled)
        again = await world.take("deliverable/check", payment)
        assert isinstance(first, Delivered)
        assert isinstance(again, Delivered)
        assert again.body == first.body

    run(story)


def test_other_rooms_have_no_quote_and_no_digest_of_a_request() -> None:
    async def story(world: World) -> None:
        outcome = await world.take("dialect/check")
        assert isinstance(outcome, Offered)
        assert outcome.quote_id is None
        assert b"quoteId" not in outcome.payment_required

    run(story)


def test_a_quote_changes_nothing_but_extra() -> None:
    _, offer = made(settings_for(BASE), "dialect/check")
    quoted = with_quote(offer, "q" * 50)
    assert quoted.accepts[0]["extra"] == {**offer.accepts[0]["extra"], "quoteId": "q" * 50}
    assert quoted.document["extensions"] == offer.document["extensions"]


def test_payments_required_without_a_facilitator_is_named() -> None:
    async def story(world: World) -> None:
        with pytest.raises(TheirError) as raised:
            Orders(
                settings=SETTINGS, resources=(), payments=world.payments, free_tier=world.free_tier,
                answerer=NetworkAnswerer(world.fetch), sign=lambda _resource, _body: (), server_key=SECRET, clock=world.clock,
            )  # fmt: skip
        assert raised.value.code == "facilitator_unset"
        listed = await world.orders.offer(RESOURCES["dialect/check"])
        assert listed is not None
        assert json.loads(listed)["accepts"]
        assert await world.orders.offer(RESOURCES["deliverable/lint"]) is None
        world.facilitator.networks = {}
        again = world.service()
        assert await again.offer(RESOURCES["dialect/check"]) is None
        outcome = await again.take(world.order())
        assert isinstance(outcome, Declined)
        assert outcome.code == "facilitator_unavailable"

    run(story)
