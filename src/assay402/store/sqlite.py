"""SQLite behind one writer thread, with readers of their own.

Changes that wait while one is being committed share the next transaction, so that a disk which takes milliseconds to say
"written" is asked once for up to 64 of them; where one of them fails, each runs again in a savepoint of its own. Several processes of one host may
open the same file: a transaction takes the write lock when it begins.
"""

import asyncio
import os
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from assay402.service.ports import StoreUnavailable
from assay402.store.database import Rows, T, Work, ask
from assay402.store.sqlite_reasons import reason_of

MAX_BATCH: Final = 64
"""Changes that share a transaction."""
BUSY_SECONDS: Final = 5.0
"""How long a transaction waits for the write lock of another process."""
READERS: Final = 2
_KEEPS_CONNECTION: Final = frozenset({"locked", "full"})
_ONES_OWN: Final = frozenset({"full", "failed"})
"""What one change of many can be the cause of. A lock or a missing file meets them all, and to try each would take long."""
_PARAMETER: Final = re.compile(r"\$([0-9]+)")


class SQLiteDatabase:
    """A database in one file, which must exist: see `assay402.store.opening`."""

    is_serial: Final = True

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._queue: Final[SimpleQueue[list[_Change] | None]] = SimpleQueue()
        self._gathered: Final[dict[asyncio.AbstractEventLoop, list[_Change]]] = {}
        self._file: Final = _File(path, busy_seconds, is_reader=False)
        self._writer: Final = threading.Thread(target=self._write, name="assay-store-writer", daemon=True)
        self._readers: Final = ThreadPoolExecutor(READERS, thread_name_prefix="assay-store-reader")
        self._local: Final = threading.local()
        self._read_files: Final[list[_File]] = []
        self._looker: Final = _File(path, 0.0, is_reader=True)
        self._path: Final = path
        self._busy: Final = busy_seconds
        self._is_closed = False
        self._writer.start()

    async def change(self, work: Callable[[], Work[T]]) -> T:
        """Do a change as one transaction, durable when this returns."""
        if self._is_closed:
            raise StoreUnavailable("gone")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        gathered = self._gathered.get(loop)
        if gathered is None:
            # Handed over once this turn of the loop is done: what others ask for in it goes in the same transaction.
            gathered = self._gathered[loop] = []
            loop.call_soon(self._hand_over, loop)
        gathered.append(_Change(work, future, loop))
        return await future

    async def read(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one query, of what is committed."""
        if self._is_closed:
            raise StoreUnavailable("gone")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._query, sql, parameters)

    async def look(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one short query, of what is committed.

        It takes some microseconds, and to hand it to a thread takes ten times that: it is done here and waits for
        nobody. Readers of a write-ahead log are kept out by nothing in ordinary life.
        """
        if self._is_closed:
            raise StoreUnavailable("gone")
        with suppress(sqlite3.Error, OSError):
            return self._looker.opened().execute(_numbered(sql), parameters).fetchall()
        # Whatever is wrong: a reader's thread may wait until it is over, and says what it was.
        self._looker.close()
        return await self.read(sql, *parameters)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep nobody out: each transaction has the file to itself."""
        yield

    async def slowly(self, sql: str, *parameters: object, is_apart: bool = False) -> Rows:  # noqa: ARG002  (a server's)
        """Do one statement as a transaction of its own."""
        return await self.change(partial(ask, sql, *parameters))

    async def is_writable(self) -> bool:
        """Tell whether a change would be taken now: the write lock is taken and let go."""
        try:
            await self.change(_nothing)
        except StoreUnavailable:
            return False
        return True

    async def close(self) -> None:
        """Finish what was handed in and close the file."""
        if self._is_closed:
            return
        self._is_closed = True
        for loop in list(self._gathered):
            self._hand_over(loop)
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)
        for file in (*self._read_files, self._looker):
            file.close()

    def _query(self, sql: str, parameters: Sequence[object]) -> Rows:
        file = getattr(self._local, "file", None)
        if file is None:
            file = self._local.file = _File(self._path, self._busy, is_reader=True)
            self._read_files.append(file)
        reason = "gone"
        try:
            return file.opened().execute(_numbered(sql), tuple(parameters)).fetchall()
        except sqlite3.Error as error:
            reason = file.recover(error)
        except OSError:
            file.close()
        raise StoreUnavailable(reason)

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        gathered = self._gathered.pop(loop, None)
        if gathered:
            self._queue.put(gathered)

    def _write(self) -> None:
        is_last = False
        while not is_last:
            waiting = self._queue.get()
            changes = [] if waiting is None else waiting
            with suppress(Empty):
                while waiting is not None and len(changes) < MAX_BATCH:
                    waiting = self._queue.get_nowait()
                    changes += waiting or ()
            is_last = waiting is None
            for start in range(0, len(changes), MAX_BATCH):
                self._commit(changes[start : start + MAX_BATCH])
        self._file.close()

    def _commit(self, changes: "list[_Change]") -> None:
        """Do changes in one transaction; where that is lost for what one of them did, each in one of its own."""
        failure = self._try(changes)
        if failure in _ONES_OWN and len(changes) > 1:
            for each in changes:
                self._commit([each])
            return
        if failure is not None:
            for each in changes:
                each.error = StoreUnavailable(failure)
        for loop in {each.loop for each in changes}:
            done = [each for each in changes if each.loop is loop]
            # The loop may have ended before its changes did.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_deliver, done)

    def _try(self, changes: "list[_Change]") -> str | None:
        """Give None where the transaction is committed, and every change then has its result or its own error.

        Else give the closed word for why nothing of it was done.
        """
        reason = "gone"
        try:
            connection = self._file.opened()
            connection.execute("BEGIN IMMEDIATE")
            if not _ran(connection, changes):
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                for each in changes:
                    each.run(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            reason = self._file.recover(error)
        except OSError as error:
            reason = reason_of(error, self._path)
            self._file.close()
        else:
            return None
        return reason


class _Change:
    """A change on its way through the writer."""

    def __init__(
        self, work: Callable[[], Work[Any]], future: "asyncio.Future[Any]", loop: asyncio.AbstractEventLoop
    ) -> None:
        self.work: Final = work
        self.future: Final = future
        self.loop: Final = loop
        self.result: object = None
        self.error: Exception | None = None

    def run(self, connection: sqlite3.Connection) -> None:
        """Run within a savepoint, keeping the result or what went wrong.

        Raises:
            sqlite3.Error: where the whole transaction was undone.

        """
        self.result, self.error = None, None
        connection.execute("SAVEPOINT change")
        try:
            self.result = _drive(connection, self.work())
        except sqlite3.Error as error:
            if not connection.in_transaction:
                raise
            self.error = StoreUnavailable(reason_of(error, Path()))
        except Exception as error:  # noqa: BLE001  (belongs to the caller, who is in another thread)
            self.error = error
        if self.error is not None:
            connection.execute("ROLLBACK TO change")
        connection.execute("RELEASE change")


def _ran(connection: sqlite3.Connection, changes: "list[_Change]") -> bool:
    """Run changes without savepoints, which is how almost all go; False where one of them fails and must not undo the rest.

    Raises:
        sqlite3.Error: where the whole transaction was undone.

    """
    for each in changes:
        each.error = None
        try:
            each.result = _drive(connection, each.work())
        except Exception:
            if not connection.in_transaction:
                raise
            return False
    return True


class _File:
    """A connection that is opened when it is needed, and anew after a failure or when the file was replaced."""

    def __init__(self, path: Path, busy_seconds: float, *, is_reader: bool) -> None:
        self._path: Final = path
        self._name: Final = os.fspath(path)
        self._busy: Final = busy_seconds
        self._is_reader: Final = is_reader
        self.connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def opened(self) -> sqlite3.Connection:
        """Give the open connection.

        A file that was deleted could still be written to, and all of it would be lost: its place is looked at first.

        Raises:
            sqlite3.Error: where it cannot be opened.
            OSError: where there is no file.

        """
        found = os.stat(self._name)  # noqa: PTH116  (ten times as fast as the path's own, once in each look)
        identity = (found.st_dev, found.st_ino)
        if self.connection is not None and self._identity != identity:
            self.close()
        if self.connection is None:
            self.connection = connect(self._path, self._busy)
            self._identity = identity
            if self._is_reader:
                self.connection.execute("PRAGMA query_only = ON")
        return self.connection

    def recover(self, error: sqlite3.Error) -> str:
        """Undo what is open, let go of a connection that may be broken, and give the closed word for the failure."""
        reason = reason_of(error, self._path)
        if self.connection is not None and self.connection.in_transaction:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
        if reason not in _KEEPS_CONNECTION and not self._is_told_to_read_only():
            self.close()
        return reason

    def _is_told_to_read_only(self) -> bool:
        """Tell whether it is the connection that takes no change; one to a file opened for reading stays so until it is opened anew."""
        with suppress(sqlite3.Error):
            return self.connection is not None and bool(
                self.connection.execute("PRAGMA query_only").fetchone()[0]
            )
        return False

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            with suppress(sqlite3.Error):
                self.connection.close()
            self.connection = None


def connect(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Connect to an existing file, set so that what is committed survives a loss of power.

    Raises:
        sqlite3.Error: where it cannot be opened.

    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        # What is deleted is overwritten. Some builds of SQLite do so unasked, others leave the bytes in the file.
        connection.execute("PRAGMA secure_delete = ON").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _drive(connection: sqlite3.Connection, work: Work[T]) -> T:
    try:
        sql, parameters = next(work)
        while True:
            rows = connection.execute(_numbered(sql), parameters).fetchall()
            sql, parameters = work.send(rows)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        work.close()


@cache
def _numbered(sql: str) -> str:
    """Spell the parameters as SQLite numbers them."""
    return _PARAMETER.sub(r"?\1", sql)


def _deliver(changes: list[_Change]) -> None:
    for each in changes:
        if each.future.done():
            continue
        if each.error is None:
            each.future.set_result(each.result)
        else:
            each.future.set_exception(each.error)


def _nothing() -> Work[None]:
    return
    yield  # a change of no statement


def check_version() -> bool:
    """Tell whether this SQLite knows `RETURNING` (3.35)."""
    return sqlite3.sqlite_version_info >= (3, 35)
