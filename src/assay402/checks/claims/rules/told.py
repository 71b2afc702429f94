"""What a claim says was done, and what the records say became of it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Claim, Stage
from assay402.checks.claims.reading.actions import groups_in, same_action, words_of
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.act import ANY, Act
from assay402.checks.claims.rules.acting import Actions
from assay402.checks.claims.rules.asked import resource_of
from assay402.checks.claims.rules.compare import IDENTIFYING, shape
from assay402.checks.claims.rules.deed import Deed, stage_of
from assay402.checks.claims.rules.phases import is_of_other
from assay402.checks.claims.rules.runs import named_runs, names_other_run
from assay402.checks.claims.rules.view import View, report_words, shared

_PLACES: Final = (
    "production",
    "staging",
    "development",
    "dev",
    "test",
    "qa",
    "sandbox",
    "canary",
    "preview",
    "uat",
    "preprod",
)
_INSTRUMENTS: Final = Pattern(
    r"\b(gift card|credit card|debit card|certificate|voucher|bank transfer|wire transfer|paypal|cash|store credit|cheque|points)s?\b",
    re.IGNORECASE,
)
_CHANNEL: Final = Pattern(r"#[A-Za-z][\w-]*")
_FINAL: Final = ("FAILED", "NONEXECUTION", "REVERSED")
_BELOW: Final = ("REQUESTED", "QUEUED", "ATTEMPTED", "INTENT")
_RANKS: Final[dict[Stage, int]] = {
    "NONEXECUTION": 0,
    "INTENT": 1,
    "REQUESTED": 2,
    "QUEUED": 3,
    "ATTEMPTED": 4,
    "COMPLETED": 5,
    "FAILED": 6,
    "REVERSED": 7,
}
_FOLLOWING: Final = 6


@cache
def _status_words() -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in [
            "yet",
            "succeeded",
            "success",
            "failed",
            "completed",
            "finished",
            "passed",
            "skipped",
            "pending",
            "queued",
            "running",
            "errored",
            "crashed",
            "declined",
            "bounced",
            "progress",
            "timed",
            "done",
            "status",
            "time",
            "go",
            "went",
            "through",
            "come",
            "clear",
            "reverse",
            "revert",
            "void",
            "undone",
            "change",
            "make",
            "need",
            "apply",
            "require",
        ]
    )


@cache
def _places() -> dict[str, str]:
    return {stem(place): {"dev": "development", "preprod": "staging"}.get(place, place) for place in _PLACES}


_SEVERAL: Final = Pattern(
    r"\b(?:both|following|all (?:two|three|four|five)|these)\s(?:the\s)?(?:\w+\s){0,2}?\w+s\s(?:have|were|are)\b",
    re.IGNORECASE,
)
_STANDS: Final = Pattern(r"\b(?:healthy|running|active|serving|live|ready|up)\b(?<!not ready)", re.IGNORECASE)
_FOLLOWS: Final = re.compile(r"\W{0,4}(?:the )?following\b", re.IGNORECASE)


def _says_several(claim: Claim) -> bool:
    return _SEVERAL.search(claim.text) is not None


def _thing(deed: Deed) -> object:
    """Give what a record acts on: its identifiers, or else the call it answers."""
    record = deed.record
    return record.ids or id(record.parent or record.item)


def _named(pattern: Pattern, text: str) -> frozenset[str]:
    return frozenset(each.lower() for each in pattern.findall(text.replace("_", " ")))


_PLACE: Final = Pattern("|".join(_PLACES))


def _there(pattern: Pattern, record: Record) -> frozenset[str]:
    """Give the places, channels or instruments that a record and what it stands in name."""
    known: frozenset[str] | None = record.memo.get(pattern.pattern)
    if known is None:
        known = record.memo[pattern.pattern] = (
            frozenset(_places()[each] for each in record.all_stems if each in _places())
            if pattern is _PLACE
            else frozenset().union(*(_named(pattern, one.searched) for one in (record, *record.above)))
        )
    return known


_RETURNED_TO: Final = Pattern(
    r"\b(?:roll(?:ed|ing)?[ -]?back|revert(?:ed|ing)?)\b.{0,60}?\bto\s(?:version\s|release\s|build\s)?(\w[\w.-]*\w|\w)",
    re.IGNORECASE,
)


class Told:
    """What the evidence says became of the action a claim names."""

    def __init__(self, view: View, act: Act) -> None:
        self.view: Final = view
        self.act: Final = act
        self._runs: Final = named_runs(view.claim)
        self.elsewhere = False
        """The action is told of another target."""
        self.deeds: Final = self._about()
        self.conflict: Final = self._conflict()
        self.newest: Final = self.deeds[-1] if self.deeds else None
        self.is_partial: Final = _says_several(view.claim) and (
            len({_thing(deed) for deed in self.deeds if deed.stage == "COMPLETED"}) == 1
            or (view.claim.dangling and _FOLLOWS.match(view.claim.text) is not None)
        )
        """The claim speaks of several things, and the records tell of one, or it does not say which they are."""

    def _about(self) -> list[Deed]:
        if self.act.is_status:
            return self._statuses()
        world, groups = self.view.world, frozenset(self.act.groups)
        known = world.once(("told", groups), lambda: Actions(world, groups))
        records = self._records
        found: dict[int, Deed] = {}
        if records is None:
            records = [near.record for near in self.view.near]
            found = dict(known.deeds)
        for record in records:
            deed = known.deed_of(record, world)
            if deed is not None:
                found[record.order] = deed
        found = {order: deed for order, deed in found.items() if not self.view.subject.is_other(deed.record)}
        for deed in (*self._refusals(known), *self._standing()):
            found.setdefault(deed.record.order, deed)
        deeds = [found[order] for order in sorted(found)]
        exact = [deed for deed in deeds if deed.group in self.act.groups or deed.group == "*"]
        deeds = exact if any(deed.group != "*" for deed in exact) else deeds
        about = self._of_subject(
            [deed for deed in deeds if deed.group != "*" or self._is_of_claim(deed, exact)]
        )
        return _ordered([each for deed in about for each in self._as_restored(deed)])

    def _as_restored(self, deed: Deed) -> Iterator[Deed]:
        """Give a record of a return to the very thing the claim names as its outcome: what went back to v1 runs v1."""
        goal = _RETURNED_TO.search(deed.record.text[:600]) if deed.stage == "REVERSED" else None
        named = {fact.value for fact in self.view.claim.facts if fact.kind in ("version", "id")}
        if goal is None or "rollback" in self.act.groups or goal[1].lower().removeprefix("v") not in named:
            yield deed
        elif self.act.outcome:
            yield Deed(deed.record, self.act.name, "COMPLETED")

    def _refusals(self, known: "Actions") -> list[Deed]:
        """Give the bare refusals that follow a line that names the action: `denied`, `! [remote rejected] main`."""
        said = self.view.claim.content - report_words()
        records, world = self._records, self.view.world
        if records is None:
            found = dict(known.refusals)
            found.update(
                (near.record.order, known.refusals_of(near.record, world)) for near in self.view.near
            )
        else:
            found = {record.order: known.refusals_of(record, world) for record in records}
        return [
            Deed(each, self.act.name, "FAILED")
            for order in sorted(found)
            for each, is_bare in found[order]
            if is_bare or said & each.own_stems
        ]

    def _standing(self) -> list[Deed]:
        """Give the records of how things stand that show the claimed outcome, such as a version that is healthy."""
        if not self.act.outcome or "deploy" not in self.act.groups:
            return []
        return [
            Deed(near.record, "deploy", "COMPLETED")
            for near in self.view.near
            if _STANDS.search(near.record.searched[:400])
        ]

    def _is_of_claim(self, deed: Deed, exact: list[Deed]) -> bool:
        """Tell whether a bare `not run`, `rolled back` or ticked box tells of the claimed action."""
        if self.view.to(deed.record).shared:
            return True
        return deed.stage != "COMPLETED" and (
            self.act.stage != "COMPLETED"
            or any(
                one.group != "*"
                and one.record.item is deed.record.item
                and one.record.order < deed.record.order
                for one in exact
            )
        )

    def _statuses(self) -> list[Deed]:
        """Give the records that tell a status of what the claim is about."""
        subject = self.view.claim.content - report_words() - _status_words()
        rated = []
        for near in self.view.near:
            stage = stage_of(near.record)
            held = len(subject & near.stems)
            if (
                stage is not None
                and subject
                and (near.shared or 2 * held >= len(subject))
                and not self._other_identifier(near.record)
                and not is_of_other(near.record, subject)
            ):
                rated.append(((len(near.shared), held), Deed(near.record, ANY, stage)))
        best = max((rate for rate, _ in rated), default=(0, 0))
        deeds = sorted((deed for rate, deed in rated if rate == best), key=lambda deed: deed.record.order)
        return _ordered(deeds)

    @cached_property
    def _records(self) -> list[Record] | None:
        """The records about the named things; None where nothing is named and all that tell of such an action count."""
        world = self.view.world
        found = {near.record.order: near.record for near in self.view.near}
        named = [near.record for near in self.view.near if near.shared]
        if named:
            # A named thing is told of where its name stands, and in the lines that follow.
            kinds = {shape(fact.value) for fact in self.view.claim.facts if fact.kind == "id"}
            for record in named:
                for each in world.records[record.order : record.order + _FOLLOWING]:
                    if each is not record and any(shape(one) in kinds for one in each.ids):
                        break  # here another thing of the kind is told of
                    if each.item is record.item and each.item.claim_bearing:
                        found[each.order] = each
            return [found[order] for order in sorted(found)]
        return None

    def _of_subject(self, deeds: list[Deed]) -> list[Deed]:
        kept = [deed for deed in deeds if self._fits(deed.record)]
        rated = [(self._overlap(deed.record), deed) for deed in kept]
        if not rated:
            return []
        best = max(rate for rate, _ in rated)
        chosen = [deed for rate, deed in rated if rate == best]
        last = _ordered(chosen)[-1]
        # What follows in the same item tells how an unfinished action went on, or that it was undone.
        return chosen + [
            deed
            for rate, deed in rated
            if rate < best
            and deed.record.item is last.record.item
            and deed.record.form != "row"  # another row is of another thing
            and deed.record.order > last.record.order
            and (last.stage in _BELOW or (deed.group == "*" and deed.stage == "REVERSED"))
        ]

    def _overlap(self, record: Record) -> tuple[int, int]:
        return (len(self._shared(record)), len(self._subject & record.whole_stems))

    def _shared(self, record: Record) -> frozenset[str]:
        named = self.view.identifiers
        return shared(named, record.held_ids) if named else named

    @cached_property
    def _subject(self) -> frozenset[str]:
        """What the claim says besides the action and how it went."""
        named = {word for group in self.act.groups for word in words_of(group)}
        return self.view.claim.content - report_words() - _status_words() - named

    @cached_property
    def _wheres(self) -> tuple[tuple[Pattern, frozenset[str]], ...]:
        """The places, channels and instruments the claim names, each with the pattern that finds others."""
        text = self.view.claim.text
        places = frozenset(_places()[each] for each in self.view.claim.content if each in _places())
        named = ((pattern, _named(pattern, text)) for pattern in (_CHANNEL, _INSTRUMENTS))
        return tuple(each for each in ((_PLACE, places), *named) if each[1])

    def _fits(self, record: Record) -> bool:
        for pattern, said in self._wheres:
            there = _there(pattern, record)
            if there and not said & there:
                self.elsewhere = True
                return False
        return not (
            self._other_identifier(record)
            or self._other_resource(record)
            or names_other_run(self._runs, record)
        )

    def _other_resource(self, record: Record) -> bool:
        """Tell whether a record is a request for another kind of thing than the claim names."""
        kind = resource_of(record.text) if "/" in record.text and record.form == "line" else frozenset()
        if not kind or not self._subject:
            return False
        claim = self.view.claim
        said = claim.content | frozenset(stems(claim.context))
        if any(one in two or two in one for one in kind for two in said):
            return False
        return not any(
            same_action(one, two) for one in groups_in(" ".join(sorted(kind))) for two in self.act.groups
        )

    def _other_identifier(self, record: Record) -> bool:
        """Tell whether the record is of another identified thing of the same kind."""
        if not self.view.identifiers or self._shared(record):
            return False
        held = record.chain_ids
        for fact in self.view.claim.facts:
            if fact.kind not in IDENTIFYING or fact.kind == "version":
                continue
            if any(
                shape(fact.value) == shape(each)
                or (fact.kind in ("path", "url", "email") and each.count("/") == fact.value.count("/") > 0)
                for each in held
            ):
                self.elsewhere = True
                return True
            if fact.kind in ("path", "email") and any(other.kind == fact.kind for other in record.facts):
                self.elsewhere = True
                return True
        return False

    def _conflict(self) -> tuple[Deed, Deed] | None:
        """Give two last words of different items that cannot both hold and that no time orders."""
        last: dict[str, Deed] = {}
        for deed in self.deeds:
            last[deed.record.item.id] = deed
        ends = list(last.values())
        dated = all(len(deed.record.moment) >= 10 for deed in ends)  # a day at least
        moments = {deed.record.moment for deed in ends}
        if len(ends) < 2 or (dated and len(moments) == len(ends)):
            return None
        done = [deed for deed in ends if deed.stage == "COMPLETED" and deed.record.item.kind != "description"]
        undone = [deed for deed in ends if deed.stage in _FINAL and deed.record.item.kind != "description"]
        return (done[0], undone[0]) if done and undone else None


def _ordered(deeds: list[Deed]) -> list[Deed]:
    """Order records by their times where all have one, else by their lines in each item and by the ladder between items."""
    if deeds and all(len(deed.record.moment) >= 10 for deed in deeds):
        return sorted(deeds, key=lambda deed: (deed.record.moment, deed.record.order))
    # Nothing but the ladder says which of two undated items is later; their order in the request says nothing.
    reached = {deed.record.item.id: _RANKS[deed.stage] for deed in deeds}
    return sorted(
        deeds,
        key=lambda deed: (deed.record.item.kind != "description", reached[deed.record.item.id]),
    )


def told(view: View) -> Told | None:
    """Give what the evidence says of the action a claim names; None where it names none."""
    if "told" not in view.memo:
        act = Act(view.claim)
        view.memo["told"] = Told(view, act) if act.stage is not None and act.groups else None
    found: Told | None = view.memo["told"]
    return found
