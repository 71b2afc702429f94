"""Whether a record is of another subject than a claim: a service, region, player or row of another name."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Claim, Field
from assay402.checks.claims.reading.facts import LONGEST
from assay402.checks.claims.reading.naming import (
    LONGEST_NAME,
    Name,
    is_attribute,
    is_noun,
    is_of_other_kind,
    is_same,
    kinds,
    may_name,
    name,
    named_in,
    same_kind,
    subject_of,
    without,
    words_of,
)
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.compare import IDENTIFYING

_READ: Final = 300
_MOST_FIELDS: Final = 60
_JOINT: Final = re.compile(r"[\s_.\-]+|(?<=[a-z])(?=[A-Z])")


class Subject:
    """What a claim calls its subjects."""

    def __init__(self, claim: Claim) -> None:
        masked = without(
            claim.text[:LONGEST], tuple(each for each in claim.facts if each.kind in IDENTIFYING)
        )
        is_said = claim.form not in ("leaf", "cell")
        self._text: Final = (f"{claim.context} {masked}" if claim.context else masked) if is_said else ""
        self._content: Final = claim.content
        self._claim: Final = claim
        self._known: Final[dict[int, bool]] = {}
        self._named: Final[dict[frozenset[str], tuple[Name, ...]]] = {}

    @cached_property
    def _said(self) -> frozenset[str]:
        return frozenset(stems(f"{self._claim.context} {self._claim.text[:LONGEST]}".replace("_", " ")))

    @cached_property
    def _names(self) -> tuple[Name, ...]:
        proper = subject_of(self._text) if self._text else None
        found = named_in(self._text, kinds())
        if proper is not None and not any(proper.tokens & each.tokens for each in found):
            return (*found, proper)
        return found

    def _names_beside(self, record: Record) -> tuple[Name, ...]:
        """Give what the claim calls its subjects, also by nouns that only the record's fields have."""
        fields = record.fields
        nouns = _nouns(tuple([each.name for each in fields[:_MOST_FIELDS]])) if fields else None
        further = nouns & self._content if nouns else None
        if not further:
            return self._names
        found = self._named.get(further)
        if found is None:
            more = named_in(self._text, further)
            found = self._named[further] = (*self._names, *(each for each in more if each not in self._names))
        return found

    def is_other(self, record: Record) -> bool:
        """Tell whether a record names another subject in the place where the claim names its own."""
        known = self._known.get(record.order)
        if known is None:
            known = self._known[record.order] = bool(self._text) and self._is_other(record)
        return known

    def _is_other(self, record: Record) -> bool:
        claimed = self._names_beside(record)
        if not claimed:
            return False
        held = [each for each in claimed if _holds(record, each)]
        return any(self._differs(each, record, alone=not held) for each in claimed if each not in held)

    def _differs(self, claimed: Name, record: Record, *, alone: bool) -> bool:
        levels = [names for names in _levels(record) if names]
        found = [each for names in levels for each in names]
        if any(is_same(claimed, each) for each in found if each.is_own or same_kind(claimed.noun, each.noun)):
            return False
        alike = [each for each in found if claimed.noun and each.noun and same_kind(claimed.noun, each.noun)]
        if alike:
            return not any(each.tokens | each.sort <= self._said for each in alike)
        own = next((kept for names in levels if (kept := [each for each in names if each.is_own])), [])
        return alone and bool(own) and not any(each.tokens <= self._said for each in own)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(each.noun for each in self._names if each.noun)

    def kinds_told(self, record: Record, held: frozenset[str]) -> frozenset[str]:
        """Give the nouns for subjects that a record names without these nouns: it need not say of what kind they are."""
        if self._nouns <= held:
            return frozenset()
        found = [each for names in _levels(record) for each in names if each.is_own]
        return frozenset(
            claimed.noun
            for claimed in self._names
            if claimed.noun not in held and any(claimed.tokens <= each.tokens for each in found)
        )

    def is_other_value(self, record: Record, place: int) -> bool:
        """Tell whether a value stands in a part of an object that is named for another subject: `auth.replicas`."""
        path = record.fields[place].name.split(".") if place < len(record.fields) else []
        if len(path) < 2 or not self._names:  # a field without parts is the object's own
            return False
        parts = [found for each in path if (found := name("", each)) is not None]
        for claimed in self._names:
            if any(is_same(claimed, each) for each in parts) or _is_above(record, claimed):
                continue
            if _holds(record, claimed) or not all(is_attribute(each) or self._is_said(each) for each in path):
                return True
        return False

    def _is_said(self, part: str) -> bool:
        return frozenset(stems(part.replace("_", " "))) <= self._said


def _is_above(record: Record, claimed: Name) -> bool:
    """Tell whether the record as a whole is of the subject, so that its parts are too."""
    return any(is_same(claimed, each) for names in _levels(record) for each in names if each.is_own)


def _holds(record: Record, claimed: Name) -> bool:
    return claimed.tokens <= _words(record) and not any(
        claimed.tokens <= each.tokens
        and is_of_other_kind(claimed, each)
        and same_kind(claimed.noun, each.noun)
        for each in names_of(record)
        if each.is_own and each.noun
    )


def _words(record: Record) -> frozenset[str]:
    """Give the words that a record and what it stands in say of their own subjects."""
    found: frozenset[str] | None = record.memo.get("said")
    if found is None:
        found = frozenset(stems(record.item.source_label.replace("_", " ")))
        for each in (record, *record.above):
            found |= _own_words(each)
        record.memo["said"] = found
    return found


def _own_words(record: Record) -> frozenset[str]:
    linked = [each for each in record.fields[:_MOST_FIELDS] if _is_relation(each.name)]
    if not linked:
        return record.own_stems
    text = record.searched
    for each in linked:
        text = text.replace(each.value.replace("_", " "), " ")
    return frozenset(stems(text))


def _levels(record: Record) -> Iterator[tuple[Name, ...]]:
    """Give the names of a record, of its heading, and of what it stands in, nearest first."""
    for each in (record, *record.above):
        yield names_of(each)
        yield _heading(each)


def names_of(record: Record) -> tuple[Name, ...]:
    """Give the names that stand in a record itself."""
    found: tuple[Name, ...] | None = record.memo.get("names")
    if found is None:
        found = record.memo["names"] = tuple(_names(record))
    return found


def _heading(record: Record) -> tuple[Name, ...]:
    """Give what a heading or the key of an object calls the things below it."""
    found: tuple[Name, ...] | None = record.memo.get("heading")
    if found is None:
        found = record.memo["heading"] = tuple(_headed(record))
    return found


def _headed(record: Record) -> Iterator[Name]:
    label = record.label
    if not label or len(label) > LONGEST_NAME or label.endswith((" call", ":")) or is_attribute(label):
        return
    if frozenset(stems(label.replace("_", " "))) <= kinds():
        return  # a heading such as `Services`
    holder = record.parent.label if record.form == "json" and record.parent is not None else ""
    made = name(_container(holder), label)
    if made is not None and (record.form != "json" or holder):
        yield made


def _container(label: str) -> str:
    """Give the noun for what stands in a list or an object of this name; empty where it is no such noun."""
    if len(label) > LONGEST_NAME:
        return ""
    last = next(reversed(stems(label.replace("_", " "))), "")
    return last if last in kinds() or label.lower().endswith("s") else ""


def _names(record: Record) -> Iterator[Name]:
    if record.form in ("line", "prose") and not record.fields:
        yield from named_in(record.text[:_READ], kinds())
        return
    is_label = record.form == "line" and len(record.fields) == 1 and "=" not in record.text
    is_first = record.form == "row"
    for field in record.fields[:_MOST_FIELDS]:
        if is_label and not _is_property(field):
            yield from filter(None, (name("", field.name),))
        made = _field_name(record, field, is_first=is_first)
        if made is not None:
            is_first = is_first and not made.is_own
            yield made


@lru_cache(maxsize=4_096)
def _nouns(names: tuple[str, ...]) -> frozenset[str]:
    """Give the nouns that fields are named by, those for kinds of things apart."""
    return frozenset(noun for each in names if (noun := _noun(_low(each)))) - kinds()


def _low(field_name: str) -> str:
    return field_name.rpartition(".")[2].lower().replace("-", "_")


def _noun(low: str) -> str:
    """Give the noun by which a field is named: `service` of `service_name`; empty of a property or of `name` alone."""
    if is_attribute(low) or low in words_of("relations"):
        return ""
    parts = [each for each in _JOINT.split(low) if each and each not in words_of("naming")]
    return stem(parts[-1]) if parts else ""


def _is_property(field: Field) -> bool:
    """Tell whether the label of a line says what its value is, and is no name of what the line is of: `replicas: 3`."""
    counted = is_noun(field.name) and (may_name(field.value) or field.value.isdigit())
    return counted or is_attribute(field.name)


def _is_relation(field_name: str) -> bool:
    return _low(field_name) in words_of("relations")


def _field_name(record: Record, field: Field, *, is_first: bool) -> Name | None:
    """Give what a field calls the thing it is a field of."""
    value, low = field.value, _low(field.name)
    if not may_name(value):
        return None
    if low in words_of("naming"):
        return name(_container(record.label), value)
    noun = _noun(low)
    if not noun:
        return None
    return name(noun, value, is_own=is_first or noun in kinds())
