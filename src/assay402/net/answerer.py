"""The network's answerer: routes each ask to what answers it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Final

from assay402.core.asks import (
    Answer,
    Answered,
    Answerer,
    Ask,
    At,
    Failed,
    Fetch,
    Fetched,
    Now,
    Pause,
    Paused,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Together,
)
from assay402.core.opinions import Envelope, Enveloped, Judge, Judged
from assay402.envelope import local_envelope
from assay402.net.clock import utc_now

NO_MEMORY: Final = Failed(state="no_memory")
"""The answer to `Recall` and `Remember` where nothing is kept between runs."""


async def at_once(awaited: Sequence[Awaitable[Any]]) -> tuple[Any, ...]:
    """Wait for several things at the same time and give their results in order; one that raises ends them all."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_coroutine(each)) for each in awaited]
    return tuple(task.result() for task in tasks)


async def _coroutine(awaited: Awaitable[Any]) -> Any:  # noqa: ANN401  (whatever is awaited)
    return await awaited


class NetworkAnswerer:
    """Answers asks in earnest: `fetcher` goes to the network, `clock` and `sleep` take the time they take.

    Share one between all runs: its fetcher counts the connections that are open at once. `memory` keeps records
    between runs.
    """

    def __init__(
        self,
        fetcher: Callable[[Fetch], Awaitable[Fetched | Failed]],
        *,
        clock: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        judge: Answerer | None = None,
        memory: Callable[[Recall | Remember], Recalled | Remembered | Failed] | None = None,
    ) -> None:
        self._memory: Final = memory
        self._fetcher: Final = fetcher
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._judge: Final = judge

    async def __call__(self, ask: Ask) -> Answer:
        """Answer one ask; those of a `Together` at the same time, their answers in their order."""
        if isinstance(ask, Recall | Remember):
            # A lock on a file may have to be waited for, which must not hold up the other branches.
            return NO_MEMORY if self._memory is None else await asyncio.to_thread(self._memory, ask)
        if not isinstance(ask, Together):
            return await self._answer(ask)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._answer(one)) for one in ask.asks]
        return Answered(answers=tuple(_simple(task.result()) for task in tasks))

    async def _answer(
        self, ask: Fetch | Now | Pause | Envelope | Judge
    ) -> Fetched | Failed | At | Paused | Enveloped | Judged:
        match ask:
            case Fetch():
                return await self._fetcher(ask)
            case Now():
                return At(moment=self._clock())
            case Pause(milliseconds=milliseconds):
                await self._sleep(milliseconds / 1_000)
                return Paused()
            case Envelope():
                return local_envelope(self._clock())
            case Judge():
                return await self._opinion(ask)

    async def _opinion(self, ask: Judge) -> Failed | Judged:
        answer = None if self._judge is None else await asyncio.to_thread(self._judge, ask)
        return answer if isinstance(answer, Judged | Failed) else Failed(state="unreachable")


def _simple(answer: Fetched | Failed | At | Paused | Enveloped | Judged) -> Fetched | Failed | At | Paused:
    assert not isinstance(answer, Enveloped | Judged)  # noqa: S101  (a `Together` holds no such asks)
    return answer
