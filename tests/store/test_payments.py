"""The contract of the port `Payments`, the same on both databases."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from assay402.core.errors import OurError
from assay402.service.ports import (
    UNSETTLED_PER_PAYER,
    Claimed,
    Entry,
    KeptAnswer,
    Known,
    PaymentRow,
    PaymentState,
    StoreUnavailable,
    TooManyUnsettled,
)
from assay402.store.opening import Store
from assay402.store.sql_payments import _claim
from store.databases import CLAIM, ENTRY, NOW, PAID, Place, after, answer, claim, settle


def test_a_claim_is_found_as_it_was_made(place: Place) -> None:
    whole = claim(payment_id="payment-id-0123456789", idempotency_key="key-1")

    async def story(store: Store) -> tuple[PaymentRow | None, ...]:
        assert await store.payments.claim(whole, NOW) == Claimed(fence=1)
        return (
            await store.payments.find(whole.key),
            await store.payments.find_by_payment_id(whole.payer, "payment-id-0123456789"),
            await store.payments.find_by_idempotency_key(whole.payer, whole.operation, "key-1"),
            await store.payments.find("another"),
            await store.payments.find_by_payment_id("another", "payment-id-0123456789"),
            await store.payments.find_by_idempotency_key(whole.payer, "another", "key-1"),
        )

    expected = PaymentRow(
        key=whole.key,
        payload_sha256=whole.payload_sha256,
        payer=whole.payer,
        payment_id="payment-id-0123456789",
        idempotency_key="key-1",
        operation="dialect/check",
        accepted=whole.accepted,
        valid_before=after(300),
        state=PaymentState.CLAIMED,
        fence=1,
        lease_until=after(30),
        claimed_at=NOW,
        settled_at=None,
        transaction=None,
        reruns=0,
    )
    assert place.run(story) == (expected, expected, expected, None, None, None)


def test_times_are_kept_to_the_millisecond_and_back_to_1970(place: Place) -> None:
    early = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    late = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

    async def story(store: Store) -> PaymentRow | None:
        await store.payments.claim(claim(valid_before=late, lease_until=early), NOW)
        return await store.payments.find(claim().key)

    row = place.run(story)
    assert row is not None
    assert row.valid_before == late.replace(microsecond=999_000)
    assert row.lease_until == early.replace(microsecond=999_000)


def test_a_claimed_key_is_known_and_nothing_is_written(place: Place) -> None:
    async def story(store: Store) -> None:
        await store.payments.claim(claim(), NOW)
        before = await store.payments.find(claim().key)
        again = await store.payments.claim(claim(payload_sha256="f" * 64, payment_id="other"), after(5))
        assert before is not None
        assert again == Known(row=before)
        other_payer = await store.payments.claim(claim(payer="0xother"), after(5))
        assert other_payer == Known(row=before)
        assert await store.payments.find(claim().key) == before

    place.run(story)


def test_a_payment_id_stands_on_one_row_until_that_is_released_or_expired(place: Place) -> None:
    first, second, third = (claim(number, payment_id="the-id") for number in (1, 2, 3))

    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(first, NOW)
        standing = await payments.find(first.key)
        assert standing is not None
        assert await payments.claim(second, NOW) == Known(row=standing)
        assert await payments.claim(claim(9, payer="0xother", payment_id="the-id"), NOW) == Claimed(fence=1)
        assert await payments.release(first.key, 1)
        assert await payments.claim(second, NOW) == Claimed(fence=1)
        second_row = await payments.find(second.key)
        assert second_row is not None
        # The released row may not come back beside it.
        assert await payments.claim(first, after(9)) == Known(row=second_row)
        assert await payments.find_by_payment_id("0xpayer", "the-id") == second_row
        assert await payments.expire(second.key, 1)
        assert await payments.claim(third, NOW) == Claimed(fence=1)

    place.run(story)


def test_an_idempotency_key_stands_on_one_row_of_payer_and_operation_until_that_is_let_go(
    place: Place,
) -> None:
    first, second, third = (claim(number, idempotency_key="the-key") for number in (1, 2, 3))

    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(first, NOW)
        standing = await payments.find(first.key)
        assert standing is not None
        assert await payments.claim(second, NOW) == Known(row=standing)
        for number, other in ((8, {"payer": "0xother"}), (9, {"operation": "deliverable/check"})):
            named = claim(number, idempotency_key="the-key", **other)
            assert await payments.claim(named, NOW) == Claimed(fence=1)
        assert await payments.release(first.key, 1)
        await settle(store, second)
        outcome = await payments.claim(first, after(9))
        assert isinstance(outcome, Known)
        assert (outcome.row.key, outcome.row.state) == (second.key, PaymentState.SETTLED)
        assert isinstance(await payments.claim(third, NOW), Known)

    place.run(story)


def test_a_settled_payment_keeps_its_payment_id(place: Place) -> None:
    async def story(store: Store) -> None:
        await settle(store, claim(payment_id="the-id"))
        outcome = await store.payments.claim(claim(2, payment_id="the-id"), NOW)
        assert isinstance(outcome, Known)
        assert outcome.row.state is PaymentState.SETTLED

    place.run(story)


def test_the_row_that_stands_is_found_before_newer_ones_that_do_not(place: Place) -> None:
    """A clock that was put back must not hide the payment that is under way."""

    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(claim(1, payment_id="the-id", idempotency_key="k"), after(100))
        await payments.release(claim(1).key, 1)
        await payments.claim(claim(2, payment_id="the-id", idempotency_key="k"), NOW)
        by_id = await payments.find_by_payment_id("0xpayer", "the-id")
        by_key = await payments.find_by_idempotency_key("0xpayer", "dialect/check", "k")
        assert by_id is not None
        assert by_id.key == claim(2).key
        assert by_key == by_id

    place.run(story)


def test_a_released_payment_is_claimed_anew_with_a_higher_fence(place: Place) -> None:
    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(claim(), NOW)
        await payments.keep(claim().key, 1, ENTRY, answer(), after(60))
        assert await payments.release(claim().key, 1)
        assert await payments.answer_paid_by(claim().key) is None
        anew = claim(payload_sha256="e" * 64, payment_id="id", valid_before=after(900), lease_until=after(50))
        assert await payments.claim(anew, after(20)) == Claimed(fence=2)
        row = await payments.find(claim().key)
        assert row is not None
        assert (row.payload_sha256, row.payment_id, row.state) == ("e" * 64, "id", PaymentState.CLAIMED)
        assert (row.valid_before, row.lease_until, row.claimed_at) == (after(900), after(50), after(20))
        assert not await payments.keep(claim().key, 1, ENTRY, None, after(60))
        assert await payments.keep(claim().key, 2, ENTRY, None, after(60))

    place.run(story)


@pytest.mark.parametrize("end", ["settled", "expired"])
def test_a_payment_that_ended_is_never_claimed_moved_or_taken_again(place: Place, end: str) -> None:
    key = claim().key

    async def story(store: Store) -> None:
        payments = store.payments
        if end == "settled":
            await settle(store, claim())
        else:
            await payments.claim(claim(), NOW)
            assert await payments.expire(key, 1)
        row = await payments.find(key)
        assert row is not None
        assert row.state is PaymentState(end)
        assert await payments.claim(claim(), after(999)) == Known(row=row)
        assert await payments.take_over(key, 1, after(999), after(1999)) is None
        assert not await payments.keep(key, 1, ENTRY, None, after(1))
        assert not await payments.begin_settling(key, 1, after(1))
        assert not await payments.settled(key, 1, PAID, NOW, house=False)
        assert not await payments.release(key, 1)
        assert not await payments.expire(key, 1)
        assert await payments.in_doubt(after(9_999), 10) == ()
        assert await payments.find(key) == row

    place.run(story)


def test_the_states_are_passed_in_their_order_and_with_the_fence_only(place: Place) -> None:
    key = claim().key

    async def story(store: Store) -> None:
        payments = store.payments
        assert not await payments.keep(key, 1, ENTRY, None, after(60))
        await payments.claim(claim(), NOW)
        assert not await payments.begin_settling(key, 1, after(60))
        assert not await payments.settled(key, 1, PAID, NOW, house=False)
        assert not await payments.keep(key, 2, ENTRY, None, after(60))
        assert await payments.keep(key, 1, ENTRY, None, after(61))
        assert not await payments.keep(key, 1, ENTRY, None, after(60))
        assert not await payments.settled(key, 1, PAID, NOW, house=False)
        assert not await payments.begin_settling(key, 2, after(60))
        assert await payments.begin_settling(key, 1, after(62))
        assert not await payments.begin_settling(key, 1, after(63))
        row = await payments.find(key)
        assert row is not None
        assert (row.state, row.lease_until) == (PaymentState.SETTLING, after(62))
        assert not await payments.settled(key, 2, PAID, NOW, house=False)
        assert not await payments.release(key, 2)
        assert not await payments.expire(key, 2)
        assert await payments.settled(key, 1, PAID, after(7), house=False)
        assert not await payments.settled(key, 1, PAID, after(8), house=False)
        row = await payments.find(key)
        assert row is not None
        assert (row.state, row.settled_at, row.transaction) == (PaymentState.SETTLED, after(7), "0xfeed")
        assert [row.id async for row in store.ledger.rows(None, None)] == [1]

    place.run(story)


def test_a_lease_that_ran_out_is_taken_over_once_and_the_stalled_worker_loses(place: Place) -> None:
    key = claim().key

    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(claim(lease_until=after(30)), NOW)
        assert await payments.take_over(key, 1, after(29), after(90)) is None
        assert await payments.take_over("another", 1, after(31), after(90)) is None
        fences = await asyncio.gather(*(payments.take_over(key, 1, after(30), after(90)) for _ in range(5)))
        assert sorted(fences, key=str) == [2, None, None, None, None]
        assert not await payments.keep(key, 1, ENTRY, None, after(60))
        assert not await payments.release(key, 1)
        assert await payments.keep(key, 2, ENTRY, None, after(100))
        assert await payments.take_over(key, 2, after(101), after(200)) == 3
        assert await payments.begin_settling(key, 3, after(210))
        assert await payments.take_over(key, 3, after(211), after(300)) == 4
        assert not await payments.settled(key, 3, PAID, NOW, house=False)
        assert await payments.settled(key, 4, PAID, NOW, house=False)

    place.run(story)


def test_a_worker_that_lets_go_can_be_followed_at_once(place: Place) -> None:
    key = claim().key

    async def story(store: Store) -> None:
        payments = store.payments
        await payments.claim(claim(lease_until=after(30)), NOW)
        assert not await payments.leave(key, 2, after(5))
        assert await payments.leave(key, 1, after(5))
        assert await payments.take_over(key, 1, after(5), after(90)) == 2
        assert not await payments.leave(key, 1, after(5))
        assert await payments.release(key, 2)
        assert not await payments.leave(key, 2, after(5))

    place.run(story)


def test_what_is_in_doubt_is_given_oldest_first(place: Place) -> None:
    async def story(store: Store) -> list[str]:
        for number, seconds in ((1, 30), (2, 10), (3, 20), (4, 99)):
            await store.payments.claim(claim(number, lease_until=after(seconds)), NOW)
        await store.payments.release(claim(3).key, 1)
        assert len(await store.payments.in_doubt(after(50), 1)) == 1
        return [row.key for row in await store.payments.in_doubt(after(30), 10)]

    assert place.run(story) == [claim(2).key, claim(1).key]


def test_a_payer_has_four_unsettled_claims_at_most(place: Place) -> None:
    async def story(store: Store) -> None:
        payments = store.payments
        for number in range(UNSETTLED_PER_PAYER):
            assert await payments.claim(claim(number), NOW) == Claimed(fence=1)
        assert await payments.claim(claim(50), NOW) == TooManyUnsettled()
        assert await payments.find(claim(50).key) is None
        # What is known stays known, and others are not concerned.
        assert isinstance(await payments.claim(claim(0), NOW), Known)
        assert await payments.claim(claim(60, payer="0xother"), NOW) == Claimed(fence=1)
        assert await payments.release(claim(0).key, 1)
        assert await payments.claim(claim(50), NOW) == Claimed(fence=1)
        assert await payments.claim(claim(0), NOW) == TooManyUnsettled()
        assert await payments.expire(claim(1).key, 1)
        await settle(store, claim(51))
        assert await payments.claim(claim(52), NOW) == Claimed(fence=1)
        assert await payments.claim(claim(53), NOW) == TooManyUnsettled()

    place.run(story)


def test_what_stood_in_the_way_of_a_claim_and_was_let_go_meanwhile_is_no_obstacle() -> None:
    """Another process may release a row between the statement that met it and the one that looks for it."""
    work = _claim(claim(payment_id="payment-id-0123456789"), NOW, locks=True)
    told: list[Sequence[Sequence[Any]]] = [[], [(0,)], [], [], [], []]
    next(work)
    for rows in told[:-1]:
        work.send(rows)
    assert work.send(told[-1])[0].startswith("INSERT INTO payments")
    with pytest.raises(StopIteration) as stop:
        work.send([(1,)])
    assert stop.value.value == Claimed(fence=1)


def test_where_one_change_is_done_after_another_there_is_no_list_of_payers(place: Place) -> None:
    """Rows of it are locks, and SQLite needs none."""

    async def story(store: Store) -> tuple[bool, Sequence[Sequence[Any]]]:
        await store.payments.claim(claim(), NOW)
        return store.database.is_serial, await store.database.read("SELECT payer FROM payers")

    is_serial, payers = place.run(story)
    assert [tuple(row) for row in payers] == ([] if is_serial else [("0xpayer",)])


def test_a_settled_payment_is_worked_for_again_so_often_and_so_long(place: Place) -> None:
    async def story(store: Store) -> None:
        key = claim().key
        await store.payments.claim(claim(), NOW)
        assert not await store.payments.rerun(key, after(600), 3, NOW)
        await store.payments.release(key, 1)
        await settle(store, claim(2))
        key = claim(2).key
        assert not await store.payments.rerun(key, after(600), 3, after(601))
        counted = await asyncio.gather(
            *(store.payments.rerun(key, after(600), 3, after(600)) for _ in range(9))
        )
        assert sum(counted) == 3
        row = await store.payments.find(key)
        assert row is not None
        assert row.reruns == 3

    place.run(story)


def test_an_answer_is_kept_with_its_payment_and_given_by_its_id_once_that_is_settled(place: Place) -> None:
    async def story(store: Store) -> None:
        payments, key = store.payments, claim().key
        await payments.claim(claim(), NOW)
        assert not await payments.keep(key, 2, ENTRY, answer(), after(60))
        assert await payments.answer_paid_by(key) is None
        assert await payments.keep(key, 1, ENTRY, answer(), after(60))
        assert await payments.answer_paid_by(key) == answer()
        assert await payments.answer_by_id("answer-1") is None
        assert await payments.begin_settling(key, 1, after(60))
        assert await payments.answer_by_id("answer-1") is None
        assert await payments.settled(key, 1, PAID, NOW, house=False)
        assert await payments.answer_by_id("answer-1") == answer()
        assert await payments.answer_by_id("another") is None

    place.run(story)


@pytest.mark.parametrize("end", ["release", "expire"])
def test_a_kept_answer_goes_with_a_payment_that_comes_to_nothing(place: Place, end: str) -> None:
    async def story(store: Store) -> list[tuple[object, ...]]:
        await store.payments.claim(claim(), NOW)
        await store.payments.keep(claim().key, 1, ENTRY, answer(), after(60))
        await getattr(store.payments, end)(claim().key, 1)
        rows = await store.database.read("SELECT id FROM answers")
        entries = await store.database.read("SELECT entry FROM payments")
        return [*map(tuple, rows), *map(tuple, entries)]

    assert place.run(story) == [(None,)]


def test_an_answer_whose_id_is_taken_undoes_the_whole_step(place: Place) -> None:
    async def story(store: Store) -> None:
        payments = store.payments
        await payments.keep_local(answer("taken", payment_key=None))
        await payments.claim(claim(), NOW)
        with pytest.raises(OurError):
            await payments.keep(claim().key, 1, ENTRY, answer("taken"), after(60))
        row = await payments.find(claim().key)
        assert row is not None
        assert row.state is PaymentState.CLAIMED
        assert await payments.keep(claim().key, 1, ENTRY, answer(), after(60))

    place.run(story)


def test_of_unpaid_answers_under_one_key_the_first_stands(place: Place) -> None:
    def local(name: str, operation: str = "claims/diagnose") -> KeptAnswer:
        return answer(name, scope="local", operation=operation, idempotency_key="k", payment_key=None)

    async def story(store: Store) -> None:
        payments = store.payments
        assert await payments.local_answer("claims/diagnose", "k") is None
        kept = await asyncio.gather(*(payments.keep_local(local(f"a{each}")) for each in range(6)))
        assert len({each.id for each in kept}) == 1
        assert await payments.local_answer("claims/diagnose", "k") == kept[0]
        assert await payments.answer_by_id(kept[0].id) == kept[0]
        assert await payments.keep_local(local("b", "claims/repair")) == local("b", "claims/repair")
        free = answer("c", payment_key=None, bearer_sha256=None)
        assert await payments.keep_local(free) == free
        with pytest.raises(OurError):
            await payments.keep_local(free)

    place.run(story)


def test_a_room_that_keeps_nothing_leaves_nothing_of_the_artefact(place: Place) -> None:
    """Custody NOTHING: what the ledger may say is all that stands, and in the gate's row it goes with the settlement."""

    async def story(store: Store) -> list[str | None]:
        await store.payments.claim(claim(), NOW)
        await store.payments.keep(claim().key, 1, ENTRY, None, after(60))
        await store.payments.begin_settling(claim().key, 1, after(60))
        before = await store.database.read("SELECT entry FROM payments")
        assert before[0][0].startswith('{"criteria_version":"1.0.0","report_line":"line"')
        await store.payments.settled(claim().key, 1, PAID, NOW, house=False)
        after_settling = await store.database.read("SELECT entry FROM payments")
        assert after_settling[0][0] is None
        counts = [
            await store.database.read(f"SELECT count(*) FROM {table}") for table in ("answers", "free_calls")
        ]
        assert [rows[0][0] for rows in counts] == [0, 0]
        return [row.entry.report_line async for row in store.ledger.rows(None, None)]

    assert place.run(story) == ["line"]


def test_an_entry_with_counts_reaches_the_ledger_whole(place: Place) -> None:
    entry = Entry(program="0.1.0", verdict="ACCEPT", counts={"PASS": 3, "FAIL": 0})

    async def story(store: Store) -> list[Entry]:
        await store.payments.claim(claim(), NOW)
        await store.payments.keep(claim().key, 1, entry, answer(), after(60))
        await store.payments.begin_settling(claim().key, 1, after(60))
        await store.payments.settled(claim().key, 1, PAID, NOW, house=True)
        return [row.entry async for row in store.ledger.rows(None, None)]

    assert place.run(story) == [entry]


def test_many_changes_at_once_are_each_whole_and_one_that_fails_undoes_no_other(place: Place) -> None:
    async def story(store: Store) -> None:
        await store.payments.keep_local(answer("taken", payment_key=None))
        names = ["taken" if each % 7 == 0 else f"free-{each}" for each in range(100)]
        outcomes = await asyncio.gather(
            *(store.payments.keep_local(answer(name, payment_key=None)) for name in names),
            return_exceptions=True,
        )
        assert [isinstance(each, OurError) for each in outcomes] == [name == "taken" for name in names]
        rows = await store.database.read("SELECT count(*) FROM answers")
        assert rows[0][0] == 1 + sum(name != "taken" for name in names)

    place.run(story)


def test_a_store_that_was_closed_says_so(place: Place) -> None:
    async def story(store: Store) -> None:
        await store.close()
        with pytest.raises(StoreUnavailable):
            await store.payments.find("key")
        with pytest.raises(StoreUnavailable):
            await store.payments.claim(CLAIM, NOW)
        assert not await store.is_writable()
        await store.close()

    place.run(story)


def test_a_payment_nobody_can_tell_of_is_handed_over_and_counts_no_more(place: Place) -> None:
    async def settling(store: Store, number: int) -> str:
        key = claim(number).key
        assert await store.payments.claim(claim(number), NOW) == Claimed(fence=1)
        assert await store.payments.keep(key, 1, ENTRY, None, after(60), settles=True)
        return key

    async def story(store: Store) -> None:
        payments = store.payments
        keys = [await settling(store, number) for number in range(UNSETTLED_PER_PAYER)]
        assert await payments.claim(claim(50, idempotency_key="k"), NOW) == TooManyUnsettled()
        assert not await payments.hand_over(keys[0], 2, after(61))
        for seconds, key in enumerate(keys):
            assert await payments.hand_over(key, 1, after(61 + seconds))
        assert not await payments.hand_over(keys[0], 1, after(61))
        assert [row.key for row in await payments.unresolved(9)] == keys
        assert len(await payments.unresolved(2)) == 2
        assert await payments.in_doubt(after(9_999), 9) == ()
        assert await payments.claim(claim(50), NOW) == Claimed(fence=1)
        # It is not let go, and nobody may claim it.
        assert not await payments.release(keys[0], 1)
        assert isinstance(await payments.claim(claim(0), NOW), Known)
        # Its worker lost it; who takes it over may end it either way.
        fence = await payments.take_over(keys[0], 1, after(70), after(90))
        assert fence == 2
        assert not await payments.settled(keys[0], 1, PAID, after(70), house=False)
        assert await payments.settled(keys[0], 2, PAID, after(70), house=False)
        assert await payments.expire(keys[1], 1)
        assert [row.entry async for row in store.ledger.rows(None, None)] == [ENTRY]
        assert await store.ledger.mismatches() == ()

    place.run(story)


def test_an_unresolved_payment_keeps_its_names(place: Place) -> None:
    async def story(store: Store) -> None:
        payments = store.payments
        named = claim(1, payment_id="the-id", idempotency_key="the-key")
        await payments.claim(named, NOW)
        await payments.keep(named.key, 1, ENTRY, None, after(60), settles=True)
        await payments.hand_over(named.key, 1, after(61))
        assert isinstance(await payments.claim(claim(2, payment_id="the-id"), NOW), Known)
        assert isinstance(await payments.claim(claim(3, idempotency_key="the-key"), NOW), Known)

    place.run(story)


def test_an_unresolved_payment_that_was_taken_over_can_be_left_at_once(place: Place) -> None:
    """A past defect: whoever looked it up in vain kept the operator out for the whole of a lease."""

    async def story(store: Store) -> None:
        mine = claim(1)
        await store.payments.claim(mine, NOW)
        assert await store.payments.keep(mine.key, 1, ENTRY, None, after(60), settles=True)
        assert await store.payments.hand_over(mine.key, 1, NOW)
        assert await store.payments.take_over(mine.key, 1, NOW, after(60)) == 2
        assert await store.payments.leave(mine.key, 2, NOW)
        assert await store.payments.take_over(mine.key, 2, NOW, NOW) == 3

    place.run(story)
