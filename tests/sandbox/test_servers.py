"""The sandbox's servers: they answer, they survive bad requests, and nothing of them is left when they are closed."""

import json
import socket
import threading
from http.client import HTTPConnection
from typing import Any

import pytest

from assay402.sandbox.jsonrpc import NodeServer, NodeUnreachable, RPCError, call_node
from assay402.sandbox.serving import LoopbackServer, OneThread, Reply, Request

SECONDS = 20


def asked(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_server_gives_the_request_as_it_came_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return Reply(status=201, body=b"[1]")

    server = LoopbackServer(answer)
    assert asked(server.port, "POST", "/a?b", b"{}") == (201, b"[1]")
    assert asked(server.port, "GET", "/c") == (201, b"[1]")
    server.close()
    assert seen == [
        Request(method="POST", path="/a?b", body=b"{}"),
        Request(method="GET", path="/c", body=b""),
    ]
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        asked(server.port, "GET", "/")


@pytest.mark.parametrize(
    ("length", "status"), [("x", 411), ("-1", 411), ("9" * 5000, 411), ("4194305", 413), ("٣", 411)]
)
def test_a_body_of_no_length_or_too_much_is_refused(length: str, status: int) -> None:
    server = LoopbackServer(lambda _request: Reply())
    try:
        with socket.create_connection(("127.0.0.1", server.port), SECONDS) as client:
            client.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode())
            assert client.recv(100).split()[1] == str(status).encode()
    finally:
        server.close()


def test_an_answer_that_fails_closes_the_connection_and_nothing_else(capfd: Any) -> None:
    def answer(request: Request) -> Reply:
        if request.path == "/bad":
            raise ConnectionAbortedError
        return Reply()

    server = LoopbackServer(answer)
    try:
        with pytest.raises(ConnectionError):
            asked(server.port, "GET", "/bad")
        assert asked(server.port, "GET", "/good") == (200, b"{}")
    finally:
        server.close()
    assert capfd.readouterr() == ("", "")


def test_many_clients_at_once_are_all_answered() -> None:
    gate = threading.Barrier(32)

    def answer(_request: Request) -> Reply:
        gate.wait(SECONDS)
        return Reply()

    server = LoopbackServer(answer)
    answers: list[tuple[int, bytes]] = []
    clients = [
        threading.Thread(target=lambda: answers.append(asked(server.port, "GET", "/"))) for _ in range(32)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join(SECONDS)
    server.close()
    assert answers == [(200, b"{}")] * 32


def test_a_port_that_is_taken_is_an_error_and_leaves_no_thread() -> None:
    first = LoopbackServer(lambda _request: Reply())
    before = set(threading.enumerate())
    try:
        with pytest.raises(OSError, match="in use"):
            LoopbackServer(lambda _request: Reply(), first.port)
        with pytest.raises(OSError, match="in use"):
            NodeServer(Echo, first.port)
        assert set(threading.enumerate()) == before
    finally:
        first.close()


def test_a_thing_of_one_thread_is_made_and_used_there() -> None:
    held = OneThread(threading.get_ident, "held")
    made_in, used_in = held.run(lambda ident: (ident, threading.get_ident()))
    held.close()
    assert made_in == used_in != threading.get_ident()


def test_what_cannot_be_made_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError):
        OneThread(lambda: 1 // 0, "held")
    assert set(threading.enumerate()) == before


class Echo:
    """A node that gives its parameters back, and fails in both ways a node can."""

    def answer(self, method: str, params: list[Any]) -> Any:
        """Answer by the name of the method."""
        if method == "refuse":
            raise RPCError(3, "execution reverted: no", "0x01")
        if method == "break":
            raise LookupError("gone")
        return params


def test_a_node_answers_refuses_and_survives_its_own_faults() -> None:
    node = NodeServer(Echo)
    try:
        assert call_node(node.url, "echo", 1, "a") == [1, "a"]
        with pytest.raises(RPCError) as refused:
            call_node(node.url, "refuse")
        assert (refused.value.code, refused.value.message, refused.value.data) == (
            3,
            "execution reverted: no",
            "0x01",
        )
        with pytest.raises(RPCError) as broken:
            call_node(node.url, "break")
        assert (broken.value.code, broken.value.data) == (-32000, None)
        port = int(node.url.rpartition(":")[2])
        batch = json.dumps([{"id": 1, "method": "a", "params": [2]}, {"id": 2}, 3]).encode()
        status, body = asked(port, "POST", "/", batch)
        assert status == 200
        assert [each.get("result", each.get("error", {}).get("code")) for each in json.loads(body)] == [
            [2],
            -32600,
            -32600,
        ]
        assert asked(port, "POST", "/", b"{") == (400, b"{}")
    finally:
        node.close()
    with pytest.raises(NodeUnreachable):
        call_node(node.url, "echo")


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"error":1}', b"\xff"])
def test_what_is_no_answer_of_a_node_is_told_as_no_node(body: bytes) -> None:
    server = LoopbackServer(lambda _request: Reply(body=body))
    try:
        with pytest.raises(NodeUnreachable):
            call_node(server.url, "echo")
    finally:
        server.close()
