"""The rules of the discovery document: its shape, and whether it tells the truth about what is served."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from assay402.checks.terms.kit.repeated import repeats_a_name
from assay402.checks.terms.kit.values import ABSENT, detail, found, own
from assay402.checks.terms.model import (
    DiscoverCode,
    Fetching,
    Integrity,
    Listing,
    ListingFacts,
    ListingStatus,
    NotListed,
    Unreadable,
)
from assay402.checks.terms.rules.served import readable
from assay402.core.canon import sha256_hex
from assay402.core.check import rule
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read

MACHINE_READABLE: Final = frozenset({"markdown", "json", "plain"})
"""Formats of terms that a machine can read; the list of formats is open, this part of it is not."""

_TERMS: Final = re.compile(r"https://\S+")
_HASH: Final = re.compile("0x[0-9a-fA-F]{64}")
_CLAUSE: Final = re.compile("sha256:0x[0-9a-fA-F]{64}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_not_blank(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


_MEMBERS: Final[Mapping[str, Callable[[object], bool]]] = {
    "terms": _matches(_TERMS),
    "termsFormat": _is_text,
    "atrHash": _matches(_HASH),
    "acceptanceRequired": lambda value: isinstance(value, bool),
    "returns": _is_text,
    "api": _is_text,
}
_PARTS: Final[Mapping[str, Mapping[str, Callable[[object], bool]]]] = {
    "disputeResolution": {
        "method": _is_not_blank,
        "jurisdiction": _is_not_blank,
        "contact": _is_not_blank,
        "clauseId": _matches(_CLAUSE),
        "source": _is_not_blank,
        "catalog": _is_not_blank,
    },
    "contact": {"legal": _is_not_blank, "technical": _is_not_blank},
}


@rule("terms/listing-document", since="0.1", spec="section 11: the discovery document")
def listing_document(document: JSON) -> Listing | NotListed:
    """Read a discovery document, or name the first member that is wrong.

    ## What it reports
    The listing with all its members, unknown ones included; or `listing-malformed`: no object, no `terms` link
    (https in lower case, no blanks), an `atrHash` that is no SHA-256, a member of the wrong type, a blank text in
    `contact` or `disputeResolution`, a name that stands twice.

    ## Why it matters
    Buyers look here first. A blank entry reads as an election that was made, and a listing that does not validate
    counts as none.

    ## How to fix it
    Write it with `assay terms well-known`, and leave out what you have nothing to say in.
    """
    if not isinstance(document, dict):
        return NotListed(code="listing-malformed", detail=f"the document is {found(document)}, not an object")
    if repeats_a_name(document):
        return NotListed(code="listing-malformed", detail="an object of the document has a name twice")
    if "terms" not in document:
        return NotListed(code="listing-malformed", detail="terms holds nothing")
    fault = next(_faults(document), None)
    if fault is not None:
        return NotListed(code="listing-malformed", detail=detail(f"{fault[0]} holds {found(fault[1])}"))
    return Listing(
        members=document,
        terms=document["terms"],
        terms_format=document.get("termsFormat"),
        atr_hash=document.get("atrHash"),
    )


def read_listing(fetching: Fetching) -> Listing | NotListed:
    """Read the discovery document that was served, or say why there is none."""
    answer = readable(fetching)
    if isinstance(answer, Unreadable):
        code: DiscoverCode = "listing-too-large" if answer.is_too_long else "listing-unfetchable"
        return NotListed(code=code, detail=answer.detail)
    try:
        return listing_document(read(answer.body))
    except JSONUnreadable as error:
        return NotListed(code="listing-malformed", detail=error.code)


def held_listing(listing: Listing, fetching: Fetching) -> Integrity | NotListed:
    """Hold a listing against the terms that were served, or say why there are none."""
    served = readable(fetching)
    if isinstance(served, Unreadable):
        code: DiscoverCode = "atr-too-large" if served.is_too_long else "atr-unfetchable"
        return NotListed(code=code, detail=served.detail)
    return listing_integrity(
        ListingFacts(terms_format=listing.terms_format, served=served.body, advertised=listing.atr_hash)
    )


@rule("terms/listing-integrity", since="0.1", spec="section 11: listing integrity")
def listing_integrity(facts: ListingFacts) -> Integrity:
    """Say whether the terms that are served are the ones a listing promises, and whether a machine can read them.

    ## What it reports
    `ok` when the hashes agree, as bytes, and the format is `markdown`, `json`, `plain` or not stated;
    `listing-format-not-machine-readable` for any other format, whether or not the hashes agree; `mismatch` when
    they do not; `no-hash-advertised` when the listing commits to no bytes. Both facts are reported besides.

    ## Why it matters
    A listing without a hash, or with a stale one, gives the buyer nothing to hold the seller to.

    ## How to fix it
    Serve the terms as a fixed file in a format that machines read, and put its hash (`assay terms hash`) into
    `atrHash`. Change both together.

    ## Known limits
    A mismatch is not a proof of bad faith: a seller may be between two versions.
    """
    served = f"0x{sha256_hex(facts.served)}"
    matches = None if facts.advertised is None else facts.advertised.lower() == served
    readable = facts.terms_format is None or facts.terms_format in MACHINE_READABLE
    status: ListingStatus = "ok"
    if not readable:
        status = "listing-format-not-machine-readable"
    elif matches is None:
        status = "no-hash-advertised"
    elif not matches:
        status = "mismatch"
    return Integrity(
        status=status,
        hashes_match=matches,
        machine_readable=readable,
        served=served,
        advertised=facts.advertised,
    )


def _faults(document: Mapping[str, Any]) -> Iterator[tuple[str, JSON]]:
    """Give the path and value of each known member that is not what it must be."""
    yield from _wrong_members("", document, _MEMBERS)
    for name, members in _PARTS.items():
        part = own(document, name)
        if part is not ABSENT:
            if isinstance(part, dict):
                yield from _wrong_members(f"{name}.", part, members)
            else:
                yield name, part


def _wrong_members(
    prefix: str, holder: Mapping[str, Any], members: Mapping[str, Callable[[object], bool]]
) -> Iterator[tuple[str, JSON]]:
    for name, holds in members.items():
        value = own(holder, name)
        if value is not ABSENT and not holds(value):
            yield f"{prefix}{name}", value
