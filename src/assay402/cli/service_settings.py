"""The settings of the service on the command line: one place that reads them for `serve`, `db`, `ledger` and `keys`."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from assay402.cli.data_dir import data_directory
from assay402.cli.output import plain, print_error
from assay402.cli.usage import Usage

if TYPE_CHECKING:
    from assay402.service.settings import Settings
    from assay402.service.settings_source import Sourced

_EXIT_THEIRS: Final = 2
_GIVEN: Final[tuple[str, ...]] = ("database", "data_dir", "public_url", "port")
"""The settings that an operator's command takes as options as well."""


def settings_option() -> click.Option:
    """Make the option that names the file of settings."""
    return click.Option(
        ["--settings", "file"],
        metavar="FILE",
        help="A TOML file of settings; ASSAY_SETTINGS names it as well.",
    )


def database_option() -> click.Option:
    """Make the option that says which database."""
    return click.Option(
        ["--database"],
        metavar="ADDRESS",
        help="`sqlite` (a file in the data directory), `sqlite:PATH` or `postgresql://…`; else as the settings have it"
        " (ASSAY_DATABASE).",
    )


def data_dir_option() -> click.Option:
    """Make the option that says where the database and the keys stand."""
    return click.Option(
        ["--data-dir"],
        metavar="DIR",
        help="The data directory of the service; else that of the settings (ASSAY_DATA_DIR), or the user's own.",
    )


def name_options() -> list[click.Parameter]:
    """Make the options that name the service, and so its keys."""
    return [
        click.Option(
            ["--public-url"],
            metavar="URL",
            help="The public address of the service: its host names the keys. Else that of the settings"
            " (ASSAY_PUBLIC_URL).",
        ),
        click.Option(
            ["--port"],
            type=click.IntRange(1, 65_535),
            help="The port of a service without a public address; else that of the settings (ASSAY_PORT).",
        ),
    ]


def load_settings(file: str | None, given: Mapping[str, Any], *, judges: bool = True) -> "Sourced":
    """Read the settings; what is wrong is told all at once, and the command ends.

    Without `judges` it is not asked whether the service could start with them: books and keys must be within reach
    while it cannot.
    """
    from assay402.service.settings_source import SettingsRefused, load  # noqa: PLC0415  (needed here only)

    try:
        return load(file=file, command_line=given, judges=judges)
    except SettingsRefused as error:
        print_error("assay: error: the settings cannot be started with")
        for problem in error.problems:
            print_error(f"  {problem}")
        raise click.exceptions.Exit(_EXIT_THEIRS) from None


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the settings of the service, as `settings`, in place of the options that are settings."""

    @wraps(command)
    def run(*, file: str | None, **given: Any) -> None:  # noqa: ANN401  (click's values)
        said = {name: given.pop(name) for name in _GIVEN if name in given}
        on_command_line = {name: value for name, value in said.items() if value is not None}
        command(**given, settings=load_settings(file, on_command_line, judges=False).settings)

    return run


def data_folder(settings: "Settings", *, makes: bool = False) -> Path:
    """Give the data directory of a service; `makes` it for what is about to be written there.

    Raises:
        Usage: where it cannot be made or written.

    """
    folder = Path(settings.data_dir or data_directory())
    if makes:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
            raise Usage(
                f"The data directory cannot be written: {plain(str(folder))}. Name another with ASSAY_DATA_DIR."
            )
    return folder
