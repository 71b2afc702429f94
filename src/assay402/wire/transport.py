"""Where each x402 version puts what on HTTP and MCP, and how header values are encoded."""

import binascii
import re
from collections.abc import Iterable
from typing import Final

PAYMENT_REQUIRED: Final = "PAYMENT-REQUIRED"
"""Version 2, response: base64 of the PaymentRequired JSON. Version 1 has no such header; its challenge is the body."""
PAYMENT_SIGNATURE: Final = "PAYMENT-SIGNATURE"
"""Version 2, request: base64 of the PaymentPayload JSON."""
PAYMENT_RESPONSE: Final = "PAYMENT-RESPONSE"
"""Version 2, response: base64 of the SettlementResponse JSON."""
X_PAYMENT: Final = "X-PAYMENT"
"""Version 1, request: base64 of the payment payload JSON."""
X_PAYMENT_RESPONSE: Final = "X-PAYMENT-RESPONSE"
"""Version 1, response: base64 of the settlement JSON."""
X_PAYMENT_TX: Final = "X-Payment-Tx"
"""No version of x402: a transaction hash, which some sellers ask for."""

MCP_PAYMENT: Final = "x402/payment"
"""The `_meta` key of a tool call that carries a PaymentPayload (an object, not base64)."""
MCP_PAYMENT_RESPONSE: Final = "x402/payment-response"
"""The `_meta` key of a tool result that carries a SettlementResponse."""

MAX_PAYMENT_BYTES: Final = 32_768
"""Longest PaymentPayload that is read, decoded: one is below a kilobyte, and the extensions of a few below ten."""
IDEMPOTENCY_KEY: Final = re.compile("[A-Za-z0-9_-]{8,128}")
"""What an idempotency key may be, wherever it stands."""

_BLANKS: Final = " \t\r\n"
_MAX_PADDING: Final = 2
_TO_STANDARD: Final = str.maketrans("-_", "+/")


def content_codings(values: Iterable[str]) -> tuple[str, ...]:
    """Give the codings that Content-Encoding headers name, in order and in lower case."""
    return tuple(coding.strip().lower() for value in values for coding in value.split(",") if coding.strip())


def is_coded(values: Iterable[str]) -> bool:
    """Tell from the Content-Encoding headers whether a body is in any coding but identity, which is none."""
    return any(coding != "identity" for coding in content_codings(values))


def decode_header(value: str) -> bytes | None:
    """Decode a header value from base64, or give None.

    The specification names neither alphabet nor padding. Accepted are the standard and the URL-safe alphabet,
    one of them in a value, with or without padding, blanks around the value trimmed. The bytes are unambiguous
    in each of these spellings, although some clients refuse the URL-safe one.
    """
    text = value.strip(_BLANKS)
    digits = text.rstrip("=")
    if len(text) - len(digits) > _MAX_PADDING:
        return None
    if "-" in digits or "_" in digits:
        if "+" in digits or "/" in digits:
            return None
        digits = digits.translate(_TO_STANDARD)
    try:
        return binascii.a2b_base64(digits + "=" * (-len(digits) % 4), strict_mode=True)
    except ValueError:
        return None


def encode_header(data: bytes) -> str:
    """Encode a header value as every official encoder does: standard alphabet, padded, one line."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")
