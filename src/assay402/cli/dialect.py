"""The dialect check on the command line: its form and its own commands."""

from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final

import click
import msgspec

from assay402.checks.dialect import corpus as dialect_corpus
from assay402.checks.dialect.criteria import criteria
from assay402.cli.dialect_report import present, present_precheck
from assay402.cli.form import Form, read_source, request_from
from assay402.cli.output import pretty, print_bytes, print_lines, published_line
from assay402.cli.usage import SourceFile, Usage
from assay402.core.check import Operation, Refusal
from assay402.core.errors import TheirError
from assay402.core.strictjson import JSON
from assay402.formats.transcript import capture

_DETAILS: Final = """\b
Give a live address with --url, or a file (`-` for stdin) with a captured
artefact: {status?, body_obj?|body_raw?, header_obj?|payment_required_header?,
payload_obj?, payload_headers?, response_headers?}. `assay dialect capture`
makes one from a saved `curl -i` transcript, a HAR file or a raw response.

\b
Three common mistakes:
 - Pasting only the body of an endpoint whose challenge is in the header:
   the carrier reads `none`. Submit the PAYMENT-REQUIRED header too.
 - Pasting the 402's own headers as `response_headers`: those are the headers
   of the answer to a PAID request, and reading them gives receipt `none`.
 - Reading the carrier `v1-body` as "version 1": it names the place. The
   dialect is in the summary.

The probe is one GET, so an endpoint that answers only POST reads
`not-a-402`: submit a capture of its answer instead."""

_EPILOG: Final = """\b
Exit codes: 0 v1, v2 or dual-stack without mismatch; 1 any mismatch; 2 usage
or refusal; 3 our own fault; 4 undetermined or not-a-402."""


def _parameters(url_help: str) -> list[click.Parameter]:
    return [
        click.Argument(["source"], type=SourceFile(), required=False, metavar="[ARTEFACT.json|-]"),
        click.Option(["--url"], metavar="URL", multiple=True, help=url_help),
    ]


def _compose(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    """Make a request from a URL, from a file that holds one, or from a file that holds a bare artefact."""
    urls, source = values["url"], values["source"]
    if len(urls) + (source is not None) != 1:
        raise Usage("Give either one --url URL or one ARTEFACT.json (`-` for stdin).")
    if urls:
        return {"mode": "probe", "url": urls[0]}
    request = request_from(source, operation)
    if isinstance(request, Mapping) and not _REQUEST_MEMBERS & request.keys():
        return {"mode": "submitted", "artefact": request}
    return request


_REQUEST_MEMBERS: Final = {"mode", "url", "artefact", "caller"}
"""Names that stand in a request and in no artefact."""

FORMS: Final[Mapping[str, Form[Any]]] = {
    "check": Form(
        parameters=lambda: _parameters("Fetch this address once, as an unauthenticated stranger."),
        compose=_compose,
        present=present,
        details=_DETAILS,
        epilog=_EPILOG,
    ),
    "precheck": Form(
        parameters=lambda: [
            *_parameters("Judge this address by its spelling; nothing is fetched."),
            click.Option(["--allow-private"], is_flag=True, help="Judge as a check with this switch would."),
        ],
        compose=_compose,
        present=present_precheck,
        asks_network=False,
        epilog="Exit codes: 0 in policy, 2 usage or refusal, 3 our own fault.",
    ),
}


_MAX_TRANSCRIPT: Final = 16 << 20
"""Bytes of a saved transcript; a browser's HAR of one page runs to a few megabytes."""


def _capture(source: BinaryIO, entry: int | None, compact: bool) -> None:
    """Make an artefact of a saved answer, ready for `assay dialect check -`."""
    data = read_source(source, _MAX_TRANSCRIPT)
    if isinstance(data, Refusal):
        raise TheirError("file_too_long", length=data.length or 0, cap=_MAX_TRANSCRIPT)
    artefact = capture(data, entry=entry)
    print_bytes(published_line(artefact) if compact else pretty(artefact))


def _criteria() -> None:
    """Print the published criteria."""
    print_bytes(pretty(criteria()))


def _corpus(as_json: bool, print_cases: bool) -> None:
    """Verify the corpus: its pin and the engine's outputs."""
    corpus = dialect_corpus.read_corpus()
    if print_cases:
        print_bytes(pretty(corpus))
        return
    verdict = dialect_corpus.verify_corpus(corpus)
    if as_json:
        print_bytes(published_line({**msgspec.structs.asdict(verdict), "holds": verdict.holds}))
    else:
        agreeing = verdict.cases - len(verdict.differing)
        print_lines(
            [
                f"{verdict.corpus_id} sha256:{verdict.sha256}",
                f"pin: {'holds' if verdict.pin_holds else 'differs from the published one'}",
                f"cases: {agreeing} of {verdict.cases} as expected",
                *(f"  differs: {case}" for case in verdict.differing),
            ]
        )
    click.get_current_context().exit(0 if verdict.holds else 1)


COMMANDS: Final[Mapping[str, Callable[[], click.Command]]] = {
    "capture": lambda: click.Command(
        "capture",
        help="""Make an artefact of a saved answer.

        FILE is a `curl -i` or `curl -v` transcript, a HAR file or a raw HTTP response.

        \b
        curl -si -X POST https://seller.example/pay > answer.txt
        assay dialect capture answer.txt | assay dialect check -
        """,
        callback=_capture,
        params=[
            click.Argument(["source"], type=SourceFile(), metavar="FILE|-"),
            click.Option(
                ["--entry"],
                type=click.IntRange(min=0),
                help="The HAR entry to take, counted from 0; by default the last whose status is 402.",
            ),
            click.Option(["--compact"], is_flag=True, help="Print one line."),
        ],
    ),
    "corpus": lambda: click.Command(
        "corpus",
        help=_corpus.__doc__,
        callback=_corpus,
        params=[
            click.Option(["--json", "as_json"], is_flag=True, help="Print the verdict as JSON."),
            click.Option(["--print", "print_cases"], is_flag=True, help="Print the corpus instead."),
        ],
    ),
    "criteria": lambda: click.Command("criteria", help=_criteria.__doc__, callback=_criteria),
}
"""What this room offers beside its operations."""
