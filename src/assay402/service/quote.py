"""Quotes without a store: an id that says until when a price holds for one request, and proves that we said so."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from assay402.core.canon import canonical
from assay402.core.strictjson import JSON

_EXPIRY_BYTES: Final = 5
_ID_BYTES: Final = _EXPIRY_BYTES + 32
_ID_LENGTH: Final = 50
_PURPOSE: Final = "assay-quote-1"


def quote_id(
    key: bytes, input_root: str, price: int, accepts: Sequence[Mapping[str, JSON]], expires_at: datetime
) -> str:
    """Make the id of a quote: its expiry and an HMAC-SHA256 over request, price, offer and expiry."""
    seconds = int(expires_at.timestamp())
    tag = _tag(key, input_root, price, accepts, seconds)
    return urlsafe_b64encode(seconds.to_bytes(_EXPIRY_BYTES, "big") + tag).decode().rstrip("=")


def quote_holds(  # noqa: PLR0913, PLR0917  (what a quote is about)
    sent: str,
    key: bytes,
    input_root: str,
    price: int,
    accepts: Sequence[Mapping[str, JSON]],
    now: datetime,
) -> bool:
    """Tell whether an id is ours, for this request, price and offer, and not past its end."""
    if len(sent) != _ID_LENGTH or not sent.isascii():
        return False
    try:
        data = urlsafe_b64decode(f"{sent}==")
    except ValueError:
        return False
    if len(data) != _ID_BYTES:
        return False
    seconds = int.from_bytes(data[:_EXPIRY_BYTES], "big")
    if now > datetime.fromtimestamp(min(seconds, _LAST_SECOND), UTC):
        return False
    return hmac.compare_digest(data[_EXPIRY_BYTES:], _tag(key, input_root, price, accepts, seconds))


_LAST_SECOND: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp())


def _tag(
    key: bytes, input_root: str, price: int, accepts: Sequence[Mapping[str, JSON]], seconds: int
) -> bytes:
    told = canonical([_PURPOSE, input_root, price, list(accepts), seconds])
    return hmac.digest(key, told, sha256)
