"""The rules about actions: done, not done, not done yet, or not known to be done."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.model import Finding, Stage, Support
from assay402.checks.claims.reading.actions import groups_in, words_of
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.deed import is_mail_line, is_sql_answer
from assay402.checks.claims.rules.told import Told, told
from assay402.checks.claims.rules.values import in_order, speaks_plainly
from assay402.checks.claims.rules.view import Near, View, report_words
from assay402.core.check import rule

_FINAL: Final = ("FAILED", "NONEXECUTION", "REVERSED")
_BELOW: Final = ("REQUESTED", "QUEUED", "ATTEMPTED", "INTENT")
_ENOUGH: Final = 0.5
_PURPOSE: Final = re.compile(
    r"\bas (?:a |an |our |your )?(?:compensation|courtesy|gesture|apology|goodwill|requested|agreed|discussed|promised|planned)\b[^.;,]{0,120}",
    re.IGNORECASE,
)
"""What the speaker did it for; no record of the doing needs to say so."""
_CHANNEL: Final = re.compile(r"#[A-Za-z][\w-]*")


@rule("claims/evidence-conflict", since="0.1", spec="section 7, R02b")
def evidence_conflict(view: View) -> Finding | None:
    """Leave unverified an action that one item tells done and another undone, with nothing to order them.

    ## What it reports
    UNVERIFIED with both references and the missing family CONFLICT_RESOLUTION. The case is on HOLD.

    ## Why it matters
    Picking either record would be a guess, and the wrong one costs as much as having none.

    ## How to fix it
    Supply times or versions, or the record that tells which of the two holds.
    """
    action = told(view)
    if action is None or action.conflict is None:
        return None
    refs = tuple(deed.record.ref for deed in action.conflict)
    return Finding(
        support="UNVERIFIED",
        rule="claims/evidence-conflict",
        refs=refs,
        code="EVIDENCE_CONFLICT",
        note="two items say opposite things and nothing orders them",
        missing=(
            "CONFLICT_RESOLUTION",
            f"A time, a version or a further record that decides between {refs[0]} and {refs[1]}.",
        ),
        conflict=True,
    )


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


def _same_thing(view: View, action: Told) -> bool:
    assert action.newest is not None  # noqa: S101  (callers looked)
    near = view.to(action.newest.record)
    return bool(near.shared) or near.coverage >= _ENOUGH


def _staged(support: Support, rule_id: str, action: Told, code: str) -> Finding:
    newest = action.newest
    assert newest is not None  # noqa: S101  (callers looked)
    named = min(action.act.groups)
    return Finding(
        support=support,
        rule=rule_id,
        refs=(newest.record.ref,),
        code=code,
        note=f"the newest record of the {named} action says {newest.stage}",
        missing=None
        if support == "CONTRADICTED"
        else ("COMPLETION_STATUS", f"A record that the {named} action was completed{_which(action)}."),
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
    if action.newest.stage in _BELOW:
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
        named = min(action.act.groups)
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
    for deed in reversed(action.deeds):
        newest = deed is action.newest or action.act.stage in ("FAILED", "ATTEMPTED", "REQUESTED")
        if not _reached(action.act.stage, deed.stage) or not (newest or not undone):
            undone = True
            continue
        if deed.record.item.kind == "description" and action.act.is_done:
            continue
        near = view.to(deed.record)
        if _is_one_of_all(view, near):
            continue
        if _carries(view, action, near):
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


_WHOLE: Final = re.compile(
    r"\b(?:all|every|each|both|entire|whole|full|fully|everything)\b|\b([0-9]+)\s?(?:/|of)\s?\1\b",
    re.IGNORECASE,
)
_SOLE: Final = re.compile(r"\b(?:only|solely|exclusively|sole)\b", re.IGNORECASE)


def _is_one_of_all(view: View, near: Near) -> bool:
    """Tell whether the claim speaks of all, or of one alone, and the record does not."""
    text = near.record.text
    if view.claim.quantifier == "only" and not view.claim.facts:
        return _SOLE.search(text) is None
    return view.claim.quantifier == "all" and not view.claim.facts and _WHOLE.search(text) is None


def _reached(claimed: Stage | None, found: Stage) -> bool:
    if claimed == "ATTEMPTED":
        return found in ("ATTEMPTED", "COMPLETED", "FAILED", "REVERSED")
    if claimed == "NONEXECUTION":
        return found in ("NONEXECUTION", "FAILED", "QUEUED", "REQUESTED")  # none of these is its being done
    return claimed == found


def _carries(view: View, action: Told, near: Near) -> bool:
    claim = view.claim
    if any(not _held(each.state, view, near, index) for index, each in enumerate(near.bindings)):
        return False
    if near.missing_names and not (action.act.outcome or _told_by_parts(view, near)):
        return False
    if not speaks_plainly(claim, near):
        return False
    spoken = {word for group in action.act.groups for word in words_of(group)} | _said_of_stage()
    if is_sql_answer(near.record.text):
        spoken |= {stem("row"), stem("record")}  # what such an answer counts
    if is_mail_line(near.record.text):
        spoken |= _letters()
    purpose = _PURPOSE.search(claim.text)
    aside = frozenset(stems(purpose[0])) if purpose is not None else frozenset()
    rest = near.wanted - spoken - aside
    covered = len(rest & (near.stems | _context_stems(view, near))) / len(rest) if rest else 1.0
    if near.record.is_prose and len(near.record.text) > 60:
        return covered >= 0.8 and in_order(
            claim, near
        )  # prose tells of many things: nearly all of the claim's content
    sum_bound = any(each.fact.kind == "money" for each in near.bindings)  # all of them match here
    if covered >= _ENOUGH or ((near.shared or sum_bound) and covered >= 0.3):
        return True
    if rest <= _anybody() or _same_channel(claim.text, near.record.text):
        return True
    if action.act.stage == "COMPLETED" and _is_the_only(view, action, near, spoken):
        return True
    return action.act.stage != "COMPLETED" and covered > 0 and len(rest) <= 2


def _is_the_only(view: View, action: Told, near: Near, spoken: set[str]) -> bool:
    """Tell whether the one record of the action names no object of its own, so that it can only be the claimed one."""
    claim = view.claim
    if claim.names or view.identifiers or len({deed.record.order for deed in action.deeds}) != 1:
        return False
    text = near.record.text
    for fact in reversed([each for each in near.record.facts if each.start >= 0]):
        text = f"{text[: fact.start]} {text[fact.end :]}"
    rest = frozenset(stems(text)) - spoken - report_words() - claim.content
    return near.record.form == "line" and not {each for each in rest if each.isalpha()}


@cache
def _letters() -> frozenset[str]:
    """Give the stems of words for what a mail server hands over, whatever it is about."""
    words = "email mail message confirmation notification letter receipt invitation reminder"
    return frozenset(stem(word) for word in words.split())


def _same_channel(said: str, told_of: str) -> bool:
    return bool(set(_CHANNEL.findall(said)) & set(_CHANNEL.findall(told_of)))


@cache
def _anybody() -> frozenset[str]:
    """Give the stems of words for whom or what an action concerned that a log does not name."""
    words = (
        "customer",
        "client",
        "user",
        "card",
        "service",
        "system",
        "team",
        "account",
        "money",
        "app",
        "application",
        "request",
        "run",
        "infrastructure",
        "resource",
        "change",
        "method",
        "original",
        "nightly",
        "daily",
        "weekly",
        "hourly",
        "form",
    )
    return frozenset(stem(word) for word in words)


def _held(state: str, view: View, near: Near, index: int) -> bool:
    if state == "match":
        return True
    if state != "absent":
        return False
    fact = view.claim.facts[index]
    if fact.kind == "number":
        # A count may stand in the line beside the one that names the action, as SQL answers do.
        following = [
            each
            for each in view.world.bearing
            if each.item is near.record.item and 0 <= each.order - near.record.order <= 2
        ]
        return any(
            found.low == fact.low for each in following for found in each.facts if found.kind == "number"
        )
    return False


def _told_by_parts(view: View, near: Near) -> bool:
    return bool(near.shared) and len(near.missing_names) <= 1 and view.claim.form == "clause"


def _context_stems(view: View, near: Near) -> frozenset[str]:
    """Give the words of the lines around, and of the item's label, which say what a short log is about."""
    around: set[str] = set(stems(near.record.item.source_label))
    for each in view.world.records[max(0, near.record.order - 2) : near.record.order + 3]:
        if each.item is near.record.item:
            around |= each.own_stems
    return frozenset(around)


@cache
def _said_of_stage() -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in [
            "complete",
            "go",
            "finish",
            "success",
            "fail",
            "done",
            "pending",
            "queue",
            "issue",
            "process",
            "carry",
            "perform",
            "execute",
            "run",
            "now",
            "fully",
            "item",
            "thing",
            "service",
        ]
    )


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
    named = min(action.act.groups)
    near = next(iter(view.addressed), None)
    if near is None and view.near and (action.elsewhere or _object_named(view)):
        near = view.near[0]
    missing = ("EXECUTION_RECORD", f"A record that the {named} action was carried out{_which(action)}.")
    if not action.act.is_consequential and not action.deeds and not action.elsewhere:
        return None
    if near is None and not action.deeds:
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
