"""Several processes on one database, and processes that are killed in the middle of it."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from assay402.service.ports import UNSETTLED_PER_PAYER
from assay402.store.opening import Store
from store.databases import BOUND, NOW, Place, claim, settle
from store.racing import ALLOWED, KEYS

HERE = Path(__file__).parent
PROCESSES = 3
KILLS = 6
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}


def started(script: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def raced(place: Place) -> dict[str, list[list[bool]]]:
    """Let processes race, all of them ready before any begins; gives what each got."""
    racers = [started("racing.py", place.address, str(number)) for number in range(PROCESSES)]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.close()
        racer.stdin = None
    told = [json.loads(racer.communicate(timeout=BOUND)[0]) for racer in racers]
    assert [racer.wait(BOUND) for racer in racers] == [0] * PROCESSES
    return {name: [each[name] for each in told] for name in told[0]}


def test_of_processes_that_race_each_thing_is_got_once(place: Place) -> None:
    """Evidence 2: one winner of a claim, four claims of a payer, one row of a payment id and of an Idempotency-Key, the day's free calls."""
    got = raced(place)
    assert [sum(column) for column in zip(*got["same"], strict=True)] == [1] * KEYS
    assert sum(map(sum, got["of_one_payer"])) == UNSETTLED_PER_PAYER
    assert [sum(column) for column in zip(*got["one_id"], strict=True)] == [1] * KEYS
    assert [sum(column) for column in zip(*got["one_key"], strict=True)] == [1] * KEYS
    assert sum(map(sum, got["free"])) == ALLOWED
    counts = place.rows("SELECT count(*), count(DISTINCT payment_id) FROM payments WHERE state = 'claimed'")
    assert counts == [(3 * KEYS + UNSETTLED_PER_PAYER, 1)]


ORDER = ("claimed", "stored", "settling", "settled")


def test_a_process_that_is_killed_loses_nothing_it_was_told_and_does_nothing_twice(place: Place) -> None:
    """SIGKILL at drawn points of many payments at once, each time on the same database."""
    place.run(_settle_one)
    chance = random.Random(402)
    told: dict[str, str] = {}
    for round_number in range(KILLS):
        child = started("crashing.py", place.address, str(chance.random()), f"r{round_number}")
        assert child.stdout is not None
        for _ in range(chance.randrange(1, 120)):
            _hear(child.stdout.readline(), told)
        child.kill()
        # First of all: `communicate` with a time limit reads past the lines that are buffered here already.
        for line in child.stdout.read().splitlines():
            _hear(line, told)
        child.communicate(timeout=BOUND)
        _require_whole(place, told)
    assert len(told) > KILLS


def _hear(line: str, told: dict[str, str]) -> None:
    state, key = line.split()
    told[key] = state


async def _settle_one(store: Store) -> None:
    await settle(store, claim())


def _require_whole(place: Place, told: dict[str, str]) -> None:
    """Compare what is there with what the killed process had been told."""
    _await_the_end_of_what_was_under_way(place)
    states = dict(place.rows("SELECT key, state FROM payments"))
    for key, state in told.items():
        found = states[key]
        if state in ORDER and found in ORDER:
            # A step may have become durable just before it could be told.
            assert ORDER.index(found) - ORDER.index(state) in {0, 1}
        else:
            assert found == state or state in {"claimed", "stored"}
    settled = [key for key, state in states.items() if state == "settled"]
    assert place.rows("SELECT count(*) FROM ledger") == [(len(settled),)]
    assert place.run(lambda store: store.ledger.mismatches()) == ()
    orphans = "SELECT count(*) FROM answers a JOIN payments p ON p.key = a.payment_key WHERE p.state IN ({})"
    assert place.rows(orphans.format("'claimed', 'released', 'expired'")) == [(0,)]
    assert place.run(lambda store: store.is_writable())
    assert place.run(lambda store: store.payments.in_doubt(NOW, 1)) == ()


def _await_the_end_of_what_was_under_way(place: Place) -> None:
    """Wait, for a server may still be committing for a client that is dead."""
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert place.is_sqlite or any(place.rows(others) == [(0,)] for _ in range(500))
