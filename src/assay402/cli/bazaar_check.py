"""The console script `bazaar-check`: the listing check under the name its consumers call."""

import os
import sys
from io import TextIOWrapper
from typing import Final

import click

from assay402 import __version__
from assay402.checks.listing.contract import EXIT_USAGE
from assay402.cli.listing import command
from assay402.cli.output import print_error

EXIT_INTERRUPTED: Final = 130


def run() -> None:
    """Run the command line; the outermost frame, where errors become exit codes."""
    sys.exit(_run())


def _run() -> int:
    if sys.stdout is None or sys.stderr is None:
        return EXIT_USAGE
    # What a terminal cannot show is shown as an escape: a report must not be lost over its glyphs.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    named = click.version_option(__version__, prog_name="bazaar-check")(command("bazaar-check"))
    try:
        code: int = named.main(prog_name="bazaar-check", standalone_mode=False) or 0
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        print_error("bazaar-check: interrupted")
        return EXIT_INTERRUPTED
    except OSError as error:
        # What is still buffered would fail again at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print_error(f"bazaar-check: a file could not be read or written: {os.strerror(error.errno or 0)}")
        return EXIT_USAGE
    return code
