"""Which terms govern this payment, and does every place of it name the same ones?"""

from typing import Final

from assay402.checks.terms import codes, contract
from assay402.checks.terms.rules import discover, extract, place, verify, well_known
from assay402.core.check import Check, Custody, Faces, Operation

CHECK: Final = Check(
    name="terms",
    service=codes.SERVICE,
    version=codes.VERSION,
    question="Which terms govern this payment, and does every place of it name the same ones?",
    custody=Custody.NOTHING,
    operations=(
        Operation(
            name="place",
            summary="Put the terms into a challenge.",
            admit=contract.admit_place,
            run=contract.place,
            publish=contract.publish,
            publish_refusal=contract.publish_refusal,
            exit_code=contract.exit_code,
            request_bytes=codes.REQUEST_BYTES,
        ),
        Operation(
            name="extract",
            summary="Read the terms a document advertises.",
            admit=contract.admit_extract,
            run=contract.extract,
            publish=contract.publish,
            publish_refusal=contract.publish_refusal,
            exit_code=contract.exit_code,
            request_bytes=codes.REQUEST_BYTES,
        ),
        Operation(
            name="verify",
            summary="Hold the advertised terms against what is served.",
            admit=contract.admit_verify,
            run=contract.verify,
            publish=contract.publish_verify,
            publish_refusal=contract.publish_refusal,
            exit_code=contract.exit_code_verify,
            request_bytes=codes.REQUEST_BYTES,
            offline=contract.needs_network,
        ),
        Operation(
            name="discover",
            summary="Hold a site's discovery document to its word.",
            admit=contract.admit_discover,
            run=contract.discover,
            publish=contract.publish_discover,
            publish_refusal=contract.publish_refusal,
            exit_code=contract.exit_code_discover,
            request_bytes=codes.REQUEST_BYTES,
            offline=contract.needs_network,
        ),
        Operation(
            name="well-known",
            summary="Write a site's discovery document.",
            admit=contract.admit_well_known,
            run=contract.write_well_known,
            publish=contract.publish,
            publish_refusal=contract.publish_refusal,
            exit_code=contract.exit_code,
            request_bytes=codes.REQUEST_BYTES,
            faces=Faces.LOCAL,
        ),
    ),
    rules=(
        place.placement,
        extract.extraction,
        extract.name_repeated,
        extract.mirror_malformed,
        extract.hash_mismatch,
        extract.strict_link,
        verify.readable_offer,
        verify.agreed_offer,
        verify.served_bytes,
        verify.record_reference,
        discover.listing_document,
        discover.listing_integrity,
        well_known.well_known,
    ),
    notices=codes.NOTICES,
)
"""The room, as every face sees it."""
