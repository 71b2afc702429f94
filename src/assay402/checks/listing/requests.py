"""The requests of the check, with what each may cost."""

import re
from typing import Final

from assay402.checks.listing.model import ListingInput
from assay402.core.asks import Fetch, Limits
from assay402.wire.weburl import parse_web_url

SELLER_BYTES: Final = 1 << 20
"""Bytes of one answer of the seller."""
CATALOGUE_BYTES: Final = 8 << 20
"""Bytes of one page of a catalogue."""
HEADER_BYTES: Final = 32_768
REDIRECTS: Final = 5
_FRAMING_BYTES: Final = 262_144
"""What TLS, chunk headers and interim responses may add to a body, besides as much again as the body."""
_NOT_UNRESERVED: Final = re.compile(rb"[^A-Za-z0-9\-_.!~*'()]")
_JSON: Final = (("Content-Type", "application/json"),)


def asking(given: ListingInput, url: str, method: str = "GET") -> Fetch:
    """Ask the seller; redirects are followed, and a body that breaks off leaves its status."""
    return Fetch(
        url=spelled(url),
        method=method,
        limits=_limits(given, SELLER_BYTES),
        redirects=REDIRECTS if method == "GET" else 0,
        keep_status=True,
    )


def asking_catalogue(given: ListingInput, url: str) -> Fetch:
    """Ask a catalogue for a page."""
    return Fetch(url=url, limits=_limits(given, CATALOGUE_BYTES), redirects=REDIRECTS, keep_status=True)


def posting(given: ListingInput, url: str, body: bytes, method: str = "POST") -> Fetch:
    """Send JSON; no redirect is followed, which would repeat the sending elsewhere."""
    return Fetch(
        url=spelled(url),
        method=method,
        headers=_JSON,
        body=body,
        limits=_limits(given, SELLER_BYTES),
        keep_status=True,
    )


def spelled(url: str) -> str:
    """Spell an address as a client sends it: the host in ASCII, the rest percent-encoded, no fragment."""
    parsed = parse_web_url(url)
    return url if parsed is None else parsed.href


def as_component(text: str) -> str:
    """Encode a value for a query, as the reference's runtime does."""
    return _NOT_UNRESERVED.sub(
        lambda match: f"%{match[0][0]:02X}".encode(), text.encode(errors="replace")
    ).decode()


def _limits(given: ListingInput, body_bytes: int) -> Limits:
    return Limits(
        deadline_ms=given.timeout_ms,
        body_bytes=body_bytes,
        header_bytes=HEADER_BYTES,
        wire_bytes=2 * body_bytes + _FRAMING_BYTES,
    )
