"""The rule of writing a discovery document."""

from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.terms.kit.values import detached, detail, found
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.model import NotListed, WellKnown
from assay402.checks.terms.rules.discover import listing_document
from assay402.core.check import rule

_ORDER: Final = (
    "terms",
    "termsFormat",
    "atrHash",
    "acceptanceRequired",
    "disputeResolution",
    "returns",
    "contact",
    "api",
)


@rule("terms/well-known", since="0.1", spec="section 11: the discovery document, as a writer")
def well_known(members: Mapping[str, Any]) -> WellKnown | NotListed:
    """Make a discovery document that every reader takes, or name the first member that is wrong.

    ## What it reports
    The document, its known members in the order of the specification and hashes in lower case; or
    `listing-malformed`. A writer is held to more than a reader: the `terms` link must pass the link rule.

    ## Why it matters
    Some readers take lower-case hashes alone, and some refuse links that others take.

    ## How to fix it
    Serve it at `/.well-known/legal-context.json`, as `application/json`, over https. It is not the terms: `terms`
    links to them, and `atrHash` is the hash of the bytes that link serves.
    """
    listing = listing_document(members)
    if isinstance(listing, NotListed):
        return listing
    if link_fault(listing.terms) is not None:
        return NotListed(
            code="listing-malformed",
            detail=detail(f"terms holds {found(listing.terms)}, which breaks the link rule"),
        )
    document = {name: members[name] for name in (*_ORDER, *members) if name in members}
    document = detached(document)
    if listing.atr_hash is not None:
        document["atrHash"] = listing.atr_hash.lower()
    dispute = document.get("disputeResolution", {})
    if "clauseId" in dispute:
        dispute["clauseId"] = dispute["clauseId"].lower()
    return WellKnown(document=document)
