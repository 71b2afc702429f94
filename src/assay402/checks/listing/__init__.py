"""Is this service well-formed, listed where buyers look, and reachable?"""

from typing import Final

from assay402.checks.listing import admission, contract
from assay402.checks.listing.rules.verdict import verdict
from assay402.core.check import Check, Custody, Operation

CHECK: Final = Check(
    name="listing",
    service=contract.SERVICE,
    version=contract.VERSION,
    question="Is this service well-formed, listed where buyers look, and reachable?",
    custody=Custody.NOTHING,
    operations=(
        Operation(
            name="check",
            summary="Report whether a service is well-formed, listed and reachable, and whose turn it is.",
            admit=admission.admit,
            run=contract.check,
            publish=contract.publish,
            exit_code=contract.exit_code,
            request_bytes=admission.REQUEST_BYTES,
            redact=admission.redact,
            offline=contract.offline,
        ),
    ),
    rules=(*contract.CHECKS, verdict),
    notices=admission.REFUSALS,
)
"""The room, as every face sees it."""
