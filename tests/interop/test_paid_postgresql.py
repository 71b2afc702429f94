"""The whole service over HTTP on PostgreSQL: a database that fails and comes back, and what is in it afterwards."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.sandbox.serving import Reply as Told
from facilitator_faults import Answer
from service.world import PAID, SETTINGS
from store.databases import BOUND, PostgreSQL
from web.canaries import MARK, Canaries, Seller, Story, joined
from web.paid import books, facilitator, paid_service, transaction
from web.test_paid_faults import chain_of


def stopped(server: PostgreSQL, address: str) -> Callable[[], None]:
    assert address
    server.stop()
    return server.start


def read_only(_server: PostgreSQL, address: str) -> Callable[[], None]:
    """Set the database read-only for whoever connects from now on, and end the connections there are."""
    name = address.partition("?")[0].rpartition("/")[2]
    change(
        address,
        f"ALTER DATABASE {name} SET default_transaction_read_only = on",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    return lambda: change(
        address,
        "SET default_transaction_read_only = off",
        f"ALTER DATABASE {name} RESET default_transaction_read_only",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


def change(address: str, *statements: str) -> None:
    import asyncpg

    async def run() -> None:
        connection = await asyncpg.connect(address)
        try:
            for each in statements:
                await connection.execute(each)
        finally:
            await connection.close()

    asyncio.run(asyncio.wait_for(run(), BOUND))


@pytest.mark.parametrize("fault", [stopped, read_only], ids=lambda each: each.__name__)
@pytest.mark.parametrize("moment", ["before", "/verify", "/settle"])
@pytest.mark.parametrize("name", PAID)
def test_a_database_that_fails_and_comes_back_loses_nothing_and_charges_once(
    *,
    postgresql: PostgreSQL,
    tmp_path: Path,
    fault: Callable[..., Callable[[], None]],
    moment: str,
    name: str,
) -> None:
    address, mending = postgresql.database().address, list[Callable[[], None]]()
    with (
        facilitator() as money,
        paid_service(
            tmp_path, money, settings=replace(SETTINGS, database=address), chain=chain_of(money)
        ) as running,
    ):
        payment = running.payment(name)

        def spoil(answer: Answer) -> Told:
            told = answer()
            if not mending:
                mending.append(fault(postgresql, address))
            return told

        if moment == "before":
            mending.append(fault(postgresql, address))
        else:
            money.faulty.faults[moment] = spoil
        answer = running.ask(name, payment)
        money.faulty.faults.clear()
        assert answer.status == (202 if moment == "/settle" else 503)
        assert int(answer.header("Retry-After") or "0") > 0
        assert answer.header("PAYMENT-REQUIRED") is None
        assert money.moved == (moment == "/settle")
        if answer.status == 503:
            assert answer.json["code"] == "store_unavailable"
        assert running.call("GET", "/readyz").status == 503
        mending[0]()
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
        assert running.ask(name, payment).status == 200
        assert money.moved == 1
    assert [row.transaction for row in books(address)] == [paid]


def test_nothing_that_must_not_be_kept_is_found_in_postgresql(postgresql: PostgreSQL, tmp_path: Path) -> None:
    """Every table is read whole, and the server's own log and files are looked through as well."""
    address = postgresql.database().address
    canaries = Canaries()
    seller = Seller(canaries)
    with (
        facilitator() as money,
        paid_service(
            tmp_path, money, settings=replace(SETTINGS, database=address), fetcher=seller.fetch
        ) as running,
    ):
        story = Story(running, canaries, seller)
        story.live()
        story.suffer()
    kept = tables(address)
    assert MARK.encode() in kept.pop("answers")
    assert {"payments", "ledger", "free_calls"} <= set(kept)
    canaries.assert_absent(joined(kept.values()), "a table that is not of answers", allows_names=True)
    logs = joined(each.read_bytes() for each in postgresql.folder.rglob("*log*") if each.is_file())
    canaries.assert_absent(logs, "the log of the database")


def tables(address: str) -> dict[str, bytes]:
    """Give everything in a database, by table."""
    import asyncpg

    async def run() -> dict[str, bytes]:
        connection = await asyncpg.connect(address)
        try:
            names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            found: dict[str, bytes] = {}
            for (name,) in names:
                rows: list[Any] = await connection.fetch(f"SELECT * FROM {name}")
                found[name] = joined(
                    each if isinstance(each, bytes) else json.dumps(each, default=str).encode()
                    for row in rows
                    for each in row
                )
            return found
        finally:
            await connection.close()

    return asyncio.run(asyncio.wait_for(run(), BOUND))
