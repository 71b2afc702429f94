"""All, every, none and no: what one exception among the records makes false."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.actions import cue
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.answered import (
    answered_no,
    is_listed_as_other,
    is_none_meant,
    is_plain,
    lessening,
    predicate_of,
    said_by,
)
from assay402.checks.claims.rules.members import ZERO, all_say, members_of
from assay402.checks.claims.rules.polarity import antonyms
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule


@rule("claims/counterexample", since="0.1", spec="section 7, R06")
def counterexample(view: View) -> Finding | None:
    """Contradict `all`, `every` or `no` where a record shows an exception.

    ## What it reports
    CONTRADICTED with the reason COUNTEREXAMPLE where the claim says something of all members of a kind, at least
    one record says the same of a member, and another record of the same form says the opposite. SUPPORTED where
    every line of an item says of its member all that the claim says behind its verb.

    ## Why it matters
    One exception makes a universal false, and it is the exception somebody must act on.

    ## How to fix it
    Name the members it holds for, or the exception.
    """
    claim, denied = view.claim, answered_no(view)
    if (
        denied is not None
        or claim.quantifier not in ("all", "none")
        or (claim.facts and claim.quantifier == "all")
    ):
        return denied
    if not is_plain(claim) or counted_done(view) is not None:
        return None
    by_field = _by_field(view) if claim.quantifier == "all" and not claim.negative else None
    if by_field is not None:
        return by_field
    known = antonyms()
    claimed = {word: known[word] for word in sorted(claim.content) if word in known}
    for word, opposites in claimed.items():
        same, against, is_whole = members_of(view.world, word, opposites)
        if claim.quantifier == "all" and not claim.negative and is_whole and all_say(view, word, same):
            return Finding(
                support="SUPPORTED",
                rule="claims/counterexample",
                refs=tuple(record.ref for record in same[:12]),
                note="every line of the item says so",
            )
        wrong = same if claim.quantifier == "none" or claim.negative else against
        right = against if wrong is same else same
        if wrong and (is_listed_as_other(claim, wrong[0]) or is_none_meant(claim, word, right, wrong[0])):
            continue
        if wrong and (right or _subject_named(claim, wrong[0])):
            record = wrong[0]
            return Finding(
                support="CONTRADICTED",
                rule="claims/counterexample",
                refs=(record.ref,),
                code="COUNTEREXAMPLE",
                note="one record shows an exception",
            )
    return None


def _by_field(view: View) -> Finding | None:
    """Judge a universal by the records of one form that have a field of one name, some with the claimed value."""
    claim, behind = view.claim, view.claim.content & predicate_of(view.claim)
    for near in view.near[:4]:
        for field in near.record.fields:
            said = said_by(field.value)
            if (
                not said
                or not said <= behind
                or len(field.value) > _STATUS_WIDTH
                or is_listed_as_other(claim, near.record)
            ):
                continue
            told = _told_by(view.world, near.record, field.name)
            if len(told) < 2:  # one is no kind
                continue
            against = _exception(view.world, near.record, field.name, said)
            if against and (claim.content - said) & near.record.own_stems - against.own_stems:
                continue  # it is none of those spoken of
            return Finding(
                support="CONTRADICTED" if against else "SUPPORTED",
                rule="claims/counterexample",
                refs=(against.ref,) if against else tuple(record.ref for record, _ in told[:12]),
                code="COUNTEREXAMPLE" if against else "",
                note="one record shows an exception" if against else "every record of its kind says so",
            )
    return None


_STATUS_WIDTH: Final = 24
_LOOKED_AT: Final = 2_000


def _of_form(world: World, like: Record) -> list[Record]:
    """Give the records of an item that have the form of one, as far as they are looked at."""
    return world.once(
        ("form", like.item.id, like.form),
        lambda: [
            record
            for record in world.bearing[:_LOOKED_AT]
            if record.item is like.item and record.form == like.form
        ],
    )


def _told_by(world: World, like: Record, name: str) -> list[tuple[Record, frozenset[str]]]:
    """Give the records of an item and a form that have a field of a name, each with the words of its value."""

    def told() -> list[tuple[Record, frozenset[str]]]:
        found = (
            (record, next((each.value for each in record.fields if each.name == name), None))
            for record in _of_form(world, like)
        )
        return [(record, said_by(value)) for record, value in found if value is not None]

    return world.once(("told", like.item.id, like.form, name), told)


def _exception(world: World, like: Record, name: str, said: frozenset[str]) -> Record | None:
    """Give the first of such records whose value says something else."""
    return world.once(
        ("exception", like.item.id, like.form, name, said),
        lambda: next(
            (
                record
                for record, words in _told_by(world, like, name)
                if not said <= words or (words - said) & lessening()
            ),
            None,
        ),
    )


def _subject_named(claim: Claim, record: Record) -> bool:
    return bool((claim.content & record.all_stems) - {each for each in claim.content if each in antonyms()})


@rule("claims/none-counted", since="0.1", spec="section 4, number, and section 7, R06")
def none_counted(view: View) -> Finding | None:
    """Judge `no errors` by the number of errors a record gives.

    ## What it reports
    SUPPORTED where the nearest record that counts the thing gives 0, CONTRADICTED with the reason COUNTEREXAMPLE
    where it gives another number. A tally (`3 added, 0 removed`) is read by its verbs; a field named for the thing
    (`Allergies: penicillin`) contradicts by what it lists and supports by `none`; `unknown` decides nothing. That a
    run ended without errors is contradicted where the only item shows how it broke off (a traceback, a panic).

    ## Why it matters
    `No vulnerabilities` is a number, and scanners print it.

    ## How to fix it
    Give the number.
    """
    claim = view.claim
    crashed = _crashed(view)
    if crashed is not None:
        return crashed
    match = _NO_THING.search(claim.text)
    if claim.quantifier != "none" or claim.facts:
        return None
    done = counted_done(view)
    if done is not None:
        return done
    if match is None:
        return None
    thing = set(stems(match[1])[:2]) - {stem("known")}
    for near in view.near:
        counted = [
            fact for fact in near.record.facts if fact.kind == "number" and thing and thing <= fact.attribute
        ]
        rest = near.wanted - _told_of()
        covered = len(rest & near.stems) >= 0.6 * len(rest)  # most of what the claim speaks of
        if not counted or not covered or near.missing_names:
            continue
        none = all(fact.low == 0 for fact in counted)
        if near.record.is_prose and not none and _NONE_THERE.search(near.record.text):
            return Finding(
                support="UNSUPPORTED",
                rule="claims/none-counted",
                refs=(near.record.ref,),
                code="MISSING_FACT",
                note="the record counts some, and says that there were none of another kind",
                missing=("QUANTITY_SOURCE", "A record that counts these very ones."),
            )
        return _by_count(near.record, none=none)
    return _held(view, thing) or _logged(view, thing)


_NONE_THERE: Final = Pattern(r"\b(?:nobody|no one|none|no)\b", re.IGNORECASE)


def _by_count(record: Record, *, none: bool) -> Finding:
    """Judge a claim of none by a record that counts."""
    return Finding(
        support="SUPPORTED" if none else "CONTRADICTED",
        rule="claims/none-counted",
        refs=(record.ref,),
        code="" if none else "COUNTEREXAMPLE",
        note="the record counts none" if none else "the record counts some",
    )


_DONE: Final = Pattern(
    r"\b(?:no|zero)\s[a-z][\w-]*(?:\s[a-z][\w-]*)?\s(?:were|was|have been|has been)\s([a-z]+(?:ed|en|nt|n))\b",
    re.IGNORECASE,
)
NUMBERED: Final = re.compile(
    r"(?<![\w.])([0-9]+)\s(?:(?!not\b|never\b)[a-z]+s?\s)??(?!not\b|never\b)([a-z]+(?:ed|en|nt|wn))\b"
)
"""A number of things done; `12 not upgraded` counts what was not."""


_DONE_NONE: Final = Pattern(
    r"^\W*(?:[\w-]+\s){0,3}?([a-z]+ed)\s(?:none|nothing|no\s[a-z]+)\W*$", re.IGNORECASE
)


def counted_done(view: View) -> Finding | None:
    """Judge `no files were removed` by a line that counts what was done, each number before its verb: `3 added, 0 removed`."""
    match = _DONE.search(view.claim.text) or _DONE_NONE.search(view.claim.text)
    if match is None:
        return None
    verb = stem(match[1])
    for near in view.near[:6]:
        told = {stem(each[2]): int(each[1]) for each in NUMBERED.finditer(near.record.text[:600])}
        if verb not in told or len(told) < 2 or near.missing_names:  # a tally has two numbers
            continue
        return _by_count(near.record, none=told[verb] == 0)
    return None


def tells_some(text: str, content: frozenset[str]) -> bool:
    """Tell whether a tally of several things done counts some of what a claim says was done: `5 files copied, 2 skipped`."""
    told = {stem(each[2]): int(each[1]) for each in NUMBERED.finditer(text[:600])}
    return len(told) > 1 and any(number for verb, number in told.items() if verb in content)


_NOTHING: Final = re.compile(
    r"\W*(?:no|none|nil|nothing|0|n/?a|not (?:known|applicable|recorded)|unknown|pending|tbd|nka|nkda|false|null|\[\]|-|–)\b.{0,40}|\W*",
    re.IGNORECASE,
)


_NONE_SAID: Final = re.compile(
    r"(?:none|nil|nothing|nka|nkda|no)(?:\s(?:known|recorded|found|reported))?\W*", re.IGNORECASE
)


def _held(view: View, thing: set[str]) -> Finding | None:
    """Contradict that there is none of a thing by a line or a field of that name which lists some."""
    rest = view.claim.content - thing - _told_of() - _OF_WHOM
    for near in view.near[:4]:
        for field in near.record.fields:
            if set(stems(field.name)) != thing or not rest <= near.stems or near.missing_names:
                continue
            if _NONE_SAID.fullmatch(field.value):
                return Finding(
                    support="SUPPORTED",
                    rule="claims/none-counted",
                    refs=(near.record.field_ref(field),),
                    note="the record says that there is none",
                )
            if _NOTHING.fullmatch(field.value) or field.value[:1].isdigit() or len(field.value) > _LISTED:
                continue
            return Finding(
                support="CONTRADICTED",
                rule="claims/none-counted",
                refs=(near.record.field_ref(field),),
                code="COUNTEREXAMPLE",
                note="the record lists some",
            )
    return None


_OF_WHOM: Final = frozenset(stem(word) for word in ("patient", "known", "have", "there"))
_LISTED: Final = 120


@cache
def _told_of() -> frozenset[str]:
    """Give the stems of words that only say where or how something was told."""
    return frozenset(
        stem(word)
        for word in ("log", "logged", "occur", "appear", "report", "record", "show", "run", "raise")
    )


_RAN_CLEAN: Final = Pattern(
    r"\b(?:ran|run|runs|finished|completed|executed|exited|worked)\b[^.;,]{0,30}?\b(?:without (?:any )?(?:errors?|exceptions?|problems?|issues?|crash\w*)|with (?:no|zero) (?:errors?|exceptions?)|cleanly|successfully)\b|\bno (?:errors?|exceptions?) (?:occurred|(?:were|was) (?:raised|thrown|seen|reported))\b",
    re.IGNORECASE,
)
_BROKE: Final = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|panic: |Exception in thread |Unhandled (?:exception|rejection)|Uncaught |fatal error: |Segmentation fault)"
)


def _crashed(view: View) -> Finding | None:
    """Contradict that a run ended without errors by the only item, which shows how it broke off and no end after it."""
    if (
        _RAN_CLEAN.search(view.claim.text) is None
        or len(view.world.sources) != 1
        or _NOT.search(view.claim.text)
    ):
        return None
    broke = view.world.once("broke", lambda: _broken(view.world.bearing_of(view.world.sources[0])))
    named = view.claim.content - _RUNS - _told_of()
    if broke is None or named - frozenset(stems(broke.item.source_label)):
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/none-counted",
        refs=(broke.ref,),
        code="COUNTEREXAMPLE",
        note="the run broke off",
    )


_NOT: Final = Pattern(r"\b(?:not|never|\w+n't)\b", re.IGNORECASE)
_RUNS: Final = frozenset(
    stem(word)
    for word in ("script", "program", "job", "run", "command", "process", "code", "app", "application", "task", "error", "exception", "problem", "issue", "crash", "finish", "complete", "execute", "exit", "work", "clean", "cleanly", "successfully", "without", "throw", "see", "any", "occur", "raise", "report")
)  # fmt: skip


def _broken(records: list[Record]) -> Record | None:
    """Give the last record that shows how a run broke off; None where what follows says that something ended well."""
    for record in reversed(records):
        if _BROKE.match(record.text):
            return record
        if cue(record.text[:_READ]) == "COMPLETED":
            return None
    return None


_READ: Final = 300
_LEVEL: Final = Pattern(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b|\[error\]")


def _logged(view: View, thing: set[str]) -> Finding | None:
    """Contradict that no error was logged by a line of a log whose level is that of an error."""
    if thing != {stem("error")} or view.claim.content - thing - _told_of():
        return None
    record = view.world.once(
        "logged",
        lambda: next(
            (each for each in view.world.with_stem(stem("error")) if _LEVEL.search(each.text[:80])), None
        ),
    )
    if record is None or ZERO.search(record.text):
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/none-counted",
        refs=(record.ref,),
        code="COUNTEREXAMPLE",
        note="a line of the log has this level",
    )


_NO_THING: Final = Pattern(
    r"\b(?:no|zero)\s((?!changes\b)[a-z][\w-]*(?:\s[a-z][\w-]*)??)(?:\s(?:were|was|are|is|have|has|remain\w*|occurred|in|on|found|during)\b|[.,;]|$)",
    re.IGNORECASE,
)
