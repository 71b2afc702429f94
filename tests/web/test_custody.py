"""Custody of the HTTP face: canaries through every route and every error, searched for where they must not be.

They are looked for as they are and as digests, in the log, the metrics, standard output and error, and in the bodies
of errors. The database is searched in the tests of the store and the gate.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from Crypto.Hash import keccak

from assay402.formats.schema import schemas_of
from assay402.service.order import Order
from assay402.service.resources import PATHS
from assay402.service.telemetry import FIELDS
from web.plain_orders import PlainOrders
from web.served import Service, service

CANARY = "canary9f3a1c7b"


def traces(text: str) -> list[str]:
    """Give the spellings a canary could leave behind."""
    raw = text.encode()
    tall = keccak.new(digest_bits=256, data=raw)
    digests = [hashlib.new(name, raw).digest() for name in ("sha256", "sha1", "md5")] + [tall.digest()]
    spelled = [text, raw.hex(), base64.b64encode(raw).decode().rstrip("=")]
    return (
        spelled
        + [each.hex() for each in digests]
        + [base64.b64encode(each).decode().rstrip("=") for each in digests]
    )


TRACES = traces(CANARY)


def sown(value: Any) -> Any:
    """Put the canary behind every text of a request."""
    match value:
        case dict():
            return {name: sown(each) for name, each in value.items()}
        case list():
            return [sown(each) for each in value]
        case str():
            return value + CANARY
        case _:
            return value


def bodies(name: str) -> Iterator[bytes]:
    example = schemas_of(*name.split("/")).example
    yield json.dumps(example).encode()
    yield json.dumps({**example, CANARY: CANARY}).encode()
    yield json.dumps(sown(example)).encode()
    yield f'{{"{CANARY}'.encode()
    yield b"\xff" + CANARY.encode()
    yield f"[{json.dumps(CANARY)}]".encode()
    yield json.dumps(CANARY).encode() * 90_000


HEADERS: list[dict[str, str]] = [
    {},
    {"PAYMENT-SIGNATURE": CANARY},
    {"PAYMENT-SIGNATURE": base64.b64encode(json.dumps({"x": CANARY}).encode()).decode()},
    {"X-PAYMENT": CANARY},
    {"Idempotency-Key": CANARY},
    {"Idempotency-Key": f"{CANARY} x"},
    {"ARBITER-QUOTE-ID": CANARY},
    {"Content-Type": f"text/{CANARY}"},
    {"Content-Encoding": CANARY},
    {"Authorization": f"Bearer {CANARY}"},
    {"Host": f"{CANARY}.example", "User-Agent": CANARY, "X-Forwarded-For": CANARY, "Cookie": CANARY},
]


def assert_clean(text: str, where: str) -> None:
    for trace in TRACES:
        assert trace not in text, f"a canary is in {where}"


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    def instead(order: Order) -> None:
        if b"crash" in order.request:
            raise ValueError(order.request)

    with service(PlainOrders(instead)) as up:
        yield up


def test_nothing_submitted_is_in_a_log_a_metric_or_an_error(
    running: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    """Success may repeat what its contract repeats (a placed document, quoted claims); an error repeats nothing."""
    count = 0
    for name, path in PATHS.items():
        for body in bodies(name):
            answered = running.post(path, body)
            count += 1
            # The terms room's `detail` may quote, for the caller alone (ADR 7).
            if answered.status != 200 and not name.startswith("terms/"):
                assert_clean(answered.body.decode(), f"the error of {name}")
            assert_clean(str(answered.headers), f"the headers of {name}")
        for headers in HEADERS:
            answered = running.post(path, schemas_of(*name.split("/")).example, headers)
            count += 1
            if answered.status != 200:
                assert_clean(answered.body.decode(), f"the error of {name}")
    for method in ("GET", "HEAD", "POST", "OPTIONS", CANARY.upper(), "PUT"):
        for path in (
            f"/{CANARY}",
            f"/dialect-check/{CANARY}",
            f"/api/v1/receipts/{CANARY}",
            f"/healthz?{CANARY}=1",
        ):
            answered = running.call(method, path, b"" if method == "POST" else None)
            assert_clean(answered.body.decode() + str(answered.headers), path)
            count += 1
    crashed = running.post("/dialect-check/check", {"crash": CANARY})
    assert crashed.status == 500
    assert_clean(crashed.body.decode(), "the problem of a crash")
    printed = capfd.readouterr()
    assert_clean(printed.out + printed.err, "the output of the process")
    assert_clean("".join(running.lines), "the log")
    assert_clean(running.call("GET", "/metrics").body.decode(), "the metrics")
    assert count > 200


def test_the_log_holds_listed_fields_with_words_and_numbers_alone(running: Service) -> None:
    running.post("/dialect-check/check", {"a": CANARY})
    for line in running.log:
        assert set(line) <= set(FIELDS)
        for name, value in line.items():
            assert isinstance(value, int) or name == "time" or re.fullmatch(r"[A-Za-z0-9_./-]{1,64}", value)


def test_every_request_has_one_line_with_the_id_that_its_answer_names(running: Service) -> None:
    answered = running.post("/dialect-check/check", {"a": 1})
    # The line is written once the answer is out: when the next is answered it is there.
    running.call("GET", "/healthz")
    found = [line for line in running.log if line.get("request_id") == answered.header("Assay-Request-Id")]
    assert [line["event"] for line in found] == ["request.answered"]
    assert (found[0]["status"], found[0]["code"]) == (answered.status, answered.json["code"])


def test_no_address_and_no_path_is_in_a_line(running: Service) -> None:
    running.call("GET", "/healthz")
    running.call("GET", "/some/where?x=1")
    text = "".join(running.lines)
    assert "127.0.0.1" not in text
    assert "some/where" not in text
