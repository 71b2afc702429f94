"""The members of a kind: the lines and rows that each tell of one."""

import re
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, word_spans
from assay402.checks.claims.rules.answered import is_answered_no, lessening
from assay402.checks.claims.rules.polarity import antonyms, denies
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World

ZERO: Final = Pattern(r"\b(?:0|no)\s\w+|\b\w+\s?[=:]\s?0\b")
"""A count of none."""
_UN: Final = ("un", "in", "non", "non-", "not", "not-")
"""Syllables that turn a word into its opposite."""


def members_of(world: World, word: str, opposites: frozenset[str]) -> tuple[list[Record], list[Record], bool]:
    """Give the short records that say a word of a member of a kind, those that deny it, and whether the first are a whole item."""

    def members() -> tuple[list[Record], list[Record], bool]:
        said = [record for record in world.with_stem(word) if _is_member(record) and word in _own(record)]
        denied = [record for record in said if _denies(record, word)] + [
            record
            for opposite in sorted(opposites | opposites_of(word))
            for record in world.with_stem(opposite)
            if _is_member(record) and opposite in _own(record)
        ]
        same = [record for record in said if not _denies(record, word)]
        against = [record for record in denied if not ZERO.search(record.text)]
        return same, against, _is_whole(world, same)

    return world.once(("members", word), members)


def _denies(record: Record, word: str) -> bool:
    """Tell whether a record denies what it says, or says it in part."""
    return denies(record) or bool(_own(record) & lessening()) or is_answered_no(record, word)


def opposites_of(word: str) -> frozenset[str]:
    """Give the stems of the words that say the opposite of one, those made of it as well: `stable` and `unstable`."""
    return antonyms().get(word, frozenset()).union(prefix + word for prefix in _UN)


def _own(record: Record) -> frozenset[str]:
    """Give the words of a record without those of what it stands under."""
    if record.form != "line" or not record.label:
        return record.own_stems
    known: frozenset[str] | None = record.memo.get("own words")
    if known is None:
        known = record.memo["own words"] = frozenset(stems(record.text.replace("_", " ")))
    return known


def all_say(view: View, word: str, members: list[Record]) -> bool:
    """Tell whether every member has all that a claim says behind its verb, and what one has before it all have."""
    text = view.claim.text
    place = next((end for each, _, end in word_spans(text) if stem(each) == word), len(text))
    behind = frozenset(stems(text[place:])) & view.claim.content
    for each in view.claim.content:
        count = view.world.once(
            ("saying", each, word),
            lambda each=each: sum(each in _own(record) for record in members),  # type: ignore[misc]  # (a default)
        )
        if count != len(members) and (count or each in behind):
            return False
    said = frozenset(re.findall(r"[a-z]+", text[place:].lower()))
    told = view.world.once(("words", word), lambda: [_small(record) for record in members])
    common, known = frozenset.intersection(*told), frozenset[str]().union(*told)
    return not said & known - common  # `on` schedule in some, `behind` schedule in others


def _small(record: Record) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", record.text.lower()))


def _is_whole(world: World, same: list[Record]) -> bool:
    """Tell whether at least two records say it and nothing else stands in their item."""
    if len(same) < 2 or any(record.item is not same[0].item for record in same):
        return False
    return len(world.bearing_of(same[0].item)) == len(same)


def _is_member(record: Record) -> bool:
    return record.form in ("json", "row") or (
        len(record.text.split()) <= 8 and not record.is_prose
    )  # a line about one member
