"""The base64 of JSON Web Signatures (RFC 7515, section 2): safe in addresses, unpadded, one text for the same bytes."""

import re
from base64 import urlsafe_b64encode
from typing import Final

from assay402.core.base64 import decode_canonical

_FROM_URL: Final = str.maketrans("-_", "+/")
_TEXT: Final = re.compile(r"[A-Za-z0-9_-]*")


def encode_url(data: bytes) -> str:
    """Encode bytes."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode_url(text: str) -> bytes | None:
    """Decode what `encode_url` writes; None for any other text, however close."""
    if not _TEXT.fullmatch(text):
        return None
    return decode_canonical(text.translate(_FROM_URL) + "=" * (-len(text) % 4))
