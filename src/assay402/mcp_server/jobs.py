"""The work of an order that needs no network: read, judged and answered. The same in this process and in a worker."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct

from assay402.checks import check_named
from assay402.core.asks import drive
from assay402.core.check import Refusal
from assay402.core.errors import AssayError
from assay402.core.strictjson import JSON, write
from assay402.envelope import local
from assay402.service.admission import declined
from assay402.service.order import Declined, Delivered, Order, Resource


class Online(Struct, frozen=True):
    """An admitted request whose work asks the network."""

    given: Any


class Job(Struct, frozen=True, kw_only=True):
    """An order as another process of ours is told of it."""

    check: str
    operation: str
    profile: str | None
    request: bytes
    key: str | None
    allow_private: bool
    moment: datetime
    """What the time is, for an answer that tells it."""


class NeedsNetwork(Struct, frozen=True):
    """What a worker says of work that it cannot do: an admitted request does not travel between processes."""


Done: TypeAlias = Delivered | Declined | NeedsNetwork
"""What a worker says of a job."""


def job_of(order: Order, key: str | None, moment: datetime, *, allow_private: bool) -> Job:
    """Describe an order."""
    resource = order.resource
    return Job(
        check=resource.check.name,
        operation=resource.operation.name,
        profile=resource.profile,
        request=order.request,
        key=key,
        allow_private=allow_private,
        moment=moment,
    )


def do_job(job: Job) -> Done:
    """Do a job to its end."""
    check = check_named(job.check)
    operation = check.operation(job.operation)
    resource = Resource(
        path="",
        check=check,
        operation=operation if job.profile is None else operation.profiles[job.profile],
        price=0,
        description="",
        profile=job.profile,
    )
    order = Order(resource=resource, request=job.request, payment=None)
    try:
        found = work(order, job.key, lambda: job.moment, allow_private=job.allow_private)
    except Exception as error:  # noqa: BLE001  (the process's outermost frame; its text may hold what was submitted)
        return failure_of(error)
    return NeedsNetwork() if isinstance(found, Online) else found


def work(
    order: Order, key: str | None, clock: Callable[[], datetime], *, allow_private: bool
) -> Delivered | Declined | Online:
    """Read, judge and do what needs no network."""
    operation = order.resource.operation
    given = admit(order, key, allow_private=allow_private)
    if isinstance(given, Refusal):
        return declined(order, given)
    if operation.offline(given) is not None:
        return Online(given)
    return finish(order, drive(operation.run(given), local(clock)))


def admit(order: Order, key: str | None, *, allow_private: bool) -> Any:  # noqa: ANN401  (the operation's own input, or its Refusal)
    """Read a request and judge whether it is acceptable."""
    operation = order.resource.operation
    read = operation.read(order.request, operation.request_bytes)
    return operation.admit(_keyed(read, key), allow_private=allow_private)


def finish(order: Order, result: Any) -> Delivered | Declined:  # noqa: ANN401  (the operation's own result)
    """Give the outcome of a run."""
    if isinstance(result, Refusal):
        return declined(order, result)
    return Delivered(body=write(order.resource.operation.publish(result)))


def failure_of(error: Exception) -> Declined:
    """Give the outcome of work that raised. Of the error its code alone is said."""
    return Declined(status=500, code=error.code if isinstance(error, AssayError) else "internal")


def _keyed(request: JSON | Refusal, key: str | None) -> JSON | Refusal:
    """Put a key beside its request again: the answer names it."""
    return (
        request
        if key is None or isinstance(request, Refusal)
        else {"request": request, "idempotency_key": key}
    )
