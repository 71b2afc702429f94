"""The whole service in paid mode over HTTP: its own orders and store, a facilitator on loopback that can fail, a clock.

    with facilitator() as money, paid_service(tmp_path, money) as running:
        answer = running.pay("dialect/check")

Money is what the facilitator moved; `books` reads the ledger when the service has stopped.
"""

import asyncio
import base64
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from signal import SIGTERM
from typing import Any

from msgspec.structs import replace

from assay402.core.asks import Failed, Fetch, Fetched
from assay402.net.facilitator import HTTPFacilitator, Patience, operators_fetcher
from assay402.service.ports import ChainLookup, LedgerRow
from assay402.service.resources import PATHS
from assay402.service.settings import Settings
from assay402.service.telemetry import Log, Telemetry
from assay402.store.opening import Store
from assay402.store.sqlite import SQLiteDatabase
from assay402.web.app import Face
from assay402.web.assembly import Outside, assembled
from assay402.web.server import Server, config_of, listen
from facilitator_faults import FaultyFacilitator
from service.facilitator_server import FacilitatorServer, facilitator_server
from service.world import BASE, REQUESTS, SETTINGS, SOLANA, Clock, signed
from store.databases import Place
from web.served import SECONDS, Reply, Service

QUICK = Patience(
    verify_ms=400,
    settle_ms=400,
    pending_pause_seconds=0,
    apart_seconds=0,
    lately_seconds=0,
    longest_wait_seconds=0,
)
TRIES = 40


class Money:
    """The facilitator: `server` moves money and counts it, `faulty` stands before it and fails as it is told."""

    def __init__(self, server: FacilitatorServer, faulty: FaultyFacilitator) -> None:
        self.server = server
        self.faulty = faulty

    @property
    def moved(self) -> int:
        """How many payments moved."""
        return len(self.server.moved)


@contextmanager
def facilitator(*networks: str) -> Iterator[Money]:
    """Run a facilitator in a thread of its own until the block ends."""
    found: list[tuple[FacilitatorServer, asyncio.AbstractEventLoop, asyncio.Event]] = []
    ready = threading.Event()

    async def run() -> None:
        over = asyncio.Event()
        async with facilitator_server(*(networks or (BASE, SOLANA))) as server:
            found.append((server, asyncio.get_running_loop(), over))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(SECONDS)
    ((server, loop, over),) = found
    faulty = FaultyFacilitator(server.url)
    try:
        yield Money(server, faulty)
    finally:
        faulty.close()
        loop.call_soon_threadsafe(over.set)
        thread.join(SECONDS)
        assert not thread.is_alive()


class PaidService(Service):
    """The service running, with what a test sets or looks at."""

    clock: Clock
    money: Money
    store: Store
    nonces = 0

    def offer(self, name: str = "dialect/check", body: bytes | None = None) -> dict[str, Any]:
        """Ask without paying, and give the offer."""
        answer = self.ask(name, body=body)
        assert answer.status == 402, answer.body
        offer: dict[str, Any] = unpacked(answer.header("PAYMENT-REQUIRED"))
        return offer

    def payment(self, name: str = "dialect/check", body: bytes | None = None, **how: Any) -> dict[str, Any]:
        """Make a payment for the offer of now."""
        self.nonces += 1
        lives = how.pop("lives", 300)
        return signed(
            self.offer(name, body),
            **{
                "nonce": f"0x{self.nonces:064x}",
                "valid_before": int(self.clock().timestamp()) + lives,
                **how,
            },
        )

    def ask(
        self,
        name: str = "dialect/check",
        payment: Any = None,
        *,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Send a request, with a payment or without."""
        sent = {} if payment is None else {"PAYMENT-SIGNATURE": packed(payment)}
        request = REQUESTS[name.partition("/")[0]] if body is None else body
        return self.post(PATHS[name], request, {**sent, **(headers or {})})

    def insist(self, name: str, payment: Any, *, body: bytes | None = None) -> Reply:
        """Send a payment until there is an outcome, waiting each time as long as the answer says, by the test's clock."""
        for _ in range(TRIES):
            answer = self.ask(name, payment, body=body)
            if answer.status not in (202, 503):
                return answer
            self.clock.pass_by(int(answer.header("Retry-After") or "0"))
        raise AssertionError("no outcome")

    @property
    def writer(self) -> sqlite3.Connection:
        """The connection that writes, to spoil it between two changes."""
        database = self.store.database
        assert isinstance(database, SQLiteDatabase)
        connection = database._file.connection
        assert connection is not None
        return connection


async def nobody_there(_ask: Fetch) -> Fetched | Failed:
    """Answer what requests name: nobody is there."""
    return Failed(state="unreachable", detail="refused")


@contextmanager
def paid_service(
    folder: Path,
    money: Money,
    *,
    settings: Settings = SETTINGS,
    chain: ChainLookup | None = None,
    fetcher: Callable[[Fetch], Any] = nobody_there,
    clock: Clock | None = None,
    patience: Patience = QUICK,
) -> Iterator[PaidService]:
    """Run the service on a free port until the block ends, and what it has under way with it."""
    listening = listen("127.0.0.1", 0)
    wanted = replace(settings, facilitator_url=money.faulty.url)
    lines: list[str] = []
    telemetry, time = Telemetry(Log(lines.append)), clock or Clock()
    up, running, faults = threading.Event(), list[PaidService](), list[BaseException]()

    async def run() -> None:
        asked = HTTPFacilitator(money.faulty.url, fetcher=operators_fetcher(), patience=patience)
        outside = Outside(fetcher=fetcher, facilitator=asked, chain=chain, clock=time)
        async with assembled(wanted, folder, telemetry, outside) as serving, AsyncExitStack() as alive:
            face = Face(serving)
            server = Server(config_of(face, timeout_graceful_shutdown=5), face.drain)
            server.config.load()
            server.lifespan = server.config.lifespan_class(server.config)
            await alive.enter_async_context(face.running())
            await server.startup(sockets=[listening])
            made = PaidService(listening.getsockname()[1], face, serving.orders, lines, telemetry)
            made.clock, made.money = time, money
            # The service shows its store to nobody; what asks it for its health does know it.
            made.store = getattr(serving.health["database"], "__self__")  # noqa: B009  (the type of a callable has no such member)
            made.loop = asyncio.get_running_loop()
            made.stop = lambda: server.handle_exit(SIGTERM, None)
            running.append(made)
            up.set()
            await server.main_loop()
            await server.shutdown(sockets=[listening])
            await serving.orders.drained()

    def body() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001  (raised again where the test waits)
            faults.append(error)
        finally:
            up.set()

    thread = threading.Thread(target=body)
    thread.start()
    try:
        assert up.wait(SECONDS)
        if faults:
            raise faults[0]
        yield running[0]
    finally:
        if running:
            running[0].stop()
        thread.join(SECONDS)
        listening.close()
        assert not thread.is_alive()
    assert faults == []


def packed(payment: Any) -> str:
    """Write a value as one of x402's headers."""
    return base64.b64encode(json.dumps(payment).encode()).decode()


def unpacked(value: str | None) -> Any:
    """Read one of x402's headers."""
    assert value is not None
    return json.loads(base64.b64decode(value, validate=True))


def transaction(answer: Reply) -> str:
    """Give the transaction that an answer says paid for it."""
    settlement = unpacked(answer.header("PAYMENT-RESPONSE"))
    assert settlement["success"] is True
    return str(settlement["transaction"])


def books(address: str) -> list[LedgerRow]:
    """Give the ledger, which must agree with the gate's rows."""

    async def story(store: Store) -> list[LedgerRow]:
        assert await store.ledger.mismatches() == ()
        return [row async for row in store.ledger.rows(None, None)]

    return Place(address).run(story)


def books_of(folder: Path) -> list[LedgerRow]:
    """Give the ledger of a service whose database is a file in a folder."""
    return books(f"sqlite:{folder / 'assay.sqlite3'}")
