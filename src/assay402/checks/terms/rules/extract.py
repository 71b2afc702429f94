"""The rules of extracting: the faithful read, and what a strict reader demands beyond it."""

from msgspec import Struct

from assay402.checks.terms.kit.encodings import Corrupt, Hit, decode, same_reference
from assay402.checks.terms.kit.manifest import INTEGRITY_TYPES
from assay402.checks.terms.kit.placement import hits
from assay402.checks.terms.kit.repeated import repeated_on_the_way
from assay402.checks.terms.kit.values import detail, escaped, found, quoted_ends
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
    repeated: str | None
    """The first place on the way to a slot whose name stands more than once."""


def strict_facts(document: JSON, protocol: str, extracted: Extracted) -> StrictFacts:
    """Gather the slots that commit to content; a slot that only locates the terms commits to none."""
    manifest = manifests()[protocol]
    return StrictFacts(
        protocol=protocol,
        extracted=extracted,
        commitments=tuple(hit for hit in hits(manifest, document) if hit.slot.carrier_class == "integrity"),
        repeated=repeated_on_the_way(manifest, document),
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
        return Refused(
            code="terms/protocol-unknown", detail=f"the protocol is none of {', '.join(PROTOCOLS)}"
        )
    return extract_document(given)


@rule("terms/name-repeated", since="0.1", spec="Decision 3: read strictly; nothing may be read in two ways")
def name_repeated(facts: StrictFacts) -> Refused | None:
    """Refuse a document in which a name on the way to a slot stands more than once in its object.

    ## What it reports
    The first such place: a member above a slot, the slot itself, a member of its reference, or a header that stands
    twice in its map, whatever the cases.

    ## Why it matters
    JSON readers differ: most take the last of two members, some the first. One text then advertises two sets of
    terms, and the one that is checked need not be the one that is agreed to.

    ## How to fix it
    Write every name once. No JSON library writes one twice by itself: look for text that is put together by hand.

    ## Known limits
    Repetition is seen in text alone. A document that another reader has already turned into objects shows one value.
    Elsewhere in a document it says nothing about the terms and passes here; placing refuses it anywhere.
    """
    if facts.repeated is None:
        return None
    return Refused(
        code="terms/name-repeated", detail=detail(f"{escaped(facts.repeated)} stands more than once")
    )


@rule("terms/mirror-malformed", since="0.1", spec="Decision 2: health of the mirror")
def mirror_malformed(facts: StrictFacts) -> Refused | None:
    """Refuse a document in which a slot for the hash holds something that is none.

    ## What it reports
    The first slot, beside the one that was read, whose value is no reference or one with a broken value.

    ## Why it matters
    Some buyers look at that slot first, or alone. They see a corrupt advertisement where others see a good one.

    ## How to fix it
    Remove the slot that `detail` names, or mend it where it is one that placing writes: for `ap2`, `ack`, `acp` and
    `a2a` the older spellings are only read, so placing again leaves them as they are.
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
    Remove the stale one of the two slots that `detail` names, and place again; the slots that are only read are
    never written. Or find out who changed one of them on the way.
    """
    for hit in facts.commitments:
        reference = decode(hit)
        if not isinstance(reference, Corrupt | None) and not same_reference(reference, facts.extracted.ref):
            text = f"{facts.commitments[0].slot.path} holds {quoted_ends(facts.extracted.ref.value)}"
            return Refused(
                code="terms/hash-mismatch",
                detail=detail(f"{text} and {hit.slot.path} holds {quoted_ends(reference.value)}"),
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
    return strict_refusal(facts) or extracted


def strict_refusal(facts: StrictFacts) -> Refused | None:
    """Give the first reason why a strict reader does not take what a faithful one read."""
    return name_repeated(facts) or hash_mismatch(facts) or mirror_malformed(facts) or strict_link(facts)
