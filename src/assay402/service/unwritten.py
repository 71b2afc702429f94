"""Settlements that the store could not take yet, and when to offer them to it again. In memory alone.

What a process takes with it when it dies is found on the chain where a node is named, and else is the operator's.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from assay402.service.ports import Settled

MOST: Final = 1_024
"""Held at a time; the oldest go first."""
LONGEST_PAUSE: Final = 60
"""Seconds between two tries at most; the first comes after one, and each pause is twice the one before."""
_NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC)


class Held(Struct, frozen=True, kw_only=True):
    """Money that moved and is not written down."""

    key: str
    fence: int
    payer: str
    settled: Settled
    tries: int = 0
    next_at: datetime = _NEVER


class Unwritten:
    """Holds settlements by the key of their payment."""

    def __init__(self) -> None:
        self._held: Final[dict[str, Held]] = {}

    def hold(self, held: Held) -> None:
        """Hold a settlement, before anything else is done about it."""
        self._held.pop(held.key, None)
        while len(self._held) >= MOST:
            self._held.pop(next(iter(self._held)))
        self._held[held.key] = held

    def put_off(self, key: str, now: datetime) -> None:
        """Say that the store could not take it now."""
        held = self._held.get(key)
        if held is not None:
            pause = timedelta(seconds=min(2**held.tries, LONGEST_PAUSE))
            self._held[key] = replace(held, tries=held.tries + 1, next_at=now + pause)

    def give_up(self, key: str) -> None:
        """Say that somebody else has its payment by now: it is known still, and not offered again."""
        held = self._held.get(key)
        if held is not None:
            self._held[key] = replace(held, next_at=_NEVER)

    def forget(self, key: str) -> None:
        """Let go of what is written, or is not so."""
        self._held.pop(key, None)

    def settled(self, key: str) -> Settled | None:
        """Give what is known of a payment."""
        held = self._held.get(key)
        return None if held is None else held.settled

    def due(self, now: datetime, key: str | None = None) -> tuple[Held, ...]:
        """Give those, or that of a key, which the store is to be offered again by now."""
        found = self._held.values() if key is None else [self._held[key]] if key in self._held else []
        return tuple(held for held in found if held.next_at <= now)
