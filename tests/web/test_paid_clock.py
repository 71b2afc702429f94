"""Issue 7, evidence 3: a clock that jumps while payments are on. Nothing is lost, nothing is charged twice."""

import threading
from pathlib import Path

import pytest

import facilitator_faults as faults
from assay402.sandbox.serving import Reply as Told
from assay402.service.free import PER_CALLER
from facilitator_faults import Answer
from service.world import PAID
from web.paid import Money, books_of, paid_service, transaction
from web.served import SECONDS
from web.test_paid_faults import PATIENT, chain_of, money

__all__ = ["money"]

HOUR, DAY = 3_600, 86_400


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("jump", [HOUR, DAY, -HOUR, -DAY])
def test_a_clock_that_jumped_serves_and_charges_once(
    money: Money, tmp_path: Path, name: str, jump: int
) -> None:
    with paid_service(tmp_path, money) as running:
        running.clock.pass_by(jump)
        payment = running.payment(name)
        delivered = running.ask(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
        running.clock.pass_by(-jump)
        assert running.ask(name, payment).status in {200, 409}
        assert running.ask(name).status == 402
        assert running.call("GET", "/.well-known/jwks.json").status == 200
    assert [row.transaction for row in books_of(tmp_path)] == [paid]
    assert money.moved == 1


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_clock_that_jumps_while_a_payment_settles_moves_it_once(
    money: Money, tmp_path: Path, name: str, jump: int
) -> None:
    """Forwards, the lease runs out under its worker and a retry takes the payment over; backwards, it runs for longer."""
    released, entered, answers = threading.Event(), threading.Event(), list[int]()

    def slow(answer: Answer) -> Told:
        entered.set()
        released.wait(SECONDS)
        return answer()

    with paid_service(tmp_path, money, chain=chain_of(money), patience=PATIENT) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = slow
        first = threading.Thread(target=lambda: answers.append(running.ask(name, payment).status))
        first.start()
        assert entered.wait(SECONDS)
        running.clock.pass_by(jump)
        money.faulty.faults.clear()
        second = running.ask(name, payment)
        released.set()
        first.join(SECONDS)
        assert {second.status, *answers} <= {200, 202}
        assert 0 < int(second.header("Retry-After") or "1") <= 10
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert [row.transaction for row in books_of(tmp_path)] == [paid]
    assert money.moved == 1


@pytest.mark.parametrize("name", PAID)
def test_a_payment_in_doubt_ends_by_its_chain_once_the_clock_is_right_again(
    money: Money, tmp_path: Path, name: str
) -> None:
    """While our clock is behind the lease of its worker, the client waits; it never sees another offer."""
    chain = chain_of(money)
    chain.is_unknown = True
    with paid_service(tmp_path, money, chain=chain) as running:
        payment = running.payment(name)
        money.faulty.faults["/settle"] = faults.lost
        assert running.ask(name, payment).status == 202
        money.faulty.faults.clear()
        for jump in (DAY, -2 * DAY, 2 * DAY):
            running.clock.pass_by(jump)
            answer = running.ask(name, payment)
            assert answer.status == 202
            assert answer.header("PAYMENT-REQUIRED") is None
        chain.is_unknown = False
        delivered = running.insist(name, payment)
        assert delivered.status == 200
        paid = transaction(delivered)
    assert [row.transaction for row in books_of(tmp_path)] == [paid]
    assert money.moved == 1


def test_a_quote_ends_with_its_time_and_a_clock_set_back_makes_it_no_other(
    money: Money, tmp_path: Path
) -> None:
    name = "deliverable/check"
    with paid_service(tmp_path, money) as running:
        payment = running.payment(name, lives=HOUR + 600)
        running.clock.pass_by(HOUR)
        late = running.ask(name, payment)
        assert (late.status, late.json["error"]) == (402, "quote_expired")
        assert late.header("ARBITER-QUOTE-ID") not in {None, payment["accepted"]["extra"]["quoteId"]}
        assert money.moved == 0
        running.clock.pass_by(-HOUR)
        assert running.ask(name, payment).status == 200
    assert len(books_of(tmp_path)) == money.moved == 1


def test_an_authorization_that_ran_out_by_our_clock_moves_nothing(money: Money, tmp_path: Path) -> None:
    with paid_service(tmp_path, money) as running:
        payment = running.payment("dialect/check")
        running.clock.pass_by(HOUR)
        late = running.ask("dialect/check", payment)
        reason = "invalid_exact_evm_payload_authorization_valid_before"
        assert (late.status, late.json["error"]) == (402, reason)
        running.clock.pass_by(-HOUR)
        early = running.ask("dialect/check", payment)
        assert early.status == 200
    assert len(books_of(tmp_path)) == money.moved == 1


def test_a_clock_set_back_gives_no_free_calls_anew(money: Money, tmp_path: Path) -> None:
    body = b'{"mode":"submitted","caller":"0x%040x","artefact":{"body_obj":{}}}' % 7
    with paid_service(tmp_path, money) as running:
        statuses = list[int]()
        for _ in range(PER_CALLER + 1):
            statuses.append(running.ask("dialect/precheck", body=body).status)
            running.clock.pass_by(6)
        assert statuses == [200] * PER_CALLER + [402]
        for jump in (-HOUR, -12 * HOUR):
            running.clock.pass_by(jump)
            assert running.ask("dialect/precheck", body=body).status == 402
        running.clock.pass_by(2 * DAY)
        assert running.ask("dialect/precheck", body=body).status == 200
