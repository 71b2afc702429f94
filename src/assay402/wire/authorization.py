"""Who signed an EIP-3009 authorization, or a text? Recovered offline from the signature; nothing is asked of a chain."""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from msgspec import Struct

EXTRA: Final = "evm"
"""The extra that brings the library of chain signatures."""
LIBRARY: Final = "eth_account"
_RECOVERY_BYTES: Final = ("00", "01", "1b", "1c")
"""The last byte of a signature over typed data; others are of transactions, and no token takes them."""

_TYPES: Final = {
    "EIP712Domain": [
        {"name": "name", "type": "string"},
        {"name": "version", "type": "string"},
        {"name": "chainId", "type": "uint256"},
        {"name": "verifyingContract", "type": "address"},
    ],
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ],
}


class Domain(Struct, frozen=True, kw_only=True):
    """The EIP-712 domain of a token contract."""

    name: str
    version: str
    chain_id: int
    contract: str


def can_recover() -> bool:
    """Tell whether the library of chain signatures is installed, without loading it."""
    return find_spec(LIBRARY) is not None


def signer(domain: Domain, authorization: Mapping[str, str], signature: str) -> str | None:
    """Recover the lower-case address that signed a well-formed authorization; None where the signature names nobody."""
    if signature[-2:].lower() not in _RECOVERY_BYTES:
        return None
    eth_account, nobody = _library()
    message = eth_account.messages.encode_typed_data(
        full_message={
            "types": _TYPES,
            "primaryType": "TransferWithAuthorization",
            "domain": {
                "name": domain.name,
                "version": domain.version,
                "chainId": domain.chain_id,
                "verifyingContract": domain.contract.lower(),
            },
            "message": {
                "from": authorization["from"].lower(),
                "to": authorization["to"].lower(),
                "value": int(authorization["value"]),
                "validAfter": int(authorization["validAfter"]),
                "validBefore": int(authorization["validBefore"]),
                "nonce": bytes.fromhex(authorization["nonce"][2:]),
            },
        }
    )
    try:
        return str(eth_account.Account.recover_message(message, signature=signature)).lower()
    except nobody:
        return None


def personal_signer(message: str, signature: str) -> str | None:
    """Recover the lower-case address that signed a text as wallets sign texts (EIP-191); None where it names nobody."""
    if signature[-2:].lower() not in _RECOVERY_BYTES:
        return None
    eth_account, nobody = _library()
    text = eth_account.messages.encode_defunct(text=message)
    try:
        return str(eth_account.Account.recover_message(text, signature=signature)).lower()
    except nobody:
        return None


def _library() -> tuple[ModuleType, tuple[type[Exception], ...]]:
    """Load the library, and what it raises for a signature that names nobody.

    One of its parts lifts the interpreter's recursion limit a hundredfold when it is loaded, and with it the guard
    that keeps a deeply nested value from overrunning the native stack of every encoder in the process. The limit
    is put back.
    """
    limit = sys.getrecursionlimit()
    try:
        library = import_module(LIBRARY)
        exceptions = import_module("eth_keys.exceptions")
    finally:
        sys.setrecursionlimit(limit)
    return library, (exceptions.BadSignature, exceptions.ValidationError, ValueError)
