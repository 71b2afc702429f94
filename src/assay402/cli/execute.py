"""Running an operation for a person: with a network where it asks for one, recorded where that is wanted."""

from typing import Any

from assay402.checks import check_named
from assay402.core.asks import Answerer, Collecting, Exchange, Recorder, adrive, drive, replay
from assay402.core.check import Check, Operation, Refusal
from assay402.core.errors import RecordingUnreadable, TheirError
from assay402.core.opinions import Judge
from assay402.core.strictjson import JSON
from assay402.envelope import local, with_judge
from assay402.formats.recording_v1 import Recording
from assay402.net.clock import utc_now


def execute(  # noqa: PLR0913  (what to run, and how far it may reach)
    check: Check,
    operation: Operation[Any, Any],
    request: JSON | Refusal,
    *,
    allow_private: bool,
    record: bool,
    ca_file: str | None = None,
    judge: Answerer | None = None,
) -> tuple[Any, Recording | None]:
    """Run an operation to its result or refusal, and give the recording of the run where one is wanted.

    A request that is not admitted asks nothing, so it leaves no recording.
    """
    given = operation.admit(request, allow_private=allow_private)
    if isinstance(given, Refusal):
        return given, None
    if judge is not None:
        given = with_judge(given)
    if operation.offline(given) is None and not record:
        return drive(operation.run(given), local(utc_now, judge)), None
    result, exchanges = _run_online(
        operation.run(given), allow_private=allow_private, ca_file=ca_file, judge=judge
    )
    assert not isinstance(request, Refusal)  # noqa: S101  (a refusal is never admitted)
    recording = Recording(
        check=check.name,
        operation=operation.name,
        request=operation.redact(request),
        allow_private=allow_private,
        exchanges=tuple(exchanges),
    )
    return result, recording


def execute_offline(operation: Operation[Any, Any], request: JSON | Refusal) -> Any:  # noqa: ANN401  (the operation's own result)
    """Run an operation without a network to its result or refusal."""
    given = operation.admit(request)
    if isinstance(given, Refusal):
        return given
    return operation.offline(given) or drive(operation.run(given), local(utc_now))


def execute_recorded(recording: Recording) -> tuple[Check, Operation[Any, Any], Any]:
    """Run an operation again on a recording.

    Raises:
        RecordingUnreadable: `recording_operation`, or what `replay` raises.

    """
    try:
        check = check_named(recording.check)
        operation = check.operation(recording.operation)
    except KeyError:
        raise RecordingUnreadable("recording_operation") from None
    given = operation.admit(recording.request, allow_private=recording.allow_private)
    if isinstance(given, Refusal):
        return check, operation, given
    if any(isinstance(exchange.ask, Judge) for exchange in recording.exchanges):
        given = with_judge(given)
    return check, operation, replay(operation.run(given), recording.exchanges)


def _run_online(
    collecting: Collecting[Any], *, allow_private: bool, ca_file: str | None, judge: Answerer | None
) -> tuple[Any, list[Exchange]]:
    # The network is loaded here and nowhere else on the command line: `--help` and submitted checks start without it.
    import asyncio  # noqa: PLC0415

    from assay402.net.answerer import NetworkAnswerer  # noqa: PLC0415
    from assay402.net.connection import trust_with  # noqa: PLC0415
    from assay402.net.http import Fetcher  # noqa: PLC0415

    try:
        trust = None if ca_file is None else trust_with(ca_file)
    except OSError:
        raise TheirError("ca_file_unreadable") from None
    recorder = Recorder(NetworkAnswerer(Fetcher(allow_private=allow_private, trust=trust), judge=judge))
    return asyncio.run(adrive(collecting, recorder)), recorder.exchanges
