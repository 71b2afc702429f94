"""Does what was delivered meet the buyer's criteria?"""

from functools import partial
from typing import Any, Final

from msgspec import structs

from assay402.checks.deliverable import admission, contract, explain
from assay402.checks.deliverable.menu import MENU
from assay402.checks.deliverable.model import ASSAY, CONTRACT, Profile
from assay402.checks.deliverable.reasons import REASONS, REFUSALS
from assay402.checks.deliverable.rules.verdict import verdict
from assay402.core.check import Check, Custody, Faces, Operation


def _operations(profile: Profile) -> tuple[Operation[Any, Any], ...]:
    """Make the operations that answer under a profile."""
    check: Operation[Any, Any] = Operation(
        name="check",
        summary="Judge a deliverable by acceptance criteria, replayably.",
        admit=partial(admission.admit_check, profile=profile),
        run=contract.check,
        publish=contract.publish,
        exit_code=contract.exit_code,
        request_bytes=admission.REQUEST_BYTES,
        read=admission.read_body,
    )
    lint: Operation[Any, Any] = Operation(
        name="lint",
        summary="Say for free which criteria can be checked, before anything is delivered.",
        admit=partial(admission.admit_lint, profile=profile),
        run=contract.lint,
        publish=contract.publish_lint,
        exit_code=contract.exit_code_lint,
        request_bytes=admission.REQUEST_BYTES,
        read=admission.read_criteria,
    )
    explained = structs.replace(
        check,
        name="explain",
        summary="Show values and differences behind each result, on this machine only.",
        run=explain.explain,
        publish=explain.publish_explain,
        faces=Faces.LOCAL,
    )
    return check, lint, explained


_CHECK, _LINT, _EXPLAIN = (
    structs.replace(ours, profiles={ASSAY: ours, CONTRACT: theirs})
    for ours, theirs in zip(_operations(ASSAY), _operations(CONTRACT), strict=True)
)

CHECK: Final = Check(
    name="deliverable",
    service=contract.SERVICE,
    version=contract.CONTRACT_VERSION,
    question="Does what was delivered meet the buyer's criteria?",
    custody=Custody.ANSWER,
    operations=(
        _CHECK,
        _LINT,
        Operation(
            name="replay",
            summary="Judge a request again and compare every root and result of an answer.",
            admit=admission.admit_replay,
            run=contract.replay,
            publish=contract.publish_replay,
            exit_code=contract.exit_code_replay,
            request_bytes=admission.REPLAY_BYTES,
            read=admission.read_replay,
            faces=Faces.LOCAL,
        ),
        _EXPLAIN,
    ),
    rules=(*(spec.rule for spec in MENU), verdict),
    notices={**REFUSALS, **REASONS},
)
"""The room, as every face sees it."""
