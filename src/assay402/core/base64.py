"""Canonical base64: one text for the same bytes, and no other text accepted for them."""

import binascii


def decode_canonical(text: str) -> bytes | None:
    """Decode base64 of RFC 4648 section 4, padded, without blanks and with zero trailing bits; None for anything else."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return data if encode(data) == text else None


def encode(data: bytes) -> str:
    """Encode bytes as canonical base64."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")
