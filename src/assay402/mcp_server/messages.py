"""What is no message, and what is said of it. Texts are ours: the SDK's quote what was sent."""

from typing import Any

import mcp_types as types
import msgspec
from pydantic import ValidationError

from assay402.mcp_server.codes import NOTICES


def fault_of(source: bytes) -> bytes | None:
    """Give the JSON-RPC error of bytes that are no message; None for a message."""
    found = message_of(source)
    return found if isinstance(found, bytes) else None


def message_of(source: bytes) -> types.JSONRPCMessage | bytes:
    """Read a message, or give the JSON-RPC error of what is none."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(source, by_name=False)
    except ValidationError as error:
        is_json = error.errors(include_input=False, include_url=False)[0]["type"] != "json_invalid"
    else:
        # A request whose id has no form of an id would pass for a notification, and wait for its answer for ever.
        if not (isinstance(message, types.JSONRPCNotification) and _has_id(source)):
            return message
        is_json = True
    if is_json:
        return error_message(types.INVALID_REQUEST, "This is JSON, and no JSON-RPC message.")
    return error_message(types.PARSE_ERROR, "This is not JSON in UTF-8.")


def too_long(message_id: Any = None) -> bytes:  # noqa: ANN401  (an id of any type, or null)
    """Give the JSON-RPC error of a message over the limit."""
    return error_message(types.INVALID_REQUEST, NOTICES["message-too-long"].text, message_id)


def error_message(code: int, text: str, message_id: Any = None) -> bytes:  # noqa: ANN401  (as above)
    """Give a JSON-RPC error."""
    error = types.JSONRPCError(jsonrpc="2.0", id=message_id, error=types.ErrorData(code=code, message=text))
    return error.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _has_id(source: bytes) -> bool:
    try:
        return "id" in msgspec.json.decode(source, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
