"""The guarded HTTP client: answers `Fetch` with one request to an address that was judged.

There is no proxy, cookie, credential or environment code here, so none of it can be talked into acting. Redirects are
followed only by an ask that says how many, and each leads to an address that is judged like the first.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from functools import cached_property
from typing import Final
from urllib.parse import urljoin

from msgspec.structs import asdict, replace

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.core.check import Refusal
from assay402.core.fetch_states import Phase
from assay402.core.target import Target, parse
from assay402.net.connection import Connection, Dial, WireCapReachedError, dial_address, system_trust
from assay402.net.guard import Guard, Resolver
from assay402.net.response import HTTPExchange
from assay402.net.turns import Turn, Turns

MAX_ADDRESSES: Final = 4
"""Addresses of one name that are tried, in order."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_REFUSED: Final = Failed(state="unreachable", detail="refused")
_RESET: Final = Failed(state="unreachable", detail="reset")
_NO_ROUTE: Final = Failed(state="unreachable", detail="no_route")
_NO_ANSWER: Final = Failed(state="deadline", detail="connect")
_TELLING: Final = (_REFUSED, _RESET, _NO_ANSWER, _NO_ROUTE)
"""What several addresses failed of, the most telling first: a missing route may be ours to mend."""


class Fetcher:
    """Fetches as an unauthenticated stranger.

    Whatever a server or a resolver does ends in `Fetched` or `Failed`; nothing is raised for it and no text of an
    exception leaves. An address that takes no connection passes the fetch on to the next, up to four; the first
    that takes one decides, be it by a TLS failure. Each may use an equal share of the time left for connecting.

    The arguments are its seams: `resolver` looks names up, `dial` connects to a judged address, `trust` judges
    certificates, `turn` lets it connect. `limits` caps what any ask may cost, member by member. `own_addresses`
    are the service's own and never contacted. `allow_private` lifts the judgement of addresses, single labels,
    special names and ports: for a person's own machine, never for a service.
    """

    def __init__(  # noqa: PLR0913 - the seams, each named by its keyword
        self,
        *,
        resolver: Resolver | None = None,
        dial: Dial = dial_address,
        trust: ssl.SSLContext | None = None,
        turn: Turn | None = None,
        limits: Limits | None = None,
        own_addresses: Iterable[str] = (),
        allow_private: bool = False,
    ) -> None:
        self._guard: Final = Guard(
            resolver=resolver, own_addresses=own_addresses, allow_private=allow_private
        )
        self._dial: Final = dial
        self._given_trust: Final = trust
        self._turn: Final = Turns() if turn is None else turn
        self._limits: Final = limits
        self._allow_private: Final = allow_private

    async def __call__(self, ask: Fetch) -> Fetched | Failed:
        """Fetch one address, and what it redirects to where that is wanted, within the limits of the ask."""
        limits = ask.limits if self._limits is None else _least(ask.limits, self._limits)
        clock = _Clock(limits.deadline_ms)
        try:
            async with clock.deadline:
                return await self._follow(ask, limits, clock)
        except TimeoutError:
            return Failed(
                state="deadline", detail=clock.phase, status=clock.status if ask.keep_status else None
            )

    async def _follow(self, ask: Fetch, limits: Limits, clock: "_Clock") -> Fetched | Failed:
        url = ask.url
        for _ in range(ask.redirects + 1):
            target = parse(url, allow_private=self._allow_private)
            if isinstance(target, Refusal):
                return Failed(state=target.code)
            clock.phase, clock.status = "dns", None
            outcome = await self._fetch(target, ask, limits, clock)
            location = _location(outcome) if ask.redirects and ask.method == "GET" else None
            if location is None:
                return outcome
            url = _resolve(url, location)
        return Failed(state="redirects")

    async def _fetch(self, target: Target, ask: Fetch, limits: Limits, clock: "_Clock") -> Fetched | Failed:
        addresses = await self._guard.addresses(target)
        if isinstance(addresses, Failed):
            return addresses
        clock.phase = "connect"
        failures = []
        tried = addresses[:MAX_ADDRESSES]
        for position, address in enumerate(tried):
            async with clock.stopped_until(self._turn(address)):
                share = clock.left() / (len(tried) - position)
                connected = await self._connect(address, target.port, share)
                if isinstance(connected, Failed):
                    failures.append(connected)
                    continue
                with closing(Connection(connected, limits.wire_bytes)) as connection:
                    return await self._exchange(connection, target, ask, limits, clock)
        return min(failures, key=_TELLING.index)

    async def _connect(self, address: str, port: int, seconds: float) -> socket.socket | Failed:
        try:
            async with asyncio.timeout(seconds):
                return await self._dial(address, port)
        except TimeoutError:
            return _NO_ANSWER
        except ConnectionRefusedError:
            return _REFUSED
        except ConnectionError:
            return _RESET
        except OSError:
            return _NO_ROUTE

    async def _exchange(
        self, connection: Connection, target: Target, ask: Fetch, limits: Limits, clock: "_Clock"
    ) -> Fetched | Failed:
        exchange = HTTPExchange(target, limits, ask.method, ask.headers, ask.body)
        outcome = await self._converse(connection, exchange, target, clock)
        if ask.keep_status and isinstance(outcome, Failed):
            return replace(outcome, status=exchange.status)
        return outcome

    async def _converse(
        self, connection: Connection, exchange: HTTPExchange, target: Target, clock: "_Clock"
    ) -> Fetched | Failed:
        try:
            if target.scheme == "https":
                clock.phase = "tls"
                await connection.secure(self._trust, target.host)
            clock.phase = exchange.phase
            # A server that answered before it read, and closed, breaks the sending; its answer is there to be read.
            with suppress(ConnectionError):
                await connection.send(exchange.request)
            while (outcome := exchange.feed(await connection.receive())) is None:
                clock.phase, clock.status = exchange.phase, exchange.status
        except WireCapReachedError:
            return Failed(state="wire_cap")
        except ssl.SSLError:
            return Failed(state="tls")
        except OSError:
            return _RESET
        return outcome

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        # Reading the system's certificates takes some milliseconds, which plain HTTP need not spend.
        return system_trust() if self._given_trust is None else self._given_trust


class _Clock:
    """The one deadline of a fetch, and what it is being spent on."""

    def __init__(self, milliseconds: int) -> None:
        self.deadline: Final = asyncio.timeout(milliseconds / 1_000)
        self.phase: Phase = "dns"
        self.status: int | None = None
        """Of the response whose body is awaited."""

    def left(self) -> float:
        """Count the seconds that are left."""
        return (self.deadline.when() or 0.0) - asyncio.get_running_loop().time()

    @asynccontextmanager
    async def stopped_until(self, turn: AbstractAsyncContextManager[None]) -> AsyncGenerator[None]:
        """Stop while we wait for our own turn: that is no time of the server's."""
        left = self.left()
        self.deadline.reschedule(None)
        async with turn:
            self.deadline.reschedule(asyncio.get_running_loop().time() + left)
            yield


def _location(outcome: Fetched | Failed) -> str | None:
    """Tell where a response redirects to, unresolved; several Locations lead nowhere."""
    if isinstance(outcome, Failed) or outcome.status not in _REDIRECTS:
        return None
    locations = outcome.header("location")
    return locations[0] if len(locations) == 1 and locations[0] else None


def _resolve(url: str, location: str) -> str:
    """Resolve a Location; one that no resolver takes is given as it is, for the judgement to refuse."""
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _least(one: Limits, other: Limits) -> Limits:
    caps = asdict(other)
    return Limits(**{name: min(value, caps[name]) for name, value in asdict(one).items()})
