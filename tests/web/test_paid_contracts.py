"""Issue 7, evidence 5: the endpoints of each contract, with their statuses and headers, on the whole service in paid mode."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import facilitator_faults as faults
from assay402.formats.schema import schemas_of
from assay402.service.resources import PATHS
from service.world import BASE, BOB, CLAIMS, PRICES, PROBE
from web.canaries import Canaries, Seller
from web.paid import Money, PaidService, facilitator, paid_service, transaction, unpacked

DELIVERABLE = "/api/x402/DELIVERABLE_ACCEPTANCE_CHECK"
INTEGRITY = ("diagnose", "repair", "verify", "repair-bundle")


class World:
    """A service, its facilitator, and the seller its checks meet."""

    def __init__(self, running: PaidService, money: Money, seller: Seller) -> None:
        self.running = running
        self.money = money
        self.seller = seller


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("contracts")
    seller = Seller(Canaries())
    with facilitator() as money, paid_service(folder, money, fetcher=seller.fetch) as running:
        yield World(running, money, seller)


def example(name: str) -> Any:
    return schemas_of(*name.split("/")).example


@pytest.mark.parametrize("name", PRICES)
def test_what_is_sold_is_offered_for_its_price_and_answered_signed_when_paid(world: World, name: str) -> None:
    path, running = PATHS[name], world.running
    offered = running.ask(name)
    assert (offered.status, offered.header("Content-Type")) == (402, "application/json")
    offer = unpacked(offered.header("PAYMENT-REQUIRED"))
    assert offered.json == offer
    assert (offer["x402Version"], offer["resource"]["url"]) == (2, f"https://assay.shop.dev{path}")
    assert {(each["scheme"], each["amount"]) for each in offer["accepts"]} == {("exact", str(PRICES[name]))}
    assert offer["accepts"][0]["network"] == BASE
    assert "payment-identifier" in offer["extensions"]
    payment = running.payment(name)
    paid = running.ask(name, payment)
    assert (paid.status, paid.header("Content-Type")) == (200, "application/json")
    settlement = unpacked(paid.header("PAYMENT-RESPONSE"))
    assert (settlement["success"], settlement["amount"]) == (True, str(PRICES[name]))
    assert paid.header("Assay-Signature") is not None
    assert paid.header("Cache-Control") == "no-store"


@pytest.mark.parametrize("name", PRICES)
def test_the_statuses_of_the_contracts(world: World, name: str) -> None:
    """400 for a field, 402 with an offer, 202 while it is worked on, 503 where nothing is admitted: nothing is moved."""
    running, before = world.running, world.money.moved
    malformed = running.ask(name, body=b'{"nonsense":1}')
    assert malformed.status == 400
    assert malformed.header("PAYMENT-REQUIRED") is None
    assert running.ask(name).status == 402
    payment = running.payment(name, payer=BOB)
    world.money.faulty.faults["/verify"] = faults.unavailable
    not_now = running.ask(name, payment)
    world.money.faulty.faults.clear()
    assert not_now.status == 503
    assert not_now.header("Retry-After") is not None
    world.money.faulty.faults["/settle"] = faults.unavailable
    pending = running.ask(name, payment)
    world.money.faulty.faults.clear()
    assert pending.status == 202
    assert pending.json["code"] == "payment_pending"
    assert world.money.moved == before
    assert running.insist(name, payment).status == 200
    assert world.money.moved == before + 1


def test_work_that_cannot_be_done_is_422_and_moves_nothing(world: World) -> None:
    before, payment = world.money.moved, world.running.payment("dialect/check", PROBE)
    world.seller.breaks = True
    failed = world.running.ask("dialect/check", payment, body=PROBE)
    world.seller.breaks = False
    assert (failed.status, failed.json["code"]) == (422, "not_produced")
    assert failed.header("PAYMENT-RESPONSE") is None
    assert world.money.moved == before
    assert world.running.ask("dialect/check", payment, body=PROBE).status == 200
    assert world.money.moved == before + 1


def test_the_endpoints_of_the_dialect_check(world: World) -> None:
    running = world.running
    assert running.call("GET", "/dialect-check/criteria").json["service"] == "dialect-check"
    assert running.ask("dialect/precheck").status == 200
    assert (running.call("GET", "/dialect-check/metrics").header("Content-Type") or "").startswith(
        "text/plain"
    )
    for path in ("/dialect-check", "/dialect-check/", "/dialect-check/report", "/dialect-check/check/x"):
        refused = running.post(path, {})
        assert refused.status == 404
    assert running.post("/dialect-check/report", {}).json["title"] == "NOT COVERED"


def test_the_free_pre_check_beyond_its_allowance_is_the_offer_of_the_check(world: World) -> None:
    body = b'{"mode":"submitted","caller":"somebody","artefact":{"body_obj":{}}}'
    assert world.running.ask("dialect/precheck", body=body).status == 200
    beyond = world.running.ask("dialect/precheck", body=body)
    assert beyond.status == 402
    offer = unpacked(beyond.header("PAYMENT-REQUIRED"))
    assert offer["resource"]["url"] == f"https://assay.shop.dev{PATHS['dialect/check']}"


def test_the_endpoints_and_headers_of_the_acceptance_check(world: World) -> None:
    running, name = world.running, "deliverable/check"
    document = running.call("GET", "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json").json
    assert (document["method"], document["resourcePath"]) == ("POST", DELIVERABLE)
    offered = running.ask(name)
    offer = unpacked(offered.header("PAYMENT-REQUIRED"))
    assert {each["extra"]["quoteId"] for each in offer["accepts"]} == {offered.header("ARBITER-QUOTE-ID")}
    payment = running.payment(name)
    quote = {"ARBITER-QUOTE-ID": payment["accepted"]["extra"]["quoteId"]}
    paid = running.ask(name, payment, headers=quote)
    assert paid.status == 200
    logical = paid.header("ARBITER-LOGICAL-PAYMENT-ID")
    assert logical
    assert paid.header("Assay-Evidence-Cutoff") is not None
    again = running.ask(name, payment)
    assert (again.status, again.body, again.header("ARBITER-LOGICAL-PAYMENT-ID")) == (200, paid.body, logical)
    assert running.post(f"{DELIVERABLE}/lint", example("deliverable/lint")).status == 200


@pytest.mark.parametrize("name", ["deliverable/check", "claims/diagnose"])
def test_a_retry_under_a_payment_identifier_is_the_cached_delivery(world: World, name: str) -> None:
    running, named = world.running, f"an-id-of-ours-{name.replace('/', '-')}"
    first = running.ask(name, running.payment(name, payment_id=named))
    before = world.money.moved
    fresh = running.ask(name, running.payment(name, payment_id=named))
    assert (first.status, fresh.status) == (200, 200)
    assert (fresh.body, transaction(fresh)) == (first.body, transaction(first))
    assert fresh.header("Assay-Signature") == first.header("Assay-Signature")
    assert fresh.header("Idempotent-Replay") == "true"
    assert world.money.moved == before


@pytest.mark.parametrize("route", INTEGRITY)
def test_the_endpoints_of_the_integrity_check(world: World, route: str) -> None:
    running, name = world.running, f"claims/{route}"
    assert PATHS[name] == f"/api/v1/{route}"
    request = CLAIMS if route == "diagnose" else None
    payment = running.payment(name, request)
    paid = running.ask(name, payment, body=request, headers={"Idempotency-Key": f"key-of-{route}"})
    assert paid.status == 200
    receipt = f"/api/v1/receipts/{paid.json['request_id']}"
    bearer = {"Authorization": f"Bearer {paid.json['binding']['nonce']}"}
    assert (running.call("GET", receipt).status, running.call("GET", receipt, headers=bearer).body) == (
        404,
        paid.body,
    )
