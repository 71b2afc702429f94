"""The middleware in front of applications of all kinds, spoken to in plain ASGI."""

import asyncio
import base64
import hashlib
import importlib.util
import json
import logging
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import terms
from assay402.asgi import TermsMiddleware
from assay402.asgi.terms import MAX_BODY
from assay402.core.errors import TheirError

HASH = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
URL = "https://shop.dev/terms.md"
AD = {"ref": {"type": "sha256", "value": HASH}, "termsUrl": URL}
V2 = {"x402Version": 2, "accepts": [{"scheme": "exact", "amount": "1", "extra": {"name": "USDC"}}]}
BROKEN = {"x402Version": 2, "accepts": [{}], "extensions": "none"}


def encoded(challenge: Any) -> bytes:
    return base64.b64encode(json.dumps(challenge).encode())


def decoded(value: bytes) -> Any:
    return json.loads(base64.b64decode(value, validate=True))


def placed(challenge: Any) -> Any:
    return terms.place(AD, challenge)["value"]


def start(status: int, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(data: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


def sent_by(messages: Sequence[Any], *, scope: Any = None, **options: Any) -> list[Any]:
    """Give what leaves the middleware when the application sends these messages."""
    out: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    async def receive() -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        out.append(message)

    wrapped = TermsMiddleware(app, terms_hash=HASH, terms_url=URL, **options)
    asyncio.run(wrapped(scope or {"type": "http"}, receive, send))
    return out


def answered(messages: Sequence[Any], **options: Any) -> tuple[dict[bytes, bytes], bytes]:
    out = sent_by(messages, **options)
    assert out[0]["type"] == "http.response.start"
    assert [message.get("more_body", False) for message in out[1:]] == [True] * (len(out) - 2) + [False]
    return dict(out[0]["headers"]), b"".join(message["body"] for message in out[1:])


def length(data: bytes) -> tuple[bytes, bytes]:
    return b"content-length", str(len(data)).encode()


def test_both_legs_carry_the_terms() -> None:
    """Decision 5."""
    data = json.dumps(V2).encode()
    headers, received = answered([start(402, (b"PAYMENT-REQUIRED", encoded(V2)), length(data)), body(data)])
    assert json.loads(received) == decoded(headers[b"PAYMENT-REQUIRED"]) == placed(V2)
    assert headers[b"content-length"] == str(len(received)).encode()


def test_a_header_alone_is_placed_into_and_an_empty_body_stays() -> None:
    headers, received = answered([start(402, (b"payment-required", encoded(V2)), length(b"{}")), body(b"{}")])
    assert decoded(headers[b"payment-required"]) == placed(V2)
    assert received == b"{}"
    assert headers[b"content-length"] == b"2"


def test_a_body_alone_is_placed_into_whatever_its_version() -> None:
    challenge = {"x402Version": 1, "accepts": [{"network": "base", "maxAmountRequired": "1"}]}
    headers, received = answered([start(402), body(json.dumps(challenge).encode())])
    assert json.loads(received) == placed(challenge)
    assert headers == {}


def test_a_body_in_pieces_is_put_together() -> None:
    data = json.dumps(V2).encode()
    out = sent_by(
        [start(402), *(body(data[i : i + 7], more=True) for i in range(0, len(data), 7)), body(b"")]
    )
    assert len(out) == 2
    assert json.loads(out[1]["body"]) == placed(V2)
    assert not out[1]["more_body"]


def test_headers_of_the_old_body_are_dropped_only_when_it_changed() -> None:
    told = [(name, b"x") for name in (b"ETag", b"Digest", b"Content-Digest", b"repr-digest", b"content-md5")]
    changed, _ = answered([start(402, *told, (b"x-kept", b"1")), body(json.dumps(V2).encode())])
    assert changed == {b"x-kept": b"1"}
    kept, _ = answered([start(402, *told, (b"payment-required", encoded(V2))), body(b"{}")])
    assert kept.keys() == {*dict(told), b"payment-required"}


def test_a_header_that_is_sent_twice_alike_is_placed_into_twice() -> None:
    out = sent_by(
        [start(402, (b"payment-required", encoded(V2)), (b"Payment-Required", encoded(V2))), body(b"")]
    )
    assert [decoded(value) for _, value in out[0]["headers"]] == [placed(V2), placed(V2)]


UNTOUCHED: dict[str, list[dict[str, Any]]] = {
    "another status": [start(200, (b"payment-required", encoded(V2))), body(json.dumps(V2).encode())],
    "no challenge": [start(402), body(b"{}")],
    "no accepts": [start(402, (b"payment-required", encoded({"accepts": []}))), body(b'{"accepts": {"0": {}}}')],
    "a list": [start(402), body(json.dumps([V2]).encode())],
    "html": [start(402), body(b"<!doctype html>", more=True), body(b"<h1>Pay</h1>")],
    "broken JSON": [start(402), body(b'{"accepts":')],
    "no base64": [start(402, (b"payment-required", b"{}")), body(b"")],
    "two differing headers": [
        start(402, (b"payment-required", encoded(V2)), (b"payment-required", encoded(BROKEN))), body(b"")
    ],
    "a coded body": [start(402, (b"Content-Encoding", b"gzip")), body(json.dumps(V2).encode())],
    "nothing at all": [start(402), {"type": "http.response.body"}],
    "a body without end": [start(402), body(b'{"x":', more=True)],
    "no body": [start(402)],
    "a file": [start(402), {"type": "http.response.pathsend", "path": "/x"}],
    "a file in pieces": [start(402), body(b'{"x"', more=True), {"type": "http.response.zerocopysend", "file": 1}],
    "nothing": [],
    "an early hint": [{"type": "http.response.early_hint", "links": []}, start(402), body(b"{}")],
    "trailers": [start(402), body(b"{}"), {"type": "http.response.trailers", "headers": []}],
}  # fmt: skip


@pytest.mark.parametrize("shape", UNTOUCHED)
def test_what_carries_no_challenge_passes_byte_for_byte(shape: str) -> None:
    """Decision 5: otherwise passed byte for byte."""
    assert sent_by(UNTOUCHED[shape]) == UNTOUCHED[shape]


def cut(data: bytes, places: list[int]) -> list[dict[str, Any]]:
    """Send a body in pieces."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    pieces = [data[low:high] for low, high in pairwise(edges)]
    return [body(piece, more=index + 1 < len(pieces)) for index, piece in enumerate(pieces)]


CHALLENGE_BODIES = st.sampled_from(
    [json.dumps(V2).encode(), json.dumps(BROKEN).encode(), b"{}", b"\xef\xbb\xbf{}"]
)
CUTS = st.lists(st.integers(min_value=0, max_value=400), max_size=6)


@given(st.sampled_from([200, 402, 500]), CHALLENGE_BODIES | st.binary(max_size=40), CUTS)
@settings(deadline=None, max_examples=60)
def test_the_cuts_of_a_body_make_no_difference(status: int, data: bytes, places: list[int]) -> None:
    """What is placed is placed wherever the pieces end; everything else keeps its very messages."""
    messages = [start(status), *cut(data, places)]
    out = sent_by(messages)
    if status == 402 and data == json.dumps(V2).encode():
        assert json.loads(out[1]["body"]) == placed(V2)
        assert len(out) == 2
    else:
        assert out == messages


def test_an_identity_coding_changes_nothing() -> None:
    _, received = answered([start(402, (b"content-encoding", b"identity")), body(json.dumps(V2).encode())])
    assert json.loads(received) == placed(V2)


def test_a_challenge_that_names_the_same_terms_already_is_left_as_it_was_written() -> None:
    data = json.dumps(placed(V2), indent=4).encode()
    messages = [start(402, (b"payment-required", base64.b64encode(data)), (b"etag", b"x")), body(data)]
    assert sent_by(messages) == messages


def test_numbers_keep_their_spelling() -> None:
    _, received = answered(
        [start(402), body(b'{"accepts":[{"amount":1.0e3,"big":123456789012345678901234}]}')]
    )
    assert b'"amount":1.0e3,"big":123456789012345678901234' in received


@pytest.mark.parametrize("padding", [0, 1])
def test_a_body_over_the_limit_is_not_held_back(padding: int) -> None:
    data = json.dumps(V2).encode()
    data += b" " * (MAX_BODY - len(data) + padding)
    chunks = [body(data[:1000], more=True), body(data[1000:])]
    out = sent_by([start(402), *chunks])
    assert (out == [start(402), *chunks]) is bool(padding)
    declared = [start(402, length(data)), *chunks]
    assert (sent_by(declared) == declared) is bool(padding)


def test_a_stream_that_is_no_object_is_let_through_at_once() -> None:
    order: list[str] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send(start(402))
        await send(body(b"  ", more=True))
        order.append("blank")
        await send(body(b"event: x\n\n", more=True))
        order.append("event")
        await send(body(b""))

    async def send(message: Any) -> None:
        order.append(message["type"].rpartition(".")[2])

    asyncio.run(TermsMiddleware(app, terms_hash=HASH, terms_url=URL)({"type": "http"}, None, send))  # type: ignore[arg-type]
    assert order == ["blank", "start", "body", "body", "event", "body"]


def test_a_byte_order_mark_does_not_hide_an_object() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(V2).encode()
    _, received = answered(
        [start(402), *(body(data[i : i + 1], more=True) for i in range(len(data))), body(b"")]
    )
    assert json.loads(received) == placed(V2)


def test_a_refused_leg_stays_as_it_was_and_is_told_once_for_each(caplog: pytest.LogCaptureFixture) -> None:
    """Decision 5: calls `on_refusal` and logs the code; never a 500."""
    refusals: list[Any] = []
    messages = [start(402, (b"payment-required", encoded(BROKEN))), body(json.dumps(BROKEN).encode())]
    with caplog.at_level(logging.WARNING, "assay402.asgi.terms"):
        assert sent_by(messages, on_refusal=refusals.append) == messages
    assert [refusal.code for refusal in refusals] == ["x402/document-malformed"] * 2
    assert '"none"' in refusals[0].detail
    assert [record.getMessage() for record in caplog.records] == [
        "terms.refused code=x402/document-malformed"
    ] * 2
    assert sent_by(messages) == messages


def test_one_refused_leg_does_not_keep_the_other_from_its_terms() -> None:
    headers, received = answered(
        [start(402, (b"payment-required", encoded(BROKEN))), body(json.dumps(V2).encode())]
    )
    assert headers == {b"payment-required": encoded(BROKEN)}
    assert json.loads(received) == placed(V2)


def test_a_callback_that_fails_does_not_fail_the_response(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_refusal: Any) -> None:
        raise RuntimeError("secret")

    messages = [start(402), body(json.dumps(BROKEN).encode())]
    assert sent_by(messages, on_refusal=fails) == messages
    assert [record.getMessage() for record in caplog.records][-1] == "terms.on_refusal_failed"
    assert "secret" not in caplog.text


def test_other_scopes_pass_untouched() -> None:
    messages = [{"type": "lifespan.startup.complete"}]
    assert sent_by(messages, scope={"type": "lifespan"}) == messages


def test_an_application_that_fails_before_it_answers_fails_as_before() -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send(start(402))
        raise RuntimeError

    out: list[Any] = []

    async def send(message: Any) -> None:
        out.append(message)

    with pytest.raises(RuntimeError):
        asyncio.run(TermsMiddleware(app, terms_hash=HASH, terms_url=URL)({"type": "http"}, None, send))  # type: ignore[arg-type]
    assert out == []


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"terms_hash": "nonsense"}, "x402/reference-malformed"),
        ({"terms_hash": None}, "x402/reference-malformed"),
        ({"terms_url": "http://shop.dev/"}, "x402/terms-url-malformed"),
        ({"terms_url": "https://a b"}, "x402/terms-url-malformed"),
        ({"terms_url": None}, "x402/terms-url-missing"),
    ],
)
def test_terms_that_no_challenge_can_carry_are_an_error_when_it_is_made(
    options: dict[str, Any], code: str
) -> None:
    with pytest.raises(TheirError) as raised:
        TermsMiddleware(None, **{"terms_hash": HASH, "terms_url": URL, **options})  # type: ignore[arg-type]
    assert raised.value.code == code


def example(name: str) -> Any:
    """Load an example of the documentation."""
    path = Path(__file__).parents[2] / "docs_src" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_handwritten_example_serves_what_it_promises() -> None:
    """`docs_src/terms_handwritten.py`."""
    app = example("terms_handwritten").app

    def get(path: str) -> tuple[int, dict[bytes, bytes], bytes]:
        out: list[Any] = []

        async def send(message: Any) -> None:
            out.append(message)

        asyncio.run(app({"type": "http", "path": path}, None, send))
        return out[0]["status"], dict(out[0]["headers"]), out[1]["body"]

    status, headers, challenge = get("/report")
    _, _, served = get("/terms.md")
    assert status == 402
    assert terms.verify(json.loads(challenge), served)["outcome"] == "match"
    assert terms.verify(decoded(headers[b"payment-required"]), served)["outcome"] == "match"
    assert terms.hash_terms(served) == f"0x{hashlib.sha256(served).hexdigest()}"
