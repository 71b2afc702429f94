"""What is read as a response, byte by byte: no socket, so that every cut into packets can be tried."""

import asyncio
import socket
from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.core.target import Target, parse
from assay402.net.http import Fetcher
from assay402.net.response import CHUNK_LINES, HTTPExchange
from net.hostile import CHUNKED, HEAD, PUBLIC, Answers, message

PROTOCOL = Failed(state="protocol")
HEADER_CAP = Failed(state="header_cap")
BODY_CAP = Failed(state="body_cap")


def _exchange(limits: Limits | None = None) -> HTTPExchange:
    target = parse("http://pay.shop.dev/")
    assert isinstance(target, Target)
    return HTTPExchange(target, limits or Limits())


def _feed(pieces: Iterable[bytes], limits: Limits | None = None) -> Fetched | Failed | None:
    exchange = _exchange(limits)
    outcomes = (exchange.feed(piece) for piece in pieces)
    return next((outcome for outcome in outcomes if outcome is not None), None)


def read(sent: bytes, limits: Limits | None = None) -> Fetched | Failed | None:
    """Read what a server sent before it closed."""
    return _feed([sent, b""] if sent else [b""], limits)


def body_of(sent: bytes) -> bytes:
    outcome = read(sent)
    assert isinstance(outcome, Fetched)
    return outcome.body


def test_a_response_is_kept_as_it_was_sent() -> None:
    sent = (
        b"HTTP/1.1 402 Payment Required\r\nPAYMENT-required: first\r\nX-Latin: caf\xe9\r\n"
        b"Payment-Required:   second  \r\nX-Empty:\r\nCONTENT-LENGTH: 2\r\n\r\nhi"
    )
    assert read(sent) == Fetched(
        status=402,
        headers=(
            ("PAYMENT-required", "first"),
            ("X-Latin", "café"),
            ("Payment-Required", "second"),
            ("X-Empty", ""),
            ("CONTENT-LENGTH", "2"),
        ),
        body=b"hi",
    )


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        pytest.param(message(b""), b"", id="no body"),
        pytest.param(message(b"hi") + b"more", b"hi", id="bytes behind a declared length"),
        pytest.param(message(b"hi") + message(b"no"), b"hi", id="a second response"),
        pytest.param(HEAD + b"\r\nhello", b"hello", id="until the connection closes"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\nhello", b"hello", id="HTTP/1.0"),
        pytest.param(b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", b"a", id="no reason"),
        pytest.param(
            HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", b"hi", id="length said twice"
        ),
        pytest.param(HEAD + b"content-length: 2, 2\r\n\r\nhi", b"hi", id="length listed twice"),
        pytest.param(HEAD + b"Content-Length: \t 2 \r\n\r\nhi", b"hi", id="blanks around the length"),
        pytest.param(HEAD + b"Content-Length: 002\r\n\r\nhi", b"hi", id="zeros before the length"),
        pytest.param(CHUNKED + b"2\r\nhi\r\n3;x=1\r\n yo\r\n0\r\nT: 1\r\n\r\n", b"hi yo", id="chunks"),
        pytest.param(HEAD + b"transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n", b"", id="chunked in capitals"),
        pytest.param(b"HTTP/1.1 204 None\r\n\r\nno", b"", id="204"),
        pytest.param(b"HTTP/1.1 204 None\r\nContent-Length: 99\r\n\r\n", b"", id="204 with a length"),
        pytest.param(b"HTTP/1.1 304 Same\r\nContent-Length: 1073741824\r\n\r\n", b"", id="304 with a length"),
        pytest.param(message(b"hi").replace(b"\r\n", b"\n"), b"hi", id="bare LF"),
        pytest.param(message(b"\x00\x0b\r\x0c"), b"\x00\x0b\r\x0c", id="a body of controls"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" * 8 + message(b"hi"), b"hi", id="eight interim"),
    ],
)
def test_a_body_is_read_by_its_framing(sent: bytes, body: bytes) -> None:
    assert body_of(sent) == body


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(HEAD, id="closed in the headers"),
        pytest.param(HEAD + b"Content-Length: 9\r\n\r\nhi", id="closed in the body"),
        pytest.param(HEAD + b"Content-Length: 9\r\n\r\n", id="closed before the body"),
        pytest.param(CHUNKED + b"5\r\nhi", id="closed in a chunk"),
        pytest.param(CHUNKED + b"2\r\nhi\r\n", id="closed between chunks"),
        pytest.param(CHUNKED + b"0\r\nX: 1\r\n", id="closed in the trailers"),
        pytest.param(CHUNKED + b"2\r\nhiho\r\n0\r\n\r\n", id="a chunk longer than it says"),
        pytest.param(CHUNKED + b"-2\r\nhi\r\n0\r\n\r\n", id="a negative chunk"),
        pytest.param(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi", id="two lengths"),
        pytest.param(HEAD + b"Content-Length: 2, 3\r\n\r\nhi", id="two lengths in a list"),
        pytest.param(HEAD + b"Content-Length:\r\n\r\nhi", id="an empty length"),
        pytest.param(HEAD + b"Content-Length: 0x2\r\n\r\nhi", id="a length in hexadecimal"),
        pytest.param(
            HEAD + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\nhi", id="a length of 5,000 digits"
        ),
        pytest.param(
            HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            id="chunked twice",
        ),
        pytest.param(HEAD + b"Transfer-Encoding: identity\r\n\r\nhi", id="another transfer coding"),
        pytest.param(HEAD + b"Content-Length : 2\r\n\r\nhi", id="a blank before the colon"),
        pytest.param(HEAD + b"X Y: 1\r\n\r\n", id="a blank in a name"),
        pytest.param(HEAD + b"no colon\r\n\r\n", id="no colon"),
        pytest.param(HEAD + b"X: a\rb\r\n\r\n", id="a bare CR"),
        pytest.param(b"\r\n" + message(b"hi"), id="an empty line first"),
        pytest.param(b"HTTP/1.1 099 X\r\n\r\n", id="status 099"),
        pytest.param(b"HTTP/2 200 OK\r\n\r\n", id="HTTP/2 in text"),
        pytest.param(b"ICY 200 OK\r\n\r\n", id="another protocol"),
        pytest.param(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", id="101"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" * 9 + message(b"hi"), id="nine interim"),
        pytest.param(b"HTTP/1.1 103 Early\r\n\r\n", id="interim only"),
    ],
)
def test_what_is_not_one_complete_response_is_protocol(sent: bytes) -> None:
    assert read(sent) == PROTOCOL


def test_a_folded_header_is_read_as_one_line() -> None:
    """RFC 9112 lets a reader replace a fold by blanks; we always do."""
    outcome = read(HEAD + b"X-F: a\r\n   b\r\nContent-Length: 0\r\n\r\n")
    assert isinstance(outcome, Fetched)
    assert outcome.header("x-f") == ("a b",)


def _padded(start: bytes, end: bytes, size: int) -> bytes:
    return start + b"h" * (size - len(start) - len(end)) + end


def test_a_head_as_long_as_the_cap_passes_and_one_byte_more_does_not() -> None:
    cap = Limits().header_bytes
    start, end = HEAD + b"Content-Length: 0\r\nX: ", b"\r\n\r\n"
    assert isinstance(read(_padded(start, end, cap)), Fetched)
    assert read(_padded(start, end, cap + 1)) == HEADER_CAP


def test_each_interim_response_has_the_cap_to_itself() -> None:
    interim = _padded(b"HTTP/1.1 103 Early\r\nX: ", b"\r\n\r\n", Limits().header_bytes)
    assert body_of(interim * 2 + message(b"hi")) == b"hi"


@pytest.mark.parametrize(
    ("start", "end"), [(b"1;x=", b"\r\n"), (b"0\r\nX: ", b"\r\n\r\n")], ids=["chunk header", "trailers"]
)
def test_chunk_headers_and_trailers_have_a_cap_of_their_own(start: bytes, end: bytes) -> None:
    lead = b"0\r\n" if start.startswith(b"0") else b""
    rest = b"" if lead else b"a\r\n0\r\n\r\n"
    passes = lead + _padded(start.removeprefix(lead), end, CHUNK_LINES)
    assert isinstance(read(CHUNKED + passes + rest), Fetched)
    assert read(CHUNKED + passes.replace(b"hh", b"hhh", 1) + rest) == HEADER_CAP


def test_a_body_as_long_as_the_cap_passes_and_one_byte_more_does_not() -> None:
    cap = Limits().body_bytes
    for frame in (message, lambda body: HEAD + b"\r\n" + body):
        assert len(body_of(frame(b"b" * cap))) == cap
        assert read(frame(b"b" * (cap + 1))) == BODY_CAP


def test_a_declared_length_over_the_cap_is_refused_before_any_of_it_is_read() -> None:
    assert _feed([HEAD + b"Content-Length: 65537\r\n\r\n"]) == BODY_CAP


def test_an_encoded_body_stays_encoded() -> None:
    assert body_of(message(b"\x1f\x8b\x08", b"Content-Encoding: gzip")) == b"\x1f\x8b\x08"


@pytest.mark.parametrize("illegal", [b"\x00", b"\x0b", b"\x0c", b"\rx"])
def test_an_illegal_byte_is_refused_before_the_head_is_complete(illegal: bytes) -> None:
    """h11's own refusal comes at the end of the head and takes two seconds for a line of blanks with a NUL."""
    assert _feed([HEAD + b"X:", b" " * 30_000, illegal[:1], illegal[1:] or b" "]) == PROTOCOL


FRAGMENTS = [
    b"HTTP/1.1 402 Payment Required\r\n",
    b"HTTP/1.0 200 OK\r\n",
    b"HTTP/1.1 103 Early Hints\r\n\r\n",
    b"HTTP/1.1 204 \r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"X: y\r\n",
    b" folded\r\n",
    b"\r\n",
    b"\n",
    b"\r",
    b"\x00",
    b"hello",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"0\r\n",
    b";x" * 40,
    b"b" * 90,
]
SENT = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(FRAGMENTS), max_size=9).map(b"".join),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=4)), max_size=9).map(b"".join),
)
SMALL = Limits(header_bytes=120, body_bytes=70, interim_responses=1)
"""Caps that the fragments reach."""


def _cut(sent: bytes, cuts: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for cut in sorted(cuts):
        if sent[start:cut]:
            yield sent[start:cut]
            start = cut
    if sent[start:]:
        yield sent[start:]
    yield b""


@settings(deadline=None, max_examples=400)
@given(sent=SENT, cuts=st.lists(st.integers(0, 300), max_size=6))
def test_the_outcome_does_not_depend_on_how_the_bytes_were_cut(sent: bytes, cuts: list[int]) -> None:
    outcome = read(sent, SMALL)
    assert isinstance(outcome, Fetched | Failed)
    assert _feed(_cut(sent, cuts), SMALL) == outcome
    assert _feed(_cut(sent, range(len(sent))), SMALL) == outcome


@settings(deadline=None, max_examples=60)
@given(sent=SENT)
def test_whatever_a_server_sends_ends_in_fetched_or_failed(sent: bytes) -> None:
    async def run() -> Fetched | Failed:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)

        async def dial(_address: str, _port: int) -> socket.socket:
            return ours

        with theirs:
            return await Fetcher(resolver=Answers([PUBLIC]), dial=dial)(Fetch(url="http://pay.shop.dev/"))

    assert asyncio.run(run()) == read(sent)
