"""How every end of an order reads as HTTP, and what of a request reaches an order."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.strictjson import JSON, read
from assay402.formats.schema import schemas_of
from assay402.service.order import Declined, Delivered, Offered, Order, Outcome, Pending, UnreadablePayment
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from assay402.web.requests import client_address, networks_of, payment_of
from web.plain_orders import PlainOrders
from web.served import Service, service

CHECK = "/dialect-check/check"
EXAMPLE = schemas_of("dialect", "check").example
OFFER = b'{"x402Version":2,"error":"Payment required","resource":{"url":"https://a.dev/"},"accepts":[]}'
SETTLED: dict[str, JSON] = {"success": True, "transaction": "0xab", "network": "eip155:8453", "payer": "0x1"}
FAILED: dict[str, JSON] = {
    "success": False,
    "errorReason": "insufficient_funds",
    "transaction": "",
    "network": "eip155:8453",
}


class Instead:
    """Gives the outcome that a test has put there."""

    def __init__(self) -> None:
        self.outcome: Outcome | None = None

    def __call__(self, _order: Order) -> Outcome | None:
        """Give it."""
        return self.outcome


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Service, Instead]]:
    instead = Instead()
    with service(PlainOrders(instead)) as up:
        yield up, instead


def decoded(value: str | None) -> Any:
    return None if value is None else json.loads(base64.b64decode(value, validate=True))


def test_a_paid_answer_carries_its_settlement(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Delivered(
        body=b'{"a":1}', headers=(("Assay-Signature", "s"),), settlement=SETTLED, logical_payment_id="lp"
    )
    answered = up.post(CHECK, EXAMPLE)
    assert (answered.status, answered.body) == (200, b'{"a":1}')
    assert answered.header("Content-Type") == "application/json"
    assert decoded(answered.header("PAYMENT-RESPONSE")) == SETTLED
    assert answered.header("ARBITER-LOGICAL-PAYMENT-ID") == "lp"
    assert answered.header("Assay-Signature") == "s"
    assert answered.header("Idempotent-Replay") is None


def test_a_kept_answer_says_that_it_is_one(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Delivered(body=b"{}", is_replay=True)
    answered = up.post(CHECK, EXAMPLE)
    assert answered.header("Idempotent-Replay") == "true"
    assert answered.header("PAYMENT-RESPONSE") is None


def test_an_offer_stands_in_header_and_body_alike(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Offered(payment_required=OFFER, quote_id="q1")
    answered = up.post(CHECK, EXAMPLE)
    assert answered.status == 402
    header = answered.header("PAYMENT-REQUIRED")
    assert header is not None
    assert base64.b64decode(header, validate=True) == answered.body == OFFER
    assert answered.header("Content-Type") == "application/json"
    assert answered.header("ARBITER-QUOTE-ID") == "q1"
    assert answered.header("PAYMENT-RESPONSE") is None


def test_a_refused_settlement_is_told_beside_the_offer(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Offered(payment_required=OFFER, settlement=FAILED, logical_payment_id="lp")
    answered = up.post(CHECK, EXAMPLE)
    assert answered.status == 402
    assert decoded(answered.header("PAYMENT-RESPONSE")) == FAILED
    assert answered.header("ARBITER-LOGICAL-PAYMENT-ID") == "lp"
    assert answered.header("ARBITER-QUOTE-ID") is None


def test_a_payment_under_way_is_202_with_the_time_to_wait(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Pending(retry_after_seconds=7, logical_payment_id="lp")
    answered = up.post(CHECK, EXAMPLE)
    assert answered.status == 202
    assert answered.header("Retry-After") == "7"
    assert answered.header("ARBITER-LOGICAL-PAYMENT-ID") == "lp"
    assert (answered.json["code"], answered.json["retry_after_seconds"]) == ("payment_pending", 7)
    assert answered.header("PAYMENT-REQUIRED") is None


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422, 429, 503])
def test_what_is_declined_is_a_problem_with_its_code(running: tuple[Service, Instead], status: int) -> None:
    up, instead = running
    instead.outcome = Declined(status=status, code="over_cap", numbers={"cap": 3}, retry_after_seconds=4)
    answered = up.post(CHECK, EXAMPLE)
    assert answered.status == status
    assert answered.header("Content-Type") == "application/problem+json"
    assert answered.header("Retry-After") == "4"
    assert (answered.json["status"], answered.json["code"], answered.json["cap"]) == (status, "over_cap", 3)
    assert {"title", "detail", "type"} <= answered.json.keys()


def test_work_that_failed_tells_that_the_payment_may_be_sent_again(running: tuple[Service, Instead]) -> None:
    """The claims contract: nothing settled, `free_retry` true beside the code."""
    up, instead = running
    instead.outcome = Declined(status=422, code="not_produced", free_retry=True)
    assert up.post(CHECK, EXAMPLE).json["free_retry"] is True


def test_a_rooms_own_refusal_keeps_its_shape(running: tuple[Service, Instead]) -> None:
    up, instead = running
    instead.outcome = Declined(status=400, code="x402/a", body={"refused": True, "code": "x402/a"})
    answered = up.post(CHECK, EXAMPLE)
    assert answered.header("Content-Type") == "application/json"
    assert answered.body == b'{"refused":true,"code":"x402/a"}'


def test_a_store_that_is_gone_is_503() -> None:
    def gone(_order: Order) -> Outcome:
        raise StoreUnavailable

    with service(PlainOrders(gone)) as up:
        answered = up.post(CHECK, EXAMPLE)
    assert (answered.status, answered.json["code"]) == (503, "store_unavailable")
    assert answered.header("Retry-After") == "5"


def taken(up: Service, headers: list[tuple[str, str]], path: str = CHECK) -> Order:
    body = json.dumps(EXAMPLE).encode()
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    with up.line() as line:
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n{lines}\r\n"
        line.send(head.encode("latin-1") + body)
        line.reply()
    order: Order = up.orders.taken[-1]
    return order


def encoded(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


@pytest.fixture(scope="module")
def plain() -> Iterator[Service]:
    with service(settings=Settings(trusted_proxies=("127.0.0.1",))) as up:
        yield up


PAYLOAD = {"x402Version": 2, "accepted": {"scheme": "exact"}, "payload": {"signature": "0x"}}


@pytest.mark.parametrize(
    "spelled",
    [
        encoded(PAYLOAD),
        encoded(PAYLOAD).rstrip("="),
        encoded(PAYLOAD).replace("+", "-").replace("/", "_"),
        f"  {encoded(PAYLOAD)}  ",
    ],
)
def test_a_payment_is_decoded_and_handed_on_as_sent(plain: Service, spelled: str) -> None:
    assert taken(plain, [("PAYMENT-SIGNATURE", spelled)]).payment == read(json.dumps(PAYLOAD).encode())


@pytest.mark.parametrize(
    "value",
    [
        "",
        "canary",
        "====",
        json.dumps(PAYLOAD),
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b"null").decode(),
        base64.b64encode(b'{"a":1').decode(),
        base64.b64encode(b'{"a":NaN}').decode(),
        base64.b64encode(b"\xff\xfe{}").decode(),
        base64.b64encode(b'{"a":' + b"[" * 200 + b"]" * 200 + b"}").decode(),
    ],
)
def test_what_is_no_payment_is_said_to_be_none(plain: Service, value: str) -> None:
    """Never a 402: a client would sign another payment for it."""
    assert taken(plain, [("PAYMENT-SIGNATURE", value)]).payment == UnreadablePayment(code="invalid_payload")
    answered = plain.post(CHECK, EXAMPLE, {"PAYMENT-SIGNATURE": value})
    assert (answered.status, answered.json["code"]) == (400, "invalid_payload")
    assert b"canary" not in answered.body


def test_two_payments_in_one_request_are_none(plain: Service) -> None:
    twice = [("PAYMENT-SIGNATURE", encoded(PAYLOAD))] * 2
    assert taken(plain, twice).payment == UnreadablePayment(code="invalid_payload")


def test_a_payment_of_version_1_is_told_which_header_to_use(plain: Service) -> None:
    answered = plain.post(CHECK, EXAMPLE, {"X-PAYMENT": encoded(PAYLOAD)})
    assert (answered.status, answered.json["code"]) == (400, "payment_version")
    assert "PAYMENT-SIGNATURE" in answered.json["detail"]
    both = [("X-PAYMENT", encoded(PAYLOAD)), ("PAYMENT-SIGNATURE", encoded(PAYLOAD))]
    assert taken(plain, both).payment == read(json.dumps(PAYLOAD).encode())


@pytest.mark.parametrize(
    ("sent", "key"), [("sample-key-0001", "sample-key-0001"), ('"sample-key-0001"', "sample-key-0001")]
)
def test_an_idempotency_key_is_handed_on(plain: Service, sent: str, key: str) -> None:
    assert taken(plain, [("Idempotency-Key", sent), ("ARBITER-QUOTE-ID", "q.1")]).idempotency_key == key
    assert plain.orders.taken[-1].quote_id == "q.1"


@pytest.mark.parametrize(
    "keys", [["short"], ["with blank"], ["x" * 129], ["sample-key-0001", "sample-key-0001"], [""]]
)
def test_an_idempotency_key_of_another_form_is_refused(plain: Service, keys: list[str]) -> None:
    before = plain.orders.entered
    with plain.line() as line:
        head = "".join(f"Idempotency-Key: {key}\r\n" for key in keys)
        line.send(f"POST {CHECK} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n{head}\r\n{{}}".encode())
        answered = line.reply()
    assert (answered.status, answered.json["code"]) == (400, "idempotency_key_invalid")
    assert plain.orders.entered == before


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ([], "127.0.0.1"),
        (["203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1, 127.0.0.1"], "198.51.100.1"),
        (["canary"], "127.0.0.1"),
        (["203.0.113.9, canary"], "127.0.0.1"),
        (["2001:db8::1"], "2001:db8::1"),
        (["::ffff:203.0.113.9"], "203.0.113.9"),
        ([""], "127.0.0.1"),
    ],
)
def test_the_nearest_address_that_is_no_proxy_of_ours_asks(
    plain: Service, forwarded: list[str], address: str
) -> None:
    headers = [("X-Forwarded-For", each) for each in forwarded]
    assert taken(plain, headers).client_address == address


def test_who_is_no_proxy_of_ours_is_not_believed() -> None:
    with service() as up:
        assert taken(up, [("X-Forwarded-For", "203.0.113.9")]).client_address == "127.0.0.1"


@settings(deadline=None, max_examples=150)
@given(st.lists(st.binary(max_size=40).map(lambda raw: (b"payment-signature", raw)), max_size=3))
def test_no_payment_header_crashes_its_reader(headers: list[tuple[bytes, bytes]]) -> None:
    found = payment_of({"headers": headers})
    assert found is None if not headers else found is not None


@settings(deadline=None, max_examples=150)
@given(
    st.binary(max_size=60),
    st.sampled_from([("10.0.0.1", 1), ("::ffff:10.0.0.1", 1), ("203.0.113.1", 1), None]),
)
def test_no_forwarded_header_crashes_its_reader(value: bytes, peer: tuple[str, int] | None) -> None:
    scope = {"headers": [(b"x-forwarded-for", value)], "client": peer}
    found = client_address(scope, networks_of(("10.0.0.0/8",)))
    assert found == peer[0] if peer and peer[0].startswith("203") else isinstance(found, str)
