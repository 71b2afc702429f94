"""PostgreSQL through a pool of connections, for several replicas.

Every change and every query is an explicit transaction with its time-outs set inside it, and no statement is
prepared by name, so that it works behind a pooler that gives a connection per transaction.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg

from assay402.service.ports import StoreUnavailable
from assay402.store.database import Rows, T, Work

POOL: Final = 8
"""Connections a process holds at most."""
ACQUIRE_SECONDS: Final = 5.0
STATEMENT_MS: Final = 5_000
LOCK_MS: Final = 2_000
"""How long a statement waits for the row of another transaction."""
_COMMAND_SECONDS: Final = 10.0
"""Beyond the server's own time-outs: the server does not answer at all."""
_LIMITS: Final = (
    f"SET LOCAL statement_timeout = {STATEMENT_MS}; SET LOCAL lock_timeout = {LOCK_MS};"
    f" SET LOCAL idle_in_transaction_session_timeout = {STATEMENT_MS}"
)
# A server may be set to answer before it has written: what is committed here must survive a loss of power.
# A server may be set to answer before it has written: what is committed here must survive a loss of power. Whether
# it takes changes at all stays the server's own setting.
_CHANGE: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED; {_LIMITS}; SET LOCAL synchronous_commit = on"
_QUERY: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; {_LIMITS}"


class PostgreSQLDatabase:
    """A database of a server; `open_postgresql` makes one."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        self._pool: Final = pool

    async def change(self, work: Callable[[], Work[T]]) -> T:
        """Do a change as one transaction, durable when this returns."""
        async with self._transaction(_CHANGE) as connection:
            return await _drive(connection, work())

    async def read(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one query, of what is committed."""
        async with self._transaction(_QUERY) as connection:
            rows: Rows = await connection.fetch(sql, *parameters)
            return rows

    async def is_writable(self) -> bool:
        """Tell whether a change would be taken now: the server is there and lets us write."""
        try:
            async with self._transaction(_CHANGE) as connection:
                setting = await connection.fetchval("SELECT current_setting('transaction_read_only')")
        except StoreUnavailable:
            return False
        return bool(setting == "off")

    async def close(self) -> None:
        """Close the connections; those in use get a few seconds."""
        try:
            await asyncio.wait_for(self._pool.close(), ACQUIRE_SECONDS)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self._pool.terminate()

    @asynccontextmanager
    async def _transaction(self, begin: str) -> "AsyncGenerator[asyncpg.Connection[Any]]":
        reason = "failed"
        try:
            async with self._pool.acquire(timeout=ACQUIRE_SECONDS) as connection:
                async with _undone_on_failure(connection):
                    await connection.execute(begin)
                    yield connection
                    await connection.execute("COMMIT")
                return
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            reason = _reason(error)
        raise StoreUnavailable(reason)


async def open_postgresql(address: str, *, size: int = POOL) -> PostgreSQLDatabase:
    """Connect to a server.

    Raises:
        StoreUnavailable: where it does not answer or refuses us.

    """
    reason = "gone"
    try:
        pool = await asyncpg.create_pool(
            address,
            min_size=0,
            max_size=size,
            statement_cache_size=0,
            command_timeout=_COMMAND_SECONDS,
            timeout=ACQUIRE_SECONDS,
            reset=_no_reset,
        )
        async with pool.acquire(timeout=ACQUIRE_SECONDS):
            return PostgreSQLDatabase(pool)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError, ValueError) as error:
        reason = _reason(error)
    raise StoreUnavailable(reason)


async def _no_reset(_connection: object) -> None:
    """Leave a returned connection as it is: everything we set ends with its transaction."""


@asynccontextmanager
async def _undone_on_failure(connection: "asyncpg.Connection[Any]") -> AsyncGenerator[None]:
    """Undo the transaction where the block fails; a connection that cannot even do that is dropped."""
    try:
        yield
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) or connection.is_closed():
            connection.terminate()
        elif connection.is_in_transaction():
            try:
                await connection.execute("ROLLBACK", timeout=1)
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                connection.terminate()
        raise


async def _drive(connection: "asyncpg.Connection[Any]", work: Work[T]) -> T:
    try:
        sql, parameters = next(work)
        while True:
            rows = await connection.fetch(sql, *parameters)
            sql, parameters = work.send(rows)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        with suppress(RuntimeError):
            work.close()


def _reason(error: Exception) -> str:
    match error:
        case asyncpg.LockNotAvailableError() | asyncpg.QueryCanceledError() | asyncpg.DeadlockDetectedError():
            return "locked"
        case asyncpg.DiskFullError():
            return "full"
        case asyncpg.ReadOnlySQLTransactionError():
            return "read_only"
        case (
            asyncpg.PostgresConnectionError()
            | asyncpg.OperatorInterventionError()
            | asyncpg.InsufficientResourcesError()
            | asyncpg.InvalidAuthorizationSpecificationError()
            | asyncpg.InvalidCatalogNameError()
            | asyncpg.InterfaceError()
            | OSError()
            | TimeoutError()
            | ValueError()
        ):
            return "gone"
        case _:
            return "failed"
