"""Issue 7, evidence 3, over HTTP with payments on: whatever fails, the status is right and each payment moves once or not."""

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

import pytest

import facilitator_faults as faults
from assay402.core.strictjson import write
from assay402.net.facilitator import Patience
from assay402.sandbox.serving import Reply as Told
from assay402.service.resources import PATHS
from facilitator_faults import Answer
from service.test_doubt import Chain
from service.world import KEEPING, PAID, REQUESTS, Clock, World
from small_disk import mounted
from web.paid import Money, PaidService, books_of, facilitator, packed, paid_service, transaction, unpacked
from web.served import SECONDS

CANARY = b"canary-facilitator-text"
PATIENT = Patience(apart_seconds=0, lately_seconds=0)
"""A facilitator's own time, for tests that keep it waiting on purpose."""
LARGE = write(
    {
        "deliverable": {"kind": "json", "value": {"a": 1}},
        "criteria": [{"id": f"x{number}", "check": "is_json"} for number in range(60)],
    }
)
"""A request whose answer needs pages of a database that are not there yet."""


@pytest.fixture
def money() -> Iterator[Money]:
    with facilitator() as running:
        yield running


def chain_of(money: Money) -> Chain:
    """Give a chain on which the loopback facilitator moves money."""

    class Moving:
        facilitator = money.server
        clock = Clock()
        """Its own, which no jump of ours reaches."""

    return Chain(cast("World", Moving()))


def assert_books(folder: Path, money: Money, *transactions: str) -> None:
    """Check that each payment that moved stands in the ledger once, and nothing else."""
    assert [row.transaction for row in books_of(folder)] == list(transactions)
    assert money.moved == len(transactions)


NO_ANSWER: Final = ("unavailable", "garbage", "dropped")
"""Faults of a facilitator that say nothing."""
NO_OUTCOME: Final = (*NO_ANSWER, "without_transaction", "on_another_network")
"""To a settlement; a success that shows no transaction of ours may have moved something all the same."""


@contextmanager
def stalled(money: Money, call: str, *, works: bool) -> Iterator[None]:
    """Keep the facilitator's answers back for a block; it does its work before or not at all."""
    released = threading.Event()

    def slow(answer: Answer) -> Told:
        if works:
            answer()
        released.wait(SECONDS)
        raise ConnectionAbortedError

    money.faulty.faults[call] = slow
    try:
        yield
    finally:
        released.set()
        money.faulty.faults.clear()


@contextmanager
def failing(money: Money, call: str, fault: str, *, works: bool = False) -> Iterator[None]:
    """Have a call of the facilitator fail for a block: by the fault of this name, or `slow`."""
    if fault == "slow":
        with stalled(money, call, works=works):
            yield
        return
    money.faulty.faults[call] = getattr(faults, fault)
    yield
    money.faulty.faults.clear()


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("fault", [*NO_ANSWER, "slow"])
def test_a_facilitator_that_cannot_verify_is_503_and_the_same_payment_is_good_later(
    money: Money, tmp_path: Path, name: str, fault: str
) -> None:
    with paid_service(tmp_path, money) as running:
        payment = running.payment(name)
        with failing(money, "/verify", fault):
            answer = running.ask(name, payment)
        assert (answer.status, answer.json["code"]) == (503, "facilitator_unavailable")
        assert int(answer.header("Retry-After") or "0") > 0
        assert answer.header("PAYMENT-REQUIRED") is None
        assert CANARY not in answer.body
        assert money.moved == 0
        delivered = running.ask(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert_books(tmp_path, money, paid)


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("fault", [*NO_OUTCOME, "slow"])
def test_a_facilitator_that_cannot_settle_is_202_and_the_same_payment_settles_once_later(
    money: Money, tmp_path: Path, name: str, fault: str
) -> None:
    with paid_service(tmp_path, money) as running:
        payment = running.payment(name)
        with failing(money, "/settle", fault):
            answer = running.ask(name, payment)
        assert answer.status == 202
        assert int(answer.header("Retry-After") or "0") > 0
        assert answer.header("PAYMENT-REQUIRED") is None
        assert CANARY not in answer.body
        assert money.moved == 0
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert_books(tmp_path, money, paid)


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("fault", ["lost", "failed_after", "pending", "slow"])
def test_money_that_moved_without_a_word_is_found_on_its_chain_and_moves_no_second_time(
    money: Money, tmp_path: Path, name: str, fault: str
) -> None:
    with paid_service(tmp_path, money, chain=chain_of(money)) as running:
        payment = running.payment(name)
        with failing(money, "/settle", fault, works=True):
            answer = running.ask(name, payment)
        delivered = answer if answer.status == 200 else running.insist(name, payment)
        assert delivered.status == 200
        assert CANARY not in delivered.body
        paid = transaction(delivered)
    assert_books(tmp_path, money, paid)


@pytest.mark.parametrize("name", PAID)
def test_without_a_node_money_that_moved_without_a_word_is_202_for_ever_and_never_charged_again(
    money: Money, tmp_path: Path, name: str
) -> None:
    """Why the operator's guide asks for a node of each network."""
    with paid_service(tmp_path, money) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = faults.lost
        assert running.ask(name, payment).status == 202
        money.faulty.faults.clear()
        for _ in range(3):
            running.clock.pass_by(3_600)
            answer = running.ask(name, payment)
            assert answer.status == 202
            assert answer.header("PAYMENT-REQUIRED") is None
    assert money.moved == 1


@pytest.mark.parametrize("name", PAID)
def test_a_settlement_that_is_refused_is_402_told_as_failed_and_may_be_sent_again(
    money: Money, tmp_path: Path, name: str
) -> None:
    with paid_service(tmp_path, money, chain=chain_of(money)) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = faults.refused
        answer = running.ask(name, payment)
        money.faulty.faults.clear()
        assert answer.status == 402
        assert unpacked(answer.header("PAYMENT-RESPONSE"))["success"] is False
        assert answer.header("PAYMENT-REQUIRED") is not None
        assert CANARY not in answer.body + str(answer.headers).encode()
        assert money.moved == 0
        delivered = running.ask(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert_books(tmp_path, money, paid)


def test_a_facilitator_that_is_down_is_503_for_whoever_asks_and_known_payments_are_served_on(
    money: Money, tmp_path: Path
) -> None:
    with paid_service(tmp_path, money) as running:
        payment = running.payment("claims/diagnose")
        first = running.ask("claims/diagnose", payment)
        for call in ("/supported", "/verify", "/settle"):
            money.faulty.faults[call] = faults.dropped
        fresh, again = running.ask("claims/diagnose"), running.ask("claims/diagnose", payment)
        assert (fresh.status, fresh.json["code"]) == (503, "facilitator_unavailable")
        assert (again.status, again.body) == (200, first.body)
        assert running.call("GET", "/readyz").status == 503
        assert running.call("GET", "/healthz").status == 200
        paid = transaction(again)
    assert_books(tmp_path, money, paid)


Spoiling = Callable[[PaidService], Callable[[], None]]


def locked(running: PaidService) -> Callable[[], None]:
    running.writer.execute("PRAGMA busy_timeout = 20")
    file = running.writer.execute("PRAGMA database_list").fetchone()[2]
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other.close


def read_only(running: PaidService) -> Callable[[], None]:
    writer = running.writer
    writer.execute("PRAGMA query_only = ON")
    return lambda: (writer.execute("PRAGMA query_only = OFF"), None)[1]


def full(running: PaidService) -> Callable[[], None]:
    writer = running.writer
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    return lambda: (writer.execute("PRAGMA max_page_count = 1000000"), None)[1]


def gone(running: PaidService) -> Callable[[], None]:
    file = Path(running.writer.execute("PRAGMA database_list").fetchone()[2])
    away = file.with_name("elsewhere")
    take(file, away)
    return lambda: take(away, file)


def take(file: Path, to: Path) -> None:
    """Take a database away with everything beside it, as a volume that is unmounted."""
    for suffix in ("", "-wal", "-shm"):
        source = file.with_name(f"{file.name}{suffix}")
        if source.exists():
            source.replace(to.with_name(f"{to.name}{suffix}"))


SPOILINGS: dict[str, Spoiling] = {each.__name__: each for each in (locked, read_only, full, gone)}


@pytest.mark.parametrize("fault", SPOILINGS)
@pytest.mark.parametrize("moment", ["before", "while it verifies", "while it settles"])
def test_a_database_that_fails_loses_nothing_and_charges_once(
    money: Money, tmp_path: Path, fault: str, moment: str
) -> None:
    """The answer is a large one: where a database is full, the pages there are still take small rows."""
    name, mended = "deliverable/check", list[Callable[[], None]]()
    with paid_service(tmp_path, money, chain=chain_of(money)) as running:
        payment = running.payment(name, LARGE)
        call = {"while it verifies": "/verify", "while it settles": "/settle"}.get(moment)

        def spoil(answer: Answer) -> Told:
            told = answer()
            if not mended:
                mended.append(SPOILINGS[fault](running))
            return told

        if call is None:
            mended.append(SPOILINGS[fault](running))
        else:
            money.faulty.faults[call] = spoil
        answer = running.ask(name, payment, body=LARGE)
        money.faulty.faults.clear()
        is_too_late = moment == "while it settles"
        # Where there is no new page to be had, what is left to write after the work fits.
        is_done = is_too_late and fault == "full"
        assert answer.status == (200 if is_done else 202 if is_too_late else 503)
        assert money.moved == (1 if is_too_late else 0)
        if not is_done:
            assert int(answer.header("Retry-After") or "0") > 0
            assert answer.header("PAYMENT-REQUIRED") is None
        if answer.status == 503:
            assert answer.json["code"] == "store_unavailable"
            assert running.call("GET", "/healthz").status == 200
            assert running.call("GET", "/readyz").status == (200 if fault == "full" else 503)
        mended[0]()
        assert running.call("GET", "/readyz").status == 200
        delivered = running.insist(name, payment, body=LARGE)
        assert delivered.status == 200
        paid = transaction(delivered)
        assert running.ask(name, payment, body=LARGE).body == delivered.body
    assert_books(tmp_path, money, paid)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of one mebibyte, where such a one may be mounted."""
    with mounted(tmp_path / "disk") as disk:
        yield disk


def test_a_disk_that_is_full_refuses_what_it_cannot_keep_and_charges_nothing(
    money: Money, small_disk: Path
) -> None:
    name = "claims/diagnose"
    with paid_service(small_disk, money) as running:
        payment = running.payment(name)
        with (small_disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(b"x" * 4096)
        refused = running.ask(name, payment)
        assert (refused.status, refused.json["code"]) == (503, "store_unavailable")
        assert money.moved == 0
        (small_disk / "ballast").unlink()
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert_books(small_disk, money, paid)


@pytest.mark.parametrize("name", PAID)
def test_a_client_that_leaves_before_its_answer_is_served_when_it_comes_back(
    money: Money, tmp_path: Path, name: str
) -> None:
    """Work and settlement go on without it, and it is charged once."""
    released, entered = threading.Event(), threading.Event()

    def slow(answer: Answer) -> Told:
        entered.set()
        released.wait(SECONDS)
        return answer()

    with paid_service(tmp_path, money, patience=PATIENT) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = slow
        with running.line() as line:
            line.send(request(name, payment))
            assert entered.wait(SECONDS)
            line.socket.shutdown(socket.SHUT_RDWR)
        waiting = running.ask(name, payment)
        assert waiting.status == 202
        released.set()
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
        assert (delivered.header("Idempotent-Replay") == "true") == (name in KEEPING)
    assert_books(tmp_path, money, paid)


def test_work_goes_on_for_a_client_that_leaves_while_the_service_stops(money: Money, tmp_path: Path) -> None:
    """A stop waits for the settlement, and the next start gives the answer."""
    released, entered = threading.Event(), threading.Event()

    def slow(answer: Answer) -> Told:
        entered.set()
        released.wait(SECONDS)
        return answer()

    name = "claims/diagnose"
    with paid_service(tmp_path, money, patience=PATIENT) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = slow
        with running.line() as line:
            line.send(request(name, payment))
            assert entered.wait(SECONDS)
        running.stop()
        released.set()
    assert money.moved == 1
    with paid_service(tmp_path, money, clock=running.clock) as running:
        delivered = running.ask(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert_books(tmp_path, money, paid)


def request(name: str, payment: Any) -> bytes:
    """Write a paid request as bytes."""
    content = REQUESTS[name.partition("/")[0]]
    head = (
        f"POST {PATHS[name]} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nPAYMENT-SIGNATURE: {packed(payment)}\r\n\r\n"
    )
    return head.encode() + content
