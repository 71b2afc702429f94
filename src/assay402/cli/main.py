"""The command `assay`: one group per check, one command per operation, and what serves them all."""

import os
import sys
from typing import BinaryIO

import click

from assay402 import __version__
from assay402.checks import CHECKS
from assay402.cli.commands import CheckGroup, replay_file
from assay402.cli.output import explain_code, notice_of, print_error, print_lines
from assay402.core.errors import AssayError, OurError
from assay402.formats.rule_page import rule_page

EXIT_THEIRS = 2
EXIT_OURS = 3
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141

EPILOG = """\b
Exit codes: 0 done, 1 a negative finding, 2 usage or refused input, 3 our own fault, 4 nothing to judge.
`assay explain ID` explains a rule or a code. Set NO_COLOR to print without styles.
"""


def run() -> None:
    """Run the command line; the outermost frame, where errors become exit codes."""
    sys.exit(_run())


def _run() -> int:
    try:
        return main.main(prog_name="assay", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        print_error("assay: interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone; flushing what is buffered at exit would only fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
    except AssayError as error:
        explain_code("error", error.code, str(error).removeprefix(error.code))
        return EXIT_OURS if isinstance(error, OurError) else EXIT_THEIRS
    except Exception:
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        # The exception may hold what was submitted, so none of it is printed.
        explain_code("error", "internal")
        return EXIT_OURS


@click.group(
    epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="assay")
def main() -> None:
    """Test x402 payments before money moves: deterministic checks that say what they could not determine."""


for _check in CHECKS:
    main.add_command(CheckGroup(_check))


@main.command("explain")
@click.argument("code", metavar="ID")
def explain(code: str) -> None:
    """Explain a rule, a refusal or an error.

    ID is a rule such as `dialect/summary` or a code such as `url_malformed`.
    """
    pages = {rule.id: rule_page(check, rule) for check in CHECKS for rule in check.rules}
    notice = notice_of(code)
    if code in pages:
        print_lines(pages[code].rstrip("\n").split("\n"))
    elif notice is not None:
        print_lines([code, "", notice.text, notice.hint])
    else:
        raise click.UsageError("No rule and no code has this ID.\nRules: " + ", ".join(pages))


@main.command("replay")
@click.argument("recording", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="Print the published JSON.")
@click.pass_context
def replay(context: click.Context, recording: BinaryIO, as_json: bool) -> None:
    """Run a recording again, without a network.

    The answer has the same bytes as that of the recorded run.
    """
    context.exit(replay_file(recording.read(), as_json=as_json))


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
