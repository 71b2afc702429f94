"""The listing check on the command line: its flags, its words for people, and the forms for other tools."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import click

from assay402 import __version__
from assay402.checks.listing import CHECK
from assay402.checks.listing.contract import EXIT_USAGE, exit_code, output_schema, publish
from assay402.checks.listing.model import Finding, ListingReport, Status
from assay402.cli.commands import require_writable, save_recording
from assay402.cli.form import Form, request_from
from assay402.cli.listing_flags import parameters
from assay402.cli.listing_options import request_of
from assay402.cli.output import (
    notice_of,
    plain,
    pretty,
    print_bytes,
    print_error,
    print_lines,
    published_line,
)
from assay402.cli.usage import OneLine, sentence
from assay402.core.asks import Exchange
from assay402.core.check import Refusal
from assay402.core.errors import AssayError
from assay402.core.strictjson import JSON
from assay402.formats.recording_v1 import Recording
from assay402.formats.reports import Item, Level, Report, github, junit, sarif

_OPERATION: Final = CHECK.operation("check")
_WIDTH: Final = max(map(len, ("well-known", "facilitator-fitness")))
_LINE: Final = 400
"""Characters shown of a message, which may quote a name of any length."""
_GLYPHS: Final[Mapping[Status, tuple[str, str]]] = {
    "pass": ("✓", "green"),
    "fail": ("✗", "red"),
    "info": ("○", "yellow"),
}
_LEVELS: Final[Mapping[Status, Level]] = {"pass": "none", "fail": "error", "info": "warning"}
_CAUSES: Final = {
    "payload_echo_gap": "the buyer's payload or the settlement echoes nothing of the challenge",
    "indexer_state_processing": "not in the catalogue at the time of the check",
    "unknown": "not told by what was captured",
}
_HELP: Final = """\b
Asks the service at SERVICE-URL, its manifest, the catalogues that may list it
and its facilitator, and says what to mend and on whose side.

\b
Three common mistakes:
 - A route that takes only POST: add --method POST, and --body where it
   validates the body before it asks for payment.
 - A manifest at the root of another host: name the paid route with --endpoint.
 - One run during an outage: add --probe-history-log FILE and run it again,
   some minutes apart.
"""
_EPILOG: Final = """\b
Exit codes: 0 looks_correct; 1 usage, or a fault of ours; 2 implementation_issue;
3 upstream_issue, upstream_stuck or service_unreachable.
"""


class ListingCommand(click.Command):
    """A command whose every mistake is one line and exit code 1: 2 and 3 are findings."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401  (click's signature)
    ) -> click.Context:
        """Read the command line."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            raise OneLine(f"error: {sentence(error)}") from None

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise OneLine(f"error: {sentence(error)}") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as error:
            if os.environ.get("ASSAY_TRACEBACK"):
                raise
            # The frame around all commands would give exit 3, which is a finding here. Nothing of the exception is
            # printed, because it may hold what was submitted.
            print_error(_explained(error.code if isinstance(error, AssayError) else "internal"))
            ctx.exit(EXIT_USAGE)


def command(name: str) -> click.Command:
    """Make the command of the check, under the name of the console script or of the operation."""
    return ListingCommand(
        name,
        help=f"{_OPERATION.summary}\n\n{_HELP}",
        epilog=_EPILOG,
        callback=_check,
        params=parameters(),
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def _check(**values: Any) -> None:  # noqa: ANN401  (click's parameters)
    request = request_of(values)
    if values["record"] is not None:
        require_writable(values["record"])
    given = _OPERATION.admit(request, allow_private=values["allow_private"])
    if isinstance(given, Refusal):
        raise OneLine(_explained(given.code))
    answer, exchanges = _run(given, values)
    if isinstance(answer, Refusal):
        raise OneLine(_explained(answer.code))
    if values["record"] is not None:
        save_recording(values["record"], _recording(request, values["allow_private"], exchanges))
    if answer.damaged_lines:
        print_error(
            f"bazaar-check: {answer.damaged_lines} unreadable line(s) of the history log were skipped"
        )
    if not answer.is_kept:
        print_error("bazaar-check: this probe could not be recorded in the history log")
    _print(answer, values["log"])
    click.get_current_context().exit(exit_code(answer))


def _run(given: Any, values: Mapping[str, Any]) -> tuple[Any, tuple[Exchange, ...]]:  # noqa: ANN401  (what was admitted)
    # The network is loaded here and nowhere else: `--help` and usage errors start without it.
    import asyncio  # noqa: PLC0415

    from assay402.net.connection import trust_with  # noqa: PLC0415
    from assay402.net.http import Fetcher  # noqa: PLC0415
    from assay402.net.run import Outside, run  # noqa: PLC0415
    from assay402.store.history import HistoryLog  # noqa: PLC0415

    history, ca_file = values["probe_history_log"], values["ca_file"]
    try:
        trust = None if ca_file is None else trust_with(ca_file)
    except OSError:
        raise OneLine("error: --ca-file holds no certificates that can be read") from None
    outside = Outside(
        fetcher=Fetcher(allow_private=values["allow_private"], trust=trust),
        memory=None if history is None else HistoryLog(history),
    )
    # The seam of this command: who invokes it may wrap what it reaches the world through.
    wrap = click.get_current_context().obj
    return asyncio.run(run(_OPERATION.run(given), outside if wrap is None else wrap(outside)))


def _recording(request: JSON, allow_private: bool, exchanges: tuple[Exchange, ...]) -> Recording:
    return Recording(
        check=CHECK.name,
        operation=_OPERATION.name,
        request=_OPERATION.redact(request),
        allow_private=allow_private,
        exchanges=exchanges,
    )


def _explained(code: str) -> str:
    """Give a code with what it means and what to do, on one line."""
    notice = notice_of(code, CHECK)
    return f"error: {code}" + (f": {notice.text} {notice.hint}" if notice is not None else "")


def _print(report: ListingReport, log: str) -> None:
    if log == "human":
        print_lines(present(report))
    elif log == "json":
        print_bytes(published_line(publish(report)))
    elif log == "pretty":
        print_bytes(pretty(publish(report)))
    elif log == "sarif":
        print_bytes(pretty(sarif(_as_report(report))))
    elif log == "junit":
        print_bytes(junit(_as_report(report)).encode())
    else:
        print_lines(map(plain, github(_as_report(report))))


def _as_report(report: ListingReport) -> Report:
    conclusion: Level = "none" if exit_code(report) == 0 else "warning"
    return Report(
        tool="bazaar-check",
        version=__version__,
        subject=plain(report.given.url),
        items=[_item(finding) for finding in report.findings],
        conclusion=Item(
            rule=f"listing/{report.verdict.kind}",
            level="error" if report.verdict.kind == "implementation_issue" else conclusion,
            message=plain(report.verdict.message),
        ),
    )


def _item(finding: Finding) -> Item:
    return Item(
        rule=f"listing/{finding.check}",
        level=_LEVELS[finding.status],
        message=plain(finding.message),
        fix=finding.fix if finding.fix is None else plain(finding.fix),
    )


def present(report: ListingReport) -> Iterable[str]:
    """Give the lines a person reads; nothing of the service's reaches the terminal but plain text."""
    yield click.style(f"bazaar-check {plain(report.given.url)}", bold=True)
    yield click.style(f"  chain: {report.given.chain}", dim=True)
    yield ""
    for finding in report.findings:
        glyph, colour = _GLYPHS[finding.status]
        yield f"{click.style(glyph, fg=colour)} {finding.check:<{_WIDTH}} {_short(finding.message)}"
        if finding.fix is not None:
            yield click.style(f"    fix: {_short(finding.fix)}", dim=True)
        for note in _notes(finding):
            yield click.style(f"    note: {_short(note)}", dim=True)
    yield ""
    yield from _verdict_lines(report)


def _short(text: str) -> str:
    """Give a text for a line of the terminal; the JSON has the whole."""
    shown = plain(text)
    return shown if len(shown) <= _LINE else f"{shown[:_LINE]}…"


def _notes(finding: Finding) -> Iterable[str]:
    """Give what the default profile has to say besides, below the check it belongs to."""
    detail = finding.detail or {}
    notes, instead = detail.get("notes"), detail.get("listed_instead")
    for note in notes if isinstance(notes, list) else []:
        if isinstance(note, Mapping):
            yield str(note["text"])
    for address in instead if isinstance(instead, list) else []:
        yield f"listed instead: {address}"


def _verdict_lines(report: ListingReport) -> Iterable[str]:
    verdict, code = report.verdict, exit_code(report)
    kind = verdict.kind.replace("_", " ")
    glyph, colour = _GLYPHS[{0: "pass", 2: "fail"}.get(code, "info")]  # type: ignore[index]  # (three statuses)
    named = "" if code == 0 else f", {kind}"
    yield click.style(f"{glyph} VERDICT (exit {code}{named}): ", fg=colour, bold=True) + plain(
        verdict.message
    )
    if verdict.failed_checks:
        yield f"  failed checks: {', '.join(verdict.failed_checks)}"
    if verdict.upstream_checks:
        yield f"  upstream signals: {', '.join(verdict.upstream_checks)}"
    if verdict.cause is not None:
        yield f"  cause: {verdict.cause} ({_CAUSES[verdict.cause]})"
    if verdict.unreachable_cause is not None:
        counts = f"{verdict.probe_count}/{verdict.consensus_threshold}"
        yield f"  cause: {verdict.unreachable_cause} (consensus {counts})"


def _schema() -> None:
    """Print the JSON Schema of the report."""
    print_bytes(pretty(output_schema()))


FORMS: Final[Mapping[str, Form[Any]]] = {
    "check": Form(
        parameters=list,
        compose=lambda operation, values: request_from(values["source"], operation),
        present=present,
    )
}
"""How a replayed run is shown."""

COMMANDS: Final[Mapping[str, Callable[[], click.Command]]] = {
    "check": lambda: command("check"),
    "schema": lambda: click.Command("schema", help=_schema.__doc__, callback=_schema),
}
"""What this room offers: its own command for the operation, and the schema."""
