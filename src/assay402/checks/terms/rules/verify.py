"""The rules of verifying: what a buyer may rely on before paying."""

from typing import Final

from assay402.checks.terms.kit.values import quoted
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.model import (
    X402,
    Decline,
    Extracted,
    ExtractInput,
    Fetching,
    Match,
    Offer,
    Read,
    RecordComparison,
    Refused,
    Served,
    Unreadable,
    Unserved,
    VerifyFacts,
)
from assay402.checks.terms.protocols import extract_document
from assay402.checks.terms.rules.extract import hash_mismatch, mirror_malformed, strict_facts, strict_link
from assay402.core.asks import Fetched
from assay402.core.canon import sha256_hex
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.challenge import challenge_of
from assay402.wire.requirements import PaymentRequired

OK: Final = 200
PAYMENT_REQUIRED: Final = 402
_TOO_MUCH: Final = frozenset({"body_cap", "wire_cap"})
"""States of a fetch that was ended because there was too much to read."""


@rule("terms/readable-offer", since="0.1", spec="Decision 3: read strictly")
def readable_offer(document: JSON) -> Offer | Decline:
    """Read the one offer that every strict reader finds in an x402 challenge.

    ## What it reports
    Hash and link; or `offer-unreadable`, whose detail is the code of the read: `x402/link-not-https` for a link of
    another scheme, `x402/legal-context-malformed` for any other broken link, else what `terms/extraction`,
    `terms/mirror-malformed`, `terms/hash-mismatch` and `terms/strict-link` say.

    ## Why it matters
    A buyer who reads leniently can be shown one document and be held to another.

    ## How to fix it
    Ask the seller to place terms in every slot, or do not pay.

    ## Known limits
    The scheme of the link may be written in any case here, as newer readers have it; extraction wants lower case.
    """
    extracted = extract_document(ExtractInput(document=document), url_fault=link_fault)
    if isinstance(extracted, Refused):
        return Decline(code="offer-unreadable", detail=extracted.code)
    facts = strict_facts(document, X402, extracted)
    refusal = hash_mismatch(facts) or mirror_malformed(facts) or strict_link(facts)
    if refusal is not None:
        return Decline(code="offer-unreadable", detail=refusal.code)
    return _offer(extracted)


def _offer(extracted: Extracted) -> Offer:
    # What the strict rules let through has a hash and a URL: x402 permits no other type, and a place for the URL.
    assert isinstance(extracted.terms_url, Read)  # noqa: S101
    return Offer(atr_hash=extracted.ref.value.lower(), terms_url=extracted.terms_url.url)


@rule("terms/agreed-offer", since="0.1", spec="Decision 3: an endpoint, read strictly")
def agreed_offer(received: Fetched) -> Offer | Decline:
    """Read the one offer of an unpaid answer, in whichever leg a client finds it.

    ## What it reports
    The offer of the PAYMENT-REQUIRED header, or of the body where the header carries no challenge. The other leg,
    where it carries a challenge with terms, must read to the same offer. Otherwise `offer-unreadable`, with
    `terms/not-a-402`, `terms/no-challenge`, or the code of the read.

    ## Why it matters
    Clients differ in the leg they read. Two legs with two sets of terms are one trap.

    ## How to fix it
    Place the terms into both legs, as the middleware does.

    ## Known limits
    A leg that advertises no terms contradicts nothing.
    """
    if received.status != PAYMENT_REQUIRED:
        return Decline(code="offer-unreadable", detail="terms/not-a-402")
    challenge = challenge_of(received)
    legs = [leg.sent for leg in (challenge.header, challenge.body) if isinstance(leg, PaymentRequired)]
    if not legs:
        return Decline(code="offer-unreadable", detail="terms/no-challenge")
    first, *others = [readable_offer(leg) for leg in legs]
    if isinstance(first, Decline):
        return first
    for other in others:
        if isinstance(other, Decline):
            if other.detail != f"{X402}/reference-absent":
                return other
        elif other.atr_hash != first.atr_hash:
            return Decline(code="offer-unreadable", detail="terms/hash-mismatch")
        elif other.terms_url != first.terms_url:
            return Decline(code="offer-unreadable", detail=f"{X402}/terms-url-mismatch")
    return first


@rule("terms/served-bytes", since="0.1", spec="Decision 3: fetch, hash, compare")
def served_bytes(facts: VerifyFacts) -> Match | Decline:
    """Say whether the link serves the bytes that were advertised.

    ## What it reports
    `match`, or a decline: `hash-mismatch` when other bytes were served; `atr-unfetchable` when there was no answer
    with status 200 (a redirect is none), or it came in a content coding, or from an address that is not public, or
    not within ten seconds; `atr-too-large` beyond one mebibyte.

    ## Why it matters
    The hash is what a buyer agrees to. Bytes that differ in one blank are another text.

    ## How to fix it
    Serve the file as it was hashed: no template, no re-serialised JSON, no changed line ends, no compression, no
    redirect. The discovery document at `/.well-known/legal-context.json` is not the terms.

    ## Known limits
    An answer beyond the limit of bytes is `atr-too-large` whatever its status and coding. What matched now may be
    changed later: keep the bytes (`--save`).
    """
    served = readable(facts.fetching)
    if isinstance(served, Unreadable):
        return Decline(
            code="atr-too-large" if served.is_too_long else "atr-unfetchable", detail=served.detail
        )
    digest = f"0x{sha256_hex(served.body)}"
    if digest != facts.offer.atr_hash:
        return Decline(code="hash-mismatch", detail=f"served {digest}", body=served.body)
    return Match(atr_hash=digest, body=served.body)


@rule("terms/record-reference", since="0.1", spec="section 11: reference against a kept record")
def record_reference(given: tuple[JSON, JSON]) -> RecordComparison:
    """Say whether an extracted reference names the record that was kept.

    ## What it reports
    `proved` or `failed`; `not-attempted` with the reason when the placement, its extracted reference or the
    record's hash is not there. Case and a missing `0x` do not matter, and the terms URL is ignored.

    ## Why it matters
    In a dispute, a reference that names another record impeaches the one that is shown.

    ## How to fix it
    Keep the bytes that were hashed with the payment, and compare against their hash.

    ## Known limits
    The comparison can only impeach: nothing here shows that the record was agreed to.
    """
    placement, record_hash = given
    if placement is None:
        return RecordComparison(status="not-attempted", depth="no-placement-input")
    if not isinstance(placement, dict) or "extracted" not in placement:
        return RecordComparison(status="not-attempted", depth="no-reference-extracted")
    value = _extracted_value(placement["extracted"])
    if value is None:
        return RecordComparison(status="not-attempted", depth="malformed-extracted-reference")
    if not isinstance(record_hash, str):
        return RecordComparison(status="not-attempted", depth="no-record-fingerprint")
    same = _normal(value) == _normal(record_hash)
    return RecordComparison(status="proved" if same else "failed")


def readable(fetching: Fetching) -> Served | Unreadable:
    """Give an answer whose bytes may be hashed, or why there are none."""
    match fetching:
        case Unserved(state=state):
            return Unreadable(is_too_long=state in _TOO_MUCH, detail=state)
        case Served(status=status) if status != OK:
            return Unreadable(is_too_long=False, detail=f"status {status}")
        case Served(codings=codings) if any(coding != "identity" for coding in codings):
            return Unreadable(is_too_long=False, detail=f"content coding {quoted(', '.join(codings))}")
        case _:
            return fetching


def _extracted_value(extracted: JSON) -> str | None:
    ref = extracted.get("ref") if isinstance(extracted, dict) else None
    value = ref.get("value") if isinstance(ref, dict) else None
    return value if isinstance(value, str) else None


def _normal(value: str) -> str:
    lower = value.lower()
    return lower if lower.startswith("0x") else f"0x{lower}"
