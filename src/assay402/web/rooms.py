"""How many orders of a check may be under way or wait: beyond it, 503 at once instead of a queue without an end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from assay402.service.telemetry import ROOMS, Telemetry


class Full(Exception):
    """As many orders of the check are under way as may be."""


class Rooms:
    """Counts the orders of each check in one process."""

    def __init__(self, most: int, telemetry: Telemetry) -> None:
        self._most: Final = most
        self._telemetry: Final = telemetry
        self._inside: Final = dict.fromkeys(ROOMS, 0)

    @property
    def inside(self) -> int:
        """How many orders are under way."""
        return sum(self._inside.values())

    @contextmanager
    def place(self, room: str) -> Iterator[None]:
        """Hold a place in a room. Raises `Full` where there is none."""
        if self._inside[room] >= self._most:
            self._telemetry.refused(room)
            raise Full
        self._inside[room] += 1
        self._telemetry.under_way(room, 1)
        try:
            yield
        finally:
            self._inside[room] -= 1
            self._telemetry.under_way(room, -1)
