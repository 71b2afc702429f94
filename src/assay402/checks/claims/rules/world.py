"""The evidence as the rules look at it: records found by word, by identifier and by action, each with its ways of counting."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import nsmallest
from itertools import accumulate
from typing import Any, Final, TypeVar

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Claim, EvidenceItem, Finding
from assay402.checks.claims.reading.evidence import Reading, is_english, readings
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_foreign, plain
from assay402.checks.claims.rules.deed import Deed, deeds_of
from assay402.core.canon import sha256_hex

_T = TypeVar("_T")

_POSTINGS: Final = 60
"""Records looked at for one word of a claim; a word in more of them distinguishes little."""
_CALCULATING: Final = Pattern(r"(?:calculat|compute|sum|add_up|math|eval)\w* call$", re.IGNORECASE)
_HASH: Final = re.compile(r"[0-9a-f]+")
_LINE: Final = re.compile(r"L([0-9]+)")
_LONG: Final = 11
_SHORTEST: Final = 7
_ROUND: Final = 1e-5
"""More than the places to which shares are compared make out."""
_FAR: Final = 0.3
"""Records that share less than this part of what the nearest shares are not looked at."""
_NEAR: Final = 10
"""Records compared closely for one claim."""


class World:
    """All items of a case."""

    def __init__(
        self, items: tuple[EvidenceItem, ...], read: tuple[list[Record], list[Reading]] | None = None
    ) -> None:
        self.items: Final = items
        self.records, self.readings = readings(items) if read is None else read
        self.duplicates: Final = _duplicates(items)
        self.views: Final[dict[Any, Any]] = {}
        """The views of the claims being judged, by what each says."""
        self.findings: Final[dict[Claim, Finding]] = {}
        """What was found of the claims judged, by what each says."""
        self.looked: Final[dict[Claim, Any]] = {}
        """What is kept of the views of the claims judged, by what each says."""
        self.spent = 0
        """Values compared since the candidate was begun."""
        self._deeds: dict[int, tuple[Deed, ...]] = {}
        self._rare: dict[str, tuple[float, tuple[int, ...]]] = {}
        self._known: dict[Hashable, Any] = {}

    def let_go(self) -> None:
        """Forget everything, so that nothing of a large case waits for the next search for cycles: what stands in each other is one."""
        for record in self.records:
            record.children = ()
        self.__dict__.clear()

    def once(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Give what `make` gives, made at the first call with a key: what is true of the case is found once, not once a claim."""
        if key not in self._known:
            self._known[key] = make()
        found: _T = self._known[key]
        return found

    def within(self, item: EvidenceItem) -> "World":
        """Give the evidence as it would be if one item alone might bear on the claims; nothing is read again."""
        return self.once(("within", item.id), lambda: self._within(item))

    def _within(self, item: EvidenceItem) -> "World":
        found = World((item,), (self.records, [self.reading_of(item)]))
        found.bearing = self.bearing_of(item)
        return found

    @cached_property
    def sources(self) -> tuple[EvidenceItem, ...]:
        """The items that a claim can name as its source: those for context only count as absent."""
        return tuple(item for item in self.items if item.claim_bearing)

    @cached_property
    def bearing(self) -> list[Record]:
        """The records that may support or contradict."""
        return [
            record
            for record in self.records
            if record.item.claim_bearing and record.item.id not in self.duplicates
        ]

    def bearing_by_ref(self, refs: Iterable[str]) -> list[Record]:
        """Give the records that references name, themselves or one of their values; sentences of one line share theirs."""
        return [record for each in refs for record in self._called(each)]

    def best_by_ref(self, ref: str, preferred: Iterable[Record]) -> list[Record]:
        """Give of the records that a reference names the first of each line or object, and then the preferred ones."""
        group = self._called(ref)
        if len(group) == 1:
            return group
        first = self.once(("first", ref), lambda: _firsts(group))
        return [*first, *(each for each in preferred if each.is_called(ref))]

    def _called(self, ref: str) -> list[Record]:
        """Give the records that a reference names. The values of a line are read when one of them is asked for."""
        item, _, place = ref.partition("#")
        line = _LINE.match(place)
        where = (item, int(line[1]) if line is not None else 0)
        return self.once(("called", where), lambda: _Groups(_refs(self._by_line.get(where, ())))).of(ref)

    @cached_property
    def _by_line(self) -> dict[tuple[str, int], list[Record]]:
        found: dict[tuple[str, int], list[Record]] = {}
        for record in self.bearing:
            found.setdefault((record.item.id, record.line), []).append(record)
        return found

    @cached_property
    def _index(self) -> "_Groups":
        return _Groups((word, record) for record in self.bearing for word in _leading(record))

    @cached_property
    def calculations(self) -> tuple[Record, ...]:
        """The answers of calculating tools."""
        return tuple(
            record
            for record in self.bearing
            if record.parent is not None and _CALCULATING.match(record.parent.label)
        )

    def with_stem(self, word: str) -> list[Record]:
        """Give the records in which a stem stands."""
        return self._index.of(word)

    def holding(self, words: frozenset[str], rarest: str, most: int) -> list[Record]:
        """Give those of the first records with the rarest of some words that may hold all of them, in evidence order.

        What stands in another record has that one's words too; the rest hold the words that lead to them and no others.
        """
        first = self.with_stem(rarest)[:most]
        if not first:
            return []
        nested = self.once(
            ("nested", rarest, most), lambda: [each for each in first if each.parent is not None]
        )
        orders = [self._orders(word) for word in words]
        shared = min(orders, key=len).intersection(*orders)
        last = first[-1].order
        found = {each.order: each for each in nested}
        found.update((order, self.records[order]) for order in shared if order <= last)
        return [found[order] for order in sorted(found)]

    def _orders(self, word: str) -> frozenset[int]:
        return self.once(("orders", word), lambda: frozenset(each.order for each in self.with_stem(word)))

    def near(self, wanted: Iterable[str], identifiers: Iterable[str]) -> list[Record]:
        """Give the records that share most with a claim, identifiers and rare words first, in evidence order among equals."""
        scores: dict[int, float] = {}
        told = [
            (weight / commonness, orders)
            for weight, words in ((4.0, identifiers), (1.0, wanted))
            for commonness, orders in map(self._rated, sorted(words))
            if orders
        ]
        common = _common([share for share, _ in told])
        looked_at = frozenset[int]().union(*(orders for share, orders in told if share > common))
        for share, orders in told:
            for order in orders if share > common else [each for each in orders if each in looked_at]:
                scores[order] = scores.get(order, 0.0) + share
        most = max(scores.values(), default=0.0)
        rated = [
            (-round(score, 6), order) for order, score in scores.items() if score >= most * _FAR - _ROUND
        ]
        ranked = [order for _, order in nsmallest(_NEAR, rated)]
        least = scores[ranked[0]] * _FAR if ranked else 0.0
        return [self.records[order] for order in ranked if scores[order] >= least]

    def _rated(self, word: str) -> tuple[float, tuple[int, ...]]:
        """Give how common a word is, and the last of those it stands in."""
        known = self._rare.get(word)
        if known is None:
            postings = self.with_stem(word)
            commonness = (1 + len(postings)) ** 0.4 if postings else 1.0
            known = self._rare[word] = (commonness, tuple(each.order for each in postings[-_POSTINGS:]))
        return known

    def deeds(self, record: Record) -> tuple[Deed, ...]:
        """Give the actions a record tells of."""
        known = self._deeds.get(record.order)
        if known is None:
            known = self._deeds[record.order] = tuple(deeds_of(record))
        return known

    @cached_property
    def newest(self) -> Record | None:
        """The first of the records that bear the latest moment; nothing else here knows the time."""
        dated = (record for record in self.bearing if len(record.moment) >= 10)  # a day at least
        return max(dated, key=lambda record: record.moment, default=None)

    def bearing_of(self, item: EvidenceItem) -> list[Record]:
        """Give the records of an item that may support or contradict."""
        return self._by_item.get(item.id, [])

    @cached_property
    def _by_item(self) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
        for record in self.bearing:
            found.setdefault(record.item.id, []).append(record)
        return found

    def reading_of(self, item: EvidenceItem) -> Reading:
        """Give the reading of an item."""
        return self.readings[self.items.index(item)]


class _Groups:
    """Records by a name, in their order. Most names, such as numbers, are of one record, which needs no list."""

    def __init__(self, named: Iterable[tuple[str, Record]]) -> None:
        self._first: Final[dict[str, Record]] = {}
        self._all: Final[dict[str, list[Record]]] = {}
        for name, record in named:
            if name not in self._first:
                self._first[name] = record
            elif name in self._all:
                self._all[name].append(record)
            else:
                self._all[name] = [self._first[name], record]

    def of(self, name: str) -> list[Record]:
        """Give the records of a name."""
        found = self._all.get(name)
        return found or ([self._first[name]] if name in self._first else [])


def _refs(records: Iterable[Record]) -> Iterator[tuple[str, Record]]:
    """Give the references to some records and to each of their values."""
    for record in records:
        yield record.ref, record
        for field in record.fields:
            yield record.field_ref(field), record


def _leading(record: Record) -> Iterable[str]:
    """Give the words that lead to a record; people quote the beginning of a hash."""
    words = record.own_stems
    hashes = [each[:_SHORTEST] for each in words if len(each) > _LONG and _HASH.fullmatch(each)]
    return (*words, *hashes) if hashes else words


def _common(shares: list[float]) -> float:
    """Give a share up to which words together bring no record near that has none of the others."""
    least = max(shares, default=0.0) * _FAR - 2 * _ROUND
    ordered = sorted(shares)
    rare = next(
        (each for each, up_to in zip(ordered, accumulate(ordered), strict=True) if up_to >= least), 0.0
    )
    return max((each for each in shares if each < rare), default=0.0)


def _firsts(records: list[Record]) -> tuple[Record, ...]:
    found: dict[str, Record] = {}
    for record in records:
        found.setdefault(record.ref, record)
    return tuple(found.values())


def _duplicates(items: tuple[EvidenceItem, ...]) -> dict[str, str]:
    """Name each item whose text says the same as an earlier one that counts as much, with that one."""
    seen: dict[tuple[str, str, bool], str] = {}
    found: dict[str, str] = {}
    for item in items:
        key = (
            sha256_hex(plain(item.text).encode("utf-8", "surrogatepass")),
            "self" if item.kind == "description" else "",
            item.claim_bearing,
        )
        if key in seen:
            found[item.id] = seen[key]
        else:
            seen[key] = item.id
    return found


def not_english(item: EvidenceItem) -> bool:
    """Tell whether an item is prose in another language."""
    return not is_english(item.text) or is_foreign(item.text)
