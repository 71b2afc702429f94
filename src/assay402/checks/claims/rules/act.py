"""What a claim says was done, and how far it says it went."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Mention, Stage
from assay402.checks.claims.reading.actions import consequential, cue, groups_in
from assay402.checks.claims.reading.patterns import Pattern

WEAK: Final = frozenset(
    {"issue", "process", "send", "apply", "update", "add", "save", "order", "fix", "access"}
)
"""Groups whose verbs say little of what was done: a refund is issued."""
_OUTCOME: Final = Pattern(
    r"\b(?:is|are|went|now|be|remains?)\s(?:now\s|currently\s|fully\s)?(live|ready|available|unpaid|delivered|paid|in production)\b",
    re.IGNORECASE,
)
_STATUS: Final = Pattern(
    r"\b(?:succeeded|(?:is|was|were|been) successful|failed|completed|finished|passed|skipped|pending|queued|in progress|running|errored|crashed|timed out|declined|bounced|reversed|reverted|voided|undone|(?:went|gone|came) through|(?:has |have )?cleared|not run|no (?:\w+ )?changes (?:were |are |was )?(?:made|applied|needed|required|detected)|(?:was|is|were|are) done|(?:(?<=not )|(?<=n't )|(?<=n’t )|(?<=never ))fail)\b",
    re.IGNORECASE,
)
ANY: Final = "any"
"""The group of a status that is told of something without an action of its own: a job, a step, a service."""


_PRESENT: Final = Pattern(
    r"\b(?:is|are|still|currently)\s(?:now\s|still\s|currently\s|being\s|already\s)?(?:in progress|under ?way|(?!pending)\w+ing)\b",
    re.IGNORECASE,
)
_DENYING: Final = Pattern(r"\b(?:not|never|no|none|nothing|neither|nor|cannot|\w+n't)\b", re.IGNORECASE)


def _is_denied(claim: Claim, start: int) -> bool:
    """Tell whether a claim denies the word at a place: `without warnings` behind it denies something else."""
    return claim.negative and _DENYING.search(claim.text[:start].replace("’", "'")) is not None


_NOT_HAPPENED: Final = Pattern(
    r"\b(?:did not|didn['’]t|does not|has not|hasn['’]t|had not|never)\s(?:yet\s|actually\s)?(?:happen(?:ed)?|occur(?:red)?|(?:take|took|taken) place|(?:go|went|gone) ahead|proceed(?:ed)?|take off|took off)\b",
    re.IGNORECASE,
)
_ZERO: Final = re.compile(r"\W{0,4}0\s[A-Za-z]")


class Act:
    """What a claim says was done."""

    def __init__(self, claim: Claim) -> None:
        said = [*claim.mentions]
        outcome = _OUTCOME.search(claim.text)
        if not said and outcome is not None:
            group = (
                "pay"
                if "paid" in outcome[1].lower()
                else "send"
                if outcome[1].lower() == "delivered"
                else "deploy"
            )
            undone = outcome[1].lower() == "unpaid"
            said = [
                Mention(
                    group,
                    "COMPLETED",
                    outcome.start(1),
                    outcome.end(1),
                    _is_denied(claim, outcome.start()) != undone,
                )
            ]
        self.outcome: Final = outcome is not None and not claim.mentions
        self.mentions: Final = tuple(said)
        said = said or _statuses(claim)
        groups = {each.group for each in said}
        if "process" in groups and claim.context:
            groups |= groups_in(claim.context)
        self.is_status: Final = groups == {ANY}
        self.is_present: Final = _PRESENT.search(claim.text) is not None
        """It says what goes on now, which a later end makes untrue."""
        self.groups: Final = frozenset(groups - WEAK or groups)
        self.stage: Final = _claimed_stage(said, claim)

    @property
    def is_done(self) -> bool:
        """The claim says the action was carried out."""
        return not self.is_status and (
            self.stage == "COMPLETED" or (self.stage == "REVERSED" and "rollback" in self.groups)
        )

    @property
    def name(self) -> str:
        """The group that a finding names: that of the word which says how far the action went."""
        said = (
            each.group for each in self.mentions if each.stage == self.stage and each.group in self.groups
        )
        return next(said, min(self.groups, default="process"))

    @property
    def is_consequential(self) -> bool:
        """The action cannot be taken back by looking away."""
        return bool(self.groups & consequential())


def _statuses(claim: Claim) -> list[Mention]:
    """Give the status a claim tells of something that has no action of its own."""
    match = _STATUS.search(claim.text)
    stage = cue(match[0]) if match is not None else None
    if match is None or stage is None:
        return []
    if stage in ("QUEUED", "ATTEMPTED") and _is_denied(claim, match.start()):
        return []  # that it is not pending says nothing of how far it went
    is_negated = stage == "COMPLETED" and _is_denied(claim, match.start())
    return [Mention(ANY, stage, match.start(), match.end(), is_negated)]


def _claimed_stage(said: list[Mention], claim: Claim) -> Stage | None:
    if said and _NOT_HAPPENED.search(claim.text) is not None:
        return "NONEXECUTION"
    stages = [("NONEXECUTION" if each.negated and each.stage == "COMPLETED" else each.stage) for each in said]
    if (claim.quantifier == "none" or _ZERO.match(claim.text)) and "COMPLETED" in stages:
        return "NONEXECUTION"
    for stage in ("FAILED", "REVERSED", "NONEXECUTION", "QUEUED", "COMPLETED", "ATTEMPTED", "REQUESTED"):
        if stage in stages:
            return stage
    return None
