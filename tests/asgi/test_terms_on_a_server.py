"""The middleware behind a real server, on loopback.

Needs uvicorn, which `./check --all` installs; where it is not, each test says so.
"""

import asyncio
import base64
import importlib.util
import json
import socket
from typing import Any

import pytest

from assay402 import terms
from assay402.asgi import TermsMiddleware

MISSING = importlib.util.find_spec("uvicorn") is None
pytestmark = pytest.mark.skipif(MISSING, reason="not installed: uvicorn (extra `interop`)")

HASH = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
URL = "https://shop.dev/terms.md"
CHALLENGE = {"x402Version": 2, "accepts": [{"scheme": "exact", "amount": "1"}]}
PLACED = terms.place({"ref": {"type": "sha256", "value": HASH}, "termsUrl": URL}, CHALLENGE)["value"]
DATA = json.dumps(CHALLENGE).encode()
SECONDS = 30
"""What an exchange may take; it takes milliseconds."""


async def seller(scope: Any, _receive: Any, send: Any) -> None:
    """Answer as frameworks do: whole with a length, in memoryviews without one, or for free."""
    match scope["path"]:
        case "/whole":
            headers = [(b"content-length", str(len(DATA)).encode()), (b"etag", b'"x"')]
            header = (b"payment-required", base64.b64encode(DATA))
            await send({"type": "http.response.start", "status": 402, "headers": [*headers, header]})
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else DATA})
        case "/pieces":
            await send({"type": "http.response.start", "status": 402, "headers": []})
            for low in range(0, len(DATA), 16):
                piece = memoryview(DATA)[low : low + 16]
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        case _:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})


def exchanged(method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    """Ask the seller behind the middleware and the server, and give what came."""
    return asyncio.run(asyncio.wait_for(_exchanged(method, path), SECONDS))


async def _exchanged(method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    import uvicorn  # noqa: PLC0415  (may not be installed)

    app: Any = TermsMiddleware(seller, terms_hash=HASH, terms_url=URL)
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        # The listening socket takes the connection whether or not the server has started.
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: shop.dev\r\nConnection: close\r\n\r\n".encode())
        received = await reader.read()
        writer.close()
        await writer.wait_closed()
        server.should_exit = True
        await serving
    head, _, rest = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split(" ")[1]), headers, rest


def dechunked(data: bytes) -> bytes:
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        body, data = body + data[: int(size, 16)], data[int(size, 16) + 2 :]
    return body


def test_a_whole_402_carries_the_terms_in_both_legs_and_the_right_length() -> None:
    status, headers, body = exchanged("GET", "/whole")
    assert status == 402
    assert json.loads(body) == json.loads(base64.b64decode(headers["payment-required"])) == PLACED
    assert headers["content-length"] == str(len(body))
    assert "etag" not in headers


def test_a_402_in_memoryviews_carries_the_terms() -> None:
    status, headers, body = exchanged("GET", "/pieces")
    assert status == 402
    assert headers["transfer-encoding"] == "chunked"
    assert json.loads(dechunked(body)) == PLACED


def test_the_answer_to_head_carries_the_header_and_describes_no_other_body() -> None:
    status, headers, body = exchanged("HEAD", "/whole")
    assert (status, body) == (402, b"")
    assert json.loads(base64.b64decode(headers["payment-required"])) == PLACED
    assert not {"etag", "content-length"} & headers.keys()


def test_a_free_answer_passes_as_it_was() -> None:
    status, headers, body = exchanged("GET", "/free")
    assert (status, headers["content-length"], body) == (200, "2", b"ok")
