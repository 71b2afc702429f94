"""The command `assay`: one group per check, one command per operation, and what serves them all."""

import gc
import os
import sys
from difflib import get_close_matches
from io import TextIOWrapper
from typing import BinaryIO

import click

from assay402 import __version__
from assay402.checks import CHECKS
from assay402.cli.commands import CheckGroup, replay_file
from assay402.cli.db import db_command
from assay402.cli.form import read_source
from assay402.cli.keys import keys_command
from assay402.cli.ledger import ledger_command
from assay402.cli.mcp import command as mcp_command
from assay402.cli.output import explain_code, notices, print_error, print_lines
from assay402.cli.sandbox import sandbox
from assay402.cli.service import serve, settings
from assay402.cli.usage import OneLine, SourceFile, Usage, usage_lines
from assay402.cli.verify import verify_command
from assay402.core.check import Refusal
from assay402.core.errors import AssayError, OurError, TheirError
from assay402.formats.rule_page import rule_page

EXIT_THEIRS = 2
EXIT_OURS = 3
EXIT_INTERRUPTED = 130
MAX_RECORDING = 16 << 20
"""Bytes of a recording file; a fetch brings 64 KiB of body, or about 90 KiB as recorded."""

EPILOG = """\b
Exit codes: 0 done, 1 a negative finding, 2 usage or refused input, 3 our own fault, 4 nothing to judge,
141 the reader of the output left early.
`assay explain ID` explains a rule or a code. Set NO_COLOR to print without styles.
"""


def run() -> None:
    """Run the command line; the outermost frame, where errors become exit codes."""
    sys.exit(_run())


def _run() -> int:
    if sys.stdout is None or sys.stderr is None:
        return EXIT_THEIRS
    gc.freeze()  # what is loaded stays until the end: each search for cycles would look through all of it
    # What a terminal cannot show is shown as an escape: a report must not be lost over its dashes.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code: int = main.main(prog_name="assay", standalone_mode=False) or 0
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        print_error("assay: interrupted")
        return EXIT_INTERRUPTED
    except (click.ClickException, AssayError, OSError) as error:
        return _expected(error)
    except Exception:
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        # The exception may hold what was submitted, so none of it is printed.
        explain_code("error", "internal")
        return EXIT_OURS
    return code


def _expected(error: click.ClickException | AssayError | OSError) -> int:
    """Say what went wrong, in fixed sentences and codes, and give the exit code."""
    match error:
        case OneLine():
            error.show()
            return error.exit_code
        case click.exceptions.NoArgsIsHelpError():
            print_error(error.format_message())
        case click.ClickException():
            for line in usage_lines(error):
                print_error(line)
        case AssayError():
            explain_code("error", error.code, str(error).removeprefix(error.code))
            return EXIT_OURS if isinstance(error, OurError) else EXIT_THEIRS
        case _:
            return _output_failed(error)
    return EXIT_THEIRS


def _output_failed(error: OSError) -> int:
    """Leave what is still buffered unwritten, or the end of the process would fail on it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print_error(f"assay: a file could not be read or written: {os.strerror(error.errno or 0)}")
    return EXIT_THEIRS


@click.group(
    epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="assay")
def main() -> None:
    """Test x402 payments before money moves: deterministic checks that say what they could not determine."""


for _check in CHECKS:
    main.add_command(CheckGroup(_check))
main.add_command(mcp_command())
main.add_command(sandbox())
main.add_command(serve)
main.add_command(settings)
main.add_command(verify_command())
main.add_command(keys_command())
main.add_command(db_command())
main.add_command(ledger_command())


def _explained() -> dict[str, list[str]]:
    """Give the lines of everything that can be explained, by its id; where a rule has a code's name, its page."""
    codes = {
        code: [
            code,
            *(line for name, notice in found for line in ("", *_of_check(name), notice.text, notice.hint)),
        ]
        for code, found in notices().items()
    }
    pages = {
        rule.id: rule_page(check, rule).rstrip("\n").split("\n") for check in CHECKS for rule in check.rules
    }
    return codes | pages


def _of_check(name: str) -> tuple[str, ...]:
    """Say whose words follow, where they are those of one check."""
    return (f"In `{name}`:",) if name else ()


def _matching(wanted: str) -> list[str]:
    """Give the ids a word means: exactly, or by its last part, so that neither room nor protocol need be right."""
    known = list(_explained())
    return [wanted] if wanted in known else [each for each in known if _last_part(each) == _last_part(wanted)]


def _last_part(name: str) -> str:
    """Give a name without what stands before its slash, spelled with hyphens as rules are."""
    return name.lower().replace("_", "-").rpartition("/")[2]


def _complete_ids(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [each for each in _explained() if each.startswith(incomplete)]


@main.command("explain", epilog="`assay explain` without an ID lists them.")
@click.argument("wanted", metavar="[ID]", default="", shell_complete=_complete_ids)
def explain(wanted: str) -> None:
    """Explain a rule, a refusal or an error.

    ID is a rule such as `dialect/summary`, or `summary` alone, or a code such as `url_malformed`.
    """
    if not wanted:
        print_lines(_explained())
        return
    found = _matching(wanted)
    if len(found) != 1:
        near = found or get_close_matches(wanted, _explained(), n=3, cutoff=0.5)
        hint = f" Near: {', '.join(near)}." if near else ""
        raise Usage(f"No rule and no code has this ID; `assay explain` lists them.{hint}")
    print_lines(_explained()[found[0]])


@main.command(
    "replay", epilog="Exit codes: those of the recorded operation; 2 for a file that is no recording of ours."
)
@click.argument("recording", type=SourceFile(), metavar="RECORDING|-")
@click.option("--json", "as_json", is_flag=True, help="Print the published JSON.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 on findings and on nothing to judge.")
@click.pass_context
def replay(context: click.Context, recording: BinaryIO, as_json: bool, exit_zero: bool) -> None:
    """Run a recording again, without a network.

    The answer has the same bytes as that of the recorded run.
    """
    source = read_source(recording, MAX_RECORDING)
    if isinstance(source, Refusal):
        raise TheirError("file_too_long", length=source.length or 0, cap=MAX_RECORDING)
    context.exit(replay_file(source, as_json=as_json, exit_zero=exit_zero))


@main.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    Write it to a file and source that: `assay completion bash > FILE`.
    """
    from click import shell_completion  # noqa: PLC0415  (loads process modules)

    found = {
        "bash": shell_completion.BashComplete,
        "zsh": shell_completion.ZshComplete,
        "fish": shell_completion.FishComplete,
    }[shell]
    print_lines(found(main, {}, "assay", "_ASSAY_COMPLETE").source().split("\n"))
