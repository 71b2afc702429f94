"""Whether the record of an action tells of the very thing that a claim says was done, and not of another done to the same."""

import re
from functools import cache, lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.actions import groups_in, is_participle
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, words
from assay402.checks.claims.rules.phases import status_of

_LONGEST: Final = 400
_MOST_FIELDS: Final = 60
_NOTHING: Final = frozenset(("", "null", "none", "false", "no"))
_NONE: Final = frozenset[str]()


def tells_another_verb(claim: Claim, record: Record) -> bool:
    """Tell whether a record says that something else was done: `emailed` where the claim has `paid`.

    Actions are of one group where tools and reporters often take one word for the other. A record that names what was
    done by a verb of its own means that verb, and supports what follows from it alone.
    """
    claimed = _verbs_of(claim)
    if not claimed:
        return False
    told = _told(record)
    held = _held(record) | told
    return bool(told) and not any(each in held or _implied().get(each, _NONE) & held for each in claimed)


_WELL: Final = Pattern(r"\b(?:passe[sd]|succeeded|successful(?:ly)?|green)\b", re.IGNORECASE)
_JUDGED: Final = frozenset(
    map(stem, ("build", "job", "workflow", "pipeline", "test", "check", "suite", "run"))
)
"""What has a result of its own beside its end."""
_ENDED: Final = frozenset(map(stem, ("finished", "completed", "ended", "executed", "concluded")))
_ENDED_WELL: Final = frozenset(map(stem, ("success", "succeeded", "passed", "ok", "green", "clean")))


def only_ended(claim: Claim, record: Record) -> bool:
    """Tell whether a record says less than the end that a claim tells.

    A build, a job or a test that came to its end need not have ended well, and what was confirmed or solved is not yet
    completed or closed.
    """
    return _only_agreed(claim, record) or (
        _WELL.search(claim.text) is not None
        and bool(claim.content & _JUDGED)
        and bool(record.own_stems & _ENDED)
        and not record.own_stems & _ENDED_WELL
        and "0" not in _exit_codes(record)
    )


_OVER: Final = Pattern(r"\b(?:(?P<done>completed?|finished|done)|closed)\b", re.IGNORECASE)
_AGREED: Final = frozenset(table("phases")["agreed"])
_SOLVED: Final = frozenset(table("phases")["solved"])
_AT_AN_END: Final = frozenset(table("phases")["over"])
_CLOSED: Final = frozenset(("closed", "closing", "closes", "close"))


_TAKEN_OUT: Final = Pattern(
    r"\b(?:deleted|removed|erased|purged)\b[^.;,\n]{0,40}?\sfrom\s(?:the\s|our\s)?(\w+)"
)


def only_taken_out(claim: Claim, record: Record) -> bool:
    """Tell whether a record says from what a thing was taken, where a claim says that it was deleted altogether."""
    if record.form not in ("line", "prose") or " from " in claim.text:
        return False
    match = _TAKEN_OUT.search(record.text[:_LONGEST])
    return match is not None and not frozenset(stems(match[1])) & claim.content


def _only_agreed(claim: Claim, record: Record) -> bool:
    """Tell whether the status of a record is a step before the end that a claim tells: confirmed, where it says completed."""
    over = _OVER.search(claim.text)
    if over is None:
        return False
    told = frozenset(word.lower() for word in words(status_of(record) or record.text[:_LONGEST]))
    earlier, later = (_AGREED, _AT_AN_END) if over["done"] else (_SOLVED, _CLOSED)
    return bool(told & earlier) and not told & later


def _exit_codes(record: Record) -> frozenset[str]:
    """Give the exit codes that a record tells."""
    return frozenset(_EXIT.findall(record.text[:_LONGEST])) | {
        field.value for field in record.fields[:_MOST_FIELDS] if "exit" in field.name.lower()
    }


_EXIT: Final = re.compile(r"\bexit(?:ed)?(?:[ _-]?(?:code|status|with))*\s?[=:]?\s?([0-9]+)")


def _held(record: Record) -> frozenset[str]:
    """Give the stems of what a record says, the names apart of what an object has nothing for: `delivered_at: null`."""
    if record.form != "json":
        return record.whole_stems
    empty = {
        word
        for field in record.fields[:_MOST_FIELDS]
        if field.value.strip().lower() in _NOTHING
        for word in stems(field.name.replace("_", " "))
    }
    return record.whole_stems - empty


def _verbs_of(claim: Claim) -> frozenset[str]:
    """Give the stems of the verbs by which a claim says that something was done."""
    said = {
        stem(claim.text[each.start : each.end]): claim.text[each.start : each.end].lower()
        for each in claim.mentions
        if each.stage == "COMPLETED" and not each.negated
    }
    return frozenset(one for one, word in said.items() if is_participle(word) and one not in _neutral())


def _told(record: Record) -> frozenset[str]:
    """Give the stems of the verbs by which a record itself says what was done."""
    return _participles(status_of(record) if record.form == "json" else record.text[:_LONGEST])


@lru_cache(maxsize=4_096)
def _participles(text: str) -> frozenset[str]:
    return frozenset(
        one
        for word in words(text)
        if is_participle(word.lower()) and (one := stem(word)) not in _neutral() and groups_in(word)
    )


@cache
def _implied() -> dict[str, frozenset[str]]:
    """Give for the stem of each verb the stems of those it follows from."""
    return {stem(verb): frozenset(map(stem, others)) for verb, others in table("verbs")["implied_by"].items()}


@cache
def _neutral() -> frozenset[str]:
    """Give the stems of verbs that say of whatever was done that it was."""
    return frozenset(map(stem, table("verbs")["neutral"]))
