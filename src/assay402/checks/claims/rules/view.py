"""One claim beside the records that may speak of it, each value of the claim bound where it can be."""

import re
from functools import cache
from typing import Any, Final

from msgspec.structs import replace

from assay402.checks.claims.data import table
from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Claim, Span
from assay402.checks.claims.reading.actions import groups_in, words_of
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.bind import Binding, Stated, bind
from assay402.checks.claims.rules.compare import IDENTIFYING
from assay402.checks.claims.rules.subjects import Subject
from assay402.checks.claims.rules.world import World

_VALUE_WORDS: Final = (
    "cost",
    "price",
    "total",
    "amount",
    "value",
    "worth",
    "be",
    "equal",
    "come",
    "stand",
    "measure",
    "take",
    "last",
    "number",
    "count",
    "contain",
    "have",
    "due",
    "date",
    "month",
    "year",
    "day",
    "report",
    "list",
    "set",
    "latency",
    "duration",
    "size",
    "long",
    "large",
    "big",
    "install",
    "usage",
    "utilization",
    "checksum",
    "digest",
    "hash",
    "stay",
    "stays",
    "remain",
    "below",
    "above",
    "under",
    "use",
    "sha256",
    "sha",
    "md5",
    "full",
)


class Near:
    """A record near a claim."""

    def __init__(self, record: Record, view: "View") -> None:
        self.record: Final = record
        self._view: Final = view
        self._claim: Final = view.claim
        self._identifiers: Final = view.identifiers

    @property
    def world(self) -> World:
        """The evidence in which the record stands."""
        return self._view.world

    @cached_property
    def chain(self) -> tuple[Record, ...]:
        """The record, what it stands in, and what stands in it."""
        return self.record.chain

    @cached_property
    def shared(self) -> frozenset[str]:
        """The identifiers of the claim that the record or its surroundings hold."""
        return shared(self._identifiers, self.record.held_ids)

    @cached_property
    def own_shared(self) -> int:
        """How many identifiers of the claim the record itself holds."""
        return sum(each in self.record.ids for each in self.shared)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words of the record, of what it stands in and of what stands in it."""
        return self.record.whole_stems

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """What the record says of each value of the claim."""
        view, claim = self._view, self._claim
        if not claim.facts:
            return ()
        view.world.spent += len(claim.facts) * self.record.weight
        is_named = self.own_shared > 0
        return tuple(
            Binding("absent", each.fact) if view.is_of_another(each) else each
            for fact in claim.facts
            for each in (bind(fact, self.record, view.stated, is_named=is_named),)
        )

    @cached_property
    def coverage(self) -> float:
        """The share of the claim's content that the record holds, words that only carry its values apart."""
        wanted = self.wanted
        return len(wanted & self._covering) / len(wanted) if wanted else 1.0

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The content the record should hold."""
        wanted = self._view.wanted
        told = self._view.subject.kinds_told(self.record, self.stems)
        if self.shared:
            told |= self._view.kinds - self.stems
        if self._claim.facts:
            told |= self._view.wares - self.stems
        return wanted - told if told else wanted

    @property
    def _covering(self) -> frozenset[str]:
        return covering(self.record)

    @cached_property
    def missing_names(self) -> frozenset[str]:
        """Names of the claim that the record does not hold."""
        missing = self._claim.names - self.stems - report_words()
        if not missing:
            return missing
        # A name with a capital inside is one word as well as several: `YouTube`.
        return missing - frozenset(stems(" ".join(each.searched for each in self.chain).lower()))

    @property
    def matched(self) -> int:
        """How many values agree."""
        return sum(each.state == "match" for each in self.bindings)

    @property
    def is_bounded(self) -> bool:
        """Whether the record gives for a bound of the claim a value that lies within it."""
        return any(each.state == "weaker" and each.fact.compared for each in self.bindings)

    @property
    def rank(self) -> tuple[float, ...]:
        """How well the record fits the claim, values apart first: identifiers, agreement, words."""
        return (len(self.shared) + 0.5 * (self.own_shared > 0), self.matched, round(self.coverage, 6))


def covering(record: Record) -> frozenset[str]:
    """Give the words that a record holds, its actions in all their words."""
    known: frozenset[str] | None = record.memo.get("covering")
    if known is None:
        groups = groups_in(record.text[:400] if record.form != "json" else record.searched[:400])
        words = frozenset().union(*map(words_of, groups))
        held = record.whole_stems
        known = record.memo["covering"] = held if words <= held else held | words
    return known


_PARTED: Final = re.compile(r"[\W_]+")
_KIND: Final = re.compile(r"([A-Za-z][\w-]*)\s(?:#|no\.?\s|number\s|with\s|ID\s){0,2}\s?$", re.IGNORECASE)


_OF_VERSIONS: Final = frozenset({"version", "release", "build", "tag", "revision"})
"""Before a version other nouns name the product, of which there are many."""


def _kinds(claim: Claim) -> frozenset[str]:
    """Give the stems of the nouns that stand before the claim's identifiers, which say only of what kind they are."""
    found: set[str] = set()
    for fact in claim.facts:
        match = (
            _KIND.search(claim.text[max(0, fact.start - 40) : fact.start])
            if fact.kind in ("id", "hash", "version")
            else None
        )
        if match is not None and (fact.kind != "version" or match[1].lower() in _OF_VERSIONS):
            found |= set(stems(match[1]))
    return frozenset(found) if found < claim.content else frozenset()


class View:
    """One claim, and the evidence near it."""

    def __init__(
        self,
        claim: Claim,
        world: World,
        only: frozenset[str] = frozenset(),
        spoken: frozenset[int] = frozenset(),
    ) -> None:
        self.claim: Final = claim
        self.world: Final = world
        self._only: Final = only
        """The items that count, where the claim names its source."""
        self.spoken: Final = spoken
        """The records that count, where the claim names a speaker."""
        self.memo: Final[dict[str, Any]] = {}
        """What a rule found out about the claim and another asks again."""
        self._near_to: dict[int, Near] = {}

    @property
    def is_narrowed(self) -> bool:
        """Tell whether only some items or records count, because the claim names who says it."""
        return bool(self._only or self.spoken)

    def to(self, record: Record) -> Near:
        """Give a record beside the claim."""
        found = self._near_to.get(record.order)
        if found is None:
            found = self._near_to[record.order] = Near(record, self)
        return found

    def let_go(self) -> None:
        """Forget everything. What was found out of each of thousands of claims would make a long search for cycles."""
        self.__dict__.clear()

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The stems of the nouns that say only of what kind the claim's identifiers are."""
        return _kinds(self.claim)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The content that a record should hold, if nothing that it says makes a part needless."""
        wanted = self.claim.content - report_words()
        return wanted - value_words() if self.claim.facts else wanted

    @cached_property
    def wares(self) -> frozenset[str]:
        """Of the content what a whole record is of."""
        return self.wanted & _wares()

    @cached_property
    def subject(self) -> Subject:
        """What the claim calls its subjects."""
        return Subject(self.claim)

    def is_of_another(self, binding: Binding) -> bool:
        """Tell whether a value was found in what is named for another subject."""
        record, found = binding.record, binding.found
        if record is None:
            return False
        if self.subject.is_other(record):
            return True
        return found is not None and found.start < 0 and self.subject.is_other_value(record, -1 - found.start)

    @cached_property
    def stated(self) -> Stated:
        """What the claim's values are compared as."""
        return Stated(self.claim)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The identifiers the claim names."""
        return frozenset(fact.value for fact in self.claim.facts if fact.kind in IDENTIFYING)

    @cached_property
    def near(self) -> list[Near]:
        """The records near the claim, best first."""
        words = set(self.claim.content) | set(self.claim.names)
        for fact in self.claim.facts:
            words |= set(stems(fact.raw.replace("_", " ")))
        for mention in self.claim.mentions:
            words |= words_of(mention.group)
        identifiers = {
            stem(part)
            for each in self.identifiers
            for part in _PARTED.split(each)
            if any(char.isdigit() for char in part)
        }
        identifiers |= {fact.value[:7] for fact in self.claim.facts if fact.kind == "hash"}
        found = [
            self.to(record)
            for record in self.world.near(words - identifiers, identifiers)
            if (not self._only or record.item.id in self._only)
            and (not self.spoken or record.order in self.spoken)
            and not self.subject.is_other(record)
        ]
        return sorted(found, key=lambda near: (tuple([-each for each in near.rank]), near.record.order))

    @property
    def addressed(self) -> list[Near]:
        """The records that speak of the claim's subject: an identifier of it, or a good part of its words."""
        return [
            each
            for each in self.near
            if each.shared
            or each.coverage >= 0.5
            or (each.coverage >= 0.3 and (each.matched or each.is_bounded))
        ]  # half the words; a third with a value

    @cached_property
    def known_identifiers(self) -> frozenset[str]:
        """The identifiers of the claim that stand anywhere in the evidence."""
        found = frozenset[str]().union(*(near.shared for near in self.near))
        return found | frozenset(
            each
            for each in self.identifiers - found
            if any(
                each in record.ids
                for part in stems(each.replace("_", " "))[:1]
                for record in self.world.with_stem(part)[:80]
            )
        )


@cache
def report_words() -> frozenset[str]:
    """Give the stems of words that only say that something is reported."""
    return frozenset(stem(word) for word in table("lexicon")["report"])


@cache
def _wares() -> frozenset[str]:
    """Give the stems of words for what a whole record is of, such as a price list's wares, which its lines do not repeat."""
    return frozenset(stem(word) for word in table("lexicon")["subjects"])


@cache
def value_words() -> frozenset[str]:
    """Give the stems of words that only carry a value."""
    return frozenset(stem(word) for word in _VALUE_WORDS)


_NONE: Final = frozenset[str]()


def shared(identifiers: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Give the identifiers of a claim that are among those a record holds, as they stand or in short."""
    if not identifiers or not held:
        return _NONE
    found = identifiers & held
    rest = identifiers - found
    return found | {each for each in rest if any(each in one and same_identifier(each, one) for one in held)}


def same_identifier(one: str, other: str) -> bool:
    """Tell whether two identifiers name the same thing, one of them perhaps in short."""
    return other.startswith((f"{one}_", f"{one}-", f"{one}.")) or other.endswith(
        (f"-{one}", f"_{one}", f"/{one}")
    )


THIS: Final = "\x00"
"""Stands for the id of a claim that is judged by what it says, wherever it says it."""
_NOWHERE: Final = Span(0, 0)


def as_said(claim: Claim) -> Claim:
    """Give a claim apart from where it stands: two that say the same in the same surroundings are one."""
    return replace(claim, id=THIS, span=_NOWHERE)


def view_of(claim: Claim, world: World) -> View:
    """Give the view of what a claim says, the same one for whoever asks."""
    key = as_said(claim)
    known: View | None = world.views.get(key)
    if known is None:
        known = world.views[key] = View(key, world)
    return known


def bound_values(claim: Claim, near: Near) -> tuple[tuple[int, str, str], ...]:
    """Give the values of a claim that a record speaks of, with where it does and how it spells them."""
    return tuple(
        (index, each.ref, each.found.raw)
        for index, each in enumerate(near.bindings[: len(claim.facts)])
        if each.found is not None and each.state in ("match", "mismatch", "unit", "weaker")
    )
