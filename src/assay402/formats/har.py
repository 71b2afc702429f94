"""An entry of an HTTP archive (HAR 1.2), as browsers and proxies save it.

The body in an archive is what the browser decoded: content codings are undone and the text is Unicode whatever
its charset was. A leg that is only readable after this is therefore given as readable.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Final, NoReturn

from assay402.core.strictjson import JSON, integer
from assay402.formats.exchange import Headers, SavedExchange, TranscriptUnreadable, named

_PAYMENT_REQUIRED: Final = 402
_STATUSES: Final = range(100, 1000)


def is_archive(value: JSON) -> bool:
    """Whether a JSON value is meant to be an archive."""
    return isinstance(value, Mapping) and isinstance(value.get("log"), Mapping)


def read(value: JSON, entry: int | None, having: str | None = None) -> SavedExchange:
    """Give the exchange of one entry, counted from 0; without a number, the last whose response has a header.

    Where no header is named either, it is the last whose status is 402.

    Raises:
        TranscriptUnreadable: with `har_malformed`, `har_no_entries`, `har_entry_out_of_range` (entry, entries),
            `har_no_402` (entries), `har_no_such_header` (entries) or `har_entry_no_response` (entry).

    """
    entries = _member(_member(value, "log"), "entries")
    if not isinstance(entries, list):
        _refuse()
    if not entries:
        raise TranscriptUnreadable("har_no_entries")
    if entry is not None:
        chosen = entry
    else:
        chosen = _last_402(entries) if having is None else _last_having(entries, having)
    if chosen not in range(len(entries)):
        raise TranscriptUnreadable("har_entry_out_of_range", entry=chosen, entries=len(entries))
    response = _member(entries[chosen], "response")
    status = integer(_member(response, "status"))
    if status is None or status not in _STATUSES:
        raise TranscriptUnreadable("har_entry_no_response", entry=chosen)
    return SavedExchange(
        status=status,
        headers=_headers(response),
        body=_body(_member(response, "content")),
        request_headers=_headers(_member(entries[chosen], "request")),
    )


def _last_402(entries: list[JSON]) -> int:
    for index in reversed(range(len(entries))):
        if integer(_optional(_optional(entries[index], "response"), "status")) == _PAYMENT_REQUIRED:
            return index
    raise TranscriptUnreadable("har_no_402", entries=len(entries))


def _last_having(entries: list[JSON], header: str) -> int:
    for index in reversed(range(len(entries))):
        listed = _optional(_optional(entries[index], "response"), "headers")
        names = [_optional(each, "name") for each in listed] if isinstance(listed, list) else []
        if any(isinstance(name, str) and name.lower() == header.lower() for name in names):
            return index
    raise TranscriptUnreadable("har_no_such_header", entries=len(entries))


def _headers(message: JSON) -> Headers:
    found: list[tuple[str, str]] = []
    listed = _member(message, "headers")
    for header in listed if isinstance(listed, list) else _refuse():
        name, value = _member(header, "name"), _member(header, "value")
        if not isinstance(name, str) or not isinstance(value, str):
            _refuse()
        # Chromium joins the values of a repeated header with line feeds.
        found.extend((name, line.encode(errors="replace").decode()) for line in value.split("\n"))
    return named(found)


def _body(content: JSON) -> bytes | None:
    """Give the body, or None where the archive was saved without it."""
    text = _optional(content, "text")
    if text is None:
        return None
    if not isinstance(text, str):
        _refuse()
    if _optional(content, "encoding") != "base64":
        # A lone surrogate stays what it is on its way to bytes: something that is not UTF-8.
        return text.encode(errors="surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TranscriptUnreadable("har_malformed") from error


def _optional(value: JSON, name: str) -> JSON:
    return value.get(name) if isinstance(value, Mapping) else None


def _member(value: JSON, name: str) -> JSON:
    return value[name] if isinstance(value, Mapping) and name in value else _refuse()


def _refuse() -> NoReturn:
    raise TranscriptUnreadable("har_malformed")
