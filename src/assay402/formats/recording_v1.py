"""The public JSON of a recording: a request, and every ask of its run with the answer it got.

Replaying one gives the same published bytes. The values of response headers are kept for the names on a list and
emptied for all others, so that cookies and tokens do not travel in bug reports; names and order stay.
"""

from typing import Final, Literal

import msgspec
from msgspec import Raw, Struct

from assay402.core.asks import Answer, Answered, Exchange, Fetched
from assay402.core.check import REQUEST_DEPTH
from assay402.core.errors import JSONUnreadable, RecordingUnreadable
from assay402.core.strictjson import JSON, MAX_DEPTH, read, write

FORMAT: Final = "assay-recording/1"

KEPT_HEADER_VALUES: Final = frozenset(
    {
        "payment-required",
        "payment-response",
        "x-payment-response",
        "content-type",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "date",
        "location",
        "retry-after",
        "www-authenticate",
    }
)
"""Response headers whose values are evidence; every other value is emptied."""


class Recording(Struct, frozen=True, kw_only=True):
    """One run of one operation."""

    check: str
    operation: str
    request: JSON
    allow_private: bool
    exchanges: tuple[Exchange, ...]


class _Written(Struct, frozen=True, kw_only=True):
    format: Literal["assay-recording/1"] = FORMAT
    check: str
    operation: str
    request: Raw
    allow_private: bool
    exchanges: tuple[Exchange, ...]


def write_recording(recording: Recording) -> bytes:
    """Write a recording, one line of JSON, header values redacted."""
    return (
        msgspec.json.encode(
            _Written(
                check=recording.check,
                operation=recording.operation,
                request=Raw(write(recording.request)),
                allow_private=recording.allow_private,
                exchanges=tuple(
                    Exchange(ask=each.ask, answer=_redact(each.answer)) for each in recording.exchanges
                ),
            )
        )
        + b"\n"
    )


def read_recording(source: bytes) -> Recording:
    """Read a recording.

    Raises:
        RecordingUnreadable: `recording_malformed`, or `recording_version` for a format of another release.

    """
    version = _format_of(source)
    if version is not None and version != FORMAT:
        raise RecordingUnreadable("recording_version")
    try:
        written = msgspec.json.decode(source, type=_Written)
        return Recording(
            check=written.check,
            operation=written.operation,
            request=read(bytes(written.request), max_depth=MAX_DEPTH + REQUEST_DEPTH),
            allow_private=written.allow_private,
            exchanges=written.exchanges,
        )
    except (msgspec.DecodeError, JSONUnreadable, UnicodeError, RecursionError):
        pass
    raise RecordingUnreadable("recording_malformed")


class _Format(Struct, frozen=True, kw_only=True):
    format: str


def _format_of(source: bytes) -> str | None:
    try:
        return msgspec.json.decode(source, type=_Format).format
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _redact(answer: Answer) -> Answer:
    if isinstance(answer, Fetched):
        return msgspec.structs.replace(
            answer,
            headers=tuple(
                (name, value if name.lower() in KEPT_HEADER_VALUES else "") for name, value in answer.headers
            ),
        )
    if isinstance(answer, Answered):
        return Answered(answers=tuple(_redact(each) for each in answer.answers))  # type: ignore[misc]  # (a redacted simple answer stays simple)
    return answer
