"""Sellers on loopback: one server per shape of answer, over real sockets."""

import base64
import gzip
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

V1 = {
    "x402Version": 1,
    "error": "X-PAYMENT header is required",
    "accepts": [{"network": "base", "maxAmountRequired": "1"}],
}
V2 = {
    "x402Version": 2,
    "error": "PAYMENT-SIGNATURE header is required",
    "accepts": [{"network": "eip155:8453", "amount": "1"}],
}
MIXED = {"x402Version": 2, "accepts": [{"network": "base", "amount": "1"}]}


def encoded(challenge: object) -> str:
    """Write a challenge as the value of a PAYMENT-REQUIRED header."""
    return base64.b64encode(json.dumps(challenge).encode()).decode()


def answer(status: int, body: bytes, *headers: str) -> bytes:
    """Write a response."""
    lines = [f"HTTP/1.1 {status} X", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def body(challenge: object) -> bytes:
    """Write a challenge as a body."""
    return json.dumps(challenge).encode()


ANSWERS = {
    "v1-body": answer(402, body(V1), "Content-Type: application/json"),
    "v2-header": answer(402, b"{}", f"PAYMENT-REQUIRED: {encoded(V2)}"),
    "dual": answer(402, body(V1), f"payment-required: {encoded(V2)}"),
    "mixed": answer(402, body(MIXED)),
    "html-paywall": answer(402, b"<!doctype html><h1>Pay</h1>", "Content-Type: text/html"),
    "redirect": answer(307, b"", "Location: /v1-body"),
    "post-only": answer(405, b"", "Allow: POST"),
    "body-70-kb": answer(402, b" " * 70_000, f"PAYMENT-REQUIRED: {encoded(V2)}"),
    "body-at-the-cap": answer(402, body(V1) + b" " * (65_536 - len(body(V1)))),
    "gzip-body": answer(402, gzip.compress(body(V1)), "Content-Encoding: gzip"),
    "header-16-kb": answer(402, b"{}", f"PAYMENT-REQUIRED: {encoded({**V2, 'padding': 'x' * 12_000})}"),
    "header-40-kb": answer(402, b"{}", f"PAYMENT-REQUIRED: {encoded({**V2, 'padding': 'x' * 30_000})}"),
    "two-differing-headers": answer(
        402, b"{}", f"PAYMENT-REQUIRED: {encoded(V2)}", f"PAYMENT-REQUIRED: {encoded(V1)}"
    ),
    "two-identical-headers": answer(
        402, b"{}", f"PAYMENT-REQUIRED: {encoded(V2)}", f"PAYMENT-REQUIRED: {encoded(V2)}"
    ),
    "receipt-on-the-402": answer(402, body(V1), "PAYMENT-RESPONSE: e30="),
    "canaries": answer(
        402,
        body(
            {"error": "zq7canary", "accepts": [{"network": "eip155:1", "amount": "1", "payTo": "zq7canary"}]}
        ),
        "Set-Cookie: cookie-secret",
        "Location: /?location-secret",
        "zq7canary: zq7canary",
    ),
    "speaks-first": b"220 mail.example ESMTP\r\n" * 10,
    "not-http": b"220 mail.example ESMTP\r\n",
}
"""What a shape answers at once; `reset` and `slow-drip` are made by hand below."""


@contextmanager
def seller(shape: str) -> Iterator[tuple[str, list[bytes]]]:
    """Run a server that answers one connection in a shape; gives its address and what it received."""
    received: list[bytes] = []
    gone = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        thread = threading.Thread(target=_serve, args=(listener, shape, received, gone), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/{shape}", received
        gone.set()
        thread.join(10)


def _serve(listener: socket.socket, shape: str, received: list[bytes], gone: threading.Event) -> None:
    try:
        connection, _ = listener.accept()
    except OSError:
        return
    with connection:
        connection.settimeout(10)
        received.append(b"" if shape == "speaks-first" else _request(connection))
        if shape == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif shape == "slow-drip":
            _drip(connection, gone)
        else:
            connection.sendall(ANSWERS[shape])


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data and (more := connection.recv(4096)):
        data += more
    return data


def _drip(connection: socket.socket, gone: threading.Event) -> None:
    """Send a byte now and then until the client leaves; each read gets something, so only a total deadline ends it."""
    try:
        connection.sendall(b"HTTP/1.1 402 X\r\nContent-Length: 60000\r\n\r\n")
        while not gone.wait(0.1):
            connection.sendall(b" ")
    except OSError:
        return
