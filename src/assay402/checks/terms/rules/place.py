"""The rule of placing: one advertisement, one document, all slots or a refusal."""

from assay402.checks.terms.kit.repeated import repeats_a_name
from assay402.checks.terms.model import Placed, PlaceInput, Refused
from assay402.checks.terms.protocols import PROTOCOLS, place_document
from assay402.core.check import rule


@rule("terms/placement", since="0.1", spec="legal-context-placement 0.11.0: place")
def placement(given: PlaceInput) -> Placed | Refused:
    """Write which terms govern a payment into every slot the protocol declares, or say why that is impossible.

    ## What it reports
    The document with the reference and the terms URL in place, everything else as it was; or a refusal. The steps
    are judged in this order, and the first that fails is reported: the type of the reference
    (`carrier-type-not-permitted`), the terms URL (`terms-url-unplaceable`, `terms-url-missing`,
    `terms-url-malformed`), the document (`document-malformed`), the value (`reference-malformed`), the slots
    (`document-malformed`, `terms-url-slot-unwritable`). `ack/receipt-already-issued` and
    `mastercard-vi/tier-b-not-writable` come before them all. Last, a document that could be placed into is refused
    (`terms/name-repeated`) where any object in it, as text, has a name more than once: it would have to be decided
    which of the two values is kept.

    ## Why it matters
    A payment without a verifiable reference to its terms binds nobody to any text. Readers differ in the slot they
    look at, so a challenge that fills only some of them is invisible to some buyers.

    ## How to fix it
    Give the SHA-256 of the exact bytes your terms URL serves (`assay terms hash FILE`) and that URL, https and
    without blanks. The URL must serve those very bytes; the discovery document at
    `/.well-known/legal-context.json` is not the terms. Place into the challenge itself, never into a payment.

    ## Known limits
    For x402 only the first requirement gets the mirror, as the contract has it: a buyer who looks at another one
    finds the reference in `extensions`. Nothing is fetched: `assay terms verify` tells whether the URL keeps the
    promise. Unless told to be faithful to the reference implementation, hashes are written in lower case in every
    slot and the URL must pass the link rule.
    """
    if given.protocol not in PROTOCOLS:
        return Refused(
            code="terms/protocol-unknown", detail=f"the protocol is none of {', '.join(PROTOCOLS)}"
        )
    placed = place_document(given)
    # Judged last: it is ours, and the contract's steps come in its order.
    if isinstance(placed, Placed) and repeats_a_name(given.document):
        return Refused(code="terms/name-repeated", detail="an object of the document has a name twice")
    return placed
