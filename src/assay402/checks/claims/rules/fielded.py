"""The named values of a record and of what it stands in, each with the words by which a claim may tell of it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Fact, Field
from assay402.checks.claims.reading.naming import is_id_name, is_noun
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.phrase import alike, words_for
from assay402.checks.claims.rules.world import World

_JOINT: Final = re.compile(r"[\s_.\-()\[\]/]+|(?<=[a-z0-9])(?=[A-Z])")
_WORDS: Final = re.compile(r"[^\W_]+")
_MOST: Final = 60
_LINES: Final = 12
"""Lines of one block looked at on either side."""
_LONGEST: Final = 80
_CHANGED: Final = re.compile(r"[-+][A-Za-z]")
"""A line that a change takes out or puts in."""
_NO: Final = frozenset(("false", "no", "null", "none", "0", "[]", "", "off"))
_YES: Final = frozenset(("true", "yes", "on"))


class Slot(Struct, frozen=True):
    """A named value."""

    record: Record
    place: int
    field: Field
    parts: tuple[str, ...]
    """The words of its name that say what it is of, in lower case."""
    outer: tuple[str, ...]
    """The words of the names of the objects that hold it."""
    last: str
    """Its name without those, in lower case."""
    words: tuple[str, ...]
    """The words of its value; none of a value that is long."""
    facts: tuple[Fact, ...]

    @property
    def ref(self) -> str:
        """The reference that names it."""
        return self.record.field_ref(self.field) if self.record.form in ("json", "row") else self.record.ref

    @property
    def is_no(self) -> bool:
        """Its value denies what its name says, or says that there is none."""
        return self.field.value.strip().lower() in _NO

    @property
    def is_yes(self) -> bool:
        """Its value affirms what its name says."""
        return self.field.value.strip().lower() in _YES

    @property
    def is_status(self) -> bool:
        """It says how its record stands."""
        return not self.parts or _ends_in("statuses", self.last)

    @property
    def names(self) -> bool:
        """It calls its record by name."""
        own = self.place == 0 and (is_noun(self.last) or is_id_name(self.last))
        return own or self.last in words_for("names") or self.last == "id" or self._is_id_of_label

    @property
    def _is_id_of_label(self) -> bool:
        head = self.last.removesuffix("_id").removesuffix("_number")
        return head != self.last and stem(head) in {stem(each) for each in _parts(self.record.label)}

    @property
    def is_sort(self) -> bool:
        """It says of what sort its record is."""
        return _ends_in("sorts", self.last)


class Held(NamedTuple):
    """A named value that a claim asserts."""

    slot: Slot
    used: frozenset[str]
    """The words of the claim that it accounts for."""
    rank: int
    """How its name is told of: 3 in its very words, 2 in others, 1 not at all where nothing needs to tell."""
    fact: int = -1


@lru_cache(maxsize=4_096)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(each.lower() for each in _JOINT.split(name) if each)


@lru_cache(maxsize=4_096)
def _ends_in(sort: str, name: str) -> bool:
    """Tell whether the last word of a name is one of a list."""
    parts = _parts(name)
    return bool(parts) and parts[-1] in words_for(sort)


@lru_cache(maxsize=4_096)
def named_for(name: str) -> tuple[str, ...]:
    """Give the words of a name that say what its value is of."""
    parts = _parts(name)
    kept = tuple(each for each in parts if each not in words_for("affixes"))
    counted = tuple(each for each in kept if each not in ("total", "count", "amount"))
    return counted or kept


def slots_of(record: Record, world: World) -> tuple[Slot, ...]:
    """Give the named values of a record and of what it stands in; those of the lines of a block together."""
    known: tuple[Slot, ...] | None = record.memo.get("slots")
    if known is None:
        known = record.memo["slots"] = tuple(_slots(record, world))[:_MOST]
    return known


def _slots(record: Record, world: World) -> Iterator[Slot]:
    held = _block(record, world) if is_labelled(record) else (record, *record.above)
    for each in held:
        if each.label.endswith(" call"):
            continue
        labelled = is_labelled(each)
        for place, field in enumerate(each.fields[:_MOST]):
            outer, _, last = field.name.rpartition(".")
            value = field.value.strip()
            yield Slot(
                each,
                0 if labelled and each is held[0] else place + (each is not held[0]),
                field,
                named_for(last),
                _parts(outer),
                _joined(last),
                tuple(word.lower() for word in _WORDS.findall(value)) if len(value) <= _LONGEST else (),
                tuple(
                    [one for one in each.facts if one.start == -1 - place or (labelled and one.start >= 0)]
                ),
            )


@lru_cache(maxsize=4_096)
def _joined(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")


def is_labelled(record: Record) -> bool:
    """Tell whether a record is a line with a label: one of a block."""
    return (
        record.form == "line"
        and len(record.fields) == 1
        and "=" not in record.text
        and _CHANGED.match(record.text) is None
    )


def _block(record: Record, world: World) -> tuple[Record, ...]:
    """Give the labelled lines that stand together with one, in order."""
    found = [record]
    for step in (-1, 1):
        beside = record
        for _ in range(_LINES):
            order = beside.order + step
            following = world.records[order] if 0 <= order < len(world.records) else None
            if (
                following is None
                or following.item is not record.item
                or following.line != beside.line + step
                or not is_labelled(following)
            ):
                break
            beside = following
            found.append(beside)
    return tuple(sorted(found, key=lambda each: each.order))


def expressed(parts: tuple[str, ...], said: frozenset[str]) -> frozenset[str] | None:
    """Give the words of a claim that tell of what a field is named for; None where a part is not told of."""
    used: set[str] = set()
    for part in parts:
        exact, others = _forms(part)
        found = exact & said or others & said
        if not found:
            return None
        used |= found
    return frozenset(used)


@lru_cache(maxsize=4_096)
def _forms(part: str) -> tuple[frozenset[str], frozenset[str]]:
    """Give a word of a name with its stem, and the words that are customary for it."""
    found = alike(part) | alike(stem(part))
    if part.endswith(("er", "or")):
        found |= {stem(f"{part[:-2]}ed")}  # who organized it is its organizer
    return frozenset((part, stem(part))), found


def is_exact(parts: tuple[str, ...], said: frozenset[str]) -> bool:
    """Tell whether a claim says each word of a field's name."""
    return all(_forms(part)[0] & said for part in parts)


@lru_cache(maxsize=1_024)
def qualifies(part: str) -> bool:
    """Tell whether a word of a name makes another thing of the value: `old`, `expected`."""
    return part in table("qualifying")["keys"]
