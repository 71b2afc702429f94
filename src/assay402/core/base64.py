"""Canonical base64: one text for the same bytes, and no other text accepted for them."""

import binascii
import re
from typing import Final

_TO_URL: Final = str.maketrans("+/", "-_")
_FROM_URL: Final = str.maketrans("-_", "+/")
_URL_TEXT: Final = re.compile(r"[A-Za-z0-9_-]*")


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


def encode_url(data: bytes) -> str:
    """Encode bytes as RFC 7515 does: the alphabet that is safe in addresses, without padding."""
    return encode(data).rstrip("=").translate(_TO_URL)


def decode_url(text: str) -> bytes | None:
    """Decode what `encode_url` writes; None for any other text, however close."""
    if not _URL_TEXT.fullmatch(text):
        return None
    return decode_canonical(text.translate(_FROM_URL) + "=" * (-len(text) % 4))
