"""What the criteria of one request may take together: bounds of counts, so that no clock decides.

A criterion alone is bounded by the limits of its check. Sixty-four of them would still add up, so each also takes
its share of what the request has; in the order of the criteria, and the same on every machine.
"""

from typing import Final

REQUEST_SHARES: Final = 2
"""How many criteria that each take all they may a request has room for."""
PATTERN_BUDGET: Final = 16 << 20
"""Bytes that the compiled patterns of all schemas of a request may take."""
_SHARE: Final = 1 << 24


class Work:
    """The steps that the criteria of a request have left."""

    def __init__(self) -> None:
        self._left = REQUEST_SHARES * _SHARE

    def left(self, limit: int) -> int:
        """Give the steps a criterion may take whose check is bounded by `limit`."""
        return min(limit, self._left * limit // _SHARE)

    def takes(self, steps: int, limit: int) -> bool:
        """Take steps where they are left; what is beyond takes nothing and is not to be done."""
        if steps > self.left(limit):
            return False
        self._left -= -(-steps * _SHARE // limit)
        return True


class Patterns:
    """The compiled patterns that the schemas of a request have room for, and what is known of each."""

    def __init__(self) -> None:
        self.left = PATTERN_BUDGET
        self.sizes: Final[dict[str, int | None]] = {}
        """The size a pattern fits, or None where the engine refuses it."""
