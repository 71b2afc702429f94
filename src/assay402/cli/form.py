"""How an operation looks on the command line: what a room's module here says beyond the registry."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Final, Generic, TypeVar

import click
from msgspec import Struct

from assay402.core.asks import Answerer
from assay402.core.check import Operation, Refusal
from assay402.core.strictjson import JSON

Result = TypeVar("Result")

COUNTED: Final = 64 << 20
"""Bytes of a request over the cap that are counted: an input may have no end."""


class Form(Struct, Generic[Result], frozen=True, kw_only=True):
    """The parameters of a command, the request they make, and the text a person reads."""

    parameters: Callable[[], list[click.Parameter]]
    """Made afresh for each command, because click's parameters are not values."""
    compose: Callable[[Operation[Any, Any], Mapping[str, Any]], JSON | Refusal]
    """Make the request from the parameters. Raises `click.UsageError` for a combination that makes none."""
    present: Callable[[Result], Iterable[str]]
    """The lines a person reads; styles are dropped where the terminal shows none."""
    remarks: Callable[[Result, Mapping[str, Any]], Iterable[str]] = lambda _result, _values: ()
    """What a person should know beside the output; on standard error, so that the output can be piped on."""
    finish: Callable[[Result, Mapping[str, Any]], None] = lambda _result, _values: None
    """What else the parameters ask for, such as a file. Raises `click.UsageError` where that is impossible."""
    judge: Callable[[Mapping[str, Any]], Answerer | None] = lambda _values: None
    """The judge the parameters name, for operations that may ask one."""
    asks_network: bool = True
    """The run may contact the network, so `--allow-private` and `--ca-file` are offered."""
    takes_lines: bool = True
    """Some requests can be answered without a network, so `--jsonl` is offered."""
    has_soft_exits: bool = True
    """`--exit-zero` is offered. Not where the exit code is the answer that somebody pays by."""
    line_switches: tuple[str, ...] = ()
    """Switches that go with `--jsonl`: each sets the request member of its name in every line that lacks it."""
    details: str = ""
    """Paragraphs of the help below the operation's own sentence."""
    epilog: str = ""


def read_source(stream: BinaryIO, cap: int) -> bytes | Refusal:
    """Read a file or standard input up to the cap; beyond it only the length is kept, counted to `COUNTED` at most."""
    source = stream.read(cap + 1)
    length = len(source)
    if length <= cap:
        return source
    while length < COUNTED and (chunk := stream.read(1 << 20)):
        length += len(chunk)
    return Refusal(code="over_cap", length=length, cap=cap)


def request_from(stream: BinaryIO, operation: Operation[Any, Any]) -> JSON | Refusal:
    """Read a whole request from a file or standard input."""
    source = read_source(stream, operation.request_bytes)
    return source if isinstance(source, Refusal) else operation.read(source, operation.request_bytes)
