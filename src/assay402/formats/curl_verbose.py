"""What `curl -v` prints: `> ` the request, `< ` the response, `* ` what curl does, and the body between them.

With `-i` the head stands a second time, unmarked. When both outputs of curl go into one file, its messages may
fall anywhere in the body, even within a line: those curl is known to write there are taken out wherever they
stand, and marked lines are taken out whole. None of them can be part of a JSON text, so a body that is JSON is
never changed; one that holds the like itself (a list in Markdown) loses it, for the form does not tell them apart.
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from assay402.formats import http_text
from assay402.formats.exchange import SavedExchange, TranscriptUnreadable
from assay402.formats.http_text import FIRST_FINAL, STATUS, STATUS_LINE, headers_of

RESPONSE: Final = re.compile(rb"^< " + STATUS.pattern, re.MULTILINE)

_REQUEST: Final = re.compile(rb"> [A-Z]+ [^ ]+ HTTP/[0-9.]+\r*+")
_MARKED: Final = re.compile(rb"[<>*](?: .*|\r*)", re.DOTALL)
_MESSAGE: Final = re.compile(
    rb"(?:\* Connection #[0-9]+ to host [^ \n]+ left intact"
    rb"|\* (?:Closing|closing|shutting down) connection(?: #?[0-9]+)?"
    rb"|[{}] \[[0-9]+ bytes data\])\r*(?:\n|\Z)"
)


def read(text: bytes, *, is_rewritten: bool) -> SavedExchange:
    """Give the last final response and the request it answers.

    `is_rewritten` and the limits are as in `http_text.read`.

    Raises:
        TranscriptUnreadable: with `transcript_no_response` or `transcript_ambiguous`.

    """
    lines = _MESSAGE.sub(b"", text).split(b"\n")
    at, status_line = _last_final(lines)
    request_headers = headers_of(_request(lines[:at]))
    printed = _printed(lines)
    if STATUS_LINE.match(printed):
        exchange = http_text.read(printed, is_rewritten=is_rewritten)
        return replace(exchange, request_headers=request_headers)
    after = lines[at + 1 :]
    head, is_whole = _response_head(after)
    headers = headers_of(head)
    body = http_text.trimmed(_unmarked(after), headers, is_rewritten=is_rewritten) if is_whole else None
    return SavedExchange(
        status=int(status_line[1]), headers=headers, body=body, request_headers=request_headers
    )


def _last_final(lines: list[bytes]) -> tuple[int, re.Match[bytes]]:
    for at in reversed(range(len(lines))):
        status_line = RESPONSE.fullmatch(lines[at])
        if status_line is not None and int(status_line[1]) >= FIRST_FINAL:
            return at, status_line
    raise TranscriptUnreadable("transcript_no_response")


def _request(lines: list[bytes]) -> list[bytes]:
    """Give the header lines of the last request begun in these lines."""
    starts = [at for at, line in enumerate(lines) if _REQUEST.fullmatch(line)]
    return [line[2:] for line in lines[starts[-1] + 1 :] if line.startswith(b"> ")] if starts else []


def _response_head(lines: list[bytes]) -> tuple[list[bytes], bool]:
    """Give the header lines up to the blank one, and whether there is a blank one."""
    head: list[bytes] = []
    for line in lines:
        if line.startswith(b"<") and _MARKED.fullmatch(line):
            if not line[2:].strip():
                return head, True
            head.append(line[2:])
    return head, False


def _unmarked(lines: Iterable[bytes]) -> bytes:
    return b"\n".join(line for line in lines if not _MARKED.fullmatch(line))


def _printed(lines: list[bytes]) -> bytes:
    """Give what curl printed beside the marked lines: with `-i` it begins with a head, else with a body."""
    first = next(at for at, line in enumerate(lines) if RESPONSE.fullmatch(line))
    return _unmarked(lines[first:]).lstrip()
