"""What the name of a transaction looks like on each chain. Anything else a facilitator or an operator says is none."""

import re
from typing import Final

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_LONGEST_BASE58: Final = 128
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_SIGNATURE_BYTES: Final = 64
"""The first signature of a Solana transaction is its name."""


def is_transaction(network: str, value: object) -> bool:
    """Tell whether a value can be the name of a transaction on a network (CAIP-2) of the kinds known here."""
    if not isinstance(value, str):
        return False
    if network.startswith("solana:"):
        signature = base58(value)
        return signature is not None and len(signature) == _SIGNATURE_BYTES
    return network.startswith("eip155:") and is_hash(value)


def is_hash(value: str) -> bool:
    """Tell whether a text is 32 bytes in hexadecimal, as EVM chains name transactions and write words."""
    return _HASH.fullmatch(value) is not None


def transfer_name(network: str, transaction: str, log_index: int | None) -> str:
    """Name a transfer, the same however its transaction is spelled: by its place in that, where it is known."""
    spelled = transaction.lower() if network.startswith("eip155:") else transaction
    return f"{network} {spelled}" if log_index is None else f"{network} {spelled} {log_index}"


def has_place(transfer: str) -> bool:
    """Tell whether the name of a transfer says which of its transaction it is."""
    return transfer.count(" ") > 1


def base58(value: str) -> bytes | None:
    """Read base58 as Solana writes keys and signatures; None where it is none, or longer than any of them."""
    if len(value) > _LONGEST_BASE58 or any(digit not in _BASE58 for digit in value):
        return None
    number = 0
    for digit in value:
        number = number * len(_BASE58) + _BASE58.index(digit)
    zeros = len(value) - len(value.lstrip(_BASE58[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
