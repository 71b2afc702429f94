"""Names and numbers that a record gives to another part than the claim does: merged by one, written by another."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.naming import is_id_name
from assay402.checks.claims.reading.text import is_past, stem
from assay402.checks.claims.rules.accounting import Account
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.elements import array_of, is_element
from assay402.checks.claims.rules.fielded import Slot, expressed, slots_of
from assay402.checks.claims.rules.phrase import Phrase, Word
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.view import Near

_READ: Final = ("action-recorded", "all-facts-bound", "authority")
_BEFORE: Final = frozenset(("by", "to", "from", "is", "was", "are", "were"))
_MOST: Final = 20
_COUNTED: Final = re.compile(r"\s([a-z][a-z-]{2,})(?:\s([a-z][a-z-]{2,}))?")


def of_other_part(supported: Supported, near: Near, rule_id: str) -> Finding | None:
    """Take back a name or a number that the record gives under a name of which the claim tells nothing."""
    record, claim = near.record, supported.claim
    if supported.rule not in _READ or record.form != "json" or claim.form in ("leaf", "cell"):
        return None
    phrase = Phrase(claim)
    account = Account(phrase, record, supported.view)
    slots = (*account.slots, *(one for each in record.below[:_MOST] for one in slots_of(each, near.world)))
    for word in _placed(phrase, claim.names):
        holders = [each for each in slots if word.low in each.words]
        if holders and not any(_may_hold(account, each, word) for each in holders):
            return unstated(supported, rule_id, "the record gives that name another part", "it in that part")
    if any(_counts_other(phrase, each, near) for each in near.bindings):
        return unstated(supported, rule_id, "the record counts something else", "how many of them there are")
    return None


def _placed(phrase: Phrase, names: frozenset[str]) -> Iterator[Word]:
    """Give the words of a claim that have a part in it: names, what stands behind `by` or `is`, and who did it."""
    words = [each for each in phrase.words if each.low not in ("the", "a", "an", "your", "our")]
    joined = False
    doing = next((place for place, each in enumerate(words) if is_past(each.low)), -1)
    doers = words[: max(doing, 0)]
    is_done = len(doers) > 0 and all(
        each.low == "and" or place == 0 or each.before == "and" for place, each in enumerate(doers)
    )
    for place, word in enumerate(words):
        if word.low == "and":
            continue
        joined = (is_done and place < doing) or word.before in _BEFORE or (joined and word.before == "and")
        if word.low and (joined or word.stem in names):
            yield word


def _may_hold(account: Account, slot: Slot, word: Word) -> bool:
    """Tell whether a value may be what a word of a claim means: a name, a status, a sort, or told of by the claim."""
    if slot.names or slot.is_status or slot.is_sort or slot.is_yes or slot.is_no or len(slot.words) > _LONG:
        return True
    return (
        slot.facts != ()
        or is_id_name(slot.field.name)
        or account.licensed(slot, frozenset((word.before,))) is not None
    )


_LONG: Final = 4
_QUANTITY: Final = re.compile(r"(?:\w+_)?(?:quantity|qty|count|units|number|pieces|amount)")


def _counts_other(phrase: Phrase, binding: Binding, near: Near) -> bool:
    """Tell whether a number stands under a name of which a claim says no word, or beside another element than what it counts."""
    fact, found, record = binding.fact, binding.found, binding.record
    if (
        binding.state != "match"
        or found is None
        or record is None
        or found.start >= 0
        or fact.kind != "number"
    ):
        return False
    place = -1 - found.start
    slot = next(
        (each for each in slots_of(record, near.world) if each.record is record and found in each.facts), None
    )
    counted = _COUNTED.match(phrase.claim.text, fact.end)
    if slot is None or not slot.parts or is_id_name(record.fields[place].name) or counted is None:
        return False
    nouns = frozenset(stem(each) for each in counted.groups() if each)
    if is_element(record):
        if not nouns & record.whole_stems:
            return any(nouns & each.own_stems for each in array_of(record, near.world) if each is not record)
        if nouns & record.own_stems and _QUANTITY.fullmatch(slot.last):
            return False
    return not any(expressed((part,), phrase.said) is not None for part in (*slot.parts, *slot.outer))
