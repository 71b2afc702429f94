"""Takes orders where nobody pays: the person's own machine. The work is done here and now, and nothing is stored."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, TypeAlias

from assay402.core.asks import AsyncAnswerer, adrive
from assay402.mcp_server.answers import Answers, Kept
from assay402.mcp_server.jobs import NeedsNetwork, Online, admit, failure_of, finish, job_of, work
from assay402.mcp_server.processes import SHORT_BYTES, Workers
from assay402.mcp_server.progress import telling
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.clock import utc_now
from assay402.net.http import Fetcher
from assay402.service.identifiers import request_sha256
from assay402.service.order import Declined, Delivered, Order, Outcome

CALLS: Final = 256
"""Calls under way or waiting. Each may hold its request, so they are bounded together with its length."""

Take: TypeAlias = Callable[[Order], Awaitable[Outcome]]
"""How a face hands over an order: this room's `Unpaid.take`, or the service's `Orders.take`."""


class Unpaid:
    """Takes orders for free."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        answerer: AsyncAnswerer | None = None,
        clock: Callable[[], datetime] = utc_now,
        calls: int = CALLS,
    ) -> None:
        self._allow_private: Final = allow_private
        self._answerer: Final = telling(
            answerer or NetworkAnswerer(Fetcher(allow_private=allow_private), clock=clock)
        )
        self._clock: Final = clock
        self._workers: Final = Workers()
        self._answers: Final = Answers()
        self._calls: Final = calls
        self._under_way = 0

    async def take(self, order: Order) -> Outcome:
        """Take an order to its end. Cancelling the caller ends the work."""
        if self._under_way >= self._calls:
            return Declined(status=503, code="too-many-calls", retry_after_seconds=1)
        self._under_way += 1
        try:
            return await self._take_under_key(order)
        except Exception as error:  # noqa: BLE001  (the face's outermost frame; its text may hold what was submitted)
            return failure_of(error)
        finally:
            self._under_way -= 1

    async def _take_under_key(self, order: Order) -> Outcome:
        key = order.idempotency_key
        if key is None:
            return await self._work(order)
        name = f"{order.resource.name} {key}"
        async with self._answers.turn(name):
            digest = await asyncio.to_thread(request_sha256, order)
            kept = self._answers.find(name)
            if kept is None:
                outcome = await self._work(order, key)
                if isinstance(outcome, Delivered):
                    self._answers.keep(name, Kept(request_sha256=digest, body=outcome.body))
                return outcome
        if kept.request_sha256 != digest:
            return Declined(status=409, code="idempotency_key_conflict")
        return Delivered(body=kept.body, is_replay=True)

    async def _work(self, order: Order, key: str | None = None) -> Outcome:
        allow_private = self._allow_private
        found: Delivered | Declined | Online | NeedsNetwork
        if len(order.request) <= SHORT_BYTES:
            found = await asyncio.to_thread(work, order, key, self._clock, allow_private=allow_private)
        else:
            found = await self._workers.call(job_of(order, key, self._clock(), allow_private=allow_private))
        match found:
            case Online():
                given = found.given
            case NeedsNetwork():
                given = await asyncio.to_thread(admit, order, key, allow_private=allow_private)
            case _:
                return found
        result = await adrive(order.resource.operation.run(given), self._answerer, at_once)
        return finish(order, result)
