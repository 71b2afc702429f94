"""Properties of the reader: it survives any bytes, gives back what was sent, and reads in linear steps."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core import strictjson
from assay402.formats.transcript import TranscriptUnreadable, capture

FRAGMENTS = st.sampled_from(
    [
        b"HTTP/1.1 402 Payment Required\r\n", b"HTTP/2 402 \n", b"HTTP/1.1 100 Continue\r\n\r\n", b"< HTTP/1.1 402 x\r\n",
        b"> GET / HTTP/1.1\r\n", b"> X-PAYMENT: e30=\r\n", b"> \r\n", b"< \r\n", b"* Closing connection 0\n", b"\r\n\r\n",
        b"\n", b"\r", b" ", b"PAYMENT-REQUIRED: e30=\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n",
        b"5\r\nhello\r\n", b"0\r\n\r\n", b"\x1b[1m", b"\x1b]8;;", b"{}", b'{"log":{"entries":[', b'{"response":{"status":402}}',
        b"]}}", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\xd8", b"Script started on x\n", b"\nScript done on x\n",
        b"HTTP/1.1 200 OK\r\r\n", b"  % Total    % Received % Xferd\n",
    ]
)  # fmt: skip
RUBBISH = st.one_of(
    st.binary(max_size=65_536),
    st.lists(st.one_of(FRAGMENTS, st.binary(max_size=8)), max_size=40).map(b"".join),
)
STATUSES = st.integers(200, 999).filter(lambda status: status not in {204, 304})
VALUES = st.none() | st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=40)
JSON_BODIES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
).map(lambda value: json.dumps(value, indent=1, ensure_ascii=False).encode())
BODIES = st.one_of(
    st.binary(max_size=300),
    st.text("\r\n \ta", max_size=8).map(str.encode),
    st.text(max_size=100).map(str.encode),
    JSON_BODIES,
)
MESSAGES = st.sampled_from(
    [
        b"* Connection #0 to host seller.example left intact\n",
        b"{ [12 bytes data]\n",
        b"* Closing connection\n",
    ]
)
TAILS = st.sampled_from([b"", b"\n", b"\r\n", b"user@host:~$ ", b"\n[user@host ~]$ exit\n"])
LINE_ENDS = st.sampled_from([b"\r\n", b"\n"])


def text_of(body: bytes) -> str:
    """Give the stated form of a body: UTF-8 as it is, all else marked as unreadable."""
    text = body.decode(errors="replace")
    return text if text.encode() == body else "\ufffd" + text


def head(status: int, value: str | None, *more: bytes, line_end: bytes = b"\r\n") -> bytes:
    lines = [b"HTTP/1.1 %d Some Reason" % status, b"Server: x", *more]
    if value is not None:
        lines.append(b"payment-required: " + value.encode())
    return line_end.join([*lines, b"", b""])


def artefact(status: int, value: str | None, body: bytes) -> dict[str, Any]:
    header = {} if value is None else {"payment_required_header": value}
    return {"status": status, "body_raw": text_of(body), **header}


@settings(deadline=None, max_examples=300)
@given(RUBBISH, st.none() | st.integers(-2, 3))
def test_any_bytes_give_an_artefact_that_can_be_written_or_a_code(source: bytes, entry: int | None) -> None:
    try:
        made = capture(source, entry=entry)
    except TranscriptUnreadable:
        return
    assert strictjson.read(strictjson.write(made))
    assert 100 <= made["status"] <= 999


@settings(deadline=None, max_examples=150)
@given(STATUSES, VALUES, BODIES, TAILS, LINE_ENDS)
def test_a_response_with_its_length_is_given_back_whatever_follows(
    status: int, value: str | None, body: bytes, tail: bytes, line_end: bytes
) -> None:
    length = b"Content-Length: %d" % len(body)
    printed = (
        b"$ curl -i https://seller.example/\n" + head(status, value, length, line_end=line_end) + body + tail
    )
    assert capture(printed) == artefact(status, value, body)


@settings(deadline=None, max_examples=150)
@given(STATUSES, VALUES, BODIES)
def test_a_response_that_ends_with_the_file_is_given_back(
    status: int, value: str | None, body: bytes
) -> None:
    assert capture(head(status, value) + body) == artefact(status, value, body)


@settings(deadline=None, max_examples=150)
@given(STATUSES, VALUES, BODIES, st.lists(st.integers(1, 64), max_size=8), TAILS)
def test_chunks_as_sent_are_given_back_as_what_they_carried(
    status: int, value: str | None, body: bytes, sizes: list[int], tail: bytes
) -> None:
    rest, chunks = body, b""
    for size in [*sizes, len(body)]:
        piece, rest = rest[:size], rest[size:]
        if piece:
            chunks += b"%X\r\n%b\r\n" % (len(piece), piece)
    sent = head(status, value, b"Transfer-Encoding: chunked") + chunks + b"0\r\n\r\n" + tail
    assert capture(sent) == artefact(status, value, body)


@settings(deadline=None, max_examples=150)
@given(STATUSES, VALUES, BODIES, st.booleans())
def test_an_archive_gives_back_its_entry(
    status: int, value: str | None, body: bytes, is_encoded: bool
) -> None:
    content = {"text": base64.b64encode(body).decode(), "encoding": "base64"}
    if not is_encoded:
        content = {"text": body.decode(errors="replace")}
        body = content["text"].encode()
    headers = [{"name": "payment-required", "value": value}] if value is not None else []
    entry = {
        "request": {"headers": []},
        "response": {"status": status, "headers": headers, "content": content},
    }
    source = json.dumps({"log": {"entries": [entry]}}).encode()
    assert capture(source, entry=0) == artefact(status, value, body)


@settings(deadline=None, max_examples=150)
@given(VALUES, JSON_BODIES, st.integers(0, 300), MESSAGES, st.booleans())
def test_a_json_body_survives_the_messages_of_curl_wherever_they_fall(
    value: str | None, body: bytes, at: int, message: bytes, is_repeated: bool
) -> None:
    whole = head(402, value)
    marked = b"".join(b"< " + line + b"\r\n" for line in whole.split(b"\r\n")[:-1])
    printed = marked + (whole if is_repeated else b"") + body[:at] + message + body[at:]
    assert capture(b"> GET / HTTP/1.1\r\n> \r\n" + printed) == artefact(402, value, body)


SIZE = 1 << 20
HEAD = b"HTTP/1.1 402 x\r\n"
VERBOSE = b"> GET / HTTP/1.1\r\n> \r\n< HTTP/1.1 402 x\r\n< \r\n"


@pytest.mark.parametrize(
    ("opening", "repeated"),
    [
        pytest.param(opening, repeated, id=f"{opening[:12]!r} then {repeated[:24]!r}")
        for opening, repeated in [
            (b"", b"HTTP/1.1 402"),
            (b"", b"\r"),
            (b"", b"\x1b]8;;"),
            (b"", b"\x1b[0;"),
            (b"", b"{ ["),
            (b"", b"["),
            (b"", b"\n< "),
            (b"", b"< HTTP/1.1 402"),
            (b"", HEAD),
            (b"", HEAD + b"\r\n"),
            (b"", HEAD + b"Content-Length: 0\r\n\r\n"),
            (b"", HEAD + b"Content-Length: 900000\r\n\r\n"),
            (b"", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            (b"", b"HTTP/1.1 100 x\r\n\r\n"),
            (HEAD, b"\x1b[1ma\x1b"),
            (HEAD, b"a: b\r\n"),
            (HEAD + b"a: b\r\n", b" c\r\n"),
            (HEAD, b"PAYMENT-REQUIRED: x\r\n"),
            (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
            (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1;a"),
            (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
            (HEAD + b"Content-Length: 9\r\n\r\n", b"\r\n"),
            (HEAD + b"\r\n", b"HTTP/1.1 40"),
            (HEAD + b"\r\n", b"\xff"),
            (b"  % Total    % Received % Xferd\n" + HEAD + b"\r\n", b"\r100 100"),
            (VERBOSE, b"* Connection #1 to host "),
            (VERBOSE, b"{ [1"),
            (VERBOSE, b"> GET / HTTP/1.1\r\n"),
            (VERBOSE, b"< HTTP/1.1 402 x\r\n"),
            (VERBOSE, b"< HTTP/1.1 402 x\r\n< \r\n"),
            (VERBOSE, b"HTTP/1.1 402 x\r\n\r\n"),
            (b"Script started on x\n", b"\nScript done on "),
            (b'{"log":{"entries":[', b"{},"),
        ]
    ],
)
def test_a_megabyte_of_repetition_is_read_without_growing_steps(opening: bytes, repeated: bytes) -> None:
    """Bounded size, no clock: a reader of quadratic steps would need 10^11 or more here and not come back."""
    source = opening + repeated * (SIZE // len(repeated))
    try:
        made = capture(source)
    except TranscriptUnreadable:
        return
    assert len(made.get("body_raw", "")) <= len(source) + 1
