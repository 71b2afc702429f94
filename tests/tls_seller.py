"""A seller on loopback behind TLS: what each path answers, byte for byte, over real sockets."""

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import trustme

DRIP = None
"""In place of an answer: a byte now and then, until the client leaves."""


def answer(status: int, body: bytes, *headers: str) -> bytes:
    """Write a response of declared length."""
    lines = [f"HTTP/1.1 {status} X", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


class Seller:
    """Where the seller answers, whom to trust, and the requests that reached it."""

    def __init__(self, port: int, ca_file: str) -> None:
        self.origin = f"https://localhost:{port}"
        self.ca_file = ca_file
        self.answers: dict[str, bytes | None] = {}
        self.requests: list[bytes] = []

    def url(self, path: str) -> str:
        """Give the address of a path."""
        return self.origin + path


@contextmanager
def tls_seller(folder: Path, answers: Mapping[str, bytes | None] | None = None) -> Iterator[Seller]:
    """Run a seller whose certificate a new authority signed; answers may be added while it runs."""
    authority = trustme.CA()
    ca_file = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    gone = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        seller = Seller(listener.getsockname()[1], str(ca_file))
        seller.answers.update(answers or {})
        thread = threading.Thread(target=_serve, args=(listener, context, seller, gone), daemon=True)
        thread.start()
        yield seller
        gone.set()
        thread.join(10)


def _serve(listener: socket.socket, context: ssl.SSLContext, seller: Seller, gone: threading.Event) -> None:
    while not gone.is_set():
        try:
            accepted, _ = listener.accept()
        except TimeoutError:
            continue
        # A client may leave in the middle of anything: it is looking at what we do, not we at what it does.
        with suppress(OSError), accepted:
            accepted.settimeout(10)
            with context.wrap_socket(accepted, server_side=True) as connection:
                _answer(connection, seller, gone)


def _answer(connection: ssl.SSLSocket, seller: Seller, gone: threading.Event) -> None:
    request = b""
    while b"\r\n\r\n" not in request and (more := connection.recv(4096)):
        request += more
    seller.requests.append(request)
    path = request.split(b" ")[1].decode()
    data = seller.answers.get(path, answer(404, b"nothing here"))
    if data is not DRIP:
        connection.sendall(data)
        return
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
    while not gone.wait(0.05):
        connection.sendall(b" ")
