"""An HTTP answer as a value, the headers every answer has, and problems in one shape."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from assay402.checks import CHECKS
from assay402.core.check import Check
from assay402.core.errors import NOTICES as ERRORS
from assay402.core.errors import Notice
from assay402.core.fetch_states import NOTICES as FETCH_STATES
from assay402.core.strictjson import JSON, write
from assay402.service.notices import NOTICES as SERVICE
from assay402.service.work import EVIDENCE_CUTOFF as CUTOFF
from assay402.web.codes import NOTICES

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

NO_CONTENT: Final = 204
JSON_TYPE: Final = "application/json"
PROBLEM_TYPE: Final = "application/problem+json"
PROMETHEUS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
REQUEST_ID: Final = "Assay-Request-Id"
LOGICAL_PAYMENT: Final = "ARBITER-LOGICAL-PAYMENT-ID"
QUOTE: Final = "ARBITER-QUOTE-ID"
SIGNATURE: Final = "Assay-Signature"
REPLAYED: Final = "Idempotent-Replay"

EXPOSED: Final = (
    "PAYMENT-REQUIRED", "PAYMENT-RESPONSE", SIGNATURE, QUOTE, LOGICAL_PAYMENT, CUTOFF, REPLAYED, REQUEST_ID, "Retry-After",
)  # fmt: skip
"""Headers that a page of another origin may read."""
ACCEPTED: Final = (
    "Content-Type", "PAYMENT-SIGNATURE", "Idempotency-Key", QUOTE, "SIGN-IN-WITH-X", "Authorization",
    "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id",
)  # fmt: skip
"""Headers that a page of another origin may send."""

ALWAYS: Final = tuple(
    (name.lower().encode(), value.encode())
    for name, value in (
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", ", ".join(EXPOSED)),
    )
)
"""Headers of every answer."""
PREFLIGHT: Final = (
    ("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS"),
    ("Access-Control-Allow-Headers", ", ".join(ACCEPTED)),
    ("Access-Control-Max-Age", "86400"),
)
_ALL_NOTICES: Final[Mapping[str, Notice]] = {
    **{code: notice for check in CHECKS for code, notice in check.notices.items()},
    **FETCH_STATES,
    **ERRORS,
    **SERVICE,
    **NOTICES,
}


class HTTPAnswer(Struct, frozen=True, kw_only=True):
    """A whole answer, ready to be sent."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    headers: tuple[tuple[str, str], ...] = ()
    outcome: str = "served"
    """For the metrics: one of `telemetry.OUTCOMES`."""
    code: str | None = None
    """Of a problem, for the log."""
    closes: bool = False
    """Whether the connection ends with it: what the client still sends is not read."""


def problem(  # noqa: PLR0913  (the members of a problem, each named by its keyword)
    status: int,
    code: str,
    *,
    check: Check | None = None,
    numbers: Mapping[str, int] | None = None,
    more: Mapping[str, JSON] | None = None,
    headers: tuple[tuple[str, str], ...] = (),
    closes: bool = False,
) -> HTTPAnswer:
    """Give a problem document (RFC 9457): a stable code, and its fixed sentences. It quotes nothing."""
    notice = notice_of(code, check)
    said = {} if notice is None else {"title": notice.text, "detail": notice.hint}
    document: dict[str, Any] = {
        "type": "about:blank",
        "status": status,
        "code": code,
        **said,
        **(numbers or {}),
        **(more or {}),
    }
    return HTTPAnswer(
        status=status,
        body=write(document),
        content_type=PROBLEM_TYPE,
        headers=headers,
        outcome="declined",
        code=code,
        closes=closes,
    )


def notice_of(code: str, check: Check | None = None) -> Notice | None:
    """Give what a code means: the room's own words first, as two rooms may share a code."""
    for name in (code, code.rpartition("/")[2]):
        if check is not None and name in check.notices:
            return check.notices[name]
        if name in _ALL_NOTICES:
            return _ALL_NOTICES[name]
    return None


async def send_answer(send: Send, answer: HTTPAnswer, request_id: str, *, complete: bool = True) -> None:
    """Send an answer. Left incomplete, its bytes are out but the exchange stays open for what is still to be read."""
    # An answer without content has neither type nor length.
    content = (
        ()
        if answer.status == NO_CONTENT
        else (
            (b"content-type", answer.content_type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
        )
    )
    headers = [
        *ALWAYS,
        *content,
        (REQUEST_ID.lower().encode(), request_id.encode()),
        *((name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers),
    ]
    if answer.closes:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": not complete})
