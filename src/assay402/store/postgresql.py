"""PostgreSQL through a pool of connections, for several replicas.

Every change and every query is an explicit transaction with its time-outs set inside it, so that it works behind a
pooler that gives a connection per transaction. Statements are prepared by name, which more than doubles the rate; an
older pooler loses the names, and `?pooler=transaction` in the address does without them.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from assay402.core.errors import TheirError
from assay402.service.ports import StoreUnavailable
from assay402.service.timing import STORE_SECONDS
from assay402.store.database import Rows, T, Work

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

POOL: Final = 8
"""Connections a process holds at most."""
ACQUIRE_SECONDS: Final = 5.0
STATEMENT_MS: Final = 5_000
LOCK_MS: Final = 2_000
"""How long a statement waits for the row of another transaction."""
_COMMAND_SECONDS: Final = 10.0
"""Beyond the server's own time-outs: the server does not answer at all."""
_PREPARED: Final = 100
"""Statements a connection keeps prepared: more than there are."""
_ROLLBACK_SECONDS: Final = 1.0
_FAILURES: Final = (
    asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError,
)  # fmt: skip
_LIMITS: Final = (
    f"SET LOCAL statement_timeout = {STATEMENT_MS}; SET LOCAL lock_timeout = {LOCK_MS};"
    f" SET LOCAL idle_in_transaction_session_timeout = {STATEMENT_MS}"
)
# A server may be set to answer before it has written: what is committed here must survive a loss of power. Whether
# it takes changes at all stays the server's own setting.
_CHANGE: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED; {_LIMITS}; SET LOCAL synchronous_commit = on"
_QUERY: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; {_LIMITS}"

_BOUNDED: Final = (_CHANGE, _QUERY)
_SLOW_SECONDS: Final = 86_400.0
"""Of a migration's statement: as long as it takes."""
# It waits for a lock no longer than others do, as they wait behind it.
_SLOWLY: Final = (
    f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {LOCK_MS};"
    " SET LOCAL synchronous_commit = on"
)
_ALONE: Final = (
    f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {LOCK_MS};"
    " SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(40202)"
)


class PostgreSQLDatabase:
    """A database of a server; `open_postgresql` makes one."""

    is_serial: Final = False

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        self._pool: Final = pool

    async def change(self, work: Callable[[], Work[T]]) -> T:
        """Do a change as one transaction, durable when this returns."""

        async def drive(connection: "asyncpg.Connection[Any]") -> T:
            return await _drive(connection, work())

        return await self._transact(_CHANGE, drive)

    async def read(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one query, of what is committed."""

        async def fetch(connection: "asyncpg.Connection[Any]") -> Rows:
            rows: Rows = await connection.fetch(sql, *parameters)
            return rows

        return await self._transact(_QUERY, fetch)

    async def look(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one short query, of what is committed."""
        return await self.read(sql, *parameters)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep other migrators out, by the lock of a transaction that does nothing else, so that a pooler may be between."""
        connection = await self._locked()
        try:
            yield
        finally:
            with suppress(*_FAILURES):
                await connection.execute("ROLLBACK", timeout=_ROLLBACK_SECONDS)
            await self._pool.release(connection)

    async def slowly(self, sql: str, *parameters: object, is_apart: bool = False) -> Rows:
        """Do one statement of a migration as a transaction of its own, or with `is_apart` outside any."""

        async def fetch(connection: "asyncpg.Connection[Any]") -> Rows:
            rows: Rows = await connection.fetch(sql, *parameters, timeout=_SLOW_SECONDS)
            return rows

        return await self._transact(None if is_apart else _SLOWLY, fetch)

    async def _locked(self) -> "PoolConnectionProxy[Any]":
        reason, connection = "gone", None
        try:
            connection = await self._pool.acquire(timeout=ACQUIRE_SECONDS)
            await connection.execute(_ALONE)
        except _FAILURES as error:
            reason = _reason(error)
        else:
            return connection
        if connection is not None:
            connection.terminate()
            await self._pool.release(connection)
        raise StoreUnavailable(reason)

    async def is_writable(self) -> bool:
        """Tell whether a change would be taken now: the server is there and lets us write."""

        async def look(connection: "asyncpg.Connection[Any]") -> bool:
            return bool(await connection.fetchval("SELECT current_setting('transaction_read_only')") == "off")

        try:
            return await self._transact(_CHANGE, look)
        except StoreUnavailable:
            return False

    async def close(self) -> None:
        """Close the connections; those in use get a few seconds."""
        try:
            await asyncio.wait_for(self._pool.close(), ACQUIRE_SECONDS)
        except _FAILURES:
            self._pool.terminate()

    async def _transact(
        self, begin: str | None, do: "Callable[[asyncpg.Connection[Any]], Awaitable[T]]"
    ) -> T:
        reason = "failed"
        # As a whole too: its statements may each come near their time-out.
        longest = STORE_SECONDS if begin in _BOUNDED else None
        try:
            async with (
                asyncio.timeout(longest),
                self._pool.acquire(timeout=ACQUIRE_SECONDS) as connection,
            ):
                return await (do(connection) if begin is None else _whole(connection, begin, do))
        except _FAILURES as error:
            reason = _reason(error)
        # Outside, so that the driver's exception, which may quote rows, is not the context of ours.
        raise StoreUnavailable(reason)


async def open_postgresql(address: str, *, size: int = POOL) -> PostgreSQLDatabase:
    """Connect to a server.

    Raises:
        TheirError: `database_address` for another word than `transaction` behind `pooler=`.
        StoreUnavailable: where it does not answer or refuses us.

    """
    plain, has_pooler = _without_pooler(address)
    reason = "gone"
    try:
        pool = await asyncpg.create_pool(
            plain,
            min_size=0,
            max_size=size,
            statement_cache_size=0 if has_pooler else _PREPARED,
            command_timeout=_COMMAND_SECONDS,
            timeout=ACQUIRE_SECONDS,
            reset=_no_reset,
        )
        async with pool.acquire(timeout=ACQUIRE_SECONDS):
            return PostgreSQLDatabase(pool)
    except (*_FAILURES, ValueError) as error:
        reason = _reason(error)
    raise StoreUnavailable(reason)


def _without_pooler(address: str) -> tuple[str, bool]:
    """Take our own parameter out of an address; tells whether it was there."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise TheirError("database_address") from None
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    poolers = [value for name, value in parameters if name == "pooler"]
    if not poolers:
        return address, False
    if poolers != ["transaction"]:
        raise TheirError("database_address")
    left = urlencode([each for each in parameters if each[0] != "pooler"], safe="/")
    return urlunsplit(parts._replace(query=left)), True


async def _no_reset(_connection: object) -> None:
    """Leave a returned connection as it is: everything we set ends with its transaction."""


async def _whole(
    connection: "asyncpg.Connection[Any]", begin: str, do: "Callable[[asyncpg.Connection[Any]], Awaitable[T]]"
) -> T:
    """Do a transaction, or undo it where it fails; a connection that cannot even do that is dropped."""
    try:
        await connection.execute(begin)
        result = await do(connection)
        await connection.execute("COMMIT")
    except (asyncio.CancelledError, asyncpg.InternalClientError):
        # Of the latter the driver speaks when the server has told a connection's end and not yet made it.
        connection.terminate()
        raise
    except Exception:
        if connection.is_closed():
            connection.terminate()
        elif connection.is_in_transaction():
            try:
                await connection.execute("ROLLBACK", timeout=_ROLLBACK_SECONDS)
            except _FAILURES:
                connection.terminate()
        raise
    return result


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
            | asyncpg.InvalidTransactionStateError()
            | asyncpg.InsufficientResourcesError()
            | asyncpg.InvalidAuthorizationSpecificationError()
            | asyncpg.InvalidCatalogNameError()
            | asyncpg.InterfaceError()
            | asyncpg.InternalClientError()
            | OSError()
            | TimeoutError()
            | ValueError()
        ):
            return "gone"
        case _:
            return "failed"
