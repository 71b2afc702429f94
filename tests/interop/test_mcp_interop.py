"""Issue 8, evidence 1 and 2: the official clients of MCP list, call and pay, over stdio and over HTTP."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from assay402.formats.schema import schemas_of
from assay402.mcp_server.http import mcp_app
from assay402.mcp_server.tools import Tool, tools
from assay402.mcp_server.unpaid import Unpaid
from assay402.wire.transport import encode_header
from interop.node_client import NodeClient
from interop.payments import signed_payment
from interop.second_environment import FOLDER, install
from mcp_web import Endpoint, serving

ASSAY = Path(sys.executable).with_name("assay")
TOOLS = {tool.name: tool for tool in tools()}
SOLD = {"fahce_diagnose_integrity": 20_000, "dialect_check": 10_000, "deliverable_check": 40_000}
SECONDS = 60


CHALLENGE = {
    "x402Version": 2,
    "error": "PAYMENT-SIGNATURE header is required",
    "resource": {"url": "https://shop.example/paid"},
    "accepts": [{"scheme": "exact", "network": "eip155:84532", "amount": "1", "payTo": f"0x{'1' * 40}"}],
}


class Seller(BaseHTTPRequestHandler):
    """Demands a payment, and lists nothing."""

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/paid":
            self.send_response(402)
            self.send_header("PAYMENT-REQUIRED", encode_header(json.dumps(CHALLENGE).encode()))
        else:
            self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def calls() -> Iterator[list[Any]]:
    """Give a call of every tool; the listing check meets a seller, which is its catalogue as well."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Seller) as seller:
        thread = threading.Thread(target=seller.serve_forever)
        thread.start()
        own = f"http://127.0.0.1:{seller.server_port}"
        listing = {"url": f"{own}/paid", "discovery_base_url": own}
        try:
            yield [
                {
                    "name": tool.name,
                    "arguments": listing if tool.name == "listing_check" else arguments_of(tool),
                }
                for tool in TOOLS.values()
            ]
        finally:
            seller.shutdown()
            thread.join(SECONDS)


def arguments_of(tool: Tool) -> Any:
    """Give what a tool is called with: its example, of which nothing leaves this machine."""
    match tool.name:
        case "terms_verify":
            return {"doc": {"x402Version": 2, "accepts": []}}
    example = schemas_of(tool.check.name, tool.operation.name, tool.profile or "").example
    return {"request": example} if tool.name.startswith("fahce_") else example


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with serving(lambda: mcp_app(Unpaid(allow_private=True).take)) as running:
        yield running


def held(result: Any) -> None:
    """Hold a result to what it must be, whoever read it."""
    assert "error" not in result, result
    assert not result.get("isError"), result
    assert result["structuredContent"] == json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_typescript_client_lists_and_calls_every_tool(
    transport: str, typescript_client: NodeClient, endpoint: Endpoint, calls: list[Any]
) -> None:
    """It holds each answer to the output schema that was listed."""
    where = (
        {"url": endpoint.url}
        if transport == "http"
        else {"command": str(ASSAY), "args": ["mcp", "--allow-private"]}
    )
    told = typescript_client.call_tools(calls=calls, **where)
    assert [tool["name"] for tool in told["tools"]] == list(TOOLS)
    assert told["resources"] > 80
    for _, result in zip(calls, told["results"], strict=True):
        held(result)


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_python_client_lists_and_calls_every_tool(
    transport: str, mode: str, endpoint: Endpoint, calls: list[Any]
) -> None:
    async def use() -> list[Any]:
        server = StdioServerParameters(command=str(ASSAY), args=["mcp", "--allow-private"])
        async with (
            asyncio.timeout(SECONDS),
            Client(endpoint.url if transport == "http" else stdio_client(server), mode=mode) as client,
        ):
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            assert len((await client.list_resources()).resources) > 80
            results = [await client.call_tool(call["name"], call["arguments"]) for call in calls]
            return [result.model_dump(by_alias=True, mode="json", exclude_none=True) for result in results]

    for _, result in zip(calls, asyncio.run(use()), strict=True):
        held(result)


@pytest.mark.parametrize("name", SOLD)
def test_the_official_typescript_client_pays_after_listing(
    service: Any, chain: Any, parties: Any, typescript_client: NodeClient, name: str
) -> None:
    before = chain.balance(parties.payer), chain.balance(parties.recipient)
    call = {"name": name, "arguments": arguments_of(TOOLS[name])}
    told = typescript_client.call_tools(url=f"{service.url}/mcp", calls=[call], key=parties.key)
    assert not any("outputSchema" in tool for tool in told["tools"])
    (result,) = told["results"]
    held(result)
    receipt = result["_meta"]["x402/payment-response"]
    assert receipt["success"] is True
    assert chain.is_settled(receipt["transaction"])
    assert chain.balance(parties.payer) == before[0] - SOLD[name]
    assert chain.balance(parties.recipient) == before[1] + SOLD[name]
    assert "Assay-Signature" in result["_meta"]["assay402/headers"]


@pytest.mark.parametrize("name", SOLD)
def test_our_own_client_pays_over_the_new_era_and_a_replay_moves_nothing(
    service: Any, chain: Any, parties: Any, name: str
) -> None:
    """Issue 8, evidence 2: a payment made again is neither charged nor, where answers are kept, worked twice."""
    from assay402.sandbox.accounts import evm_account

    async def use() -> Any:
        async with asyncio.timeout(SECONDS), Client(f"{service.url}/mcp") as client:
            arguments = arguments_of(TOOLS[name])
            unpaid = await client.call_tool(name, arguments)
            assert unpaid.is_error
            offer = unpaid.structured_content
            accepted = next(each for each in offer["accepts"] if each["network"] == chain.network.id)
            payment = signed_payment(evm_account("payer"), accepted, int(time.time()) + 250)
            meta: Any = {"x402/payment": payment}
            return [await client.call_tool(name, arguments, meta=meta) for _ in range(2)]

    before = chain.balance(parties.payer)
    first, second = asyncio.run(use())
    assert not first.is_error
    assert not second.is_error
    assert chain.balance(parties.payer) == before - SOLD[name]
    receipts = [result.meta["x402/payment-response"] for result in (first, second)]
    assert receipts[0] == receipts[1]
    if name != "dialect_check":
        assert first.content == second.content


@pytest.fixture(scope="module")
def second_python(request: pytest.FixtureRequest) -> Path:
    """Give the interpreter that has the official SDK with an MCP SDK of its time."""
    return install(request.config.cache)


@pytest.mark.parametrize("name", SOLD)
def test_the_session_of_the_official_python_sdk_pays(
    service: Any, chain: Any, parties: Any, second_python: Path, name: str
) -> None:
    """Issue 8, evidence 2: two revisions of the protocol negotiate, and the payment settles on the chain."""
    before = chain.balance(parties.payer)
    asked = {
        "url": f"{service.url}/mcp",
        "key": parties.key,
        "name": name,
        "arguments": arguments_of(TOOLS[name]),
    }
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    ran = subprocess.run(
        [second_python, FOLDER / "pay.py"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
        env=kept,
    )
    told = json.loads(ran.stdout)
    assert told["tools"] == list(TOOLS)
    assert (told["is_error"], told["payment_made"]) == (False, True)
    assert told["structured"]
    assert chain.is_settled(told["receipt"]["transaction"])
    assert chain.balance(parties.payer) == before - SOLD[name]
