"""The contract of the port `FreeTier`, the same on both databases."""

import asyncio
from datetime import UTC, datetime

from assay402.store.opening import Store
from store.databases import NOW, Place, after

MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)


def test_a_day_has_its_allowance_and_the_next_day_another(place: Place) -> None:
    async def story(store: Store) -> None:
        take = store.free_tier.take
        granted = [await take("caller:a", after(each), 3, 0) for each in range(5)]
        assert granted == [True, True, True, False, False]
        assert await take("caller:b", after(9), 3, 0)
        assert not await take("caller:a", after(11 * 3600), 3, 0)
        assert await take("caller:a", MIDNIGHT, 3, 0)
        assert await take("caller:a", MIDNIGHT, 3, 0)

    place.run(story)


def test_calls_that_are_too_near_are_not_free_and_do_not_count(place: Place) -> None:
    async def story(store: Store) -> None:
        take = store.free_tier.take
        assert await take("caller:a", NOW, 2, 5_000)
        assert not await take("caller:a", after(4.999), 2, 5_000)
        assert await take("caller:a", after(5), 2, 5_000)
        assert not await take("caller:a", after(10), 2, 5_000)
        # Midnight does not shorten the interval.
        assert await take("caller:b", MIDNIGHT.replace(day=1), 2, 5_000)

    place.run(story)


def test_a_clock_that_was_put_back_closes_no_bucket(place: Place) -> None:
    async def story(store: Store) -> None:
        take = store.free_tier.take
        for _ in range(3):
            await take("caller:a", after(86_400 * 365), 2, 0)
        assert await take("caller:a", NOW, 2, 5_000)
        assert not await take("caller:a", after(-1), 2, 5_000)
        assert await take("caller:a", after(5), 2, 5_000)
        assert not await take("caller:a", after(10), 2, 5_000)

    place.run(story)


def test_two_clocks_around_midnight_do_not_give_two_allowances(place: Place) -> None:
    late = MIDNIGHT.replace(day=30, month=11, hour=23, minute=59, second=59)

    async def story(store: Store) -> list[bool]:
        return [
            await store.free_tier.take("caller:a", moment, 3, 0)
            for _ in range(4)
            for moment in (MIDNIGHT, late)
        ]

    assert sum(place.run(story)) == 3


def test_nothing_is_free_where_nothing_is_allowed(place: Place) -> None:
    async def story(store: Store) -> bool:
        return await store.free_tier.take("caller:a", NOW, 0, 0)

    assert not place.run(story)


def test_calls_at_once_get_the_allowance_and_not_one_more(place: Place) -> None:
    async def story(store: Store) -> int:
        granted = await asyncio.gather(*(store.free_tier.take("caller:a", NOW, 20, 0) for _ in range(60)))
        return sum(granted)

    assert place.run(story) == 20


def test_who_called_is_forgotten_and_how_many_is_not(place: Place) -> None:
    async def story(store: Store) -> list[str]:
        take = store.free_tier.take
        for each in range(5):
            assert await take(f"wallet:{each}", NOW, 9, 0)
            assert await take(f"call:{each}", NOW, 9, 0)
        assert await take("call:5", NOW, 9, 0)
        assert not await take("call:5", NOW, 1, 0)
        assert await store.free_tier.used(NOW) == 6
        assert await store.free_tier.forget(after(86_400), 3) == 0
        assert await take("another", after(86_401 * 2), 9, 0)
        assert [await store.free_tier.forget(after(86_401 * 2), 4) for _ in range(4)] == [4, 4, 3, 0]
        assert await store.free_tier.used(NOW) == 6
        assert await take("call:6", after(86_401 * 2), 9, 0)
        assert await store.free_tier.used(after(86_400 * 2)) == 1
        rows = await store.database.read("SELECT bucket FROM free_calls ORDER BY bucket")
        return [row[0] for row in rows]

    assert place.run(story) == ["another", "call:6"]


def test_of_several_that_forget_at_once_each_row_is_counted_once_and_a_bucket_in_use_stays(
    place: Place,
) -> None:
    async def story(store: Store) -> int:
        free = store.free_tier
        for each in range(20):
            await free.take(f"call:{each}", NOW, 9, 0)
        later = after(86_401)
        counts = await asyncio.gather(
            *(free.forget(later, 7) for _ in range(4)), *(free.take("call:3", later, 9, 0) for _ in range(3))
        )
        rows = await store.database.read("SELECT calls FROM free_calls WHERE bucket = 'call:3'")
        assert rows[0][0] == 3
        forgotten = sum(counts[:4])
        while count := await free.forget(later, 7):
            forgotten += count
        return forgotten

    # The bucket in use may have been forgotten just before, as its day was over.
    assert place.run(story) in {19, 20}
