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
    codes = ["x402/document-malformed", "x402/document-malformed", "terms/not-placed"]
    assert [refusal.code for refusal in refusals] == codes
    assert '"none"' in refusals[0].detail
    assert refusals[2].detail == "header: x402/document-malformed; body: x402/document-malformed"
    assert [record.getMessage() for record in caplog.records] == [
        f"terms.refused code={code}" for code in codes
    ]
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


def reported_by(messages: Sequence[Any], **options: Any) -> list[tuple[str, str | None]]:
    refusals: list[Any] = []
    sent_by(messages, on_refusal=refusals.append, **options)
    return [(refusal.code, refusal.detail) for refusal in refusals]


LONG = json.dumps({**V2, "x": " " * MAX_BODY}).encode()
DEEP = json.dumps(V2)[:-1].encode() + b',"x":' + b"[" * 200 + b"]" * 200 + b"}"
BARE: dict[str, tuple[list[dict[str, Any]], str]] = {
    "two differing headers": (UNTOUCHED["two differing headers"], "header: values-differ; body: absent"),
    "a header that is no base64": (UNTOUCHED["no base64"], "header: not-base64; body: absent"),
    "a coded body": (UNTOUCHED["a coded body"], "header: absent; body: coded"),
    "a long body": ([start(402), body(LONG)], "header: absent; body: too-long"),
    "a body that is declared long": (
        [start(402, length(LONG)), body(LONG)],
        "header: absent; body: too-long",
    ),
    "a deep body": ([start(402), body(DEEP)], "header: absent; body: not-json"),
    "a page": (UNTOUCHED["html"], "header: absent; body: not-json"),
    "no challenge": (UNTOUCHED["no challenge"], "header: absent; body: no-accepts"),
    "a file": (UNTOUCHED["a file"], "header: absent; body: a file"),
    "no body at all": (UNTOUCHED["no body"], "header: absent; body: absent"),
    "a name that stands twice": (
        [start(402), body(b'{"accepts":[{}],"a":1,"a":2}')],
        "header: absent; body: terms/name-repeated",
    ),
}


@pytest.mark.parametrize("shape", BARE)
def test_a_402_that_leaves_without_terms_is_told(shape: str) -> None:
    """A 402 without terms is what the middleware is there to rule out, so none is silent."""
    messages, detail = BARE[shape]
    assert reported_by(messages)[-1] == ("terms/not-placed", detail)
    assert sent_by(messages) == messages


@pytest.mark.parametrize(
    "messages",
    [
        [start(402, (b"payment-required", encoded(V2))), body(b"{}")],
        [start(402, (b"payment-required", b"{}")), body(json.dumps(V2).encode())],
        [start(402, (b"payment-required", encoded(placed(V2)))), body(b"")],
        [start(402, (b"payment-required", encoded(V2)), (b"content-encoding", b"br")), body(b"x")],
        UNTOUCHED["another status"],
        UNTOUCHED["nothing"],
    ],
)
def test_one_leg_with_the_terms_is_enough_to_be_silent(messages: Any) -> None:
    assert reported_by(messages) == []


def test_a_coroutine_is_told_too_once_the_response_was_sent(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    messages = [start(402), body(json.dumps(BROKEN).encode())]

    async def tell(refusal: Any) -> None:
        await asyncio.sleep(0)
        told.append(refusal.code)

    async def fail(refusal: Any) -> None:
        await tell(refusal)
        raise RuntimeError("secret")

    assert sent_by(messages, on_refusal=tell) == messages
    assert told == ["x402/document-malformed", "terms/not-placed"]
    assert sent_by(messages, on_refusal=fail) == messages
    assert told == ["x402/document-malformed", "terms/not-placed"] * 2
    assert [record.getMessage() for record in caplog.records][-1] == "terms.on_refusal_failed"
    assert "secret" not in caplog.text


@pytest.mark.parametrize("buffer", [memoryview, bytearray])
def test_any_buffer_may_be_a_piece_of_a_body(buffer: Any) -> None:
    """A past bug: frameworks send memoryviews, and the 402 became a 500."""
    data = json.dumps(V2).encode()
    pieces = [body(buffer(data[low : low + 40])) | {"more_body": True} for low in range(0, len(data), 40)]
    _, received = answered([start(402), *pieces, body(b"")])
    assert json.loads(received) == placed(V2)
    page = [start(402), body(buffer(b"<p>"), more=True), body(buffer(b"</p>"))]
    assert sent_by(page) == page


HEAD = {"type": "http", "method": "HEAD"}


def test_the_answer_to_head_does_not_describe_a_body_without_terms() -> None:
    told = [(b"content-length", b"120"), (b"ETag", b"x"), (b"x-kept", b"1")]
    for header in ([], [(b"payment-required", encoded(V2))]):
        out = sent_by([start(402, *told, *header), body(b"")], scope=HEAD)
        assert [name for name, _ in out[0]["headers"]] == [b"x-kept", *(name for name, _ in header)]
        assert out[1:] == [body(b"")]
    data = json.dumps(V2).encode()
    headers, received = answered([start(402, length(data)), body(data)], scope=HEAD)
    assert headers[b"content-length"] == str(len(received)).encode()
    coded = [start(402, (b"content-encoding", b"gzip"), *told), body(b"")]
    assert sent_by(coded, scope=HEAD) == coded


def test_the_answer_to_head_is_told_of_only_where_it_shows_a_broken_header() -> None:
    assert reported_by([start(402), body(b"")], scope=HEAD) == []
    assert reported_by([start(402, (b"payment-required", b"{}")), body(b"")], scope=HEAD)[0][0] == (
        "terms/not-placed"
    )


def test_a_url_of_the_discovery_document_is_warned_of_when_it_is_made(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for url, expected in ((URL, []), ("https://shop.dev/.well-known/legal-context.json?x", [True])):
        caplog.clear()
        TermsMiddleware(None, terms_hash=HASH, terms_url=url)  # type: ignore[arg-type]
        assert [r.getMessage() == "terms.url_is_discovery_document" for r in caplog.records] == expected


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
    assert raised.value.__notes__ != [""]


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
