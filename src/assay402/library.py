"""What the library faces share: a request as Python values in, the published answer out, without a network."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from assay402.core.asks import Answerer, drive
from assay402.core.check import Operation, Refusal
from assay402.core.strictjson import write
from assay402.envelope import local


def answer(
    operation: Operation[Any, Any],
    request: Any,  # noqa: ANN401  (callers may pass anything; admission judges it)
    now: datetime | None,
    judge: Answerer | None = None,
) -> dict[str, Any]:
    """Run an operation on a request and give its published answer or refusal. Never raises for bad input."""
    length = _length(request)
    if length > operation.request_bytes:
        request = Refusal(code="over_cap", length=length, cap=operation.request_bytes)
    given = operation.admit(request)
    refusal = given if isinstance(given, Refusal) else operation.offline(given)
    if refusal is not None:
        return refusal.published()
    moment = datetime.now(UTC) if now is None else now.astimezone(UTC)
    result = drive(operation.run(given), local(lambda: moment, judge))
    return result.published() if isinstance(result, Refusal) else operation.publish(result)


def _length(request: object) -> int:
    """Measure a request as compact JSON, in bytes; what no JSON writer takes is left to admission."""
    try:
        return len(msgspec.json.encode(request))
    except (TypeError, ValueError, RecursionError, OverflowError):
        # Lone surrogates and large integers are JSON too; the fast writer does not take them.
        return _length_as_written(request)


def _length_as_written(request: Any) -> int:  # noqa: ANN401  (as above)
    try:
        return len(write(request))
    except (TypeError, ValueError, RecursionError):
        return 0
