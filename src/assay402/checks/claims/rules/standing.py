"""Which of two versions of a document holds: what it says it replaces, then its date, then its number; a draft never."""

import re
from typing import Final

from msgspec import Struct

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.facts import facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.view import Near, View
from assay402.checks.claims.rules.world import World

_HEAD: Final = 400
"""Characters at the beginning of an item in which it says which version it is."""
_VERSION: Final = Pattern(
    r"\b(?:v\.?\s?|version\s|rev(?:ision)?\.?\s)([0-9]{1,4}(?:\.[0-9]{1,4}){0,2})\b", re.IGNORECASE
)
_EFFECTIVE: Final = Pattern(
    r"\b(?:effective(?:[ _]date)?|in force|in effect|valid|applies|applicable)(?:\s(?:from|as of|as from|since|on))?[\s:=]{1,3}",
    re.IGNORECASE,
)
_REPLACES: Final = Pattern(r"\b(?:supersed(?:es|ing)|replac(?:es|ing))\b[^.;:\n]{0,60}", re.IGNORECASE)
_REPLACED: Final = Pattern(r"\b(?:superseded|replaced) by\b[^.;:\n]{0,60}", re.IGNORECASE)
_EARLIER: Final = Pattern(r"\b(?:all|any|the|every)?\s?(?:previous|earlier|prior|older)\b", re.IGNORECASE)
_NOT_IN_FORCE: Final = Pattern(
    r"\b(?:draft|proposed|proposal|withdrawn|repealed|deprecated|obsolete|archived|superseded(?!\sby)|no longer in (?:force|effect)|not (?:yet )?in (?:force|effect))\b",
    re.IGNORECASE,
)


_PLAIN: Final = frozenset(
    stem(word) for word in ("source", "item", "document", "page", "file", "record", "evidence", "effective", "version", "force", "draft")
)  # fmt: skip
"""Words that stand in the titles of documents of all kinds."""


class Standing(Struct, frozen=True):
    """What an item says of the version it is."""

    title: frozenset[str]
    version: tuple[int, ...]
    effective: str
    replaces: str
    replaced: str
    void: bool


def holds(view: View, one: Near, two: Near) -> Near | None:
    """Give which of two records of different items is of the version in force; None where they do not say, or the claim names one."""
    first, second = _of(one.record, view.world), _of(two.record, view.world)
    newest = _newest(view.world)
    names_one = _NOT_IN_FORCE.search(view.claim.text) is not None
    if not names_one and _governs(second, first, newest):
        return two
    return one if not names_one and _governs(first, second, newest) else None


def out_of_force(view: View, wrong: Near, right: Near) -> Finding:
    """Contradict a value that only a version gives which is not in force."""
    return Finding(
        support="CONTRADICTED",
        rule="claims/value-conflict",
        refs=(wrong.record.ref, right.record.ref),
        code="STALE_AUTHORITY",
        note="the record that gives the claimed value is not the version in force",
        missing=("CURRENT_AUTHORITY", f"The version in force of what {view.claim.id} tells."),
    )


def _newest(world: World) -> str:
    newest = world.newest
    return newest.moment[:10] if newest is not None else ""


def _of(record: Record, world: World) -> Standing:
    return world.once(("standing", record.item.id), lambda: _read(record))


def _read(record: Record) -> Standing:
    item = record.item
    text = f"{item.source_label}\n{item.text[:_HEAD]}"
    found = _EFFECTIVE.search(text)
    dates = facts(text[found.end() : found.end() + 40]) if found is not None else ()
    effective = next(
        (each.value[:10] for each in dates if each.kind == "date" and "?" not in each.value[:4]), ""
    )
    replaces, replaced = _REPLACES.search(text), _REPLACED.search(text)
    version = _VERSION.search(_REPLACED.sub(" ", _REPLACES.sub(" ", text)))
    head = re.split(r"[:\n]|\.\s", item.text[:_HEAD], maxsplit=1)[0]
    return Standing(
        title=frozenset(stems(f"{item.source_label} {head}")) - _PLAIN,
        version=tuple(int(part) for part in version[1].split(".")) if version is not None else (),
        effective=effective,
        replaces=replaces[0] if replaces is not None else "",
        replaced=replaced[0] if replaced is not None else "",
        void=_NOT_IN_FORCE.search(f"{item.source_label}\n{head}") is not None,
    )


def _governs(one: Standing, two: Standing, newest: str) -> bool:
    """Tell whether one version holds rather than another, as far as they say so."""
    if _is_meant(one.replaces, two) or _is_meant(two.replaced, one):
        return True
    if _is_meant(two.replaces, one) or _is_meant(one.replaced, two):
        return False
    if one.void != two.void:
        return two.void
    if not one.title & two.title:
        return False
    if one.effective and two.effective and one.effective != two.effective:
        later = one.effective > two.effective
        begun = not newest or max(one.effective, two.effective) <= newest
        return later == begun
    return bool(two.version) and one.version > two.version


def _is_meant(said: str, other: Standing) -> bool:
    """Tell whether the words behind `supersedes` name a version."""
    if not said:
        return False
    named = _VERSION.search(said)
    if named is not None:
        return tuple(int(part) for part in named[1].split(".")) == other.version
    return _EARLIER.search(said) is not None or (bool(other.effective) and other.effective[:4] in said)
