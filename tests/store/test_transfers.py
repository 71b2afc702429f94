"""Each transfer pays for one payment, by whatever path it is told of, and also in a database of the release before."""

import asyncio
from functools import partial

import pytest
from msgspec.structs import replace

from assay402.service.ports import PaymentState, Settled, StoreUnavailable, TransactionCounted
from assay402.store import migrating, postgresql
from assay402.store.database import Work
from assay402.store.migrating import upgrade
from assay402.store.opening import Store, open_database
from assay402.store.versions import statements, version_of
from store.databases import BOUND, ENTRY, NOW, PAID, Place, PostgreSQL, after, claim, settle

HASH = "0x" + "aB" * 32
TOLD = replace(PAID, transaction=HASH)


def at(index: int | None, **changed: str) -> Settled:
    """Make a settlement in the one transaction, by its place in that."""
    return replace(TOLD, log_index=index, **changed)


async def settling(store: Store, number: int) -> tuple[str, int]:
    """Bring a claim to where it is settled."""
    mine = claim(number, payer=f"0x{number}")
    await store.payments.claim(mine, NOW)
    assert await store.payments.keep(mine.key, 1, ENTRY, None, after(60), settles=True)
    return mine.key, 1


REPEATS = {
    "told twice": (at(None), at(None)),
    "told twice, spelled otherwise": (at(None), at(None, transaction=HASH.lower())),
    "told of what was found": (at(3), at(None)),
    "found twice in one place": (at(3), at(3)),
    "found twice, spelled otherwise": (at(3), at(3, transaction=HASH.lower())),
    "told of, and found, which may be the same": (at(None), at(5)),
    "told of, and found, spelled otherwise": (at(None), at(5, transaction=HASH.lower())),
}


@pytest.mark.parametrize(("first", "second"), REPEATS.values(), ids=REPEATS)
def test_a_transfer_that_was_counted_settles_nothing_else(
    place: Place, first: Settled, second: Settled
) -> None:
    async def story(store: Store) -> None:
        one, other = await settling(store, 1), await settling(store, 2)
        assert await store.payments.settled(*one, first, NOW, house=False)
        with pytest.raises(TransactionCounted):
            await store.payments.settled(*other, second, NOW, house=False)
        row = await store.payments.find(other[0])
        assert row is not None
        assert (row.state, row.transaction) == (PaymentState.SETTLING, None)
        assert [row.id async for row in store.ledger.rows(None, None)] == [1]
        assert await store.ledger.mismatches() == ()
        # Nothing is lost with it: its own transaction settles it, and the ids have no gap.
        assert await store.payments.settled(*other, replace(PAID, transaction="0x1"), NOW, house=False)
        assert [row.id async for row in store.ledger.rows(None, None)] == [1, 2]

    place.run(story)


OTHERS = {
    "two places of one transaction": (at(3), at(5)),
    "another network": (at(None), at(None, network="eip155:1")),
}


@pytest.mark.parametrize(("first", "second"), OTHERS.values(), ids=OTHERS)
def test_transfers_that_are_not_the_same_settle_a_payment_each(
    place: Place, first: Settled, second: Settled
) -> None:
    async def story(store: Store) -> None:
        for number, paid in enumerate((first, second), 1):
            held = await settling(store, number)
            assert await store.payments.settled(*held, paid, NOW, house=False)
        assert not [each for each in await store.ledger.mismatches() if "network" not in each]

    place.run(story)


def test_what_was_told_of_gets_its_place_and_then_others_of_its_transaction_are_counted(place: Place) -> None:
    """The ledger keeps the name it was counted under, as its rows are never changed; the gate says the place."""

    async def story(store: Store) -> None:
        (one, _), other = [await settling(store, number) for number in (1, 2)]
        assert await store.payments.settled(one, 1, at(None), NOW, house=False)
        found = await store.payments.placeless(TOLD.network, HASH.lower())
        assert found is not None
        assert (found.key, await store.payments.placeless("eip155:1", HASH)) == (one, None)
        assert await store.payments.place(one, 3)
        assert not await store.payments.place(one, 4)
        assert not await store.payments.place(other[0], 4)
        assert await store.payments.placeless(TOLD.network, HASH) is None
        for taken in (at(None), at(3)):
            with pytest.raises(TransactionCounted):
                await store.payments.settled(*other, taken, NOW, house=False)
        assert await store.payments.settled(*other, at(5), NOW, house=False)
        assert await store.ledger.mismatches() == ()
        names = await store.database.read(
            "SELECT p.transfer, l.transfer FROM payments p JOIN ledger l ON l.id = p.ledger_id ORDER BY l.id"
        )
        name = f"{TOLD.network} {HASH.lower()}"
        assert [tuple(row) for row in names] == [(f"{name} 3", name), (f"{name} 5", f"{name} 5")]

    place.run(story)


def test_a_place_that_another_payment_has_is_not_given_twice(place: Place) -> None:
    async def story(store: Store) -> None:
        first, second = await settling(store, 1), await settling(store, 2)
        assert await store.payments.settled(*first, at(3), NOW, house=False)
        assert await store.payments.settled(*second, replace(PAID, transaction="0x1"), NOW, house=False)
        # As the first release wrote: no name at all.
        for table, column in (("payments", "key"), ("ledger", "id")):
            chosen = f"'{second[0]}'" if column == "key" else "2"
            change = (
                f"UPDATE {table} SET transaction_id = '{HASH}', transfer = NULL WHERE {column} = {chosen}"
            )
            await store.database.change(partial(_do, change))
        assert await store.ledger.mismatches() == ("transaction_repeated 2",)
        assert not await store.payments.place(second[0], 3)
        assert await store.payments.place(second[0], 5)
        assert await store.ledger.mismatches() == ()

    place.run(story)


@pytest.mark.parametrize("transfer", ["'x y'", "'eip155:8453 0xother 3'", "NULL"])
def test_a_name_that_is_not_of_its_transaction_is_told(place: Place, transfer: str) -> None:
    async def story(store: Store) -> None:
        held = await settling(store, 1)
        assert await store.payments.settled(*held, at(3), NOW, house=False)
        for table in ("payments", "ledger") if transfer != "NULL" else ("payments",):
            await store.database.change(partial(_do, f"UPDATE {table} SET transfer = {transfer}"))
        assert await store.ledger.mismatches() == ("transfer_differs 1",)

    place.run(story)


def test_a_place_that_is_not_the_one_it_was_counted_with_is_told(place: Place) -> None:
    async def story(store: Store) -> None:
        held = await settling(store, 1)
        assert await store.payments.settled(*held, at(3), NOW, house=False)
        name = f"{TOLD.network} {HASH.lower()}"
        for changed in (f"{name} 5", name):
            await store.database.change(partial(_do, f"UPDATE payments SET transfer = '{changed}'"))
            assert await store.ledger.mismatches() == ("transfer_differs 1",)

    place.run(story)


def test_a_transfer_without_a_place_beside_one_that_has_one_is_told(place: Place) -> None:
    """As the release before let it be: both may be the same."""

    async def story(store: Store) -> None:
        held = [await settling(store, number) for number in (1, 2)]
        for each, index in zip(held, (3, 5), strict=True):
            assert await store.payments.settled(*each, at(index), NOW, house=False)
        assert await store.ledger.mismatches() == ()
        name = f"{TOLD.network} {HASH.lower()}"
        for table in ("payments", "ledger"):
            change = f"UPDATE {table} SET transfer = '{name}' WHERE transfer = '{name} 3'"
            await store.database.change(partial(_do, change))
        assert await store.ledger.mismatches() == ("transaction_repeated 2",)

    place.run(story)


def test_of_many_that_are_told_of_one_transaction_at_once_one_is_settled(place: Place) -> None:
    async def story(store: Store) -> None:
        held = [await settling(store, number) for number in range(1, 13)]
        outcomes = await asyncio.gather(
            *(store.payments.settled(*each, TOLD, NOW, house=False) for each in held), return_exceptions=True
        )
        assert outcomes.count(True) == 1
        assert sum(isinstance(each, TransactionCounted) for each in outcomes) == 11
        assert [row.id async for row in store.ledger.rows(None, None)] == [1]

    place.run(story)


def test_the_tables_themselves_let_no_transfer_stand_twice(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim(1))
        await settle(store, claim(2))
        for table in ("ledger", "payments"):
            with pytest.raises(Exception, match="failed"):
                await store.database.change(partial(_do, f"UPDATE {table} SET transfer = 'x'"))

    place.run(story)


def test_what_was_counted_twice_before_names_were_kept_is_told(bare: Place) -> None:
    """A database of the first tables in which one transaction pays for three, and the release of those tables goes on."""

    async def story() -> None:
        database = await open_database(bare.address, makes_tables=False)
        for statement in (*statements("0001_first.sql"), *_STAMP):
            await database.change(partial(_do, statement))
        for number, transaction in enumerate((HASH, HASH.lower(), "0x2", HASH), 1):
            await database.change(partial(_old, number, transaction))
        assert await upgrade(database, "sqlite" if bare.is_sqlite else "postgresql") == ("0001", "0002")
        await database.change(partial(_old, 5, "0x3"))
        await database.close()

    asyncio.run(asyncio.wait_for(story(), BOUND))

    async def looked(store: Store) -> None:
        assert await store.ledger.mismatches() == ("transaction_repeated 2", "transaction_repeated 4")
        held = await settling(store, 6)
        for index in (None, 9):
            with pytest.raises(TransactionCounted):
                await store.payments.settled(*held, at(index, transaction="0x2"), NOW, house=False)
        # Of two without a place nobody can say which is which; of one it can be found out.
        assert await store.payments.placeless("eip155:8453", HASH) is None
        found = await store.payments.placeless("eip155:8453", "0x2")
        assert found is not None
        assert await store.payments.place(found.key, 7)
        assert await store.payments.settled(*held, at(9, transaction="0x2"), NOW, house=False)
        assert await store.ledger.mismatches() == ("transaction_repeated 2", "transaction_repeated 4")

    bare.run(looked)


def test_an_upgrade_goes_in_steps_and_one_that_broke_off_is_gone_on_with(
    bare: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A past defect: it was one statement for all rows under a lock on all, and a large one was never done."""
    monkeypatch.setattr(migrating, "BATCH", 2)
    dialect = "sqlite" if bare.is_sqlite else "postgresql"
    told: list[tuple[int, int]] = []

    def tell(done: int, of: int) -> None:
        told.append((done, of))
        if len(told) == 2:
            raise InterruptedError

    async def story() -> None:
        database = await open_database(bare.address, makes_tables=False)
        other = await open_database(bare.address, makes_tables=False)
        for statement in (*statements("0001_first.sql"), *_STAMP):
            await database.change(partial(_do, statement))
        for number in range(1, 6):
            await database.change(partial(_old, number, f"0x{number}"))
        with pytest.raises(InterruptedError):
            await upgrade(database, dialect, tell)
        # What was done stands, the release before finds its version, and goes on.
        assert await version_of(other) == "0001"
        named = await other.read("SELECT id FROM ledger WHERE transfer IS NOT NULL ORDER BY id")
        assert [row[0] for row in named] == [1, 2, 3, 4]
        await other.change(partial(_old, 6, "0x6"))
        told.clear()
        monkeypatch.setattr(migrating, "BATCH", 4)
        assert await upgrade(database, dialect, lambda *each: told.append(each)) == ("0001", "0002")
        assert told == [(4, 6), (6, 6)] * 2
        assert await upgrade(database, dialect) == ("0002", "0002")
        await database.close()
        await other.close()

    asyncio.run(asyncio.wait_for(story(), BOUND))

    async def looked(store: Store) -> None:
        assert await store.ledger.mismatches() == ()
        unnamed = "SELECT count(*) FROM ledger l JOIN payments p ON p.ledger_id = l.id WHERE l.transfer IS NULL OR p.transfer IS NULL"
        assert (await store.database.read(unnamed))[0][0] == 0

    bare.run(looked)


def test_a_statement_of_an_upgrade_may_take_its_time(
    server: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A past defect: the driver gave up on each after ten seconds, whatever the server was told."""
    monkeypatch.setattr(postgresql, "_COMMAND_SECONDS", 0.5)

    async def story(store: Store) -> None:
        with pytest.raises(StoreUnavailable):
            await store.database.read("SELECT pg_sleep(1.5)")
        await store.database.slowly("SELECT pg_sleep(1)")
        await store.database.slowly("SELECT pg_sleep(1)", is_apart=True)

    server.database().run(story)


def test_an_index_whose_making_broke_off_is_made_anew(server: PostgreSQL) -> None:
    place = server.database(has_tables=False)

    async def story() -> None:
        database = await open_database(place.address, makes_tables=False)
        for statement in (*statements("0001_first.sql"), *_STAMP):
            await database.change(partial(_do, statement))
        await database.change(partial(_old, 1, "0x1"))
        await database.change(partial(_old, 2, "0x1"))
        broken = "CREATE UNIQUE INDEX CONCURRENTLY ledger_transfer ON ledger (transaction_id)"
        with pytest.raises(StoreUnavailable):
            await database.slowly(broken, is_apart=True)
        assert await upgrade(database, "postgresql") == ("0001", "0002")
        made = await database.read("SELECT indexdef FROM pg_indexes WHERE indexname = 'ledger_transfer'")
        assert "(transfer)" in made[0][0]
        await database.close()

    asyncio.run(asyncio.wait_for(story(), BOUND))


_STAMP = (
    "CREATE TABLE schema_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
    "INSERT INTO schema_version (version_num) VALUES ('0001')",
)


def _do(statement: str) -> Work[None]:
    yield statement, ()


def _old(number: int, transaction: str) -> Work[None]:
    """Settle a payment as the first release does."""
    money = '{"amount":"1","asset":"0xa","network":"eip155:8453"}'
    yield "UPDATE ledger_head SET last = last + 1 WHERE id = 1", ()
    row = (
        "INSERT INTO ledger (id, kind, operation, payer, recorded_at, network, asset, units, cad_pending, refund,"
        " transaction_id, house) VALUES ($1, 'payment', 'o', 'p', 1, 'eip155:8453', '0xa', '1', true, false, $2, false)"
    )
    yield row, (number, transaction)
    row = (
        "INSERT INTO payments (key, payload_sha256, payer, operation, accepted, valid_before, state, fence, lease_until,"
        " claimed_at, settled_at, transaction_id, reruns, ledger_id)"
        " VALUES ($1, 's', 'p', 'o', $2, 1, 'settled', 1, 1, 1, 1, $3, 0, $4)"
    )
    yield row, (f"k{number}", money, transaction, number)
