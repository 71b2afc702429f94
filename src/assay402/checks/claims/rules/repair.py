"""Bounded repair: the smallest honest change, diagnosed again before it is proposed."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Again, Correction, Diagnosis, Given, Repair, Verdict
from assay402.checks.claims.rules.fitting import applied, begun_large, fitted, in_order
from assay402.checks.claims.rules.restating import Restating
from assay402.checks.claims.rules.wording import Edit, rewordings
from assay402.core.check import rule

_ROUNDS: Final = 8
_OF_MANY: Final = 4
_MANY: Final = 400
"""Claims from which a text is diagnosed again fewer times: each time costs what the first did."""
_MOST_OPEN: Final = 40
"""Claims left open in one text; of more, a reader learns nothing."""
_JOINT_BEFORE: Final = re.compile(r"(?:,?\s*\b(?:and|but|while|whereas|so)\b|[;,]|\s[-–—])\s*$")
_JOINT_AFTER: Final = re.compile(r"^(?:;|,?\s*\b(?:and|but|while|whereas|so)\b|\s[-–—])\s*")
_QUOTED_ITEM: Final = re.compile(
    r"[ \t]*(?:[-*•+–]|[0-9]{1,3}[.)]|✅|✓|✔)\s+(?:\[[xX ]\]\s+)?$|[ \t]*#{1,6}\s+$"
)


@rule("claims/bounded-repair", since="0.1", spec="sections 3.9 and 10")
def repaired(case: tuple[Given, Diagnosis, Callable[[Given], Again]]) -> Repair:
    """Propose the smallest change that leaves no claim the evidence does not carry, and prove it by diagnosing it.

    ## What it reports
    One correction for each faulty claim, in this order of preference: the evidence's value in the claim's own
    spelling, a weaker stage, a denial, the right source, the line of the evidence that denies it in quotation marks,
    else the clause is withheld. A value is put there as a record spells it, whole: `0042`, `555-0202`, `4:3`; a
    time, a date or a sum in the claim's own form (`8:15 pm`, `$1,050`) where that tells the same. The changed text is diagnosed with the same engine; for the claim that is then still faulty, and for no other, the next
    edit is tried, in the end withholding it. Where nothing would be left, the text quotes the line that has nearly all
    words of a claim, or says of each claim that is not contradicted that the supplied evidence does not show whether
    it is so.

    ## Why it matters
    A repair that introduces a new untruth is worse than the report it mends.

    ## How to fix it
    Take `proposed_output`, or obtain the evidence that the steps name. A proposal executes nothing.
    """
    given, diagnosis, diagnose = case
    if diagnosis.state in ("QUARANTINE", "HOLD"):
        return Repair(proposed=None, corrections=(), state_after=None, withheld=0)
    faulty = [each for each in diagnosis.verdicts if each.finding.support != "SUPPORTED"]
    if not faulty:
        return Repair(proposed=given.candidate, corrections=(), state_after=diagnosis.state, withheld=0)
    edits = _Edits(given)
    corrections = {each.claim.id: edits.following(each) for each in faulty}
    opened = 0
    rounds = _rounds(diagnosis)
    for attempt in range(rounds):
        text = applied(given.candidate, corrections)
        if not any(char.isalnum() for char in text):
            corrections, opened = edits.left_open(faulty, quoting=not opened), opened + 1
            text = applied(given.candidate, corrections)
        if not any(char.isalnum() for char in text):
            break
        again = diagnose(replace(given, candidate=text))
        wrong = [each for each in again.verdicts if each.finding.support != "SUPPORTED"]
        if (
            not wrong
            and again.state in ("CLEAR_WITH_CEILING", "REPAIR_REQUIRED")
            and len(again.verdicts) <= len(diagnosis.verdicts)
        ):
            return _proposal(text, fitted(given.candidate, corrections), again)
        if opened > 1:
            break
        if opened:
            corrections, opened = edits.left_open(faulty, quoting=False), 2
            continue
        _fall_back(edits, diagnosis.verdicts, corrections, wrong, is_late=attempt + 3 >= rounds)
    withheld = {
        each.claim.id: _withheld(given.candidate, each)
        for each in diagnosis.verdicts
        if each.claim.id in corrections
    }
    return Repair(proposed=None, corrections=in_order(withheld), state_after=None, withheld=len(withheld))


def _rounds(diagnosis: Diagnosis) -> int:
    """Give how often a changed text is diagnosed: what the budget left unread cannot come out clean."""
    if any(each.finding.code == "BUDGET" for each in diagnosis.verdicts):
        return 0
    return _ROUNDS if len(diagnosis.verdicts) < _MANY else _OF_MANY


def _proposal(text: str, fitted: list[Correction], again: Again) -> Repair:
    withheld = sum(each.op == "WITHHOLD" for each in fitted)
    return Repair(proposed=text, corrections=tuple(fitted), state_after=again.state, withheld=withheld)


def _fall_back(
    edits: "_Edits",
    verdicts: tuple[Verdict, ...],
    corrections: dict[str, Correction],
    wrong: list[Verdict],
    *,
    is_late: bool,
) -> None:
    """Try the next edit of each claim that is still faulty, in the end withholding it; what came out clean stays."""
    edited = [
        each
        for each in verdicts
        if each.claim.id in corrections and corrections[each.claim.id].op != "WITHHOLD"
    ]
    blamed = _blamed(verdicts, corrections, wrong, _places(verdicts, fitted(edits.candidate, corrections)))
    known = {each.claim.id for each in edited}
    for each in verdicts:
        if each.claim.id in (
            blamed or known
        ):  # where what is faulty stands in no claim's place, all edits go
            is_over = is_late or each.claim.id not in known
            corrections[each.claim.id] = (
                _withheld(edits.candidate, each) if is_over else edits.following(each)
            )


def _blamed(
    verdicts: tuple[Verdict, ...],
    corrections: dict[str, Correction],
    wrong: list[Verdict],
    places: list[tuple[int, int, str]],
) -> set[str]:
    """Give the claims whose edit is to go: of what is judged as one, a value alone hurts no neighbour."""
    before = dict(
        zip((each.claim.id for each in verdicts[1:]), (each.claim.id for each in verdicts), strict=False)
    )
    found: set[str] = set()
    for each in wrong:
        names = _at(each, places)
        told = [name for name in names if name in corrections]
        others = [name for name in told if corrections[name].op != "REPLACE_VALUE"]
        # A claim that was clean stands or falls with the one before it.
        beside = [before.get(name, "") for name in names[:1] if not told]
        edited = [name for name in beside if name in corrections and corrections[name].op != "WITHHOLD"]
        found.update(others or told or edited or names)
    return found


def _places(verdicts: tuple[Verdict, ...], left: list[Correction]) -> list[tuple[int, int, str]]:
    """Give where each claim stands in the changed text, in its order."""
    found, moved = [], 0
    index = 0
    for each in verdicts:
        start, end = each.claim.span.start, each.claim.span.end
        begins = start + moved
        while index < len(left) and left[index].start < end:
            begins = min(begins, left[index].start + moved)
            moved += len(left[index].after) - (left[index].end - left[index].start)
            index += 1
        found.append((begins, max(begins, end + moved), each.claim.id))
    return found


def _at(verdict: Verdict, places: list[tuple[int, int, str]]) -> list[str]:
    """Give the claims in whose place something is judged."""
    start, end = verdict.claim.span.start, verdict.claim.span.end
    first = bisect_left(places, start, key=lambda each: each[1])
    found = []
    for begins, ends, name in places[first:]:
        if begins >= end:
            break
        if begins < end and start < ends:
            found.append(name)
    return found


class _Edits:
    """The edits of a request's claims, by number."""

    def __init__(self, given: Given) -> None:
        self.candidate: Final = given.candidate
        self._restating: Final = Restating(given)
        self._tries: Final[dict[str, int]] = {}

    def following(self, verdict: Verdict) -> Correction:
        """Give the next edit of a claim that is worth trying; behind the last, the claim is withheld."""
        number = self._tries.get(verdict.claim.id, 0)
        self._tries[verdict.claim.id] = number + 1
        found = next(islice(self._all(verdict), number, None), None)
        return self._made(verdict, found) if found is not None else _withheld(self.candidate, verdict)

    def left_open(self, faulty: list[Verdict], *, quoting: bool) -> dict[str, Correction]:
        """Give the edits that leave claims open where all of them would go, or quote what tells nearly as much; the rest are withheld."""
        found = {}
        for each in faulty if len(faulty) <= _MOST_OPEN else ():
            edit = self._restating.told(each) if quoting else None
            if quoting and self._restating.is_told(each):
                edit = None
            elif edit is None or not self._restating.is_safe(edit):
                edit = self._restating.left_open(each)
            found[each.claim.id] = (
                self._made(each, edit) if edit is not None else _withheld(self.candidate, each)
            )
        return found or {each.claim.id: _withheld(self.candidate, each) for each in faulty}

    def _all(self, verdict: Verdict) -> Iterator[Edit]:
        quoted = self._restating.quoted(verdict)
        for each in (*rewordings(verdict), *(() if quoted is None else (quoted,))):
            if self._restating.is_safe(each):
                yield each

    def _made(self, verdict: Verdict, edit: Edit) -> Correction:
        op, start, end, after = edit
        after = begun_large(self.candidate, start, after)
        return Correction(
            claim_id=verdict.claim.id,
            op=op,
            start=start,
            end=end,
            before=self.candidate[start:end],
            after=after,
            refs=verdict.finding.refs,
            reason=verdict.finding.code or verdict.finding.support,
        )


def _withheld(candidate: str, verdict: Verdict) -> Correction:
    start, end, after = _removal(candidate, verdict)
    return Correction(
        claim_id=verdict.claim.id,
        op="WITHHOLD",
        start=start,
        end=end,
        before=candidate[start:end],
        after=after,
        refs=verdict.finding.refs,
        reason=verdict.finding.code or verdict.finding.support,
    )


def _removal(candidate: str, verdict: Verdict) -> tuple[int, int, str]:
    """Give the stretch to take out, with the joint that would be left hanging, and what stays in its place."""
    claim = verdict.claim
    start, end = claim.span.start, claim.span.end
    if claim.form == "leaf":
        quoted = candidate[start - 1 : start] == '"' and candidate[end : end + 1] == '"'
        return (start - 1, end + 1, "null") if quoted else (start, end, "null")
    if claim.form == "cell":
        return start, end, "—"
    line = candidate.rfind("\n", 0, start) + 1
    stop = candidate.find("\n", end)
    stop = len(candidate) if stop < 0 else stop
    before, after = candidate[line:start], candidate[end:stop]
    if not after.strip(" *_") and (not before.strip(" *_") or _QUOTED_ITEM.fullmatch(before)):
        return (
            (line, min(stop + 1, len(candidate)), "")
            if stop < len(candidate)
            else (max(line - 1, 0), stop, "")
        )
    joint = _JOINT_BEFORE.search(candidate, max(line, start - 14), start)
    if joint is not None:
        closing = re.search(r"[.!]+$", claim.text)
        return joint.start(), end, closing[0] if closing is not None else ""
    following = _JOINT_AFTER.match(candidate[end : end + 14])
    if following is not None:
        return start, end + following.end(), ""
    blank = len(candidate[end:stop]) - len(candidate[end:stop].lstrip(" "))
    if blank:
        return start, end + blank, ""
    return start - (len(before) - len(before.rstrip(" "))), end, ""
