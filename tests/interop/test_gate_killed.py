"""The process is killed at each step of the gate, on both databases; a client retries: one settlement, one ledger row."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay402.service.order import Delivered, Offered
from assay402.store.opening import Store, open_store
from service.dying import steps_of
from service.test_doubt import Chain
from service.world import KEEPING, PAID, World, world
from store.databases import MISSING, Place, PostgreSQL, postgresql_server

ROOT = Path(__file__).parents[2]
BOUND = 60


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING)} (extra `interop`)")
    with postgresql_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return Place(f"sqlite:{tmp_path / 'assay.sqlite3'}")
    running: PostgreSQL = request.getfixturevalue("server")
    return running.database()


async def killed(job: dict[str, Any]) -> int:
    """Have a process take the order and die of it; gives the signal it died of."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "service.dying",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    async with asyncio.timeout(BOUND):
        told, _ = await process.communicate(json.dumps(job).encode() + b"\n")
    return int(told)


async def retried(made: World, name: str, payment: dict[str, Any]) -> list[Delivered]:
    """Send the same payment as a client would, until it is answered twice."""
    answers: list[Delivered] = []
    for _ in range(8):
        outcome = await made.take(name, payment)
        assert not isinstance(outcome, Offered)
        if isinstance(outcome, Delivered):
            answers.append(outcome)
            if len(answers) == 2:
                break
        else:
            made.clock.pass_by(83)
    return answers


@pytest.mark.parametrize("name", PAID)
def test_whoever_dies_where_the_payment_is_settled_once_and_answered(place: Place, name: str) -> None:
    async def story(store: Store, number: int, step: str) -> None:
        async with world(payments=store.payments, free_tier=store.free_tier) as made:
            made.orders = made.service(chain=Chain(made))
            payment = await made.paid(name, lives=1_000, nonce=f"0x{number:064x}")
            job = {"database": place.address, "facilitator": made.facilitator.url, "name": name}
            assert await killed({**job, "payment": payment, "step": step}) == signal.SIGKILL, step
            answers = await retried(made, name, payment)
            assert len(answers) == 2, step
            assert len(made.facilitator.moved) == 1, step
            rows = [row async for row in store.ledger.rows(None, None)]
            assert len(rows) == number, step
            assert rows[-1].units == int(payment["accepted"]["amount"])
            assert await store.ledger.mismatches() == ()
            if name in KEEPING:
                assert answers[0].body == answers[1].body

    async def told() -> None:
        store = await open_store(place.address)
        try:
            for number, step in enumerate(steps_of(keeps=name in KEEPING), 1):
                await story(store, number, step)
        finally:
            await store.close()

    asyncio.run(told())


@pytest.mark.parametrize("name", PAID)
def test_forty_at_once_from_two_processes_settle_once(place: Place, name: str) -> None:
    async def told() -> None:
        store = await open_store(place.address)
        try:
            async with world(payments=store.payments, free_tier=store.free_tier) as made:
                payment = await made.paid(name)
                job = {
                    "database": place.address,
                    "facilitator": made.facilitator.url,
                    "name": name,
                    "times": 20,
                }
                job |= {"payment": payment, "step": "never"}
                assert set(await asyncio.gather(killed(job), killed(job))) == {0}
                assert len(made.facilitator.moved) == 1
                assert len([row async for row in store.ledger.rows(None, None)]) == 1
                assert await store.ledger.mismatches() == ()
        finally:
            await store.close()

    asyncio.run(told())
