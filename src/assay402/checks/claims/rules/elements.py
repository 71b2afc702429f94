"""The elements of one list: how many there are of a sort, which they are, and how all or some of them stand."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.enumerated import items_of
from assay402.checks.claims.rules.fielded import slots_of
from assay402.checks.claims.rules.phrase import alike, words_for
from assay402.checks.claims.rules.portions import N, number
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_ID: Final = "claims/elements-tell"
_MOST: Final = 400
_CITED: Final = 8
_STANDING: Final = re.compile(
    rf"^\W*(?:(?P<both>both)(?:\s(?:of\s)?(?:the|your|our))?|all(?:\s(?:of\s)?(?:the|your|our|these))?(?:\s(?P<count>{N}))?"
    rf"|(?P<part>{N})(?:\sof\s(?:the|your|our|these)\s(?P<whole>{N}))?)\s(?P<noun>[a-z]+)\s"
    r"(?:is|are|was|were|has\sbeen|have\sbeen)\s(?:now\s|currently\s|in\s)?(?P<rest>[a-z][a-z_ -]{1,40}?)\W*$",
    re.IGNORECASE,
)
_MEMBERS: Final = re.compile(
    r"^\W*(?P<head>[^,.;:]{3,60}?)\s(?:(?P<part>contains?|includes?|has|have|lists?|comes with)|consists? of|are|is)\s(?P<rest>[^.;:]{3,300}?)\W*$"
)


@rule(_ID, since="0.1", spec="section 5.5 and section 7, R07 and R19")
def elements_tell(view: View) -> Finding | None:
    """Support what is said of all or some elements of one list of the evidence, or which they are.

    ## What it reports
    SUPPORTED where a JSON array or a table of the things the claim counts has so many elements and so many of them
    have the claimed status or sort (`both flights are available`, `one of the two orders is paid`), or where each
    of the named things is an element (`the order contains a lamp and a desk`); where the claim says that they are
    the elements, there must be no others. CONTRADICTED with COUNTEREXAMPLE where each element of the only list, or each of
    some lines of one form, says how it stands, and not as many stand so.

    ## Why it matters
    No single record says how several stand.

    ## How to fix it
    Nothing needs fixing.
    """
    claim = view.claim
    if claim.form not in ("clause", "fragment") or claim.negative or claim.modality != "is":
        return None
    standing = _STANDING.match(claim.text)
    if standing is not None:
        return _standing(view, standing)
    members = _MEMBERS.match(claim.text) if " and " in claim.text or "," in claim.text else None
    return _members(view, members) if members is not None else None


def _found(records: list[Record], note: str) -> Finding:
    return Finding(
        support="SUPPORTED", rule=_ID, refs=tuple(each.ref for each in records[:_CITED]), note=note
    )


def _standing(view: View, match: re.Match[str]) -> Finding | None:
    told = match["whole"] or match["count"]
    whole = 2 if match["both"] else number(told) if told else None
    words = frozenset(map(stem, match["rest"].lower().replace("_", " ").split()))
    for elements in elements_of(view.world, stem(match["noun"])):
        standing = [each for each in elements if stands(each, words, view.world)]
        wanted = number(match["part"]) if match["part"] else len(elements)
        if whole in (None, len(elements)) and len(standing) == wanted and elements:
            return _found(elements, f"{len(standing)} of {len(elements)} stand so")
    return _standing_otherwise(view, match, whole)


def _standing_otherwise(view: View, match: re.Match[str], whole: int | None) -> Finding | None:
    """Contradict how many of the elements of the only list of a thing stand so, where each says how it stands."""
    state = match["rest"].lower()
    excluded = frozenset(table("states").get(state, ()))
    if not excluded or (match["part"] and whole is None):
        return None
    noun = stem(match["noun"])
    found = [[(each, _state_of(each, view.world)) for each in one] for one in elements_of(view.world, noun)]
    found = [each for each in (*found, _lines_of(view.world, noun)) if each]
    if len(found) != 1 or len(found[0]) < _SEVERAL or whole not in (None, len(found[0])):
        return None
    told = found[0]
    standing = [each for each, stands_as in told if stands_as == state]
    others = [each for each, stands_as in told if stands_as in excluded]
    wanted = number(match["part"]) if match["part"] else len(told)
    if len(standing) + len(others) < len(told) or len(standing) == wanted:
        return None
    return Finding(
        support="CONTRADICTED",
        rule=_ID,
        refs=tuple(each.ref for each in (others or standing)[:_CITED]),
        code="COUNTEREXAMPLE",
        note=f"{len(standing)} of {len(told)} stand so",
    )


_SEVERAL: Final = 2
_LINE: Final = re.compile(
    r"(?P<kind>[A-Za-z]+)[ =:]\s?(?P<name>[\w.-]+):?\s(?:is\s|status[=:]\s?|state[=:]\s?)?(?P<state>[a-z]+)\W*"
)


def _lines_of(world: World, noun: str) -> list[tuple[Record, str]]:
    """Give the lines that each say how one thing of a kind stands, none told of twice."""
    return world.once(("standing lines", noun), lambda: _read_lines(world, noun))


def _read_lines(world: World, noun: str) -> list[tuple[Record, str]]:
    found: list[tuple[Record, str]] = []
    names: set[str] = set()
    for record in world.with_stem(noun)[:_MOST]:
        match = _LINE.fullmatch(record.text) if record.form == "line" and len(record.text) < _SHORT else None
        if match is None or stem(match["kind"].lower()) != noun:
            continue
        if match["name"] in names:
            return []  # which is the newer one others tell
        names.add(match["name"])
        found.append((record, match["state"]))
    return found


_SHORT: Final = 80


def _state_of(element: Record, world: World) -> str:
    """Give how an element says that it stands, in lower case: the first word of its only status."""
    told = [
        each for each in slots_of(element, world) if each.record is element and each.is_status and each.parts
    ]
    return told[0].words[0] if len(told) == 1 and told[0].words else ""


def stands(element: Record, words: frozenset[str], world: World) -> bool:
    """Tell whether an element has a status or a sort of these words, or affirms what they name."""
    for slot in slots_of(element, world):
        if slot.record is not element or not slot.parts:
            continue
        said = frozenset(stem(each) for each in slot.words)
        if said == words and (slot.is_status or slot.is_sort or slot.last in words_for("places")):
            return True
        if slot.is_yes and frozenset(stem(each) for each in slot.parts) == words:
            return True
    return False


def _members(view: View, match: re.Match[str]) -> Finding | None:
    """Find the list whose elements are what a claim names."""
    listed = next((each for each in items_of(f"{match['rest']}.") if len(each) > 1), ())
    head = [each for each in stems(match["head"].replace("_", " ")) if each not in words_for("filling")]
    named = frozenset(stem(each) for each in match["rest"].lower().replace(",", " ").split()) - _JOINING
    if not listed or not head or named - {word for each in listed for word in stems(each)} - _JOINING:
        return None
    for elements in _named_lists(view, match["rest"]):
        names = {_called(each, view.world) for each in elements}
        above = [one for each in elements[:1] for one in (each, *each.above)]
        kinds = frozenset(
            word for one in above for word in stems(f"{one.label} {_ids(one)}".replace("_", " "))
        )
        if not frozenset(head) <= frozenset(word for each in kinds for word in alike(each)):
            continue
        if frozenset(listed) <= names and (match["part"] or len(names) == len(listed)):
            return _found(elements, "each of them is an element")
    return None


_JOINING: Final = frozenset(("", "a", "an", "the", "and", "or", "your", "one"))


def _ids(record: Record) -> str:
    return " ".join(each.name for each in record.fields[:3] if each.name.endswith("_id"))


def _called(element: Record, world: World) -> str:
    """Give what an element is called, in lower case: its name, or its first and last name."""
    held = {
        slot.last: slot.field.value.lower()
        for slot in slots_of(element, world)
        if slot.record is element and slot.last in words_for("names")
    }
    first, last = held.get("first_name", ""), held.get("last_name", "")
    return f"{first} {last}" if first and last else next(iter(held.values()), "")


def _named_lists(view: View, text: str) -> list[list[Record]]:
    """Give the lists of which an element has the words of a text."""
    first = next(iter(sorted(stems(text), key=lambda word: (len(view.world.with_stem(word)), word))), "")
    found = {_key(each): each for each in view.world.with_stem(first)[:_LOOKED_AT] if is_element(each)}
    return [array_of(each, view.world) for each in found.values()]


_LOOKED_AT: Final = 60


def is_element(record: Record) -> bool:
    """Tell whether a record is an element of a JSON array."""
    return record.form == "json" and record.pointer.rpartition("/")[2].isdigit()


def _key(record: Record) -> tuple[str, int, str]:
    return record.item.id, record.line, record.pointer.rpartition("/")[0]


def array_of(record: Record, world: World) -> list[Record]:
    """Give the elements of the array in which a record stands."""
    return world.once("arrays by place", lambda: _by_place(world)).get(_key(record), [])


def _by_place(world: World) -> dict[tuple[str, int, str], list[Record]]:
    found: dict[tuple[str, int, str], list[Record]] = {}
    for each in world.bearing:
        if is_element(each):
            found.setdefault(_key(each), []).append(each)
    return found


def elements_of(world: World, noun: str) -> list[list[Record]]:
    """Give the arrays and tables of things of a kind, by the stem of its noun."""
    return world.once(("elements", noun), lambda: _elements_of(world, noun))


def _elements_of(world: World, noun: str) -> list[list[Record]]:
    found: dict[object, list[Record]] = {}
    for word in sorted(alike(noun)):
        for record in world.with_stem(word)[:_MOST]:
            if is_element(record) and _is_named(record, word):
                found.setdefault(_key(record), array_of(record, world))
            elif (
                record.form == "row"
                and record.fields
                and word in stems(f"{record.label} {record.fields[0].name}")
            ):
                key = (record.item.id, tuple(each.name for each in record.fields))
                if key not in found:
                    found[key] = [
                        each
                        for each in world.bearing_of(record.item)
                        if each.form == "row" and tuple(one.name for one in each.fields) == key[1]
                    ]
    return list(found.values())


def _is_named(record: Record, word: str) -> bool:
    """Tell whether the array of an element, or what its elements are known by, is named by a word."""
    array = record.pointer.rpartition("/")[0].rpartition("/")[2]
    named = array or f"{record.label} {record.fields[0].name if record.fields else ''}"
    return word in stems(named.replace("_", " "))
