"""Takes orders where nobody pays: the person's own machine. The work is done here and now, and nothing is stored."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final, TypeAlias

from msgspec import Struct

from assay402.core.asks import AsyncAnswerer, adrive, drive
from assay402.core.check import Refusal
from assay402.core.errors import AssayError
from assay402.core.strictjson import JSON, write
from assay402.envelope import local
from assay402.mcp_server.kept import Answers, Kept
from assay402.mcp_server.progress import telling
from assay402.mcp_server.working import Workers
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.clock import utc_now
from assay402.net.http import Fetcher
from assay402.service.admission import declined
from assay402.service.identifiers import request_sha256
from assay402.service.order import Declined, Delivered, Order, Outcome

CALLS: Final = 256
"""Calls under way or waiting. Each may hold its request, so they are bounded together with its length."""

Take: TypeAlias = Callable[[Order], Awaitable[Outcome]]
"""How a face hands over an order: this room's `Unpaid.take`, or the service's `Orders.take`."""


class _Online(Struct, frozen=True):
    """An admitted request whose work asks the network."""

    given: Any


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
            return await self._taken(order)
        except Exception as error:  # noqa: BLE001  (the face's outermost frame; its text may hold what was submitted)
            code = error.code if isinstance(error, AssayError) else "internal"
            return Declined(status=500, code=code)
        finally:
            self._under_way -= 1

    async def _taken(self, order: Order) -> Outcome:
        key = order.idempotency_key
        if key is None:
            return await self._done(order)
        async with self._answers.turn(key):
            digest = await self._workers.call(lambda: request_sha256(order))
            kept = self._answers.find(key)
            if kept is None:
                outcome = await self._done(order, key)
                if isinstance(outcome, Delivered):
                    said = Kept(operation=order.resource.name, request_sha256=digest, body=outcome.body)
                    self._answers.keep(key, said)
                return outcome
        if (kept.operation, kept.request_sha256) != (order.resource.name, digest):
            return Declined(status=409, code="idempotency_key_conflict")
        return Delivered(body=kept.body, is_replay=True)

    async def _done(self, order: Order, key: str | None = None) -> Outcome:
        found = await self._workers.call(lambda: self._worked(order, key))
        if not isinstance(found, _Online):
            return found
        result = await adrive(order.resource.operation.run(found.given), self._answerer, at_once)
        return _ended(order, result)

    def _worked(self, order: Order, key: str | None) -> Outcome | _Online:
        """Read, judge and do what needs no network."""
        operation = order.resource.operation
        read = operation.read(order.request, operation.request_bytes)
        given = operation.admit(_keyed(read, key), allow_private=self._allow_private)
        if isinstance(given, Refusal):
            return declined(order, given)
        if operation.offline(given) is not None:
            return _Online(given)
        return _ended(order, drive(operation.run(given), local(self._clock)))


def _keyed(request: JSON | Refusal, key: str | None) -> JSON | Refusal:
    """Put a key beside its request again: the answer names it."""
    return (
        request
        if key is None or isinstance(request, Refusal)
        else {"request": request, "idempotency_key": key}
    )


def _ended(order: Order, result: Any) -> Delivered | Declined:  # noqa: ANN401  (the operation's own result)
    if isinstance(result, Refusal):
        return declined(order, result)
    return Delivered(body=write(order.resource.operation.publish(result)))
