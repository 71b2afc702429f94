"""`assay mcp`: the checks as MCP tools on standard input and output, for the person who started it."""

import sys

import click

from assay402.cli.output import print_error
from assay402.core.errors import TheirError

_EPILOG = """\b
A client starts it with the command `assay` and the argument `mcp`;
docs/guides/mcp.md has configurations to copy. It ends with its input.
"""


def command() -> click.Command:
    """Make the command."""
    return click.Command(
        "mcp",
        help="Serve the checks as MCP tools on standard input and output, free of charge.",
        epilog=_EPILOG,
        callback=_serve,
        params=[
            click.Option(
                ["--allow-private"],
                is_flag=True,
                help="Let checks contact this machine and private addresses.",
            ),
            click.Option(
                ["--ca-file"],
                metavar="PEM",
                help="Trust the certificate authorities of this file besides the system's.",
            ),
        ],
    )


def _serve(allow_private: bool, ca_file: str | None) -> None:
    # The SDK and the network load here and for no other command.
    import asyncio  # noqa: PLC0415

    from assay402.net.connection import trust_with  # noqa: PLC0415

    try:
        from assay402.mcp_server.local import run_stdio  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise TheirError("mcp-missing") from None
    try:
        trust = None if ca_file is None else trust_with(ca_file)
    except OSError:
        raise TheirError("ca_file_unreadable") from None
    if sys.stdin.isatty():
        print_error("assay: waiting for an MCP client on standard input; end with Ctrl-D")
    asyncio.run(run_stdio(allow_private=allow_private, trust=trust))
