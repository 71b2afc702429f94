"""The public JSON of a recording: a request, and every ask of its run with the answer it got.

Replaying one gives the same published bytes. The values of response headers are kept for the names on a list and
emptied for all others, so that cookies and tokens do not travel in bug reports; names and order stay.
"""

from typing import Final

import msgspec
from msgspec import Struct

from assay402.core.asks import Answer, Answered, At, Exchange, Failed, Fetch, Fetched
from assay402.core.check import REQUEST_DEPTH
from assay402.core.errors import JSONUnreadable, RecordingUnreadable
from assay402.core.fetch_states import CAUSES, PHASES
from assay402.core.fetch_states import NOTICES as FETCH_NOTICES
from assay402.core.strictjson import JSON, read, write
from assay402.core.target import NOTICES as TARGET_NOTICES

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
        "retry-after",
    }
)
"""Response headers whose values are evidence; every other value is emptied."""


_STATUSES: Final = range(100, 1000)
_YEARS: Final = range(2, 9999)
"""At the ends of the calendar a moment may have no date in UTC."""


class Recording(Struct, frozen=True, kw_only=True):
    """One run of one operation."""

    check: str
    operation: str
    request: JSON
    allow_private: bool
    exchanges: tuple[Exchange, ...]


def write_recording(recording: Recording) -> bytes:
    """Write a recording, one line of JSON, header values redacted."""
    exchanges = [Exchange(ask=each.ask, answer=_redact(each.answer)) for each in recording.exchanges]
    return (
        write(
            {
                "format": FORMAT,
                "check": recording.check,
                "operation": recording.operation,
                "request": recording.request,
                "allow_private": recording.allow_private,
                "exchanges": read(msgspec.json.encode(exchanges)),
            }
        )
        + b"\n"
    )


def read_recording(source: bytes) -> Recording:
    """Read a recording.

    Raises:
        RecordingUnreadable: `recording_malformed`, or `recording_version` for a format of another release.

    """
    try:
        written = read(source, max_depth=REQUEST_DEPTH + 1)
    except JSONUnreadable:
        written = None
    match written:
        case {"format": str(version)} if version != FORMAT:
            raise RecordingUnreadable("recording_version")
        case {
            "format": str(),
            "check": str(check),
            "operation": str(operation),
            "request": request,
            "allow_private": bool(allow_private),
            "exchanges": list(exchanges),
        }:
            return Recording(
                check=check,
                operation=operation,
                request=request,
                allow_private=allow_private,
                exchanges=_exchanges(exchanges),
            )
    raise RecordingUnreadable("recording_malformed")


def _exchanges(written: list[JSON]) -> tuple[Exchange, ...]:
    try:
        exchanges = msgspec.json.decode(write(written), type=tuple[Exchange, ...])
    except msgspec.DecodeError:
        exchanges = None
    if exchanges is None or not all(map(_is_closed, exchanges)):
        raise RecordingUnreadable("recording_malformed")
    return exchanges


def _is_closed(exchange: Exchange) -> bool:
    """Whether the answers say only what an answerer can: they are published, so nothing else may pass for one."""
    answers = exchange.answer.answers if isinstance(exchange.answer, Answered) else (exchange.answer,)
    if isinstance(exchange.ask, Fetch) and isinstance(exchange.answer, Fetched):
        return len(exchange.answer.body) <= exchange.ask.limits.body_bytes and _is_sayable(exchange.answer)
    return all(map(_is_sayable, answers))


def _is_sayable(answer: Answer) -> bool:
    match answer:
        case Failed():
            return (answer.state in FETCH_NOTICES or answer.state in TARGET_NOTICES) and (
                answer.detail is None or answer.detail in PHASES or answer.detail in CAUSES
            )
        case Fetched():
            return answer.status in _STATUSES
        case At():
            return answer.moment.year in _YEARS
        case _:
            return True


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
