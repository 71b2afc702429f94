"""What the service says of itself: log events, their fields and metrics, each a closed list.

A line holds names from lists, numbers and random ids: never a byte of what was sent, no path, no query, no address.
The logger refuses any other event, field or value, so that a careless call fails in its test and not in a log.
"""

import os
import sys
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from time import time_ns
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from assay402.checks import CHECKS

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

Word: TypeAlias = "str | int | bool"


class Event(Enum):
    """Every event of the log."""

    SERVICE_STARTED = "service.started"
    SERVICE_WITHOUT_NODE = "service.without_node"
    SERVICE_DRAINING = "service.draining"
    SERVICE_STOPPED = "service.stopped"
    REQUEST_ANSWERED = "request.answered"
    REQUEST_FAILED = "request.failed"
    PAYMENT_VERIFIED = "payment.verified"
    PAYMENT_CLAIMED = "payment.claimed"
    PAYMENT_SETTLED = "payment.settled"
    PAYMENT_REFUSED = "payment.refused"
    PAYMENT_RELEASED = "payment.released"
    PAYMENT_IN_DOUBT = "payment.in_doubt"
    PAYMENT_REPLAYED = "payment.replayed"
    PAYMENT_RERUN = "payment.rerun"
    PAYMENT_RECONCILED = "payment.reconciled"
    WORK_FAILED = "work.failed"
    ORDER_FAILED = "order.failed"


OUTCOMES: Final = ("delivered", "replayed", "offered", "pending", "declined", "served", "failed", "abandoned")
"""How a request can end; `abandoned` is a client that left before its answer."""
METHODS: Final = ("GET", "HEAD", "POST", "OPTIONS", "other")
OPEN_ROUTES: Final = (
    "healthz", "readyz", "metrics", "openapi", "well-known", "criteria", "contract", "receipts", "mcp", "other",
)  # fmt: skip
OPERATIONS: Final = tuple(
    f"{check.name}/{operation.name}" for check in CHECKS for operation in check.operations
)
ROUTES: Final = (*OPEN_ROUTES, *OPERATIONS)
ROOMS: Final = tuple(check.name for check in CHECKS)
STATUSES: Final = (
    200, 202, 204, 304, 400, 401, 402, 403, 404, 405, 406, 408, 409, 411, 412, 413, 415, 421, 422, 429, 431, 500, 503,
)  # fmt: skip

_NUMBERS: Final = (
    "status", "milliseconds", "sent_bytes", "port", "fault_line",
)  # fmt: skip
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "route": ROUTES,
    "operation": OPERATIONS,
    "method": METHODS,
    "outcome": OUTCOMES,
    "payments": ("off", "required"),
}
FIELDS: Final = ("event", "time", "request_id", "code", "fault", *_NUMBERS, *_CHOICES)
"""Every field of the log. `code` is a stable code of ours, `fault` the class of an exception, `fault_line` its line."""
_FIELDS: Final = frozenset(FIELDS)
_encode: Final = msgspec.json.Encoder().encode
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/")
_MAX_WORD: Final = 64

METRICS: Final[Mapping[str, str]] = {
    "assay_requests": "Requests answered, by route, status and outcome.",
    "assay_request_seconds": "Time from a request's head to its answer, by route.",
    "assay_orders_under_way": "Orders under way or waiting, by check.",
    "assay_orders_refused": "Orders refused because too many were under way, by check.",
    "assay_order_events": "What happened to orders and their payments, by event and operation.",
    "assay_buffered_bytes": "Bytes of request bodies held at the moment.",
    "assay_rows_forgotten": "Rows deleted because the time they are kept for was over.",
    "assay_draining": "1 while the service finishes its work before it stops.",
}
"""Every metric, with its text."""


class _Lines:
    """The end of structlog's chain: gives each rendered line to a writer."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.msg: Final = write


class Log:
    """Writes one JSON object a line to `write`, by default standard error."""

    def __init__(self, write: Callable[[str], None] | None = None) -> None:
        import structlog  # noqa: PLC0415  (of the extra `service`; the lists above are read without it)

        self._write: Final = write or _to_standard_error
        self._logger: Final[Any] = structlog.wrap_logger(
            _Lines(self._write),
            processors=[
                _refuse_others,
                _render,
            ],
            wrapper_class=structlog.BoundLogger,
        ).bind()

    def say(self, event: Event, **fields: Word) -> None:
        """Write one line. Raises `ValueError` for a field or value that is on no list."""
        self._logger.msg(event.value, **fields)

    def steady(self, event: Event, **fields: Word) -> Callable[[], None]:
        """Give what writes this very line whenever it is called: all but its time is judged and written here, once.

        Raises:
            ValueError: as `say`.

        """
        line = _render(None, "", _refuse_others(None, "", {"event": event.value, **fields}), time="\0")
        before, _, after = line.partition(_encode("\0").decode()[1:-1])

        def written() -> None:
            self._write(f"{before}{_now()}{after}")

        return written


class Telemetry:
    """The log and the metrics of one process."""

    def __init__(self, log: Log) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram  # noqa: PLC0415  (of the extra)

        self.log: Final = log
        self._registry: Final = CollectorRegistry(auto_describe=True)

        def text(name: str) -> str:
            return METRICS[name]

        def gauge(name: str, labels: tuple[str, ...] = ()) -> Gauge:
            return Gauge(name, text(name), labels, registry=self._registry, multiprocess_mode="livesum")

        def counter(name: str, labels: tuple[str, ...]) -> Counter:
            return Counter(name, text(name), labels, registry=self._registry)

        self._requests: Final = counter("assay_requests", ("route", "status", "outcome"))
        self._seconds: Final = Histogram(
            "assay_request_seconds", text("assay_request_seconds"), ("route",), registry=self._registry
        )
        # Looked up once: the library's own look-up takes a lock and half of the time of counting.
        self._children: Final[dict[tuple[str, int, str], Any]] = {}
        self._told: Final[dict[tuple[str, str], Any]] = {}
        self._inside: Final[dict[str, Any]] = {}
        self._under_way: Final = gauge("assay_orders_under_way", ("check",))
        self._refused: Final = counter("assay_orders_refused", ("check",))
        self._events: Final = counter("assay_order_events", ("event", "operation"))
        self._buffered: Final = gauge("assay_buffered_bytes")
        self._forgotten: Final = counter("assay_rows_forgotten", ())
        self._draining: Final = gauge("assay_draining")

    def answered(self, *, route: str, status: int, outcome: str, seconds: float) -> None:
        """Count one answer. Raises `ValueError` for a label that is on no list."""
        key = (route, status, outcome)
        children = self._children.get(key)
        if children is None:
            if route not in ROUTES or outcome not in OUTCOMES or status not in STATUSES:
                raise ValueError("not on the list of labels")
            children = (self._requests.labels(route, str(status), outcome), self._seconds.labels(route))
            self._children[key] = children
        children[0].inc()
        children[1].observe(seconds)

    def under_way(self, room: str, change: int) -> None:
        """Count an order in or out."""
        child = self._inside.get(room)
        if child is None:
            child = self._inside[room] = self._under_way.labels(_listed(room))
        child.inc(change)

    def refused(self, room: str) -> None:
        """Count an order that was refused because too many were under way."""
        self._refused.labels(_listed(room)).inc()

    def told(self, event: str, operation: str) -> None:
        """Log and count what happened to an order. Raises `ValueError` for an event that is on no list."""
        told = self._told.get((event, operation))
        if told is None:
            known, route = Event(event), operation if operation in ROUTES else "other"
            told = self._events.labels(known.value, route), self.log.steady(known, route=route)
            # Names that are on no list are looked up each time: nothing here grows with them.
            self._told[event, route] = told
        counter, say = told
        counter.inc()
        say()

    def buffered(self, change: int) -> None:
        """Count bytes of bodies in or out."""
        self._buffered.inc(change)

    def forgotten(self, rows: int) -> None:
        """Count rows whose time was over."""
        self._forgotten.inc(rows)

    def draining(self) -> None:
        """Say that the service finishes its work."""
        self._draining.set(1)
        self.log.say(Event.SERVICE_DRAINING)

    def exposition(self, only: Callable[[Mapping[str, str]], bool] | None = None) -> bytes:
        """Give the metrics as Prometheus text; of several workers together where they share a directory.

        `only` picks samples by their labels.
        """
        from prometheus_client import exposition  # noqa: PLC0415  (of the extra)

        registry: Any = self._registry if "PROMETHEUS_MULTIPROC_DIR" not in os.environ else _of_all_workers()
        if only is not None:
            registry = _Picked(registry, only)
        text: bytes = exposition.generate_latest(registry)
        return text


class _Picked:
    """The samples of a registry whose labels are wanted."""

    def __init__(self, registry: Any, only: Callable[[Mapping[str, str]], bool]) -> None:  # noqa: ANN401  (a registry of any kind)
        self._registry: Final = registry
        self._only: Final = only

    def collect(self) -> Any:  # noqa: ANN401  (the library's own families)
        for family in self._registry.collect():
            family.samples = [sample for sample in family.samples if self._only(sample.labels)]
            if family.samples:
                yield family


def _of_all_workers() -> "CollectorRegistry":
    from prometheus_client import CollectorRegistry  # noqa: PLC0415  (of the extra)
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415  (the same)

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library has no type there
    return registry


def _listed(room: str) -> str:
    if room not in ROOMS:
        raise ValueError("not on the list of labels")
    return room


def _refuse_others(_logger: Any, _name: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:  # noqa: ANN401  (structlog's processors)
    for name, value in line.items():
        if name not in _FIELDS or not _is_listed(name, value):
            raise ValueError("not on the list of fields")
    return line


def _is_listed(name: str, value: Any) -> bool:  # noqa: ANN401  (whatever a caller passed)
    if name in _NUMBERS:
        return type(value) is int
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in ("event", "time"):
        return True
    return isinstance(value, str) and len(value) <= _MAX_WORD and _WORD.issuperset(value)


def _now() -> str:
    seconds, milliseconds = divmod(time_ns() // 1_000_000, 1_000)
    return f"{_second(seconds)}.{milliseconds:03}Z"


def _render(_logger: Any, _name: str, line: MutableMapping[str, Any], time: str | None = None) -> str:  # noqa: ANN401  (structlog's processors)
    line["time"] = _now() if time is None else time
    return _encode({name: line[name] for name in FIELDS if name in line}).decode()


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    """Write a second, in which there are many lines."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()


def _to_standard_error(line: str) -> None:
    sys.stderr.write(line + "\n")
