"""`assay verify`: was this answer signed by that service? Offline with a saved set of keys."""

import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click
from msgspec import Struct

from assay402.attest.codes import KeysUnusable
from assay402.cli.form import read_source
from assay402.cli.output import notices, plain, print_bytes, print_lines, published_line
from assay402.cli.usage import SourceFile, Usage
from assay402.core.check import Refusal
from assay402.core.errors import JSONUnreadable, TheirError
from assay402.core.strictjson import JSON, read
from assay402.formats.transcript import exchange

if TYPE_CHECKING:
    from assay402.attest.jws import Invalid
    from assay402.attest.offers import Signed
    from assay402.attest.publication import KeySet
    from assay402.attest.signature import Valid

MAX_ANSWER: Final = 32 << 20
"""Bytes of an answer or of what it was saved in."""
MAX_SIGNATURE: Final = 4_096
"""Bytes of a file that holds a signature."""
_NAME: Final = "Assay-Signature"
_VALUE: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+")
_OK: Final = 200
_HELP: Final = """Verify that an answer, an offer or a receipt was signed.

\b
ANSWER (`-` for stdin) is one of
  a signed document (`?envelope=1`), or the same as a compact JWS
  the exact body, with --signature
  a saved response: `curl -i`, a browser's HAR, raw HTTP
  a signed offer or receipt of x402 (JWS form)

Verifying needs the keys alone. With a file it asks no network; with the address of a service its published keys are
fetched. A key that signs no more still verifies what it signed."""
_EPILOG: Final = "Exit codes: 0 valid, 1 not valid, 2 usage, unreadable keys or nothing signed."


class _Bare(Struct, frozen=True, kw_only=True):
    """An answer with its signature beside it."""

    body: bytes
    signature: str


def verify_command() -> click.Command:
    """Make the command."""
    return click.Command(
        "verify",
        help=_HELP,
        epilog=_EPILOG,
        callback=_verify,
        params=[
            click.Argument(["answer"], type=SourceFile(), metavar="ANSWER|-"),
            click.Option(
                ["--keys"],
                required=True,
                metavar="URL|FILE",
                help="The service's keys: a saved JWKS or did:web document, or an address.",
            ),
            click.Option(
                ["--signature"],
                metavar="FILE|VALUE",
                help=f"The value of the header {_NAME}, or a file with it.",
            ),
            click.Option(["--entry"], type=click.IntRange(0), help="The entry of a HAR, counted from 0."),
            click.Option(["--body"], is_flag=True, help="Print the exact bytes of a valid answer."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the outcome as JSON."),
            click.Option(
                ["--allow-private"], is_flag=True, help="Let --keys name this machine or a private address."
            ),
            click.Option(
                ["--ca-file"],
                metavar="PEM",
                help="Trust the certificate authorities of this file besides the system's.",
            ),
        ],
    )


def _verify(  # noqa: PLR0913  (click's parameters)
    *,
    answer: BinaryIO,
    keys: str,
    signature: str | None,
    entry: int | None,
    body: bool,
    as_json: bool,
    allow_private: bool,
    ca_file: str | None,
) -> None:
    if body and as_json:
        raise Usage("Either --body or --json.")
    source = read_source(answer, MAX_ANSWER)
    if isinstance(source, Refusal):
        raise TheirError("file_too_long", length=source.length or 0, cap=MAX_ANSWER)
    given = _given(source, signature, entry)
    outcome = _judged(given, _keys(keys, allow_private=allow_private, ca_file=ca_file))
    _show(outcome, body=body, as_json=as_json)


def _given(source: bytes, signature: str | None, entry: int | None) -> _Bare | bytes | JSON:
    """Find out what was given: a body and its signature, a signed document (bytes), or an offer or receipt (JSON)."""
    if signature is not None:
        return _Bare(body=source, signature=_signature(signature))
    text = source.strip(b" \t\r\n")
    if _VALUE.fullmatch(text.decode("latin-1")):
        return text
    if text.startswith(b"{"):
        try:
            value = read(text)
        except JSONUnreadable:
            value = None
        if isinstance(value, dict) and "protected" in value:
            return text
        if isinstance(value, dict) and "format" in value:
            return value
        if isinstance(value, dict) and "log" not in value:
            raise KeysUnusable("signature_missing")
    saved = exchange(source, entry=entry, having=_NAME)
    values = [value for name, value in saved.headers if name.lower() == _NAME.lower()]
    if not values or saved.body is None:
        raise KeysUnusable("signature_missing")
    return _Bare(body=saved.body, signature=", ".join(values))


def _signature(given: str) -> str:
    """Give the value of the header, itself given or standing in a file, with or without its name."""
    if _VALUE.fullmatch(given.strip()):
        return given.strip()
    with SourceFile().convert(given, None, None) as stream:
        source = read_source(stream, MAX_SIGNATURE)
    if isinstance(source, Refusal):
        raise TheirError("file_too_long", length=source.length or 0, cap=MAX_SIGNATURE)
    text = source.decode("latin-1").strip()
    name, colon, value = text.partition(":")
    return value.strip() if colon and name.strip().lower() == _NAME.lower() else text


def _keys(given: str, *, allow_private: bool, ca_file: str | None) -> "KeySet":
    from assay402.attest.publication import MAX_KEYS, read_keys  # noqa: PLC0415  (loads cryptography)

    if given.startswith(("http://", "https://")):
        return read_keys(_fetched(given, allow_private=allow_private, ca_file=ca_file))
    with SourceFile().convert(given, None, None) as stream:
        source = read_source(stream, MAX_KEYS)
    if isinstance(source, Refusal):
        raise TheirError("file_too_long", length=source.length or 0, cap=MAX_KEYS)
    return read_keys(source)


def _fetched(url: str, *, allow_private: bool, ca_file: str | None) -> bytes:
    """Fetch published keys; an address without a path is that of a service, whose keys stand at a known place."""
    import asyncio  # noqa: PLC0415  (the network is loaded where it is wanted)

    from assay402.attest.publication import JWKS_PATH, MAX_KEYS  # noqa: PLC0415
    from assay402.core.asks import Failed, Fetch, Limits  # noqa: PLC0415
    from assay402.net.connection import trust_with  # noqa: PLC0415
    from assay402.net.http import Fetcher  # noqa: PLC0415

    scheme, _, rest = url.partition("://")
    if "/" not in rest.removesuffix("/") and not {"?", "#"} & set(rest):
        url = f"{scheme}://{rest.removesuffix('/')}{JWKS_PATH}"
    try:
        trust = None if ca_file is None else trust_with(ca_file)
    except OSError:
        raise TheirError("ca_file_unreadable") from None
    fetcher = Fetcher(allow_private=allow_private, trust=trust)
    limits = Limits(body_bytes=MAX_KEYS, wire_bytes=2 * MAX_KEYS)
    got = asyncio.run(fetcher(Fetch(url=url, limits=limits)))
    if isinstance(got, Failed):
        raise TheirError(got.state)
    if got.status != _OK:
        raise KeysUnusable("keys_malformed", status=got.status)
    return got.body


def _judged(given: _Bare | bytes | JSON, keys: "KeySet") -> "Valid | Signed | Invalid":
    from assay402.attest.offers import verify_artifact  # noqa: PLC0415  (loads cryptography)
    from assay402.attest.signature import verify_answer, verify_document  # noqa: PLC0415

    match given:
        case _Bare():
            return verify_answer(given.body, given.signature, keys)
        case bytes():
            return verify_document(given, keys)
        case _:
            return verify_artifact(given, keys)


def _show(outcome: "Valid | Signed | Invalid", *, body: bool, as_json: bool) -> None:
    from assay402.attest.jws import Invalid  # noqa: PLC0415  (loads cryptography)
    from assay402.attest.offers import Signed  # noqa: PLC0415

    is_valid = not isinstance(outcome, Invalid)
    if as_json:
        print_bytes(published_line(_published(outcome)))
    elif isinstance(outcome, Invalid):
        notice = notices()[outcome.code][0][1]
        print_lines(
            [
                click.style("NOT VALID", bold=True, fg="red") + f"  {outcome.code}",
                f"  {notice.text}",
                f"  {notice.hint}",
            ]
        )
    elif body and not isinstance(outcome, Signed):
        print_bytes(outcome.body)
    else:
        print_lines(_lines(outcome))
    click.get_current_context().exit(0 if is_valid else 1)


def _lines(outcome: "Valid | Signed") -> list[str]:
    told = _published(outcome)
    del told["valid"], told["code"]
    kind = told.pop("kind")
    lines = [click.style("VALID", bold=True, fg="green") + f"  {kind}"]
    for name, value in told.items():
        for each, inner in value.items() if isinstance(value, dict) else [(name, value)]:
            lines.append(f"  {each}: {plain(str(getattr(inner, 'spelling', inner)))}")
    return lines


def _published(outcome: "Valid | Signed | Invalid") -> dict[str, Any]:
    """Give the outcome as JSON: the same members each time but for what belongs to its kind."""
    from assay402.attest.jws import Invalid  # noqa: PLC0415  (loads cryptography)
    from assay402.attest.signature import Valid  # noqa: PLC0415
    from assay402.core.canon import sha256_hex  # noqa: PLC0415

    match outcome:
        case Invalid():
            return {"valid": False, "code": outcome.code}
        case Valid():
            return {
                "valid": True,
                "code": None,
                "kind": "answer",
                "kid": outcome.kid,
                "issued_at": outcome.issued_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "criteria": outcome.version,
                "bytes": len(outcome.body),
                "sha256": sha256_hex(outcome.body),
            }
        case _:
            return {
                "valid": True,
                "code": None,
                "kind": outcome.kind,
                "kid": outcome.kid,
                "payload": dict(outcome.payload),
            }
