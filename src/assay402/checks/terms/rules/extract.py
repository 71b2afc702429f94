"""The rules of extracting: the faithful read, and what a strict reader demands beyond it."""

from msgspec import Struct

from assay402.checks.terms.kit.encodings import Corrupt, Hit, decode, same_reference
from assay402.checks.terms.kit.manifest import INTEGRITY_TYPES
from assay402.checks.terms.kit.placement import hits
from assay402.checks.terms.kit.values import detail, found
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.model import DeclaredFieldsEmpty, Extracted, ExtractInput, Read, Refused
from assay402.checks.terms.protocols import PROTOCOLS, extract_document, manifests
from assay402.core.check import rule
from assay402.core.strictjson import JSON


class StrictFacts(Struct, frozen=True, kw_only=True):
    """What a faithful read gave, and every slot that commits to content."""

    protocol: str
    extracted: Extracted
    commitments: tuple[Hit, ...]


def strict_facts(document: JSON, protocol: str, extracted: Extracted) -> StrictFacts:
    """Gather the slots that commit to content; a slot that only locates the terms commits to none."""
    found_hits = hits(manifests()[protocol], document)
    return StrictFacts(
        protocol=protocol,
        extracted=extracted,
        commitments=tuple(hit for hit in found_hits if hit.slot.carrier_class == "integrity"),
    )


@rule("terms/extraction", since="0.1", spec="legal-context-placement 0.11.0: extract")
def extraction(given: ExtractInput) -> Extracted | Refused:
    """Say which terms a document advertises, exactly as the reference implementation reads it.

    ## What it reports
    The reference and the terms URL, or a refusal: `document-malformed`, `reference-absent`, `reference-malformed`,
    `carrier-type-not-permitted`, `terms-url-malformed` or `terms-url-mismatch`, the first that holds. A missing
    terms URL is a value (`declared-fields-empty`, `no-field-declared`), not a refusal. The hash is given as the
    wire had it.

    ## Why it matters
    Buyers decide on what they read. A document that two readers read differently can show one set of terms to the
    one who checks and another to the one who pays.

    ## How to fix it
    Place the terms with `assay terms place` or the middleware instead of writing slots by hand, and remove what
    older versions left behind.

    ## Known limits
    Presence decides: a corrupt canonical slot refuses although its mirror is healthy. Two hash slots that disagree
    pass, and the canonical one is read; `--strict` refuses them (`terms/hash-mismatch`). Absent terms URLs pass
    here as well.
    """
    if given.protocol not in PROTOCOLS:
        return Refused(code="terms/protocol-unknown", detail="the protocol is none with a placement")
    return extract_document(given)


@rule("terms/mirror-malformed", since="0.1", spec="Decision 2: health of the mirror")
def mirror_malformed(facts: StrictFacts) -> Refused | None:
    """Refuse a document in which a slot for the hash holds something that is none.

    ## What it reports
    The first slot, beside the one that was read, whose value is no reference or one with a broken value.

    ## Why it matters
    Some buyers look at that slot first, or alone. They see a corrupt advertisement where others see a good one.

    ## How to fix it
    Place the terms again; every slot is written anew.
    """
    for hit in facts.commitments:
        reference = decode(hit)
        if reference is None or isinstance(reference, Corrupt):
            return Refused(
                code="terms/mirror-malformed", detail=detail(f"{hit.slot.path} holds {found(hit.raw)}")
            )
    return None


@rule("terms/hash-mismatch", since="0.1", spec="Decision 2: agreement of the hash slots")
def hash_mismatch(facts: StrictFacts) -> Refused | None:
    """Refuse a document whose slots commit to different terms.

    ## What it reports
    The first slot whose reference is not the one that was read. Hashes are compared as bytes, so their case does
    not matter; a reference of another type is another reference.

    ## Why it matters
    The reference implementation reads the canonical slot and says nothing. A buyer that prefers the mirror would
    verify, and agree to, another document.

    ## How to fix it
    Place the terms again, or find out who changed one of the slots on the way.
    """
    for hit in facts.commitments:
        reference = decode(hit)
        if not isinstance(reference, Corrupt | None) and not same_reference(reference, facts.extracted.ref):
            text = f"{facts.commitments[0].slot.path} holds {found(facts.extracted.ref.value)}"
            return Refused(
                code="terms/hash-mismatch",
                detail=detail(f"{text} and {hit.slot.path} holds {found(reference.value)}"),
            )
    return None


@rule("terms/strict-link", since="0.1", spec="Decision 2: the link rule; section 12")
def strict_link(facts: StrictFacts) -> Refused | None:
    """Refuse a reference whose document cannot be fetched by every reader.

    ## What it reports
    `terms-url-missing` where the protocol has a place for the terms URL, a hash was read, and no URL stands there;
    `terms-url-malformed` for a URL that breaks the link rule: at most 2048 UTF-16 units, no blank, control
    character or backslash, https, a DNS name or a bracketed address, a port up to 65535, no user name.

    ## Why it matters
    A hash without its document proves nothing to someone who does not have it, and a link that one reader takes and
    another refuses splits your buyers.

    ## How to fix it
    Serve the terms at a plain https URL and place that.

    ## Known limits
    A protocol without a place for a URL passes.
    """
    match facts.extracted.terms_url:
        case DeclaredFieldsEmpty(fields=fields) if facts.extracted.ref.type in INTEGRITY_TYPES:
            text = f"nothing stands in {' or '.join(fields)}"
            return Refused(code=f"{facts.protocol}/terms-url-missing", detail=detail(text))
        case Read(url=url) if link_fault(url) is not None:
            text = f"the terms URL {found(url)} breaks the link rule"
            return Refused(code=f"{facts.protocol}/terms-url-malformed", detail=detail(text))
        case _:
            return None


def extract_strictly(given: ExtractInput) -> Extracted | Refused:
    """Extract, and refuse what a strict reader refuses."""
    extracted = extraction(given)
    if isinstance(extracted, Refused):
        return extracted
    facts = strict_facts(given.document, given.protocol, extracted)
    return hash_mismatch(facts) or mirror_malformed(facts) or strict_link(facts) or extracted
