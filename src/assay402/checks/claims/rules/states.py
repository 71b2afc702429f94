"""How a thing stands, as the newest record of it says."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import listed, stem, stems, word_spans, words
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.phases import phased
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.stocked import stocked
from assay402.checks.claims.rules.view import Near, View
from assay402.core.check import rule

_STANDS: Final = Pattern(
    r"^\W*(?:the |our |your )?(?P<subject>.{2,60}?)\s(?:is|are)\s(?:now |currently |still )?(?P<state>[a-z]{2,14})[.!]?\s*$",
    re.IGNORECASE,
)
_KINDS: Final = listed("kinds")
"""Words for the kind of a thing, which a table or a status line need not repeat."""
_HEADS: Final = frozenset((stem("status"),))
_STATE_NAME: Final = re.compile(r"(?:^|[_. ])(?:status|state|phase|health|condition)$", re.IGNORECASE)
_BESIDE: Final = 4
"""Words that a line may hold beside its subject and its state, such as the parts of its time."""


@rule("claims/state-otherwise", since="0.1", spec="section 5.2 and section 7, R03")
def state_otherwise(view: View) -> Finding | None:
    """Contradict how a thing is said to stand where the newest record of it gives a state that excludes this.

    ## What it reports
    CONTRADICTED with STATUS_CONFLICT where a claim such as `Pod api-7 is running` names its subject and a state, and
    the newest line, or the row of a table with a column of states, gives a state that cannot hold beside it:
    `CrashLoopBackOff`, `exited`, `inactive`. The field of the status of that one thing decides before words do, and
    supports what it says: `The order is still pending` beside `"status": "pending"`; the number that is left says whether a thing is in stock. A thing named by its kind alone must be the only one of the table.

    ## Why it matters
    Tools say that a thing is not running in many words, and hardly ever in these.

    ## How to fix it
    Say the state of the record.
    """
    claim = view.claim
    phase = phased(view) or stocked(view)
    if phase is not None:
        return phase
    match = _STANDS.match(claim.text)
    excluded = _excluded(match["state"]) if match is not None else frozenset()
    if match is None or not excluded or claim.negative or claim.quantifier or claim.modality != "is":
        return None
    subject = frozenset(stems(match["subject"]))
    told = [near for near in view.near if _tells_of(view, near, subject)]
    newest = [one for one in told if not any(is_later(two.record, one.record) for two in told)]
    if len(newest) != 1 or newest[0].record.item.kind == "description":
        return None
    record = newest[0].record
    states = _states_of(record)
    if match["state"].lower() in states or not states & excluded or _is_denied(record):
        return None
    if record.form == "line" and not _is_predicate(record.text[:_LONGEST], states & excluded):
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/state-otherwise",
        refs=(record.ref,),
        code="STATUS_CONFLICT",
        note="the newest record gives another state",
    )


def _is_predicate(text: str, told: frozenset[str]) -> bool:
    """Tell whether a word of state closes what a line says: `server stopped`, and not `server stopped accepting cookies`."""
    return any(
        word.lower() in told and _CLOSES.match(text, end) is not None for word, _, end in word_spans(text)
    )


_CLOSES: Final = re.compile(
    r"\s*(?:$|[,;:.()\[\]!|]|\b(?:with|since|after|at|due|because|and|by|on|in|for|unexpectedly|again|now)\b|[0-9])"
)


def _is_denied(record: Record) -> bool:
    return record.form == "line" and denies(record)


@cache
def _excluded(state: str) -> frozenset[str]:
    """Give the states that cannot hold beside one."""
    return frozenset(table("states").get(state.lower(), ()))


def _tells_of(view: View, near: Near, subject: frozenset[str]) -> bool:
    """Tell whether a record is of the subject and of little else."""
    record = near.record
    held = near.stems | frozenset(stems(record.item.source_label))
    missing = subject - held
    named = view.identifiers
    if (
        missing - _KINDS
        or (named and not near.shared)
        or (missing and (near.stems & _KINDS) - subject - _HEADS)
    ):
        return False
    if record.form == "row":
        rows = view.world.bearing_of(record.item)
        alone = sum(each.form == "row" for each in rows) == 1
        return bool(_states_of(record)) and (alone or bool(subject - _KINDS) or bool(near.shared))
    beside = _beside(record) - subject - _KINDS
    return record.form == "line" and bool(subject & held) and len(beside) <= _BESIDE


def _beside(record: Record) -> frozenset[str]:
    """Give the words of a line that are no part of a value."""
    text = record.text
    for fact in reversed([each for each in record.facts if each.start >= 0]):
        text = f"{text[: fact.start]} {text[fact.end :]}"
    return frozenset(each for each in stems(text.replace("_", " ")) if each.isalpha())


def _states_of(record: Record) -> frozenset[str]:
    """Give the words by which a record says how something stands: of a row, those of its column of states."""
    if record.form == "row":
        told = " ".join(each.value for each in record.fields if _STATE_NAME.search(each.name))
        if _UP.match(told):
            told += " running"  # so containers are listed
    else:
        told = record.text[:_LONGEST]
    return frozenset(word.lower() for word in words(told))


_LONGEST: Final = 300
_UP: Final = re.compile(r"up (?:[0-9]|about|less)", re.IGNORECASE)


@rule("claims/state-recorded", since="0.1", spec="section 5.7 and section 7, R19")
def state_recorded(view: View) -> Finding | None:
    """Support how a thing is said to stand where the newest line about it says that very word.

    ## What it reports
    SUPPORTED where a claim such as `The api is up` names its subject and one word of state, and the newest line
    of a log about that subject alone has both, and denies nothing. Of a line that tells of several (`api up, db down`)
    the part about the subject counts.

    ## Why it matters
    What was down an hour ago and is up now is up.

    ## How to fix it
    Nothing needs fixing.
    """
    claim = view.claim
    match = _STANDS.match(claim.text)
    if match is None or claim.facts or claim.negative or claim.quantifier or claim.modality != "is":
        return None
    subject, state = frozenset(stems(match["subject"])), match["state"].lower()
    row = _row_that_says(view, subject, state)
    if row is not None:
        return Finding(support="SUPPORTED", rule="claims/state-recorded", refs=(row.ref,))
    lines = [
        near.record
        for near in view.near
        if near.record.form == "line"
        and not near.record.is_prose
        and subject
        and subject <= near.record.own_stems
    ]
    newest = [one for one in lines if not any(is_later(other, one) for other in lines)]
    if len(newest) != 1 or newest[0].item.kind == "description":
        return None
    beside = [each for each in stems(newest[0].text) if each.isalpha() and each not in subject]
    if not _says(newest[0], subject, state) or denies(newest[0]) or len(beside) > _BESIDE:
        return None
    return Finding(support="SUPPORTED", rule="claims/state-recorded", refs=(newest[0].ref,))


def _row_that_says(view: View, subject: frozenset[str], state: str) -> Record | None:
    """Give the only row of tables that is named as a claim has it, where its column of states begins with the claimed one."""
    rows = [
        near.record
        for near in view.near
        if near.record.form == "row" and near.record.item.kind != "description" and _states_of(near.record)
    ]
    named = subject - _KINDS
    rows = [each for each in rows if named and named <= _names_of(each)]
    told = " ".join(each.value for each in rows[0].fields if _STATE_NAME.search(each.name)) if rows else ""
    first = next((word.lower() for word in words(told)), "")
    is_told = first == state or (state == "running" and _UP.match(told) is not None and "(Paused" not in told)
    return rows[0] if is_told and len(rows) == 1 else None


def _names_of(record: Record) -> frozenset[str]:
    """Give the words of what a row calls its thing: its first column, and one that is headed as names."""
    named = (each.value for place, each in enumerate(record.fields) if not place or _NAME.match(each.name))
    return frozenset(stems(" ".join(named)))


_NAME: Final = re.compile(r"(?:names?|service|container|pod|host|unit)$", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[,;|\]\n\u2028]")


def _says(record: Record, subject: frozenset[str], state: str) -> bool:
    """Tell whether the last part of a line that is of a subject gives it a state, and no other part alone does."""
    named = [each for each in record.fields if frozenset(stems(each.name)) & subject]
    if len(record.fields) > 1 and named:
        return state in [word.lower() for word in words(named[-1].value)]
    parts = [each for each in _SEPARATOR.split(record.text) if subject <= frozenset(stems(each))]
    told = [word.lower() for word in words(parts[-1] if parts else record.text)]
    if state not in told:
        return False
    places = [place for place, word in enumerate(told) if word in _known() and stem(word) not in subject]
    last = max((place for place, word in enumerate(told) if stem(word) in subject), default=-1)
    behind = [place for place in places if place > last] or places[::-1]
    return bool(behind) and (len({told[place] for place in places}) == 1 or told[behind[0]] == state)


@cache
def _known() -> frozenset[str]:
    """Give the words for how a thing stands."""
    listed_states = table("states")
    return frozenset(listed_states) | frozenset(word for words_ in listed_states.values() for word in words_)
