"""The sandbox does what a public network does: official clients pay, money moves by the price, and what is wrong moves none.

The seller is the official SDK's own middleware, so that a failure here is one of the sandbox and not of our gate.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from interop.node_client import NodeClient
from interop.payments import header, read_header, signed_payment

PRICE = 10_000
BODY = b'{"question":"sunny?"}'


@pytest.fixture(scope="module")
def shop(chain: Any, solana_chain: Any, facilitator: Any) -> Iterator[str]:
    """Run a seller with a page on each chain."""
    from assay402.sandbox.accounts import evm_account, solana_keypair
    from interop.sdk_seller import make_seller, serving

    offers = {
        "/evm": {"network": chain.network.id, "pay_to": evm_account("recipient").address},
        "/svm": {"network": solana_chain.network, "pay_to": str(solana_keypair("recipient").pubkey())},
    }
    with serving(make_seller(facilitator.url, offers)) as url:
        yield url


def test_the_official_python_client_pays_and_the_chain_shows_it(
    shop: str, chain: Any, parties: Any, pay: Callable[..., Any]
) -> None:
    exchange = pay(f"{shop}/evm", BODY)
    assert (exchange.status, exchange.is_settled) == (200, True)
    assert [(each.account, each.after - each.before) for each in exchange.balances] == [
        (parties.payer, -PRICE),
        (parties.recipient, PRICE),
    ]
    assert exchange.offer["accepts"] == [exchange.payment["accepted"]]
    nonce = exchange.payment["payload"]["authorization"]["nonce"]
    assert chain.is_used(parties.payer, nonce)
    (log,) = used(chain, nonce)
    assert log["transactionHash"] == exchange.receipt["transaction"]
    assert log["topics"][1] == word(parties.payer)


def test_the_official_python_client_pays_on_solana(
    shop: str, solana_chain: Any, pay: Callable[..., Any]
) -> None:
    exchange = pay(f"{shop}/svm", BODY)
    assert (exchange.status, exchange.is_settled) == (200, True)
    assert [each.after - each.before for each in exchange.balances] == [-PRICE, PRICE]
    assert exchange.receipt["network"] == solana_chain.network
    assert not solana_chain.is_settled("1" * 64)


def test_the_official_typescript_client_pays_and_the_chain_shows_it(
    shop: str, chain: Any, parties: Any, typescript_client: NodeClient
) -> None:
    before = chain.balance(parties.payer), chain.balance(parties.recipient)
    answer = typescript_client.pay(f"{shop}/evm", parties.key, body=BODY.decode())
    assert (answer.error, answer.status) == (None, 200)
    assert chain.is_settled(read_header(answer.headers["payment-response"])["transaction"])
    assert chain.balance(parties.payer) == before[0] - PRICE
    assert chain.balance(parties.recipient) == before[1] + PRICE


def test_a_client_for_another_network_does_not_pay(
    shop: str, chain: Any, parties: Any, typescript_client: NodeClient
) -> None:
    before = chain.balance(parties.payer)
    answer = typescript_client.pay(f"{shop}/evm", parties.key, networks=["eip155:8453"])
    assert answer.error is not None
    assert answer.payments == ()
    assert chain.balance(parties.payer) == before


REASON = "invalid_exact_evm_payload_"
WRONG: dict[str, tuple[str, Callable[[int], dict[str, str]]]] = {
    "expired": (f"{REASON}authorization_valid_before", lambda now: {"validBefore": str(now - 60)}),
    "too early": (f"{REASON}authorization_valid_after", lambda now: {"validAfter": str(now + 30)}),
    "too little": (f"{REASON}authorization_value_mismatch", lambda _now: {"value": str(PRICE - 1)}),
    "to somebody else": (f"{REASON}recipient_mismatch", lambda _now: {"to": "0x" + "12" * 20}),
    "more than there is": ("insufficient", lambda _now: {}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_payment_that_is_wrong_moves_nothing(shop: str, chain: Any, parties: Any, wrong: str) -> None:
    from assay402.sandbox.accounts import evm_account

    reason, changes = WRONG[wrong]
    before = chain.balance(parties.payer)
    now = int(time.time())
    # The bank has the chain's own money and none of the token.
    account = evm_account("bank" if wrong == "more than there is" else "payer")
    answer = send(shop, signed_payment(account, offer(shop), now + 60, **changes(now)))
    assert answer.status_code == 402
    assert reason in read_header(answer.headers["payment-required"])["error"]
    assert chain.balance(parties.payer) == before


def test_a_payment_for_another_network_or_tampered_with_moves_nothing(
    shop: str, chain: Any, parties: Any
) -> None:
    from assay402.sandbox.accounts import evm_account

    accepted = offer(shop)
    before = chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), accepted, int(time.time()) + 60)
    elsewhere = {**payment, "accepted": {**accepted, "network": "eip155:8453"}}
    changed = {**payment["payload"]["authorization"], "nonce": "0x" + "ab" * 32}
    tampered = {**payment, "payload": {**payment["payload"], "authorization": changed}}
    answers = [send(shop, each) for each in (elsewhere, tampered)]
    assert [answer.status_code for answer in answers] == [402, 402]
    assert "signature" in read_header(answers[1].headers["payment-required"])["error"]
    assert chain.balance(parties.payer) == before


def test_a_payment_that_is_sent_again_is_refused(shop: str, chain: Any, parties: Any) -> None:
    from assay402.sandbox.accounts import evm_account

    before = chain.balance(parties.payer)
    payment = signed_payment(evm_account("payer"), offer(shop), int(time.time()) + 60)
    assert [send(shop, payment).status_code for _ in range(2)] == [200, 402]
    assert chain.balance(parties.payer) == before - PRICE


def test_the_facilitator_answers_what_it_supports_and_refuses_garbage(
    chain: Any, solana_chain: Any, facilitator: Any
) -> None:
    import httpx

    kinds = httpx.get(f"{facilitator.url}/supported").json()["kinds"]
    offered = {kind["network"]: kind.get("extra") for kind in kinds if kind["x402Version"] == 2}
    assert offered.keys() == {chain.network.id, solana_chain.network}
    assert offered[solana_chain.network]["feePayer"]
    for body in (b"", b"[]", b"{}", b'{"paymentPayload":{},"paymentRequirements":{}}'):
        assert httpx.post(f"{facilitator.url}/settle", content=body).status_code == 400
    assert httpx.get(f"{facilitator.url}/verify").status_code == 404


def offer(shop: str) -> dict[str, Any]:
    import httpx

    answer = httpx.post(f"{shop}/evm", content=BODY)
    (accepted,) = read_header(answer.headers["payment-required"])["accepts"]
    assert isinstance(accepted, dict)
    return accepted


def send(shop: str, payment: dict[str, Any]) -> Any:
    import httpx

    return httpx.post(f"{shop}/evm", content=BODY, headers=header(payment))


def used(chain: Any, nonce: str) -> list[Any]:
    """Give the logs in which the token says that an authorization is used."""
    from eth_utils import keccak

    topic = "0x" + keccak(text="AuthorizationUsed(address,bytes32)").hex()
    wanted = {"fromBlock": "0x0", "toBlock": "latest", "address": chain.network.usdc}
    found = chain.call("eth_getLogs", wanted | {"topics": [topic, None, nonce]})
    assert isinstance(found, list)
    return found


def word(address: str) -> str:
    return "0x" + address.removeprefix("0x").lower().rjust(64, "0")
