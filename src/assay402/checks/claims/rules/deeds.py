"""The rules about actions: done, not done, not done yet, or not known to be done."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding, Stage, Support
from assay402.checks.claims.reading.actions import cue, groups_in, one_action
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.act import ANY
from assay402.checks.claims.rules.asked import http_code
from assay402.checks.claims.rules.carrying import carries, is_one_of_all
from assay402.checks.claims.rules.conflicts import evidence_in_conflict
from assay402.checks.claims.rules.denial import denied_outcome
from assay402.checks.claims.rules.targets import other_aim
from assay402.checks.claims.rules.told import Told, told
from assay402.checks.claims.rules.universals import counted_done, tells_some
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_FINAL: Final = ("FAILED", "NONEXECUTION", "REVERSED")
_BELOW: Final = ("REQUESTED", "QUEUED", "ATTEMPTED", "INTENT")
_OF_IT: Final = 0.5


@rule("claims/evidence-conflict", since="0.1", spec="section 7, R02b")
def evidence_conflict(view: View) -> Finding | None:
    """Leave unverified what one item says and another denies, with nothing to order them.

    ## What it reports
    UNVERIFIED with both references and the missing family CONFLICT_RESOLUTION, where one item tells an action done
    and another undone, where one item alone would support the claim and another alone contradict it, or where two
    items give one thing two states, names, days or places. The case is on HOLD. Where dates or versions order the
    records, the newer one decides.

    ## Why it matters
    Picking either record would be a guess, and the wrong one costs as much as having none.

    ## How to fix it
    Supply times or versions, or the record that tells which of the two holds.
    """
    action = told(view)
    if action is None or action.conflict is None:
        return None
    return evidence_in_conflict(tuple(deed.record.ref for deed in action.conflict))


@rule("claims/status-conflict", since="0.1", spec="section 7, R03")
def status_conflict(view: View) -> Finding | None:
    """Contradict an action claimed done whose newest record says it failed, was not run or was reversed.

    ## What it reports
    CONTRADICTED with the reason STATUS_CONFLICT or STAGE_REVERSED; likewise an action claimed failed, not run or
    pending whose newest record says it was done. Records are ordered by their times where all have one, else by
    their lines within one item and, between items, by how far the ladder says they went; a description comes first.

    ## Why it matters
    `Deployed` over a failed deployment is the report this check exists for.

    ## How to fix it
    Say what the newest record says.
    """
    action = told(view)
    if action is None or action.newest is None:
        return None
    claimed, newest = action.act.stage, action.newest
    if _is_unrelated(view, action) or COUNTING.search(view.claim.text):
        return None
    if view.claim.quantifier == "none" and counted_done(view) is not None:
        return None
    if claimed == "COMPLETED" and (
        tells_some(newest.record.text, view.claim.content) or _counts_others(view.claim, newest.record)
    ):
        return None
    if _ENDED.search(view.claim.text) and _WITH_FAULTS.search(newest.record.text):
        return None
    denied = denied_outcome(view.claim.text)
    if denied:
        if cue(denied) != newest.stage:
            return None
        return _staged("CONTRADICTED", "claims/status-conflict", action, "STATUS_CONFLICT")
    if claimed == "ATTEMPTED" and action.act.is_present and newest.stage in (*_FINAL, "COMPLETED"):
        return _staged("CONTRADICTED", "claims/status-conflict", action, "STATUS_CONFLICT")
    if (claimed == "COMPLETED" and newest.stage in _FINAL) or (
        claimed == "REVERSED" and newest.stage in ("FAILED", "NONEXECUTION")
    ):
        code = "STAGE_REVERSED" if newest.stage == "REVERSED" else "STATUS_CONFLICT"
        return _staged("CONTRADICTED", "claims/status-conflict", action, code)
    if (
        claimed in ("FAILED", "NONEXECUTION", "QUEUED")
        and newest.stage == "COMPLETED"
        and _same_thing(view, action)
    ):
        if claimed == "FAILED" and any(deed.stage == claimed for deed in action.deeds):
            return None
        return _staged("CONTRADICTED", "claims/status-conflict", action, "STATUS_CONFLICT")
    return None


_FAULTS: Final = r"(?:fail|bounc|error|skip|reject|declin|refus|timed out)\w*"
_COUNTED_FAULTS: Final = Pattern(
    rf"(?<![=:\d,.])(?P<before>[0-9]+(?:,[0-9]{{3}})*)\s(?:[a-z]+\s)?{_FAULTS}|\b{_FAULTS}\s?[=:]?\s?(?P<behind>[0-9]+(?:,[0-9]{{3}})*)",
    re.IGNORECASE,
)


def _counts_others(claim: Claim, record: Record) -> bool:
    """Tell whether a record counts how many failed, apart from those of which the claim gives the number."""
    numbers = {fact.value for fact in claim.facts if fact.kind == "number"}
    if not numbers or claim.quantifier == "all":
        return False
    told = [
        (match["before"] or match["behind"]).replace(",", "")
        for match in _COUNTED_FAULTS.finditer(record.text[:400])
    ]
    return bool(told) and bool(numbers - set(told))


_ENDED: Final = Pattern(
    r"\b(?:finished|completed|ended|ran|concluded)\b(?! (?:without|cleanly))", re.IGNORECASE
)
_WITH_FAULTS: Final = Pattern(
    r"\b(?:finished|completed|ended|done)\b[^.;]{0,20}\bwith\s(?:[0-9]+|some|several)\s(?:\w+\s)?(?:errors?|warnings?|issues?|failures?)\b",
    re.IGNORECASE,
)
"""What came to its end with faults came to its end."""
COUNTING: Final = re.compile(
    r"\b(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten)\s?(?:/|of|out of)\s?(?:the\s)?(?:[0-9]+|two|three|four|five|six|seven|eight|nine|ten)\b|\b(?:most|some|half|many|several|a few|only (?:one|two|three|four|five|[0-9]+))\b",
    re.IGNORECASE,
)
"""Words by which a claim counts: one record cannot deny it."""


def _is_unrelated(view: View, action: Told) -> bool:
    """Tell whether the newest record is of an action that the claim does not name, done to nothing that it names."""
    newest = action.newest
    if (
        newest is None
        or newest.stage == "REVERSED"
        or newest.group in {*one_action(action.act.groups), "*", ANY}
    ):
        return False
    claim = view.claim
    named = groups_in(f"{claim.context} {claim.text}")
    near = view.to(newest.record)
    enough = near.coverage > _HALF or (bool(http_code(near.record.text)) and near.coverage == _HALF)
    paid = any(each.state == "match" and each.fact.kind == "money" for each in near.bindings)
    return newest.group not in named and not near.shared and not enough and not paid


_HALF: Final = 0.5


def _same_thing(view: View, action: Told) -> bool:
    assert action.newest is not None  # noqa: S101  (callers looked)
    near = view.to(action.newest.record)
    return bool(near.shared) or near.coverage >= _OF_IT


def _staged(support: Support, rule_id: str, action: Told, code: str) -> Finding:
    newest = action.newest
    assert newest is not None  # noqa: S101  (callers looked)
    named = "" if action.act.name in ("*", ANY) else f"{action.act.name} "
    return Finding(
        support=support,
        rule=rule_id,
        refs=(newest.record.ref,),
        code=code,
        note=f"the newest record of the {named}action says {newest.stage}",
        missing=None
        if support == "CONTRADICTED"
        else ("COMPLETION_STATUS", f"A record that the {named}action was completed{_which(action)}."),
        stage=newest.stage,
    )


def _which(action: Told) -> str:
    found = sorted(action.view.identifiers) or sorted(
        action.newest.record.ids if action.newest is not None else ()
    )
    return f" for {found[0]}" if found else ""


@rule("claims/stage-overclaim", since="0.1", spec="section 7, R14")
def stage_overclaim(view: View) -> Finding | None:
    """Leave unsupported an action claimed done whose newest record says it was only asked for, queued or begun.

    ## What it reports
    UNSUPPORTED with the code STAGE_OVERCLAIM. The ladder is NONEXECUTION, REQUESTED, QUEUED, ATTEMPTED, COMPLETED.

    ## Why it matters
    A pending refund is not a refund; the customer will notice before the log does.

    ## How to fix it
    Say how far it went, or wait for the record of its completion.
    """
    action = told(view)
    if action is None or action.newest is None or not action.act.is_done:
        return None
    names_nothing = _is_unrelated(view, action) and not view.to(action.newest.record).coverage
    if action.newest.stage in _BELOW and not names_nothing:
        return _staged("UNSUPPORTED", "claims/stage-overclaim", action, "STAGE_OVERCLAIM")
    return None


@rule("claims/self-report-only", since="0.1", spec="section 7, R17")
def self_report_only(view: View) -> Finding | None:
    """Leave unsupported a completed action that only a description tells of.

    ## What it reports
    UNSUPPORTED with the code SELF_REPORT_ONLY where every record of the action being done is in an item of kind
    description.

    ## Why it matters
    Who did it says it was done; that is the claim again, not evidence of it.

    ## How to fix it
    Supply the log, the receipt or the record of the other side.
    """
    action = told(view)
    if action is None or action.newest is None or not action.act.is_done:
        return None
    done = [deed for deed in action.deeds if deed.stage == "COMPLETED"]
    if done and all(deed.record.item.kind == "description" for deed in done):
        named = action.act.name
        return Finding(
            support="UNSUPPORTED",
            rule="claims/self-report-only",
            refs=(done[-1].record.ref,),
            code="SELF_REPORT_ONLY",
            note="only a description by the reporter says so",
            missing=("EXECUTION_RECORD", f"A log or document that the {named} action was completed."),
        )
    return None


@rule("claims/action-recorded", since="0.1", spec="section 7, R19 for actions")
def action_recorded(view: View) -> Finding | None:
    """Support an action whose newest record is at the claimed stage and holds every value the claim gives.

    ## What it reports
    SUPPORTED where the newest record of the same action, object and target tells the claimed stage or, for an
    action claimed begun, any later one, and binds all typed values and names of the claim.

    ## Why it matters
    This is what an honest report of an action looks like.

    ## How to fix it
    Nothing needs fixing.
    """
    action = told(view)
    if action is None or action.is_partial:
        return None
    undone = False
    claimed: Stage | None = "COMPLETED" if denied_outcome(view.claim.text) else action.act.stage
    for deed in reversed(action.deeds):
        newest = deed is action.newest or action.act.stage in ("FAILED", "ATTEMPTED", "REQUESTED")
        if not _reached(claimed, deed.stage, action) or not (newest or not undone):
            undone = True
            continue
        if deed.record.item.kind == "description" and action.act.is_done:
            continue
        if action.act.is_present and deed.stage != action.act.stage:
            continue
        if deed.group == "pay" and _DELIVERED.search(view.claim.text):
            continue
        near = view.to(deed.record)
        if is_one_of_all(view, near):
            continue
        if carries(view, action, near) and other_aim(view, near) is None:
            refs = tuple(dict.fromkeys((deed.record.ref, *(each.ref for each in near.bindings if each.ref))))
            bound = tuple(
                (index, each.ref, each.found.raw)
                for index, each in enumerate(near.bindings)
                if each.found is not None
            )
            return Finding(
                support="SUPPORTED", rule="claims/action-recorded", refs=refs, stage=deed.stage, bound=bound
            )
    return None


_DELIVERED: Final = Pattern(r"\b(?:delivered|shipped|dispatched|e-?mailed)\b", re.IGNORECASE)
"""Money is sent as well; what was delivered or shipped is something else."""
_UNFINISHED: Final = Pattern(r"\b(?:not|n't)\s(?:yet\s)?(?:been\s)?(?:finish|complet|done)", re.IGNORECASE)


def _reached(claimed: Stage | None, found: Stage, action: Told) -> bool:
    if claimed == "NONEXECUTION" and found == "ATTEMPTED":
        return _UNFINISHED.search(action.view.claim.text) is not None
    if claimed == "ATTEMPTED":
        return found in ("ATTEMPTED", "COMPLETED", "FAILED", "REVERSED")
    if claimed == "NONEXECUTION":
        return found in ("NONEXECUTION", "FAILED", "QUEUED", "REQUESTED")  # none of these is its being done
    return claimed == found


@rule("claims/no-execution-record", since="0.1", spec="section 7, R18 for actions")
def no_execution_record(view: View) -> Finding | None:
    """Leave unsupported an action claimed done of which the evidence knows the object and not the doing.

    ## What it reports
    UNSUPPORTED with the missing family EXECUTION_RECORD, where a record speaks of the object, of the same action
    for another target, or only of its approval. UNVERIFIED where nothing speaks of it at all.

    ## Why it matters
    That an order exists does not show that it was refunded, and an approval is no execution.

    ## How to fix it
    Supply the record of the action itself.
    """
    action = told(view)
    if action is None or action.act.stage not in ("COMPLETED", "FAILED", "REVERSED", "QUEUED"):
        return None
    named = action.act.name
    near = next(iter(view.addressed), None)
    if near is None and view.near and (action.elsewhere or _object_named(view)):
        near = view.near[0]
    missing = ("EXECUTION_RECORD", f"A record that the {named} action was carried out{_which(action)}.")
    if not action.act.is_consequential and not action.deeds and not action.elsewhere:
        return None
    if near is None and (not action.deeds or _is_unrelated(view, action)):
        return Finding(
            support="UNVERIFIED",
            rule="claims/no-execution-record",
            code="NOT_ADDRESSED",
            note="no inspected evidence speaks of the action",
            missing=missing,
        )
    ref = action.deeds[-1].record.ref if action.deeds else near.record.ref if near is not None else ""
    code = "TARGET_DIFFERS" if action.elsewhere and not action.deeds else "NO_EXECUTION_RECORD"
    return Finding(
        support="UNSUPPORTED",
        rule="claims/no-execution-record",
        refs=(ref,),
        code=code,
        note="the evidence does not tell that the action was carried out",
        missing=missing,
    )


def _object_named(view: View) -> bool:
    """Tell whether a record names the noun of the action, as an approval of a deployment does."""
    groups = groups_in(f"{view.claim.context} {view.claim.text}")
    return any(groups & groups_in(near.record.text[:400]) for near in view.near[:3])
