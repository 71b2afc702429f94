"""Signing in with the wallet that paid: a statement to us, of now, once, and nothing that was not signed."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assay402.service.order import Declined, Delivered
from assay402.service.sign_in import SignedIn, signed_in
from assay402.service.transactions import _BASE58
from service.world import NOON, World, run

eth_account = pytest.importorskip("eth_account", reason="comes with the extra `evm`")

URL = "https://assay.shop.dev"
KEY = "0x" + "11" * 32
MISSING = Declined(status=404, code="receipt_unknown")


def account() -> Any:
    return eth_account.Account.from_key(KEY)


def base58(data: bytes) -> str:
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "1" * (len(data) - len(data.lstrip(b"\x00"))) + digits


def statement(address: str, chain: str = "eip155:8453", **changed: Any) -> dict[str, Any]:
    made = {
        "domain": "assay.shop.dev",
        "uri": f"{URL}/api/v1/receipts/x",
        "version": "1",
        "nonce": "0123456789abcdef0123456789abcdef",
        "issuedAt": (NOON - timedelta(seconds=10)).isoformat().replace("+00:00", "Z"),
        "address": address,
        "chainId": chain,
        "type": "eip191",
        **changed,
    }
    return {name: value for name, value in made.items() if value is not None}


def message(sent: dict[str, Any], family: str = "Ethereum", *, has_blank: bool = True) -> str:
    """Write the text of EIP-4361, by hand."""
    lines = [f"{sent['domain']} wants you to sign in with your {family} account:", sent["address"], ""]
    lines += [sent["statement"], ""] if "statement" in sent else [""] if has_blank else []
    lines += [
        f"URI: {sent['uri']}",
        f"Version: {sent['version']}",
        f"Chain ID: {sent['chainId'].split(':')[1]}",
    ]
    lines += [f"Nonce: {sent['nonce']}", f"Issued At: {sent['issuedAt']}"]
    for label, name in (
        ("Expiration Time", "expirationTime"),
        ("Not Before", "notBefore"),
        ("Request ID", "requestId"),
    ):
        lines += [f"{label}: {sent[name]}"] if name in sent else []
    if "resources" in sent:
        lines += ["Resources:", *(f"- {each}" for each in sent["resources"])]
    return "\n".join(lines)


def header(sent: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(sent).encode()).decode()


def signed(sent: dict[str, Any], *, has_blank: bool = True) -> dict[str, Any]:
    made = account().sign_message(
        eth_account.messages.encode_defunct(text=message(sent, has_blank=has_blank))
    )
    return {**sent, "signature": "0x" + bytes(made.signature).hex()}


def judged(sent: dict[str, Any]) -> SignedIn | None:
    return signed_in(header(sent), URL, NOON)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"issuedAt": "2026-11-30T12:00:30Z", "notBefore": "2026-11-30T12:00:30Z"},
        {"statement": "Show me my receipt."},
        {"expirationTime": "2026-11-30T12:00:01Z", "notBefore": "2026-11-30T12:00:00Z", "requestId": "7"},
        {"resources": ["https://assay.shop.dev/a", "https://assay.shop.dev/b"]},
        {"uri": URL},
    ],
)
@pytest.mark.parametrize("has_blank", [True, False])
def test_a_wallet_that_signs_a_statement_to_us_is_known(more: dict[str, Any], has_blank: bool) -> None:
    sent = signed(statement(account().address, **more), has_blank=has_blank)
    assert judged(sent) == SignedIn(address=account().address.lower(), nonce=sent["nonce"])


CHANGED = {
    "another domain": {"domain": "evil.shop.dev"},
    "another uri": {"uri": "https://assay.shop.dev.evil.dev/"},
    "another version": {"version": "2"},
    "too old": {"issuedAt": "2026-11-30T11:54:59Z"},
    "of the future": {"issuedAt": "2026-11-30T12:00:31Z"},
    "no time": {"issuedAt": "now"},
    "over": {"expirationTime": "2026-11-30T12:00:00Z"},
    "over at some time": {"expirationTime": "later"},
    "not yet": {"notBefore": "2026-11-30T12:00:31Z"},
    "a short nonce": {"nonce": "abc"},
    "a nonce of other letters": {"nonce": "abc-def-ghi"},
    "another family": {"chainId": "cosmos:hub"},
    "nobody": {"address": "me"},
    "a line too many": {"requestId": "7\nNonce: 8"},
    "a resource over two lines": {"resources": ["a\nb"]},
    "resources that are none": {"resources": "a"},
    "a member of another type": {"statement": 7},
    "a member missing": {"nonce": None},
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_a_statement_that_is_not_ours_or_not_of_now_is_nobodys(changed: dict[str, Any]) -> None:
    made = {**statement(account().address), **changed}
    texts = {name: value if name == "resources" else str(value) for name, value in made.items()}
    sent = {**made, "signature": signed(texts)["signature"]}
    assert judged({name: value for name, value in sent.items() if value is not None}) is None


@pytest.mark.parametrize("name", ["nonce", "uri", "issuedAt", "statement", "address"])
def test_what_was_not_signed_does_not_count(name: str) -> None:
    sent = signed(statement(account().address, statement="Hello"))
    other = {
        "nonce": "fedcba9876543210", "uri": URL, "issuedAt": "2026-11-30T11:59:00Z", "statement": "Other",
        "address": "0x2222222222222222222222222222222222222222",
    }  # fmt: skip
    assert judged({**sent, name: other[name]}) is None


@pytest.mark.parametrize(
    "signature", ["", "0x", "0x" + "00" * 65, "0x" + "11" * 64 + "1b", "0x" + "ff" * 64 + "1b", "zz"]
)
def test_a_signature_that_is_none_is_nobodys(signature: str) -> None:
    assert judged({**statement(account().address), "signature": signature}) is None


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "x",
        "!!!",
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b'{"a":1,"a":2}').decode(),
        "A" * 9_000,
    ],
)
def test_a_header_that_is_none_is_nobodys(sent: str) -> None:
    assert signed_in(sent, URL, NOON) is None


def test_a_solana_wallet_signs_in_too() -> None:
    private = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
    address = base58(private.public_key().public_bytes_raw())
    sent = statement(address, "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", type="ed25519")
    text = message(sent, "Solana", has_blank=False)
    sent["signature"] = base58(private.sign(text.encode()))
    assert judged(sent) == SignedIn(address=address, nonce=sent["nonce"])
    for changed in (
        {"nonce": "fedcba9876543210"},
        {"signature": "1" * 64},
        {"signature": "0OIl"},
        {"address": "1" * 200},
    ):
        assert judged({**sent, **changed}) is None


def test_the_payer_gets_the_receipt_with_a_statement_that_works_once() -> None:
    async def story(world: World) -> None:
        outcome, _ = await world.buy("claims/diagnose", payer=account().address)
        receipt_id = json.loads(outcome.body)["request_id"]
        sent = header(signed(statement(account().address)))
        given = await world.orders.receipt(receipt_id, sign_in=sent)
        assert isinstance(given, Delivered)
        assert given.body == outcome.body
        assert await world.orders.receipt(receipt_id, sign_in=sent) == MISSING
        other, _ = await world.buy("claims/diagnose")
        fresh = header(signed(statement(account().address, nonce="fedcba9876543210")))
        assert await world.orders.receipt(json.loads(other.body)["request_id"], sign_in=fresh) == MISSING
        assert isinstance(await world.orders.receipt(receipt_id, sign_in=fresh), Delivered)

    run(story)
