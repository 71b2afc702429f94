"""The tools within the service: its route, its bounds, its log, its end."""

import asyncio
import json
import threading
from typing import Any

import pytest

from assay402.core.strictjson import write
from assay402.service.order import Offered, Order, Outcome, Pending
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from web.plain_orders import PlainOrders
from web.served import Service, service

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
