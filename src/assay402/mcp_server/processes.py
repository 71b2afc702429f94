"""Work that thinks, away from the event loop, and ended when nobody waits for it any more.

Only a process can be ended in the middle of its work: a thread that is struck leaves modules half made and locks held.
Long requests therefore go to worker processes, which are killed with the call; short ones end by themselves within
milliseconds, in a thread, and what they give is dropped.
"""

import asyncio
import pickle
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import Any, Final, cast

from assay402.mcp_server.jobs import Done, Job

PROCESSES: Final = 2
"""Worker processes at once; further long requests wait their turn."""
SHORT_BYTES: Final = 4_096
"""Requests up to this length are worked on in a thread."""

_COMMAND: Final = ("-P", "-m", "assay402.mcp_server.worker")
"""Without the folder that a client happened to start the server in, whose files might bear the names of modules."""


class WorkerLost(Exception):
    """A worker process ended before its answer."""


class Worker:
    """One process."""

    def __init__(self) -> None:
        self.process: Final = subprocess.Popen(  # noqa: S603  (this interpreter and a module of ours)
            [sys.executable, *_COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def do(self, job: Job) -> Done:
        """Have a job done, and wait for it. Raises `WorkerLost` where the process ends instead."""
        jobs, answers = cast("Any", self.process.stdin), cast("Any", self.process.stdout)
        try:
            pickle.dump(job, jobs)
            jobs.flush()
            answer: Done = pickle.load(answers)  # noqa: S301  (our own process wrote it)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.end()
            raise WorkerLost from None
        return answer

    def kill(self) -> None:
        """End the process, whoever waits for it."""
        self.process.kill()

    def end(self) -> None:
        """End the process and give back what it held. Nobody may be waiting for it."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            # What a dead process has not read cannot be flushed to it.
            with suppress(OSError):
                cast("Any", stream).close()
        self.process.wait()


class Workers:
    """Has jobs done, a few at a time. Processes start when they are needed, and serve one job after another."""

    def __init__(self, most: int = PROCESSES) -> None:
        self._turns: Final = asyncio.Semaphore(most)
        self._idle: Final[list[Worker]] = []
        weakref.finalize(self, _end_all, self._idle)

    async def call(self, job: Job) -> Done:
        """Have a job done in a process. Cancelling the caller kills it.

        Raises:
            WorkerLost: where the process ends instead.

        """
        async with self._turns:
            worker = self._idle.pop() if self._idle else Worker()
            done: asyncio.Future[Done | None] = asyncio.get_running_loop().create_future()
            threading.Thread(target=_work, args=(worker, job, done), daemon=True, name="work").start()
            try:
                answer = await done
            except asyncio.CancelledError:
                worker.kill()
                if not done.cancelled():
                    # It had just answered, so that its thread has let go of it.
                    worker.end()
                raise
            if answer is None:
                raise WorkerLost
            self._idle.append(worker)
            return answer


def _work(worker: Worker, job: Job, done: "asyncio.Future[Done | None]") -> None:
    """Wait for a worker in a thread, and hand its answer over; None where it ended."""
    answer: Done | None = None
    with suppress(WorkerLost):
        answer = worker.do(job)

    def hand_over() -> None:
        if not done.done():
            done.set_result(answer)
        else:
            worker.end()

    # A loop that is closed has nobody who waits.
    try:
        done.get_loop().call_soon_threadsafe(hand_over)
    except RuntimeError:
        worker.end()


def _end_all(idle: list[Worker]) -> None:
    for worker in idle:
        worker.end()
