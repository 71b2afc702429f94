"""What a request may cost before anybody looks at it: bytes, seconds, headers, and bodies held at once."""

import asyncio
from typing import Final

from msgspec import Struct

from assay402.service.telemetry import Telemetry
from assay402.web.answers import HTTPAnswer, Receive, Scope, problem

_BLANKS: Final = " \t"
_PLAIN_TYPE: Final = ["application/json"]
"""What almost every client sends."""
_UTF_8: Final = ("utf-8", "utf8")


class Limits(Struct, frozen=True, kw_only=True):
    """The limits of one process."""

    body_seconds: float = 20.0
    """From the head of a request to the last byte of its body."""
    header_bytes: int = 32_768
    """All header fields of a request together; a payment header takes up to about 12,000 of them."""
    headers: int = 100
    buffered_bytes: int = 64 << 20
    """Bodies held at once; beyond it new ones get 503."""
    small_bytes: int = 16_384
    """A body of up to so many announced bytes is read even then, so that a few large ones cannot shut all others out."""
    linger_seconds: float = 2.0
    """How long what a refused client still sends is read and dropped, so that it sees the answer and not a reset."""
    linger_bytes: int = 4 << 20


class Gone(Exception):
    """The client left before its request was whole."""


class Bodies:
    """Reads bodies within the limits, and counts what is held of them."""

    def __init__(self, limits: Limits, telemetry: Telemetry) -> None:
        self._limits: Final = limits
        self._telemetry: Final = telemetry
        self._held = 0

    async def read(self, scope: Scope, receive: Receive, cap: int) -> bytearray | HTTPAnswer | int:
        """Give a body of at most `cap` bytes, its announced or known length where it is longer, or a problem.

        Give what was read back with `done`. Raises `Gone` where the client left.
        """
        announced = content_length(scope)
        if isinstance(announced, HTTPAnswer):
            return announced
        if announced is not None and announced > cap:
            return announced
        if announced is not None and not self._has_room(announced, announced):
            return busy(closes=True)
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                return await self._whole(receive, cap, body)
        except TimeoutError:
            self.done(body)
            return problem(408, "body_late", closes=True)
        except BaseException:
            self.done(body)
            raise

    def done(self, body: bytearray) -> None:
        """Say that a body is no longer held."""
        self._count(-len(body))

    async def linger(self, receive: Receive) -> None:
        """Read and drop what a refused client still sends, within bounds."""
        left = self._limits.linger_bytes
        try:
            async with asyncio.timeout(self._limits.linger_seconds):
                while left > 0:
                    message = await receive()
                    if message["type"] != "http.request" or not message.get("more_body", False):
                        return
                    left -= len(message.get("body", b""))
        except TimeoutError:
            return

    def _has_room(self, part: int, whole: int) -> bool:
        return self._held + part <= self._limits.buffered_bytes or whole <= self._limits.small_bytes

    async def _whole(self, receive: Receive, cap: int, body: bytearray) -> bytearray | HTTPAnswer | int:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            part = message.get("body", b"")
            length = len(body) + len(part)
            if length > cap or not self._has_room(len(part), length):
                self.done(body)
                return length if length > cap else busy(closes=True)
            body += part
            self._count(len(part))
            if not message.get("more_body", False):
                return body

    def _count(self, change: int) -> None:
        if change:
            self._held += change
            self._telemetry.buffered(change)


def busy(*, closes: bool = False) -> HTTPAnswer:
    """Give the answer of a service that has enough to do."""
    return problem(503, "busy", headers=(("Retry-After", "1"),), closes=closes)


def head_problem(scope: Scope, limits: Limits) -> HTTPAnswer | None:
    """Refuse a head that is too large or says two lengths; the server refuses larger ones while they arrive."""
    headers = scope["headers"]
    size = sum(len(name) + len(value) + 4 for name, value in headers) + len(scope["query_string"])
    if len(headers) > limits.headers or size > limits.header_bytes:
        return problem(
            431,
            "head_too_large",
            numbers={"length": size, "cap": limits.header_bytes, "headers": limits.headers},
            closes=True,
        )
    # Two announcements of where a body ends: whoever stood before us may have believed the other (RFC 9112, 6.1).
    if header_values(scope, "transfer-encoding") and header_values(scope, "content-length"):
        return problem(400, "content_length", closes=True)
    return None


def header_values(scope: Scope, name: str) -> list[str]:
    """Give every value of a header, as text."""
    by_name: dict[bytes, list[str]] | None = scope.get("assay.headers")
    if by_name is None:
        by_name = {}
        for found, value in scope["headers"]:
            by_name.setdefault(found, []).append(value.decode("latin-1"))
        scope["assay.headers"] = by_name
    return by_name.get(name.lower().encode(), [])


def content_length(scope: Scope) -> int | HTTPAnswer | None:
    """Give the announced length of a body; None where there is none announced."""
    values = header_values(scope, "content-length")
    if not values:
        return None
    text = values[0].strip(_BLANKS)
    if len(values) > 1 or not (text.isascii() and text.isdigit()) or len(text) > len("18446744073709551615"):
        return problem(400, "content_length", closes=True)
    return int(text)


def body_kind_problem(scope: Scope) -> HTTPAnswer | None:
    """Refuse a body that is announced as something else than plain JSON in UTF-8. Not announced at all, it is read."""
    types = header_values(scope, "content-type")
    if types == _PLAIN_TYPE and not header_values(scope, "content-encoding"):
        return None
    codings = [
        coding.strip(_BLANKS).lower()
        for value in header_values(scope, "content-encoding")
        for coding in value.split(",")
    ]
    if any(coding not in ("", "identity") for coding in codings):
        return problem(415, "content_coding", closes=True)
    if not types:
        return None
    kind, *parameters = types[0].split(";")
    charsets = [
        value.strip(_BLANKS + '"').lower()
        for name, _, value in (parameter.partition("=") for parameter in parameters)
        if name.strip(_BLANKS).lower() == "charset"
    ]
    is_json = kind.strip(_BLANKS).lower() == "application/json"
    if len(types) > 1 or not is_json or any(charset not in _UTF_8 for charset in charsets):
        return problem(415, "content_type", closes=True)
    return None
