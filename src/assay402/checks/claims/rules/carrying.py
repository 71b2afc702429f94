"""Whether the record of an action carries all that a claim says of it."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.reading.actions import words_of
from assay402.checks.claims.reading.text import listed, stem, stems
from assay402.checks.claims.rules.deed import is_mail_line, is_sql_answer
from assay402.checks.claims.rules.told import Told
from assay402.checks.claims.rules.verbatim import in_order, speaks_plainly
from assay402.checks.claims.rules.view import Near, View, report_words

_PURPOSE: Final = re.compile(
    r"\bas (?:a |an |our |your )?(?:compensation|courtesy|gesture|apology|goodwill|requested|agreed|discussed|promised|planned)\b[^.;,]{0,120}",
    re.IGNORECASE,
)
"""What the speaker did it for; no record of the doing needs to say so."""

_CHANNEL: Final = re.compile(r"#[A-Za-z][\w-]*")
_WHOLE: Final = re.compile(
    r"\b(?:all|every|each|both|entire|whole|full|fully|everything)\b|\b([0-9]+)\s?(?:/|of)\s?\1\b",
    re.IGNORECASE,
)
_SOLE: Final = re.compile(r"\b(?:only|solely|exclusively|sole)\b", re.IGNORECASE)


def is_one_of_all(view: View, near: Near) -> bool:
    """Tell whether the claim speaks of all, or of one alone, and the record does not."""
    text = near.record.text
    if view.claim.quantifier == "only" and not view.claim.facts:
        return _SOLE.search(text) is None
    return view.claim.quantifier == "all" and not view.claim.facts and _WHOLE.search(text) is None


def carries(view: View, action: Told, near: Near) -> bool:
    """Tell whether the record of an action holds every value and name of a claim, and enough of what it is about."""
    claim = view.claim
    if any(not _held(each.state, view, near, index) for index, each in enumerate(near.bindings)):
        return False
    if near.missing_names and not (action.act.outcome or _told_by_parts(view, near)):
        return False
    if not speaks_plainly(claim, near):
        return False
    spoken = _spoken(action, near)
    purpose = _PURPOSE.search(claim.text)
    rest = near.wanted - spoken - frozenset(stems(purpose[0]) if purpose is not None else ())
    covered = len(rest & (near.stems | _context_stems(view, near))) / len(rest) if rest else 1.0
    if near.record.is_prose and len(near.record.text) > 60:
        return covered >= 0.8 and in_order(
            claim, near
        )  # prose tells of many things: nearly all of the claim's content
    sum_bound = any(each.fact.kind == "money" for each in near.bindings)  # all of them match here
    if covered >= _CARRIED or ((near.shared or sum_bound) and covered >= 0.3):
        return True
    if rest <= listed("anybody") or _same_channel(claim.text, near.record.text):
        return True
    if action.act.stage == "COMPLETED" and _is_the_only(view, action, near, spoken):
        return True
    return action.act.stage != "COMPLETED" and covered > 0 and len(rest) <= 2


def _spoken(action: Told, near: Near) -> set[str]:
    """Give the stems of words that the kind of the record already says."""
    spoken = {word for group in action.act.groups for word in words_of(group)} | _said_of_stage()
    if is_sql_answer(near.record.text):
        spoken |= {stem("row"), stem("record")}  # what such an answer counts
    if is_mail_line(near.record.text):
        spoken |= _letters()
    return spoken


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


def _held(state: str, view: View, near: Near, index: int) -> bool:
    if state == "match":
        return True
    if state != "absent":
        return False
    fact = view.claim.facts[index]
    if fact.kind == "number":
        # A count may stand in the line beside the one that names the action, as SQL answers do.
        following = view.world.records[near.record.order : near.record.order + 3]
        return any(
            found.low == fact.low
            for each in following
            if each.item is near.record.item
            for found in each.facts
            if found.kind == "number"
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


_CARRIED: Final = 0.5
