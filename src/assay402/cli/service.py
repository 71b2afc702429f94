"""The commands `serve` and `settings`. What they need is imported inside them: help and checks load none of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay402.cli.data_dir import data_directory
from assay402.cli.output import explain_code, pretty, print_bytes, print_error, print_lines
from assay402.cli.usage import Usage

if TYPE_CHECKING:
    from assay402.service.settings_source import Sourced

_EXIT_THEIRS = 2
_EXTRA_PACKAGES = ("starlette", "uvicorn", "structlog", "prometheus_client")

_FILE = click.option(
    "--settings", "file", metavar="FILE", help="A TOML file of settings; ASSAY_SETTINGS names it as well."
)


@click.command("settings", epilog="Exit codes: 0 done, 2 settings that nothing can start with.")
@_FILE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def settings(context: click.Context, file: str | None, *, as_json: bool) -> None:
    """Print every setting of the service: meaning, default, value and where it comes from.

    Values that are secret are not shown. Settings that do not go together are named, as `assay serve` would.
    """
    from assay402.service.settings_source import described  # noqa: PLC0415  (needed here only)

    sourced = _load(context, file, {})
    listed = described(sourced)
    if as_json:
        print_bytes(pretty({"settings": listed}))
        return
    for each in listed:
        value = each["value"] if each["value"] is not None else "(not set)"
        print_lines(
            [
                f"{click.style(each['variable'], bold=True)} = {value}   [{each['source']}]",
                f"    {each['meaning']}",
                f"    Written as {each['written']}; by default {each['default'] or 'not set'}.",
            ]
        )


@click.command(
    "serve",
    epilog="Without any setting it runs at once: SQLite, payments off, this machine only. `assay settings` lists what"
    " can be set, docs/guides/service.md goes further.",
)
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on; 0 takes a free one.")
@click.option("--workers", type=int, help="Processes that serve.")
@_FILE
@click.pass_context
def serve(context: click.Context, /, file: str | None, **given: Any) -> None:  # noqa: ANN401  (click's values)
    """Serve the checks over HTTP, for free or paid over x402."""
    sourced = _load(context, file, {name: value for name, value in given.items() if value is not None})
    _require_extra()
    from assay402.web.running import Unstartable, run  # noqa: PLC0415  (of the extra `service`)

    try:
        run(sourced, Path(sourced.settings.data_dir or data_directory()), _announce)
    except Unstartable as error:
        explain_code("error", error.code, "".join(f" {name}={each}" for name, each in error.numbers.items()))
        context.exit(_EXIT_THEIRS)


def _announce(address: str, lines: tuple[str, ...]) -> None:
    text = "\n".join([f"assay: serving on {address}", *lines]) + "\n"
    print_bytes(text.encode())


def _load(context: click.Context, file: str | None, command_line: Mapping[str, Any]) -> "Sourced":
    from assay402.service.settings_source import SettingsRefused, load  # noqa: PLC0415  (needed here only)

    try:
        return load(file=file, command_line=command_line)
    except SettingsRefused as error:
        print_error("assay: error: the settings cannot be started with")
        for problem in error.problems:
            print_error(f"  {problem}")
        context.exit(_EXIT_THEIRS)


def _require_extra() -> None:
    from importlib.util import find_spec  # noqa: PLC0415  (needed here only)

    if any(find_spec(name) is None for name in _EXTRA_PACKAGES):
        raise Usage("The service needs packages that are not installed: pip install 'assay402[service]'")
