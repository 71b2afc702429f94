"""Amounts that a sentence gives to something beside what was done: `paid $300 of the $500 invoice`, `$40 for lunch`."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.rows import is_of_other_row
from assay402.checks.claims.rules.supports import Supported
from assay402.checks.claims.rules.targets import aims
from assay402.checks.claims.rules.view import Near

_LEAD: Final = re.compile(
    r"(?P<noun>[a-z]+)?\s?\b(?P<by>out of|of|for|after|with|less|minus|towards?|on|against)\s(?:(?:the|a|an|his|her|its|their|our|your|my)\s)?$",
    re.IGNORECASE,
)
"""What stands before an amount that belongs to something else than what was done."""
_ENDED: Final = re.compile(r"[.;!?](?=\s|$)")
_FOR: Final = re.compile(
    r"\s(?P<by>for|on|to|from|in|at)\s(?:(?:the|a|an|his|her|its|their|our|your|my)\s)?(?P<noun>[a-z][\w-]*)",
    re.IGNORECASE,
)
"""What an amount is for, behind it."""
_WORDS: Final = re.compile(r"[^\W_]+")
_MONEY: Final = ("money", "quantity")
_COUNTED: Final = ("of", "out of")
_LONGEST: Final = 400


class _Led(NamedTuple):
    """How a sentence leads up to an amount."""

    by: str
    noun: str
    """The noun before `of`; it is empty before other prepositions."""


def gives_to_another(supported: Supported, near: Near) -> bool:
    """Tell whether a record gives what a claim says to something, somewhere or some row else."""
    claim, record = supported.claim, near.record
    if supported.rule == "action-recorded" and (
        _is_of_something_else(claim, near) or _stands_elsewhere(claim, record)
    ):
        return True
    return supported.rule in _OF_ROWS and is_of_other_row(claim, record, near.world)


_OF_ROWS: Final = ("action-recorded", "all-facts-bound", "fields-state")


def _is_of_something_else(claim: Claim, near: Near) -> bool:
    """Tell whether a record gives an amount of a claim to something beside what was done, which has an amount of its own."""
    record = near.record
    if any(
        each.state == "match" and each.found is not None and _is_beside(claim, each.found, each.record)
        for each in near.bindings
    ):
        return True
    values = [each for each in record.facts if each.start >= 0] if len(record.facts) > 1 else []
    if len(values) < 2 or record.form not in ("line", "prose") or len(record.text) > _LONGEST:
        return False
    said = {each.value for each in claim.facts}
    for fact in claim.facts:
        held = [each for each in values if each.kind == fact.kind and each.value == fact.value]
        others = [each for each in values if each.kind == fact.kind and each.value not in said]
        if len(held) == 1 and others:
            told = held[0]
            if _is_led_away(claim, fact, record, told, others) or _is_for_other(claim, record, told, others):
                return True
    return False


def _is_led_away(claim: Claim, fact: Fact, record: Record, told: Fact, others: list[Fact]) -> bool:
    """Tell whether a preposition that the claim has not gives the amount to something, behind the amount of what was done."""
    led = _led(record.text, told.start)
    if led is None or not (fact.kind in _MONEY or (fact.kind == "number" and led.by in _COUNTED)):
        return False
    begin = max((each.end() for each in _ENDED.finditer(record.text, 0, told.start)), default=0)
    return any(begin <= each.start < told.start for each in others) and _led(claim.text, fact.start) != led


@lru_cache(maxsize=4_096)
def _led(text: str, start: int) -> _Led | None:
    match = _LEAD.search(text[max(0, start - 40) : start])
    if match is None:
        return None
    by = match["by"].lower()
    return _Led(by, stem((match["noun"] or "").lower()) if by == "of" else "")


def _is_for_other(claim: Claim, record: Record, told: Fact, others: list[Fact]) -> bool:
    """Tell whether the sentence gives the amount for one thing and another amount for the thing that the claim names."""
    own = _FOR.match(record.text, told.end)
    if own is None:
        return False
    words = {stem(each.lower()) for each in _WORDS.findall(claim.text)}
    if stem(own["noun"].lower()) in words:
        return False
    theirs = (_FOR.match(record.text, each.end) for each in others)
    return any(
        each is not None and each["by"].lower() == own["by"].lower() and stem(each["noun"].lower()) in words
        for each in theirs
    )


_BESIDE: Final = frozenset(
    ("fee", "fees", "tax", "vat", "discount", "shipping", "tip", "remaining", "refunded", "surcharge", "deductible", "deposit", "charge", "rebate")
)  # fmt: skip
"""Names of amounts that stand beside the amount of what was done."""
_WHOLE: Final = frozenset(("amount", "total", "value", "price", "sum", "gross", "net", "subtotal", "payout"))
_NAMES: Final = re.compile(r"[_. -]+")


def _is_beside(claim: Claim, found: Fact, record: Record | None) -> bool:
    """Tell whether a field names an amount for what comes with an action, which has an amount of its own that the claim does not give."""
    if found.start >= 0 or record is None or found.kind not in ("money", "number"):
        return False
    role = _parts(record.fields[-1 - found.start].name) & _BESIDE
    if not role or role & frozenset(_WORDS.findall(claim.text.lower())):
        return False
    said = {each.value for each in claim.facts}
    return any(
        each.start < 0
        and each.value not in said
        and (parts := _parts(record.fields[-1 - each.start].name)) & _WHOLE
        and not parts & _BESIDE
        for each in record.facts
    )


@lru_cache(maxsize=1_024)
def _parts(name: str) -> frozenset[str]:
    return frozenset(_NAMES.split(name.lower()))


_CARRYING: Final = {
    "on": frozenset(("network", "chain", "blockchain", "platform", "host", "cluster")),
    "via": frozenset(("channel", "method", "via", "network", "carrier", "medium")),
    "in": frozenset(("region", "zone", "env", "environment", "currency", "cluster")),
}
"""By preposition: the names of the fields that say on, by or in what something was done."""


def _stands_elsewhere(claim: Claim, record: Record) -> bool:
    """Tell whether an object names another network, channel or region than the claim, and the claim's nowhere."""
    if record.form != "json":
        return False
    told = {name: each for each in record.fields if (name := each.name.lower()) in _NAMED}
    if not told:
        return False
    low, held = claim.text.lower(), record.whole_stems
    return any(
        not held.intersection(aim.stems)
        and not any(aim.start <= fact.start < aim.end for fact in claim.facts)
        and not _NAMED.intersection(aim.stems)
        and any(told[name].value.lower() not in low for name in told if name in _CARRYING.get(aim.kind, ()))
        for aim in aims(claim.text[:_LONGEST])
    )


_NAMED: Final = frozenset().union(*_CARRYING.values())
