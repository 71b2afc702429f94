"""The console script `bazaar-check`: the listing check under the name its consumers call."""

import os
import sys
from typing import Final

import click

from assay402 import __version__
from assay402.checks.listing.contract import EXIT_USAGE
from assay402.cli.listing import command
from assay402.cli.output import print_error

EXIT_INTERRUPTED: Final = 130
EXIT_PIPE_CLOSED: Final = 141


def run() -> None:
    """Run the command line; the outermost frame, where errors become exit codes."""
    sys.exit(_run())


def _run() -> int:
    named = click.version_option(__version__, prog_name="bazaar-check")(command("bazaar-check"))
    try:
        return named.main(prog_name="bazaar-check", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        print_error("bazaar-check: interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone; flushing what is buffered at exit would only fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
