"""A dialect report in words for people: made of forms, never of values of the artefact."""

from collections.abc import Iterable, Mapping
from typing import Final, assert_never

import click

from assay402.checks.dialect import CHECK
from assay402.checks.dialect.collect import ANSWERED
from assay402.checks.dialect.contract import report_line
from assay402.checks.dialect.model import (
    UNDETERMINED,
    DialectFacts,
    DialectReport,
    LegFacts,
    Mismatch,
    PrecheckReport,
)
from assay402.cli.output import notice_of
from assay402.core.fetch_states import CAUSES, PHASES
from assay402.wire.challenge import NoChallenge
from assay402.wire.requirements import AMOUNT

_SURFACES: Final = (
    ("Challenge: the unpaid 402", ("challenge_carrier", "amount_field_name", "network_id_form")),
    ("Payment: what the client sends", ("client_header_names", "payload_shape")),
    ("Receipt: the paid response", ("receipt_headers",)),
)
_OF_A_CHALLENGE: Final = ("amount_field_name", "network_id_form")

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
        UNDETERMINED: "no amount in the first entry of the challenge",
    },
    "network_id_form": {
        "CAIP-2": "version 2's form, namespace:reference",
        "slug": "version 1's form, a bare name",
        "both": "both versions' forms over two legs",
        UNDETERMINED: "no network of either form in the first entry of the challenge",
    },
    "client_header_names": {UNDETERMINED: "nothing in the artefact names one"},
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
"""What each finding means."""

_REASONS: Final[Mapping[NoChallenge, str]] = {
    NoChallenge.ABSENT: "not there",
    NoChallenge.VALUES_DIFFER: "sent several times with differing values, so none counts",
    NoChallenge.NOT_BASE64: "not base64",
    NoChallenge.NOT_JSON: "not JSON (a compressed body is not unpacked)",
    NoChallenge.TOO_DEEP: "nested too deeply",
    NoChallenge.NOT_AN_OBJECT: "JSON, but no object",
    NoChallenge.NO_ACCEPTS: "an object without entries in `accepts` at its top",
}
"""Why a leg carries no challenge."""

_ANSWERS: Final[Mapping[str, str]] = {
    "redirect": "No redirect is followed: check the address it leads to.",
    "client error": "Sellers that answer only POST look like this: save the answer to a POST with `curl -i` and run"
    " `assay dialect capture`.",
    "server error": "Check again when the endpoint works.",
    "success": "It asks for no payment on GET. If it does on POST, save that answer with `curl -i` and run"
    " `assay dialect capture`.",
}
"""What to do about an answer that is no 402, by its kind."""


def present(report: DialectReport) -> Iterable[str]:
    """Give the lines of a report: a table per surface, the mismatches, the report line."""
    facts = report.facts
    yield click.style(facts.url or "Submitted artefact", bold=True)
    yield from _capture_lines(facts)
    shown = {axis: _shown(getattr(report.axes, axis)) for _, axes in _SURFACES for axis in axes}
    width = max(map(len, shown.values()))
    for surface, axes in _SURFACES:
        yield ""
        yield click.style(surface, underline=True)
        for axis in axes:
            colour = "yellow" if shown[axis] == UNDETERMINED else "cyan"
            finding = click.style(shown[axis].ljust(width), fg=colour)
            yield f"  {axis:<19}  {finding}  {_words(facts, axis, shown[axis])}"
    yield ""
    yield click.style("Mismatches", underline=True)
    for mismatch in report.mismatches:
        yield f"  {click.style(_mismatch_words(facts, mismatch), fg='red')}  [dialect/{mismatch.code}]"
    if not report.mismatches:
        yield "  none" if facts.legs else "  not judged: no leg carries a challenge"
    yield ""
    yield click.style(report_line(report), bold=True)


def present_precheck(report: PrecheckReport) -> Iterable[str]:
    """Give the lines of a pre-check."""
    if report.refusal is None:
        yield "In policy: the check would accept this request."
        return
    code = str(report.refusal["code"])
    notice = notice_of(code, CHECK)
    yield f"Refused: {code}"
    if notice is not None:
        yield f"  {notice.text}"
        yield f"  {notice.hint}"


def _shown(finding: str | tuple[str, ...]) -> str:
    return finding if isinstance(finding, str) else ", ".join(finding)


def _words(facts: DialectFacts, axis: str, shown: str) -> str:
    if shown == UNDETERMINED and axis in _OF_A_CHALLENGE and not facts.legs:
        return "no leg carries a challenge to read"
    if shown == UNDETERMINED and axis == "receipt_headers" and facts.mode == "probe":
        return "an unpaid probe shows no receipts"
    return _WORDS[axis].get(shown, "evidenced by error text or payment headers")


def _capture_lines(facts: DialectFacts) -> Iterable[str]:
    """Say what could be looked at, and why a leg that was looked at carries no challenge."""
    if facts.has_leg_to_inspect:
        for name, leg in (("body", facts.body), ("PAYMENT-REQUIRED header", facts.header)):
            # Beside a leg that carries the challenge, a body is often a page or `{}`; a header is there to be read.
            is_telling = not facts.legs or (leg is facts.header and leg is not NoChallenge.ABSENT)
            if is_telling and not isinstance(leg, LegFacts):
                yield f"  {name}: {_REASONS[leg]}"
    elif facts.mode == "submitted":
        if not facts.is_402:
            yield "  The capture's status is not 402, so its body and header were not read."
    elif facts.probe_state == ANSWERED:
        yield f"  The endpoint answered the GET with a {facts.probe_detail or 'status'}, not with a 402."
        yield f"  {_ANSWERS.get(facts.probe_detail or '', 'Check what stands in front of the endpoint.')}"
    else:
        yield from _failure_lines(facts)


def _failure_lines(facts: DialectFacts) -> Iterable[str]:
    notice = notice_of(facts.probe_state or "", CHECK)
    details: dict[str, str] = {str(detail): text for detail, text in (*PHASES.items(), *CAUSES.items())}
    detail = details.get(facts.probe_detail or "")
    if notice is not None:
        yield f"  {facts.probe_state}{f' ({detail})' if detail else ''}: {notice.text}"
        yield f"  {notice.hint}"


def _mismatch_words(facts: DialectFacts, mismatch: Mismatch) -> str:
    match mismatch.code:
        case "client-header-opposite-carrier":
            return f"client header {mismatch.name}: belongs to the other carrier, and this one's own is not named"
        case "x402version-contradiction":
            leg = _leg(facts, mismatch)
            other = {1: 2, 2: 1}.get(leg.x402_version or 0)
            return f"{leg.name} leg: x402Version {leg.x402_version} over the fields of version {other}"
        case "mixed-signal-leg":
            leg = _leg(facts, mismatch)
            by_amount = "2" if leg.amount_names == (AMOUNT,) else "1"
            by_network = "2" if leg.network_form == "CAIP-2" else "1"
            return (
                f"{leg.name} leg: {leg.amount_names[0]} alone (version {by_amount})"
                f" with a {leg.network_form} network (version {by_network})"
            )
        case _:
            assert_never(mismatch.code)


def _leg(facts: DialectFacts, mismatch: Mismatch) -> LegFacts:
    return next(leg for leg in facts.legs if leg.name == mismatch.leg)
