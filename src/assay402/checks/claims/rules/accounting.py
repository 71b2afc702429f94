"""Whether the named values of one record account for every word and value of a claim."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.actions import cue, groups_in
from assay402.checks.claims.reading.naming import is_id_name, is_noun, same_kind
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.affirming import agrees, denied_words, is_denied_status
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.fielded import Held, Slot, expressed, is_exact, qualifies, slots_of
from assay402.checks.claims.rules.phrase import Phrase, alike, told_as, words_for
from assay402.checks.claims.rules.view import View

_PREPOSITIONS: Final = ("to", "from", "by")
_ROLES: Final = frozenset(_PREPOSITIONS)
_INTO: Final = frozenset(("to", "in", "into", "on", "at", "onto"))
_OF_IDS: Final = frozenset(("number", "id", "code", "no", "identifier", "reference", "name"))
_OF_LINES: Final = frozenset(("line", "lines"))
_OF_SPEED: Final = frozenset(("speed",))
_OF_DATES: Final = frozenset(("date", "day"))
_NUMBER: Final = re.compile(r"([0-9][0-9.,]*)\s?[A-Za-z%/]{0,8}$")
_SWITCHED: Final = frozenset(("enabled", "disabled", "active", "inactive"))
"""Words that say yes or no of what is switched on and off."""
_DEED: Final = re.compile(r"(?:ed|sent|paid|made|built|sold|bought|given|taken|written)$")
_IS: Final = re.compile(r"\b(?:is|are)\s")
_DONE: Final = re.compile(r"(?:ed|sent|paid|made|born|built|won|sold)(?:_(?:at|on|by|to|date|time))?$")
_NUMERIC: Final = ("number", "money", "quantity", "percent")


class Account:
    """What the named values of a record make of a claim."""

    def __init__(self, phrase: Phrase, record: Record, view: View) -> None:
        self._phrase: Final = phrase
        self._record: Final = record
        self._view: Final = view
        self.slots: Final = slots_of(record, view.world)
        self._words: Final[set[str]] = set()

    @cached_property
    def held(self) -> tuple[Held, ...] | None:
        """The values that the claim asserts, every word and value of it accounted for; None where one is not."""
        by_fact = self._facts()
        if by_fact is None:
            return None
        by_word = tuple(self._worded({id(each.slot) for each in by_fact}))
        held = (*by_fact, *by_word)
        if not held or any(self._has_rival(each, held) for each in held) or not agrees(self._phrase, held):
            return None
        covered = frozenset().union(*(each.used for each in held)) | self._words
        rest = {each.low for each in self._phrase.words if each.low} - covered - words_for("filling")
        rest = {each for each in rest if self._is_deed(each) or not self._is_kind(each)}
        rest = rest - denied_words(self._phrase, held) - self._in_status()
        return held if not rest and self._is_done(held) else None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The words that say of what kind the record is, and what it stands in."""
        found: set[str] = set()
        for each in (self._record, *self._record.above):
            found |= set(stems(each.label.replace("_", " ")))
            if each.form == "line" and "=" in each.text:
                found |= set(stems(each.text.partition("=")[0]))
        for slot in self.slots:
            named = slot.names or slot.last.endswith(("_id", "_number", "_no", "_ref"))
            found |= {stem(part) for part in slot.outer} | (
                {stem(part) for part in slot.parts} if named else set()
            )
            if slot.last in ("object", "type", "kind", "resource"):
                found |= set(stems(slot.field.value.replace("_", " ")))
        return frozenset(found)

    def _is_kind(self, low: str) -> bool:
        told = alike(low) | alike(stem(low))
        return bool(told & self.kinds) or (
            is_noun(low) and any(is_noun(each) and same_kind(stem(low), each) for each in self.kinds)
        )

    def _is_deed(self, low: str) -> bool:
        """Tell whether a word tells of something done that is held against no stage, so that a name covers it in no way."""
        claim = self._phrase.claim
        return _DEED.search(low) is not None and not any(
            low == claim.text[each.start : each.end].lower() for each in claim.mentions
        )

    def _facts(self) -> tuple[Held, ...] | None:
        found: list[Held] = []
        for place, fact in enumerate(self._phrase.claim.facts):
            fitting = [held for slot in self.slots if (held := self._of_fact(slot, fact, place)) is not None]
            if fitting:
                found.append(max(fitting, key=lambda held: held.rank))
            elif fact.raw.replace("-", " ").replace(" ", "").isalpha() and fact.kind == "number":
                self._words.add(fact.raw.lower())
                if not any(fact.raw.lower() in (*slot.parts, *slot.words) for slot in self.slots):
                    return None
            else:
                return None
        return tuple(found)

    def _of_fact(self, slot: Slot, fact: Fact, place: int) -> Held | None:
        if fact.kind == "code":
            same = slot.field.value.strip().lower() == fact.value
            bound = self._view.to(self._record).bindings[place]
            led = self._phrase.before(frozenset(), place) & _ROLES
            roles = frozenset(each for each in _PREPOSITIONS if slot.last in words_for(each))
            if not same or bound.state != "match" or (roles and led and not roles & led):
                return None
            return Held(slot, led, 1, place)
        if not any(compare(fact, each) == "equal" for each in slot.facts) and not _is_number_of(fact, slot):
            return None
        if (
            len({_NUMBER.sub(r"\1", each.raw) for each in slot.facts}) > 1
            and not slot.names
            and len(slot.facts) > len(self._phrase.claim.facts)
        ):
            return None
        told = self.licensed(slot, self._phrase.before(frozenset(), place), place)
        if told is None or len(slot.words) < 2:
            return told
        return told._replace(used=told.used | self._lows_of(slot.words))

    def _lows_of(self, words: Iterable[str]) -> frozenset[str]:
        """Give the words of the claim that are among those of a value."""
        same = {form for each in words for form in (each, stem(each))}
        return frozenset(
            each.low for each in self._phrase.words if each.low and (each.low in same or each.stem in same)
        )

    def licensed(self, slot: Slot, before: frozenset[str], place: int = -1) -> Held | None:
        """Give a value where the claim tells by its words or its place of what the record gives it for."""
        said, last = self._phrase.said | self._words, slot.last
        if any(qualifies(part) and part not in said for part in slot.outer) or self._is_one_of_outer(slot):
            return None
        roles = frozenset(each for each in _PREPOSITIONS if last in words_for(each))
        if last in words_for("places"):
            roles |= _INTO
        led = before & (_ROLES | _INTO)
        if roles and led & _ROLES and not roles & led:
            return None
        used = expressed(slot.parts, said)
        if used is not None and slot.parts and not (used <= frozenset(_PREPOSITIONS) and not used & before):
            if last == "assignee" and not led:
                led = frozenset(("to",)) & said  # `Dana is assigned to the ticket`
            done = led & _ROLES if last.endswith("_by") or last in words_for("doers") else led & roles
            used = self._lows_of(used) | done | self._of_form(slot)
            return Held(slot, used, 3 if is_exact(slot.parts, said) else 2, place)
        if roles & led or (roles & {"by"} and self._acts(slot, place)):
            return Held(slot, led & roles, 2, place)
        is_sum = (
            place >= 0 and last in ("amount", "value") and self._phrase.claim.facts[place].kind == "money"
        )
        if slot.names or not slot.parts or is_sum:
            return Held(slot, (led & roles) | self._of_form(slot), 1, place)
        owned = before & {"for", "of"} or "s" in self._phrase.behind(frozenset(slot.words))
        return Held(slot, frozenset(), 1, place) if is_noun(last) and owned else None

    @staticmethod
    def _of_form(slot: Slot) -> frozenset[str]:
        """Give the words that only say of what form a value is."""
        if is_id_name(slot.field.name):
            return _OF_IDS
        if slot.last in ("additions", "deletions", "insertions"):
            return _OF_LINES
        if any(each.unit in ("km/h", "Mbps") for each in slot.facts):
            return _OF_SPEED
        return _OF_DATES if any(each.kind == "date" for each in slot.facts) else frozenset()

    def _acts(self, slot: Slot, place: int) -> bool:
        """Tell whether a claim begins with a value and goes on with what that did: `Ann approved`."""
        words = self._phrase.words
        first = words[0] if words else None
        if first is None or not (first.fact == place if place >= 0 else first.low in slot.words):
            return False
        behind = [each for each in words[1:] if each.low not in slot.words][:1]
        return bool(behind) and behind[0].low.endswith(("ed", "sent", "wrote", "made"))

    def _is_one_of_outer(self, slot: Slot) -> bool:
        """Tell whether several parts of an object have a value of this name and the claim does not tell of which it speaks."""
        value = frozenset(form for each in slot.words for form in (each, stem(each)))
        if not slot.outer or expressed(slot.outer, self._phrase.said - value) is not None:
            return False
        return any(
            each.last == slot.last and each.outer != slot.outer and each.record is slot.record
            for each in self.slots
        )

    def _worded(self, bound: set[int]) -> Iterator[Held]:
        """Give the values that a claim says in words, and those that affirm or deny what their names say."""
        for slot in self.slots:
            if id(slot) in bound and slot.facts:
                continue
            if is_denied_status(self._phrase, slot):
                yield Held(slot, self._lows_of((told_as()["opposites"][slot.words[0]],)), 2)
                continue
            if slot.is_yes or slot.is_no:
                told = self._affirmed(slot)
                if told is not None:
                    yield told
                continue
            told = self._spelled(slot)
            if told is not None:
                yield told

    def _spelled(self, slot: Slot) -> Held | None:
        said, forms = self._phrase.said, words_for("forms")
        is_id = is_id_name(slot.field.name)
        bare = tuple(each for each in slot.words if each not in forms and not (is_id and each.isdigit()))
        bare = bare or slot.words
        held = [each for each in bare if each in said or stem(each) in said]
        whole = len(held) == len(bare)
        if not held or (not whole and not slot.names) or not set(held) - words_for("filling"):
            return None
        if not whole and (len(slot.words) > _NAME or any(len(each) < 3 or each.isdigit() for each in held)):
            return None
        spelled = self._lows_of(held) | (self._phrase.lows & forms)
        before = self._phrase.before(spelled)
        told = self.licensed(slot, before)
        if (
            told is None
            and (slot.is_status or slot.is_sort)
            and all({part, stem(part)} & said or self._is_kind(part) for part in slot.parts[:-1])
        ):
            told = Held(slot, frozenset(), 1)
        return Held(slot, told.used | spelled, told.rank) if told is not None else None

    def _affirmed(self, slot: Slot) -> Held | None:
        if not slot.parts:
            return None
        used = expressed(slot.parts, self._phrase.said)
        if used is not None:
            return Held(slot, self._lows_of(used) | (self._phrase.lows & _SWITCHED), 3)
        opposites = told_as()["opposites"]
        turned = {low: opposites[low] for low in self._phrase.lows if low in opposites}
        said = (
            self._phrase.said | frozenset(turned.values()) | frozenset(stem(each) for each in turned.values())
        )
        used = expressed(slot.parts, said)
        if used is None:
            return None
        return Held(slot, self._lows_of(used) | frozenset(turned), 2)

    def _in_status(self) -> frozenset[str]:
        """Give the words for what was done where the status of the record tells of the same: sent, where it was delivered."""
        claim = self._phrase.claim
        groups = {
            group
            for each in self.slots
            if each.is_status and each.parts
            for group in groups_in(each.field.value)
        }
        return frozenset(
            claim.text[each.start : each.end].lower() for each in claim.mentions if each.group in groups
        )

    def _has_rival(self, each: Held, held: tuple[Held, ...]) -> bool:
        """Tell whether another value of the record is as well told of by the claim's words."""
        if each.fact < 0 or each.slot.names:
            return False
        fact = self._phrase.claim.facts[each.fact]
        taken = {id(one.slot) for one in held}
        for other in self.slots:
            if other.record is not each.slot.record or other is each.slot or not other.parts:
                continue
            if id(other) in taken:
                if _is_nearer(fact, other, each.slot):
                    return True
                continue
            differs = any(
                one.kind == two.kind and compare(fact, two) != "equal"
                for two in other.facts
                for one in each.slot.facts
            )
            if not differs or expressed(other.parts, self._phrase.said) is None:
                continue
            exact = is_exact(other.parts, self._phrase.said)
            if each.rank < 3 or (exact and len(other.parts) >= len(each.slot.parts)):
                return True
        return False

    def _is_done(self, held: tuple[Held, ...]) -> bool:
        """Tell whether what the claim says was done is told by a value, or by the status of the record."""
        stated = [each for each in held if not each.slot.names or each.rank == 3]
        if not stated:
            return False
        told = frozenset().union(*(each.used for each in stated if each.slot.words or each.slot.is_yes))
        statuses = {
            stage
            for slot in self.slots
            if ((slot.is_status and slot.parts and slot.words != ("open",)) or "history" in slot.record.label)
            and (stage := stage_of(slot.record)) is not None
        }
        for mention in self._phrase.claim.mentions:
            low = self._phrase.claim.text[mention.start : mention.end].lower()
            if mention.stage == "ATTEMPTED" and any(low in each.used for each in held if each.slot.names):
                continue  # a booking that is called by its number
            by_value = any(low in each.used and self._tells(each) for each in stated)
            if not by_value and mention.stage not in statuses:
                return False
            if mention.stage == "COMPLETED" and statuses - {"COMPLETED"} and not self._is_said(low, stated):
                return False
        said = cue(self._phrase.claim.text) if not self._phrase.claim.mentions else None
        return said is None or bool(told) or said in statuses

    def _tells(self, held: Held) -> bool:
        slot = held.slot
        if slot.last.endswith("_to") and _IS.search(self._phrase.claim.text):
            return True  # whom something is billed to is no deed
        return (
            slot.is_status
            or slot.is_yes
            or slot.is_no
            or slot.last in ("assignee", "author", "creator")
            or _DONE.search(slot.last) is not None
            or any(each.kind in _NUMERIC for each in slot.facts)
        )

    @staticmethod
    def _is_said(low: str, stated: list[Held]) -> bool:
        return any(
            low in each.used
            and (
                any(one.kind in _NUMERIC for one in each.slot.facts)
                or stem(low) in {stem(word) for word in each.slot.words}
                or each.slot.is_yes
            )
            for each in stated
        )


def _is_nearer(fact: Fact, other: Slot, own: Slot) -> bool:
    """Tell whether a claim names another field right beside a value, and not the one that has it."""
    alike = {each.kind for each in other.facts} & {each.kind for each in own.facts}
    beside = (
        expressed(other.parts, fact.attribute) is not None and expressed(own.parts, fact.attribute) is None
    )
    return bool(alike) and beside


def _is_number_of(fact: Fact, slot: Slot) -> bool:
    """Tell whether a bare number is the whole or the last part of an identifier."""
    value = slot.field.value
    if (
        fact.kind != "number"
        or not fact.raw.isdigit()
        or len(fact.raw) < _LONG_NUMBER
        or not is_id_name(slot.field.name)
    ):
        return False
    return value == fact.raw or value.endswith((f"_{fact.raw}", f"-{fact.raw}"))


_LONG_NUMBER: Final = 4
_NAME: Final = 4
"""Words of a name, of which a claim may say some."""
