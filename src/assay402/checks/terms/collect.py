"""What the operations ask: the challenge of an endpoint, its terms, a discovery document. Nothing is judged here."""

from typing import Final

from assay402.checks.terms.model import Fetching, Served, Unserved
from assay402.core.asks import Collecting, Failed, Fetched, Limits, fetch
from assay402.wire.transport import content_codings

TERMS_LIMITS: Final = Limits(deadline_ms=10_000, body_bytes=1_048_576, wire_bytes=8 << 20)
"""Ten seconds and one mebibyte; the wire may carry eight, so that a body in many small chunks is still read."""
LISTING_LIMITS: Final = Limits(deadline_ms=10_000, body_bytes=65_536, wire_bytes=1 << 20)
CHALLENGE_LIMITS: Final = Limits(deadline_ms=10_000, body_bytes=262_144, wire_bytes=2 << 20)
"""A challenge may be as long as the seller's middleware places into."""


def collect_terms(url: str) -> Collecting[Fetching]:
    """Fetch a terms document."""
    return _fetching((yield from fetch(_fetchable(url), TERMS_LIMITS)))


def collect_listing(url: str) -> Collecting[Fetching]:
    """Fetch a discovery document."""
    return _fetching((yield from fetch(url, LISTING_LIMITS)))


def collect_challenge(url: str) -> Collecting[Fetched | Failed]:
    """Fetch an endpoint without paying, for its challenge."""
    return (yield from fetch(url, CHALLENGE_LIMITS))


def _fetching(answer: Fetched | Failed) -> Fetching:
    if isinstance(answer, Failed):
        return Unserved(state=answer.state)
    codings = content_codings(answer.header("Content-Encoding"))
    return Served(status=answer.status, codings=codings, body=answer.body)


def _fetchable(url: str) -> str:
    """Write the characters of a path or query that are beyond ASCII as a URL parser does, for the request line."""
    return "".join(
        each if each.isascii() else "".join(f"%{byte:02X}" for byte in each.encode()) for each in url
    )
