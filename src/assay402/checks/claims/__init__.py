"""Does the supplied evidence carry the claims of this text?"""

from typing import Final

from assay402.checks.claims import contract
from assay402.checks.claims.model import Given, OperationName, Outcome
from assay402.checks.claims.rules import directives, opinion, repair, state, verdict
from assay402.core.check import Check, Custody, Operation


def _operation(name: OperationName, summary: str) -> Operation[Given, Outcome]:
    return Operation(
        name=name,
        summary=summary,
        admit=contract.admit_for(name),
        run=contract.run,
        publish=contract.publish,
        exit_code=contract.exit_code,
        request_bytes=contract.REQUEST_BYTES,
    )


CHECK: Final = Check(
    name="claims",
    service="integrity-check",
    version=contract.VERSION,
    question="Does the supplied evidence carry the claims of this text?",
    custody=Custody.ANSWER,
    operations=(
        _operation(
            "diagnose", "Say of each claim whether the supplied evidence states it, denies it or is silent."
        ),
        _operation("repair", "Diagnose, and propose the smallest honest change of the text."),
        _operation("verify", "Say whether a text is carried, claim by claim, by the supplied evidence."),
        _operation(
            "repair-bundle", "Diagnose, propose a change and verify the submitted text, in one answer."
        ),
    ),
    rules=(
        *verdict.ORDER,
        verdict.LAST,
        *verdict.GUARDS,
        opinion.judge_opinion,
        directives.directives,
        state.case_state,
        repair.repaired,
    ),
    notices=contract.REFUSALS,
)
"""The room, as every face sees it."""
