"""The contract of the port `Ledger`, the same on both databases."""

import asyncio
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay402.core.errors import TheirError
from assay402.service.corrections import rate_row, refund_row, wrong_row
from assay402.service.ports import LedgerRow, StoreUnavailable, Value
from assay402.service.valuation import Rate
from assay402.store.database import Work
from assay402.store.opening import Store
from assay402.store.sql_ledger import CHUNK
from store.databases import ENTRY, NOW, PAID, Place, after, claim, settle

BACK = "0x" + "ba" * 32
RATE = Rate(rate="1.3942", rate_date=date(2026, 11, 27), basis="bank_of_canada")


async def every(store: Store, since: date | None = None, until: date | None = None) -> list[LedgerRow]:
    return [row async for row in store.ledger.rows(since, until)]


def test_a_settled_payment_is_one_row_of_the_ledger(place: Place) -> None:
    async def story(store: Store) -> list[LedgerRow]:
        await settle(store, claim(), replace(PAID, amount=2**256 - 1), house=True)
        return await every(store)

    assert place.run(story) == [
        LedgerRow(
            id=1,
            about=None,
            kind="payment",
            operation="dialect/check",
            payer="0xpayer",
            recorded_at=NOW,
            network="eip155:8453",
            asset="0xusdc",
            units=2**256 - 1,
            value=Value(rate=None, rate_date=None, basis=None, cad_pending=True, refund=False),
            transaction="0xfeed",
            fee_lamports=5,
            entry=ENTRY,
            house=True,
        )
    ]


def test_ids_have_no_gaps_however_many_settle_at_once(place: Place) -> None:
    async def story(store: Store) -> list[int]:
        await asyncio.gather(*(settle(store, claim(each, payer=f"0x{each}")) for each in range(40)))
        # What fails takes no id with it.
        first = (await every(store))[0]
        with pytest.raises(TheirError):
            await store.ledger.append(refund_row(first, first.units + 1, BACK, NOW))
        await store.ledger.append(wrong_row(first, NOW))
        return [row.id for row in await every(store)]

    assert place.run(story) == list(range(1, 42))


def test_rows_are_given_in_order_and_by_days(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        first = (await every(store))[0]
        refunds = [
            refund_row(first, 1, f"0x{days:064x}", after(86_400 * (days % 3)))
            for days in range(1, CHUNK + 10)
        ]
        ids = await asyncio.gather(*map(store.ledger.append, refunds))
        rows = await every(store)
        assert [row.id for row in rows] == list(range(1, CHUNK + 11))
        assert sorted(ids) == list(range(2, CHUNK + 11))
        day = date(2026, 12, 1)
        assert await every(store, since=day, until=date(2026, 12, 2)) == [
            row for row in rows if row.recorded_at.date() == day
        ]
        assert await every(store, until=date(2026, 11, 30)) == []

    place.run(story)


@pytest.mark.parametrize("units", [None, 4_000])
def test_a_refund_is_a_row_of_its_own(place: Place, units: int | None) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        paid = (await every(store))[0]
        assert await store.ledger.append(refund_row(paid, units, BACK, after(9))) == 2
        rows = await every(store)
        assert rows[0] == paid
        assert (rows[1].about, rows[1].kind, rows[1].units) == (1, "refund", -(units or 10_000))
        assert (rows[1].value.refund, rows[1].value.cad_pending) == (True, True)
        assert await store.ledger.mismatches() == ()

    place.run(story)


def test_refunds_never_exceed_the_payment_even_when_they_race(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        paid = (await every(store))[0]
        outcomes = await asyncio.gather(
            *(store.ledger.append(refund_row(paid, 3_000, f"0x{each:064x}", NOW)) for each in range(8)),
            return_exceptions=True,
        )
        refused = [each.code for each in outcomes if isinstance(each, TheirError)]
        assert refused == ["refund_too_large"] * 5
        assert sum(row.units for row in await every(store)) == 1_000
        for units in (0, -1):
            with pytest.raises(TheirError, match="refund_too_large"):
                await store.ledger.append(refund_row(paid, units, BACK, NOW))

    place.run(story)


def test_a_correction_is_about_a_row_that_is_there(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        paid = (await every(store))[0]
        refund = await store.ledger.append(refund_row(paid, 1, BACK, NOW))
        for row in (
            replace(refund_row(paid, 1, BACK, NOW), about=99),
            replace(refund_row(paid, 1, BACK, NOW), about=None),
            replace(refund_row(paid, 1, BACK, NOW), about=refund),
            replace(paid, about=1),
        ):
            with pytest.raises(TheirError, match="ledger_row_unknown"):
                await store.ledger.append(row)
        assert len(await every(store)) == 2

    place.run(story)


def test_a_value_comes_as_a_row_and_comes_once(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        paid = (await every(store))[0]
        refund = replace(refund_row(paid, 1, BACK, NOW), id=2)
        await store.ledger.append(refund)
        outcomes = await asyncio.gather(
            *(store.ledger.append(rate_row(paid, RATE, after(5))) for _ in range(4)), return_exceptions=True
        )
        assert [each.code for each in outcomes if isinstance(each, TheirError)] == ["rate_known"] * 3
        rows = await every(store)
        assert [row.kind for row in rows] == ["payment", "refund", "rate"]
        assert (rows[2].about, rows[2].units, rows[2].recorded_at) == (1, 0, after(5))
        valued = [row async for row in store.ledger.valued(None, None)]
        value = Value(
            rate="1.3942",
            rate_date=date(2026, 11, 27),
            basis="bank_of_canada",
            cad_pending=False,
            refund=False,
        )
        assert valued == [replace(paid, value=value), refund]
        await store.ledger.append(rate_row(refund, RATE, after(6)))
        valued = [row async for row in store.ledger.valued(None, None)]
        assert [row.value.cad_pending for row in valued] == [False, False]
        assert valued[1].value.refund

    place.run(story)


def test_a_row_is_found_by_its_id(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim())
        assert await store.ledger.find(1) == (await every(store))[0]
        assert await store.ledger.find(2) is None

    place.run(story)


DAMAGE = {
    "gate_without_ledger": [
        "UPDATE ledger SET kind = 'wrong', about = 1 WHERE id = 2",
    ],
    "ledger_without_gate": ["DELETE FROM payments WHERE ledger_id = 2"],
    "kind_differs": ["UPDATE ledger SET kind = 'wrong', about = 1 WHERE id = 2"],
    "payer_differs": ["UPDATE ledger SET payer = '0xother' WHERE id = 2"],
    "operation_differs": ["UPDATE payments SET operation = 'claims/diagnose' WHERE ledger_id = 2"],
    "transaction_differs": ["UPDATE ledger SET transaction_id = '0xother' WHERE id = 2"],
    "transaction_repeated": [
        "UPDATE ledger SET transaction_id = '0xfeed', transfer = NULL WHERE id = 2",
        "UPDATE payments SET transaction_id = '0xfeed', transfer = NULL WHERE ledger_id = 2",
    ],
    "transfer_differs": ["UPDATE payments SET transfer = 'eip155:8453 0xfeed3 7' WHERE ledger_id = 2"],
    "time_differs": ["UPDATE payments SET settled_at = settled_at + 1 WHERE ledger_id = 2"],
    "network_differs": ["UPDATE ledger SET network = 'eip155:1' WHERE id = 2"],
    "asset_differs": ["UPDATE ledger SET asset = '0xother' WHERE id = 2"],
    "units_differ": ["UPDATE ledger SET units = '1' WHERE id = 2"],
    "about_unknown": ["UPDATE ledger SET about = 3 WHERE id = 3"],
    "gap_after": ["UPDATE ledger_head SET last = 9"],
}


@pytest.mark.parametrize("code", DAMAGE)
def test_verifying_names_what_does_not_match(place: Place, code: str) -> None:
    async def story(store: Store) -> tuple[str, ...]:
        await settle(store, claim(1))
        await settle(store, claim(2))
        await store.ledger.append(wrong_row((await every(store))[0], NOW))
        assert await store.ledger.mismatches() == ()
        for statement in DAMAGE[code]:
            await store.database.change(partial(_do, statement))
        return await store.ledger.mismatches()

    found = place.run(story)
    assert code in {each.split(" ")[0] for each in found}
    assert {each.split(" ")[0] for each in found} <= {*DAMAGE, "matched_twice"}


def test_the_guide_says_what_each_code_means() -> None:
    guide = Path("docs/guides/ledger.md").read_text("utf-8")
    assert [code for code in (*DAMAGE, "matched_twice") if f"`{code} " not in guide] == []


@pytest.mark.parametrize("accepted", ["{", "[]", "{}"])
def test_a_payment_whose_requirements_are_gone_matches_no_money(place: Place, accepted: str) -> None:
    async def story(store: Store) -> tuple[str, ...]:
        await settle(store, claim())
        await store.database.change(partial(_do, f"UPDATE payments SET accepted = '{accepted}'"))
        return await store.ledger.mismatches()

    assert place.run(story) == ("network_differs 1", "asset_differs 1", "units_differ 1")


def test_all_pairs_are_compared_however_many_there_are(place: Place) -> None:
    count = CHUNK + 5

    async def story(store: Store) -> tuple[str, ...]:
        await asyncio.gather(*(settle(store, claim(each, payer=f"0x{each}")) for each in range(count)))
        await store.database.change(partial(_do, f"UPDATE ledger SET units = '1' WHERE id = {count}"))
        return await store.ledger.mismatches()

    assert place.run(story) == (f"units_differ {count}",)


def _do(statement: str) -> Work[None]:
    yield statement, ()


def test_no_row_of_the_gate_can_share_a_row_of_the_ledger(place: Place) -> None:
    """Why `matched_twice` cannot be damaged into being: the tables refuse it."""

    async def story(store: Store) -> None:
        await settle(store, claim(1))
        await settle(store, claim(2))
        for statement in (
            "UPDATE payments SET ledger_id = 1",
            "UPDATE payments SET ledger_id = NULL",
            "UPDATE ledger SET units = '1.5' WHERE id = 1",
            "DELETE FROM ledger WHERE id = 1",
        ):
            with pytest.raises(StoreUnavailable, match="failed"):
                await store.database.change(partial(_do, statement))
        assert await store.ledger.mismatches() == ()

    place.run(story)
