"""What is no message, and what is said of it. Texts are ours: the SDK's quote what was sent."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

import mcp_types as types
import msgspec
from msgspec import Struct
from pydantic import ValidationError

from assay402.core.grammar import NotJSON, scan
from assay402.formats.cutting import members, spans
from assay402.mcp_server.codes import NOTICES
from assay402.wire.transport import MCP_PAYMENT

_NOT_JSON: Final = "This is not JSON in UTF-8."
_NO_MESSAGE: Final = "This is JSON, and no JSON-RPC message."
_NOT_CARRIED: Final = (
    "Outside a tool's arguments, a message cannot hold half a surrogate pair, a number of more than 4,300 digits, or"
    " nesting deeper than 190."
)


class Carried(Struct, frozen=True):
    """A message that the SDK reads."""

    message: types.JSONRPCMessage
    source: bytes
    """What spells it: the bytes that came, or those without arguments that the SDK could not read."""


class _Unread(Enum):
    """What the SDK's reader stopped at."""

    JSON = "the text"
    MESSAGE = "what it says"


def carried(source: bytes) -> Carried | bytes:
    """Read a message, or give the JSON-RPC error of what is none.

    The arguments of a tool call, and a payment, are read from the bytes that came, by the readers of the checks. Where
    the SDK's stops at them, it gets the message without them.
    """
    found = _read(source)
    if found is _Unread.JSON:
        if not _is_json(source):
            return error_message(types.PARSE_ERROR, _NOT_JSON, id_in(source))
        found = _read(_lightened(source))
    if isinstance(found, Carried):
        return found
    text = _NOT_CARRIED if found is _Unread.JSON else _NO_MESSAGE
    return error_message(types.INVALID_REQUEST, text, id_in(source))


def too_long(message_id: Any = None) -> bytes:  # noqa: ANN401  (an id of any type, or null)
    """Give the JSON-RPC error of a message over the limit."""
    return error_message(types.INVALID_REQUEST, NOTICES["message-too-long"].text, message_id)


def error_message(code: int, text: str, message_id: Any = None) -> bytes:  # noqa: ANN401  (as above)
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


def _read(source: bytes) -> Carried | _Unread:
    try:
        message = types.jsonrpc_message_adapter.validate_json(source, by_name=False)
    except ValidationError as error:
        kind = error.errors(include_input=False, include_url=False)[0]["type"]
        return _Unread.JSON if kind == "json_invalid" else _Unread.MESSAGE
    if isinstance(message, types.JSONRPCNotification) and "id" in (members(source) or {}):
        # A request whose id has no form of an id would pass for a notification, and wait for its answer for ever.
        return _Unread.MESSAGE
    return Carried(message, source)


def _is_json(source: bytes) -> bool:
    try:
        return not isinstance(scan(source.decode()), NotJSON)
    except UnicodeDecodeError:
        return False


def _lightened(source: bytes) -> bytes:
    """Give a message with nothing in its arguments and its payment."""
    for place in sorted(_heavy(source), key=lambda each: each.start, reverse=True):
        source = source[: place.start] + b"{}" + source[place.stop :]
    return source


def _heavy(source: bytes) -> Iterator[slice]:
    """Say where arguments and payment stand, of a tool call alone."""
    outer = spans(source) or {}
    if (members(source) or {}).get("method") != b'"tools/call"' or "params" not in outer:
        return
    params = spans(source, outer["params"].start) or {}
    meta = spans(source, params["_meta"].start) or {} if "_meta" in params else {}
    for place in (params.get("arguments"), meta.get(MCP_PAYMENT)):
        if place is not None and source[place].lstrip().startswith(b"{"):
            yield place
