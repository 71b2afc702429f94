"""The commands of a check, made from the registry and the forms of the room's module in this package."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import click
from msgspec import Struct

from assay402.cli.execute import execute, execute_offline, execute_recorded
from assay402.cli.form import Form
from assay402.cli.output import explain_refusal, print_bytes, print_error, print_lines, published_line
from assay402.cli.usage import SourceFile, Usage
from assay402.core.check import Check, Operation, Refusal
from assay402.core.errors import AssayError, EngineFailed
from assay402.core.strictjson import JSON
from assay402.formats.recording_v1 import Recording, read_recording, write_recording

EXIT_REFUSED = 2
EXIT_OURS = 3
NO_VALUES: Mapping[str, Any] = {}
_SOFT_EXITS = (1, 4)
"""Exit codes that `--exit-zero` turns into 0: a finding, and nothing to judge."""


class CheckGroup(click.Group):
    """The commands of one check. The room's module is loaded when one of them is wanted."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.name, help=check.question)
        self._check = check

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Name the operations, then what the room's module adds."""
        operations = [operation.name for operation in self._check.operations]
        return [*operations, *sorted(_face(self._check).COMMANDS.keys() - set(operations))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """Give one of the room's own commands, which may be one for an operation, or make that of an operation."""
        face = _face(self._check)
        own: Callable[[], click.Command] | None = face.COMMANDS.get(cmd_name)
        if own is not None:
            return own()
        for operation in self._check.operations:
            if operation.name == cmd_name:
                return _operation_command(self._check, operation, face.FORMS[cmd_name])
        return None


def _face(check: Check) -> ModuleType:
    return import_module(f"assay402.cli.{check.name}")


def _operation_command(check: Check, operation: Operation[Any, Any], form: Form[Any]) -> click.Command:
    return click.Command(
        operation.name,
        help=f"{operation.summary}\n\n{form.details}",
        epilog=form.epilog,
        callback=partial(_run_operation, check, operation, form),
        params=[
            *form.parameters(),
            *_profile_options(operation),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the published JSON."),
            *(_lines_option() if form.takes_lines else ()),
            click.Option(
                ["--record"],
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="Write the run to FILE: what was asked and answered, and the request; a deliverable whole.",
            ),
            *(_network_options() if form.asks_network else ()),
            *(_exit_zero_option() if form.has_soft_exits else ()),
        ],
    )


def _lines_option() -> tuple[click.Option, ...]:
    words = "Read one request a line on stdin, answer one a line."
    return (click.Option(["--jsonl"], is_flag=True, help=words),)


def _exit_zero_option() -> tuple[click.Option, ...]:
    return (click.Option(["--exit-zero"], is_flag=True, help="Exit 0 on findings and on nothing to judge."),)


def _profile_options(operation: Operation[Any, Any]) -> list[click.Parameter]:
    if not operation.profiles:
        return []
    first, *_ = names = list(operation.profiles)
    described = f"The published contract to answer under; `{first}` by default."
    return [click.Option(["--profile"], type=click.Choice(names), help=described)]


def _network_options() -> tuple[click.Option, ...]:
    return (
        click.Option(
            ["--allow-private"], is_flag=True, help="Let the run contact this machine and private addresses."
        ),
        click.Option(
            ["--ca-file"],
            metavar="PEM",
            help="Trust the certificate authorities of this file besides the system's.",
        ),
    )


class _Options(Struct, frozen=True, kw_only=True):
    """What every operation's command takes."""

    as_json: bool
    record: Path | None
    jsonl: bool = False
    exit_zero: bool = False
    allow_private: bool = False
    ca_file: str | None = None


def _run_operation(check: Check, operation: Operation[Any, Any], form: Form[Any], **values: Any) -> None:  # noqa: ANN401  (click's parameters)
    options = _Options(**{name: values.pop(name) for name in _Options.__struct_fields__ if name in values})
    profile = values.pop("profile", None)
    if profile is not None and options.record is not None:
        raise Usage("--record keeps a run under the default profile: leave --profile out.")
    answering = operation.profiles.get(profile, operation)
    if options.jsonl:
        _refuse_beside_lines(operation, form, options, values)
        _answer_lines(answering, form, values)
        return
    operation = answering
    if options.record is not None:
        require_writable(options.record)
    answer, recording = execute(
        check,
        operation,
        form.compose(operation, values),
        allow_private=options.allow_private,
        record=options.record is not None,
        ca_file=options.ca_file,
        judge=form.judge(values),
    )
    # Files first: the output may fail, and a run is not made twice for it.
    if options.record is not None:
        save_recording(options.record, recording)
    unfinished = None if isinstance(answer, Refusal) else _finish(form, answer, values)
    code = show(check, operation, form, answer, as_json=options.as_json, values=values)
    if unfinished is not None:
        raise unfinished
    click.get_current_context().exit(0 if options.exit_zero and code in _SOFT_EXITS else code)


def _finish(form: Form[Any], answer: Any, values: Mapping[str, Any]) -> click.UsageError | None:  # noqa: ANN401  (the operation's own result)
    """Do what the parameters ask for besides, and keep what goes wrong until the answer is shown."""
    try:
        form.finish(answer, values)
    except click.UsageError as error:
        return error
    return None


def show(  # noqa: PLR0913  (an answer, whose it is, and how it is printed)
    check: Check,
    operation: Operation[Any, Any],
    form: Form[Any],
    answer: Any,  # noqa: ANN401  (the operation's own result)
    *,
    as_json: bool,
    values: Mapping[str, Any] = NO_VALUES,
) -> int:
    """Print an answer and give its exit code. `values` are the parameters of the command, where there is one."""
    if isinstance(answer, Refusal):
        if as_json:
            print_bytes(published_line(operation.publish_refusal(answer)))
        explain_refusal(answer, check)
        return EXIT_OURS if answer.is_ours else EXIT_REFUSED
    if as_json:
        print_bytes(published_line(operation.publish(answer)))
    else:
        print_lines(form.present(answer))
        for remark in form.remarks(answer, values):
            print_error(remark)
    return operation.exit_code(answer)


def _given(values: Mapping[str, Any]) -> set[str]:
    return {name for name, value in values.items() if value not in (None, False, ())}


def _refuse_beside_lines(
    operation: Operation[Any, Any], form: Form[Any], options: _Options, values: Mapping[str, Any]
) -> None:
    given = _given(values)
    if options.record or options.allow_private or options.ca_file or given - set(form.line_switches):
        profile = ("profile",) if operation.profiles else ()
        beside = " and ".join(f"--{name}" for name in (*form.line_switches, *profile, "exit-zero"))
        raise Usage(f"--jsonl reads requests on stdin: beside it only {beside} may be given.")


def _answer_lines(operation: Operation[Any, Any], form: Form[Any], values: Mapping[str, Any]) -> None:
    source = SourceFile().convert("-", None, None)
    all_answered = answer_lines(operation, source, switches=_given(values) & set(form.line_switches))
    click.get_current_context().exit(0 if all_answered else EXIT_OURS)


def answer_lines(operation: Operation[Any, Any], stream: BinaryIO, *, switches: Iterable[str] = ()) -> bool:
    """Answer each line in order; a bad line is answered with its refusal and the run goes on.

    So is a line that meets a fault of ours, with the code `internal`; gives whether there was none.
    """
    defaults = dict.fromkeys(switches, True)
    all_answered = True
    while (request := _next_request(stream, operation)) is not None:
        value = request.value
        if defaults and isinstance(value, Mapping):
            value = {**defaults, **value}
        line = _answered_line(operation, value)
        all_answered = all_answered and line is not None
        print_bytes(published_line(Refusal(code="internal").published()) if line is None else line)
    return all_answered


def _answered_line(operation: Operation[Any, Any], request: JSON | Refusal) -> bytes | None:
    """Give the answer to a request as one line, or None where that fails by our fault."""
    try:
        answer = execute_offline(operation, request)
        publish = operation.publish_refusal if isinstance(answer, Refusal) else operation.publish
        return published_line(publish(answer))
    except EngineFailed:
        return None
    except AssayError:
        raise
    except Exception:  # noqa: BLE001  (the lines behind it are owed their answers, and its text may hold what was submitted)
        return None


class _Line:
    """A request line as read; a wrapper, because a request may be any JSON value, null included."""

    def __init__(self, value: JSON | Refusal) -> None:
        self.value = value


def _next_request(stream: BinaryIO, operation: Operation[Any, Any]) -> _Line | None:
    """Read one line without ever holding more than the cap; None at the end of the input."""
    cap = operation.request_bytes
    source = stream.readline(cap + 2)
    if not source:
        return None
    line = source.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= cap:
        return _Line(operation.read(line, cap))
    length = len(line)
    while not source.endswith(b"\n") and (source := stream.readline(1 << 20)):
        length += len(source.removesuffix(b"\n").removesuffix(b"\r"))
    return _Line(Refusal(code="over_cap", length=length, cap=cap))


def require_writable(path: Path) -> None:
    """Refuse a path that cannot be written before anything is asked, so that no answer is lost over it."""
    if str(path) == "-" or path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Usage("--record needs a file that can be written.", click.get_current_context())


def save_recording(path: Path, recording: Recording | None) -> None:
    """Write a recording to a file. Raises `click.UsageError` where it cannot be written."""
    if recording is None:
        print_error("assay: nothing was asked, so there is no recording")
        return
    # A recording holds a whole answer: it is for whoever made it, whatever stood at its place before.
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o600)
        file.write(write_recording(recording))


def replay_file(source: bytes, *, as_json: bool, exit_zero: bool) -> int:
    """Run a recording again, print what the run printed, and give its exit code."""
    check, operation, answer = execute_recorded(read_recording(source))
    form: Form[Any] = _face(check).FORMS[operation.name]
    if exit_zero and not form.has_soft_exits:
        raise Usage(
            f"--exit-zero does not go with a recording of `{operation.name}`: its exit code is its answer."
        )
    code = show(check, operation, form, answer, as_json=as_json)
    return 0 if exit_zero and code in _SOFT_EXITS else code
