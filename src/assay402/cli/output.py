"""What a person or a program sees: published bytes, styled lines, refusals."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import click
import msgspec

from assay402.attest.codes import NOTICES as ATTEST_NOTICES
from assay402.checks import CHECKS
from assay402.core.check import Check, Refusal
from assay402.core.errors import NOTICES, Notice
from assay402.core.fetch_states import NOTICES as FETCH_NOTICES
from assay402.core.strictjson import write
from assay402.formats.transcript import NOTICES as TRANSCRIPT_NOTICES
from assay402.mcp_server.codes import NOTICES as MCP_NOTICES
from assay402.service.notices import NOTICES as SERVICE_NOTICES
from assay402.store.notices import NOTICES as STORE_NOTICES
from assay402.web.codes import NOTICES as WEB_NOTICES

EXIT_PIPE_CLOSED: Final = 141
_CONTROL: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def published_line(published: Mapping[str, Any]) -> bytes:
    """Give the exact published bytes of an answer, with a newline behind."""
    return write(published) + b"\n"


def pretty(value: Mapping[str, Any]) -> bytes:
    """Lay JSON out for reading, spellings and order kept, with a newline behind.

    Control characters beyond ASCII's, and marks that end lines or turn the direction, are escaped: terminals obey some.
    """
    compact = write(value)
    try:
        text = msgspec.json.format(compact, indent=2).decode()
    except msgspec.DecodeError:
        # It takes no half of a surrogate pair, which JSON can spell.
        text = compact.decode()
    return (_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()


def print_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are, whatever the locale."""
    with _ending_with_its_reader():
        # Unbuffered, a stream may take less than it is given.
        left = memoryview(data)
        while left:
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, with styles only on a terminal that wants them."""
    with _ending_with_its_reader():
        for line in lines:
            click.echo(line.rstrip(), color=None if wants_colour() else False)


@contextmanager
def _ending_with_its_reader() -> Iterator[None]:
    """End the run quietly where the reader of our output is gone, with the code that a pipe gives.

    Caught before click sees it, whose own answer differs with the buffering. What is still buffered goes nowhere: the
    end of the process would fail on it again.
    """
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(EXIT_PIPE_CLOSED) from None


_UNPRINTABLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def plain(text: str) -> str:
    """Take out of a foreign text what a terminal would obey: controls, escapes, marks that turn the direction."""
    return _UNPRINTABLE.sub("", text)


def print_error(text: str) -> None:
    """Write a line to standard error."""
    click.echo(text, err=True, color=False)


def wants_colour() -> bool:
    """Tell whether styles may be shown at all; click drops them besides where the output is no terminal."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def explain_refusal(refusal: Refusal, check: Check | None = None) -> None:
    """Say on standard error why a request was refused and what to do, in the words of the check that refused it."""
    numbers = "".join(
        f" {name}={number}"
        for name, number in (("length", refusal.length), ("cap", refusal.cap))
        if number is not None
    )
    explain_code("refused", refusal.code, numbers, check)


def explain_code(kind: str, code: str, numbers: str = "", check: Check | None = None) -> None:
    """Say on standard error what a code means and what to do about it."""
    notice = notice_of(code, check)
    print_error(f"assay: {kind}: {code}{numbers}")
    if notice is not None:
        print_error(f"  {notice.text}\n  {notice.hint}")


def notice_of(code: str, check: Check | None = None) -> Notice | None:
    """Give the notice of a code: a check's own first, as several may have a code, each with a hint of its own.

    A code of a protocol is explained by its reason: `x402/terms-url-missing` by `terms-url-missing`.
    """
    for name in (code, code.rpartition("/")[2]):
        if check is not None and name in check.notices:
            return check.notices[name]
        known = notices().get(name)
        if known:
            return known[0][1]
    return None


def notices() -> dict[str, list[tuple[str, Notice]]]:
    """Give every code with its notices that differ, each with the name of the check that says it, or none."""
    tables: tuple[tuple[str, Mapping[str, Notice]], ...] = (
        *(
            ("", table)
            for table in (
                NOTICES, TRANSCRIPT_NOTICES, FETCH_NOTICES, ATTEST_NOTICES, SERVICE_NOTICES, STORE_NOTICES, WEB_NOTICES,
                MCP_NOTICES,
            )
        ),
        *((check.name, check.notices) for check in CHECKS),
    )  # fmt: skip
    found: dict[str, list[tuple[str, Notice]]] = {}
    for name, table in tables:
        for code, notice in table.items():
            known = found.setdefault(code, [])
            if all(notice != each for _, each in known):
                known.append((name, notice))
    return found
