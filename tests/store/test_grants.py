"""The grants of the guide: the service's role can do all its work, and cannot change the ledger."""

import asyncio
from functools import partial

import pytest

from assay402.service.corrections import wrong_row
from assay402.service.ports import StoreUnavailable
from assay402.store.database import Work
from assay402.store.opening import Store
from store.databases import BOUND, ENTRY, NOW, Place, PostgreSQL, after, answer, claim, settle

GRANTS = (
    "CREATE ROLE service LOGIN",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON payments, answers, payers, free_calls, free_days TO service",
    "GRANT SELECT, UPDATE ON ledger_head TO service",
    "GRANT SELECT ON schema_version TO service",
    "GRANT SELECT, INSERT ON ledger TO service",
)


def _do(statement: str) -> Work[None]:
    yield statement, ()


async def _granted(address: str) -> None:
    import asyncpg  # noqa: PLC0415  (may not be installed)

    connection = await asyncpg.connect(address)
    for statement in GRANTS:
        await connection.execute(statement)
    await connection.close()


def test_the_role_of_the_service_works_and_cannot_change_the_ledger(server: PostgreSQL) -> None:
    place = server.database()
    asyncio.run(asyncio.wait_for(_granted(place.address), BOUND))

    async def story(store: Store) -> None:
        await settle(store, claim(1))
        await store.payments.claim(claim(2), NOW)
        await store.payments.keep(claim(2).key, 1, ENTRY, answer(payment_key=claim(2).key), after(60))
        await store.payments.release(claim(2).key, 1)
        await store.free_tier.take("caller:a", NOW, 9, 0)
        paid = await store.ledger.find(1)
        assert paid is not None
        await store.ledger.append(wrong_row(paid, NOW))
        assert await store.ledger.mismatches() == ()
        for statement in (
            "UPDATE ledger SET house = true",
            "DELETE FROM ledger WHERE id = 2",
            "DROP TABLE ledger",
        ):
            with pytest.raises(StoreUnavailable):
                await store.database.change(partial(_do, statement))
        assert [row.id async for row in store.ledger.rows(None, None)] == [1, 2]

    Place(place.address.replace("postgres:@", "service:@")).run(story)


def test_the_ordinary_course_of_things_writes_no_row_into_the_servers_log(server: PostgreSQL) -> None:
    """A key, payment id or answer that is taken is no error to the server, whose errors would quote the row."""
    canary = "canary-90d1"

    async def story(store: Store) -> None:
        payments = store.payments
        wanted = [claim(each, payer=canary, payment_id=f"{canary}-id") for each in range(6)]
        await asyncio.gather(*(payments.claim(each, NOW) for each in wanted * 3))
        await asyncio.gather(
            *(
                payments.claim(claim(100 + each, payer=canary, idempotency_key=canary), NOW)
                for each in range(9)
            )
        )
        local = [
            answer(f"{canary}-{each}", payment_key=None, idempotency_key=canary, scope="local")
            for each in range(6)
        ]
        await asyncio.gather(*(payments.keep_local(each) for each in local))
        await asyncio.gather(*(store.free_tier.take(canary, NOW, 3, 0) for _ in range(9)))

    server.database().run(story)
    log = (server.folder / "log").read_bytes()
    assert b"ready to accept connections" in log
    assert canary.encode() not in log
