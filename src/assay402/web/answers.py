"""An HTTP answer as a value, the headers every answer has, and problems in one shape."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
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
HEAD_LINES: Final = "assay.head_lines"
"""Where a server of ours, in the scope, takes the header lines of an answer as bytes, and does not read them again."""
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
_ALWAYS_LINES: Final = b"".join(name + b": " + value + b"\r\n" for name, value in ALWAYS)
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


def _lines(named: Sequence[tuple[str, str]]) -> bytes | None:
    """Write header lines; None where one holds what the server would have to judge, such as the end of a line."""
    text = "".join([f"{name.lower()}: {value}\r\n" for name, value in named])
    ends = text.count("\n"), text.count("\r")
    if ends != (len(named), len(named)) or "\0" in text or not text.isascii():
        return None
    return _ALWAYS_LINES + text.encode()


async def send_answer(
    send: Send,
    answer: HTTPAnswer,
    request_id: str,
    *,
    complete: bool = True,
    put: Callable[[bytes | None], None] | None = None,
) -> None:
    """Send an answer. Left incomplete, its bytes are out but the exchange stays open for what is still to be read.

    `put` is what the server has under `HEAD_LINES`.
    """
    headers: list[tuple[bytes, bytes]] = []
    # An answer without content has neither type nor length.
    if answer.status != NO_CONTENT:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    if answer.closes:
        headers.append((b"connection", b"close"))
    named = [(REQUEST_ID, request_id), *answer.headers]
    if answer.status != NO_CONTENT:
        named.append(("Content-Type", answer.content_type))
    lines = None if put is None else _lines(named)
    if put is None or lines is None:
        headers += ALWAYS
        headers += ((name.lower().encode(), value.encode("latin-1")) for name, value in named)
    else:
        put(lines)
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": not complete})
