"""The terms check as a library: JSON values in, the published outcome out. Nothing is fetched.

An outcome is `{"ok": True, "value": …}` or `{"refused": True, "haltClass": …, "code": …, "detail": …}`. A document
is a `dict` as `json.loads` gives it; it is never changed, and what is returned shares nothing with it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from assay402.checks.terms import contract
from assay402.checks.terms.collect import TERMS_LIMITS
from assay402.checks.terms.model import (
    X402,
    Advertisement,
    Decline,
    ExtractInput,
    Offer,
    PlaceInput,
    Served,
    Unserved,
    VerifyFacts,
    VerifyReport,
)
from assay402.checks.terms.rules.extract import extract_strictly, extraction
from assay402.checks.terms.rules.place import placement
from assay402.checks.terms.rules.verify import agreed_offer, readable_offer, record_reference, served_bytes
from assay402.checks.terms.rules.well_known import well_known as make_well_known
from assay402.core.asks import Fetched
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

    Give the body exactly as it was received. The answer is `{"outcome": "match" | "decline", …}`; beyond one mebibyte it
    is a decline, as it is for terms that are fetched.

    Raises:
        TypeError: when what was served is not bytes; a decoded text is no longer what was hashed.

    """
    return _verified(readable_offer(document), served)


def verify_response(
    status: int, headers: Iterable[tuple[str, str]], body: bytes, served: bytes
) -> dict[str, Any]:
    """Say whether these bytes are the terms of an unpaid answer, both legs read strictly as for an endpoint.

    Give every header line as a pair, and the body exactly as it was received.

    Raises:
        TypeError: when body or what was served is not bytes.

    """
    received = Fetched(status=status, headers=tuple(headers), body=_held_to_bytes(body))
    return _verified(agreed_offer(received), served)


def _verified(offer: Offer | Decline, served: bytes) -> dict[str, Any]:
    body = _held_to_bytes(served)
    if isinstance(offer, Decline):
        return contract.publish_verify(VerifyReport(verdict=offer))
    fetching = (
        Unserved(state="body_cap")
        if len(body) > TERMS_LIMITS.body_bytes
        else Served(status=200, codings=(), body=body)
    )
    verdict = served_bytes(VerifyFacts(offer=offer, fetching=fetching))
    return contract.publish_verify(VerifyReport(verdict=verdict, offer=offer))


def _held_to_bytes(given: object) -> bytes:
    if not isinstance(given, bytes | bytearray | memoryview):
        message = "give bytes exactly as they were received, not decoded text"
        raise TypeError(message)
    return bytes(given)


def hash_terms(data: bytes) -> str:
    """Give the reference value of a terms document: the SHA-256 of its exact bytes, as `0x` and lower-case digits."""
    return f"0x{sha256_hex(data)}"


def well_known(members: Mapping[str, Any]) -> dict[str, Any]:
    """Make a discovery document for `/.well-known/legal-context.json`; it is not the terms, it links to them."""
    return contract.publish(make_well_known(members))


def against_record(placement: Any, record_hash: Any) -> dict[str, Any]:  # noqa: ANN401  (any value; the rule judges it)
    """Say whether an extraction names the record with this hash.

    Give the outcome of `extract`, or its value as `{"extracted": …}`. A refused outcome has no reference.
    """
    if isinstance(placement, dict) and placement.get("ok") is True and "value" in placement:
        placement = {"extracted": placement["value"]}
    return contract.publish_record(record_reference((placement, record_hash)))
