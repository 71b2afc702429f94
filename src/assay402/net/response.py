"""One HTTP/1.1 request and its response, as bytes: no socket, no clock.

h11 does the parsing. This module adds what an examiner of strangers needs: exact limits that do not depend on how
the bytes were cut into packets, and refusal of what two readers might read differently.
"""

import re
from typing import Final

import h11
from msgspec.structs import replace

from assay402 import __version__
from assay402.core.asks import Failed, Fetched, Limits
from assay402.core.fetch_states import Phase
from assay402.core.target import Target

USER_AGENT: Final = f"assay402/{__version__} (x402 conformance checks)"
"""The same for everyone; some sellers answer what looks like a browser with a page for people."""
CHUNK_LINES: Final = 4_096
"""Bytes of one chunk header or of all trailers: fewer than of headers, as h11 takes quadratic time over some."""
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods that say the length of their body even where there is none (RFC 9110, 8.6)."""
_BODILESS: Final = frozenset({204, 304})
_NEVER_IN_A_HEAD: Final = re.compile(rb"[\x00\x0b\x0c]|\r[^\n]")
"""h11 refuses these as well, but after quadratic time when blanks stand before them: two seconds for 32 KiB."""
_PROTOCOL: Final = Failed(state="protocol")
_BODY_CAP: Final = Failed(state="body_cap")
_HEADER_CAP: Final = Failed(state="header_cap")


class HTTPExchange:
    """The request to a target, and the reader of what comes back.

    A response must be complete by its own framing: a connection that closes within headers, a chunk or a declared
    length is `protocol`. Bodies are never decompressed; trailers and bytes behind the response are dropped. Headers
    are given as sent, but h11 merges equal Content-Lengths, joins folded lines and lowers Transfer-Encoding.
    """

    def __init__(
        self,
        target: Target,
        limits: Limits,
        method: str = "GET",
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes = b"",
    ) -> None:
        self._limits: Final = limits
        self._connection: Final = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.header_bytes)
        self.request: Final = _write_request(self._connection, target, method, headers, body)
        """The bytes to send."""
        self._head: Fetched | None = None
        self._last_byte = b""
        self._interim = 0
        self._body: Final = bytearray()

    @property
    def phase(self) -> Phase:
        """What is being waited for."""
        return "headers" if self._head is None else "body"

    @property
    def status(self) -> int | None:
        """The status of the response, once its headers are complete."""
        return None if self._head is None else self._head.status

    def feed(self, data: bytes) -> Fetched | Failed | None:
        """Take what the server sent next and give the outcome, or None while it is open. No bytes mean: it closed."""
        try:
            if not data:
                self._connection.receive_data(b"")
                return self._take_events() or _PROTOCOL
            while data:
                piece = self._next_piece(data)
                if isinstance(piece, Failed):
                    return piece
                self._connection.receive_data(piece)
                outcome = self._take_events()
                if outcome is not None:
                    return outcome
                data = data[len(piece) :]
        except h11.ProtocolError:
            return _PROTOCOL
        return None

    def _next_piece(self, data: bytes) -> bytes | Failed:
        """Cut what h11 may be given at once: a line of a head, or as much as an unfinished block may still grow."""
        unfinished = len(self._connection.trailing_data[0])
        if self._head is not None:
            piece = data[: min(self._limits.header_bytes, CHUNK_LINES) - unfinished]
        else:
            room = self._limits.header_bytes - unfinished
            piece = data[: data.find(b"\n", 0, room) + 1 or room]
            if _NEVER_IN_A_HEAD.search(self._last_byte + piece):
                return _PROTOCOL
            self._last_byte = piece[-1:]
        return piece or _HEADER_CAP

    def _take_events(self) -> Fetched | Failed | None:
        while True:
            match self._connection.next_event():
                case h11.InformationalResponse():
                    self._interim += 1
                    if self._interim > self._limits.interim_responses:
                        return _PROTOCOL
                case h11.Response() as response:
                    self._head = _read_head(response)
                    refused = _judge_framing(response, self._limits.body_bytes)
                    if refused is not None:
                        return refused
                case h11.Data(data=data):
                    self._body.extend(data)
                    if len(self._body) > self._limits.body_bytes:
                        return _BODY_CAP
                case h11.EndOfMessage() if self._head is not None:
                    return replace(self._head, body=bytes(self._body))
                case _:
                    return None


def _write_request(
    connection: h11.Connection,
    target: Target,
    method: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
) -> bytes:
    length = [("Content-Length", str(len(body)))] if body or method in _WITH_BODY else []
    request = h11.Request(
        method=method,
        target=target.request_target,
        headers=[
            ("Host", target.host_header),
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
            *headers,
            *length,
        ],
    )
    events = [request, h11.Data(data=body), h11.EndOfMessage()] if body else [request, h11.EndOfMessage()]
    return b"".join(connection.send(event) or b"" for event in events)


def _read_head(response: h11.Response) -> Fetched:
    return Fetched(
        status=response.status_code,
        headers=tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw_items()
        ),
        body=b"",
    )


def _judge_framing(response: h11.Response, cap: int) -> Failed | None:
    """Refuse two framings in one response, and a declared length over the cap before any of it is read."""
    headers = dict(response.headers)
    length = headers.get(b"content-length")
    if length is None:
        return None
    if b"transfer-encoding" in headers:
        return _PROTOCOL
    return _BODY_CAP if response.status_code not in _BODILESS and int(length) > cap else None
