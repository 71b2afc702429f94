"""The rules of verifying: what a buyer may rely on before paying."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.terms.kit.encodings import SHA256
from assay402.checks.terms.kit.values import own
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.model import (
    X402,
    Decline,
    ExtractInput,
    Match,
    Offer,
    Read,
    RecordComparison,
    Refused,
    Unreadable,
    VerifyFacts,
)
from assay402.checks.terms.protocols import extract_document
from assay402.checks.terms.rules.extract import strict_facts, strict_refusal
from assay402.checks.terms.rules.served import readable
from assay402.core.asks import Failed, Fetched
from assay402.core.canon import sha256_hex
from assay402.core.check import rule
from assay402.core.strictjson import JSON, RepeatedNames, read
from assay402.wire.challenge import Challenge, NoChallenge, challenge_of
from assay402.wire.requirements import PaymentRequired
from assay402.wire.transport import PAYMENT_REQUIRED, is_coded

_STATUS: Final = 402
_HASH: Final = re.compile("(?:0x)?[0-9a-f]{64}")
"""A hash in lower case, with or without its prefix."""
_BLANKS_AND_MARKS: Final = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"
"""What may stand before JSON in any of its encodings: blanks, byte order marks, and the zeros of wide characters."""
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_ASCII_SAFE: Final = frozenset(
    {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252"}
)
"""Character sets in which every byte below 128 is what it is in ASCII, so that JSON has the same structure."""
_URL_SAFE: Final = frozenset("-_")
_MIRROR: Final = frozenset({"atrHash", "legalContextUrl"})


@rule("terms/readable-offer", since="0.1", spec="Decision 3: read strictly")
def readable_offer(document: JSON) -> Offer | Decline:
    """Read the one offer that every strict reader finds in an x402 challenge.

    ## What it reports
    Hash and link; or `offer-unreadable`, whose detail is the code of the read: `x402/link-not-https` for a link of
    another scheme, `x402/legal-context-malformed` for any other broken link, else what `terms/extraction`,
    `terms/name-repeated`, `terms/hash-mismatch`, `terms/mirror-malformed` and `terms/strict-link` say. Each further
    option of `accepts` that names terms in its `extra` must read to the same offer, for a client may choose it.

    ## Why it matters
    A buyer who reads leniently can be shown one document and be held to another.

    ## How to fix it
    Ask the seller to place terms in every slot, or do not pay.

    ## Known limits
    The scheme of the link may be written in any case here, as newer readers have it; extraction wants lower case.
    A further option that names no terms contradicts nothing: the contract has the mirror in the first one alone.
    """
    offer = _first_offer(document)
    if isinstance(offer, Decline) or not isinstance(document, dict):
        return offer
    for option in _further_options_with_terms(document):
        difference = _difference(offer, _first_offer({**document, "accepts": [option]}))
        if difference is not None:
            return difference
    return offer


def _first_offer(document: JSON) -> Offer | Decline:
    extracted = extract_document(ExtractInput(document=document), url_fault=link_fault)
    if isinstance(extracted, Refused):
        return _unreadable(extracted.code)
    refusal = strict_refusal(strict_facts(document, X402, extracted))
    if refusal is not None:
        return _unreadable(refusal.code)
    # What the strict rules let through has a hash and a URL: x402 permits no other type, and a place for the URL.
    assert isinstance(extracted.terms_url, Read)  # noqa: S101
    return Offer(atr_hash=extracted.ref.value.lower(), terms_url=extracted.terms_url.url)


def _further_options_with_terms(document: dict[str, JSON]) -> Iterator[JSON]:
    accepts = document.get("accepts")
    for option in accepts[1:] if isinstance(accepts, list) else ():
        extra = own(option, "extra")
        if isinstance(option, RepeatedNames) or (isinstance(extra, dict) and _MIRROR & extra.keys()):
            yield option


def _difference(first: Offer, other: Offer | Decline) -> Decline | None:
    """Say how another reading contradicts the offer; one without any terms does not."""
    if isinstance(other, Decline):
        return None if other.detail == f"{X402}/reference-absent" else other
    if other.atr_hash != first.atr_hash:
        return _unreadable("terms/hash-mismatch")
    return None if other.terms_url == first.terms_url else _unreadable(f"{X402}/terms-url-mismatch")


def _unreadable(code: str) -> Decline:
    return Decline(code="offer-unreadable", detail=code)


def unaskable(url: str) -> Decline | None:
    """Say why an endpoint is not asked: its link breaks the rule that holds for the terms."""
    fault = link_fault(url)
    return None if fault is None else _unreadable(f"{X402}/{fault}")


@rule("terms/agreed-offer", since="0.1", spec="Decision 3: an endpoint, read strictly")
def agreed_offer(received: Fetched | Failed) -> Offer | Decline:
    """Read the one offer of an unpaid answer, in whichever leg a client finds it.

    ## What it reports
    The offer of the PAYMENT-REQUIRED header, or of the body where there is no such header. The other leg, where it
    carries a challenge with terms, must read to the same offer. Otherwise `offer-unreadable`, with the state of the
    fetch, `terms/not-a-402`, `terms/leg-unreadable`, `terms/no-challenge`, or the code of the read.
    `terms/leg-unreadable` is a leg that stands there and that clients may read differently, or some and not others:
    headers that differ, a header that is not base64, in the standard alphabet, of a JSON object with a list `accepts`;
    a body that begins like
    JSON and is none in UTF-8, that has an `accepts` which is no list or empty, or that comes in a content coding or
    a character set other than UTF-8, ASCII and Latin-1.

    ## Why it matters
    Clients differ in the leg they read and in how leniently they read it. Two legs with two sets of terms are one
    trap, and so is a leg that only the paying client can read.

    ## How to fix it
    Place the terms into both legs, as the middleware does, and send plain JSON in UTF-8 and plain base64.

    ## Known limits
    A leg that advertises no terms contradicts nothing, nor does a body that is empty, a page, or an object without
    `accepts`. An endpoint may answer the next request differently: pay the challenge that was verified.
    """
    if isinstance(received, Failed):
        return _unreadable(received.state)
    if received.status != _STATUS:
        return _unreadable("terms/not-a-402")
    challenge = challenge_of(received)
    if _is_unreadable_header(challenge) or _is_unreadable_body(challenge):
        return _unreadable("terms/leg-unreadable")
    legs = [leg.sent for leg in (challenge.header, challenge.body) if isinstance(leg, PaymentRequired)]
    if not legs:
        return _unreadable("terms/no-challenge")
    first, *others = [readable_offer(leg) for leg in legs]
    if isinstance(first, Decline):
        return first
    return next((found for other in others if (found := _difference(first, other)) is not None), first)


def _is_unreadable_header(challenge: Challenge) -> bool:
    # Whoever sends the header means it for clients that read it, alone and each in its own way.
    if not isinstance(challenge.header, PaymentRequired):
        return challenge.header is not NoChallenge.ABSENT
    # Lenient decoders drop the letters of the URL-safe alphabet: to them the rest is shifted, and says something else.
    return any(_URL_SAFE & set(value) for value in challenge.received.header(PAYMENT_REQUIRED))


def _is_unreadable_body(challenge: Challenge) -> bool:
    received = challenge.received
    if not received.body:
        return False
    if is_coded(received.header("Content-Encoding")) or not _is_plain_text(received):
        return True
    match challenge.body:
        case NoChallenge.NOT_JSON:
            return received.body.lstrip(_BLANKS_AND_MARKS)[:1] in (b"{", b"[")
        case NoChallenge.NO_ACCEPTS:
            value = read(received.body)
            return isinstance(value, dict) and "accepts" in value
        case _:
            return False


def _is_plain_text(received: Fetched) -> bool:
    named = (name for value in received.header("Content-Type") for name in _CHARSET.findall(value))
    return all(name.lower() in _ASCII_SAFE for name in named)


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
    `proved` or `failed`; `not-attempted` with the reason when there is no placement (`no-placement-input`), it has
    no extracted reference (`no-reference-extracted`), that reference is no SHA-256 (`malformed-extracted-reference`)
    or the record's hash is none (`no-record-fingerprint`). Case and a missing `0x` do not matter, and the terms URL
    is ignored; what is compared are 32 bytes on both sides, so nothing malformed equals anything.

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
    ref = own(placement["extracted"], "ref")
    extracted = _digest(own(ref, "value")) if own(ref, "type") == SHA256 else None
    if extracted is None:
        return RecordComparison(status="not-attempted", depth="malformed-extracted-reference")
    kept = _digest(record_hash)
    if kept is None:
        return RecordComparison(status="not-attempted", depth="no-record-fingerprint")
    return RecordComparison(status="proved" if extracted == kept else "failed")


def _digest(value: object) -> bytes | None:
    """Give the 32 bytes that a hash spells, in either case, with its prefix or without."""
    if not isinstance(value, str) or _HASH.fullmatch(value.lower()) is None:
        return None
    return bytes.fromhex(value[-64:])
