"""Inputs, facts and results of the terms check, in the contract's own words."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from assay402.checks.terms.kit.encodings import Reference
from assay402.core.strictjson import JSON

X402: Final = "x402"
"""The protocol that is meant where none is named."""
WELL_KNOWN: Final = "/.well-known/legal-context.json"
"""The one place of the discovery document."""


class Refused(Struct, frozen=True, kw_only=True):
    """A refusal. `code` is the contract; `detail` is for people, may quote, and goes to the caller alone."""

    code: str
    detail: str | None = None


class Advertisement(Struct, frozen=True, kw_only=True):
    """What a seller wants to place, as given: neither part has been judged yet."""

    ref: JSON
    terms_url: JSON = None
    """None where there is none."""


class Placed(Struct, frozen=True, kw_only=True):
    """A document with the advertisement in all its slots; nothing of it is shared with the document given."""

    document: dict[str, Any]


class Read(Struct, frozen=True, kw_only=True):
    """A terms URL stands there."""

    url: str


class NoFieldDeclared(Struct, frozen=True, kw_only=True):
    """The protocol has no place for a terms URL."""


class DeclaredFieldsEmpty(Struct, frozen=True, kw_only=True):
    """The protocol has places for a terms URL, and nothing stands in any of them."""

    fields: tuple[str, ...]


TermsURL: TypeAlias = Read | NoFieldDeclared | DeclaredFieldsEmpty


class Extracted(Struct, frozen=True, kw_only=True):
    """What a document advertises: the reference as the wire had it, and where its terms are served."""

    ref: Reference
    terms_url: TermsURL


class PlaceInput(Struct, frozen=True, kw_only=True):
    """A request to place: the two halves of an advertisement, and the document."""

    advertisement: Advertisement
    document: JSON
    protocol: str = X402
    faithful: bool = False
    """Judge the terms URL by its prefix alone and leave bare hashes as given, as the reference implementation does."""


class ExtractInput(Struct, frozen=True, kw_only=True):
    """A request to extract."""

    document: JSON
    protocol: str = X402
    strict: bool = False
    """Beyond the reference implementation, demand that all slots agree, and a link that every reader takes."""


class VerifyInput(Struct, frozen=True, kw_only=True):
    """A request to verify: a challenge as an object, or the endpoint that sends one."""

    document: JSON = None
    url: str | None = None


class Served(Struct, frozen=True, kw_only=True):
    """A complete answer to the fetch of terms or of a listing."""

    status: int
    codings: tuple[str, ...]
    body: bytes


class Unserved(Struct, frozen=True, kw_only=True):
    """No complete answer; `state` is the fetcher's closed code."""

    state: str


Fetching: TypeAlias = Served | Unserved


class Unreadable(Struct, frozen=True, kw_only=True):
    """Why there are no bytes to hash."""

    is_too_long: bool
    detail: str


class Offer(Struct, frozen=True, kw_only=True):
    """An advertisement that was read strictly: a hash, and the link to its document."""

    atr_hash: str
    """Lower case."""
    terms_url: str


class VerifyFacts(Struct, frozen=True, kw_only=True):
    """The offer, and what its link served."""

    offer: Offer
    fetching: Fetching


class Match(Struct, frozen=True, kw_only=True):
    """The served bytes are the advertised ones."""

    atr_hash: str
    body: bytes


DeclineCode: TypeAlias = Literal["hash-mismatch", "atr-unfetchable", "atr-too-large", "offer-unreadable"]


class Decline(Struct, frozen=True, kw_only=True):
    """A reason not to pay. `detail` is the read's code, or what came instead of the document."""

    code: DeclineCode
    detail: str | None = None
    body: bytes | None = None
    """The bytes that were hashed, where there were any."""


class VerifyReport(Struct, frozen=True, kw_only=True):
    """The answer of a verification, with the offer where one could be read."""

    verdict: Match | Decline
    offer: Offer | None = None


class DiscoverInput(Struct, frozen=True, kw_only=True):
    """A request to discover: an origin, `https://host` with a port where it is not 443."""

    origin: str


class Listing(Struct, frozen=True, kw_only=True):
    """A discovery document that holds: every member as served, and the three that the integrity check reads."""

    members: Mapping[str, Any]
    terms: str
    terms_format: str | None
    atr_hash: str | None
    """As served; None where the listing commits to no bytes."""


class ListingFacts(Struct, frozen=True, kw_only=True):
    """A listing and the bytes its `terms` link served, with the hash they were promised to have."""

    terms_format: str | None
    served: bytes
    advertised: str | None


ListingStatus: TypeAlias = Literal[
    "ok", "mismatch", "listing-format-not-machine-readable", "no-hash-advertised"
]


class Integrity(Struct, frozen=True, kw_only=True):
    """How a listing stands to what is served. `ok` is the conservative sum; the other members tell the parts."""

    status: ListingStatus
    hashes_match: bool | None
    """None where no hash was advertised."""
    machine_readable: bool
    served: str
    advertised: str | None

    @property
    def ok(self) -> bool:
        """The hashes agree and the format is one a machine reads."""
        return self.status == "ok"


DiscoverCode: TypeAlias = Literal[
    "listing-unfetchable", "listing-too-large", "listing-malformed", "atr-unfetchable", "atr-too-large"
]


class NotListed(Struct, frozen=True, kw_only=True):
    """Why a listing's integrity could not be told."""

    code: DiscoverCode
    detail: str | None = None


class DiscoverReport(Struct, frozen=True, kw_only=True):
    """The answer of a discovery: where it looked, what stands there, and whether it holds."""

    url: str
    verdict: Integrity | NotListed
    listing: Listing | None = None


class WellKnown(Struct, frozen=True, kw_only=True):
    """A discovery document that was made, ready to be served."""

    document: dict[str, Any]


RecordStatus: TypeAlias = Literal["proved", "failed", "not-attempted"]
RecordDepth: TypeAlias = Literal[
    "no-placement-input", "no-reference-extracted", "malformed-extracted-reference", "no-record-fingerprint"
]


class RecordComparison(Struct, frozen=True, kw_only=True):
    """How an extracted reference stands to the hash of a kept record."""

    status: RecordStatus
    depth: RecordDepth | None = None
    """Why nothing was compared."""
