"""Does what was delivered meet the buyer's criteria?"""

from functools import partial
from typing import Any, Final

from assay402.checks.deliverable import admission, contract, explain
from assay402.checks.deliverable.menu import MENU
from assay402.checks.deliverable.model import ASSAY, CONTRACT, Profile
from assay402.checks.deliverable.reasons import REASONS
from assay402.checks.deliverable.rules.verdict import verdict
from assay402.core.check import Check, Custody, Faces, Operation


def _check(profile: Profile, profiles: dict[str, Operation[Any, Any]]) -> Operation[Any, Any]:
    return Operation(
        name="check",
        summary="Judge a deliverable by acceptance criteria, replayably.",
        admit=partial(admission.admit_check, profile=profile),
        run=contract.check,
        publish=contract.publish,
        exit_code=contract.exit_code,
        request_bytes=admission.REQUEST_BYTES,
        read=admission.read_body,
        profiles=profiles,
    )


def _lint(profile: Profile, profiles: dict[str, Operation[Any, Any]]) -> Operation[Any, Any]:
    return Operation(
        name="lint",
        summary="Say for free which criteria can be checked, before anything is delivered.",
        admit=partial(admission.admit_lint, profile=profile),
        run=contract.lint,
        publish=contract.publish_lint,
        exit_code=contract.exit_code_lint,
        request_bytes=admission.REQUEST_BYTES,
        read=admission.read_criteria,
        profiles=profiles,
    )


def _explain(profile: Profile, profiles: dict[str, Operation[Any, Any]]) -> Operation[Any, Any]:
    return Operation(
        name="explain",
        summary="Show values and differences behind each result, on this machine only.",
        admit=partial(admission.admit_check, profile=profile),
        run=explain.explain,
        publish=explain.publish_explain,
        exit_code=contract.exit_code,
        request_bytes=admission.REQUEST_BYTES,
        read=admission.read_body,
        profiles=profiles,
        faces=Faces.LOCAL,
    )


CHECK: Final = Check(
    name="deliverable",
    service=contract.SERVICE,
    version=contract.CONTRACT_VERSION,
    question="Does what was delivered meet the buyer's criteria?",
    custody=Custody.ANSWER,
    operations=(
        *(made(ASSAY, {ASSAY: made(ASSAY, {}), CONTRACT: made(CONTRACT, {})}) for made in (_check, _lint)),
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
        _explain(ASSAY, {ASSAY: _explain(ASSAY, {}), CONTRACT: _explain(CONTRACT, {})}),
    ),
    rules=(*(spec.rule for spec in MENU), verdict),
    notices={**admission.REFUSALS, **REASONS},
)
"""The room, as every face sees it."""
