"""One generator, three drivers: in turn, asynchronously, from a recording."""

import asyncio
from datetime import UTC, datetime

import pytest

from assay402.core.asks import (
    Answer,
    Answered,
    Ask,
    At,
    Collecting,
    Exchange,
    Failed,
    Fetch,
    Fetched,
    Limits,
    Now,
    Pause,
    Paused,
    Recorder,
    Together,
    adrive,
    clock_only,
    drive,
    envelope,
    fetch,
    judge,
    now,
    pause,
    replay,
    together,
)
from assay402.core.errors import OurError, RecordingUnreadable
from assay402.core.opinions import Envelope, Judge

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
PAGE = Fetched(status=402, headers=(("A", "1"), ("a", "2"), ("B", "3")), body=b"{}")


def everything() -> Collecting[list[object]]:
    one = yield from fetch("https://seller.example/a")
    yield from pause(200)
    two = yield from together([Fetch(url="https://seller.example/b"), Now()])
    at = yield from now()
    return [one, two, at]


def answer(ask: Ask) -> Answer:
    match ask:
        case Fetch():
            return PAGE if ask.url.endswith("a") else Failed(state="tls")
        case Pause():
            return Paused()
        case Now():
            return At(moment=NOON)
        case Together():
            return Answered(answers=(Failed(state="tls"), At(moment=NOON)))
        case _:
            raise AssertionError


RESULT = [PAGE, (Failed(state="tls"), At(moment=NOON)), NOON]


def record() -> list[Exchange]:
    async def answer_later(ask: Ask) -> Answer:
        await asyncio.sleep(0)
        return answer(ask)

    recorder = Recorder(answer_later)
    assert asyncio.run(adrive(everything(), recorder)) == RESULT
    return recorder.exchanges


def test_each_driver_gives_the_same_result() -> None:
    assert drive(everything(), answer) == RESULT
    assert replay(everything(), record()) == RESULT


def test_a_recording_holds_each_ask_with_its_answer_in_order() -> None:
    assert [type(exchange.ask) for exchange in record()] == [Fetch, Pause, Together, Now]


def with_answers(exchanges: list[Exchange], answer: Answer) -> list[Exchange]:
    return [Exchange(ask=exchange.ask, answer=answer) for exchange in exchanges]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda exchanges: exchanges[:-1], "recording_too_short"),
        (lambda exchanges: [*exchanges, exchanges[0]], "recording_too_long"),
        (lambda exchanges: exchanges[1:], "recording_mismatch"),
        (lambda exchanges: with_answers(exchanges, Paused()), "recording_mismatch"),
        (lambda exchanges: with_answers(exchanges, At(moment=NOON)), "recording_mismatch"),
        (lambda exchanges: with_answers(exchanges, Answered(answers=())), "recording_mismatch"),
        (lambda exchanges: with_answers(exchanges, PAGE), "recording_mismatch"),
    ],
)
def test_a_recording_that_does_not_fit_is_refused(change: object, code: str) -> None:
    assert callable(change)
    with pytest.raises(RecordingUnreadable) as caught:
        replay(everything(), change(record()))
    assert caught.value.code == code


def test_a_stop_iteration_of_the_answerer_does_not_end_the_run_silently() -> None:
    """A past bug of the prototype (architecture section 4): the run must not return None."""

    def stray(_ask: Ask) -> Answer:
        raise StopIteration

    with pytest.raises(StopIteration):
        drive(everything(), stray)


@pytest.mark.parametrize(
    ("verb", "wrong"),
    [(fetch("https://seller.example"), Paused()), (now(), Paused()), (together([Now()]), Paused())],
)
def test_an_answer_of_another_kind_is_our_fault(verb: Collecting[object], wrong: Answer) -> None:
    with pytest.raises(OurError):
        drive(verb, lambda _ask: wrong)


def test_the_clock_answers_the_time_and_nothing_else() -> None:
    assert drive(now(), clock_only(lambda: NOON)) == NOON
    with pytest.raises(OurError):
        drive(pause(1), clock_only(lambda: NOON))


def test_headers_are_found_without_case_and_repeated_ones_stay_in_order() -> None:
    assert PAGE.header("A") == ("1", "2")
    assert PAGE.header("c") == ()


def test_limits_default_to_the_dialect_contract() -> None:
    """`target_fetch` and service section 1.3."""
    limits = Limits()
    assert (limits.deadline_ms, limits.body_bytes, limits.header_bytes) == (5000, 65536, 32768)
    assert (limits.wire_bytes, limits.interim_responses) == (262144, 8)


@pytest.mark.parametrize(
    ("ask", "wrong"),
    [
        (Now(), PAGE),
        (Pause(milliseconds=1), PAGE),
        (Together(asks=(Now(),)), PAGE),
        (Together(asks=(Now(),)), Answered(answers=(PAGE,))),
        (Together(asks=(Now(),)), Answered(answers=())),
    ],
)
def test_a_recorded_answer_of_another_kind_is_the_recordings_fault(ask: Ask, wrong: Answer) -> None:
    def one() -> Collecting[None]:
        yield ask

    with pytest.raises(RecordingUnreadable) as caught:
        replay(one(), [Exchange(ask=ask, answer=wrong)])
    assert caught.value.code == "recording_mismatch"


@pytest.mark.parametrize("verb", [envelope("local", "0"), judge((("said", ("shown",)),))])
def test_an_opinion_of_another_kind_is_our_fault(verb: Collecting[object]) -> None:
    with pytest.raises(OurError):
        drive(verb, lambda _ask: Paused())


@pytest.mark.parametrize(
    "ask", [Envelope(scope="local", determination="0"), Judge(statements=(("said", ("shown",)),))]
)
def test_a_recorded_opinion_of_another_kind_is_the_recordings_fault(ask: Ask) -> None:
    def one() -> Collecting[None]:
        yield ask

    with pytest.raises(RecordingUnreadable) as caught:
        replay(one(), [Exchange(ask=ask, answer=Paused())])
    assert caught.value.code == "recording_mismatch"
