"""Issue 7, evidence 1: official clients pay every paid route, and what is wrong with a payment moves nothing."""

import base64
import time
from collections.abc import Callable
from typing import Any

import pytest

from assay402.attest.publication import KeySet, read_keys
from assay402.attest.signature import Valid, verify_answer
from assay402.core.strictjson import write
from assay402.service.discovery import examples
from assay402.service.order import Resource
from assay402.service.resources import resources
from assay402.service.settings import Settings
from interop.node_client import NodeClient
from interop.payments import header, read_header, signed_payment

SOLD = {each.name: each for each in resources(Settings()) if each.price}
SOLANA = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
DIALECT = SOLD["dialect/check"]
KEEPS = SOLD["claims/diagnose"]
"""A room that keeps its answers."""


def body(resource: Resource) -> bytes:
    return write(examples()[resource.name].body)


def test_every_product_of_the_contracts_has_a_price() -> None:
    """What the tests below go through is what is sold."""
    assert {name: each.price for name, each in SOLD.items()} == {
        "dialect/check": 10_000,
        "deliverable/check": 40_000,
        "claims/diagnose": 20_000,
        "claims/repair": 20_000,
        "claims/verify": 20_000,
        "claims/repair-bundle": 20_000,
    }


@pytest.mark.parametrize("name", SOLD)
def test_the_official_python_client_pays_each_route_on_both_chains(
    service: Any, chain: Any, parties: Any, pay: Callable[..., Any], name: str
) -> None:
    resource = SOLD[name]
    for network in (chain.network.id, SOLANA):
        exchange = pay(f"{service.url}{resource.path}", body(resource), network=network)
        assert (exchange.status, exchange.is_settled) == (200, True)
        assert [each.after - each.before for each in exchange.balances] == [-resource.price, resource.price]
        assert exchange.receipt["network"] == network
        signature = dict(exchange.headers)["assay-signature"]
        assert isinstance(verify_answer(exchange.body, signature, published_keys(service)), Valid)
        if network == chain.network.id:
            assert chain.is_used(parties.payer, exchange.payment["payload"]["authorization"]["nonce"])


@pytest.mark.parametrize("name", SOLD)
def test_the_official_typescript_client_pays_each_route(
    service: Any, chain: Any, parties: Any, typescript_client: NodeClient, name: str
) -> None:
    resource = SOLD[name]
    before = chain.balance(parties.payer), chain.balance(parties.recipient)
    answer = typescript_client.pay(
        f"{service.url}{resource.path}",
        parties.key,
        body=body(resource).decode(),
        headers={"Content-Type": "application/json"},
    )
    assert (answer.error, answer.status) == (None, 200)
    receipt = read_header(answer.headers["payment-response"])
    assert receipt["success"]
    assert chain.is_settled(receipt["transaction"])
    assert chain.balance(parties.payer) == before[0] - resource.price
    assert chain.balance(parties.recipient) == before[1] + resource.price


Signed = dict[str, str]
WRONG: dict[str, Callable[[int], Signed]] = {
    "expired": lambda now: {"validBefore": str(now - 60)},
    "too near its end": lambda now: {"validBefore": str(now + 20)},
    "too early": lambda now: {"validAfter": str(now + 60)},
    "too little": lambda _now: {"value": "9999"},
    "to somebody else": lambda _now: {"to": "0x" + "12" * 20},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_payment_that_would_not_hold_is_offered_anew_and_moves_nothing(
    service: Any, chain: Any, parties: Any, wrong: str
) -> None:
    from assay402.sandbox.accounts import evm_account

    now, before = int(time.time()), chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), accepted(service), now + 250, **WRONG[wrong](now))
    answer = send(service, payment)
    assert answer.status_code == 402
    offer = read_header(answer.headers["payment-required"])
    assert offer["accepts"] == offer_of(service)["accepts"]
    assert answer.json() == offer
    assert chain.balance(parties.payer) == before


def test_a_payment_in_other_terms_than_ours_is_offered_anew(service: Any, chain: Any, parties: Any) -> None:
    from assay402.sandbox.accounts import evm_account

    before = chain.balance(parties.payer)
    ours = accepted(service)
    for change in (
        {"network": "eip155:8453"},
        {"amount": "1"},
        {"payTo": parties.payer},
        {"asset": "0x" + "13" * 20},
        {"maxTimeoutSeconds": 1},
    ):
        payment = signed_payment(evm_account("payer"), {**ours, **change}, int(time.time()) + 250)
        assert send(service, payment).status_code == 402, change
    assert chain.balance(parties.payer) == before


def test_a_tampered_or_unreadable_payment_moves_nothing(service: Any, chain: Any, parties: Any) -> None:
    import httpx

    from assay402.sandbox.accounts import evm_account

    before = chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), accepted(service), int(time.time()) + 250)
    changed = {**payment["payload"]["authorization"], "nonce": "0x" + "ef" * 32}
    tampered = {**payment, "payload": {**payment["payload"], "authorization": changed}}
    assert send(service, tampered).status_code == 402
    url = f"{service.url}{DIALECT.path}"
    for value in ("!", base64.b64encode(b"{").decode(), base64.b64encode(b"[]").decode()):
        answer = httpx.post(url, content=body(DIALECT), headers={"PAYMENT-SIGNATURE": value})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_payload")
    old = httpx.post(url, content=body(DIALECT), headers={"X-PAYMENT": header(payment)["PAYMENT-SIGNATURE"]})
    assert old.status_code == 400
    assert chain.balance(parties.payer) == before


def test_a_settled_payment_buys_nothing_more_and_costs_nothing_more(
    service: Any, chain: Any, parties: Any
) -> None:
    from assay402.sandbox.accounts import evm_account

    before = chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), accepted(service), int(time.time()) + 250)
    first = send(service, payment)
    assert first.status_code == 200
    again = [send(service, payment) for _ in range(4)]
    assert [answer.status_code for answer in again] == [200, 200, 200, 409]
    assert {
        read_header(answer.headers["payment-response"])["transaction"] for answer in [first, *again[:3]]
    } == {read_header(first.headers["payment-response"])["transaction"]}
    assert again[3].json()["code"] == "payment_already_used"
    assert chain.balance(parties.payer) == before - DIALECT.price


def test_a_room_that_keeps_its_answer_gives_the_same_bytes_for_the_same_request_only(
    service: Any, chain: Any, parties: Any
) -> None:
    from assay402.sandbox.accounts import evm_account

    before = chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), accepted(service, KEEPS), int(time.time()) + 250)
    first, second = send(service, payment, KEEPS), send(service, payment, KEEPS)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.content == second.content
    assert first.headers["assay-signature"] == second.headers["assay-signature"]
    other = write({**examples()[KEEPS.name].body, "candidate_output": "All 3 tests passed."})
    assert send(service, payment, KEEPS, other).status_code == 409
    assert send(service, payment, SOLD["claims/repair"]).status_code == 409
    assert chain.balance(parties.payer) == before - KEEPS.price


def published_keys(service: Any) -> KeySet:
    import httpx

    return read_keys(httpx.get(f"{service.url}/.well-known/jwks.json").content)


def offer_of(service: Any, resource: Resource = DIALECT) -> Any:
    import httpx

    answer = httpx.post(f"{service.url}{resource.path}", content=body(resource))
    assert answer.status_code == 402
    return read_header(answer.headers["payment-required"])


def accepted(service: Any, resource: Resource = DIALECT) -> dict[str, Any]:
    first = offer_of(service, resource)["accepts"][0]
    assert isinstance(first, dict)
    return first


def send(service: Any, payment: Any, resource: Resource = DIALECT, content: bytes | None = None) -> Any:
    import httpx

    url = f"{service.url}{resource.path}"
    return httpx.post(url, content=body(resource) if content is None else content, headers=header(payment))
