"""Which actions a case is about: what the candidate claims done, and what the records tell of them."""

import re
from typing import Any, Final

from assay402.checks.claims.model import ActionClass, Claim, Stage, Verdict
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.rules.act import Act
from assay402.checks.claims.rules.afterwards import last_deeds, nearest
from assay402.checks.claims.rules.authority import APPROVAL, PERMISSION
from assay402.checks.claims.rules.deed import Deed
from assay402.checks.claims.rules.reports import summary_of
from assay402.checks.claims.rules.state import CLASSES
from assay402.checks.claims.rules.world import World

_OF_STAGE: Final[dict[Stage, ActionClass]] = {
    "NONEXECUTION": "NONEXECUTION",
    "REQUESTED": "REQUESTED_ACTION",
    "QUEUED": "QUEUED_ACTION",
    "ATTEMPTED": "ATTEMPTED_ACTION",
    "FAILED": "FAILED_ACTION",
    "REVERSED": "REVERSED_ACTION",
    "INTENT": "INTENT",
}
_MOST: Final = 400
_LOOKED_AT: Final = 600
_REQUEST: Final = Pattern(r"\b(?:please|would like to|requested|asked to|asked for)\b", re.IGNORECASE)


class Execution:
    """The actions of a case as they are published."""

    def __init__(self, verdicts: tuple[Verdict, ...], world: World, outside: tuple[ActionClass, ...]) -> None:
        self._classes: set[ActionClass] = set(outside)
        self.details: Final[list[dict[str, Any]]] = []
        self.claimed = False
        self.proven = False
        for verdict in verdicts:
            self._add(verdict, world)
        for record in world.bearing[:2_000]:
            if "please" in record.own_stems or _REQUEST.search(record.text[:200]):
                self._classes.add("REQUESTED_ACTION")
                break

    @property
    def classes(self) -> tuple[ActionClass, ...]:
        """The classes met, in the contract's order."""
        return tuple(each for each in CLASSES if each in self._classes)

    def _add(self, verdict: Verdict, world: World) -> None:
        claim, finding = verdict.claim, verdict.finding
        if APPROVAL.search(claim.text):
            self._classes.add("APPROVAL")
        if PERMISSION.search(claim.text):
            self._classes.add("PERMISSION")
        act = Act(claim)
        self._skipped_tests(verdict, world)
        if act.stage is None:
            return
        if act.is_status and act.stage == "COMPLETED":
            return
        named = "CLAIMED_COMPLETED_ACTION" if act.is_done else _OF_STAGE[act.stage]
        self._classes.add(named)
        if act.stage == "REVERSED":
            self._classes.add("REVERSED_ACTION")
        if act.is_done and not act.outcome:
            self.claimed = True
        if act.is_done and finding.support == "SUPPORTED" and finding.confidence == "RULE":
            self.proven = True
        if len(self.details) < _MOST:
            self.details.append(_claimed(claim, act, named))
        for deed in last_deeds(claim, world) if finding.code != "BUDGET" else ():
            self._add_deed(claim, deed)
        if finding.rule == "claims/newer-record":
            self._classes |= {
                _OF_STAGE[deed.stage]
                for record in world.bearing_by_ref(finding.refs)
                for deed in world.deeds(record)
                if deed.stage != "COMPLETED"
            }

    def _add_deed(self, claim: Claim, deed: Deed) -> None:
        if deed.stage != "COMPLETED":
            self._classes.add(_OF_STAGE[deed.stage])
        text = deed.record.text[:_LOOKED_AT]
        if PERMISSION.search(text):
            self._classes.add("PERMISSION")
        if APPROVAL.search(text):
            self._classes.add("APPROVAL")
        if len(self.details) < _MOST:
            self.details.append(_found(claim, deed))

    def _skipped_tests(self, verdict: Verdict, world: World) -> None:
        if verdict.finding.rule == "claims/test-report" and verdict.finding.code == "STATUS_CONFLICT":
            self._classes.add("NONEXECUTION")
        for ref in verdict.finding.refs[:1]:
            for record in nearest(verdict.claim, world):
                summary = summary_of(record) if record.ref == ref else None
                if summary is not None and summary.skipped:
                    self._classes.add("NONEXECUTION")


def _claimed(claim: Claim, act: Act, named: ActionClass) -> dict[str, Any]:
    values = [fact.raw for fact in claim.facts if fact.kind in ("money", "number", "quantity")]
    return {
        "action": act.name,
        "object": values[0] if values else None,
        "target": _target(claim.text),
        "identifiers": [
            fact.raw for fact in claim.facts if fact.kind in ("id", "hash", "email", "url", "path", "version")
        ],
        "stage": act.stage,
        "class": named,
        "time": next((fact.raw for fact in claim.facts if fact.kind in ("date", "time")), None),
        "claim_id": claim.id,
        "evidence_ref": None,
        "origin": "candidate",
    }


def _found(claim: Claim, deed: Deed) -> dict[str, Any]:
    record = deed.record
    values = [fact.raw for fact in record.facts if fact.kind in ("money", "number", "quantity")]
    return {
        "action": deed.group if deed.group != "*" else "process",
        "object": values[0] if values else None,
        "target": _target(record.text[:400]),
        "identifiers": sorted(record.ids)[:8],
        "stage": deed.stage,
        "class": "CLAIMED_COMPLETED_ACTION" if deed.stage == "COMPLETED" else _OF_STAGE[deed.stage],
        "time": record.moment or None,
        "claim_id": claim.id,
        "evidence_ref": record.ref,
        "origin": "evidence",
    }


_TARGET: Final = Pattern(
    r"\b(?:to|into|in|on|for)\s(?:the\s)?((?:order|customer|user|account|branch)\s)?([#\w./@-]{2,60})"
)


def _target(text: str) -> str | None:
    match = _TARGET.search(text)
    return match[2].rstrip(".") if match is not None else None
