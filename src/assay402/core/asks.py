"""Asks, answers, and the generators that exchange them.

A check does no input or output. It yields what it wants to know (an ask) and is sent what was found (an answer);
whoever runs it supplies the answerer: the network, a simulator or a recording. The same generator is driven
synchronously (`drive`), asynchronously (`adrive`) and from a recording (`replay`).
"""

from collections.abc import Awaitable, Callable, Generator, Iterable
from datetime import datetime
from typing import Annotated, Final, TypeAlias, TypeVar

from msgspec import Meta, Struct

from assay402.core.errors import OurError, RecordingUnreadable


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
    """One GET of an address, as an unauthenticated stranger, no redirect followed."""

    url: str
    limits: Limits = Limits()


class Now(Struct, frozen=True, kw_only=True, tag="now", tag_field="ask"):
    """Ask for the time."""


class Pause(Struct, frozen=True, kw_only=True, tag="pause", tag_field="ask"):
    """Wait between tries."""

    milliseconds: int


class Envelope(Struct, frozen=True, kw_only=True, tag="envelope", tag_field="ask"):
    """Ask for what belongs to this one run and not to its result: who asks, when, under which id, paid or not."""

    scope: str
    """What the run is for, such as `machine:diagnose`."""
    determination: str
    """How the run ended, in the contract's word, because metering depends on it."""


class Judge(Struct, frozen=True, kw_only=True, tag="judge", tag_field="ask"):
    """Ask a model for its opinion on statements; what it says is an opinion and bounded by the rules that ask."""

    statements: tuple[tuple[str, tuple[str, ...]], ...]
    """Each statement with the texts it is to be read against."""


class Together(Struct, frozen=True, kw_only=True, tag="together", tag_field="ask"):
    """Independent asks that may be answered at the same time; the answers keep the order of the asks."""

    asks: tuple[Fetch | Now | Pause, ...]


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
    """One of `unreachable`, `tls`, `deadline`, `header_cap`, `body_cap`, `wire_cap`, `protocol`, `dns_no_answer`,
    `dns_too_many`, `own_address`, an `addr_…` code, or a code of the address policy (`core.target`)."""
    detail: str | None = None


class At(Struct, frozen=True, kw_only=True, tag="at", tag_field="answer"):
    """The moment of a `Now`, in UTC."""

    moment: Annotated[datetime, Meta(tz=True)]


class Paused(Struct, frozen=True, kw_only=True, tag="paused", tag_field="answer"):
    """The wait is over."""


class Enveloped(Struct, frozen=True, kw_only=True, tag="enveloped", tag_field="answer"):
    """What an `Envelope` asked for."""

    request_id: str
    nonce: str
    moment: datetime
    actor_id: str
    tenant_id: str
    tenant_model: str
    credential_id: str | None
    idempotency_key: str
    payment_context_hash: str | None
    payment_status: str
    billable: bool
    billing_reason: str | None


class Opinion(Struct, frozen=True, kw_only=True):
    """What a model thinks of one statement: three weights between 0 and 1, and the words it relies on, if it gave any."""

    entail: float
    contradict: float
    neutral: float
    quote: str | None = None


class Judged(Struct, frozen=True, kw_only=True, tag="judged", tag_field="answer"):
    """The answer to a `Judge`: which model spoke, and one opinion for each statement in order, None where it gave none."""

    model: str
    opinions: tuple[Opinion | None, ...]
    provider: str = "local"
    support_threshold: float = 0.9
    contradict_threshold: float = 0.9


class Answered(Struct, frozen=True, kw_only=True, tag="answered", tag_field="answer"):
    """The answers of a `Together`, in the order of its asks."""

    answers: tuple[Fetched | Failed | At | Paused, ...]


Ask: TypeAlias = Fetch | Now | Pause | Together | Envelope | Judge
Answer: TypeAlias = Fetched | Failed | At | Paused | Answered | Enveloped | Judged
Result = TypeVar("Result")
Collecting: TypeAlias = Generator[Ask, Answer, Result]
"""A generator that asks and, in the end, returns its result."""
Answerer: TypeAlias = Callable[[Ask], Answer]
AsyncAnswerer: TypeAlias = Callable[[Ask], Awaitable[Answer]]


class Exchange(Struct, frozen=True, kw_only=True):
    """One ask with the answer it got."""

    ask: Ask
    answer: Answer


def fetch(url: str, limits: Limits | None = None) -> Collecting[Fetched | Failed]:
    """Ask for one address."""
    answer = yield Fetch(url=url, limits=limits or Limits())
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


def drive(collecting: Collecting[Result], answerer: Answerer) -> Result:
    """Run a generator to its result, answering each ask in turn."""
    answer: Answer | None = None
    while True:
        # The answerer is called outside this `try`: a StopIteration of its own would end the run silently.
        try:
            ask = next(collecting) if answer is None else collecting.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = answerer(ask)


async def adrive(collecting: Collecting[Result], answerer: AsyncAnswerer) -> Result:
    """Run a generator to its result with an asynchronous answerer."""
    answer: Answer | None = None
    while True:
        try:
            ask = next(collecting) if answer is None else collecting.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = await answerer(ask)


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
