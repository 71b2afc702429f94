"""What is asked of a claim once it is judged, so that its view need not be kept.

A view holds some twenty objects, and a large case has thousands of claims: all of them would be looked through whenever
cycles are searched for.
"""

from typing import Final

from msgspec import Struct

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.deed import Deed
from assay402.checks.claims.rules.told import told
from assay402.checks.claims.rules.view import View, as_said, view_of
from assay402.checks.claims.rules.world import World

_NEAREST: Final = 3
_LAST: Final = 4


class Looked(Struct, frozen=True):
    """What is kept of a view; None is what nobody has asked yet."""

    deeds: tuple[Deed, ...] | None
    nearest: tuple[int, ...] | None


def let_go(claim: Claim, world: World) -> None:
    """Forget the views of a claim that is judged, apart from what is asked afterwards."""
    held: View = world.views[claim]
    world.looked[claim] = Looked(
        _deeds(held) if "told" in held.memo else None, _nearest(held) if "near" in held.__dict__ else None
    )
    for each in world.views.values():
        each.let_go()
    world.views.clear()


def last_deeds(claim: Claim, world: World) -> tuple[Deed, ...]:
    """Give the last records of the action that a claim names."""
    looked: Looked | None = world.looked.get(as_said(claim))
    deeds = looked.deeds if looked is not None else None
    return _deeds(view_of(claim, world)) if deeds is None else deeds


def nearest(claim: Claim, world: World) -> tuple[Record, ...]:
    """Give the records nearest to a claim."""
    looked: Looked | None = world.looked.get(as_said(claim))
    orders = looked.nearest if looked is not None else None
    return tuple(
        [world.records[each] for each in (_nearest(view_of(claim, world)) if orders is None else orders)]
    )


def _deeds(view: View) -> tuple[Deed, ...]:
    action = told(view)
    return tuple(action.deeds[-_LAST:]) if action is not None else ()


def _nearest(view: View) -> tuple[int, ...]:
    return tuple([each.record.order for each in view.near[:_NEAREST]])
