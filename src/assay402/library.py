"""What the library faces share: a request as Python values in, the published answer out, without a network."""

import sys
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from assay402.core.asks import Answerer, drive
from assay402.core.check import REQUEST_DEPTH, Operation, Refusal
from assay402.core.strictjson import is_deeper, write
from assay402.envelope import local, with_judge

_SAFE_RECURSION: Final = 1_000
"""The interpreter's own default, which no thread's stack is too small for."""


def answer(
    operation: Operation[Any, Any],
    request: Any,  # noqa: ANN401  (callers may pass anything; admission judges it)
    now: datetime | None,
    judge: Answerer | None = None,
) -> dict[str, Any]:
    """Run an operation on a request and give its published answer or refusal. Never raises for bad input."""
    return answer_admitted(operation, operation.admit(within_cap(operation, request)), now, judge)


def answer_admitted(
    operation: Operation[Any, Any],
    given: Any,  # noqa: ANN401  (the operation's own input)
    now: datetime | None = None,
    judge: Answerer | None = None,
) -> dict[str, Any]:
    """Run an operation on what it admitted, and give its published answer; a refusal is published as it is."""
    refusal = given if isinstance(given, Refusal) else operation.offline(given)
    if refusal is not None:
        return operation.publish_refusal(refusal)
    moment = datetime.now(UTC) if now is None else _in_utc(now)
    if judge is not None:
        given = with_judge(given)
    result = drive(operation.run(given), local(lambda: moment, judge))
    return operation.publish_refusal(result) if isinstance(result, Refusal) else operation.publish(result)


def within_cap(operation: Operation[Any, Any], request: Any) -> Any:  # noqa: ANN401  (as above)
    """Give the request, or its refusal where it is no JSON or too long for the operation."""
    # Measuring descends as deep as the interpreter lets it, and a host program may let it overflow its stack.
    if sys.getrecursionlimit() > _SAFE_RECURSION and _is_too_deep(request):
        return Refusal(code="not_json")
    length = _length(request)
    if length is None:
        return Refusal(code="not_json")
    # Nothing shorter can nest deeper: a level takes two bytes.
    if length > REQUEST_DEPTH and is_deeper(request, REQUEST_DEPTH):
        return Refusal(code="not_json")
    cap = operation.request_bytes
    return Refusal(code="over_cap", length=length, cap=cap) if length > cap else request


def _is_too_deep(request: object) -> bool:
    """Tell whether a request nests too deeply to be measured, or cannot be looked through."""
    try:
        return is_deeper(request, REQUEST_DEPTH)
    except Exception:  # noqa: BLE001  (a caller's own mapping may raise anything; its text must not pass through)
        return True


def _in_utc(moment: datetime) -> datetime:
    """Take a time without a zone for UTC, as every time in this project is."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        # Within a day of the ends of the calendar UTC has no date for it.
        return moment.replace(tzinfo=UTC)


def _length(request: object) -> int | None:
    """Measure a request as compact JSON, in bytes; None for what is no JSON."""
    try:
        return len(msgspec.json.encode(request))
    except (TypeError, ValueError, RecursionError, OverflowError):
        # Lone surrogates, large integers and mappings of other types are JSON too; the fast writer takes none of them.
        return _length_as_written(request)


def _length_as_written(request: Any) -> int | None:  # noqa: ANN401  (as above)
    try:
        return len(write(request))
    except Exception:  # noqa: BLE001  (a caller's own mapping may raise anything; its text must not pass through)
        return None
