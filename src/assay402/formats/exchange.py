"""One HTTP exchange as somebody saved it, and the dialect artefact it makes.

The artefact holds what the dialect check reads and nothing else a saved exchange may carry: of the response its
status, its body and PAYMENT-REQUIRED; of a paid exchange also the payment headers and the names of the response's
headers. Cookies, tokens and other values stay behind.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from assay402.core.errors import JSONUnreadable, TheirError
from assay402.core.strictjson import JSON, read
from assay402.wire.transport import (
    PAYMENT_REQUIRED,
    PAYMENT_RESPONSE,
    PAYMENT_SIGNATURE,
    X_PAYMENT,
    X_PAYMENT_RESPONSE,
    X_PAYMENT_TX,
    decode_header,
)

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values in order, repeated ones kept."""

PAYLOAD_HEADERS: Final = (PAYMENT_SIGNATURE, X_PAYMENT)
"""Request headers whose value is an encoded payment payload."""
REQUEST_PAYMENT_HEADERS: Final = (*PAYLOAD_HEADERS, X_PAYMENT_TX)
"""Request headers that make an exchange a paid one, spelled as the dialect contract does."""
RECEIPT_HEADERS: Final = frozenset({PAYMENT_RESPONSE.lower(), X_PAYMENT_RESPONSE.lower()})

BLANKS: Final = " \t\r\n"
"""What may stand around a value. Python's own list has more, and Latin-1 spells some of it."""
_UNREADABLE_MARK: Final = "\ufffd"
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class TranscriptUnreadable(TheirError):
    """A file that holds no exchange to make an artefact of.

    Codes: `transcript_empty`, `transcript_no_response`, `transcript_ambiguous`, `transcript_is_json`,
    `transcript_not_har`, `har_malformed`, `har_no_entries`, `har_entry_out_of_range` (entry, entries),
    `har_entry_no_response` (entry), `har_no_402` (entries), `har_no_such_header` (entries).
    """


class SavedExchange(Struct, frozen=True, kw_only=True):
    """A final response and, where the form shows it, the request it answers."""

    status: int
    headers: Headers
    body: bytes | None
    """None when the body was not saved, which is not the same as an empty one."""
    request_headers: Headers = ()


def artefact(exchange: SavedExchange) -> dict[str, Any]:
    """Make the dialect artefact of an exchange, its members in the order of the contract.

    `response_headers` says what a *paid* response brought, so it is given only where the request carried a
    payment header. Of its values only those of the two receipt headers are kept, the others are empty.
    A member of `payload_obj` may be a number as it was spelled: write the artefact with `strictjson.write`.
    """
    made: dict[str, Any] = {"status": exchange.status}
    if exchange.body is not None:
        made["body_raw"] = _body_text(exchange.body)
    challenge = _value(exchange.headers, PAYMENT_REQUIRED)
    if challenge is not None:
        made["payment_required_header"] = challenge
    sent = {
        name: value
        for name in REQUEST_PAYMENT_HEADERS
        if (value := _value(exchange.request_headers, name)) is not None
    }
    if sent:
        payload = _payload(sent)
        if payload is not None:
            made["payload_obj"] = payload
        made["payload_headers"] = sent
        made["response_headers"] = {
            name: value if name.lower() in RECEIPT_HEADERS else "" for name, value in exchange.headers
        }
    return made


def named(headers: Iterable[tuple[str, str]]) -> Headers:
    """Keep the headers whose names are names; the pseudo headers of HTTP/2 and stray text are not."""
    return tuple((name, value.strip(BLANKS)) for name, value in headers if _TOKEN.fullmatch(name))


def _value(headers: Headers, name: str) -> str | None:
    """Give the value of a header. Different values of one name are joined as RFC 9110 (5.3) joins a list.

    A joined value is not base64, so that a leg sent in two versions carries no challenge, as it should.
    """
    values = dict.fromkeys(value for key, value in headers if key.lower() == name.lower())
    return ", ".join(values) if values else None


def _body_text(body: bytes) -> str:
    """Give a body as text that is JSON exactly when the bytes are.

    UTF-8 is kept as it is. Bytes that are not UTF-8 carry no challenge; each is replaced, which alone could
    make JSON of them, so the text also begins with the replacement character, with which no JSON begins.
    """
    try:
        return body.decode()
    except UnicodeDecodeError:
        return _UNREADABLE_MARK + body.decode(errors="replace")


def _payload(sent: Mapping[str, str]) -> Mapping[str, JSON] | None:
    """Read the payment payload, or None where none can be read or two different ones were sent."""
    values = {sent[name] for name in PAYLOAD_HEADERS if name in sent}
    return _decoded(values.pop()) if len(values) == 1 else None


def _decoded(value: str) -> Mapping[str, JSON] | None:
    """Read a header value that encodes a JSON object."""
    data = decode_header(value)
    try:
        payload = None if data is None else read(data)
    except JSONUnreadable:
        return None
    return payload if isinstance(payload, Mapping) else None
