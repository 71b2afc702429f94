"""Views of x402 objects: nothing coerced, nothing lost."""

from typing import Any

import pytest

from assay402.core.strictjson import Number, read
from assay402.wire.challenge import leg_of
from assay402.wire.requirements import (
    PaymentPayload,
    PaymentRequired,
    PaymentRequirements,
    SettlementResponse,
    atomic_amount,
)

V1_ENTRY: dict[str, Any] = {
    "scheme": "exact",
    "network": "base",
    "maxAmountRequired": "10000",
    "asset": "0xA",
    "payTo": "0xB",
    "maxTimeoutSeconds": 60,
    "extra": {"name": "USDC"},
    "unknown": 1,
}


def test_version_1_requirements_read_by_their_own_names() -> None:
    entry = PaymentRequirements(sent=V1_ENTRY)
    assert (entry.scheme, entry.network, entry.amount_names) == ("exact", "base", ("maxAmountRequired",))
    assert (entry.amount, entry.asset, entry.pay_to) == (10000, "0xA", "0xB")
    assert (entry.max_timeout_seconds, entry.extra) == (60, {"name": "USDC"})
    assert entry.sent is V1_ENTRY


def test_version_2_requirements_read_by_their_own_names() -> None:
    entry = PaymentRequirements(sent={"amount": "7", "maxTimeoutSeconds": Number("300"), "extra": None})
    assert (entry.amount_names, entry.amount, entry.max_timeout_seconds, entry.extra) == (
        ("amount",),
        7,
        300,
        None,
    )


def test_two_amount_names_give_no_amount_and_null_counts_as_absent() -> None:
    both = PaymentRequirements(sent={"amount": "1", "maxAmountRequired": "2"})
    assert (both.amount_names, both.amount) == (("maxAmountRequired", "amount"), None)
    assert PaymentRequirements(sent={"amount": None}).amount_names == ()


@pytest.mark.parametrize("value", [10000, "1e4", "0x10", " 1", "-1", "1.0", "", "٣", "9" * 79, None, True])
def test_an_amount_in_another_spelling_is_no_amount(value: Any) -> None:
    assert atomic_amount(value) is None


def test_members_of_the_wrong_type_read_as_none_and_stay_in_what_was_sent() -> None:
    sent: dict[str, Any] = {
        "scheme": 1,
        "network": [],
        "asset": None,
        "payTo": {},
        "maxTimeoutSeconds": "60",
        "extra": "x",
    }
    entry = PaymentRequirements(sent=sent)
    assert {entry.scheme, entry.network, entry.asset, entry.pay_to, entry.max_timeout_seconds} == {None}
    assert entry.extra is None
    assert entry.sent == sent


def test_a_payment_required_reads_whole() -> None:
    leg = leg_of(
        read(
            '{"x402Version":2,"error":"pay","resource":{"url":"u"},"extensions":{"bazaar":{}},'
            '"accepts":[{"scheme":"exact"},"odd"]}'
        )
    )
    assert isinstance(leg, PaymentRequired)
    assert (leg.x402_version, leg.error, leg.resource, leg.extensions) == (
        2,
        "pay",
        {"url": "u"},
        {"bazaar": {}},
    )
    assert [entry is None for entry in leg.accepts] == [False, True]


def test_payloads_of_both_versions_read() -> None:
    v1 = PaymentPayload(
        sent={"x402Version": 1, "scheme": "exact", "network": "base", "payload": {"signature": "0x"}}
    )
    assert (v1.x402_version, v1.scheme, v1.network, v1.accepted) == (1, "exact", "base", None)
    assert v1.payload == {"signature": "0x"}
    v2 = PaymentPayload(sent={"x402Version": 2, "accepted": {"scheme": "exact"}})
    assert v2.accepted is not None
    assert (v2.accepted.scheme, v2.scheme, v2.payload) == ("exact", None, None)


def test_settlements_read() -> None:
    settled = SettlementResponse(
        sent={
            "success": True,
            "transaction": "0x1",
            "network": "eip155:1",
            "payer": "0x2",
            "errorReason": "late",
        }
    )
    assert (settled.success, settled.transaction, settled.network) == (True, "0x1", "eip155:1")
    assert (settled.payer, settled.error_reason) == ("0x2", "late")
    assert SettlementResponse(sent={"success": "yes"}).success is None
