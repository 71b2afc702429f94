"""The case as a whole: its state, what it may say at most, which actions it is about."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from msgspec import Struct

from assay402.checks.claims.model import ActionClass, Coverage, Directive, State, Verdict
from assay402.checks.claims.reading.actions import consequential, groups_in
from assay402.checks.claims.rules.act import Act
from assay402.checks.claims.rules.authority import is_authority
from assay402.core.check import rule

CLASSES: Final[tuple[ActionClass, ...]] = get_args(ActionClass)
_SAID: Final = "as stated by caller-supplied, unauthenticated evidence"
_CEILINGS: Final[Mapping[str, str]] = {
    "NOTHING_ESTABLISHED": f"nothing of this text is established, {_SAID}.",
    "EVIDENCE_CONFLICT": f"the items conflict, so no more than the conflict may be reported, {_SAID}.",
    "INTENT_OR_REQUEST_ONLY": f"an intention or a request may be reported, {_SAID}.",
    "QUEUED_ONLY": f"the action may be reported as queued or pending, {_SAID}.",
    "ATTEMPT_ONLY": f"the action may be reported as attempted, {_SAID}.",
    "PARTIAL_SUPPORT": f"only the supported claims may be repeated, {_SAID}.",
    "SUPPLIED_RECORDS_STATE_THIS": f"the supplied records state this, no more, {_SAID}.",
    "NO_FACTUAL_CLAIMS": f"there is no factual claim to check, and none is established, {_SAID}.",
}
_STAGE_CEILINGS: Final = (
    ("REQUESTED", "INTENT_OR_REQUEST_ONLY"),
    ("INTENT", "INTENT_OR_REQUEST_ONLY"),
    ("QUEUED", "QUEUED_ONLY"),
    ("ATTEMPTED", "ATTEMPT_ONLY"),
)


class CaseFacts(Struct, frozen=True, kw_only=True):
    """What the state is decided by."""

    is_unsafe: bool
    verdicts: tuple[Verdict, ...]
    coverage: tuple[Coverage, ...]
    directives: tuple[Directive, ...]
    has_items: bool
    has_inspectable: bool
    """An item that may bear on the claims was read."""
    cut: bool
    """Part of the candidate was not judged for want of budget."""


@rule("claims/case-state", since="0.1", spec="section 3.3")
def case_state(case: CaseFacts) -> State:
    """Decide the state of a case from its verdicts: the first of five conditions that holds.

    ## What it reports
    QUARANTINE for material that addresses the checker, holds a secret or forges a receipt. BLOCK for a contradicted
    claim that a consequential action was done, or that a permission or approval is held. HOLD where nothing can be
    determined: no evidence, none that could be read, every claim unverified, a conflict, a claim that depends on
    material left out. REPAIR_REQUIRED for any claim that is not supported and any unmet directive.
    CLEAR_WITH_CEILING otherwise.

    ## Why it matters
    A caller acts on the state alone: release, mend, wait, stop or isolate.

    ## How to fix it
    Each claim's finding names the record and the smallest honest change; `repair` proposes them together.
    """
    if case.is_unsafe:
        return "QUARANTINE"
    if any(_blocks(each) for each in case.verdicts):
        return "BLOCK"
    if hold_code(case):
        return "HOLD"
    if any(each.finding.support != "SUPPORTED" for each in case.verdicts) or any(
        not each.met for each in case.directives
    ):
        return "REPAIR_REQUIRED"
    return "CLEAR_WITH_CEILING"


def _blocks(verdict: Verdict) -> bool:
    finding, claim = verdict.finding, verdict.claim
    if finding.support != "CONTRADICTED" or finding.confidence == "MODEL":
        return False
    act = Act(claim)
    return (
        (act.is_done and act.is_consequential)
        or is_authority(claim)
        or finding.code in ("STALE_AUTHORITY", "AUTHORITY_DENIED")
        or (finding.code == "STAGE_REVERSED" and bool(groups_in(claim.text) & consequential()))
    )


def hold_code(case: CaseFacts) -> str:
    """Give the code of what holds a case; empty where nothing does."""
    if not case.verdicts:
        return ""
    if not case.has_items:
        return "NO_EVIDENCE"
    if not case.has_inspectable:
        return "NO_INSPECTABLE_EVIDENCE"
    if any(each.finding.conflict for each in case.verdicts):
        return "EVIDENCE_CONFLICT"
    unfinished = any(each.status != "INSPECTED" for each in case.coverage)
    open_claims = [each for each in case.verdicts if each.finding.support in ("UNVERIFIED", "UNSUPPORTED")]
    if (unfinished and open_claims) or case.cut:
        return "EVIDENCE_PARTIAL"
    if all(each.finding.support == "UNVERIFIED" for each in case.verdicts):
        return "NO_EVIDENCE_ADDRESSES_CLAIMS"
    return ""


_HOLDS: Final[Mapping[str, str]] = {
    "NO_EVIDENCE": "No evidence was supplied.",
    "NO_INSPECTABLE_EVIDENCE": "No item that may bear on the claims could be read.",
    "NO_EVIDENCE_ADDRESSES_CLAIMS": "No supplied item speaks of any claim.",
    "EVIDENCE_CONFLICT": "Items say opposite things and nothing orders them.",
    "EVIDENCE_PARTIAL": "Material a claim depends on was not read in full.",
}


def hold_reason(case: CaseFacts) -> dict[str, Any]:
    """Give the published reason of a HOLD."""
    code = hold_code(case)
    conflict = [each for each in case.verdicts if each.finding.conflict]
    told = conflict or [
        each for each in case.verdicts if each.finding.support in ("UNVERIFIED", "UNSUPPORTED")
    ]
    refs = {ref.partition("#")[0] for each in conflict for ref in each.finding.refs}
    unread = (
        {each.item_id for each in case.coverage if each.status != "INSPECTED"}
        if code == "EVIDENCE_PARTIAL"
        else set()
    )
    return {
        "code": code,
        "message": _HOLDS[code],
        "claim_ids": [each.claim.id for each in told[:500]],
        "item_ids": sorted(refs | unread),
    }


def ceiling(state: State, case: CaseFacts) -> str:
    """Give the strongest thing that may be said: a code and its sentence."""
    code = _ceiling_code(state, case)
    return f"{code}: {_CEILINGS[code]}"


def _ceiling_code(state: State, case: CaseFacts) -> str:
    verdicts = case.verdicts
    if state == "QUARANTINE":
        return "NOTHING_ESTABLISHED"
    if not verdicts:
        return "NO_FACTUAL_CLAIMS"
    if state == "HOLD":
        return "EVIDENCE_CONFLICT" if hold_code(case) == "EVIDENCE_CONFLICT" else "NOTHING_ESTABLISHED"
    reached = {each.finding.stage for each in verdicts if each.finding.code == "STAGE_OVERCLAIM"}
    for stage, code in _STAGE_CEILINGS:
        if stage in reached:
            return code
    supported = [each for each in verdicts if each.finding.support == "SUPPORTED"]
    if len(supported) == len(verdicts):
        return "SUPPLIED_RECORDS_STATE_THIS"
    return "PARTIAL_SUPPORT" if supported else "NOTHING_ESTABLISHED"
