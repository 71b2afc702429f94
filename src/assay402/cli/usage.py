"""Errors of use, in fixed sentences: a mistyped command line may hold the artefact itself, or a terminal's commands."""

import sys
from typing import Any, BinaryIO

import click

from assay402.cli.output import plain


class Usage(click.UsageError):
    """An error of use whose sentence is ours."""


class OneLine(click.ClickException):
    """An error of use of a command whose contract wants one line and exit code 1 for it."""

    exit_code = 1

    def show(self, file: Any = None) -> None:  # noqa: ANN401, ARG002  (click's signature)
        """Print the one line, without what a terminal would obey."""
        click.echo(" ".join(plain(self.message).split()), err=True, color=False)


class SourceFile(click.ParamType[BinaryIO]):
    """A file to read, or `-` for standard input."""

    name = "file"

    def convert(
        self,
        value: Any,  # noqa: ANN401  (click's signature)
        param: click.Parameter | None,  # noqa: ARG002  (click's signature)
        ctx: click.Context | None,
    ) -> BinaryIO:
        """Open the file. Raises `Usage` with a sentence that does not repeat its name."""
        if value == "-":
            if sys.stdin is None:
                raise Usage("Standard input is closed.", ctx)
            return sys.stdin.buffer
        try:
            opened = open(value, "rb")  # noqa: SIM115, PTH123  (read and closed by the command)
        except (OSError, ValueError):
            hint = " For a live address use --url." if "://" in value else ""
            raise Usage(f"The file cannot be opened.{hint}", ctx) from None
        if ctx is not None:
            ctx.call_on_close(opened.close)
        return opened

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002  (click's signature)
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[Any]:
        """Let the shell complete file names."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415  (loads process modules)

        return [CompletionItem(incomplete, type="file")]


def usage_lines(error: click.ClickException) -> list[str]:
    """Say what is wrong with a command line and where help is."""
    lines = [f"assay: usage: {sentence(error)}"]
    context = getattr(error, "ctx", None)
    if context is not None:
        lines.append(f"  `{context.command_path} --help` shows how it is used.")
    return lines


def sentence(error: click.ClickException) -> str:
    """Say what is wrong in a sentence of ours."""
    match error:
        case Usage():
            return error.format_message()
        case click.MissingParameter():
            return f"{_parameter(error)} is missing."
        case click.BadOptionUsage():
            return f"{error.option_name} needs a value."
        case click.NoSuchOption():
            near = f" Near: {', '.join(error.possibilities)}." if error.possibilities else ""
            return f"There is no such option.{near}"
        case click.BadParameter(param=click.Parameter(type=click.Choice() as choice)):
            return f"The value of {_parameter(error)} is none of {', '.join(map(str, choice.choices))}."
        case click.BadParameter(__context__=FileNotFoundError()):
            return f"The file of {_parameter(error)} is missing."
        case click.BadParameter(__context__=OSError()):
            return f"The file of {_parameter(error)} cannot be read."
        case click.BadParameter():
            return f"The value of {_parameter(error)} is not acceptable."
        case click.UsageError(ctx=click.Context(command=click.Group() as group) as context):
            return f"There is no such command. Commands: {', '.join(group.list_commands(context))}."
        case _:
            return "An argument is missing, unknown or misplaced."


def _parameter(error: click.BadParameter) -> str:
    """Name the parameter by its option or by its place, never by its value."""
    parameter = error.param
    if parameter is None or error.ctx is None:
        return "an argument"
    option = parameter.opts[0]
    return option if option.startswith("-") else parameter.make_metavar(error.ctx)
