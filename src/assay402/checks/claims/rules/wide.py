"""Rows and objects of many values: of these, a claimed value is set beside those that it may be."""

from collections.abc import Sequence
from typing import Final

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.compare import is_bare

_MANY: Final = 24
"""Values from which looking them up is quicker than going through them."""


class _Lookup:
    """The values of a record by what they are and by the words that name them."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.rest: Final = tuple(index for index, each in enumerate(facts) if not is_bare(each))
        self.by_value: Final[dict[object, list[int]]] = {}
        self.by_word: Final[dict[str, list[int]]] = {}
        for index, each in enumerate(facts):
            if is_bare(each):
                self.by_value.setdefault(each.low, []).append(index)
                for word in each.attribute:
                    self.by_word.setdefault(word, []).append(index)


def is_wide(record: Record) -> bool:
    """Tell whether a record names so many values that they are better looked up."""
    return record.form in ("json", "row") and len(record.facts) >= _MANY


def likely(fact: Fact, record: Record) -> list[Fact]:
    """Give the values that a bare number may be: equal ones, those named with a word of it, and all that are no bare numbers.

    The others are bare numbers that are not equal and that nothing names as the claimed one is named.
    """
    known: _Lookup | None = record.memo.get("lookup")
    if known is None:
        known = record.memo["lookup"] = _Lookup(record.facts)
    found = {*known.rest, *known.by_value.get(fact.low, ())}
    for word in fact.attribute:
        found.update(known.by_word.get(word, ()))
    return [record.facts[index] for index in sorted(found)]
