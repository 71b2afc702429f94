"""Weaker and opposite wordings of a claim, smallest first. Each is only proposed once it was diagnosed clean."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Stage, Verdict
from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.act import WEAK

Edit = tuple[str, int, int, str]
"""Operation, start and end in the candidate, and the text to put there."""

_PASSIVE: Final = Pattern(
    r"\b(has|have|was|were|is|are)( now| already)?( been)?( successfully| fully| just)*\s(\w+(?:ed|en|nt|id|ut|t)|complete|done|live|ready)\b"
)
_WENT_WELL: Final = Pattern(
    r"\b(?P<be>(?:was|were|is|are|has been|have been) )?((?:has|have) )?(?:successfully )?(?P<verb>succeeded|completed|finished|passed|worked|went through)\b( successfully| cleanly)?",
    re.IGNORECASE,
)
_STATUS_WORD: Final = Pattern(
    r"\b(is|are|was|were)\s(?:now\s)?(success|successful|ok|green|complete|completed)\b", re.IGNORECASE
)
_STATUS_OF: Final = Pattern(r"\b(?:status|state|result|outcome)\s$", re.IGNORECASE)
_HELPER: Final = Pattern(
    r"\b(is|are|was|were|has|have|had|does|do|did|can|may|will)\b(?!\s(?:not|never|no)\b)"
)
_HAVE: Final = Pattern(r"\b(I|we|We|they|They|[Yy]ou) have\b(?! \w+ed\b)")
_NOT: Final = Pattern(
    r"\b(is|are|was|were|has|have|had|did|does|do|can|will)(?: not|n't)\b(?: (been|be)\b)?", re.IGNORECASE
)
_ACTIVE: Final = Pattern(r"\b(?:I|We|we|They|they|You|you|He|She)\s(?:successfully |just |already )?(\w+)\b")
_AIMED: Final = Pattern(
    r"\s(?:to|into|onto|from|by|with|at|in|on|for|under|through|via|against|over|as|within|that|of|about|because|when)\b"
)
"""What stands behind a verb and belongs to it: nothing is pending to somebody, nothing failed to him."""
_BASES: Final = {
    "succeeded": "succeed",
    "completed": "complete",
    "finished": "finish",
    "passed": "pass",
    "worked": "work",
    "went through": "go through",
}
"""The base forms of the verbs by which something came to its end."""
_STAGE_WORDS: Final[dict[Stage, str]] = {
    "QUEUED": "pending",
    "REQUESTED": "requested",
    "ATTEMPTED": "started",
    "INTENT": "planned",
}


def rewordings(verdict: Verdict) -> Iterator[Edit]:
    """Give the edits worth trying for a faulty claim, smallest first."""
    claim, finding = verdict.claim, verdict.finding
    if finding.repair is not None:
        yield finding.repair
    if claim.form in ("leaf", "cell"):
        return
    found: list[Edit | None] = []
    if finding.code == "STAGE_OVERCLAIM" and finding.stage in _STAGE_WORDS:
        found += _weaker(claim, finding.stage)
    if finding.support == "CONTRADICTED" and finding.bound == ():
        if claim.negative:
            found.append(_affirmed(claim))
        else:
            found += [*_undone(claim, finding.stage), _denied(claim)]
    yield from (each for each in found if each is not None)


def _edit(claim: Claim, op: str, match: re.Match[str], text: str) -> Edit:
    return (op, claim.span.start + match.start(), claim.span.start + match.end(), text)


def _weaker(claim: Claim, stage: Stage) -> list[Edit | None]:
    """Say the stage the records reached in the place of the claimed one."""
    word = _STAGE_WORDS[stage]
    found: list[Edit | None] = []
    match = _PASSIVE.search(claim.text)
    if match is not None:
        plural = match[1] in ("have", "were", "are")
        helper = ("are" if plural else "is") if word == "pending" else ("were" if plural else "was")
        have = "have" if plural else "has"
        if _AIMED.match(claim.text, match.end()) is None:
            kinds, done = groups_in(claim.text[: match.start()]), groups_in(match[5]) - WEAK
            is_thing = not kinds or (bool(done) and not done & kinds)
            if word == "pending" and is_thing and match[5].endswith(("ed", "en", "nt", "id")):
                # What waits is the deed: a refund is pending, and the order is not yet refunded.
                found.append(_edit(claim, "DOWNGRADE_STAGE", match, f"{have} not yet been {match[5]}"))
            found.append(_edit(claim, "DOWNGRADE_STAGE", match, f"{helper} {word}"))
        else:
            told = "being" if word == "started" else f"{'queued' if word == 'pending' else word} to be"
            found.append(_edit(claim, "DOWNGRADE_STAGE", match, f"{helper} {told} {match[5]}"))
            found.append(_edit(claim, "DOWNGRADE_STAGE", match, f"{have} not yet been {match[5]}"))
    ended = _WENT_WELL.search(claim.text)
    if ended is not None:
        said = word if stage == "ATTEMPTED" else f"{'is' if stage == 'QUEUED' else 'was'} {word}"
        if stage != "ATTEMPTED" and _AIMED.match(claim.text, ended.end()):
            said = f"did not yet {_BASES[ended['verb'].lower()]}"
        if not ended["be"]:  # what was completed is told of by the passive above
            found.append(_edit(claim, "DOWNGRADE_STAGE", ended, said))
    base = _base(claim)
    if base is not None and stage == "ATTEMPTED":
        found.append(
            _edit(claim, "DOWNGRADE_STAGE", base[0], base[0][0][: -len(base[0][1])] + f"tried to {base[1]}")
        )
    return found


def _undone(claim: Claim, stage: Stage | None) -> list[Edit | None]:
    """Say that it failed, was reversed or was not done, as the records do."""
    found: list[Edit | None] = []
    ended = _WENT_WELL.search(claim.text)
    if ended is not None and stage in ("FAILED", "NONEXECUTION"):
        aimed = _AIMED.match(claim.text, ended.end()) is not None
        said = f"did not {_BASES[ended['verb'].lower()]}" if aimed else f"{ended[2] or ''}failed"
        if not (aimed and ended["be"]):
            found.append(_edit(claim, "NEGATE", ended, said))
    status = _STATUS_WORD.search(claim.text)
    if status is not None and stage == "FAILED":
        aimed = _AIMED.match(claim.text, status.end()) is not None
        named = _STATUS_OF.search(claim.text[: status.start()]) is not None
        said = f"{status[1]} not {status[2]}" if aimed else f"{status[1]} failed" if named else "failed"
        found.append(_edit(claim, "NEGATE", status, said))
    passive = _PASSIVE.search(claim.text)
    if passive is not None:
        been = " been" if passive[3] else ""
        if stage == "REVERSED":
            found.append(_edit(claim, "NEGATE", passive, f"{passive[1]}{been} reversed"))
        found.append(_edit(claim, "NEGATE", passive, f"{passive[1]} not{been} {passive[5]}"))
    base = _base(claim)
    if base is not None:
        found.append(_edit(claim, "NEGATE", base[0], base[0][0][: -len(base[0][1])] + f"did not {base[1]}"))
    return found


def _denied(claim: Claim) -> Edit | None:
    have = _HAVE.search(claim.text)
    if have is not None:
        return _edit(claim, "NEGATE", have, f"{have[1]} do not have")
    helper = _HELPER.search(claim.text)
    return _edit(claim, "NEGATE", helper, f"{helper[0]} not") if helper is not None else None


def _affirmed(claim: Claim) -> Edit | None:
    denied = _NOT.search(claim.text)
    if denied is None or denied[1].lower() in ("did", "does", "do"):
        return None
    said = denied[1] + (f" {denied[2]}" if denied[2] else "")
    rest = claim.text[denied.end() :]
    hangs = _OF_DENIAL.search(rest)
    if hangs is None:
        return _edit(claim, "NEGATE", denied, said)
    if rest[hangs.end() :].strip(" .!") or hangs[0].lower().startswith((" any", " ever")):
        return None
    start = claim.span.start
    return (
        "NEGATE",
        start + denied.start(),
        start + denied.end() + hangs.end(),
        said + rest[: hangs.start()],
    )


_OF_DENIAL: Final = Pattern(r"\s(?:yet|any\w*|either|ever|at all)\b", re.IGNORECASE)
"""What only a denial is said with."""


def _base(claim: Claim) -> tuple[re.Match[str], str] | None:
    """Give the speaker's verb of the action in its base form: `I deleted` gives `delete`."""
    match = _ACTIVE.search(claim.text)
    if match is None:
        return None
    wanted = stem(match[1].lower())
    for group in table("actions")["groups"].values():
        for word in group["words"]:
            if stem(word) == wanted and word != match[1].lower():
                return match, word
    return None
