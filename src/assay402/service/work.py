"""Where the work of an order is done: in a worker thread where it may take long, so that others are answered meanwhile.

The checks are pure Python, so threads do not make them faster; they keep the event loop free. At most `threads` work
at once, the others wait their turn, and how many may wait is for the face to bound.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from assay402.core.asks import Answer, Ask, AsyncAnswerer, Collecting, Gather, adrive, drive

Result = TypeVar("Result")

LIGHT_BYTES: Final = 8_192
"""A request up to this long is worked on at once: a hop to a thread costs as much as the work."""
LONG: Final = frozenset({"deliverable", "claims"})
"""Checks whose work can take a second; the others take milliseconds, or wait for a network."""


class Work:
    """Runs the parts of an order that take time."""

    def __init__(self, threads: int = 2, light_bytes: int = LIGHT_BYTES) -> None:
        self._pool: Final = ThreadPoolExecutor(threads, thread_name_prefix="work")
        self._light_bytes: Final = light_bytes

    async def call(self, room: str, size: int, do: Callable[[], Result]) -> Result:
        """Do something for a request of a size: at once where it is light, else in a thread."""
        if self._is_light(room, size):
            return do()
        return await asyncio.get_running_loop().run_in_executor(self._pool, do)

    async def run(
        self, room: str, size: int, collecting: Collecting[Result], answerer: AsyncAnswerer, gather: Gather
    ) -> Result:
        """Run a check to its result. Work that is mostly waiting stays here; work that is mostly thinking goes to a thread."""
        if room not in LONG or self._is_light(room, size):
            return await adrive(collecting, answerer, gather)
        loop = asyncio.get_running_loop()

        async def answered(ask: Ask) -> Answer:
            return await answerer(ask)

        def ask_home(ask: Ask) -> Answer:
            return asyncio.run_coroutine_threadsafe(answered(ask), loop).result()

        return await loop.run_in_executor(self._pool, drive, collecting, ask_home)

    def close(self) -> None:
        """Let what is under way end and take nothing new."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _is_light(self, room: str, size: int) -> bool:
        return size <= (self._light_bytes if room in LONG else 8 * self._light_bytes)
