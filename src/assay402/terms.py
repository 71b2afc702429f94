"""The terms check as a library: JSON values in, the published outcome out. Nothing is fetched.

An outcome is `{"ok": True, "value": …}` or `{"refused": True, "haltClass": …, "code": …, "detail": …}`. A document
is a `dict` as `json.loads` gives it; it is never changed, and what is returned shares nothing with it.
"""

from collections.abc import Mapping
from typing import Any

from assay402.checks.terms import contract
from assay402.checks.terms.model import (
    X402,
    Advertisement,
    Decline,
    ExtractInput,
    PlaceInput,
    Served,
    VerifyFacts,
    VerifyReport,
)
from assay402.checks.terms.rules.extract import extract_strictly, extraction
from assay402.checks.terms.rules.place import placement
from assay402.checks.terms.rules.verify import readable_offer, record_reference, served_bytes
from assay402.checks.terms.rules.well_known import well_known as make_well_known
from assay402.core.canon import sha256_hex


def place(
    advertisement: Any,  # noqa: ANN401  (any value; the rule judges it)
    document: Any,  # noqa: ANN401  (the same)
    *,
    protocol: str = X402,
    faithful: bool = False,
) -> dict[str, Any]:
    """Write an advertisement `{"ref": {"type": …, "value": …}, "termsUrl": …}` into a document.

    `faithful` judges the URL by its prefix alone and keeps the case of bare hashes, as the reference implementation
    does.
    """
    given = advertisement if isinstance(advertisement, dict) else {}
    return contract.publish(
        placement(
            PlaceInput(
                advertisement=Advertisement(ref=given.get("ref"), terms_url=given.get("termsUrl")),
                document=document,
                protocol=protocol,
                faithful=faithful,
            )
        )
    )


def extract(document: Any, *, protocol: str = X402, strict: bool = False) -> dict[str, Any]:  # noqa: ANN401  (any value; the rule judges it)
    """Read which terms a document advertises; `strict` refuses slots that disagree and links that some readers refuse."""
    given = ExtractInput(document=document, protocol=protocol, strict=strict)
    return contract.publish(extract_strictly(given) if strict else extraction(given))


def verify(document: Any, served: bytes) -> dict[str, Any]:  # noqa: ANN401  (any value; the rule judges it)
    """Say whether these bytes are the terms that an x402 challenge advertises, read strictly.

    Give the body exactly as it was received. The answer is `{"outcome": "match" | "decline", …}`.
    """
    offer = readable_offer(document)
    if isinstance(offer, Decline):
        return contract.publish_verify(VerifyReport(verdict=offer))
    facts = VerifyFacts(offer=offer, fetching=Served(status=200, codings=(), body=served))
    return contract.publish_verify(VerifyReport(verdict=served_bytes(facts), offer=offer))


def hash_terms(data: bytes) -> str:
    """Give the reference value of a terms document: the SHA-256 of its exact bytes, as `0x` and lower-case digits."""
    return f"0x{sha256_hex(data)}"


def well_known(members: Mapping[str, Any]) -> dict[str, Any]:
    """Make a discovery document for `/.well-known/legal-context.json`; it is not the terms, it links to them."""
    return contract.publish(make_well_known(members))


def against_record(placement: Any, record_hash: Any) -> dict[str, Any]:  # noqa: ANN401  (any value; the rule judges it)
    """Say whether an extraction, as `{"extracted": …}`, names the record with this hash."""
    return contract.publish_record(record_reference((placement, record_hash)))
