"""The commands `serve` and `settings`. What they need is imported inside them: help and checks load none of it."""

from typing import Any

import click

from assay402.cli.output import explain_code, pretty, print_bytes, print_lines
from assay402.cli.service_settings import data_folder, load_settings
from assay402.cli.usage import Usage

_EXIT_THEIRS = 2
_EXTRA_PACKAGES = ("starlette", "uvicorn", "structlog", "prometheus_client")

_FILE = click.option(
    "--settings", "file", metavar="FILE", help="A TOML file of settings; ASSAY_SETTINGS names it as well."
)


@click.command("settings", epilog="Exit codes: 0 done, 2 settings that nothing can start with.")
@_FILE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def settings(file: str | None, *, as_json: bool) -> None:
    """Print every setting of the service: meaning, default, value and where it comes from.

    Values that are secret are not shown. Settings that do not go together are named, as `assay serve` would.
    """
    from assay402.service.settings_source import described  # noqa: PLC0415  (needed here only)

    sourced = load_settings(file, {})
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
    sourced = load_settings(file, {name: value for name, value in given.items() if value is not None})
    _require_extra()
    from assay402.web.running import Unstartable, run  # noqa: PLC0415  (of the extra `service`)

    try:
        run(sourced, data_folder(sourced.settings, makes=True), _announce)
    except Unstartable as error:
        explain_code("error", error.code, "".join(f" {name}={each}" for name, each in error.numbers.items()))
        context.exit(_EXIT_THEIRS)


def _announce(address: str, lines: tuple[str, ...]) -> None:
    text = "\n".join([f"assay: serving on {address}", *lines]) + "\n"
    print_bytes(text.encode())


def _require_extra() -> None:
    from importlib.util import find_spec  # noqa: PLC0415  (needed here only)

    if any(find_spec(name) is None for name in _EXTRA_PACKAGES):
        raise Usage("The service needs packages that are not installed: pip install 'assay402[service]'")
