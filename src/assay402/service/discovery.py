"""The extensions an offer declares: what a catalogue may say of a resource, and that a payment may carry an id."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from msgspec import Struct

from assay402.core.strictjson import JSON
from assay402.service.order import Resource

BAZAAR: Final = "bazaar"
PAYMENT_IDENTIFIER: Final = "payment-identifier"
OPENAPI_PATH: Final = "/openapi.json"
"""Where the full schemas are."""
TOOL: Final = "mcp://tool/"
"""Before the name of a tool in the address of its resource, as the MCP transport of x402 has it."""
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Example(Struct, frozen=True, kw_only=True):
    """An operation as a catalogue shows it."""

    body: dict[str, Any]
    """A request the operation admits."""
    schema: dict[str, Any]
    """What a request looks like, trimmed to its members."""
    output: dict[str, Any]
    """Part of an answer."""


@cache
def examples() -> Mapping[str, Example]:
    """Give the example of every operation the service sells, by `check/operation`."""
    return msgspec.json.decode(
        (files("assay402.service") / "discovery.json").read_bytes(), type=dict[str, Example]
    )


def bazaar(resource: Resource, public_url: str, *, is_full: bool) -> Mapping[str, JSON]:
    """Give the `bazaar` extension of a resource; not full, its schema says nothing of the members of a request."""
    if is_tool(resource):
        return _bazaar_of_tool(resource)
    example = examples()[resource.name]
    full_at = {"description": f"Full schemas: {public_url}{OPENAPI_PATH}"}
    body: dict[str, JSON] = {**example.schema, **full_at} if is_full else {"type": "object", **full_at}
    output: dict[str, JSON] = {"type": "json", "example": example.output}
    return {
        "info": {
            "input": {"type": "http", "method": "POST", "bodyType": "json", "body": example.body},
            "output": output if is_full else {"type": "json"},
        },
        "schema": _info_schema(
            {
                "type": {"const": "http"},
                "method": {"enum": ["POST"]},
                "bodyType": {"const": "json"},
                "body": body,
            }
        ),
    }


def is_tool(resource: Resource) -> bool:
    """Tell whether a resource is a tool, whose address is `mcp://tool/NAME`, and not a path of ours."""
    return resource.path.startswith(TOOL)


def _bazaar_of_tool(resource: Resource) -> Mapping[str, JSON]:
    name = resource.path.removeprefix(TOOL)
    return {
        "info": {
            "input": {
                "type": "mcp",
                "toolName": name,
                "inputSchema": {"type": "object", "description": "tools/list has it in full."},
                "transport": "streamable-http",
                "description": resource.description,
            },
            "output": {"type": "json"},
        },
        "schema": _info_schema(
            {
                "type": {"const": "mcp"},
                "toolName": {"const": name},
                "inputSchema": {"type": "object"},
            }
        ),
    }


def _info_schema(members: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Give the schema of an `info` whose input must have these members."""
    return {
        "$schema": _DIALECT,
        "type": "object",
        "properties": {
            "input": {"type": "object", "properties": members, "required": list(members)},
            "output": {"type": "object"},
        },
        "required": ["input"],
        "additionalProperties": False,
    }


def payment_identifier(*, is_required: bool) -> Mapping[str, JSON]:
    """Give the `payment-identifier` extension."""
    return {
        "info": {"required": is_required},
        "schema": {
            "$schema": _DIALECT,
            "type": "object",
            "properties": {
                "required": {"type": "boolean"},
                "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{16,128}$"},
            },
            "required": ["required"],
        },
    }
