"""Watches over worker processes that share one socket: replaces one that dies, and stops them all when told to."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final

POLL_SECONDS: Final = 0.2
"""How soon a signal is acted on."""
QUICK_SECONDS: Final = 5.0
"""A worker that lived shorter than this did not really start."""
QUICK_ENDS: Final = 5
"""So many of them one after another, and all is given up."""
GRACE_SECONDS: Final = 5.0
"""Beyond the time work may take, before a worker is killed."""

_SPAWN: Final = get_context("spawn")


class WorkersFail(Exception):
    """Workers end as soon as they start."""


def watch(  # noqa: PLR0913, PLR0917  (what workers are made of, and who is told)
    count: int,
    work: Callable[..., None],
    arguments: tuple[Any, ...],
    started: Callable[[], None],
    is_told: Callable[[], bool],
    ended: Callable[[int], None],
    stop_seconds: float,
) -> None:
    """Run `count` workers until `is_told`, then let them finish, which may take `stop_seconds`.

    `ended` gets the process id of one that died.

    Raises:
        WorkersFail: where they cannot start.

    """
    workers = [_start(work, arguments) for _ in range(count)]
    quick_ends = 0
    try:
        started()
        while not is_told():
            wait([worker.sentinel for worker, _ in workers], timeout=POLL_SECONDS)
            for place, (worker, since) in enumerate(workers):
                if worker.is_alive() or is_told():
                    continue
                ended(worker.pid or 0)
                quick_ends = quick_ends + 1 if time.monotonic() - since < QUICK_SECONDS else 0
                if quick_ends >= QUICK_ENDS:
                    raise WorkersFail
                workers[place] = _start(work, arguments)
    finally:
        _stop([worker for worker, _ in workers], stop_seconds)


def _start(work: Callable[..., None], arguments: tuple[Any, ...]) -> tuple[SpawnProcess, float]:
    worker = _SPAWN.Process(target=work, args=arguments, name="assay worker")
    worker.start()
    return worker, time.monotonic()


def _stop(workers: list[SpawnProcess], seconds: float) -> None:
    for worker in workers:
        worker.terminate()
    until = time.monotonic() + seconds + GRACE_SECONDS
    for worker in workers:
        worker.join(max(0.0, until - time.monotonic()))
        if worker.is_alive():
            worker.kill()
            worker.join()


@contextmanager
def told_to_stop() -> Iterator[Callable[[], bool]]:
    """Take the signals for the time of the block, and tell whether one came."""
    told: list[int] = []
    before = {
        each: signal.signal(each, lambda number, _frame: told.append(number))
        for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: bool(told)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
