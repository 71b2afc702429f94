"""Outcomes of tries, causes of silence, and what earlier probes add to them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from msgspec import Struct

from assay402.checks.listing.model import (
    Facts,
    ListingInput,
    ProbeRecord,
    Reached,
    Try,
    UnreachableCause,
)
from assay402.core.asks import Failed, Recalled
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, Number, read, write
from assay402.wire.requirements import text

EVENT: Final = "bazaar.probe_attempt"
WINDOWS_MS: Final[Mapping[UnreachableCause, int]] = {
    "dns_failure": 300_000,
    "tcp_refused": 900_000,
    "timeout": 900_000,
    "tls_error": 1_800_000,
    "persistent_5xx": 0,
}
"""How far apart probes that agree are expected to be, by cause."""
SPACING_MS: Final = 60_000
"""Probes nearer to each other see the same passing fault; the default profile counts them once."""
ANSWERING: Final = range(200, 500)
SUCCESS: Final = range(200, 300)
CLIENT_ERRORS: Final = range(400, 500)
TOO_MANY: Final = 429

_CAUSES: Final[Mapping[str, UnreachableCause]] = {
    "dns_no_answer": "dns_failure",
    "dns_too_many": "dns_failure",
    "deadline/dns": "dns_failure",
    "unreachable/refused": "tcp_refused",
    "unreachable/no_route": "tcp_refused",
    "tls": "tls_error",
    "deadline": "timeout",
}
_OUTAGES: Final = frozenset({"dns_no_answer", "unreachable", "tls", "deadline"})


class Consensus(Struct, frozen=True, kw_only=True):
    """Whether earlier probes and this one agree that the service is unreachable."""

    met: bool
    window_ms: float
    run: int
    """How many of the last probes agree."""


def cause_of_failure(failed: Failed) -> tuple[UnreachableCause, bool]:
    """Give the cause of a request without an answer, and whether it is one we can tell; all others are `timeout`."""
    for key in (f"{failed.state}/{failed.detail}", failed.state):
        if key in _CAUSES:
            return _CAUSES[key], True
    return "timeout", False


def outage_of(failed: Failed | None) -> UnreachableCause | None:
    """Give the cause where a failure is an outage: name, connection, TLS or time. A bad answer is none."""
    return cause_of_failure(failed)[0] if failed is not None and failed.state in _OUTAGES else None


def cause_of(tries: Sequence[Try]) -> UnreachableCause | None:
    """Give the cause that the tries of one probe end in; None for a service that answers."""
    last = tries[-1].answer
    if last.status is None:
        assert isinstance(last, Failed)  # noqa: S101  (a complete answer has a status)
        return cause_of_failure(last)[0]
    return None if last.status in ANSWERING else "persistent_5xx"


def shared_outage(facts: Facts, failed: Failed | None) -> UnreachableCause | None:
    """Give the cause where a request and the probe of the service fail of the same outage (default profile)."""
    last = facts.reached.tries[-1].answer
    cause = outage_of(failed)
    if facts.given.is_compat or cause is None or not isinstance(last, Failed) or last.status is not None:
        return None
    return cause if outage_of(last) == cause else None


def read_records(recalled: Recalled) -> tuple[tuple[ProbeRecord, ...], int]:
    """Read remembered probes in the order of their times, and count the lines that are none."""
    records = [_record(line) for line in recalled.records]
    good = [record for record in records if record is not None]
    damaged = recalled.damaged + len(records) - len(good)
    return tuple(sorted(good, key=lambda record: record.t)), damaged


def _record(line: str) -> ProbeRecord | None:
    try:
        sent = read(line)
    except JSONUnreadable:
        return None
    if not isinstance(sent, Mapping) or "unreachable_cause" not in sent:
        return None
    t, cause = text(sent, "t"), sent["unreachable_cause"]
    sequence, latency = (_number(sent.get(name)) for name in ("attempt_seq", "latency_ms"))
    if t is None or sequence is None or latency is None or not (cause is None or isinstance(cause, str)):
        return None
    return ProbeRecord(t=t, attempt_seq=sequence, cause=cause)


def _number(value: JSON) -> float | None:
    return float(value.spelling) if isinstance(value, Number) else None


def new_record(given: ListingInput, reached: Reached) -> str:
    """Write the record of this probe."""
    highest = max((record.attempt_seq for record in reached.earlier), default=0.0)
    return write(
        {
            "event": EVENT,
            "t": timestamp(reached.at),
            "service_url": given.url,
            "attempt_seq": int(min(highest, 2.0**53)) + 1,
            "unreachable_cause": cause_of(reached.tries),
            "latency_ms": sum(each.milliseconds for each in reached.tries),
        }
    ).decode()


def timestamp(moment: datetime) -> str:
    """Write a moment as the log has it: ISO 8601 in UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def consensus(given: ListingInput, reached: Reached, cause: UnreachableCause) -> Consensus:
    """Judge whether the last probes agree."""
    window = WINDOWS_MS[cause] * given.interval_multiplier
    this = ProbeRecord(t=timestamp(reached.at), attempt_seq=0, cause=cause)
    records = (*reached.earlier, this)
    judge = _reference_run if given.is_compat else _spaced_run
    run = () if cause == "persistent_5xx" else judge(given, records, cause)
    last = run[-given.consensus_count :]
    met = len(run) >= given.consensus_count > 0 and _span_ms(last) <= given.consensus_count * window * 2
    if not given.is_compat:
        met = met and given.history
    return Consensus(met=met, window_ms=window, run=len(run))


def _reference_run(
    _given: ListingInput, records: Sequence[ProbeRecord], cause: str
) -> tuple[ProbeRecord, ...]:
    """Take the last records that have the cause, however near they are to each other."""
    run: list[ProbeRecord] = []
    for record in reversed(records):
        if record.cause != cause:
            break
        run.insert(0, record)
    return tuple(run)


def _spaced_run(given: ListingInput, records: Sequence[ProbeRecord], cause: str) -> tuple[ProbeRecord, ...]:
    """Count a record that agrees only where it is far enough from the one counted before.

    One that disagrees always ends the run: it can but weaken the claim. Times that cannot be read count for nothing.
    """
    run: list[ProbeRecord] = []
    for record in records:
        if record.cause != cause:
            run = []
            continue
        moment, before = _moment(record), _moment(run[-1]) if run else None
        spaced = before is None or (
            moment is not None and _ms(before, moment) >= SPACING_MS * given.interval_multiplier
        )
        if moment is not None and spaced:
            run.append(record)
    return tuple(run)


def _span_ms(run: Sequence[ProbeRecord]) -> float:
    """Measure from the oldest to the newest; times that cannot be read measure nothing."""
    moments = [_moment(record) for record in (*run[:1], *run[-1:])]
    return max((_ms(a, b) for a, b in pairwise(moments) if a is not None and b is not None), default=0.0)


def _ms(earlier: datetime, later: datetime) -> float:
    return (later - earlier).total_seconds() * 1_000


def _moment(record: ProbeRecord) -> datetime | None:
    try:
        moment = datetime.fromisoformat(record.t)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
