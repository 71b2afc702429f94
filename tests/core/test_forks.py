"""Generators side by side, memory, and requests beyond a GET: each driver, one recording."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assay402.core.asks import (
    Answer,
    Ask,
    At,
    Collecting,
    Exchange,
    Failed,
    Fetch,
    Fetched,
    Now,
    Recall,
    Recalled,
    Recorder,
    Remember,
    Remembered,
    adrive,
    all_at_once,
    drive,
    now,
    recall,
    remember,
    replay,
    request,
    side_by_side,
)
from assay402.core.errors import OurError
from assay402.net.answerer import NO_MEMORY, NetworkAnswerer, at_once

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def branch(name: str) -> Collecting[str]:
    answer = yield from request(Fetch(url=name, method="POST", body=b"x", redirects=1))
    yield from now()
    return f"{name} {answer.status}"


def work() -> Collecting[list[Any]]:
    first = yield from side_by_side(branch("a"), all_at_once([branch("b"), branch("c")]))
    records = yield from recall(("event", "e"))
    kept = yield from remember("{}")
    return [first, records, kept]


async def answerer(ask: Ask) -> Answer:
    match ask:
        case Fetch(url=url):
            # The later a branch comes, the sooner it is answered.
            for _ in range(5 - ord(url) + ord("a")):
                await asyncio.sleep(0)
            return (
                Fetched(status=200, headers=(), body=b"") if url != "c" else Failed(state="tls", status=402)
            )
        case Now():
            return At(moment=NOON)
        case Recall():
            return Recalled(records=("{}",), damaged=1)
        case Remember():
            return Remembered()
        case _:
            raise AssertionError


RESULT = [("a 200", ("b 200", "c 402")), Recalled(records=("{}",), damaged=1), True]


@pytest.mark.parametrize("gather", [at_once, None])
def test_a_recording_of_a_fork_replays_branch_by_branch(gather: Any) -> None:
    """The exchanges stand in the order of the branches, whichever was answered first; the format has nothing new."""
    recorder = Recorder(answerer)
    driven = adrive(work(), recorder, gather) if gather else adrive(work(), recorder)
    assert asyncio.run(driven) == RESULT
    asked = [each.ask.url for each in recorder.exchanges if isinstance(each.ask, Fetch)]
    assert asked == ["a", "b", "c"]
    written = msgspec.json.encode(recorder.exchanges)
    assert replay(work(), msgspec.json.decode(written, type=tuple[Exchange, ...])) == RESULT


def test_a_fork_needs_no_recorder() -> None:
    assert asyncio.run(adrive(work(), answerer, at_once)) == RESULT


def test_branches_are_answered_at_the_same_time() -> None:
    met = asyncio.Event()

    async def meeting(ask: Ask) -> Answer:
        if isinstance(ask, Fetch) and ask.url == "a":
            await asyncio.wait_for(met.wait(), 5)
        met.set()
        return await answerer(ask)

    assert asyncio.run(adrive(work(), meeting, at_once)) == RESULT


def test_a_driver_that_answers_otherwise_is_our_fault() -> None:
    for collecting in (side_by_side(branch("a"), branch("b")), all_at_once([branch("a")]), recall()):
        next(collecting)
        with pytest.raises(OurError):
            collecting.send(At(moment=NOON))
    keeping = remember("{}")
    next(keeping)
    with pytest.raises(StopIteration) as stopped:
        keeping.send(Failed(state="no_memory"))
    assert stopped.value.value is False


def test_a_branch_that_raises_ends_the_run() -> None:
    async def broken(_ask: Ask) -> Answer:
        raise OurError("internal")

    with pytest.raises(ExceptionGroup):
        asyncio.run(adrive(work(), broken, at_once))


async def unused(_ask: Fetch) -> Fetched | Failed:
    raise AssertionError


def test_memory_answers_where_there_is_one() -> None:
    def memory(ask: Recall | Remember) -> Recalled | Remembered | Failed:
        return Recalled(records=()) if isinstance(ask, Recall) else Remembered()

    async def ask_both(network: NetworkAnswerer) -> Sequence[Answer]:
        return [await network(Recall(where=())), await network(Remember(record="{}"))]

    assert asyncio.run(ask_both(NetworkAnswerer(unused))) == [NO_MEMORY, NO_MEMORY]
    assert asyncio.run(ask_both(NetworkAnswerer(unused, memory=memory))) == [
        Recalled(records=()),
        Remembered(),
    ]


def test_a_synchronous_driver_takes_the_branches_in_turn() -> None:
    asked: list[Ask] = []

    def answering(ask: Ask) -> Answer:
        asked.append(ask)
        return At(moment=NOON)

    def clock() -> Collecting[datetime]:
        return (yield from now())

    def both() -> Collecting[Any]:
        return (yield from side_by_side(clock(), clock()))

    assert drive(both(), answering) == (NOON, NOON)
    assert asked == [Now(), Now()]
