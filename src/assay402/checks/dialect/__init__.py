"""Which x402 dialect does each surface of this 402 speak?"""

from typing import Final

from assay402.checks.dialect import contract, criteria
from assay402.checks.dialect.rules import axes, mismatches, summary
from assay402.core.check import Check, Custody, Operation

CHECK: Final = Check(
    name="dialect",
    service=criteria.SERVICE,
    version=criteria.VERSION,
    question="Which x402 dialect does each surface of this 402 speak?",
    custody=Custody.NOTHING,
    operations=(
        Operation(
            name="check",
            summary="Report which x402 dialect each surface of one 402 speaks.",
            admit=contract.admit,
            run=contract.check,
            publish=contract.publish,
            exit_code=contract.exit_code,
            request_bytes=criteria.REQUEST_BYTES,
            redact=contract.redact,
            offline=contract.offline,
        ),
        Operation(
            name="precheck",
            summary="Say whether a request would be accepted; fetches nothing.",
            admit=contract.admit_precheck,
            run=contract.precheck,
            publish=contract.publish_precheck,
            exit_code=contract.exit_code_precheck,
            request_bytes=criteria.REQUEST_BYTES,
            redact=contract.redact,
        ),
    ),
    rules=(
        axes.challenge_carrier,
        axes.client_header_names,
        axes.payload_shape,
        axes.amount_field_name,
        axes.network_id_form,
        axes.receipt_headers,
        mismatches.mixed_signal_leg,
        mismatches.x402version_contradiction,
        mismatches.client_header_opposite_carrier,
        summary.summary,
    ),
    notices=contract.REFUSALS,
)
"""The room, as every face sees it."""
