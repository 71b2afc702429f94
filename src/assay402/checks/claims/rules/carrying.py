"""Whether the record of an action carries all that a claim says of it."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.actions import groups_in, words_of
from assay402.checks.claims.reading.naming import is_attribute, kinds
from assay402.checks.claims.reading.naming import words_of as listed
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem, stems, words
from assay402.checks.claims.rules.asked import path_words, resource_of
from assay402.checks.claims.rules.deed import is_mail_line, is_sql_answer
from assay402.checks.claims.rules.told import Told
from assay402.checks.claims.rules.verbatim import in_order, speaks_plainly
from assay402.checks.claims.rules.verbs import only_ended, tells_another_verb
from assay402.checks.claims.rules.view import Near, View, report_words

_PURPOSE: Final = Pattern(
    r"\bas (?:a |an |our |your )?(?:compensation|courtesy|gesture|apology|goodwill|requested|agreed|discussed|promised|planned)\b[^.;,]{0,120}|\b(?:for|of) the (?:\w+ )?(?:difference|remainder)\b",
    re.IGNORECASE,
)
"""What the speaker did it for; no record of the doing needs to say so."""

_WHOLE: Final = re.compile(
    r"\b(?:all|every|each|both|entire|whole|full|fully|everything|everyone|everybody)\b|\b([0-9]+)\s?(?:/|of)\s?\1\b",
    re.IGNORECASE,
)
_SOLE: Final = Pattern(r"\b(?:only|solely|exclusively|sole)\b", re.IGNORECASE)


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
    if not speaks_plainly(claim, near) or _asks_of_other(view, action, near):
        return False
    if tells_another_verb(claim, near.record) or only_ended(claim, near.record):
        return False
    spoken = _spoken(action, near)
    purpose = _PURPOSE.search(claim.text)
    wanted = near.wanted - frozenset(stems(purpose[0]) if purpose is not None else ())
    rest = wanted - spoken
    own = _own(near, spoken, claim.content) if near.record.form == "line" else frozenset()
    around = _context_stems(view, near)
    held = (
        near.stems
        | _label_stems(near)
        | {each for each in around if (not own or groups_in(each)) and not each.isdigit()}
    )
    missing = rest - held - _told_kinds(claim.text, rest, held)
    # What is bound and what the kind of the record says are content of the claim that the record has, too.
    bound = sum(each.state == "match" for each in near.bindings)
    covered = 1 - len(missing) / (len(wanted) + bound) if missing else 1.0
    if near.record.is_prose and len(near.record.text) > _TERSE:
        return covered >= _ENOUGH and in_order(claim, near)  # prose tells of many things
    is_named = bool(near.shared) or bound > 1
    if not missing or (is_named and covered >= (_ENOUGH_NAMED if len(near.shared) > 1 else _ENOUGH)):
        return True
    if own or _restricts(claim.text, missing):
        return False
    if covered >= _ENOUGH or rest <= _listed("anyone"):
        return not (rest and _is_of_other_object(near, rest, spoken))
    # The record says of nobody and nothing what it is of, and there is none beside it.
    counted = frozenset().union(*(each.found.attribute for each in near.bindings if each.found is not None))
    named = {each for each in (rest & near.stems) - counted if not groups_in(each)}
    return not named and _is_the_only(view, action)


def _asks_of_other(view: View, action: Told, near: Near) -> bool:
    """Tell whether a record is a request whose path says nothing of what a claim is about."""
    said = path_words(near.record.text) if near.record.form == "line" else frozenset()
    claim = view.claim
    if not said or not near.wanted:
        return False
    doing = {word for group in action.act.groups for word in words_of(group)}
    return not any(one in two or two in one for one in said for two in claim.content | claim.names | doing)


_OBJECT: Final = re.compile(
    r"(?:^|[_.])(?:object|resource|entity|item|(?:object|resource|entity|target)_type)$", re.IGNORECASE
)
_MOST_FIELDS: Final = 200
_METHOD: Final = re.compile(r"(?:^|[_.])(?:payment_)?method$", re.IGNORECASE)
_CARD: Final = re.compile(r"card|visa|amex|debit|credit", re.IGNORECASE)


def _is_of_other_object(near: Near, rest: frozenset[str], spoken: set[str]) -> bool:
    """Tell whether a field names another thing that something was done to, or paid with, than a claim in general words."""
    for field in near.record.fields[:_MOST_FIELDS]:
        typed = field.name.lower() == "type"
        if (typed or _OBJECT.search(field.name)) and field.value.replace(" ", "").isalpha():
            named = frozenset(stems(field.value)) - spoken
            named = named & (kinds() | _listed("traded")) if typed else named
            if named and not named & (rest | near.wanted):
                return True
        if "card" in rest and _METHOD.search(field.name) and not _CARD.search(field.value):
            return True
    return False


def _restricts(text: str, missing: frozenset[str]) -> bool:
    """Tell whether one of the words that a record lacks says which of several things a claim is of: `old`, `signed`."""
    return any(
        stem(word) in missing and (word.lower().endswith("ed") or word.lower() in listed("plain"))
        for word in words(text)
    )


def _told_kinds(text: str, rest: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Give the nouns of a claim that say only of what kind something is that a record names: the class in `business class`."""
    found, before = set(), ""
    for word in stems(text):
        told = held if word in _listed("generic") else held - kinds() if word in kinds() else frozenset()
        if word in rest - held and (before in told or before in found):
            found.add(word)
        before = word
    return frozenset(found)


_FIELD: Final = Pattern(r"\b([A-Za-z][\w.-]{0,60})=(\S*)")


def _own(near: Near, spoken: set[str], said: frozenset[str]) -> frozenset[str]:
    """Give the words of a record that tell what it is of, as far as the claim does not say them."""
    text = near.record.text
    for fact in reversed([each for each in near.record.facts if each.start >= 0]):
        text = f"{text[: fact.start]} {text[fact.end :]}"
    paid = any(each.state == "match" and each.fact.kind == "money" for each in near.bindings)
    text = _FIELD.sub(
        lambda match: " " if is_attribute(match[1]) and (paid or match[1] != "currency") else f" {match[2]}",
        text,
    )
    left = frozenset(stems(text.replace("_", " "))) - spoken - report_words() - said - _listed("staged")
    return frozenset(each for each in left if each.isalpha() and len(each) > 1)


def _spoken(action: Told, near: Near) -> set[str]:
    """Give the stems of words that the kind of the record already says."""
    groups = action.act.groups | {deed.group for deed in action.deeds if deed.record is near.record}
    spoken = {word for group in groups for word in words_of(group)} | _listed("said_of_stage")
    if action.act.outcome:
        spoken |= {stem("live"), stem("unpaid")}
    if action.act.stage == "NONEXECUTION":
        spoken.add(stem("make"))  # `no changes were made`
    if is_sql_answer(near.record.text):
        spoken |= {stem("row"), stem("record")}  # what such an answer counts
    if is_mail_line(near.record.text):
        spoken |= _listed("letters")
    return spoken


def _is_the_only(view: View, action: Told) -> bool:
    """Tell whether there is one record of the action, so that it can only be the claimed one where it names no other."""
    claim = view.claim
    return not claim.names and not view.identifiers and len({deed.record.order for deed in action.deeds}) == 1


@cache
def _listed(name: str) -> frozenset[str]:
    """Give the stems of a list of words."""
    return frozenset(stem(word) for word in table("carrying")[name])


def _held(state: str, view: View, near: Near, index: int) -> bool:
    if state == "match":
        return True
    if state != "absent":
        return False
    fact = view.claim.facts[index]
    if fact.kind == "id" and fact.value in near.shared and resource_of(near.record.text):
        return True  # the path of a request names it
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


def _label_stems(near: Near) -> frozenset[str]:
    return frozenset(stems(near.record.item.source_label))


def _context_stems(view: View, near: Near) -> frozenset[str]:
    """Give the words of the lines around, which say what a short line is about that names nothing itself."""
    around: set[str] = set()
    for each in view.world.records[max(0, near.record.order - 2) : near.record.order + 3]:
        if each.item is near.record.item:
            around |= each.own_stems
    return frozenset(around)


_TERSE: Final = 60
_ENOUGH: Final = 0.8
_ENOUGH_NAMED: Final = 0.6
"""Where two identifiers are bound."""
