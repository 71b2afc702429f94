"""The facilitator that fails does so truthfully: where a fault says that money moved, it did, and else it did not."""

import json
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

import pytest

import facilitator_faults as faults
from facilitator_faults import Fault, FaultyFacilitator
from interop.payments import signed_payment


@pytest.fixture
def faulty(facilitator: Any) -> Iterator[FaultyFacilitator]:
    """Put a facilitator that can fail in front of the one that works."""
    running = FaultyFacilitator(facilitator.url)
    yield running
    running.close()


MOVES: list[tuple[Fault, int]] = [
    (faults.unavailable, 0),
    (faults.garbage, 0),
    (faults.dropped, 0),
    (faults.without_transaction, 0),
    (faults.on_another_network, 0),
    (faults.refused, 0),
    (faults.lost, 1),
    (faults.failed_after, 1),
    (faults.pending, 1),
]


@pytest.mark.parametrize(("fault", "moved"), MOVES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_fault_moves_what_it_says(faulty: FaultyFacilitator, chain: Any, fault: Fault, moved: int) -> None:
    from assay402.sandbox.accounts import evm_account

    recipient = evm_account("recipient").address
    before = chain.balance(recipient)
    faulty.faults["/settle"] = fault
    settle(faulty.url, chain)
    assert chain.balance(recipient) - before == moved
    assert faulty.asked == ["/settle"]


def test_without_a_fault_it_passes_everything_on(faulty: FaultyFacilitator, chain: Any) -> None:
    told = settle(faulty.url, chain)
    assert told is not None
    assert told["success"]
    assert chain.is_settled(told["transaction"])


def test_a_stalled_answer_comes_when_it_is_released(faulty: FaultyFacilitator, chain: Any) -> None:
    released = threading.Event()
    faulty.faults["/settle"] = faults.stalled_until(released)
    told: list[Any] = []
    client = threading.Thread(target=lambda: told.append(settle(faulty.url, chain)))
    client.start()
    assert told == []
    released.set()
    client.join(30)
    assert told[0]["success"]


def settle(url: str, chain: Any) -> Any:
    """Ask to settle a payment of one unit; gives the answer, or None where there is none."""
    import httpx

    from assay402.sandbox.accounts import evm_account

    accepted = {
        "scheme": "exact",
        "network": chain.network.id,
        "asset": chain.network.usdc,
        "amount": "1",
        "payTo": evm_account("recipient").address,
        "maxTimeoutSeconds": 60,
        "extra": {"name": chain.network.domain_name, "version": "2"},
    }
    payment = signed_payment(evm_account("payer"), accepted, int(time.time()) + 60)
    asked = {"x402Version": 2, "paymentPayload": payment, "paymentRequirements": accepted}
    try:
        return json.loads(httpx.post(f"{url}/settle", json=asked).content)
    except (httpx.HTTPError, HTTPException, ValueError):
        return None
