"""Issue 7, evidence 3, on a real chain: whatever the facilitator does, a payment settles at most once and is not lost."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import facilitator_faults as faults
from assay402.core.strictjson import write
from assay402.sandbox.serving import Reply
from assay402.service.discovery import examples
from assay402.service.resources import resources
from assay402.service.settings import Settings
from facilitator_faults import Answer, Fault, FaultyFacilitator
from interop.payments import header, read_header, signed_payment

DIALECT = next(each for each in resources(Settings()) if each.name == "dialect/check")
CANARY = b"canary-facilitator-text"
SECONDS = 60
TRIES = 5


@pytest.fixture
def faulty(facilitator: Any) -> Iterator[FaultyFacilitator]:
    """Put a facilitator that can fail in front of the one that works."""
    running = FaultyFacilitator(facilitator.url)
    yield running
    running.close()


@pytest.fixture
def shaky(chain: Any, solana_chain: Any, faulty: FaultyFacilitator, tmp_path: Path) -> Iterator[Any]:
    """Run a service that is paid through the facilitator that can fail."""
    from assay402.sandbox.service import Service
    from assay402.sandbox.world import paid_settings

    running = Service(paid_settings(chain, solana_chain, faulty.url), tmp_path, lambda _line: None)
    yield running
    running.close()


@pytest.mark.parametrize(
    "fault", [faults.lost, faults.failed_after, faults.pending], ids=lambda each: each.__name__
)
def test_money_that_moved_without_a_word_is_found_on_the_chain(
    shaky: Any, faulty: FaultyFacilitator, chain: Any, parties: Any, fault: Fault
) -> None:
    before = chain.balance(parties.payer)
    payment = payment_for(shaky)
    faulty.faults["/settle"] = fault
    answer = insist(shaky, payment)
    assert answer.status_code == 200
    assert chain.is_settled(read_header(answer.headers["payment-response"])["transaction"])
    assert CANARY not in answer.content
    assert chain.balance(parties.payer) == before - DIALECT.price


def test_a_settlement_that_was_pending_is_never_taken_for_refused(
    *, chain: Any, solana_chain: Any, parties: Any, faulty: FaultyFacilitator, tmp_path: Path
) -> None:
    """Asked again for what it has moved, the official facilitator says `transaction_failed`. No node can tell here."""
    from assay402.sandbox.service import Service
    from assay402.sandbox.world import paid_settings

    before, asked = chain.balance(parties.payer), list[str]()

    def pending_once(answer: Answer) -> Reply:
        asked.append("")
        return faults.pending(answer) if len(asked) == 1 else answer()

    faulty.faults["/settle"] = pending_once
    settings = replace(paid_settings(chain, solana_chain, faulty.url), rpc_urls=())
    running = Service(settings, tmp_path, lambda _line: None)
    try:
        answer = send(running, payment_for(running))
    finally:
        running.close()
    assert len(asked) == 2
    assert answer.status_code == 202
    assert chain.balance(parties.payer) == before - DIALECT.price


@pytest.mark.parametrize(
    "fault", [faults.unavailable, faults.garbage, faults.dropped], ids=lambda each: each.__name__
)
@pytest.mark.parametrize("told", [("/verify", 503), ("/settle", 202)], ids=["verify", "settle"])
def test_a_payment_that_met_a_fault_moves_nothing_and_never_sees_another_offer(
    shaky: Any, faulty: FaultyFacilitator, chain: Any, fault: Fault, told: tuple[str, int]
) -> None:
    """When the time that it names is over, the client asks again: the tests of the gate go on from there."""
    from assay402.sandbox.accounts import evm_account

    payer = evm_account("payer").address
    (call, status), before = told, chain.balance(payer)
    payment = payment_for(shaky)
    faulty.faults[call] = fault
    for _ in range(2):
        answer = send(shaky, payment)
        assert answer.status_code == status
        assert int(answer.headers["retry-after"]) > 0
        assert "payment-required" not in answer.headers
        assert CANARY not in answer.content + str(answer.headers).encode()
    assert chain.balance(payer) == before


@pytest.mark.parametrize(
    "fault", [faults.without_transaction, faults.on_another_network], ids=lambda each: each.__name__
)
def test_a_settlement_that_shows_nothing_is_in_doubt(
    shaky: Any, faulty: FaultyFacilitator, chain: Any, parties: Any, fault: Fault
) -> None:
    before, payment = chain.balance(parties.payer), payment_for(shaky)
    faulty.faults["/settle"] = fault
    for _ in range(2):
        answer = send(shaky, payment)
        assert answer.status_code == 202
        assert "payment-required" not in answer.headers
    assert chain.balance(parties.payer) == before


def test_a_settlement_that_is_refused_before_anything_is_sent_is_told_as_failed(
    shaky: Any, faulty: FaultyFacilitator, chain: Any, parties: Any
) -> None:
    before = chain.balance(parties.payer)
    faulty.faults["/settle"] = faults.refused
    answer = send(shaky, payment_for(shaky))
    assert answer.status_code == 402
    assert not read_header(answer.headers["payment-response"])["success"]
    assert CANARY not in answer.content + str(answer.headers).encode()
    assert chain.balance(parties.payer) == before


def test_one_payment_sent_by_many_while_it_settles_moves_once(
    shaky: Any, faulty: FaultyFacilitator, chain: Any, parties: Any
) -> None:
    before = chain.balance(parties.payer)
    payment, released = payment_for(shaky), threading.Event()
    faulty.faults["/settle"] = faults.stalled_until(released)
    answers: list[Any] = []
    clients = [threading.Thread(target=lambda: answers.append(send(shaky, payment))) for _ in range(8)]
    for client in clients:
        client.start()
    released.set()
    for client in clients:
        client.join(SECONDS)
    assert {answer.status_code for answer in answers} <= {200, 202}
    assert insist(shaky, payment).status_code == 200
    assert chain.balance(parties.payer) == before - DIALECT.price
    assert faulty.asked.count("/settle") == 1


def payment_for(service: Any) -> dict[str, Any]:
    import httpx

    from assay402.sandbox.accounts import evm_account

    answer = httpx.post(f"{service.url}{DIALECT.path}", content=write(examples()[DIALECT.name].body))
    accepted = read_header(answer.headers["payment-required"])["accepts"][0]
    return signed_payment(evm_account("payer"), accepted, int(time.time()) + 250)


def send(service: Any, payment: dict[str, Any]) -> Any:
    import httpx

    url, body = f"{service.url}{DIALECT.path}", write(examples()[DIALECT.name].body)
    return httpx.post(url, content=body, headers=header(payment), timeout=SECONDS)


def insist(service: Any, payment: dict[str, Any]) -> Any:
    """Send a payment until there is an outcome, as a client does."""
    answer = send(service, payment)
    for _ in range(TRIES):
        if answer.status_code != 202:
            break
        answer = send(service, payment)
    return answer
