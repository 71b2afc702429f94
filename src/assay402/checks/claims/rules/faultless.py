"""That nothing failed, said without a word of what: it is of the test runs that the evidence reports."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import EvidenceItem
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
    reporting = world.once("reporting", lambda: frozenset(_reporting(world)))
    return bool(reporting) and world.once("failing", lambda: _failing(world)) <= reporting


def _reporting(world: World) -> list[str]:
    """Give the items that report a test run."""
    return [item.id for item in world.sources if _reports(world, item)]


def _reports(world: World, item: EvidenceItem) -> bool:
    return any(summary_of(record) is not None for record in world.bearing_of(item)[-_NEWEST:])


def _failing(world: World) -> frozenset[str]:
    """Give the items in which a word for failing stands."""
    return frozenset(
        record.item.id
        for word in table("predicates")["failing"]
        for record in world.with_stem(stem(word))
        if record.item.claim_bearing and record.item.id not in world.duplicates
    )
