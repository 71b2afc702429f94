"""The answerer in front of the fetcher, and whose turn it is to connect."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

from assay402.core.asks import Answered, At, Failed, Fetch, Fetched, Limits, Now, Pause, Paused, Together
from assay402.net.answerer import NetworkAnswerer
from assay402.net.clock import utc_now
from assay402.net.http import Fetcher
from assay402.net.turns import Turns
from net.hostile import PUBLIC, Answers, Dialled, hostile_server, message

MOMENT = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
BOUND = 20


class Sleeper:
    """A sleep that takes no time and remembers what it was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Return at once."""
        self.slept.append(seconds)


def test_time_and_pauses_come_from_what_was_given() -> None:
    sleeper = Sleeper()
    answerer = NetworkAnswerer(Fetcher(), clock=lambda: MOMENT, sleep=sleeper)
    assert asyncio.run(answerer(Now())) == At(moment=MOMENT)
    assert asyncio.run(answerer(Pause(milliseconds=1_500))) == Paused()
    assert sleeper.slept == [1.5]


def test_the_default_clock_tells_utc() -> None:
    assert utc_now().tzinfo is UTC


def test_a_refused_address_is_an_answer() -> None:
    answer = asyncio.run(NetworkAnswerer(Fetcher())(Fetch(url="http://127.0.0.1/")))
    assert answer == Failed(state="addr_loopback")


def test_together_asks_at_the_same_time_and_answers_in_order() -> None:
    """Each of three responses waits until all three requests are there, and the first waits for the last."""

    async def run() -> object:
        arrived: set[str] = set()
        all_there, last_sent = asyncio.Event(), asyncio.Event()

        def behaviour(name: str) -> Iterator[bytes | float]:
            arrived.add(name)
            if len(arrived) == 3:
                all_there.set()
            while not (all_there.is_set() and (name != "first" or last_sent.is_set())):
                yield 0.001
            if name == "last":
                last_sent.set()
            yield message(name.encode())

        names = ("first", "middle", "last")
        behaviours = {name: (lambda name=name: behaviour(name)) for name in names}
        async with hostile_server(behaviours) as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            fetches = [Fetch(url=f"http://pay.shop.dev/{name}") for name in names]
            async with asyncio.timeout(BOUND):
                return await NetworkAnswerer(fetcher, clock=lambda: MOMENT)(Together(asks=(Now(), *fetches)))

    answered = asyncio.run(run())
    assert isinstance(answered, Answered)
    moment, *fetched = answered.answers
    assert moment == At(moment=MOMENT)
    assert [one.body for one in fetched if isinstance(one, Fetched)] == [b"first", b"middle", b"last"]


def test_no_more_fetches_are_open_than_there_are_places() -> None:
    async def run() -> int:
        open_now, most = 0, 0

        def behaviour() -> Iterator[bytes | float]:
            nonlocal open_now, most
            open_now += 1
            most = max(most, open_now)
            yield 0.005
            open_now -= 1
            yield message()

        async with hostile_server({"counted": behaviour}) as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port), turn=Turns(at_once=2))
            ask = Together(asks=(Fetch(url="http://pay.shop.dev/counted"),) * 8)
            async with asyncio.timeout(BOUND):
                answered = await NetworkAnswerer(fetcher)(ask)
        assert isinstance(answered, Answered)
        assert all(isinstance(one, Fetched) for one in answered.answers)
        return most

    assert asyncio.run(run()) == 2


class Spacing:
    """Turns half a second apart, on a clock that stands still unless it is set."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleep = Sleeper()
        self._turns = Turns(apart_ms=500, monotonic=lambda: self.now, sleep=self.sleep)

    async def pass_through(self, *addresses: str) -> None:
        """Take a turn for each of these."""
        for address in addresses:
            async with self._turns(address):
                pass


def test_connections_to_one_address_are_spaced_and_other_addresses_do_not_wait() -> None:
    spacing = Spacing()
    asyncio.run(spacing.pass_through("a", "a", "b", "a", "b"))
    assert spacing.sleep.slept == [0.5, 1.0, 0.5]


def test_a_turn_that_is_long_past_is_no_reason_to_wait() -> None:
    spacing = Spacing()
    asyncio.run(spacing.pass_through("a"))
    spacing.now += 0.5
    asyncio.run(spacing.pass_through("a"))
    assert spacing.sleep.slept == []


def test_spacing_outlasts_a_crowd_of_other_addresses() -> None:
    """What is remembered is bounded, and only what has passed is forgotten."""
    spacing = Spacing()
    asyncio.run(spacing.pass_through(*(f"early {number}" for number in range(1_024))))
    spacing.now += 0.4
    asyncio.run(spacing.pass_through("a"))
    spacing.now += 0.2
    asyncio.run(spacing.pass_through(*(f"late {number}" for number in range(1_024)), "a"))
    assert [round(slept, 3) for slept in spacing.sleep.slept] == [0.3]


def test_waiting_for_a_turn_is_not_counted_as_the_servers_time() -> None:
    async def run() -> Fetched | Failed:
        waits = asyncio.Event()

        async def sleep(_seconds: float) -> None:
            # Longer than the deadline of the fetch that waits.
            asyncio.get_running_loop().call_later(1.0, waits.set)
            await waits.wait()

        async with hostile_server() as server:
            turns = Turns(apart_ms=1_000, monotonic=lambda: 0.0, sleep=sleep)
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port), turn=turns)
            ask = Fetch(url="http://pay.shop.dev/plain", limits=Limits(deadline_ms=800))
            async with asyncio.timeout(BOUND):
                await fetcher(ask)
                return await fetcher(ask)

    assert isinstance(asyncio.run(run()), Fetched)
