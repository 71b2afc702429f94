"""The endpoint over HTTP: the official client, hosts and origins, what is no message, who leaves, how many at once."""

import asyncio
import gc
import http.client
import json
import socket
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client

from assay402.core.asks import Fetched
from assay402.mcp_server.http import MCPApp, mcp_app
from assay402.mcp_server.unpaid import Unpaid
from assay402.net.answerer import NetworkAnswerer
from mcp_web import Endpoint, serving

SECONDS = 30
SUBMITTED = {"mode": "submitted", "artefact": {"status": 402, "body_obj": {"x402Version": 1}}}
PROBE = {"mode": "probe", "url": "https://shop.dev/paid"}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def free() -> MCPApp:
    return mcp_app(Unpaid().take)


def message(tool: str, arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def post(endpoint: Endpoint, body: bytes, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=SECONDS)
    try:
        connection.request("POST", "/mcp", body, HEADERS | headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_and_calls_and_reads(mode: str) -> None:
    """Both eras of the protocol: with a handshake, and with an envelope in each request."""

    async def use(url: str) -> Any:
        async with Client(url, mode=mode) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool("dialect_check", SUBMITTED)
            page = await client.read_resource("assay://rules/dialect/summary")
            return len(tools), result, page

    with serving(free) as endpoint:
        count, result, page = asyncio.run(use(endpoint.url))
    assert count == 12
    assert result.structured_content == json.loads(result.content[0].text)
    assert page.contents[0].text.startswith("# dialect/summary")


def test_two_hundred_calls_at_once_are_all_answered_and_nothing_is_left_of_them() -> None:
    """Issue 8, evidence 3: measured, tasks and memory."""

    async def some(url: str, count: int) -> None:
        async with Client(url) as client:
            # Listed once, or the client would list anew for each of the calls.
            await client.list_tools()
            results = await asyncio.gather(
                *[client.call_tool("dialect_check", SUBMITTED) for _ in range(count)]
            )
            assert not any(result.is_error for result in results)

    with serving(free) as endpoint:
        asyncio.run(some(endpoint.url, 20))
        tasks = endpoint.inside(asyncio.all_tasks)
        tracemalloc.start()
        try:
            asyncio.run(some(endpoint.url, 200))
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            asyncio.run(some(endpoint.url, 200))
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(_settled(endpoint, len(tasks))) <= len(tasks)
    assert after - before < 200 * 1_000, "a kilobyte for each call would be a leak"


def _settled(endpoint: Endpoint, wanted: int) -> Any:
    """Give the tasks when those of closed connections have ended; every look lets the server go on."""
    for _ in range(10_000):
        found = endpoint.inside(asyncio.all_tasks)
        if len(found) <= wanted:
            break
    return found


class Held:
    """A network that never answers, and tells when it is asked and when nobody waits any more."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.left = threading.Semaphore(0)

    async def __call__(self, _ask: Any) -> Fetched:
        """Wait for ever."""
        self.asked.release()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.release()
        raise AssertionError


def holding(held: Held) -> Callable[[], MCPApp]:
    return lambda: mcp_app(Unpaid(answerer=NetworkAnswerer(held)).take)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_client_that_leaves_in_the_middle_ends_its_work(version: str) -> None:
    held = Held()
    with serving(holding(held)) as endpoint:
        # The first stream starts a watcher of the library's that serves all later ones.
        post(endpoint, message("dialect_check", SUBMITTED))
        tasks = len(endpoint.inside(asyncio.all_tasks))
        for _ in range(20):
            body = _enveloped(version)
            head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
            more = "Mcp-Method: tools/call\r\nMcp-Name: dialect_check\r\n" if version > "2026" else ""
            with socket.create_connection(("127.0.0.1", endpoint.port), timeout=SECONDS) as connection:
                connection.sendall(
                    f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{endpoint.port}\r\n{head}{more}"
                    f"MCP-Protocol-Version: {version}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                assert held.asked.acquire(timeout=SECONDS)
            assert held.left.acquire(timeout=SECONDS)
        assert len(_settled(endpoint, tasks)) <= tasks


def _enveloped(version: str) -> bytes:
    params: dict[str, Any] = {"name": "dialect_check", "arguments": PROBE}
    if version > "2026":
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        }
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def test_stopping_ends_what_is_under_way() -> None:
    held = Held()
    with serving(holding(held)) as endpoint:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=SECONDS)
        connection.request("POST", "/mcp", message("dialect_check", PROBE), HEADERS)
        assert held.asked.acquire(timeout=SECONDS)
        connection.close()
    assert held.left.acquire(timeout=SECONDS)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Host": "LOCALHOST:8402"}, 200),
        ({"Host": "127.0.0.2"}, 200),
        ({"Host": "localhost:80@evil.example"}, 421),
        ({"Host": "localhost:x.evil.example"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://localhost:x.evil.example"}, 403),
        ({"Origin": "http://localhost:80@evil.example"}, 403),
        ({"Origin": "http://localhost/"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://localhost:6274"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_local_service_answers_who_names_this_machine(headers: dict[str, str], status: int) -> None:
    """MCP, transports: against pages that point a name of theirs at this machine."""
    with serving(free) as endpoint:
        assert post(endpoint, message("dialect_check", SUBMITTED), **headers)[0] == status


def test_a_public_service_answers_whatever_it_is_called() -> None:
    with serving(lambda: mcp_app(Unpaid().take, is_loopback=False)) as endpoint:
        headers = {"Host": "assay.example", "Origin": "https://agent.example"}
        assert post(endpoint, message("dialect_check", SUBMITTED), **headers)[0] == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{secret", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'{"jsonrpc":"2.0","secret":1}', -32600),
        (b'{"jsonrpc":"2.0","id":{"secret":1},"method":"ping"}', -32600),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_what_is_no_message_is_an_error_that_quotes_nothing(body: bytes, code: int, version: str) -> None:
    with serving(free) as endpoint:
        status, answer = post(endpoint, body, **{"MCP-Protocol-Version": version})
    said = json.loads(answer)
    assert status == 400
    assert (said["id"], said["error"]["code"]) == (None, code)
    assert "secret" not in said["error"]["message"]


def test_an_unknown_tool_is_an_error_of_the_protocol() -> None:
    with serving(free) as endpoint:
        _, answer = post(endpoint, message("no_such_tool", {}))
    assert b'"code":-32602' in answer.replace(b" ", b"")


def test_numbers_reach_a_check_as_they_were_spelled() -> None:
    """As over stdio: the bytes of the body are read, not the SDK's values."""
    criteria = '[{"id":"a","check":"json_path_equals","path":"n","value":1.0}]'
    deliverable = '{"kind":"json","value":{"n":1e400}}'
    arguments = f'{{"deliverable":{deliverable},"criteria":{criteria}}}'
    body = message("deliverable_check", "HERE").replace(b'"HERE"', arguments.encode())
    with serving(free) as endpoint:
        _, answer = post(endpoint, body)
    assert b"EXACT_NUMBERS" in answer


@pytest.mark.parametrize("form", [b"[%s]", b'[%s,"\\ud800"]', b"deep"])
def test_a_long_message_costs_the_event_loop_no_more_than_a_short_one(form: bytes) -> None:
    """A bug of the past: one message of half a megabyte held every other client up for seconds. Counted in calls."""

    def cost(body: bytes) -> int:
        calls = 0

        def count(_frame: Any, _event: str, _argument: Any) -> None:
            nonlocal calls
            calls += 1

        endpoint.inside(lambda: sys.setprofile(count))
        try:
            _, answer = post(endpoint, body)
        finally:
            endpoint.inside(lambda: sys.setprofile(None))
        assert b"over_cap" in answer or b"mode_unknown" in answer
        return calls

    def body(count: int) -> bytes:
        deep = b"[" * count + b"]" * count
        value = deep if form == b"deep" else form % b",".join([b"[]"] * count)
        return message("dialect_check", "HERE").replace(b'"HERE"', b'{"a":%s}' % value)

    short, long = body(1), body(150_000)
    with serving(free) as endpoint:
        cost(short)
        # A thread and a process are waited for; nothing else is there to do.
        assert cost(long) < cost(short) * 3
