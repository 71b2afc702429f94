"""Issue 7, evidence 2, on a real chain: the server is killed while it pays, started again, and asked again by its client.

The server is a process, killed by the facilitator it calls: before a payment is verified, before it is settled, and after
money has moved and nobody was told. The one that comes after it has a clock that is past the dead one's lease.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.core.strictjson import write
from assay402.sandbox.serving import Reply
from assay402.service.discovery import examples
from assay402.service.order import Resource
from assay402.service.resources import resources
from assay402.service.settings import Settings
from assay402.service.timing import Timing
from facilitator_faults import Answer, Fault, FaultyFacilitator
from interop.payments import header, read_header, signed_payment
from store.databases import PostgreSQL

RUN = [sys.executable, "-c", "from assay402.cli.main import run; run()", "serve", "--port", "0"]
SECONDS = 60
PAST_THE_LEASE = timedelta(seconds=Timing().settling + 15)
NO_LEASE = timedelta(0)
"""Before a payment is claimed nobody has it, and it must outlast its work still."""
SOLD = {each.name: each for each in resources(Settings()) if each.price}
MOMENTS = {
    "before verify": ("/verify", False),
    "before settle": ("/settle", False),
    "after settle": ("/settle", True),
}
"""Where the server is killed, and whether the facilitator has done its work by then."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'assay.sqlite3'}"
    running: PostgreSQL = request.getfixturevalue("postgresql")
    return running.database().address


@pytest.fixture
def faulty(facilitator: Any) -> Iterator[FaultyFacilitator]:
    """Put a facilitator that can kill in front of the one that works."""
    running = FaultyFacilitator(facilitator.url)
    yield running
    running.close()


@pytest.fixture
def paid(chain: Any, solana_chain: Any, faulty: FaultyFacilitator, database: str) -> Settings:
    """Give the settings that the server that dies and the one that comes after it share."""
    from assay402.sandbox.world import paid_settings

    settings = paid_settings(chain, solana_chain, faulty.url)
    return replace(settings, database=database, public_url="https://seller.example")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", ["dialect/check", "deliverable/check"])
def test_a_server_that_is_killed_while_it_pays_charges_once_and_delivers(
    *,
    chain: Any,
    parties: Any,
    faulty: FaultyFacilitator,
    paid: Settings,
    tmp_path: Path,
    moment: str,
    name: str,
) -> None:
    import httpx

    resource, before = SOLD[name], chain.balance(parties.payer)
    path, is_done = MOMENTS[moment]
    with serving(paid, tmp_path) as (process, url):
        payment = payment_for(url, resource)
        faulty.faults[path] = killing(process, is_done=is_done)
        with pytest.raises(httpx.HTTPError):
            httpx.post(
                f"{url}{resource.path}", content=body(resource), headers=header(payment), timeout=SECONDS
            )
        process.wait(SECONDS)
    assert chain.balance(parties.payer) == before - (resource.price if is_done else 0)
    faulty.faults.clear()
    ahead = NO_LEASE if moment == "before verify" else PAST_THE_LEASE
    answers = asyncio.run(afterwards(paid, tmp_path, resource, payment, ahead))
    rows, mismatches = asyncio.run(books(paid, tmp_path))
    assert [answer.status_code for answer in answers] == [200, 200]
    transactions = {read_header(answer.headers["payment-response"])["transaction"] for answer in answers}
    assert [row.transaction for row in rows] == list(transactions)
    assert chain.is_settled(rows[0].transaction)
    assert mismatches == ()
    assert chain.balance(parties.payer) == before - resource.price
    if name == "deliverable/check":
        assert answers[0].content == answers[1].content


def test_forty_clients_with_one_payment_at_two_servers_settle_once(
    *, chain: Any, parties: Any, faulty: FaultyFacilitator, paid: Settings, tmp_path: Path
) -> None:
    import httpx

    resource, before = SOLD["dialect/check"], chain.balance(parties.payer)
    with serving(paid, tmp_path) as (_, first), serving(paid, tmp_path) as (_, second):
        payment = payment_for(first, resource)
        gate, statuses = threading.Barrier(40), list[int]()

        def ask(url: str) -> None:
            gate.wait(SECONDS)
            answer = httpx.post(
                f"{url}{resource.path}", content=body(resource), headers=header(payment), timeout=SECONDS
            )
            statuses.append(answer.status_code)

        clients = [threading.Thread(target=ask, args=(url,)) for url in (first, second) * 20]
        for client in clients:
            client.start()
        for client in clients:
            client.join(SECONDS)
        # Whoever comes while it settles waits; whoever comes after may have the work done anew, three times at most.
        assert len(statuses) == 40
        assert set(statuses) <= {200, 202, 409, 503}
        assert 1 <= statuses.count(200) <= 4
    rows, mismatches = asyncio.run(books(paid, tmp_path))
    assert len(rows) == 1
    assert mismatches == ()
    assert faulty.asked.count("/settle") == 1
    assert chain.balance(parties.payer) == before - resource.price


def killing(process: "subprocess.Popen[str]", *, is_done: bool) -> Fault:
    def kill(answer: Answer) -> Reply:
        if is_done:
            answer()
        os.kill(process.pid, signal.SIGKILL)
        process.wait(SECONDS)
        raise ConnectionAbortedError

    return kill


@contextmanager
def serving(settings: Settings, folder: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Run the server as an operator does: its settings come from the environment."""
    environment = {
        "ASSAY_PAYMENTS": "required",
        "ASSAY_PUBLIC_URL": str(settings.public_url),
        "ASSAY_NETWORKS": ",".join(settings.networks),
        "ASSAY_PAY_TO": ",".join(f"{place}={account}" for place, account in settings.pay_to),
        "ASSAY_RPC_URLS": ",".join(f"{network}={url}" for network, url in settings.rpc_urls),
        "ASSAY_FACILITATOR_URL": str(settings.facilitator_url),
        "ASSAY_DATABASE": settings.database,
        "ASSAY_DATA_DIR": str(folder),
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    process = subprocess.Popen(
        RUN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=kept | environment
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("assay: serving on "), process.communicate(timeout=SECONDS)[1]
        yield process, first.removeprefix("assay: serving on ").strip()
    finally:
        process.kill()
        process.communicate()


async def afterwards(
    settings: Settings, folder: Path, resource: Resource, payment: dict[str, Any], ahead: timedelta
) -> list[Any]:
    """Start the service anew with a later clock, and ask it twice."""
    import httpx

    from assay402.service.telemetry import Log, Telemetry
    from assay402.web.app import Face
    from assay402.web.assembly import Outside, assembled

    def later() -> datetime:
        return datetime.now(UTC) + ahead

    telemetry, outside = Telemetry(Log(lambda _line: None)), Outside(clock=later)
    async with assembled(settings, folder, telemetry, outside) as served:
        transport = httpx.ASGITransport(app=Face(served))
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return [
                await client.post(resource.path, content=body(resource), headers=header(payment))
                for _ in range(2)
            ]


async def books(settings: Settings, folder: Path) -> tuple[list[Any], tuple[str, ...]]:
    """Give the rows of the ledger, and what of it does not match the gate's."""
    from assay402.store.opening import open_store

    store = await open_store(settings.database, folder)
    try:
        return [row async for row in store.ledger.rows(None, None)], await store.ledger.mismatches()
    finally:
        await store.close()


def payment_for(url: str, resource: Resource) -> dict[str, Any]:
    """Sign a payment that is good for as long as an offer lets it be, so that it outlives a lease."""
    import httpx

    from assay402.sandbox.accounts import evm_account

    answer = httpx.post(f"{url}{resource.path}", content=body(resource))
    accepted = read_header(answer.headers["payment-required"])["accepts"][0]
    return signed_payment(evm_account("payer"), accepted, int(time.time()) + accepted["maxTimeoutSeconds"])


def body(resource: Resource) -> bytes:
    return write(examples()[resource.name].body)
