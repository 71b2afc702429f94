"""Telling the caller of a tool that its work goes on. Whoever answers the asks of a run tells; whoever called listens."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final, TypeAlias

from assay402.core.asks import Answer, Ask, AsyncAnswerer

Listener: TypeAlias = Callable[[], Awaitable[None]]

LISTENER: Final[ContextVar[Listener | None]] = ContextVar("listener", default=None)
"""Who listens to the run under way; tasks started for it inherit it."""


def telling(answerer: AsyncAnswerer) -> AsyncAnswerer:
    """Give an answerer that tells the listener of each answer, and is otherwise the one it was made of."""

    async def told(ask: Ask) -> Answer:
        answer = await answerer(ask)
        listener = LISTENER.get()
        if listener is not None:
            await listener()
        return answer

    return told
