"""Recordings: written, read back, redacted, refused when damaged."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay402.core.asks import Answered, At, Exchange, Failed, Fetch, Fetched, Now, Together
from assay402.core.errors import RecordingUnreadable
from assay402.core.strictjson import read
from assay402.formats.recording_v1 import Recording, read_recording, write_recording

AT = datetime(2026, 1, 2, tzinfo=UTC)
PAGE = Fetched(
    status=402,
    headers=(
        ("Set-Cookie", "s3cret"),
        ("payment-required", "e30="),
        ("X-Token", "s3cret"),
        ("Set-Cookie", "more"),
    ),
    body=b"\x00\xff{}",
)
KEPT = Fetched(
    status=402,
    headers=(("Set-Cookie", ""), ("payment-required", "e30="), ("X-Token", ""), ("Set-Cookie", "")),
    body=b"\x00\xff{}",
)


def recording(*exchanges: Exchange, request: Any = None) -> Recording:
    return Recording(
        check="dialect", operation="check", request=request, allow_private=True, exchanges=tuple(exchanges)
    )


def test_a_recording_is_read_back_with_header_values_redacted_by_an_allow_list() -> None:
    """Style guide, rule 37: names and order stay, values only where they are evidence."""
    written = write_recording(
        recording(
            Exchange(ask=Fetch(url="https://shop.dev/"), answer=PAGE),
            Exchange(
                ask=Together(asks=(Fetch(url="https://shop.dev/a"), Now())),
                answer=Answered(answers=(PAGE, At(moment=AT))),
            ),
            Exchange(ask=Fetch(url="https://shop.dev/b"), answer=Failed(state="deadline", detail="dns")),
        )
    )
    assert b"s3cret" not in written
    assert written.count(b"\n") == 1
    answers = [exchange.answer for exchange in read_recording(written).exchanges]
    assert answers == [
        KEPT,
        Answered(answers=(KEPT, At(moment=AT))),
        Failed(state="deadline", detail="dns"),
    ]


def test_the_request_keeps_its_spellings() -> None:
    request = read(
        '{"mode":"submitted","artefact":{"status":402,"body_obj":{"a":1.0,"a":1e0,"b":"\\ud800"}}}'
    )
    assert read_recording(write_recording(recording(request=request))).request == request


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (b"", "recording_malformed"),
        (b"\xff", "recording_malformed"),
        (b"null", "recording_malformed"),
        (b'{"format":1}', "recording_malformed"),
        (b'{"format":"assay-recording/1"}', "recording_malformed"),
        (b'{"format":"assay-recording/2"}', "recording_version"),
        (b"[" * 100_000, "recording_malformed"),
        (
            write_recording(recording()).replace(b"null", b'{"a":' * 600 + b"1" + b"}" * 600),
            "recording_malformed",
        ),
        (write_recording(recording()).replace(b"null", b"NaN"), "recording_malformed"),
        (write_recording(recording()).replace(b"[]", b'[{"ask":{},"answer":{}}]'), "recording_malformed"),
        (write_recording(recording()).replace(b"[]", b'["\\ud800"]'), "recording_malformed"),
    ],
)
def test_what_is_no_recording_is_refused_by_code(source: bytes, code: str) -> None:
    with pytest.raises(RecordingUnreadable) as caught:
        read_recording(source)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "answer",
    [
        Failed(state="free text"),
        Failed(state="answered"),
        Failed(state="deadline", detail="free text"),
        Answered(answers=(Failed(state="\x9b31m"),)),
        Fetched(status=99, headers=(), body=b""),
        Fetched(status=10**30, headers=(), body=b""),
        Fetched(status=402, headers=(), body=b"x" * 65_537),
    ],
)
def test_a_state_that_no_fetcher_says_is_refused(answer: Any) -> None:
    """Decision 8: `probe_state` is closed, so free text of an edited recording must not reach a report."""
    ask = Together(asks=(Now(),)) if isinstance(answer, Answered) else Fetch(url="https://shop.dev/")
    with pytest.raises(RecordingUnreadable) as caught:
        read_recording(write_recording(recording(Exchange(ask=ask, answer=answer))))
    assert caught.value.code == "recording_malformed"


def test_a_moment_without_a_zone_or_at_the_end_of_the_calendar_is_refused() -> None:
    written = write_recording(recording(Exchange(ask=Now(), answer=At(moment=AT))))
    assert read_recording(written.replace(b"00:00:00Z", b"00:00:00+09:00")).exchanges
    for moment in (b"2026-01-02T00:00:00", b"0001-01-01T00:00:00+14:00", b"9999-12-31T23:59:59-14:00"):
        with pytest.raises(RecordingUnreadable):
            read_recording(written.replace(b"2026-01-02T00:00:00Z", moment))
