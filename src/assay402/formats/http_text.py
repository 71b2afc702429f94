"""HTTP responses as text: what `curl -i` prints, and the bytes of a response as they were on the wire.

A text may hold several responses (interim ones, those of a proxy, redirects, one run after another). The last
final one counts. Line ends are LF or CRLF; names come in any case; a head may be coloured for a terminal.
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from assay402.formats.exchange import BLANKS, Headers, SavedExchange, TranscriptUnreadable, named

FIRST_FINAL: Final = 200
"""The lowest status of an answer; those below are words on the way to it."""
STATUS: Final = re.compile(rb"HTTP/[0-9](?:\.[0-9])? ([1-9][0-9]{2})(?: [^\r\n]*+)?\r*+$", re.MULTILINE)
ANSI: Final = re.compile(rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\))")
"""A terminal's control sequence (colour, bracketed paste) or operating system command (link, title)."""
STATUS_LINE: Final = re.compile(rb"^(?:" + ANSI.pattern + rb"|\r)*+" + STATUS.pattern, re.MULTILINE)
"""A status line where a line begins; a shell may have switched its prompt off just before."""

_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*+(?:;[^\r\n]*+)?\r\n")
_TRAILERS: Final = re.compile(rb"(?:[^\r\n]++\r\n)*+\r\n")
_LENGTH: Final = re.compile(r"[0-9]{1,15}")
_BODILESS: Final = frozenset({204, 304})


class _Head(Struct, frozen=True, kw_only=True):
    """The status line and headers of one response, and where in the text its body begins."""

    status: int
    headers: Headers
    body_at: int | None
    """None when the text ends before the blank line that ends a head."""


class _Framed(Struct, frozen=True, kw_only=True):
    """A body whose end is known."""

    body: bytes
    end: int


def read(text: bytes, *, is_rewritten: bool) -> SavedExchange:
    """Give the last final response of a text.

    `is_rewritten` says that the text was saved in another encoding, so that lengths in bytes no longer hold.
    Known limits: a body without Content-Length takes in whatever the file holds after it (a shell prompt,
    trailers that curl prints after the body); one that is chunks inside as well is taken for chunks as sent.

    Raises:
        TranscriptUnreadable: with `transcript_no_response`, or `transcript_ambiguous` when a body of unknown
            length holds what may be a further response.

    """
    head, framed = _last(text)
    if head.status < FIRST_FINAL:
        raise TranscriptUnreadable("transcript_no_response")
    if head.body_at is None:
        body = None
    elif framed is not None and content_length(head.headers) is None:
        body = framed.body
    else:
        body = trimmed(text[head.body_at :], head.headers, is_rewritten=is_rewritten)
    return SavedExchange(status=head.status, headers=head.headers, body=body)


def trimmed(body: bytes, headers: Headers, *, is_rewritten: bool) -> bytes | None:
    """Cut off what stands after a body; a body shorter than its Content-Length is kept as it is.

    A shell that saves line by line writes CRLF for LF and ends the file with one. A body that has its length
    once this is undone was saved so, and is given as it was sent. Nothing where something was announced (an
    answer to HEAD, a head saved alone) is None: the body was not saved.
    """
    length = content_length(headers)
    if length is None or len(body) <= length:
        return None if length and len(body) < length and not body.strip() else body
    undone = body.replace(b"\r\n", b"\n").removesuffix(b"\n")
    if len(undone) == length and body.endswith(b"\r\n"):
        return undone
    return body if is_rewritten else body[:length]


def headers_of(lines: Iterable[bytes]) -> Headers:
    """Read header lines, continuation lines included; a line that is neither is passed over."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        plain = ANSI.sub(b"", line).decode("latin-1")
        if plain[:1] not in {" ", "\t"}:
            name, colon, value = plain.partition(":")
            found.append((name if colon else "", [value.strip(BLANKS)]))
        elif found:
            found[-1][1].append(plain.strip(BLANKS))
    return named((name, " ".join(parts)) for name, parts in found)


def content_length(headers: Headers) -> int | None:
    """Give the length the body should have in the file, or None where Content-Length does not tell.

    It does not where the body came in chunks, nor with a content coding: it counts the coded bytes, while
    `curl --compressed` prints the decoded ones.
    """
    if _is_chunked(headers) or _elements(headers, "content-encoding") - {"identity"}:
        return None
    lengths = _elements(headers, "content-length")
    length = lengths.pop() if len(lengths) == 1 else ""
    return int(length) if _LENGTH.fullmatch(length) else None


def _is_chunked(headers: Headers) -> bool:
    return "chunked" in _elements(headers, "transfer-encoding")


def _elements(headers: Headers, name: str) -> set[str]:
    """Give the different elements of a list header, in lower case."""
    values = ",".join(value for key, value in headers if key.lower() == name)
    return {element.strip(BLANKS) for element in values.lower().split(",")} - {""}


def _last(text: bytes) -> tuple[_Head, _Framed | None]:
    """Go from response to response to the last one. Each begins after the one before: linear in the text."""
    line = STATUS_LINE.search(text)
    if line is None:
        raise TranscriptUnreadable("transcript_no_response")
    while True:
        head = _head(text, line)
        if head.body_at is None:
            return head, None
        # curl prints no body of a redirect it follows, whatever its Content-Length says: look here first.
        following, framed = STATUS.match(text, head.body_at), None
        if following is None:
            framed = _framed(text, head.status, head.headers, head.body_at)
        if framed is not None:
            following = STATUS.match(text, framed.end) or STATUS_LINE.search(text, framed.end)
        elif following is None and STATUS_LINE.search(text, head.body_at):
            raise TranscriptUnreadable("transcript_ambiguous")
        if following is None:
            return head, framed
        line = following


def _head(text: bytes, status_line: re.Match[bytes]) -> _Head:
    lines: list[bytes] = []
    body_at = None
    at = status_line.end() + 1
    while at < len(text) and body_at is None:
        newline = text.find(b"\n", at)
        end = len(text) if newline < 0 else newline
        line, at = text[at:end], end + 1
        if ANSI.sub(b"", line).strip():
            lines.append(line)
        else:
            body_at = min(at, len(text))
    return _Head(status=int(status_line[1]), headers=headers_of(lines), body_at=body_at)


def _framed(text: bytes, status: int, headers: Headers, start: int) -> _Framed | None:
    """Find the end of a body, or None where only the end of the text ends it."""
    if status < FIRST_FINAL or status in _BODILESS:
        return _Framed(body=b"", end=start)
    if _is_chunked(headers):
        return _dechunked(text, start)
    length = content_length(headers)
    if length is None or start + length > len(text):
        return None
    return _Framed(body=text[start : start + length], end=start + length)


def _dechunked(text: bytes, at: int) -> _Framed | None:
    """Put chunks together, or None for anything but complete chunks: curl prints the header, but decodes the body."""
    parts: list[bytes] = []
    while line := _CHUNK.match(text, at):
        start, size = line.end(), int(line[1], 16)
        if size == 0:
            trailers = _TRAILERS.match(text, start)
            return _Framed(body=b"".join(parts), end=trailers.end()) if trailers else None
        at = start + size + len(b"\r\n")
        if text[start + size : at] != b"\r\n":
            return None
        parts.append(text[start : start + size])
    return None
