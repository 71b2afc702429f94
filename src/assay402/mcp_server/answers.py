"""The answers of this process that were given under an idempotency key: the same key gives the same bytes again."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct

MOST: Final = 1_024
"""Answers kept at once; the oldest goes first."""
MOST_BYTES: Final = 64 << 20


class Kept(Struct, frozen=True, kw_only=True):
    """An answer, and what it answers."""

    request_sha256: str
    body: bytes


class Answers:
    """Keeps answers in memory by operation and key, as many as there is room for. Never a request."""

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most: Final = most
        self._most_bytes: Final = most_bytes
        self._kept: Final[OrderedDict[str, Kept]] = OrderedDict()
        self._bytes = 0
        self._turns: Final[dict[str, tuple[asyncio.Lock, int]]] = {}

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Hold a key, so that two calls under it at once do the work once."""
        lock, waiting = self._turns.get(key, (asyncio.Lock(), 0))
        self._turns[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            _, waiting = self._turns[key]
            if waiting == 1:
                del self._turns[key]
            else:
                self._turns[key] = (lock, waiting - 1)

    def find(self, key: str) -> Kept | None:
        """Give what was answered under a key."""
        return self._kept.get(key)

    def keep(self, key: str, kept: Kept) -> None:
        """Keep an answer; older ones make room."""
        self._kept[key] = kept
        self._bytes += len(kept.body)
        while self._kept and (len(self._kept) > self._most or self._bytes > self._most_bytes):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest.body)
