"""What the criteria of one request may take together: bounds of counts, so that no clock decides.

One sum bounds the time of a request, whatever the criteria are: each takes from it in its turn, in steps of one price,
and the same on every machine.
"""

from typing import Final

from assay402.checks.deliverable.automaton import Places

MAX_WORK: Final = 6 << 26
"""Steps that all criteria of a request may take; a step is at most some five nanoseconds of one core."""
MAX_COUNTING: Final = 1 << 25
"""Steps that counting violations may take besides; where it would take more, their number is left out."""
MAX_PAIRS: Final = 3 << 18
"""Pairs of schema and value that may be met to count the work of schemas exactly."""
EXACT_ABOVE: Final = MAX_WORK >> 4
"""Steps of one criterion above which they are counted exactly."""
SCHEMA_BUDGET: Final = 1 << 14
"""Schemas within all schemas of a request: counting one takes some twenty microseconds."""
CONSTANT_BUDGET: Final = 1 << 24
"""Steps that comparing each long number of all schemas of a request once may take: their meta-schemas do."""
PATTERN_BUDGET: Final = 48 << 20
"""Bytes that the compiled patterns of all schemas of a request may take."""


class Pairs:
    """The pairs of schema and value that the exact counts of a request may still meet."""

    def __init__(self, left: int) -> None:
        self.left = left


class Work:
    """The steps that the criteria of a request have left."""

    def __init__(self) -> None:
        self.left = MAX_WORK
        self.pairs: Final = Pairs(MAX_PAIRS)
        self._counting = MAX_COUNTING

    def takes(self, steps: int) -> bool:
        """Take steps where they are left; what is beyond takes nothing and is not to be done."""
        if steps > self.left:
            return False
        self.left -= steps
        return True

    def counts(self, steps: int) -> bool:
        """Take steps for counting violations, which nothing else is taken from."""
        if steps > self._counting:
            return False
        self._counting -= steps
        return True


class Room:
    """What the schemas of a request have room for, whatever is delivered, and what is known of each pattern."""

    def __init__(self) -> None:
        self.left = PATTERN_BUDGET
        self.schemas = SCHEMA_BUDGET
        self.constants = CONSTANT_BUDGET
        self.sizes: Final[dict[str, int | None]] = {}
        """The size a pattern fits, or None where the engine refuses it."""
        self.places: Final = Places()

    def takes(self, schemas: int) -> bool:
        """Take the room of so many schemas where it is left."""
        if schemas > self.schemas:
            return False
        self.schemas -= schemas
        return True
