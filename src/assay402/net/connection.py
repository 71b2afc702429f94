"""One connection to one judged address, plain or TLS, with a count of what is read from the wire.

It works on the socket itself instead of `asyncio` transports for three reasons: what a server sent before it reset
the connection stays readable, no more is read than is wanted, and closing is immediate.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

Dial: TypeAlias = Callable[[str, int], Awaitable[socket.socket]]
"""Opens a connection to an address and a port: a connected, non-blocking socket. Raises `OSError`."""
Done = TypeVar("Done")

_READ: Final = 16_384
"""Bytes taken from the socket at once: one TLS record."""


class WireCapReachedError(Exception):
    """The server sent more than may be read from one connection."""


async def dial_address(address: str, port: int) -> socket.socket:
    """Connect to exactly this address; a name would not be looked up.

    Raises:
        OSError: when there is no connection, or not to that address.

    """
    wanted = ip_address(address)
    with ExitStack() as undo:
        family = socket.AF_INET if isinstance(wanted, IPv4Address) else socket.AF_INET6
        connected = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connected, (address, port))
        if ip_address(connected.getpeername()[0]) != wanted:
            raise ConnectionAbortedError
        undo.pop_all()
    return connected


def system_trust() -> ssl.SSLContext:
    """Trust the certificate authorities of the system, TLS 1.2 and newer.

    Not `ssl.create_default_context`, which obeys SSLKEYLOGFILE, SSL_CERT_FILE and SSL_CERT_DIR: the store is read
    from the paths compiled into OpenSSL. Only where those do not exist (Windows keeps its store elsewhere) are the
    defaults loaded, which look at the environment.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    paths = ssl.get_default_verify_paths()
    file, folder = Path(paths.openssl_cafile), Path(paths.openssl_capath)
    if file.is_file() or folder.is_dir():
        context.load_verify_locations(
            cafile=file if file.is_file() else None, capath=folder if folder.is_dir() else None
        )
    else:
        context.load_default_certs()
    return context


def trust_with(ca_file: str) -> ssl.SSLContext:
    """Trust the certificate authorities of a PEM file besides those of the system.

    Raises:
        OSError: when the file cannot be read or holds no certificate.

    """
    context = system_trust()
    context.load_verify_locations(cafile=ca_file)
    return context


class Connection:
    """A connected socket, spoken to in plain or, after `secure`, in TLS.

    Raises (every coroutine):
        WireCapReachedError: when the server sent more than `wire_bytes`, handshake included.
        ssl.SSLError: when TLS fails.
        OSError: when the connection breaks.
    """

    def __init__(self, connected: socket.socket, wire_bytes: int) -> None:
        self._socket: Final = connected
        self._left = wire_bytes
        self._incoming: Final = ssl.MemoryBIO()
        self._outgoing: Final = ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None

    async def secure(self, trust: ssl.SSLContext, name: str) -> None:
        """Shake hands with the server of this name; its certificate must be for that name."""
        self._tls = trust.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        await self._drive(self._tls.do_handshake)

    async def send(self, data: bytes) -> None:
        """Send a request; TLS takes it one record at a time."""
        tls = self._tls
        if tls is None:
            await self._write(data)
            return
        left = memoryview(data)
        while left:
            # Driven before the next one is cut, so each call sees its own `left`.
            left = left[await self._drive(lambda: tls.write(left)) :]  # noqa: B023

    async def receive(self) -> bytes:
        """Give the next bytes; none when the server closed, with or without TLS's own goodbye.

        Many servers leave that goodbye out. Whether the response was complete is for its framing to say.
        """
        tls = self._tls
        if tls is None:
            return await self._read()
        with suppress(ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return await self._drive(lambda: tls.read(_READ))
        return b""

    def close(self) -> None:
        """Close at once; what is unread is thrown away."""
        self._socket.close()

    async def _drive(self, step: Callable[[], Done]) -> Done:
        """Repeat a step of TLS, moving bytes between it and the socket, until it is done."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                await self._write(self._outgoing.read())
                data = await self._read()
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                await self._write(self._outgoing.read())
                return done

    async def _write(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def _read(self) -> bytes:
        # A socket that always has data never waits: this gives the deadline and other fetches their turn.
        await asyncio.sleep(0)
        # At the cap one byte more is asked for: its absence is the end, its presence is over the cap.
        data = await asyncio.get_running_loop().sock_recv(self._socket, min(_READ, max(self._left, 1)))
        if len(data) > self._left:
            raise WireCapReachedError
        self._left -= len(data)
        return data
