"""A process that is killed at a named step of a paid order: `python -m service.dying`, one job a line on its input.

Each job is done in a process forked for it, so that the packages are loaded once.
"""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from assay402.core.asks import Answer, Ask
from assay402.core.errors import OurError
from assay402.net.facilitator import HTTPFacilitator, operators_fetcher
from assay402.service.order import Order
from assay402.service.orders import Orders
from assay402.store.opening import open_store
from service.world import REQUESTS, RESOURCES, SECRET, SETTINGS, Clock, resources

STEPS = (
    *(f"{when} {step}" for step in ("verify", "claim") for when in ("before", "after")),
    "after work",
    *(
        f"{when} {step}"
        for step in ("keep", "begin_settling", "settle", "settled")
        for when in ("before", "after")
    ),
)
"""Where a process may die; `after settle` is after the money moved and before anybody was told."""


class Mortal:
    """Anything with methods, one of which is the last that is called."""

    def __init__(self, inner: Any, step: str) -> None:
        self._inner = inner
        self._when, _, self._step = step.partition(" ")

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name != self._step:
            return method

        async def last(*arguments: Any, **named: Any) -> Any:
            if self._when == "after":
                await method(*arguments, **named)
            die()

        return last


def die() -> None:
    """End at once, as a machine does."""
    os.kill(os.getpid(), signal.SIGKILL)


async def nothing(_ask: Ask) -> Answer:
    """Answer nothing: the work of these orders asks no network."""
    raise OurError("internal")


def order(name: str, payment: dict[str, Any]) -> Order:
    """Make a paid order."""
    return Order(resource=RESOURCES[name], request=REQUESTS[name.partition("/")[0]], payment=payment)


async def live(job: dict[str, Any]) -> None:
    """Take an order, maybe several times at once, until the step at which this process dies; some name none."""
    store = await open_store(job["database"])
    facilitator = HTTPFacilitator(job["facilitator"], fetcher=operators_fetcher())
    clock = Clock()

    def sign(*_about: object) -> tuple[tuple[str, str], ...]:
        if job["step"] == "after work":
            die()
        return ()

    orders = Orders(
        settings=SETTINGS,
        resources=resources(),
        payments=Mortal(store.payments, job["step"]),
        free_tier=store.free_tier,
        answerer=nothing,
        sign=sign,
        server_key=SECRET,
        clock=clock,
        facilitator=Mortal(facilitator, job["step"]),
    )
    times = job.get("times", 1)
    await asyncio.gather(*(orders.take(order(job["name"], job["payment"])) for _ in range(times)))


def main() -> None:
    """Do the jobs, and tell of each by which signal it ended."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            asyncio.run(live(json.loads(line)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
