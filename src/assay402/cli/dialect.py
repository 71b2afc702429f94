"""The dialect check on the command line: its form, its words for people, and its own commands."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Final

import click
import msgspec

from assay402.checks.dialect import corpus as dialect_corpus
from assay402.checks.dialect.collect import ANSWERED
from assay402.checks.dialect.contract import report_line
from assay402.checks.dialect.criteria import criteria
from assay402.checks.dialect.model import UNDETERMINED, DialectFacts, DialectReport, Mismatch, PrecheckReport
from assay402.cli.form import Form, read_source, request_from
from assay402.cli.output import notice_of, pretty, print_bytes, print_lines, published_line
from assay402.core.check import Operation, Refusal
from assay402.core.errors import TheirError
from assay402.core.fetch_states import CAUSES, PHASES
from assay402.core.strictjson import JSON
from assay402.formats.transcript import capture
from assay402.wire.requirements import AMOUNT

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


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["source"], type=click.File("rb"), required=False, metavar="[ARTEFACT.json|-]"),
        click.Option(
            ["--url"], metavar="URL", help="Fetch this address once, as an unauthenticated stranger."
        ),
    ]


def _compose(operation: Operation[Any, Any], values: Mapping[str, Any]) -> JSON | Refusal:
    """Make a request from a URL, from a file that holds one, or from a file that holds a bare artefact."""
    url, source = values["url"], values["source"]
    if (url is None) == (source is None):
        raise click.UsageError("Give either --url URL or one ARTEFACT.json (`-` for stdin).")
    if url is not None:
        return {"mode": "probe", "url": url}
    request = request_from(source, operation)
    if isinstance(request, Mapping) and "mode" not in request:
        return {"mode": "submitted", "artefact": request}
    return request


_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "challenge_carrier": {
        "v1-body": "the body alone carries a challenge, where version 1 puts it",
        "v2-header": "the PAYMENT-REQUIRED header alone carries a challenge, where version 2 puts it",
        "both": "body and PAYMENT-REQUIRED header each carry a challenge",
        "none": "neither body nor PAYMENT-REQUIRED header carries a challenge",
        UNDETERMINED: "there was no body or header of a 402 to look at",
    },
    "amount_field_name": {
        "maxAmountRequired": "version 1's name",
        "amount": "version 2's name",
        "both": "both versions' names, in one leg or over two",
        UNDETERMINED: "no amount in the first entry of a challenge",
    },
    "network_id_form": {
        "CAIP-2": "version 2's form, namespace:reference",
        "slug": "version 1's form, a bare name",
        "both": "both versions' forms over two legs",
        UNDETERMINED: "no network of either form in the first entry of a challenge",
    },
    "client_header_names": {UNDETERMINED: "no error text or payment header names one"},
    "payload_shape": {
        "top-level": "scheme or network at the top, as version 1 has it",
        "inside-accepted": "scheme or network inside accepted, as version 2 has it",
        "both": "scheme or network in both places",
        UNDETERMINED: "no payment payload that shows one was submitted",
    },
    "receipt_headers": {
        "X-PAYMENT-RESPONSE": "version 1's receipt",
        "PAYMENT-RESPONSE": "version 2's receipt",
        "both": "both versions' receipts",
        "none": "the submitted paid-response headers hold no receipt",
        UNDETERMINED: "no paid-response headers were submitted",
    },
}
"""What each finding means, in words made of forms."""

_SURFACES: Final = (
    ("Challenge: the unpaid 402", ("challenge_carrier", "amount_field_name", "network_id_form")),
    ("Payment: what the client sends", ("client_header_names", "payload_shape")),
    ("Receipt: the paid response", ("receipt_headers",)),
)


def _present(report: DialectReport) -> Iterable[str]:
    facts = report.facts
    yield click.style(facts.url or "Submitted artefact", bold=True)
    yield from _probe_lines(facts)
    for surface, axes in _SURFACES:
        yield ""
        yield click.style(surface, underline=True)
        for axis in axes:
            finding = getattr(report.axes, axis)
            shown = finding if isinstance(finding, str) else ", ".join(finding)
            colour = "yellow" if shown == UNDETERMINED else "cyan"
            words = _WORDS[axis].get(shown, "named by the artefact")
            yield f"  {axis:<20} {click.style(f'{shown:<18}', fg=colour)} {words}"
    yield ""
    yield click.style("Mismatches", underline=True)
    for mismatch in report.mismatches:
        yield f"  {click.style(_mismatch_words(facts, mismatch), fg='red')}  [dialect/{mismatch.code}]"
    if not report.mismatches:
        yield "  none"
    yield ""
    yield click.style(report_line(report), bold=True)


def _probe_lines(facts: DialectFacts) -> Iterable[str]:
    if facts.mode == "submitted":
        if not facts.is_402:
            yield "The capture's status is not 402, so its body and header were not read."
        return
    if facts.probe_state == ANSWERED:
        if not facts.is_402:
            yield "The endpoint answered the GET with another status than 402. Sellers that answer only POST look"
            yield "like this: save the answer to a POST with `curl -i` and run `assay dialect capture`."
        return
    notice = notice_of(facts.probe_state or "")
    detail = {**PHASES, **CAUSES}.get(facts.probe_detail or "")
    if notice is not None:
        yield f"{facts.probe_state}{f' ({detail})' if detail else ''}: {notice.text}"
        yield f"  {notice.hint}"


def _mismatch_words(facts: DialectFacts, mismatch: Mismatch) -> str:
    """Say a mismatch in forms: which leg, and which form of which version contradicts which."""
    if mismatch.code == "client-header-opposite-carrier":
        return f"client header {mismatch.name}: belongs to the other carrier, and this one's own is not named"
    leg = next(leg for leg in facts.legs if leg.name == mismatch.leg)
    if mismatch.code == "x402version-contradiction":
        return f"{leg.name} leg: x402Version {leg.x402_version} over the fields of version {3 - (leg.x402_version or 0)}"
    amount = f"{leg.amount_names[0]} alone" if len(leg.amount_names) == 1 else "no deciding amount name"
    version = "2" if leg.amount_names == (AMOUNT,) else "1"
    other = "2" if leg.network_form == "CAIP-2" else "1"
    return f"{leg.name} leg: {amount} (version {version}) with a {leg.network_form} network (version {other})"


def _present_precheck(report: PrecheckReport) -> Iterable[str]:
    if report.refusal is None:
        yield "In policy: the check would accept this request."
        return
    code = str(report.refusal["code"])
    notice = notice_of(code)
    yield f"Refused: {code}"
    if notice is not None:
        yield f"  {notice.text}"
        yield f"  {notice.hint}"


FORMS: Final[Mapping[str, Form[Any]]] = {
    "check": Form(
        parameters=_parameters, compose=_compose, present=_present, details=_DETAILS, epilog=_EPILOG
    ),
    "precheck": Form(parameters=_parameters, compose=_compose, present=_present_precheck),
}


_MAX_TRANSCRIPT: Final = 32 << 20
"""Bytes of a saved transcript; a browser's HAR of one page runs to a few megabytes."""


def _capture(source: BinaryIO, entry: int | None) -> None:
    """Make an artefact of a saved answer, ready for `assay dialect check -`."""
    data = read_source(source, _MAX_TRANSCRIPT)
    if isinstance(data, Refusal):
        raise TheirError("json_too_long", length=data.length or 0, cap=_MAX_TRANSCRIPT)
    print_bytes(pretty(capture(data, entry=entry)))


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
            click.Argument(["source"], type=click.File("rb"), metavar="FILE|-"),
            click.Option(
                ["--entry"], type=click.IntRange(min=0), help="The HAR entry to take, counted from 0."
            ),
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
