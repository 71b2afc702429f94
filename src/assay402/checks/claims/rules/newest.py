"""The newest record decides: what a later record undid is no longer so."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.act import Act
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.supports import Supported, denied
from assay402.checks.claims.rules.view import report_words
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_ID: Final = "claims/newer-record"
_UNDOING: Final = Pattern(
    r"\b(?:(?:un|re)?(?:cancel\w*|delet\w*|remov\w*|revok\w*|revert\w*|revers\w*|unappl\w*|undo\w*|undone|uninstall\w*|withdr\w*|void\w*|reopen\w*|terminat\w*|destroy\w*|expired|drop(?:ped|ping)|rescind\w*|returned)|roll(?:ed|ing)?[ -]?back)\b",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 40
_ENDED: Final = Pattern(r"\brevo[ck]|\bexpired", re.IGNORECASE)


def subject_words(record: Record) -> frozenset[str]:
    """Give the words of a record that say what it is about: neither its time nor how far it went."""
    text = record.text[:300]
    for fact in reversed(
        [each for each in record.facts if each.start >= 0 and each.kind in ("date", "time")]
    ):
        text = f"{text[: fact.start]} {text[fact.end :]}"
    if record.moment:
        text = text.replace(record.moment, " ").replace(record.moment.replace(" ", "T"), " ")
    return frozenset(stems(_UNDOING.sub(" ", text).replace("_", " "))) - report_words() - _plain_words()


@cache
def _plain_words() -> frozenset[str]:
    told = (word for words in table("stages").values() for word in words)
    return frozenset(stem(word) for word in (*told, "status", "state", "z", "info", "warn", "up", "down"))


@rule(_ID, since="0.1", spec="section 3.2, section 5.7 and section 7, R13")
def newer_record(supported: Supported) -> Finding | None:
    """Take back a support where a later record of the same thing says that it was undone or failed.

    ## What it reports
    CONTRADICTED with STAGE_REVERSED where a later record of the same identifier, or of the same words, cancels,
    reverses, deletes or reverts what was done, with STALE_AUTHORITY where it revokes a grant, with STATUS_CONFLICT
    where it says that what is claimed to run has failed. Later is told by times, or by the lines of one log.

    ## Why it matters
    A booking that was confirmed and then cancelled is no booking.

    ## How to fix it
    Say what the newest record says.
    """
    claim = supported.claim
    if (
        supported.rule
        not in ("action-recorded", "all-facts-bound", "stated-verbatim", "authority", "fields-state")
        or claim.negative
    ):
        return None
    if _UNDOING.search(claim.text):
        return None
    for near in supported.nears:
        if near.record.form != "json" and _ENDED.search(near.record.text) and not near.record.is_prose:
            return denied(supported, _ID, near.record, "STALE_AUTHORITY", "the newest record takes it back")
        if near.record.form == "json" or _UNDOING.search(near.record.text):
            continue
        for record in _candidates(supported, near.record):
            found = _undone(supported, near.record, record)
            if found is not None:
                return found
    return None


def _candidates(supported: Supported, record: Record) -> list[Record]:
    world = supported.view.world
    found = {near.record.order: near.record for near in supported.view.near if _takes_back(near.record)}
    for word in record.own_stems:
        found.update(world.once(("taking back", word), lambda word=word: _taking_back(world, word)))  # type: ignore[misc]  # (a default)
    return [found[order] for order in sorted(found) if is_later(found[order], record)]


def _taking_back(world: World, word: str) -> dict[int, Record]:
    """Give the last records with a word, as far as they may say that something is no longer so."""
    return {each.order: each for each in world.with_stem(word)[-_LOOKED_AT:] if _takes_back(each)}


def _takes_back(record: Record) -> bool:
    return record.form != "json" and (_undoes(record) or stage_of(record) == "FAILED")


def _undone(supported: Supported, record: Record, later: Record) -> Finding | None:
    undoing, claim = _undoes(later), supported.claim
    failed = stage_of(later) == "FAILED" and (
        "running" in claim.text or "active" in claim.text or Act(claim).stage == "COMPLETED"
    )
    if not (undoing or failed) or not _of_the_same(record, later, failed=failed and not undoing):
        return None
    if _ENDED.search(later.text):
        return denied(supported, _ID, later, "STALE_AUTHORITY", "a later record takes it back")
    code = "STAGE_REVERSED" if undoing else "STATUS_CONFLICT"
    return denied(supported, _ID, later, code, "a later record says that it is no longer so")


def _undoes(record: Record) -> bool:
    if "undoes" not in record.memo:
        record.memo["undoes"] = _UNDOING.search(record.text[:300]) is not None
    found: bool = record.memo["undoes"]
    return found


def _of_the_same(record: Record, later: Record, *, failed: bool) -> bool:
    same_ids = record.ids & later.ids
    if record.ids and later.ids and not same_ids:
        return False
    groups = groups_in(_UNDOING.sub(" ", later.text[:300]))
    if same_ids:
        return groups <= groups_in(record.text[:300]) | {"cancel", "rollback", "delete", "access"}
    one, other = subject_words(record), subject_words(later)
    verbs = {each for each in one ^ other if groups_in(each)}
    return bool(one & other - verbs) and one - verbs == other - verbs and not (failed and verbs)
