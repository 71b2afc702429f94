"""The port `FreeTier` in SQL: one statement decides whether a call is free."""

import zlib
from datetime import datetime
from functools import partial
from typing import Final

from assay402.service.free import COUNTED
from assay402.store.database import Database, Work, ask
from assay402.store.rows import DAY_MS, milliseconds

_SHARDS: Final = 16
# A call counts where the last one is far enough away, in either direction: a clock that was put back must not close a
# bucket for as long as it had run ahead. A day that is over begins anew, and so does one from a future that was none.
_TAKE: Final = (
    "INSERT INTO free_calls AS f (bucket, day, calls, last_ms) VALUES ($1, $2, 1, $3)"
    " ON CONFLICT (bucket) DO UPDATE SET"
    " calls = CASE WHEN excluded.day > f.day OR excluded.day < f.day - 1 THEN 1 ELSE f.calls + 1 END,"
    " day = CASE WHEN excluded.day = f.day - 1 THEN f.day ELSE excluded.day END,"
    " last_ms = excluded.last_ms"
    " WHERE abs(excluded.last_ms - f.last_ms) >= $4"
    " AND (excluded.day > f.day OR excluded.day < f.day - 1 OR f.calls < $5)"
    " RETURNING calls"
)
_COUNT: Final = (
    "INSERT INTO free_days AS d (day, shard, calls) VALUES ($1, $2, 1)"
    " ON CONFLICT (day, shard) DO UPDATE SET calls = d.calls + 1"
)
# The condition stands twice: a bucket that is taken from meanwhile must stay.
_FORGET: Final = (
    "DELETE FROM free_calls WHERE last_ms < $1 AND bucket IN"
    " (SELECT bucket FROM free_calls WHERE last_ms < $1 ORDER BY last_ms LIMIT $2) RETURNING bucket"
)
_USED: Final = "SELECT coalesce(sum(calls), 0) FROM free_days WHERE day >= $1"


class SQLFreeTier:
    """Counts free calls in a database of either kind."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    async def take(self, bucket: str, now: datetime, per_day: int, interval_ms: int) -> bool:
        """Count a call of a bucket; False when the day's allowance is used up or the last call was too near."""
        return per_day > 0 and await self._database.change(
            partial(_take, bucket, milliseconds(now), per_day, interval_ms)
        )

    async def forget(self, now: datetime, at_most: int) -> int:
        """Forget buckets whose last call was more than a day before `now`; gives how many there were."""
        before = milliseconds(now) - DAY_MS
        return len(await self._database.change(partial(ask, _FORGET, before, at_most)))

    async def used(self, since: datetime) -> int:
        """Count the free calls of the days since a moment."""
        rows = await self._database.read(_USED, milliseconds(since) // DAY_MS)
        return int(rows[0][0])


def _take(bucket: str, moment: int, per_day: int, interval_ms: int) -> Work[bool]:
    day = moment // DAY_MS
    rows = yield _TAKE, (bucket, day, moment, interval_ms, per_day)
    if rows and bucket.startswith(COUNTED):
        yield _COUNT, (day, zlib.crc32(bucket.encode()) % _SHARDS)
    return bool(rows)
