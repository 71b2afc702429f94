"""A value of a claim against a record: the same, another, weaker, or not there."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.asked import is_code
from assay402.checks.claims.rules.bounds import as_bound
from assay402.checks.claims.rules.called import is_called
from assay402.checks.claims.rules.compare import (
    IDENTIFYING,
    NUMERIC,
    Outcome,
    compare,
    compared_with,
    generic,
    is_bare,
    shape,
)
from assay402.checks.claims.rules.wide import is_wide, likely

State = Literal["match", "mismatch", "unit", "weaker", "absent"]

_ORIGIN: Final = re.compile(r"^\)?,?\s?(?:to|->|→|-)\s|^\)?\s?(?:→|->)")
_ARRIVING: Final = Pattern(r"\b(?:arriv\w*|lands?|landing)\b[^.;]{0,60}\bat\s[\w ']{0,24}\(?$", re.IGNORECASE)
_FROM: Final = Pattern(r"\b(?:from|at)\s[\w ']{0,24}\(?$")
_TO: Final = Pattern(r"(?:\b(?:to|in)\b|->|→)\s[\w ']{0,24}\(?$")
_ROLES: Final = {
    "origin": ("origin", "from", "source", "depart"),
    "destination": ("destination", "to", "dest", "target", "arrive"),
}


class Binding(Struct, frozen=True):
    """A value of a claim and what a record says of it. Positional: one is made per value and record."""

    state: State
    fact: Fact
    found: Fact | None = None
    record: Record | None = None
    overlap: int = 0
    """Words that name the attribute on both sides."""

    @property
    def ref(self) -> str:
        """Where the value stands."""
        if self.record is None:
            return ""
        if self.found is None or self.found.start >= 0 or -self.found.start > len(self.record.fields):
            return self.record.ref
        return self.record.field_ref(self.record.fields[-1 - self.found.start])


class Stated:
    """A claim, with what is the same for each comparison of its values."""

    def __init__(self, claim: Claim) -> None:
        self.claim: Final = claim
        self.other_ends: Final = _other_ends(claim)
        self.is_leaf: Final = claim.form in ("leaf", "cell")
        self._goals: Final[dict[int, bool]] = {}

    def is_goal(self, fact: Fact) -> bool:
        """Tell whether the claim says of a value that something went to it."""
        found = self._goals.get(fact.start)
        if found is None:
            before = self.claim.text[max(0, fact.start - 12) : max(0, fact.start)]
            found = self._goals[fact.start] = _TO_HERE.search(before) is not None
        return found


def bind(fact: Fact, record: Record, stated: Stated, *, is_named: bool) -> Binding:
    """Say what a record says of a value: in itself first, then in what it stands in, then in what stands in it."""
    claim = stated.claim
    if fact.kind == "id" and is_called(fact, record, claim):
        return Binding("match", fact, None, record)
    if fact.kind == "code":
        return _bind_code(fact, record, claim, is_named=is_named)
    weaker: Binding | None = None
    for scope in ((record,), record.above, record.below):
        if not scope:
            continue
        found = _in_scope(fact, scope, stated)
        if found.state == "match" and scope[0] is record and _is_named_above(fact, found, record, stated):
            return Binding("absent", fact)
        if found.state in ("match", "mismatch", "unit"):
            return found
        weaker = weaker or (found if found.state == "weaker" else None)
    if fact.kind in ("date", "time"):
        # The parts of one journey or one order stand beside each other.
        beside = _in_scope(fact, list(record.beside), stated)
        if beside.state == "match":
            return beside
    return weaker or Binding("absent", fact)


def _is_named_above(fact: Fact, found: Binding, record: Record, stated: Stated) -> bool:
    """Tell whether what a value stands in gives the very attribute another value, so that it stands here for something else."""
    if (
        fact.kind not in ("money", "number")
        or found.overlap
        or record.form != "json"
        or record.parent is None
    ):
        return False
    above = _in_scope(fact, record.above, stated)
    return above.state == "mismatch" and above.overlap >= 1


_Rated: TypeAlias = tuple[Outcome, float, Fact, Record]
"""What a comparison gave, how far the attributes are named alike, and the value it was made with."""


def _compared(
    fact: Fact, scope: Sequence[Record], stated: Stated, looked_at: Sequence[Fact] | None = None
) -> list[_Rated]:
    """Give the values of records that a value can be compared with, of all or of some."""
    bare, low, ends, is_leaf = is_bare(fact), fact.low, stated.other_ends, stated.is_leaf
    value, names, is_goal, kinds = fact.value, _is_identity(fact), stated.is_goal(fact), compared_with(fact)
    outcome: Outcome
    return [
        (
            outcome,
            _named_alike(fact.attribute, found.attribute, is_leaf)
            if record.form in ("json", "row")
            else float(len(fact.attribute & found.attribute)),
            found,
            record,
        )
        for record in scope
        for found in (record.facts if looked_at is None else looked_at)
        if found.kind in kinds
        and not (names and found.value != value and found.kind in NUMERIC)
        and (
            outcome := ("equal" if found.low == low else "unequal")
            if bare and is_bare(found)
            else as_bound(stated.claim, fact, found, compare(fact, found))
        )
        != "other"
        and not (
            (ends or is_goal)
            and (
                _is_other_end(record.text, found.start, ends, is_goal=is_goal)
                if found.start >= 0
                else bool(ends & found.attribute)
            )
        )
    ]


def _in_scope(fact: Fact, scope: Sequence[Record], stated: Stated) -> Binding:
    if len(scope) == 1 and is_wide(scope[0]) and is_bare(fact) and not stated.is_goal(fact):
        looked_at = likely(fact, scope[0])
        found = _bound(fact, _compared(fact, scope, stated, looked_at), stated)
        if found.state in ("match", "mismatch", "unit") or _is_other(fact, scope[0], looked_at, stated.claim):
            return found
    return _bound(fact, _compared(fact, scope, stated), stated)


def _is_other(fact: Fact, record: Record, looked_at: Sequence[Fact], claim: Claim) -> bool:
    """Tell whether a value that was not looked at is another than the claimed one, and none that the claim names as well."""
    seen = {id(each) for each in looked_at}
    named = {each.value for each in claim.facts if each is not fact}
    return any(id(each) not in seen and each.value not in named for each in record.facts)


def _bound(fact: Fact, rated: Sequence["_Rated"], stated: Stated) -> Binding:
    claim = stated.claim
    if not rated:
        return Binding("absent", fact)
    equal = [each for each in rated if each[0] == "equal"]
    if len(equal) == len(rated):
        best = max(equal, key=lambda each: each[1])
        return Binding("match", fact, best[2], best[3], int(best[1]))
    spoken_for = {each.low for each in claim.facts if each is not fact and each.low is not None}
    named = {each.value for each in claim.facts if each is not fact and each.low is None}
    vague = {id(each[3]) for each in rated if each[0] == "weaker" and fact.kind in ("date", "time")}
    counted = _counted(claim.text, fact.end) if fact.kind == "number" else frozenset()
    unequal = [
        each
        for each in rated
        if each[0] in ("unequal", "unit")
        and not _counts_others(counted, each[2], each[3])
        and (each[2].low is None or each[2].low not in spoken_for)
        and each[2].value not in named
        and id(each[3]) not in vague
    ]
    if equal:
        best = max(equal, key=lambda each: each[1])
        rival = max(unequal, key=lambda each: each[1], default=None)
        if (
            rival is not None
            and rival[1] > best[1]
            and rival[1] >= 1
            and _has_slots(rival[3])
            and rival[3] is best[3]
            and not _is_identity(fact)
        ):
            return Binding("mismatch", fact, rival[2], rival[3], int(rival[1]))
        return Binding("match", fact, best[2], best[3], int(best[1]))
    if unequal:
        return _unequal(fact, unequal, claim)
    return Binding("weaker", fact, rated[0][2], rated[0][3])


_TO_HERE: Final = Pattern(r"\bto\s(?:version\s)?$", re.IGNORECASE)
_FROM_HERE: Final = Pattern(r"\bfrom\s$", re.IGNORECASE)
"""A value to which something went is not the one it came from."""
_COUNTED: Final = re.compile(r"\s([a-z]{3,}(?:\s[a-z]{3,})?)\b")


def _counted(text: str, end: int) -> frozenset[str]:
    """Give the stems of the two words behind a number, which say what is counted."""
    match = _COUNTED.match(text, end)
    return frozenset(stems(match[1])) if match is not None else frozenset()


def _counts_others(counted: frozenset[str], found: Fact, record: Record) -> bool:
    """Tell whether a number of a text counts something else than the claimed one does."""
    if not counted or found.kind != "number" or found.start < 0:
        return False
    other = _counted(record.text, found.end)
    return bool(other) and not other & counted


_ENDS: Final = tuple(
    (stem(one), stem(other))
    for one, other in (
        ("depart", "arrive"),
        ("start", "finish"),
        ("open", "close"),
        ("begin", "end"),
        ("check-in", "check-out"),
    )
)
_LABEL: Final = re.compile(r"([A-Za-z-]{2,})[\s:=]{1,3}$")


def _other_ends(claim: Claim) -> frozenset[str]:
    """Give the words for the other end of what a claim speaks of: arriving, where it speaks of departing."""
    found = {other for one, other in _ENDS if one in claim.content and other not in claim.content}
    return frozenset(
        found | {one for one, other in _ENDS if other in claim.content and one not in claim.content}
    )


def _is_other_end(text: str, start: int, ends: frozenset[str], *, is_goal: bool) -> bool:
    """Tell whether a value stands for the other end than the claim's: the arrival, or that from which something went."""
    if ends and _label(text, start) in ends:
        return True
    return is_goal and _FROM_HERE.search(text[max(0, start - 8) : start]) is not None


def _label(text: str, start: int) -> str:
    """Give the stem of the word that stands right before a value."""
    match = _LABEL.search(text[max(0, start - 20) : start])
    return stem(match[1]) if match is not None else ""


def _has_slots(record: Record) -> bool:
    """Tell whether a record names each of its values."""
    return record.form in ("json", "row") or len(record.fields) > 1


def _is_identity(fact: Fact) -> bool:
    return fact.kind in IDENTIFYING


def _unequal(fact: Fact, unequal: Sequence[tuple[Outcome, float, Fact, Record]], claim: Claim) -> Binding:
    best = max(unequal, key=lambda each: each[1])
    state: State = "unit" if best[0] == "unit" else "mismatch"
    if _is_identity(fact):
        rivals = {
            each[2].value
            for each in unequal
            if each[1] == best[1] and shape(each[2].value) == shape(fact.value)
        }
        return (
            Binding(state, fact, best[2], best[3], int(best[1]))
            if len(rivals) == 1 and best[1] >= 0
            else Binding("absent", fact)
        )
    values = {(each[2].value, each[2].unit) for each in unequal if each[1] == best[1]}
    if best[1] >= 1 and _told_apart(fact, best[2]):
        return Binding(state, fact, best[2], best[3], int(best[1]))
    if best[3].form == "row" and best[1] > 0 and sum(each[1] > 0 for each in unequal) == 1:
        return Binding(state, fact, best[2], best[3], 1)  # the only column of such a name
    if best[3].form in ("json", "row") and fact.kind == "number":
        return Binding("absent", fact)
    alone = len({(each[2].value, each[2].unit) for each in unequal}) == 1 or fact.kind in ("date", "time")
    unnamed = not (best[2].attribute - generic() - claim.content) or best[3].is_prose
    if best[1] >= 0 and unnamed and (alone or len(values) == 1) and _told_apart(fact, best[2]):
        return Binding(state, fact, best[2], best[3])
    return Binding("absent", fact)


def _told_apart(fact: Fact, found: Fact) -> bool:
    """Tell whether two values are of one thing at all: bare counts need a word in common."""
    if (
        fact.kind == "money"
        and "total" in fact.attribute
        and not {"total", "amount", "balanc"} & found.attribute
    ):
        return False
    return fact.kind != "number" or bool(fact.attribute & found.attribute)


@lru_cache(maxsize=65_536)
def _named_alike(claimed: frozenset[str], found: frozenset[str], is_leaf: bool) -> float:
    """Count the words that name the attribute on both sides; a name that says more than the claim counts a little less."""
    shared = claimed & found
    if is_leaf and found and found <= claimed:
        return float(len(shared))  # the path or the header names the very field
    specific = shared - generic()
    extra = found - claimed - generic()
    if not specific and extra:
        return -0.1 * len(extra)
    return len(specific) + 0.5 * len(shared - specific) - 0.1 * len(extra)


def _role(fact: Fact, text: str) -> str:
    before, after = text[max(0, fact.start - 32) : fact.start], text[fact.end : fact.end + 6]
    if _ARRIVING.search(text[max(0, fact.start - 90) : fact.start]):
        return "destination"
    if _FROM.search(before) and not _TO.search(before):
        return "origin"
    if _TO.search(before):
        return "destination"
    return "origin" if _ORIGIN.match(after) else ""


def _bind_code(fact: Fact, record: Record, claim: Claim, *, is_named: bool) -> Binding:
    role = _role(fact, claim.text)
    rival: Binding | None = None
    for scope in ((record,), record.above, record.below):
        for held, found, field in _codes(scope):
            named = next((name for name, words in _ROLES.items() if field.lower().startswith(words)), "")
            if found.value == fact.value and (not role or not named or named == role):
                return Binding("match", fact, found, held)
            if role and named == role and rival is None:
                rival = Binding("mismatch", fact, found, held, 1)
        if rival is not None and scope and scope[0] is record and is_named:
            return rival
    if rival is not None:
        return rival
    low = stem(fact.value)
    held_in = (record, *record.above, *record.below)
    return (
        Binding("match", fact, None, record)
        if any(low in each.own_stems for each in held_in)
        else Binding("absent", fact)
    )


def _codes(scope: Sequence[Record]) -> Iterator[tuple[Record, Fact, str]]:
    for record in scope:
        if record.form in ("json", "row") or record.fields:
            for index, field in enumerate(record.fields):
                if len(field.value) == 3 and field.value.isupper():  # codes have three letters
                    yield (
                        record,
                        Fact(
                            "code",
                            field.value.lower(),
                            None,
                            None,
                            "",
                            field.value,
                            -1 - index,
                            0,
                            frozenset(),
                        ),
                        field.name,
                    )
        else:
            for fact in record.facts:
                if fact.kind == "code":
                    yield record, fact, ""


def is_asked(binding: Binding) -> bool:
    """Tell whether a value stands in what a call asked for, or is the code of its answer, which tells nothing of what is."""
    record, found = binding.record, binding.found
    is_answer = (
        record is not None and found is not None and is_code(record.text, found.start, binding.fact.low)
    )
    return record is not None and (is_answer or record.label.endswith(" call"))
