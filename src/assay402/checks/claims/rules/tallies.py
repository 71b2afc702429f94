"""What a line counts of each thing done, how long a run took, and what is said of one thing alone."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.facts import facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.counted_pairs import pair_counted
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.polarity import is_negative
from assay402.checks.claims.rules.runs import is_of, runs_of
from assay402.checks.claims.rules.universals import NUMBERED
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule


@rule("claims/tally-differs", since="0.1", spec="section 4, count, and section 7, R04 and R07")
def tally_differs(view: View) -> Finding | None:
    """Contradict how many things are said to have fared in a way by a line that counts each: `3 added, 0 destroyed`.

    ## What it reports
    CONTRADICTED with VALUE_MISMATCH where a claim gives one number and one verb of such a line, and the line gives
    the verb another number. Of two sorts at once (`no errors and 3 warnings`) the only line that counts both decides:
    SUPPORTED where both numbers are the line's.

    ## Why it matters
    A number beside the wrong verb stands in the evidence all the same.

    ## How to fix it
    Give the number that stands before the verb.
    """
    claim = view.claim
    pair = pair_counted(view, "claims/tally-differs")
    if pair is not None:
        return pair
    numbers = [fact for fact in claim.facts if fact.kind == "number" and fact.low is not None]
    if (
        len(numbers) != 1
        or len(claim.facts) > 1
        or numbers[0].compared
        or claim.negative
        or claim.modality != "is"
    ):
        return None
    for near in view.near[:6]:
        told = {stem(each[2]): int(each[1]) for each in NUMBERED.finditer(near.record.text[:600])}
        verbs = claim.content & told.keys()
        if len(told) < _TALLY or len(verbs) != 1 or near.missing_names:
            continue
        number = told[next(iter(verbs))]
        if number == numbers[0].low:
            return None
        return Finding(
            support="CONTRADICTED",
            rule="claims/tally-differs",
            refs=(near.record.ref,),
            code="VALUE_MISMATCH",
            note=f"the record counts {number}",
        )
    return None


_TALLY: Final = 2
_RUN: Final = Pattern(r"\b(?:tests?|suites?|specs?|pytest|jest|vitest|mocha)\b", re.IGNORECASE)
_TOOK: Final = Pattern(
    r"\b(?:took|takes|ran for|ran in|run in|lasted|finished in|completed in|passed in)\b", re.IGNORECASE
)
_LASTED: Final = Pattern(
    r"(?:\b(?:in|time:|duration:?)|\()\s{0,12}([0-9]+(?:\.[0-9]+)?\s?(?:ms|s|sec|secs|seconds|m|min|minutes))\b",
    re.IGNORECASE,
)
_CLOSING: Final = Pattern(
    r"\b(?:pass(?:ed|ing)|failed|ran [0-9]+ tests?|^\s*(?:time|duration):)", re.IGNORECASE
)


@rule("claims/run-lasted", since="0.1", spec="section 5.3 and section 7, R07")
def run_lasted(view: View) -> Finding | None:
    """Judge how long a test run is said to have taken by the time its closing line gives.

    ## What it reports
    SUPPORTED where the newest closing line gives that duration, CONTRADICTED with VALUE_MISMATCH where it gives one
    that is farther from it than rounding.

    ## Why it matters
    A point in the wrong place makes a suite ten times as slow.

    ## How to fix it
    Give the duration of the closing line.
    """
    claim = view.claim
    lengths = [fact for fact in claim.facts if fact.kind == "quantity" and fact.unit == "s"]
    if len(lengths) != 1 or lengths[0].compared not in ("", "~") or claim.negative:
        return None
    if _RUN.search(claim.text) is None or _TOOK.search(claim.text) is None:
        return None
    named = {name for _, name in runs_of(claim)}
    if any(fact is not lengths[0] and fact.value not in named for fact in claim.facts):
        return None
    runs, told = runs_of(claim), view.world.once("lasted", lambda: _closing(view))
    own = [(record, low) for record, low in told if is_of(record, runs, view.world)]
    claimed = lengths[0]
    if not own or claimed.low is None or claimed.high is None:
        return None
    record, low = own[-1]
    if claimed.compared:
        within = claimed.low <= low <= claimed.high
        return Finding(support="SUPPORTED", rule="claims/run-lasted", refs=(record.ref,)) if within else None
    apart = abs(low - claimed.low)
    if apart and apart * 2 <= step(lengths[0].raw):
        return None
    return Finding(
        support="CONTRADICTED" if apart else "SUPPORTED",
        rule="claims/run-lasted",
        refs=(record.ref,),
        code="VALUE_MISMATCH" if apart else "",
        note="the closing line gives another duration" if apart else "",
    )


def step(raw: str) -> Decimal:
    """Give the seconds of the last digit of a duration, as it is written."""
    digits = re.search(r"[0-9]+(?:\.([0-9]+))?", raw)
    places = len(digits[1] or "") if digits is not None else 0
    size = 60 if re.search(r"[0-9]\s?m(?:in|\b)", raw) else 1
    return Decimal(size) / Decimal(10) ** places


def _closing(view: View) -> list[tuple[Record, Decimal]]:
    found: dict[int, tuple[Record, Decimal]] = {}
    for word in ("pass", "fail", "run", "time", "duration"):
        for record in view.world.with_stem(stem(word))[-_NEWEST:]:
            match = _LASTED.search(record.text[:400]) if _CLOSING.search(record.text[:400]) else None
            low = facts(match[1])[0].low if match is not None and facts(match[1]) else None
            if low is not None:
                found[record.order] = (record, low)
    return [found[order] for order in sorted(found)]


_NEWEST: Final = 60
_ALONE: Final = Pattern(
    r"^\W*only\s(?:the\s)?(?P<subject>[\w./-]+(?:\s[\w./-]+){0,2}?)\s(?:(?:is|are|was|were|has|have)\s)?(?P<state>[a-z]+)\W*$",
    re.IGNORECASE,
)
_SHORT: Final = 8


@rule("claims/not-alone", since="0.1", spec="section 4, quantifier, and section 7, R06")
def not_alone(view: View) -> Finding | None:
    """Contradict that only one thing stands so where a record says the same of another.

    ## What it reports
    CONTRADICTED with COUNTEREXAMPLE for `Only node a is down` where a short line says it of another node, and no
    later line of that node says otherwise.

    ## Why it matters
    Who reads `only` stops looking.

    ## How to fix it
    Name the others.
    """
    match = _ALONE.match(view.claim.text)
    if match is None or view.claim.negative:
        return None
    state, subject = match["state"].lower(), match["subject"].lower().split()
    members = [record for record in view.world.bearing[:_LOOKED_AT] if state in _tokens(record)]
    own = [record for record in members if subject[-1] in _tokens(record)]
    for record in members if own else ():
        tokens = _tokens(record)
        if subject[-1] in tokens or not set(subject[:-1]) <= set(tokens) or is_negative(record.text):
            continue
        if len(tokens) == len(_tokens(own[0])) and not _over(view, record, state):
            return Finding(
                support="CONTRADICTED",
                rule="claims/not-alone",
                refs=(own[0].ref, record.ref),
                code="COUNTEREXAMPLE",
                note="a record says the same of another",
            )
    return None


_LOOKED_AT: Final = 600


def _tokens(record: Record) -> list[str]:
    """Give the words of a short line, those that carry its time apart."""
    if "tokens" not in record.memo:
        words = re.findall(r"[a-z0-9][\w./-]*", record.text[:200].replace("=", " ").lower())
        record.memo["tokens"] = words if len(words) <= _SHORT else []
    found: list[str] = record.memo["tokens"]
    return found


def _over(view: View, record: Record, state: str) -> bool:
    """Tell whether a later line of the same thing says something else of it."""
    named = set(_tokens(record)) - {state}
    return any(
        is_later(other, record)
        and state not in _tokens(other)
        and len(named & set(_tokens(other))) >= len(named)
        for other in view.world.bearing[:_LOOKED_AT]
    )
