"""The part of the OpenAPI document about the MCP endpoint, whose messages the protocol's own specification describes."""

from collections.abc import Iterable
from typing import Any, Final

from assay402.mcp_server.tools import REQUEST_BYTES, tools
from assay402.service.order import Resource
from assay402.service.settings import Settings
from assay402.web.answers import JSON_TYPE, PROBLEM_TYPE
from assay402.web.tools import PATH
from assay402.web.wellknown import price_of
from assay402.wire.transport import MCP_PAYMENT, MCP_PAYMENT_RESPONSE

_PROBLEM: Final = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_VERSION: Final = {"const": "2.0"}
_ID: Final = {"type": ["string", "integer"]}
MESSAGE: Final = {
    "type": "object",
    "required": ["jsonrpc", "method"],
    "properties": {
        "jsonrpc": _VERSION,
        "id": _ID,
        "method": {"type": "string"},
        "params": {
            "type": "object",
            "properties": {
                "_meta": {
                    "type": "object",
                    "properties": {
                        MCP_PAYMENT: {
                            "type": "object",
                            "description": "The payment of a tool call: an x402 PaymentPayload of version 2, not in base64.",
                        }
                    },
                }
            },
        },
    },
}
"""A request of JSON-RPC, or a notification, which has no id."""
REPLY: Final = {
    "type": "object",
    "required": ["jsonrpc"],
    "properties": {
        "jsonrpc": _VERSION,
        "id": {"type": ["string", "integer", "null"]},
        "result": {
            "type": "object",
            "description": "Of a tool call, `isError` with `structuredContent.x402Version` is an offer: call again with a"
            f" payment. `_meta` holds the settlement under `{MCP_PAYMENT_RESPONSE}`.",
        },
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        },
    },
}
"""A response of JSON-RPC: a result or an error."""
_REPLY: Final = {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/MCPReply"}}}
_TOLD: Final = {
    "400": "No JSON, or no message. Nothing was charged.",
    "403": "A service of its own machine alone, and Origin names another.",
    "406": "Accept does not name both application/json and text/event-stream.",
    "408": "The body did not arrive in time.",
    "413": "The message is longer than the cap.",
    "415": "The body is not plain JSON.",
    "421": "A service of its own machine alone, and Host names another.",
    "431": "The headers are too many or too long.",
    "503": "Not taken now: try again after Retry-After. Nothing was charged.",
}


def tools_path(settings: Settings, listed: Iterable[Resource]) -> dict[str, Any]:
    """Give the path of the MCP endpoint. No session is held, so that there is nothing to GET or to DELETE."""
    answers: dict[str, Any] = {
        "200": {
            "description": "The response to a request, as the one event of a stream that may tell of progress before.",
            "content": {"text/event-stream": {}, **_REPLY},
        },
        "202": {"description": "A notification was taken; nothing is said to it."},
        "405": {
            "description": "Only POST: no session is held, so there is no stream to GET and none to DELETE.",
            "headers": {"Allow": {"schema": {"type": "string"}, "required": False}},
            "content": _PROBLEM,
        },
    }
    for status, text in _TOLD.items():
        answers[status] = {"description": text, "content": {**_REPLY, **_PROBLEM}}
    operation = {
        "operationId": "mcp",
        "summary": "The same operations as tools of the Model Context Protocol (streamable HTTP, one message a request).",
        "tags": ["mcp"],
        "requestBody": {
            "required": True,
            "content": {
                JSON_TYPE: {
                    "schema": {"$ref": "#/components/schemas/MCPMessage"},
                    "example": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                }
            },
        },
        "responses": dict(sorted(answers.items())),
        **_payment(settings, listed),
        "x-request-bytes": REQUEST_BYTES,
    }
    return {PATH: {"post": operation}}


def _payment(settings: Settings, listed: Iterable[Resource]) -> dict[str, Any]:
    """Say what tools cost, where any does."""
    if settings.payments != "required":
        return {}
    sold = {each.name: price_of(each) for each in listed if each.price > 0}
    prices = {tool.name: sold[tool.place] for tool in tools(settings.checks) if tool.place in sold}
    extension = {"protocol": "x402", "version": 2, "transport": "mcp", "prices": prices}
    return {"x-payment": extension} if prices else {}
