"""What the criteria of one request may take together: bounds of counts, so that no clock decides.

One sum bounds the time of a request, whatever the criteria are: each takes from it in its turn, in steps of one price,
and the same on every machine.
"""

from typing import Final

MAX_WORK: Final = 6 << 26
"""Steps that all criteria of a request may take; a step is at most some five nanoseconds of one core."""
SCHEMA_BUDGET: Final = 1 << 14
"""Schemas within all schemas of a request: counting one takes some twenty microseconds."""
PATTERN_BUDGET: Final = 16 << 20
"""Bytes that the compiled patterns of all schemas of a request may take."""


class Work:
    """The steps that the criteria of a request have left."""

    def __init__(self) -> None:
        self.left = MAX_WORK

    def takes(self, steps: int) -> bool:
        """Take steps where they are left; what is beyond takes nothing and is not to be done."""
        if steps > self.left:
            return False
        self.left -= steps
        return True


class Room:
    """What the schemas of a request have room for, whatever is delivered, and what is known of each pattern."""

    def __init__(self) -> None:
        self.left = PATTERN_BUDGET
        self._schemas = SCHEMA_BUDGET
        self.sizes: Final[dict[str, int | None]] = {}
        """The size a pattern fits, or None where the engine refuses it."""

    def takes(self, schemas: int) -> bool:
        """Take the room of so many schemas where it is left."""
        if schemas > self._schemas:
            return False
        self._schemas -= schemas
        return True
