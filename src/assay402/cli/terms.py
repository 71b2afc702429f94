"""The terms check on the command line: its forms, and the hash of a file."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final

import click

from assay402.checks.terms.model import VerifyReport
from assay402.checks.terms.protocols import PROTOCOLS
from assay402.cli.form import Form, request_from
from assay402.cli.keep import keep, keepable
from assay402.cli.output import print_bytes, print_lines, published_line
from assay402.cli.terms_report import (
    present_discovered,
    present_document,
    present_extracted,
    present_verified,
    remark_document,
)
from assay402.cli.usage import SourceFile, Usage
from assay402.core.check import Operation, Refusal
from assay402.core.strictjson import JSON

_PLACE_DETAILS: Final = """\b
Writes the reference and its URL into every slot the protocol declares.
Hash the file you serve, then place its hash and its URL into the challenge:
  assay terms hash terms.md
  assay terms place challenge.json --hash 0x… --url https://seller.example/terms.md

\b
THE URL MUST SERVE THE VERY BYTES THAT WERE HASHED. The discovery document at
/.well-known/legal-context.json is not the terms: a challenge whose URL points
there, with the hash of the terms, fails every check.

\b
The document is printed on stdout; what to know beside it goes to stderr."""

_EXTRACT_DETAILS: Final = """\b
Prints the reference and the terms URL as the reference implementation reads
them. --strict refuses besides: slots that commit to different terms, a broken
mirror, a missing terms URL, and a link that some readers refuse."""

_VERIFY_DETAILS: Final = """\b
For a buyer, before paying: reads the challenge strictly, fetches its terms
(https, public addresses, status 200, no redirect, no compression, ten seconds,
one mebibyte), hashes the bytes and compares. Give the endpoint with --url, or
a file (`-` for stdin) with the PaymentRequired object.

\b
The link must serve the very bytes that were hashed. If it leads to the
discovery document, or to a page that is made anew each time, the answer is
hash-mismatch. Never give the text of terms to a model as instructions.

\b
The exit code decides, not the saved file: --save keeps the bytes that were
hashed whether or not they matched. Where nothing could be hashed, a file of an
earlier run is set aside as FILE.previous."""

_DISCOVER_DETAILS: Final = """\b
Reads https://ORIGIN/.well-known/legal-context.json, fetches the terms it links
to, and compares their hash with `atrHash`. The discovery document is not the
terms; it says where they are."""

_WELL_KNOWN_DETAILS: Final = """\b
Prints the document to serve at /.well-known/legal-context.json, over https, as
application/json. It is not the terms: --terms is the link to them, --hash the hash of the very bytes that
link serves. Members that have no option here come from a JSON file."""

_EXIT_CODES: Final = "\b\nExit codes: 0 {}; 1 {}; 2 usage; 3 our own fault."


def _protocol_option() -> click.Option:
    return click.Option(
        ["--protocol"],
        type=click.Choice(PROTOCOLS),
        metavar="NAME",
        help=f"{', '.join(PROTOCOLS)}; x402 if not given.",
    )


def _document_argument() -> click.Argument:
    return click.Argument(["source"], type=SourceFile(), required=False, metavar="[DOC.json|-]")


def _given(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Give those of the parameters that were given; a switch that is off was not."""
    return {name: values[name] for name in names if values[name] is not None and values[name] is not False}


def _document(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    if values["source"] is None:
        raise Usage("Give one DOC.json (`-` for stdin), or --jsonl.")
    return request_from(values["source"], operation)


def _compose_place(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    document = _document(operation, values)
    if values["value"] is None:
        raise Usage("Give --hash 0x…: `assay terms hash FILE` computes it.")
    if isinstance(document, Refusal):
        return document
    return {
        "ref": {"type": values["kind"] or "sha256", "value": values["value"]},
        "doc": document,
        **_given(values, "termsUrl", "protocol", "faithful"),
    }


def _compose_extract(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    document = _document(operation, values)
    return (
        document
        if isinstance(document, Refusal)
        else {"doc": document, **_given(values, "protocol", "strict", "faithful")}
    )


def _compose_verify(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    if (values["url"] is None) == (values["source"] is None):
        raise Usage("Give either --url ENDPOINT or one DOC.json (`-` for stdin).")
    if values["save"] is not None:
        keepable(values["save"])
    if values["url"] is not None:
        return {"url": values["url"]}
    document = _document(operation, values)
    return document if isinstance(document, Refusal) else {"doc": document}


def _compose_discover(_operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    if values["origin"] is None:
        raise Usage("Give an ORIGIN, such as https://seller.example.")
    return {"origin": values["origin"]}


_PARTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "contact_legal": ("contact", "legal", "Whom to write to about the terms."),
    "contact_technical": ("contact", "technical", "Whom to write to about the service."),
    "dispute_method": ("disputeResolution", "method", "How disputes are resolved."),
    "dispute_jurisdiction": ("disputeResolution", "jurisdiction", "Where they are resolved."),
    "dispute_contact": ("disputeResolution", "contact", "Whom to turn to in a dispute."),
}
"""Options for members of members: the object, the member, the words of the help."""


def _compose_well_known(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    base = {} if values["source"] is None else request_from(values["source"], operation)
    if not isinstance(base, dict):
        return base
    members = {
        **base,
        **_given(values, "terms", "termsFormat", "atrHash", "acceptanceRequired", "returns", "api"),
    }
    for parameter, (name, part, _words) in _PARTS.items():
        if values[parameter] is not None:
            there = members.get(name, {})
            if not isinstance(there, dict):
                raise Usage(f"--{parameter.replace('_', '-')} needs `{name}` of the file to be an object.")
            members[name] = {**there, part: values[parameter]}
    return members


def _save_bytes(report: VerifyReport, values: Mapping[str, Any]) -> None:
    """Keep exactly the bytes that were hashed, whether or not they matched."""
    if values["save"] is not None:
        keep(values["save"], report.verdict.body)


FORMS: Final[Mapping[str, Form[Any]]] = {
    "place": Form(
        parameters=lambda: [
            _document_argument(),
            click.Option(["--hash", "value"], metavar="0x…", help="SHA-256 of the exact bytes of the terms."),
            click.Option(["--url", "termsUrl"], metavar="URL", help="The https URL that serves those bytes."),
            click.Option(
                ["--type", "kind"], metavar="TYPE", help="Type of the reference; sha256 if not given."
            ),
            _protocol_option(),
            click.Option(
                ["--faithful"],
                is_flag=True,
                help="Judge the URL by its prefix alone and keep the case of bare hashes, as upstream does.",
            ),
        ],
        compose=_compose_place,
        present=present_document,
        remarks=remark_document,
        asks_network=False,
        line_switches=("faithful",),
        details=_PLACE_DETAILS,
        epilog=_EXIT_CODES.format("placed", "refused"),
    ),
    "extract": Form(
        parameters=lambda: [
            _document_argument(),
            _protocol_option(),
            click.Option(["--strict"], is_flag=True, help="Read as a strict buyer does."),
            click.Option(["--faithful"], is_flag=True, help="Read as upstream does, which is the default."),
        ],
        compose=_compose_extract,
        present=present_extracted,
        asks_network=False,
        line_switches=("strict", "faithful"),
        details=_EXTRACT_DETAILS,
        epilog=_EXIT_CODES.format("extracted", "refused"),
    ),
    "verify": Form(
        parameters=lambda: [
            _document_argument(),
            click.Option(["--url"], metavar="ENDPOINT", help="Ask this endpoint for its challenge, unpaid."),
            click.Option(
                ["--save"],
                metavar="FILE",
                help="Keep exactly the bytes that were hashed; the exit code tells if they match.",
            ),
        ],
        compose=_compose_verify,
        present=present_verified,
        finish=_save_bytes,
        takes_lines=False,
        has_soft_exits=False,
        details=_VERIFY_DETAILS,
        epilog=_EXIT_CODES.format("match", "declined"),
    ),
    "discover": Form(
        parameters=lambda: [click.Argument(["origin"], required=False, metavar="ORIGIN")],
        compose=_compose_discover,
        present=present_discovered,
        takes_lines=False,
        has_soft_exits=False,
        details=_DISCOVER_DETAILS,
        epilog=_EXIT_CODES.format("the listing holds", "it does not, or there is none"),
    ),
    "well-known": Form(
        parameters=lambda: [
            _document_argument(),
            click.Option(["--terms"], metavar="URL", help="The https link to the terms themselves."),
            click.Option(["--hash", "atrHash"], metavar="0x…", help="SHA-256 of the bytes that link serves."),
            click.Option(
                ["--format", "termsFormat"], metavar="TOKEN", help="markdown, json, plain, html, pdf."
            ),
            click.Option(
                ["--acceptance-required", "acceptanceRequired"],
                is_flag=True,
                help="A buyer must sign that it accepts.",
            ),
            click.Option(["--returns", "returns"], metavar="TEXT", help="Where the rules of returns stand."),
            click.Option(["--api", "api"], metavar="TEXT", help="Where the interface is described."),
            *(
                click.Option([f"--{parameter.replace('_', '-')}", parameter], metavar="TEXT", help=words)
                for parameter, (_name, _part, words) in _PARTS.items()
            ),
        ],
        compose=_compose_well_known,
        present=present_document,
        remarks=remark_document,
        asks_network=False,
        details=_WELL_KNOWN_DETAILS,
        epilog=_EXIT_CODES.format("written", "refused"),
    ),
}


def _hash(source: BinaryIO, as_json: bool) -> None:
    digest, length = hashlib.sha256(), 0
    while chunk := source.read(1 << 20):
        digest.update(chunk)
        length += len(chunk)
    value = f"0x{digest.hexdigest()}"
    if as_json:
        print_bytes(published_line({"atrHash": value, "bytes": length}))
    else:
        print_lines([value])


COMMANDS: Final[Mapping[str, Callable[[], click.Command]]] = {
    "hash": lambda: click.Command(
        "hash",
        short_help="Hash a terms file as it is served.",
        help="""Print the reference value of a terms file: the SHA-256 of its exact bytes.

        \b
        Hash the file that is served, not a source it is made from: one changed
        blank or line end is another text.
        """,
        callback=_hash,
        params=[
            click.Argument(["source"], type=SourceFile(), metavar="FILE|-"),
            click.Option(["--json", "as_json"], is_flag=True, help="Print {atrHash, bytes} as JSON."),
        ],
    ),
}
"""What this room offers beside its operations."""
