"""What the SQL classes need of a database: a change is one transaction, whoever keeps it.

A change is a generator: it yields a statement with its parameters and is sent the rows, so that it is written once and
driven by a thread over SQLite or by a coroutine over PostgreSQL. Statements say `$1`, `$2` for their parameters.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

Rows: TypeAlias = Sequence[Sequence[Any]]
Statement: TypeAlias = tuple[str, tuple[object, ...]]
T = TypeVar("T")
Work: TypeAlias = Generator[Statement, Rows, T]


class Database(Protocol):
    """A database. Every method raises `StoreUnavailable` where it cannot serve."""

    @property
    def is_serial(self) -> bool:
        """Whether one change is done after another, whichever process makes it: then none has to lock a row."""
        ...

    async def change(self, work: Callable[[], Work[T]]) -> T:
        """Do a change as one transaction, durable when this returns. What the work raises undoes it.

        The work may be begun more than once, and only its last run counts.
        """
        ...

    async def read(self, sql: str, *parameters: object) -> Rows:
        """Give the rows of one query, of what is committed."""
        ...

    async def look(self, sql: str, *parameters: object) -> Rows:
        """Give the same of a query that finds a few short rows through an index."""
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Keep other migrators out meanwhile; a database of one host needs no more than its transactions for that."""
        ...

    async def slowly(self, sql: str, *parameters: object, is_apart: bool = False) -> Rows:
        """Do one statement of a migration as a transaction of its own, for as long as it takes.

        With `is_apart` a server does it outside any transaction.
        """
        ...

    async def is_writable(self) -> bool:
        """Tell whether a change would be taken now. Never raises."""
        ...

    async def close(self) -> None:
        """Finish what was handed in and let go of files and connections."""
        ...


def ask(sql: str, *parameters: object) -> Work[Rows]:
    """Do one statement as a whole change, or as a part of one."""
    rows = yield sql, parameters
    return rows
