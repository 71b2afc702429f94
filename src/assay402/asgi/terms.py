"""Middleware that places the terms of sale into every 402 an application sends.

It stands in front of whatever makes the challenge, the official SDK's middleware or a seller's own code, and writes
into both legs: the PAYMENT-REQUIRED header and the JSON body. Other responses pass through as they come. What codes a
body, such as compression, belongs outside of it.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from inspect import isawaitable
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from assay402.checks.terms.model import WELL_KNOWN, Advertisement, PlaceInput, Refused
from assay402.checks.terms.rules.place import placement
from assay402.core.errors import TheirError
from assay402.core.strictjson import write
from assay402.wire.challenge import Leg, NoChallenge, body_leg, header_leg
from assay402.wire.requirements import PaymentRequired
from assay402.wire.transport import PAYMENT_REQUIRED, encode_header, is_coded

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
OnRefusal: TypeAlias = Callable[[Refused], object]
"""May be a coroutine function: what it gives is awaited, after the response was sent."""
Headers: TypeAlias = list[tuple[bytes, bytes]]
Outcome: TypeAlias = bytes | Refused | str | None
"""Of a leg: its new JSON, why it was refused, why it carries no challenge; None where it names these terms already."""

MAX_BODY: Final = 262_144
"""Bytes of a body that is placed into; a challenge is far shorter, and what is longer is not held back."""

_LOG: Final = logging.getLogger(__name__)
_STATUS: Final = 402
_HEADER: Final = PAYMENT_REQUIRED.lower().encode()
_LENGTH: Final = b"content-length"
_OF_THE_OLD_BODY: Final = frozenset({b"etag", b"digest", b"content-digest", b"repr-digest", b"content-md5"})
"""Headers that a changed body makes untrue."""
_BOM: Final = b"\xef\xbb\xbf"
_MANY_DIGITS: Final = 18
"""Enough to tell a length over the limit."""


class TermsMiddleware:
    """Wraps an ASGI application: `TermsMiddleware(app, terms_hash="0x…", terms_url="https://…")`.

    `terms_hash` is the SHA-256 of the exact bytes that `terms_url` serves (`assay terms hash FILE`). A leg that cannot
    be placed into is sent as it was made, and a 402 that leaves without the terms in any leg is `terms/not-placed`:
    each such refusal's code is logged, and `on_refusal`, a function or a coroutine function, is called with the
    refusal once the response was sent. Its `detail` may quote the challenge. None of this turns a 402 into an error.

    Raises:
        TheirError: when made with a hash or URL that no challenge can carry; the code is the refusal's, and its detail
            is a note of the error.

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
            error = TheirError(tried.code)
            error.add_note(tried.detail or "")
            raise error
        if urlsplit(terms_url).path == WELL_KNOWN:
            # The discovery document changes with the site, and is not the terms: buyers will find another hash.
            _LOG.warning("terms.url_is_discovery_document")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the application, with the terms in its 402 if it sends one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        response = _Response(send, self._place, has_body=scope.get("method") != "HEAD")
        try:
            await self._app(scope, receive, response)
            await response.release()
        finally:
            for refused in response.refusals:
                await self._report(refused)

    def _place(self, leg: Leg) -> Outcome:
        """Place the terms into a leg, or say why it is to stay byte for byte."""
        if not isinstance(leg, PaymentRequired):
            return leg.value
        placed = placement(PlaceInput(advertisement=self._advertisement, document=leg.sent))
        if isinstance(placed, Refused):
            return placed
        return None if placed.document == leg.sent else write(placed.document)

    async def _report(self, refused: Refused) -> None:
        _LOG.warning("terms.refused code=%s", refused.code)
        if self._on_refusal is None:
            return
        try:
            result = self._on_refusal(refused)
            if isawaitable(result):
                await result
        except Exception:  # noqa: BLE001  (the seller's own code, beside a response that must reach the buyer)
            # Without the traceback, whose text may quote the challenge.
            _LOG.error("terms.on_refusal_failed")


class _Response:
    """The `send` of one request: holds a 402 back until its body is known, lets everything else through."""

    def __init__(self, send: Send, place: Callable[[Leg], Outcome], *, has_body: bool) -> None:
        self._send: Final = send
        self._place: Final = place
        self._has_body: Final = has_body
        self._passes = False
        self._held: list[Message] = []
        """The start of a 402 and its body so far."""
        self._chunks: list[bytes] = []
        """The held body, as bytes: an application may send any buffer."""
        self._length = 0
        self._header: Outcome = None
        self._body: Outcome = NoChallenge.ABSENT.value
        self.refusals: list[Refused] = []
        """What is to be reported of this response."""

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
                self._body = "a file"
                await self.release()
                await self._send(message)
            case _:
                await self._send(message)

    async def release(self) -> None:
        """Send what is held as it is, and let the rest through."""
        self._passes = True
        held, self._held = self._held, []
        if held and held[0]["status"] == _STATUS:
            self._judge()
        for message in held:
            await self._send(message)

    def _judge(self) -> None:
        """Note each leg that was refused, and the response if no leg of it carries the terms."""
        legs = {"header": self._header, "body": self._body}
        self.refusals += [leg for leg in legs.values() if isinstance(leg, Refused)]
        # An answer to HEAD shows no body, so nothing can be said of a challenge that stands there.
        shows_all = self._has_body or self._header != NoChallenge.ABSENT.value
        words = [f"{name}: {fault}" for name, leg in legs.items() if (fault := _fault(leg)) is not None]
        if shows_all and len(words) == len(legs):
            self.refusals.append(Refused(code="terms/not-placed", detail="; ".join(words)))

    async def _start(self, message: Message) -> None:
        self._held = [message]
        if message["status"] == _STATUS:
            headers = _headers(message)
            self._held = [{**message, "headers": self._with_placed_header(headers)}]
            fault = _cannot_be_placed_into(headers)
            if fault is None:
                return
            self._body = fault
        await self.release()

    async def _continue(self, message: Message) -> None:
        self._held.append(message)
        self._chunks.append(bytes(message.get("body", b"")))
        self._length += len(self._chunks[-1])
        more = message.get("more_body", False)
        if self._length > MAX_BODY:
            self._body = "too-long"
        elif more and self._may_be_an_object():
            return
        elif more:
            self._body = NoChallenge.NOT_JSON.value
        else:
            self._place_body()
        await self.release()

    def _may_be_an_object(self) -> bool:
        """Tell from the first character, so that a stream of something else is not held back."""
        first = next((stripped for each in self._chunks if (stripped := each.strip())), b"{")
        return first[:1] == b"{" or first.startswith(_BOM) or _BOM.startswith(first)

    def _place_body(self) -> None:
        start, *parts = self._held
        body = b"".join(self._chunks)
        if not (self._has_body or body.strip()):
            # The headers tell of the body that the same GET has, and the terms are placed into that one.
            self._held = [{**start, "headers": _without(_headers(start), _LENGTH)}, *parts]
            return
        self._body = self._place(body_leg(body)) if body.strip() else NoChallenge.ABSENT.value
        if not isinstance(self._body, bytes):
            return
        headers = [
            (name, str(len(self._body)).encode() if name.lower() == _LENGTH else value)
            for name, value in _without(_headers(start))
        ]
        self._held = [{**start, "headers": headers}, {**parts[-1], "body": self._body}]

    def _with_placed_header(self, headers: Headers) -> Headers:
        values = [value.decode("latin-1") for name, value in headers if name.lower() == _HEADER]
        self._header = self._place(header_leg(values))
        if not isinstance(self._header, bytes):
            return headers
        value = encode_header(self._header).encode()
        return [(name, value if name.lower() == _HEADER else old) for name, old in headers]


def _fault(leg: Outcome) -> str | None:
    """Say why a leg does not carry the terms; None for one that does."""
    match leg:
        case Refused(code=code):
            return code
        case str():
            return leg
        case _:
            return None


def _headers(message: Message) -> Headers:
    given: Iterable[tuple[bytes, bytes]] = message.get("headers") or ()
    return [(bytes(name), bytes(value)) for name, value in given]


def _without(headers: Headers, *further: bytes) -> Headers:
    """Leave out what described the body that the application made."""
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in _OF_THE_OLD_BODY and name.lower() not in further
    ]


def _cannot_be_placed_into(headers: Headers) -> str | None:
    """Say why a body is not waited for: it is coded, or declared too long."""
    if is_coded(value.decode("latin-1") for name, value in headers if name.lower() == b"content-encoding"):
        return "coded"
    lengths = [value for name, value in headers if name.lower() == _LENGTH and value.isdigit()]
    return "too-long" if any(int(length[:_MANY_DIGITS]) > MAX_BODY for length in lengths) else None
