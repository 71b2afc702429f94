"""What is no message, and what is said of it. Texts are ours: the SDK's quote what was sent."""

import re
from contextlib import suppress
from enum import Enum
from typing import Any, Final

import mcp_types as types
import msgspec
from msgspec import Raw, Struct
from pydantic import ValidationError

from assay402.core.grammar import NotJSON, scan
from assay402.formats.cutting import members, without_half_pairs
from assay402.mcp_server.arguments import Call, call_at, lighten, places_in
from assay402.mcp_server.codes import NOTICES

LIGHT_BYTES: Final = 16_384
"""Longest message without the arguments and the payment of a tool call: the SDK makes values of it, on the event loop."""
SHORT_BYTES: Final = 16_384
"""Messages up to this length are read on the event loop."""
_NOT_JSON: Final = "This is not JSON in UTF-8."
_NO_MESSAGE: Final = "This is JSON, and no JSON-RPC message."
_NOT_CARRIED: Final = (
    "Outside a tool's arguments, a message cannot hold half a surrogate pair, a number of more than 4,300 digits, or"
    " nesting deeper than 190."
)


_LONG_OUTSIDE: Final = "Outside a tool's arguments and a payment, a message has at most 16,384 bytes."
_CONSTANT: Final = re.compile(rb'("(?:[^"\\]|\\.)*+")|NaN|-?Infinity', re.DOTALL)
_raw: Final = msgspec.json.Decoder(Raw).decode


class Received(Struct, frozen=True, kw_only=True):
    """A message in two parts: what the SDK reads, and what it does not see."""

    message: types.JSONRPCMessage
    source: bytes
    """What spells it."""
    call: Call | None
    """Of a tool call."""


class _Unread(Enum):
    """What the SDK's reader stopped at."""

    JSON = "the text"
    MESSAGE = "what it says"


def read_message(source: bytes) -> Received | bytes:
    """Read a message, or give the JSON-RPC error of what is none.

    The arguments of a tool call, and a payment, are cut out and left to the readers of the checks: the SDK's stops at
    some of them, and takes seconds for others. One that is longer than `SHORT_BYTES` takes its time here.
    """
    places = places_in(source)
    light = source if places is None else lighten(source, places)
    found = _read(light)
    if (found is None or found is _Unread.JSON or places is not None) and not _is_json(source):
        return error_message(types.PARSE_ERROR, _NOT_JSON, id_in(light))
    match found:
        case None:
            return error_message(types.INVALID_REQUEST, _LONG_OUTSIDE, id_in(light))
        case _Unread.JSON:
            return error_message(types.INVALID_REQUEST, _NOT_CARRIED, id_in(light))
        case _Unread.MESSAGE:
            return error_message(types.INVALID_REQUEST, _NO_MESSAGE, id_in(light))
    return Received(message=found, source=light, call=None if places is None else call_at(source, places))


def too_long(message_id: Any = None) -> bytes:  # noqa: ANN401  (an id of any type, or null)
    """Give the JSON-RPC error of a message over the limit."""
    return error_message(types.INVALID_REQUEST, NOTICES["message-too-long"].text, message_id)


def error_message(code: int, text: str, message_id: Any = None) -> bytes:  # noqa: ANN401  (an id of any type, or null)
    """Give a JSON-RPC error."""
    error = types.JSONRPCError(jsonrpc="2.0", id=message_id, error=types.ErrorData(code=code, message=text))
    return error.model_dump_json(by_alias=True, exclude_unset=True).encode()


def id_in(source: bytes) -> int | str | None:
    """Give the id of a message that could not be read as one; None where it has none that could be said."""
    sent = (members(source) or {}).get("id", b"null")
    try:
        return msgspec.json.decode(sent, type=int | str | None)
    except msgspec.DecodeError:
        return None


def _read(source: bytes) -> types.JSONRPCMessage | _Unread | None:
    """Give the message that the SDK reads; None where it is too long to try."""
    if len(source) > LIGHT_BYTES:
        return None
    try:
        message = types.jsonrpc_message_adapter.validate_json(source, by_name=False)
    except ValidationError as error:
        kind = error.errors(include_input=False, include_url=False)[0]["type"]
        return _Unread.JSON if kind == "json_invalid" else _Unread.MESSAGE
    if isinstance(message, types.JSONRPCNotification) and "id" in (members(source) or {}):
        # A request whose id has no form of an id would pass for a notification, and wait for its answer for ever.
        return _Unread.MESSAGE
    return message


def _is_json(source: bytes) -> bool:
    """Tell whether a text is JSON, or would be without NaN and Infinity: the checks have words for these."""
    plain = _CONSTANT.sub(_finite, source) if b"NaN" in source or b"Infinity" in source else source
    try:
        text = plain.decode()
    except UnicodeDecodeError:
        return False
    # The quick reader takes nothing that is no JSON, and stops at half a character and at deep nesting.
    with suppress(msgspec.DecodeError, RecursionError):
        _raw(without_half_pairs(plain))
        return True
    return not isinstance(scan(text), NotJSON)


def _finite(match: re.Match[bytes]) -> bytes:
    string: bytes | None = match[1]
    return b"0" if string is None else string
