"""Middleware that places the terms of sale into every 402 an application sends.

It stands in front of whatever makes the challenge, the official SDK's middleware or a seller's own code, and writes
into both legs: the PAYMENT-REQUIRED header and the JSON body. Other responses pass through as they come.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final, TypeAlias

from assay402.checks.terms.model import Advertisement, PlaceInput, Refused
from assay402.checks.terms.rules.place import placement
from assay402.core.errors import TheirError
from assay402.core.strictjson import write
from assay402.wire.challenge import Leg, body_leg, header_leg
from assay402.wire.requirements import PaymentRequired
from assay402.wire.transport import PAYMENT_REQUIRED, encode_header

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
OnRefusal: TypeAlias = Callable[[Refused], object]
Headers: TypeAlias = list[tuple[bytes, bytes]]

MAX_BODY: Final = 262_144
"""Bytes of a body that is placed into; a challenge is far shorter, and what is longer is not held back."""

_LOG: Final = logging.getLogger(__name__)
_STATUS: Final = 402
_HEADER: Final = PAYMENT_REQUIRED.lower().encode()
_OF_THE_OLD_BODY: Final = frozenset({b"etag", b"digest", b"content-digest", b"repr-digest", b"content-md5"})
"""Headers that a changed body makes untrue."""
_BOM: Final = b"\xef\xbb\xbf"
_MANY_DIGITS: Final = 18
"""Enough to tell a length over the limit."""


class TermsMiddleware:
    """Wraps an ASGI application: `TermsMiddleware(app, terms_hash="0x…", terms_url="https://…")`.

    `terms_hash` is the SHA-256 of the exact bytes that `terms_url` serves (`assay terms hash FILE`). A challenge that
    cannot be placed into is sent as it was made: its refusal's code is logged, and `on_refusal` is called with the
    refusal, whose `detail` may quote the challenge. It never turns a 402 into an error.

    Raises:
        TheirError: when made with a hash or URL that no challenge can carry; the code is the refusal's.

    """

    def __init__(
        self, app: ASGIApp, *, terms_hash: str, terms_url: str, on_refusal: OnRefusal | None = None
    ) -> None:
        self._app: Final = app
        self._advertisement: Final = Advertisement(
            ref={"type": "sha256", "value": terms_hash}, terms_url=terms_url
        )
        self._on_refusal: Final = on_refusal
        tried = placement(PlaceInput(advertisement=self._advertisement, document={"accepts": [{}]}))
        if isinstance(tried, Refused):
            raise TheirError(tried.code)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the application, with the terms in its 402 if it sends one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        response = _Response(send, self._place)
        await self._app(scope, receive, response)
        await response.release()

    def _place(self, leg: Leg) -> bytes | None:
        """Give the JSON of a leg with the terms in it; None where the leg is to stay byte for byte."""
        if not isinstance(leg, PaymentRequired):
            return None
        placed = placement(PlaceInput(advertisement=self._advertisement, document=leg.sent))
        if isinstance(placed, Refused):
            self._report(placed)
            return None
        return None if placed.document == leg.sent else write(placed.document)

    def _report(self, refused: Refused) -> None:
        _LOG.warning("terms.refused code=%s", refused.code)
        if self._on_refusal is None:
            return
        try:
            self._on_refusal(refused)
        except Exception:  # noqa: BLE001  (the seller's own code, beside a response that must reach the buyer)
            # Without the traceback, whose text may quote the challenge.
            _LOG.error("terms.on_refusal_failed")


class _Response:
    """The `send` of one request: holds a 402 back until its body is known, lets everything else through."""

    def __init__(self, send: Send, place: Callable[[Leg], bytes | None]) -> None:
        self._send: Final = send
        self._place: Final = place
        self._passes = False
        self._held: list[Message] = []
        """The start of a 402 and its body so far."""
        self._length = 0

    async def __call__(self, message: Message) -> None:
        """Take the application's next message."""
        if self._passes:
            await self._send(message)
            return
        match message["type"]:
            case "http.response.start":
                await self._start(message)
            case "http.response.body" if self._held:
                await self._continue(message)
            case "http.response.pathsend" | "http.response.zerocopysend":
                await self.release()
                await self._send(message)
            case _:
                await self._send(message)

    async def release(self) -> None:
        """Send what is held as it is, and let the rest through."""
        self._passes = True
        held, self._held = self._held, []
        for message in held:
            await self._send(message)

    async def _start(self, message: Message) -> None:
        if message["status"] == _STATUS:
            headers = _headers(message)
            self._held = [{**message, "headers": self._with_placed_header(headers)}]
            if _may_be_placed_into(headers):
                return
        else:
            self._held = [message]
        await self.release()

    async def _continue(self, message: Message) -> None:
        self._held.append(message)
        self._length += len(message.get("body", b""))
        more = message.get("more_body", False)
        if more and self._length <= MAX_BODY and self._may_be_an_object():
            return
        if not more and self._length <= MAX_BODY:
            self._place_body()
        await self.release()

    def _may_be_an_object(self) -> bool:
        """Tell from the first character, so that a stream of something else is not held back."""
        first = next((body for each in self._held[1:] if (body := each.get("body", b"").strip())), b"{")
        return first[:1] == b"{" or first.startswith(_BOM) or _BOM.startswith(first)

    def _place_body(self) -> None:
        start, *parts = self._held
        placed = self._place(body_leg(b"".join(part.get("body", b"") for part in parts)))
        if placed is None:
            return
        headers = [
            (name, str(len(placed)).encode() if name.lower() == b"content-length" else value)
            for name, value in _headers(start)
            if name.lower() not in _OF_THE_OLD_BODY
        ]
        self._held = [{**start, "headers": headers}, {**parts[-1], "body": placed}]

    def _with_placed_header(self, headers: Headers) -> Headers:
        values = [value.decode("latin-1") for name, value in headers if name.lower() == _HEADER]
        placed = self._place(header_leg(values))
        if placed is None:
            return headers
        value = encode_header(placed).encode()
        return [(name, value if name.lower() == _HEADER else old) for name, old in headers]


def _headers(message: Message) -> Headers:
    given: Iterable[tuple[bytes, bytes]] = message.get("headers") or ()
    return [(bytes(name), bytes(value)) for name, value in given]


def _may_be_placed_into(headers: Headers) -> bool:
    """Tell whether a body is one to wait for: neither coded nor declared too long."""
    for name, value in headers:
        if name.lower() == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            return False
        if name.lower() == b"content-length" and value.isdigit() and int(value[:_MANY_DIGITS]) > MAX_BODY:
            return False
    return True
