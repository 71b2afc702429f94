"""How every end of an order reads as a tool result."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from mcp_types import CallToolResult, TextContent

from assay402.core.check import Check
from assay402.core.grammar import depth
from assay402.core.strictjson import JSON, write
from assay402.formats.cutting import without_half_pairs
from assay402.mcp_server.notices import notice_of
from assay402.service.order import Declined, Delivered, Offered, Outcome, Pending
from assay402.wire.transport import MCP_PAYMENT_RESPONSE

META: Final = "assay402/"
"""Before the name of each member of `_meta` that is ours."""
_DEEPEST: Final = 250
"""Open brackets at once that the SDK's writer takes, less the few around structured content."""


def result_of(outcome: Outcome, check: Check, *, is_advertised: bool) -> CallToolResult:
    """Give the tool result of an outcome.

    Where an output schema is advertised, an error is text alone: the official TypeScript client holds any structured
    content to the schema, that of an error too.
    """
    match outcome:
        case Delivered():
            return _delivered(outcome, check, is_advertised=is_advertised)
        case Offered():
            meta = _settlement(outcome.settlement) | _named("logical-payment-id", outcome.logical_payment_id)
            return _result(outcome.payment_required, meta, is_error=True)
        case Pending():
            seconds = outcome.retry_after_seconds
            said = problem("payment_pending", check, {"retry_after_seconds": seconds})
            return _error(said, _named("logical-payment-id", outcome.logical_payment_id), is_advertised)
        case Declined():
            return _declined(outcome, check, is_advertised=is_advertised)


def problem(code: str, check: Check | None, numbers: Mapping[str, Any]) -> bytes:
    """Say what went wrong: a stable code, what it means, what to do, and numbers."""
    notice = notice_of(code, check)
    said = {} if notice is None else {"title": notice.text, "detail": notice.hint}
    return write({"code": code, **said, **numbers})


def _delivered(outcome: Delivered, check: Check, *, is_advertised: bool) -> CallToolResult:
    meta = _settlement(outcome.settlement) | _named("logical-payment-id", outcome.logical_payment_id)
    if outcome.headers:
        meta |= _named("headers", dict(outcome.headers))
    if outcome.is_replay:
        meta |= _named("replayed", True)
    if _is_too_deep(outcome.body):
        return _error(problem("answer-too-deep", check, {}), meta, is_advertised)
    try:
        return _result(outcome.body, meta, is_error=False)
    except msgspec.DecodeError:
        return _error(problem("number-out-of-range", check, {}), meta, is_advertised)


def _declined(outcome: Declined, check: Check, *, is_advertised: bool) -> CallToolResult:
    seconds = outcome.retry_after_seconds
    later: dict[str, Any] = {} if seconds is None else {"retry_after_seconds": seconds}
    if outcome.free_retry:
        later["free_retry"] = True
    meta = _named("logical-payment-id", outcome.logical_payment_id)
    if outcome.body is None:
        return _error(problem(outcome.code, check, {**outcome.numbers, **later}), meta, is_advertised)
    notice = notice_of(outcome.code, check)
    more = "" if notice is None else f"{notice.text} {notice.hint}"
    return _error(write(outcome.body), meta, is_advertised, more)


def _error(body: bytes, meta: dict[str, Any], is_advertised: bool, more: str = "") -> CallToolResult:
    if not is_advertised:
        return _result(body, meta, is_error=True, more=more)
    return CallToolResult(content=_content(body, more), is_error=True, _meta=meta or None)


def _result(body: bytes, meta: dict[str, Any], *, is_error: bool, more: str = "") -> CallToolResult:
    """Give a result whose text and structured content are the same JSON.

    Raises:
        msgspec.DecodeError: for a number beyond a double's range, which no reader of structured content would have.

    """
    return CallToolResult(
        content=_content(body, more), structured_content=_value(body), is_error=is_error, _meta=meta or None
    )


def _content(body: bytes, more: str) -> list[Any]:
    texts = (body.decode(), *((more,) if more else ()))
    return [TextContent(text=text) for text in texts]


def _is_too_deep(body: bytes) -> bool:
    return body.count(b"[") + body.count(b"{") > _DEEPEST and depth(body) > _DEEPEST


def _value(body: bytes) -> Any:  # noqa: ANN401  (any JSON)
    # Half of a surrogate pair, which a text may spell as an escape, has no form in the SDK's writer.
    return msgspec.json.decode(without_half_pairs(body))


def _settlement(settlement: Mapping[str, JSON] | None) -> dict[str, Any]:
    return {} if settlement is None else {MCP_PAYMENT_RESPONSE: msgspec.json.decode(write(settlement))}


def _named(name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401  (any JSON)
    return {} if value is None else {META + name: value}
