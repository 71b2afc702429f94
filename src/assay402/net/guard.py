"""Which addresses a fetch may go to, decided when it connects: one look-up, every answer judged, no second look-up.

The rules themselves are pure and live in `core.target`; here are the look-ups and the judgement of their answers.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from ipaddress import ip_address
from itertools import chain, zip_longest
from typing import Final, TypeAlias

import dns.asyncbackend
import dns.asyncresolver
import dns.exception
import dns.name

from assay402.core.asks import Failed
from assay402.core.target import Target, judge_address

MAX_ANSWERS: Final = 64
"""Addresses of one name; more is no web server's configuration."""
LOOK_UP_SECONDS: Final = 2.0
"""What a look-up may take of the deadline of a fetch."""
_TRIES: Final = 3
"""Times a query fits into a look-up: a lost packet is no lost look-up."""
_LOOPBACK: Final = ("127.0.0.1", "::1")

Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""Gives the addresses of a name in the order to try them, none where there are none.

It may raise `TimeoutError` for a look-up that expired and any other `OSError` for one that failed.
"""


class Guard:
    """Gives the addresses that may be contacted for a target."""

    def __init__(
        self,
        *,
        resolver: Resolver | None = None,
        own_addresses: Iterable[str] = (),
        allow_private: bool = False,
    ) -> None:
        default = system_addresses if allow_private else DNSResolver()
        self._resolver: Final[Resolver] = default if resolver is None else resolver
        self._own: Final = frozenset(ip_address(address) for address in own_addresses)
        self._allow_private: Final = allow_private

    async def addresses(self, target: Target) -> Sequence[str] | Failed:
        """Look the target up, once, and judge every answer: one bad address refuses them all."""
        found = (target.host,) if target.is_address else await self._look_up(target.host)
        if isinstance(found, Failed):
            return found
        if not found:
            return Failed(state="dns_no_answer")
        if len(found) > MAX_ANSWERS:
            return Failed(state="dns_too_many")
        code = next(filter(None, map(self._judge, found)), None)
        return found if code is None else Failed(state=code)

    async def _look_up(self, name: str) -> Sequence[str] | Failed:
        if self._allow_private and (name == "localhost" or name.endswith(".localhost")):
            return _LOOPBACK
        try:
            return await self._resolver(name)
        except TimeoutError:
            return Failed(state="deadline", detail="dns")
        except OSError:
            return ()

    def _judge(self, address: str) -> str | None:
        code = None if self._allow_private else judge_address(address)
        return "own_address" if code is None and ip_address(address) in self._own else code


class DNSResolver:
    """Asks the name servers for A and AAAA records: no hosts file, no search domains, no thread.

    Half an answer is none: where one of the two look-ups expires, the whole expires, since what is missing might
    have been a bad address. A refusal of one (SERVFAIL for AAAA is common) is an answer: there is nothing to add.
    `servers` and `port` replace the system's configuration.
    """

    def __init__(
        self, *, servers: Sequence[str] = (), port: int = 53, seconds: float = LOOK_UP_SECONDS
    ) -> None:
        self._servers: Final = servers
        self._port: Final = port
        self._seconds: Final = seconds

    async def __call__(self, name: str) -> Sequence[str]:
        """Give the addresses, the families taking turns: a host keeps a chance where one family leads nowhere.

        Raises:
            TimeoutError: when no name server answered in time.
            ConnectionError: when the system's configuration names none that can be asked.

        """
        try:
            resolver = self._resolver
        except (dns.exception.DNSException, OSError, ValueError):
            # A configuration of the system that cannot be read: there is nobody to ask.
            raise ConnectionError from None
        absolute = dns.name.from_text(f"{name}.")
        # The resolver's own lifetime is looser: it finishes a wait it has begun.
        async with asyncio.timeout(self._seconds), asyncio.TaskGroup() as group:
            asked = [group.create_task(_records(resolver, absolute, kind)) for kind in ("A", "AAAA")]
        v4, v6 = (task.result() for task in asked)
        if v4 is None or v6 is None:
            raise TimeoutError
        return [address for address in chain.from_iterable(zip_longest(v4, v6)) if address is not None]

    @cached_property
    def _resolver(self) -> dns.asyncresolver.Resolver:
        resolver = dns.asyncresolver.Resolver(configure=not self._servers)
        if self._servers:
            resolver.port = self._port
            resolver.nameservers = self._servers
        resolver.search = []
        resolver.lifetime = self._seconds
        resolver.timeout = self._seconds / _TRIES
        return resolver


async def _records(resolver: dns.asyncresolver.Resolver, name: dns.name.Name, kind: str) -> list[str] | None:
    """Give the addresses of one kind; None says that the look-up expired."""
    backend = dns.asyncbackend.get_backend("asyncio")
    try:
        answer = await resolver.resolve(name, kind, backend=backend)
    except dns.exception.Timeout:
        return None
    except dns.exception.DNSException:
        return []
    return [record.address for record in answer]


async def system_addresses(name: str) -> Sequence[str]:
    """Ask the operating system, hosts file included: for a person's own machine.

    The system's look-up cannot be cancelled. It runs in a daemon thread of its own, so that a deadline ends the
    wait and neither the event loop's thread pool nor the end of the process waits for it.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def deliver(found: Sequence[str]) -> None:
        if not answer.done():
            answer.set_result(found)

    def look_up() -> None:
        found = _ask_system(name)
        # The loop may be closed by now: nobody waits any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, found)

    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    return await answer


def _ask_system(name: str) -> Sequence[str]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # UnicodeError: a label the host-name encoding does not take
        return ()
    return [str(address[0]) for *_, address in found]
