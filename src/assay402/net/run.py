"""Running a generator in earnest, and keeping what it asked."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from assay402.core.asks import (
    Collecting,
    Exchange,
    Failed,
    Fetch,
    Fetched,
    Recall,
    Recalled,
    Recorder,
    Remember,
    Remembered,
    adrive,
)
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.clock import utc_now

Result = TypeVar("Result")


class Outside(Struct, frozen=True, kw_only=True):
    """What a run reaches the world through; each may be replaced."""

    fetcher: Callable[[Fetch], Awaitable[Fetched | Failed]]
    memory: Callable[[Recall | Remember], Recalled | Remembered | Failed] | None = None
    clock: Callable[[], datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def run(collecting: Collecting[Result], outside: Outside) -> tuple[Result, tuple[Exchange, ...]]:
    """Run a generator to its result, what it asks side by side at the same time, and give every exchange."""
    answerer = NetworkAnswerer(
        outside.fetcher, clock=outside.clock, sleep=outside.sleep, memory=outside.memory
    )
    recorder = Recorder(answerer)
    result = await adrive(collecting, recorder, at_once)
    return result, tuple(recorder.exchanges)
