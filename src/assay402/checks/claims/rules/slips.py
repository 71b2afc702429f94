"""Identifiers miscopied by a character."""

from typing import Final

from assay402.checks.claims.rules.compare import gaps, near_miss
from assay402.checks.claims.rules.world import World

_NAMED: Final = 400
"""Records in which an identifier is looked for that may be miscopied."""


def is_slip(world: World, identifier: str) -> bool:
    """Tell whether exactly one identifier of the evidence differs in a single character."""
    by_gap = world.once(("gaps", len(identifier)), lambda: _by_gap(world, len(identifier)))
    alike: set[str] = set()
    for gap in gaps(identifier):
        for each in by_gap.get(gap, ()):
            if near_miss(identifier, each):
                alike.add(each)
                if len(alike) > 1:
                    return False
    return len(alike) == 1


def _by_gap(world: World, length: int) -> dict[int, set[str]]:
    """Give the identifiers of a length by what each is without one of its characters."""
    found: dict[int, set[str]] = {}
    for record in world.bearing[:_NAMED]:
        for each in record.ids:
            if len(each) == length:
                for gap in gaps(each):
                    found.setdefault(gap, set()).add(each)
    return found
