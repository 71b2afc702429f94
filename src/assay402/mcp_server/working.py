"""Work that thinks, away from the event loop: in a thread of its own, ended when nobody waits for it any more."""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

THREADS: Final = 4
"""Pieces of work at once. The checks are pure Python, so more would not be faster; the others wait their turn."""

_AGAIN_SECONDS: Final = 0.05
"""Between two tries to stop a piece of work."""


class Stopped(SystemExit):
    """Raised inside work that is no longer wanted. Threads end on it without a word."""


class Workers:
    """Runs pieces of work, a few at a time."""

    def __init__(self, most: int = THREADS) -> None:
        self._turns: Final = asyncio.Semaphore(most)

    async def call(self, do: Callable[[], Result]) -> Result:
        """Do a piece of work in a thread. Cancelling the caller ends the work at its next line of Python."""
        await self._turns.acquire()
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        thread = threading.Thread(target=self._work, args=(do, done), daemon=True, name="work")
        try:
            thread.start()
        except RuntimeError:
            self._turns.release()
            raise
        try:
            return await done
        except asyncio.CancelledError:
            _stop(thread, asyncio.get_running_loop())
            raise

    def _work(self, do: Callable[[], Result], done: "asyncio.Future[Result]") -> None:
        """Do the work and hand its end over, once, wherever in here it may be stopped."""
        ended: list[bool] = []

        def end(result: Any, error: BaseException | None) -> None:  # noqa: ANN401  (what the work gave)
            if ended:
                return
            ended.append(True)
            self._turns.release()
            if not done.done():
                done.set_result(result) if error is None else done.set_exception(error)

        loop = done.get_loop()
        outcome: tuple[Any, BaseException | None] | None = None
        while True:
            try:
                if outcome is None:
                    outcome = _outcome_of(do)
                # A loop that is closed has nobody who waits, and no turns to give back.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(end, *outcome)
            except Stopped as stopped:
                outcome = (None, stopped)
            else:
                return


def _outcome_of(do: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return do(), None
    except BaseException as error:  # noqa: BLE001  (whatever the work raises is raised where it is awaited)
        return None, error


def _stop(thread: threading.Thread, loop: asyncio.AbstractEventLoop) -> None:
    """Raise `Stopped` in a thread until it ends. It does one piece of work only, so that nothing else can be hit.

    Once may not do: raised within a callback of the interpreter's, such as a finalizer, it is dropped.
    """
    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
        loop.call_later(_AGAIN_SECONDS, _stop, thread, loop)
