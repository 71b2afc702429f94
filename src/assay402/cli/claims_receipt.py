"""`assay claims receipt`: are the hashes of this receipt those of this answer?"""

from typing import BinaryIO, Final

import click
from msgspec.structs import asdict

from assay402.checks.claims import CHECK
from assay402.checks.claims.contract import REQUEST_BYTES
from assay402.checks.claims.receipt import ReceiptCheck, check_receipt
from assay402.cli.form import read_source
from assay402.cli.output import explain_refusal, print_bytes, print_lines, published_line
from assay402.cli.usage import SourceFile
from assay402.core.check import Refusal, read_request
from assay402.core.strictjson import JSON

MAX_ANSWER: Final = 32 << 20
"""Bytes of an answer, which quotes the request and says more than it."""
_HELP: Final = """Compute the three hashes of a receipt anew.

ANSWER is the published JSON as it was received. The input hash is over the request: give it with --request, or it is
only compared with itself. Whether the service signed the answer is for `assay verify`."""
_EPILOG: Final = "Exit codes: 0 no hash differs, 1 one differs, 2 usage, or no answer of this contract."
_MISSING: Final = {
    ("input_hash", "not computed"): "  (give the request that was answered with --request FILE)"
}
"""What a hash is not computed for want of."""
_COLOURS: Final = {"matches": "green", "differs": "red", "not computed": "yellow"}


def receipt_command() -> click.Command:
    """Make the command."""
    return click.Command(
        "receipt",
        help=_HELP,
        epilog=_EPILOG,
        callback=_receipt,
        params=[
            click.Argument(["answer"], type=SourceFile(), metavar="ANSWER|-"),
            click.Option(
                ["--request"], type=SourceFile(), metavar="FILE", help="The request that was answered."
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the findings as JSON."),
        ],
    )


def _receipt(answer: BinaryIO, request: BinaryIO | None, as_json: bool) -> None:
    found = _found(answer, request)
    if isinstance(found, Refusal):
        explain_refusal(found, CHECK)
        click.get_current_context().exit(2)
    findings = asdict(found)
    if as_json:
        print_bytes(published_line(findings))
    else:
        print_lines(
            f"{name:<14}{click.style(word, fg=_COLOURS[word])}{_MISSING.get((name, word), '')}"
            for name, word in findings.items()
        )
    click.get_current_context().exit(1 if "differs" in findings.values() else 0)


def _found(answer: BinaryIO, request: BinaryIO | None) -> ReceiptCheck | Refusal:
    given = _json(answer, MAX_ANSWER)
    asked: JSON | Refusal = None if request is None else _json(request, REQUEST_BYTES)
    if isinstance(given, Refusal):
        return given
    return asked if isinstance(asked, Refusal) else check_receipt(given, asked)


def _json(stream: BinaryIO, cap: int) -> JSON | Refusal:
    source = read_source(stream, cap)
    return source if isinstance(source, Refusal) else read_request(source, cap)
