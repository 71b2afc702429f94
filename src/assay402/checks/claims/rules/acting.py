"""The records that tell of an action, the same for every claim of it: found once a case."""

from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.actions import cue, groups_in, same_action, words_of
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.deed import Deed, is_refusal
from assay402.checks.claims.rules.world import World

_REFUSED_WITHIN: Final = 2
"""Lines after the one that names an action in which its bare refusal may stand."""
_LOOKED_AT: Final = 60


class Actions:
    """What the evidence tells of some actions, whoever asks."""

    def __init__(self, world: World, groups: frozenset[str]) -> None:
        self._groups: Final = groups
        records = _of_actions(world, groups)
        told = ((order, self.deed_of(records[order], world)) for order in sorted(records))
        self.deeds: Final = {order: deed for order, deed in told if deed is not None}
        refused = ((order, self.refusals_of(records[order], world)) for order in sorted(records))
        self.refusals: Final = {order: found for order, found in refused if found}

    def deed_of(self, record: Record, world: World) -> Deed | None:
        """Give what a record tells of such an action, of the very action before one that is like it."""
        held: Deed | None = None
        for deed in world.deeds(record):
            if (held is None or (held.group not in self._groups and deed.group in self._groups)) and (
                deed.group == "*" or any(same_action(group, deed.group) for group in self._groups)
            ):
                held = deed
        return held

    def refusals_of(self, record: Record, world: World) -> tuple[tuple[Record, bool], ...]:
        """Give the refusals behind a record that names such an action."""
        following = world.once(("refusals", record.order), lambda: _refusals(world, record))
        if not following or not any(
            same_action(one, each) for one in self._groups for each in groups_in(record.text[:400])
        ):
            return ()
        return following


def _of_actions(world: World, groups: frozenset[str]) -> dict[int, Record]:
    """Give the last records that name an action such as these, and the last that tell one undone or not done."""
    related = {
        group for group in table("actions")["groups"] if any(same_action(one, group) for one in groups)
    }
    found: dict[int, Record] = {}
    for group in sorted(related):
        for word in sorted(words_of(group)):
            for record in world.with_stem(word)[-_LOOKED_AT:]:
                found[record.order] = record
    for word in ("rollback", "roll", "dry", "change", "dsn", "card"):
        for record in world.with_stem(word)[-8:]:
            found[record.order] = record
    return found


def _refusals(world: World, record: Record) -> tuple[tuple[Record, bool], ...]:
    """Give the lines right behind a line that tell a failure and name no action, each with whether it says nothing else."""
    if record.form != "line":
        return ()
    return tuple(
        (each, is_bare)
        for each in world.records[record.order + 1 : record.order + 1 + _REFUSED_WITHIN]
        if each.item is record.item
        and each.form == "line"
        and ((is_bare := is_refusal(each.text)) or cue(each.text[:400]) == "FAILED")
        and not groups_in(each.text) - {"process"}
    )
