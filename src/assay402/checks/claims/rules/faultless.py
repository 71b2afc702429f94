"""That nothing failed, said without a word of what: it is of the test runs that the evidence reports."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import EvidenceItem
from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.reports import summary_of
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World

_NOTHING_FAILED: Final = Pattern(
    r"\W*(?:there (?:were|are) no (?:failures|errors)|nothing (?:has )?failed|no failures(?: occurred)?|none failed)\W*",
    re.IGNORECASE,
)
_NEWEST: Final = 40
"""The last records of an item, among which the summary of a run stands."""


def is_of_the_run(view: View) -> bool:
    """Tell whether a claim only says that nothing failed, where some item reports a test run and no other one speaks of failing.

    An item of something else, and one that is there twice, change nothing.
    """
    if _NOTHING_FAILED.fullmatch(view.claim.text) is None:
        return False
    world = view.world
    return world.once("faultless", lambda: _is_all_of_runs(world))


def _is_all_of_runs(world: World) -> bool:
    """Tell whether some item reports a test run, and each other one neither names an action nor speaks of failing."""
    reporting = {item.id for item in world.sources if _reports(world, item)}
    others = [item for item in world.sources if item.id not in reporting]
    return bool(reporting) and not any(_may_fail(world, item) for item in others)


def _reports(world: World, item: EvidenceItem) -> bool:
    return any(summary_of(record) is not None for record in world.bearing_of(item)[-_NEWEST:])


def _may_fail(world: World, item: EvidenceItem) -> bool:
    """Tell whether an item tells of something that can have failed; of a long one, that is assumed."""
    records = world.bearing_of(item)
    return len(records) > _MOST or any(
        groups_in(record.searched[:_READ]) or record.own_stems & _failing() for record in records
    )


@cache
def _failing() -> frozenset[str]:
    return frozenset(stem(word) for word in table("predicates")["failing"])


_MOST: Final = 400
_READ: Final = 400
