"""Every reader survives any bytes and keeps what was sent."""

import json
from typing import Any

import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay402.core.canon import canonical
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import Number, read, read_document, write
from assay402.wire.challenge import NoChallenge, body_leg, header_leg
from assay402.wire.requirements import PaymentRequired
from assay402.wire.transport import decode_header, encode_header
from property.strategies import JSON_VALUES, LEGS, json_texts

LARGE = 262_144


def plain(value: Any) -> Any:
    """Turn spelled numbers into Python's, as the json module reads them."""
    match value:
        case Number():
            return json.loads(value.spelling)
        case dict():
            return {name: plain(member) for name, member in value.items()}
        case list():
            return [plain(element) for element in value]
        case _:
            return value


@given(
    st.binary(max_size=LARGE)
    | st.text().map(str.encode)
    | st.binary(max_size=64).map(lambda part: part * (LARGE // 64))
)
@example(b'{"a":' * (LARGE // 5))
@example(b'"' + b'\\"' * (LARGE // 2 - 1))
@example(b'"' + b"\\" * (LARGE - 1))
@example(b'["' * (LARGE // 2))
@example(b'[""' * (LARGE // 3))
@example(b"1" * LARGE)
@example(b"[" + b"[]," * (LARGE // 3) + b"[]]")
@settings(deadline=None)
def test_any_bytes_are_read_or_refused_by_code(source: bytes) -> None:
    try:
        document = read_document(source)
    except JSONUnreadable as error:
        assert error.code in {"json_not_utf8", "json_malformed", "json_not_finite", "json_too_deep"}
    else:
        assert document.source == source


@given(json_texts())
@settings(deadline=None, max_examples=300)
def test_a_text_survives_reading_and_writing(text: str) -> None:
    """Names in order, repetitions, number spellings and lone surrogates."""
    assert write(read(text)).decode() == text


@given(JSON_VALUES)
@settings(deadline=None)
def test_the_reader_agrees_with_the_json_module(value: Any) -> None:
    text = json.dumps(value)
    assert plain(read(text)) == json.loads(text)


@given(JSON_VALUES)
@settings(deadline=None, max_examples=300)
def test_canonical_json_is_what_a_library_of_that_name_writes(value: Any) -> None:
    """rfc8785 is the oracle where it answers: it refuses integers beyond 2^53, which ours writes exactly."""
    try:
        expected = rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError):
        return
    assert canonical(value) == expected
    assert canonical(read(expected)) == expected


@given(LEGS.map(lambda leg: json.dumps(leg).encode()) | st.text().map(str.encode) | st.binary())
@settings(deadline=None, max_examples=300)
def test_any_header_value_is_a_leg_or_a_reason(data: bytes) -> None:
    """Encoded, as raw text, and as a body: the same leg or a reason each time, and a leg keeps what was sent."""
    leg = header_leg((encode_header(data),))
    assert leg == body_leg(data)
    assert isinstance(leg, NoChallenge) or write(dict(leg.sent)) == write(read(data))
    assert isinstance(header_leg((data.decode("latin-1"),)), NoChallenge | PaymentRequired)


@given(st.binary())
@settings(deadline=None)
def test_what_we_encode_we_decode(data: bytes) -> None:
    assert decode_header(encode_header(data)) == data
