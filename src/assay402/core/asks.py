"""Asks, answers, and the generators that exchange them.

A check does no input or output. It yields what it wants to know (an ask) and is sent what was found (an answer);
whoever runs it supplies the answerer: the network, a simulator or a recording. The same generator is driven
synchronously (`drive`), asynchronously (`adrive`) and from a recording (`replay`).
"""

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from msgspec import Meta, Struct

from assay402.core.errors import OurError, RecordingUnreadable
from assay402.core.opinions import Envelope, Enveloped, Judge, Judged


class Limits(Struct, frozen=True, kw_only=True):
    """What one fetch may cost. The defaults are the house's; a contract's own numbers are passed."""

    deadline_ms: int = 5_000
    """From the name look-up to the last byte, in milliseconds."""
    body_bytes: int = 65_536
    """Body as sent, never decompressed; this many pass, one more does not."""
    header_bytes: int = 32_768
    """Status line and headers of one response. Chunk headers and trailers have a smaller cap of the fetcher's own."""
    wire_bytes: int = 262_144
    """Everything read from the socket, framing included."""
    interim_responses: int = 8
    """1xx responses before the final one."""


class Fetch(Struct, frozen=True, kw_only=True, tag="fetch", tag_field="ask"):
    """One request of an address, as an unauthenticated stranger: by default a GET that follows no redirect."""

    url: str
    limits: Limits = Limits()
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    """Sent behind the fetcher's own, which they cannot replace."""
    body: bytes = b""
    redirects: int = 0
    """Redirects a GET follows, each judged like a first address; the limits hold for all of them together."""
    keep_status: bool = False
    """Whether a response that breaks off behind its headers says which status and headers it had."""


class Now(Struct, frozen=True, kw_only=True, tag="now", tag_field="ask"):
    """Ask for the time."""


class Pause(Struct, frozen=True, kw_only=True, tag="pause", tag_field="ask"):
    """Wait between tries."""

    milliseconds: int


class Together(Struct, frozen=True, kw_only=True, tag="together", tag_field="ask"):
    """Independent asks that may be answered at the same time; the answers keep the order of the asks."""

    asks: tuple[Fetch | Now | Pause, ...]


class Recall(Struct, frozen=True, kw_only=True, tag="recall", tag_field="ask"):
    """Ask for the records that were remembered with these members."""

    where: tuple[tuple[str, str], ...]


class Remember(Struct, frozen=True, kw_only=True, tag="remember", tag_field="ask"):
    """Keep a record for later runs: the text of one JSON object."""

    record: str


class Fork:
    """Generators that may be driven at the same time. No ask: whoever drives the run drives them too.

    Their exchanges are recorded one generator after the other, in this order, which is how a replay drives them.
    """

    def __init__(self, branches: "tuple[Collecting[Any], ...]") -> None:
        self.branches: Final = branches


class Joined:
    """The results of a `Fork`, in the order of its generators."""

    def __init__(self, results: tuple[Any, ...]) -> None:
        self.results: Final = results


class Fetched(Struct, frozen=True, kw_only=True, tag="fetched", tag_field="answer"):
    """A complete response, whatever its status. Header names and values are Latin-1, repeated ones kept, in order."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> tuple[str, ...]:
        """Give the values of every header of this name (case-insensitive), in order."""
        wanted = name.lower()
        return tuple(value for key, value in self.headers if key.lower() == wanted)


class Failed(Struct, frozen=True, kw_only=True, tag="failed", tag_field="answer"):
    """No complete response. `state` is a closed code, `detail` a closed phase or cause; no text of an exception."""

    state: str
    """One of `unreachable`, `tls`, `deadline`, `header_cap`, `body_cap`, `wire_cap`, `protocol`, `redirects`, `dns_no_answer`,
    `dns_too_many`, `own_address`, an `addr_…` code, or a code of the address policy (`core.target`)."""
    detail: str | None = None
    status: int | None = None
    """Of a response that broke off behind its headers, where the ask wants it."""
    headers: tuple[tuple[str, str], ...] = ()
    """The headers of such a response, as `Fetched` has them."""


class At(Struct, frozen=True, kw_only=True, tag="at", tag_field="answer"):
    """The moment of a `Now`, in UTC."""

    moment: Annotated[datetime, Meta(tz=True)]


class Paused(Struct, frozen=True, kw_only=True, tag="paused", tag_field="answer"):
    """The wait is over."""


class Recalled(Struct, frozen=True, kw_only=True, tag="recalled", tag_field="answer"):
    """The records that were asked for, oldest first, each the text of a JSON object."""

    records: tuple[str, ...]
    damaged: int = 0
    """Lines that hold no JSON object and were passed over."""


class Remembered(Struct, frozen=True, kw_only=True, tag="remembered", tag_field="answer"):
    """The record is kept."""


class Answered(Struct, frozen=True, kw_only=True, tag="answered", tag_field="answer"):
    """The answers of a `Together`, in the order of its asks."""

    answers: tuple[Fetched | Failed | At | Paused, ...]


Ask: TypeAlias = Fetch | Now | Pause | Together | Recall | Remember | Envelope | Judge
Answer: TypeAlias = Fetched | Failed | At | Paused | Answered | Recalled | Remembered | Enveloped | Judged
Result = TypeVar("Result")
Other = TypeVar("Other")
Collecting: TypeAlias = Generator[Ask | Fork, Answer | Joined, Result]
"""A generator that asks and, in the end, returns its result."""
Answerer: TypeAlias = Callable[[Ask], Answer]
AsyncAnswerer: TypeAlias = Callable[[Ask], Awaitable[Answer]]
Gather: TypeAlias = Callable[[Sequence[Awaitable[Any]]], Awaitable[tuple[Any, ...]]]
"""Waits for several things and gives their results in order."""


class Exchange(Struct, frozen=True, kw_only=True):
    """One ask with the answer it got."""

    ask: Ask
    answer: Answer


def fetch(url: str, limits: Limits | None = None) -> Collecting[Fetched | Failed]:
    """Ask for one address."""
    return (yield from request(Fetch(url=url, limits=limits or Limits())))


def request(ask: Fetch) -> Collecting[Fetched | Failed]:
    """Ask for one address, with a method, headers, a body or redirects."""
    answer = yield ask
    if isinstance(answer, Fetched | Failed):
        return answer
    raise OurError("internal")


def now() -> Collecting[datetime]:
    """Ask for the time."""
    answer = yield Now()
    if isinstance(answer, At):
        return answer.moment
    raise OurError("internal")


def pause(milliseconds: int) -> Collecting[None]:
    """Ask to wait."""
    yield Pause(milliseconds=milliseconds)


def envelope(scope: str, determination: str) -> Collecting[Enveloped]:
    """Ask for what belongs to this one run."""
    answer = yield Envelope(scope=scope, determination=determination)
    if isinstance(answer, Enveloped):
        return answer
    raise OurError("internal")


def judge(statements: tuple[tuple[str, tuple[str, ...]], ...]) -> Collecting[Judged | Failed]:
    """Ask a model for its opinions; `Failed` where none could be had."""
    answer = yield Judge(statements=statements)
    if isinstance(answer, Judged | Failed):
        return answer
    raise OurError("internal")


def together(asks: Iterable[Fetch | Now | Pause]) -> Collecting[tuple[Fetched | Failed | At | Paused, ...]]:
    """Ask several independent things at once."""
    answer = yield Together(asks=tuple(asks))
    if isinstance(answer, Answered):
        return answer.answers
    raise OurError("internal")


def recall(*where: tuple[str, str]) -> Collecting[Recalled | Failed]:
    """Ask for what was remembered with these members. `Failed` says that the memory cannot be read."""
    answer = yield Recall(where=where)
    if isinstance(answer, Recalled | Failed):
        return answer
    raise OurError("internal")


def remember(record: str) -> Collecting[bool]:
    """Ask to keep a record, and tell whether it is kept."""
    answer = yield Remember(record=record)
    return isinstance(answer, Remembered)


def side_by_side(first: Collecting[Result], second: Collecting[Other]) -> Collecting[tuple[Result, Other]]:
    """Drive two generators at the same time and give both results."""
    joined = yield Fork((first, second))
    if isinstance(joined, Joined):
        return joined.results[0], joined.results[1]
    raise OurError("internal")


def all_at_once(branches: Iterable[Collecting[Result]]) -> Collecting[tuple[Result, ...]]:
    """Drive several generators of one kind at the same time and give their results in order."""
    joined = yield Fork(tuple(branches))
    if isinstance(joined, Joined):
        return joined.results
    raise OurError("internal")


def drive(collecting: Collecting[Result], answerer: Answerer) -> Result:
    """Run a generator to its result, answering each ask in turn."""
    answer: Answer | Joined | None = None
    while True:
        # The answerer is called outside this `try`: a StopIteration of its own would end the run silently.
        try:
            ask = next(collecting) if answer is None else collecting.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if isinstance(ask, Fork):
            answer = Joined(tuple(drive(branch, answerer) for branch in ask.branches))
        else:
            answer = answerer(ask)


async def one_after_another(awaited: Sequence[Awaitable[Any]]) -> tuple[Any, ...]:
    """Wait for each in turn. `net.answerer.at_once` waits for all at the same time."""
    return tuple([await each for each in awaited])


async def adrive(
    collecting: Collecting[Result], answerer: AsyncAnswerer, gather: Gather = one_after_another
) -> Result:
    """Run a generator to its result with an asynchronous answerer; `gather` waits for the branches of a `Fork`."""
    answer: Answer | Joined | None = None
    while True:
        try:
            ask = next(collecting) if answer is None else collecting.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = await (_join(ask, answerer, gather) if isinstance(ask, Fork) else answerer(ask))


async def _join(fork: Fork, answerer: AsyncAnswerer, gather: Gather) -> Joined:
    if not isinstance(answerer, Recorder):
        return Joined(await gather([adrive(branch, answerer, gather) for branch in fork.branches]))
    beside = [(branch, answerer.beside()) for branch in fork.branches]
    results = await gather([adrive(branch, recorder, gather) for branch, recorder in beside])
    answerer.exchanges.extend(exchange for _, recorder in beside for exchange in recorder.exchanges)
    return Joined(results)


def replay(collecting: Collecting[Result], exchanges: Iterable[Exchange]) -> Result:
    """Run a generator on recorded answers.

    Raises:
        RecordingUnreadable: when the run asks something else than was recorded (`recording_mismatch`),
            asks on after the last answer (`recording_too_short`) or ends before it (`recording_too_long`).

    """
    recorded = iter(exchanges)

    def answerer(ask: Ask) -> Answer:
        exchange = next(recorded, None)
        if exchange is None:
            raise RecordingUnreadable("recording_too_short")
        if exchange.ask != ask or not _fits(ask, exchange.answer):
            raise RecordingUnreadable("recording_mismatch")
        return exchange.answer

    result = drive(collecting, answerer)
    if next(recorded, None) is not None:
        raise RecordingUnreadable("recording_too_long")
    return result


def _fits(ask: Ask, answer: Answer) -> bool:
    """Whether an answer is of the kind the ask gets."""
    match ask:
        case Fetch():
            return isinstance(answer, Fetched | Failed)
        case Now():
            return isinstance(answer, At)
        case Pause():
            return isinstance(answer, Paused)
        case Envelope():
            return isinstance(answer, Enveloped)
        case Judge():
            return isinstance(answer, Judged | Failed)
        case Recall():
            return isinstance(answer, Recalled | Failed)
        case Remember():
            return isinstance(answer, Remembered | Failed)
    return (
        isinstance(answer, Answered)
        and len(answer.answers) == len(ask.asks)
        and all(map(_fits, ask.asks, answer.answers))
    )


class Recorder:
    """An asynchronous answerer that keeps what passes through it."""

    def __init__(self, answerer: AsyncAnswerer) -> None:
        self._answerer: Final = answerer
        self.exchanges: Final[list[Exchange]] = []

    def beside(self) -> "Recorder":
        """Make a recorder of its own for one branch of a fork, with the same answerer behind it."""
        return Recorder(self._answerer)

    async def __call__(self, ask: Ask) -> Answer:
        """Answer through the answerer behind, and keep both."""
        answer = await self._answerer(ask)
        self.exchanges.append(Exchange(ask=ask, answer=answer))
        return answer


def clock_only(clock: Callable[[], datetime]) -> Answerer:
    """Make an answerer for work without a network: it tells the time and takes any other ask for a bug."""

    def answerer(ask: Ask) -> Answer:
        if isinstance(ask, Now):
            return At(moment=clock())
        raise OurError("internal")

    return answerer
