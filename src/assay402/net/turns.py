"""Whose turn it is to connect: so many fetches at once, and so far apart to one address."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, TypeAlias

AT_ONCE: Final = 64
"""Connections open at one time."""
_REMEMBERED: Final = 1_024
"""Addresses kept before those whose time has passed are forgotten."""

Turn: TypeAlias = Callable[[str], AbstractAsyncContextManager[None]]
"""Lets a fetch in when it may connect to an address; it holds its place until it leaves."""


class Turns:
    """Holds fetches back, in memory and for this process: nobody may aim it at an address as a reflector.

    `apart_ms` is the least time between two connections to one address; 0 does not space them. One that is early
    waits, it is not refused: what we hold back says nothing about the server, so there is no state for it.
    It waits before it takes one of the `at_once` places, so a crowded address keeps no place from the others.
    """

    def __init__(
        self,
        *,
        at_once: int = AT_ONCE,
        apart_ms: int = 0,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._places: Final = asyncio.Semaphore(at_once)
        self._apart: Final = apart_ms / 1_000
        self._monotonic: Final = monotonic
        self._sleep: Final = sleep
        self._free_from: dict[str, float] = {}

    @asynccontextmanager
    async def __call__(self, address: str) -> AsyncGenerator[None]:
        """Wait for the turn of a connection to this address, and hold a place meanwhile."""
        wait = self._next_turn(address)
        if wait > 0:
            await self._sleep(wait)
        async with self._places:
            yield

    def _next_turn(self, address: str) -> float:
        now = self._monotonic()
        if len(self._free_from) >= _REMEMBERED:
            self._free_from = {kept: free for kept, free in self._free_from.items() if free > now}
        turn = max(self._free_from.get(address, now), now)
        self._free_from[address] = turn + self._apart
        return turn - now
