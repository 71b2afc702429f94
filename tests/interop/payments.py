"""Payments written by hand, for what no honest client sends: expired, for another network, tampered with, or sent twice."""

import base64
import json
import secrets
from typing import Any

TYPES = {
    "TransferWithAuthorization": [
        {"name": name, "type": kind}
        for name, kind in (
            ("from", "address"),
            ("to", "address"),
            ("value", "uint256"),
            ("validAfter", "uint256"),
            ("validBefore", "uint256"),
            ("nonce", "bytes32"),
        )
    ]
}


def signed_payment(
    account: Any, accepted: dict[str, Any], valid_before: int, **changes: str
) -> dict[str, Any]:
    """Sign the payment of an offer; `changes` are members of the authorization, changed before it is signed."""
    from eth_account.messages import encode_typed_data

    authorization = {
        "from": account.address,
        "to": accepted["payTo"],
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": str(valid_before),
        "nonce": "0x" + secrets.token_hex(32),
    } | changes
    domain = {
        "name": accepted["extra"]["name"],
        "version": accepted["extra"]["version"],
        "chainId": int(accepted["network"].removeprefix("eip155:")),
        "verifyingContract": accepted["asset"],
    }
    numbers = {name: int(authorization[name]) for name in ("value", "validAfter", "validBefore")}
    message = {**authorization, **numbers, "nonce": bytes.fromhex(authorization["nonce"][2:])}
    signed = account.sign_message(encode_typed_data(domain, TYPES, message))
    payload = {"signature": f"0x{bytes(signed.signature).hex()}", "authorization": authorization}
    return {"x402Version": 2, "accepted": accepted, "payload": payload}


def header(payment: Any) -> dict[str, str]:
    """Write a payment as the header that carries it."""
    return {"PAYMENT-SIGNATURE": base64.b64encode(json.dumps(payment).encode()).decode()}


def read_header(value: str) -> Any:
    """Read one of x402's headers."""
    return json.loads(base64.b64decode(value, validate=True))
