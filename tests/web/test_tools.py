"""The tools within the service: its route, its bounds, its log, its end."""

import asyncio
import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from assay402.core.strictjson import write
from assay402.mcp_server.messages import LIGHT_BYTES
from assay402.mcp_server.tools import tools
from assay402.service.order import Delivered, Offered, Order, Outcome, Pending
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from assay402.web.limits import Limits
from web.plain_orders import PlainOrders
from web.served import SECONDS, Service, service

SUBMITTED = {"mode": "submitted", "artefact": {"status": 402, "body_obj": {"x402Version": 1}}}
LOCAL = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"}
CANARY = "canary-5f1c"


def call(tool: str = "dialect_check", arguments: Any = SUBMITTED) -> Any:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def posted(running: Service, document: Any, **headers: str) -> tuple[int, Any, dict[str, str]]:
    """Send a message and give status, the answer and the headers; the answer of a stream is its one event."""
    body = json.dumps(document).encode()
    head = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    head |= LOCAL | headers
    text = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in head.items())
    with running.line() as line:
        line.send(text.encode() + b"\r\n" + body)
        raw = b"".join(iter(lambda: line.socket.recv(65_536), b""))
    above, _, content = raw.partition(b"\r\n\r\n")
    first, *rest = above.decode().split("\r\n")
    found = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
    data = next((each for each in content.splitlines() if each.startswith((b"data: {", b"{"))), b"null")
    return int(first.split()[1]), json.loads(data.removeprefix(b"data: ")), found


def result_of(answer: Any) -> Any:
    return json.loads(answer["result"]["content"][0]["text"])


def test_a_tool_is_called_through_the_orders_of_the_service() -> None:
    with service() as running:
        status, answer, headers = posted(running, call())
    assert status == 200
    assert result_of(answer)["service"] == "dialect-check"
    assert answer["result"]["_meta"]["assay402/headers"] == {"Assay-Signature": "aGVhZA..c2lnbg"}
    assert headers["cache-control"] == "no-store"
    assert headers["assay-request-id"]
    (order,) = running.orders.taken
    assert order.resource.path == "mcp://tool/dialect_check"
    assert order.client_address == "127.0.0.1"


def test_the_log_tells_of_a_call_and_nothing_that_was_sent() -> None:
    with service() as running:
        posted(running, call(arguments={"mode": "submitted", "artefact": {"body_raw": CANARY}}))
        posted(running, call(tool=CANARY))
        posted(running, {"jsonrpc": "2.0", CANARY: CANARY})
    said = [line for line in running.log if line.get("route") == "mcp"]
    assert [line["status"] for line in said] == [200, 200, 400]
    assert CANARY not in json.dumps(running.lines)


def test_the_log_and_the_metrics_tell_how_each_call_ended() -> None:
    """A bug of the past: every call was logged as served, without a code and with no bytes."""
    outcomes: list[Outcome | None] = [
        Offered(payment_required=write({"x402Version": 2})),
        Pending(retry_after_seconds=7),
        Delivered(body=b"{}", is_replay=True),
        None,
        None,
    ]
    settings = Settings(payments="required", public_url="http://127.0.0.1:8402")
    with service(PlainOrders(lambda _order: outcomes.pop(0)), settings) as running:
        for _ in range(4):
            posted(running, call())
        posted(running, call(arguments={}))
        posted(running, call(tool="no_such_tool"))
        posted(running, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
        posted(running, {"jsonrpc": "2.0"})
    metrics = running.telemetry.exposition().decode()
    said = [line for line in running.log if line.get("route") == "mcp"]
    assert [(line["outcome"], line.get("operation"), line.get("code")) for line in said] == [
        ("offered", "dialect/check", None),
        ("pending", "dialect/check", "payment_pending"),
        ("replayed", "dialect/check", None),
        ("delivered", "dialect/check", None),
        ("declined", "dialect/check", "mode_unknown"),
        ("declined", None, "tool-unknown"),
        ("served", None, None),
        ("declined", None, None),
    ]
    assert all(line["sent_bytes"] > 0 for line in said)
    for outcome in ("offered", "pending", "replayed", "delivered", "declined", "served"):
        assert f'outcome="{outcome}",route="mcp"' in metrics


def test_a_client_that_leaves_is_told_as_one() -> None:
    left = threading.Event()

    class Held(PlainOrders):
        async def take(self, _order: Order) -> Outcome:
            """Wait for ever, and tell when nobody waits any more."""
            self.entered += 1
            try:
                await asyncio.Event().wait()
            finally:
                left.set()
            raise AssertionError

    orders = Held()
    body = json.dumps(call()).encode()
    with service(orders) as running:
        connection = HTTPConnection("127.0.0.1", running.port, timeout=SECONDS)
        connection.request("POST", "/mcp", body, {"Content-Type": "application/json", **LOCAL})
        while not orders.entered:
            running.call("GET", "/healthz")
        connection.close()
        assert left.wait(SECONDS)
    (said,) = [line for line in running.log if line.get("route") == "mcp"]
    assert said["outcome"] == "abandoned"


def test_a_free_service_lists_what_is_published() -> None:
    """Issue 8: unpaid, exactly the schemas are listed, and a call changes nothing for whoever makes it."""
    with service() as running:
        _, answer, _ = posted(running, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert [
        (each["name"], each["inputSchema"], each["outputSchema"], each["annotations"])
        for each in answer["result"]["tools"]
    ] == [
        (
            tool.name,
            json.loads(json.dumps(tool.input_schema)),
            json.loads(json.dumps(tool.output_schema)),
            {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": tool.is_open_world,
            },
        )
        for tool in tools()
    ]


def test_a_message_that_is_answered_is_held_no_longer() -> None:
    """A bug that no test saw: without it, a hundred large messages shut all further ones out."""
    body = json.dumps(call()).encode()
    with service(limits=Limits(buffered_bytes=3 * len(body), small_bytes=0)) as running:
        assert [posted(running, call())[0] for _ in range(10)] == [200] * 10
    assert b"assay_buffered_bytes 0.0" in running.telemetry.exposition()


@pytest.mark.parametrize("method", ["ping", "tools/list", "tools/call"])
def test_a_long_message_that_carries_no_arguments_is_refused_under_its_id(method: str) -> None:
    """A bug of the past: half a megabyte of empty lists in a ping held the service up for seconds."""
    sent = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": {"x": [[]] * LIGHT_BYTES}}}
    with service() as running:
        status, answer, _ = posted(running, sent)
    assert (status, answer["id"], answer["error"]["code"]) == (400, 7, -32600)
    assert "16,384" in answer["error"]["message"]


def test_told_to_stop_it_answers_every_call_under_way(tmp_path: Path) -> None:
    """Paid work and its answer are not cut off; nor does the end of another server in the process cut anything."""
    body = json.dumps(call(arguments={"mode": "probe", "url": "https://shop.dev/paid"})).encode()

    def answered(port: int) -> Any:
        connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("POST", "/mcp", body, {"Content-Type": "application/json", **LOCAL})
            events = connection.getresponse().read().splitlines()
        finally:
            connection.close()
        return json.loads(next(each for each in events if each.startswith(b"data: {"))[6:])

    command = [sys.executable, str(Path(__file__).with_name("paused_service.py")), str(tmp_path)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running,
        ThreadPoolExecutor(3) as clients,
    ):
        try:
            assert running.stdout is not None
            port = int(running.stdout.readline())
            calls = [clients.submit(answered, port) for _ in range(3)]
            for _ in calls:
                assert running.stdout.readline() == b"asked\n"
            running.send_signal(signal.SIGTERM)
            answers = [each.result(SECONDS) for each in calls]
            assert running.wait(SECONDS) == 0
        finally:
            running.kill()
    for answer in answers:
        assert answer["result"]["isError"] is False


def test_only_the_tools_of_the_offered_checks_are_there() -> None:
    with service(settings=Settings(checks=("terms",))) as running:
        _, answer, _ = posted(running, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert [tool["name"] for tool in answer["result"]["tools"]] == [
        "terms_place",
        "terms_extract",
        "terms_verify",
    ]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_are_answered_405(method: str) -> None:
    with service() as running:
        reply = running.call(method, "/mcp", headers=LOCAL)
    assert reply.status == 405
    assert reply.header("allow") == "POST, OPTIONS"


def test_a_body_over_the_limit_is_an_error_of_the_protocol() -> None:
    with service() as running:
        reply = running.post("/mcp", b"x" * 524_289, LOCAL)
    assert reply.status == 413
    assert reply.json["error"]["message"] == "The message is too long."


def test_a_page_of_somebody_else_does_not_reach_a_local_service() -> None:
    with service() as running:
        assert posted(running, call(), Host="evil.example")[0] == 421
        assert posted(running, call(), Origin="https://evil.example")[0] == 403


def test_a_published_service_is_reached_by_any_name() -> None:
    settings = Settings(public_url="https://assay.example")
    with service(settings=settings) as running:
        assert posted(running, call(), Host="assay.example", Origin="https://agent.example")[0] == 200


def test_offers_and_waits_come_through() -> None:
    offer: Any = {"x402Version": 2, "error": "payment_required", "accepts": [{"scheme": "exact"}]}
    outcomes: list[Outcome] = [
        Offered(payment_required=write(offer)),
        Pending(retry_after_seconds=7),
    ]
    settings = Settings(payments="required", public_url="http://127.0.0.1:8402")
    with service(PlainOrders(lambda _order: outcomes.pop(0)), settings) as running:
        _, offered, _ = posted(running, call())
        _, pending, _ = posted(running, call())
    assert offered["result"]["structuredContent"] == offer == result_of(offered)
    assert result_of(pending)["code"] == "payment_pending"
    assert result_of(pending)["retry_after_seconds"] == 7


def test_a_database_that_is_gone_is_an_error_that_says_when_to_come_again() -> None:
    def gone(_order: Order) -> Outcome:
        raise StoreUnavailable

    with service(PlainOrders(gone)) as running:
        _, answer, _ = posted(running, call())
    assert result_of(answer)["code"] == "store_unavailable"
    assert result_of(answer)["retry_after_seconds"] == 5


def test_a_full_room_is_an_error_that_says_when_to_come_again() -> None:
    inside, gate = threading.Event(), asyncio.Event()

    class Telling(PlainOrders):
        async def take(self, order: Order) -> Outcome:
            """Tell that an order is here."""
            inside.set()
            return await super().take(order)

    orders = Telling()
    orders.gate = gate
    with service(orders, Settings(queue=1)) as running:
        waiting = threading.Thread(target=posted, args=(running, call()))
        waiting.start()
        try:
            assert inside.wait(20)
            _, answer, _ = posted(running, call())
        finally:
            assert running.loop is not None
            running.loop.call_soon_threadsafe(gate.set)
            waiting.join(20)
    assert result_of(answer)["code"] == "busy"


def test_a_service_that_drains_says_so() -> None:
    orders = PlainOrders()
    orders.stop_admitting()
    with service(orders) as running:
        _, answer, _ = posted(running, call())
    assert result_of(answer)["code"] == "not_admitting"
