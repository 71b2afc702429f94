"""What a claim says beside its action and a record does not: that it came after another, what it had with it, since when it holds."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, words
from assay402.checks.claims.rules.members import opposites_of
from assay402.checks.claims.rules.misplaced import GONE
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.polarity import is_negative
from assay402.checks.claims.rules.supports import Supported
from assay402.checks.claims.rules.zeroes import counts_none

_THEN: Final = Pattern(r"\b(?:then|afterwards?|subsequently|followed by)\b", re.IGNORECASE)
_OPENS: Final = re.compile(r"\W*(?:and\s)?(?:then|afterwards?|subsequently)\b", re.IGNORECASE)
_SINCE: Final = Pattern(r"\bsince\b", re.IGNORECASE)


def unaffirmed(supported: Supported) -> str:
    """Give what the records of a support do not bear out; empty where they bear out all that is looked at here."""
    claim, records = supported.claim, tuple(near.record for near in supported.nears)
    if _is_out_of_order(supported, records):
        return "the order"
    if _has_none(claim, records) and GONE.search(claim.text) is None:
        return "that there was any"
    if any(_is_numbered_otherwise(claim, record) for record in records):
        return "that number of it"
    return "since when" if _was_otherwise_later(supported, records) else ""


def _is_out_of_order(supported: Supported, records: tuple[Record, ...]) -> bool:
    """Tell whether a claim puts one thing behind another and the records do not."""
    text = supported.claim.text
    match = _THEN.search(text)
    if match is None or any(_THEN.search(each.text) is not None for each in records):
        return False
    if _OPENS.match(text) is None:
        return True
    return not any(
        is_later(record, each)
        for record in records
        for each in supported.view.world.bearing_of(record.item)[:_READ]
    )


_READ: Final = 200


def _has_none(claim: Claim, records: tuple[Record, ...]) -> bool:
    """Tell whether a record counts 0 of what a claim says was there."""
    if is_negative(claim.text) or any(fact.low == 0 for fact in claim.facts):
        return False
    return any(
        [field.value for field in record.fields if field.value.isdigit()] == ["0"]
        and counts_none(record, word)
        for record in records
        for word in claim.content
    )


_NUMBERED: Final = re.compile(r"\b([A-Za-z]{3,20})\s#?([0-9]{1,9})\b(?![.,:/-]?[0-9])")


def _is_numbered_otherwise(claim: Claim, record: Record) -> bool:
    """Tell whether a record has a field of the noun right before a number of a claim, and another number there: `rack=2`."""
    for match in _NUMBERED.finditer(claim.text):
        noun = stem(match[1])
        told = {
            each.value for each in record.fields[:_FEW] if each.value.isdigit() and stem(each.name) == noun
        }
        if told and match[2] not in told:
            return True
    return False


def _was_otherwise_later(supported: Supported, records: tuple[Record, ...]) -> bool:
    """Tell whether a later record has the opposite of what a claim says has held since then."""
    claim = supported.claim
    if _SINCE.search(claim.text) is None:
        return False
    world = supported.view.world
    for said in words(claim.text.lower()):
        word = stem(said)
        turned = opposites_of(word).union(map(stem, table("states").get(said, ())))
        for opposite in sorted(turned) if word in claim.content else ():
            for later in world.with_stem(opposite)[-_FEW:]:
                own = frozenset(stems(later.text))
                is_of_it = opposite in own and bool(own & claim.content - {word})
                if is_of_it and any(later is record or is_later(later, record) for record in records):
                    return True
    return False


_FEW: Final = 40
