"""Pays a tool call with the MCP client session of x402's official SDK.

Run in an environment with what requirements.txt pins. Reads {url, key, name, arguments} on standard input and writes what
came of it as one line.
"""

import asyncio
import json
import sys
from typing import Any

from eth_account import Account
from mcp import ClientSession
from mcp.client import streamable_http
from x402 import x402Client
from x402.mcp import x402MCPSession
from x402.mechanisms.evm.exact import register_exact_evm_client


async def main(asked: dict[str, Any]) -> dict[str, Any]:
    """List the tools and call one, paying what it asks for."""
    payer = x402Client()
    register_exact_evm_client(payer, Account.from_key(asked["key"]))
    # Of the older SDK of this environment.
    connected = streamable_http.streamablehttp_client(asked["url"])  # type: ignore[attr-defined]
    async with connected as (read, write, _), ClientSession(read, write) as session:
        paying = x402MCPSession(session, payer)
        await paying.initialize()
        tools = await paying.list_tools()
        result = await paying.call_tool(asked["name"], asked["arguments"])
        receipt = result.payment_response
        return {
            "tools": [tool.name for tool in tools.tools],
            "is_error": result.is_error,
            "payment_made": result.payment_made,
            "receipt": None if receipt is None else receipt.model_dump(by_alias=True, exclude_none=True),
            "structured": result.raw_result.structuredContent,
        }


sys.stdout.write(json.dumps(asyncio.run(main(json.load(sys.stdin)))) + "\n")
