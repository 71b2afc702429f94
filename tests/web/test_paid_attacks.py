"""Attacks on the gate over HTTP, with the service's own orders: what is not paid for is never run, and nothing is run twice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay402.formats.schema import schemas_of
from assay402.service.resources import PATHS
from service.world import ALICE, BOB, CLAIMS, DELIVERABLE, DIALECT, KEEPING, PAID, PRICES, SETTINGS
from web.paid import Money, PaidService, books_of, facilitator, packed, paid_service, transaction, unpacked

SOLD = tuple(PRICES)
URL = "https://assay.shop.dev"
FORGED = {
    "Host": "evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Prefix": "/evil",
    "X-Original-URL": "/dialect-check/precheck",
    "X-Rewrite-URL": "/dialect-check/precheck",
    "X-HTTP-Method-Override": "GET",
    "Forwarded": "host=evil.example;proto=http",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaidService]:
    """Run a service that nobody pays: all that is sent to it must move nothing and run nothing."""
    folder = tmp_path_factory.mktemp("unpaid")
    with facilitator() as money, paid_service(folder, money) as running:
        yield running
        assert money.moved == 0
        assert "verify" not in money.server.calls
        assert "settle" not in money.server.calls
    assert books_of(folder) == []


@pytest.fixture
def money() -> Iterator[Money]:
    with facilitator() as running:
        yield running


def ran(running: PaidService) -> int:
    """Count the work that was done, as the metrics tell it: answers with status 200 to orders."""
    text = running.call("GET", "/metrics").body.decode()
    return sum(
        int(float(line.rpartition(" ")[2]))
        for line in text.splitlines()
        if line.startswith("assay_requests_total{")
        and 'status="200"' in line
        and any(f'route="{name}"' in line for name in SOLD)
    )


@pytest.mark.parametrize("name", SOLD)
@pytest.mark.parametrize("header", FORGED)
def test_a_forged_host_changes_nothing_that_is_offered(shared: PaidService, name: str, header: str) -> None:
    plain, forged = shared.ask(name), shared.ask(name, headers={header: FORGED[header]})
    assert forged.status == 402
    offers = [unpacked(each.header("PAYMENT-REQUIRED")) for each in (plain, forged)]
    assert [each["resource"]["url"] for each in offers] == [URL + PATHS[name]] * 2
    assert offers[0]["accepts"] == offers[1]["accepts"]
    assert "evil" not in json.dumps(offers[1]) + forged.body.decode() + str(forged.headers)


@pytest.mark.parametrize(
    "path", ["/openapi.json", "/.well-known/x402", "/.well-known/jwks.json", "/.well-known/did.json"]
)
def test_a_forged_host_changes_no_document(shared: PaidService, path: str) -> None:
    plain, forged = shared.call("GET", path), shared.call("GET", path, headers=FORGED)
    assert (forged.status, forged.body) == (200, plain.body)
    assert b"evil" not in forged.body
    if path.endswith("did.json"):
        assert forged.json["id"] == "did:web:assay.shop.dev"


@pytest.mark.parametrize("name", SOLD)
@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "post", "Post", "X"]
)
def test_no_other_method_runs_anything(shared: PaidService, name: str, method: str) -> None:
    before = ran(shared)
    for headers in ({}, {"X-HTTP-Method-Override": "POST"}, {"X-HTTP-Method": "POST"}):
        refused = shared.call(method, PATHS[name], headers=headers)
        assert refused.status == (204 if method == "OPTIONS" else 405)
        assert refused.header("PAYMENT-RESPONSE") is None
    assert ran(shared) == before


def respelled(path: str) -> Iterator[str]:
    """Give other spellings of a path, some of which another server would take for it."""
    _, first, *rest = path.split("/")
    last = path.rpartition("/")[2]
    yield f"/{path}"
    yield f"{path}/"
    yield f"{path}//"
    yield f"{path}/."
    yield f"{path}/.."
    yield f"{path}%00"
    yield f"{path}%20"
    yield f"{path};x=1"
    yield f"{path}.json"
    yield f"/./{first}/" + "/".join(rest)
    yield f"/x/../{first}/" + "/".join(rest)
    yield f"/{first}//" + "/".join(rest)
    yield path.swapcase()
    yield path.upper()
    yield path.title()
    yield f"http://evil.example{path}"
    yield f"{path[: -len(last)]}%2e/{last}"
    yield path.replace("/", "%2F")
    yield path.replace("/", "\\")


@pytest.mark.parametrize("name", SOLD)
def test_no_respelling_of_a_path_is_free(shared: PaidService, name: str) -> None:
    """A spelling is the path itself, and then it costs, or it is no path at all."""
    before, request = ran(shared), schemas_of(*name.split("/")).example
    for path in respelled(PATHS[name]):
        answer = shared.post(path, request)
        assert answer.status in {400, 402, 404, 405}, path
        assert answer.header("Assay-Signature") is None
    last = PATHS[name][-1]
    encoded = f"{PATHS[name][:-1]}%{ord(last):x}"
    for path in (encoded, f"{PATHS[name]}?", f"{PATHS[name]}?envelope=1"):
        answer = shared.post(path, request)
        assert answer.status == 402, path
    for query in ("x=1", "envelope=1&envelope=1", "profile=free", "envelope=%31&price=0"):
        assert shared.post(f"{PATHS[name]}?{query}", request).status == 400
    assert ran(shared) == before


@pytest.mark.parametrize("name", PAID)
def test_two_payments_in_one_request_pay_for_nothing(money: Money, tmp_path: Path, name: str) -> None:
    with paid_service(tmp_path, money) as running:
        one, other = (packed(running.payment(name)) for _ in range(2))
        request = {"dialect": DIALECT, "deliverable": DELIVERABLE, "claims": CLAIMS}[name.partition("/")[0]]
        for first, second in ((one, other), (one, one), (one, "")):
            head = (
                f"POST {PATHS[name]} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                f"PAYMENT-SIGNATURE: {first}\r\nPayment-Signature: {second}\r\n"
                f"Content-Length: {len(request)}\r\n\r\n"
            )
            with running.line() as line:
                line.send(head.encode() + request)
                answer = line.reply()
            assert (answer.status, answer.json["code"]) == (400, "invalid_payload")
        joined = running.ask(name, headers={"PAYMENT-SIGNATURE": f"{one}, {other}"})
        assert (joined.status, joined.json["code"]) == (400, "invalid_payload")
    assert money.moved == 0
    assert books_of(tmp_path) == []


@pytest.mark.parametrize("name", KEEPING)
def test_a_stolen_payment_or_key_gives_no_answer_to_somebody_else(
    money: Money, tmp_path: Path, name: str
) -> None:
    key = {"Idempotency-Key": "of-alice-alone"}
    with paid_service(tmp_path, money) as running:
        payment = running.payment(name)
        bought = running.ask(name, payment, headers=key)
        assert bought.status == 200
        # The key alone, and the key with a payment that does not verify, show nobody to be its payer.
        assert running.ask(name, headers=key).status == 402
        forged = {**payment, "payload": {**payment["payload"], "signature": "0x" + "cd" * 65}}
        assert running.ask(name, forged, headers=key).status == 409
        # Another payer pays for itself.
        theirs = running.ask(name, running.payment(name, payer=BOB), headers=key)
        assert theirs.status == 200
        assert theirs.header("Idempotent-Replay") is None
        assert transaction(theirs) != transaction(bought)
        # The payment itself, public on its chain, with another request.
        other = json.dumps(schemas_of(*name.split("/")).example).encode()
        taken = running.ask(name, payment, body=other)
        assert taken.status == 409
        assert bought.body not in taken.body
        # Its own payer, with a fresh authorization under the same key: the same answer, and nothing moves.
        again = running.ask(name, running.payment(name, payer=ALICE), headers=key)
        assert (again.status, again.body) == (200, bought.body)
        fresh = running.payment(name, other, payer=ALICE)
        assert running.ask(name, fresh, body=other, headers=key).status == 409
    assert money.moved == 2
    assert len(books_of(tmp_path)) == 2


def test_a_stolen_receipt_id_gives_nothing(money: Money, tmp_path: Path) -> None:
    with paid_service(tmp_path, money) as running:
        bought = running.ask("claims/diagnose", running.payment("claims/diagnose"))
        path = f"/api/v1/receipts/{bought.json['request_id']}"
        nonce = bought.json["binding"]["nonce"]
        for headers in (
            {},
            {"Authorization": "Bearer " + "0" * 64},
            {"Authorization": f"Bearer {nonce[:-1]}"},
            {"Authorization": f"Basic {nonce}"},
            {"Authorization": f"Bearer {bought.json['request_id']}"},
            {"PAYMENT-SIGNATURE": packed({"x402Version": 2})},
            {"SIGN-IN-WITH-X": packed({"address": ALICE})},
            {"SIGN-IN-WITH-X": packed(at("0001-01-01T00:00:00+23:59"))},
            {"SIGN-IN-WITH-X": packed(at("9999-12-31T23:59:59-23:59"))},
        ):
            refused = running.call("GET", path, headers=headers)
            assert (refused.status, refused.json["code"]) == (404, "receipt_unknown"), headers
        for method in ("HEAD", "POST", "PUT"):
            assert running.call(method, path, headers={"Authorization": f"Bearer {nonce}"}).status == 405
        given = running.call("GET", path, headers={"Authorization": f"Bearer {nonce}"})
        assert (given.status, given.body) == (200, bought.body)
        assert given.header("Assay-Signature") == bought.header("Assay-Signature")


def at(issued: str) -> dict[str, Any]:
    """Write a statement of a wallet that says when it was made."""
    return {
        "domain": "assay.shop.dev",
        "uri": URL,
        "version": "1",
        "nonce": "abcdefgh1",
        "issuedAt": issued,
        "expirationTime": "9999-12-31T23:59:59-23:59",
        "notBefore": "0001-01-01T00:00:00+23:59",
        "address": ALICE,
        "chainId": "eip155:8453",
        "signature": "0x" + "ab" * 65,
    }


def test_a_price_that_changes_in_flight_moves_nothing(money: Money, tmp_path: Path) -> None:
    """The service is started anew with another price while a client signs."""
    dearer = replace(SETTINGS, prices=(("dialect/check", 20_000), ("deliverable/check", 50_000)))
    with paid_service(tmp_path, money) as running:
        payments = {name: running.payment(name) for name in ("dialect/check", "deliverable/check")}
    with paid_service(tmp_path, money, settings=dearer, clock=running.clock) as running:
        for name, payment in payments.items():
            answer = running.ask(name, payment)
            assert (answer.status, answer.json["error"]) == (402, "no_matching_requirements")
            prices = {each["amount"] for each in unpacked(answer.header("PAYMENT-REQUIRED"))["accepts"]}
            assert prices == {str(dict(dearer.prices)[name])}
            lied = {**payment, "accepted": {**payment["accepted"], "amount": prices.pop()}}
            assert running.ask(name, lied).status == 402
    assert money.moved == 0


def test_a_quote_of_another_input_pays_for_nothing(money: Money, tmp_path: Path) -> None:
    name = "deliverable/check"
    other = DELIVERABLE.replace(b'"a"', b'"b"')
    with paid_service(tmp_path, money) as running:
        theirs, ours = running.payment(name, other), running.payment(name)
        refused = running.ask(name, theirs)
        assert (refused.status, refused.json["error"]) == (402, "quote_expired")
        quote = ours["accepted"]["extra"]["quoteId"]
        for sent in ({**ours["accepted"]["extra"], "quoteId": "x" * len(quote)}, {}):
            changed = {**ours, "accepted": {**ours["accepted"], "extra": sent}}
            assert running.ask(name, changed).status == 402
        mismatched = running.ask(
            name, ours, headers={"ARBITER-QUOTE-ID": theirs["accepted"]["extra"]["quoteId"]}
        )
        assert (mismatched.status, mismatched.json["error"]) == (402, "quote_mismatch")
        assert running.ask(f"{name}", ours, body=other).status == 402
        assert money.moved == 0
        assert running.ask(name, ours, headers={"ARBITER-QUOTE-ID": quote}).status == 200
    assert len(books_of(tmp_path)) == money.moved == 1
