"""Admission, free and before any offer: a request that cannot be answered never sees one."""

from typing import Any, Final

from assay402.core.check import Refusal
from assay402.service.order import Declined, Order

_STATUSES: Final = {"over_cap": 413}


def admitted(order: Order) -> Any:  # noqa: ANN401  (the operation's own input, or its Refusal)
    """Give what the operation makes of a request, or its refusal."""
    operation = order.resource.operation
    return operation.admit(operation.read(order.request, operation.request_bytes))


def declined(order: Order, refusal: Refusal) -> Declined:
    """Say a room's refusal, in the shape of its contract where that has one."""
    operation = order.resource.operation
    own_shape = operation.publish_refusal is not Refusal.published
    numbers = {"length": refusal.length, "cap": refusal.cap}
    return Declined(
        status=503 if refusal.is_ours else _STATUSES.get(refusal.code, 400),
        code=refusal.code,
        body=operation.publish_refusal(refusal) if own_shape else None,
        numbers={name: number for name, number in numbers.items() if number is not None},
    )
