"""The contract `dialect-check` 1.0.0: what is admitted, how the operations run, and the public JSON."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from msgspec import Struct

from assay402.checks.dialect.collect import collect
from assay402.checks.dialect.criteria import (
    BOUNDARY,
    CORPUS_ID,
    CORPUS_SHA256,
    CRITERIA_ID,
    CRITERIA_REVISION,
    DISCLOSURE,
    HONESTY,
    RETENTION,
    SERVICE,
    VERSION,
)
from assay402.checks.dialect.model import (
    UNDETERMINED,
    Axes,
    DialectFacts,
    DialectInput,
    DialectReport,
    Mismatch,
    PrecheckReport,
    Probe,
    Submitted,
)
from assay402.checks.dialect.rules.axes import (
    amount_field_name,
    challenge_carrier,
    client_header_names,
    network_id_form,
    payload_shape,
    receipt_headers,
)
from assay402.checks.dialect.rules.mismatches import (
    client_header_opposite_carrier,
    mixed_signal_leg,
    x402version_contradiction,
)
from assay402.checks.dialect.rules.summary import summary
from assay402.core import target
from assay402.core.asks import Collecting, now
from assay402.core.check import Refusal
from assay402.core.errors import Notice
from assay402.core.strictjson import JSON, Number, integer

_STATUSES: Final = range(100, 1000)
_STRINGS: Final = ("body_raw", "payment_required_header")
_OBJECTS: Final = ("header_obj", "payload_obj", "payload_headers", "response_headers")
_HEADER_SETS: Final = ("payload_headers", "response_headers")
_MEMBERS: Final = frozenset({"status", "body_obj", *_STRINGS, *_OBJECTS})
_GRADABLE: Final = ("body_obj", "body_raw", "header_obj", "payment_required_header", "payload_obj")
_TWO_FORMS: Final = (("body_obj", "body_raw"), ("header_obj", "payment_required_header"))
_JSON_TYPES: Final = (Mapping, list, tuple, str, Number, int, float, bool, type(None))

REFUSALS: Final[Mapping[str, Notice]] = {
    "not_json": Notice(
        "The request is not JSON.",
        "Send one JSON object in UTF-8, nested at most 512 deep. A saved `curl -i` transcript or HAR file goes through"
        " `assay dialect capture` first.",
    ),
    "not_an_object": Notice("The request is not a JSON object.", "Send {mode, url} or {mode, artefact}."),
    "mode_unknown": Notice("The mode is missing or unknown.", "Set `mode` to `probe` or `submitted`."),
    "member_unknown": Notice(
        "The request has a member this check does not know.",
        "An artefact has `status`, `body_obj` or `body_raw`, `header_obj` or `payment_required_header`, `payload_obj`,"
        " `payload_headers` and `response_headers`. A bare 402 body goes into `body_obj`; a HAR file or a transcript goes"
        " through `assay dialect capture`, a recording through `assay replay`.",
    ),
    "member_type": Notice(
        "A member has the wrong type.",
        "`status` is an integer from 100 to 999; `body_raw` and `payment_required_header` are strings; `header_obj`,"
        " `payload_obj`, `payload_headers`, `response_headers` and `artefact` are objects; null is none of these.",
    ),
    "leg_given_twice": Notice(
        "One leg is given in both of its forms.",
        "Send `body_obj` or `body_raw`, and `header_obj` or `payment_required_header`, not both.",
    ),
    "nothing_to_grade": Notice(
        "There is nothing to grade.",
        "Send a URL, or an artefact with a body, a PAYMENT-REQUIRED header or a payment payload.",
    ),
    "caller_not_allowed": Notice("`caller` belongs to the free pre-check only.", "Remove it."),
    "over_cap": Notice("The request is too long.", "Shorten it to at most the number `cap`, in bytes."),
    "probe_needs_network": Notice(
        "A probe needs a network, which this way of running does not use.",
        "Run `assay dialect check --url URL`, or submit a capture.",
    ),
    **target.NOTICES,
}
"""Every code a request can be refused with."""


class PrecheckInput(Struct, frozen=True, kw_only=True):
    """A request as far as the pre-check needs it: its mode, and whether the check would admit it."""

    mode: Literal["probe", "submitted"] | None
    refusal: Refusal | None


def admit(request: JSON | Refusal, *, allow_private: bool = False) -> DialectInput | Refusal:
    """Say whether the check accepts a request. Fetches nothing and looks up no name."""
    if isinstance(request, Refusal):
        return request
    if not isinstance(request, Mapping):
        return Refusal(code="not_an_object")
    mode = _mode(request)
    if mode is None:
        return Refusal(code="mode_unknown")
    if "caller" in request:
        return Refusal(code="caller_not_allowed")
    subject = "url" if mode == "probe" else "artefact"
    if any(name not in ("mode", subject) for name in request):
        return Refusal(code="member_unknown")
    if subject not in request:
        return Refusal(code="nothing_to_grade")
    return _probe(request["url"], allow_private) if mode == "probe" else _submitted(request["artefact"])


def admit_precheck(request: JSON | Refusal, *, allow_private: bool = False) -> PrecheckInput:
    """Judge a request for the pre-check, which refuses nothing itself: a refusal is its finding."""
    mode = _mode(request) if isinstance(request, Mapping) else None
    if isinstance(request, Mapping) and "caller" in request:
        if not isinstance(request["caller"], str):
            return PrecheckInput(mode=mode, refusal=Refusal(code="member_type"))
        request = {name: value for name, value in request.items() if name != "caller"}
    given = admit(request, allow_private=allow_private)
    return PrecheckInput(mode=mode, refusal=given if isinstance(given, Refusal) else None)


def check(given: DialectInput) -> Collecting[DialectReport | Refusal]:
    """Report which x402 dialect each surface of one 402 speaks."""
    facts = yield from collect(given)
    # Known only after the look-up, but the same refusal as one found in the spelling.
    if facts.probe_state is not None and facts.probe_state in target.NOTICES:
        return Refusal(code=facts.probe_state)
    checked_at = yield from now()
    return DialectReport(
        facts=facts,
        axes=Axes(
            challenge_carrier=challenge_carrier(facts),
            client_header_names=client_header_names(facts),
            payload_shape=payload_shape(facts),
            amount_field_name=amount_field_name(facts),
            network_id_form=network_id_form(facts),
            receipt_headers=receipt_headers(facts),
        ),
        mismatches=_mismatches(facts),
        summary=summary(facts),
        checked_at=checked_at,
    )


def precheck(given: PrecheckInput) -> Collecting[PrecheckReport | Refusal]:
    """Say for free whether a request is in policy, without fetching or reading the artefact."""
    checked_at = yield from now()
    refusal = None if given.refusal is None else given.refusal.published()
    return PrecheckReport(mode=given.mode, refusal=refusal, checked_at=checked_at)


def publish(report: DialectReport) -> dict[str, Any]:
    """Give the public JSON of a report, keys in the contract's order."""
    facts, axes = report.facts, report.axes
    names = axes.client_header_names
    probed = {"url": facts.url, "probe_state": facts.probe_state} if facts.mode == "probe" else {}
    return {
        **_signed_fields("check", facts.mode),
        **probed,
        "checked_at": _timestamp(report.checked_at),
        "dialect": report.summary,
        "axes": {
            "challenge_carrier": axes.challenge_carrier,
            "client_header_names": UNDETERMINED if names == UNDETERMINED else list(names),
            "payload_shape": axes.payload_shape,
            "amount_field_name": axes.amount_field_name,
            "network_id_form": axes.network_id_form,
            "receipt_headers": axes.receipt_headers,
        },
        "mismatches": [_mismatch(mismatch) for mismatch in report.mismatches],
        "report_line": report_line(report),
        "disclosure": DISCLOSURE,
        "honesty": HONESTY,
        "retention": RETENTION,
        "boundary": BOUNDARY,
    }


def publish_precheck(report: PrecheckReport) -> dict[str, Any]:
    """Give the public JSON of a pre-check, keys in the contract's order."""
    return {
        **_signed_fields("precheck", report.mode),
        "checked_at": _timestamp(report.checked_at),
        "in_policy": report.refusal is None,
        "refusal": report.refusal,
        "disclosure": DISCLOSURE,
        "honesty": HONESTY,
        "retention": RETENTION,
    }


def report_line(report: DialectReport) -> str:
    """Give the one line of `verdict_grammar`."""
    return (
        f"X402 DIALECT REPORT — dialect: {report.summary} — carrier: {report.axes.challenge_carrier}"
        f" — {_timestamp(report.checked_at)}"
    )


def exit_code(report: DialectReport) -> int:
    """Give 1 for any mismatch, 4 where nothing could be graded, else 0."""
    if report.mismatches:
        return 1
    return 4 if report.summary in ("undetermined", "not-a-402") else 0


def exit_code_precheck(report: PrecheckReport) -> int:
    """Give 0 for a request in policy, 2 for a refusal."""
    return 0 if report.refusal is None else 2


def redact(request: JSON) -> JSON:
    """Empty the values of submitted headers: the names are evidence, the values are never read and may be secret."""
    artefact = request.get("artefact") if isinstance(request, Mapping) else None
    if not isinstance(request, Mapping) or not isinstance(artefact, Mapping):
        return request
    sets = {name: value for name in _HEADER_SETS if isinstance(value := artefact.get(name), Mapping)}
    emptied = {name: dict.fromkeys(value, "") for name, value in sets.items()}
    return {**request, "artefact": {**artefact, **emptied}}


def offline(given: DialectInput) -> Refusal | None:
    """Refuse a probe where there is no network."""
    return Refusal(code="probe_needs_network") if isinstance(given, Probe) else None


def _mode(request: Mapping[str, JSON]) -> Literal["probe", "submitted"] | None:
    mode = request.get("mode")
    if mode == "probe":
        return "probe"
    return "submitted" if mode == "submitted" else None


def _probe(url: JSON, allow_private: bool) -> Probe | Refusal:
    if not isinstance(url, str):
        return Refusal(code="member_type")
    judged = target.parse(url, allow_private=allow_private)
    return judged if isinstance(judged, Refusal) else Probe(url=url)


def _submitted(artefact: JSON) -> Submitted | Refusal:
    if not isinstance(artefact, Mapping):
        return Refusal(code="member_type")
    if not _MEMBERS.issuperset(artefact):
        return Refusal(code="member_unknown")
    if not _types_hold(artefact):
        return Refusal(code="member_type")
    if any(one in artefact and other in artefact for one, other in _TWO_FORMS):
        return Refusal(code="leg_given_twice")
    if not any(name in artefact for name in _GRADABLE):
        return Refusal(code="nothing_to_grade")
    members: dict[str, Any] = {**artefact, "has_body": "body_obj" in artefact or "body_raw" in artefact}
    if "status" in artefact:
        members["status"] = integer(artefact["status"])
    return Submitted(**members)


def _types_hold(artefact: Mapping[str, JSON]) -> bool:
    return (
        ("status" not in artefact or integer(artefact["status"]) in _STATUSES)
        and isinstance(artefact.get("body_obj"), _JSON_TYPES)
        and all(isinstance(artefact[name], str) for name in _STRINGS if name in artefact)
        and all(isinstance(artefact[name], Mapping) for name in _OBJECTS if name in artefact)
    )


def _mismatches(facts: DialectFacts) -> tuple[Mismatch, ...]:
    """Give the mismatches in the published order: body, header, client."""
    of_legs = (*mixed_signal_leg(facts), *x402version_contradiction(facts))
    return (*sorted(of_legs, key=_leg_order), *client_header_opposite_carrier(facts))


def _leg_order(mismatch: Mismatch) -> bool:
    return mismatch.leg == "header"


def _signed_fields(op: str, mode: str | None) -> dict[str, Any]:
    return {
        "service": SERVICE,
        "version": VERSION,
        "criteria_id": CRITERIA_ID,
        "criteria_revision": CRITERIA_REVISION,
        "corpus": {"id": CORPUS_ID, "sha256": CORPUS_SHA256},
        "op": op,
        "mode": mode,
    }


def _mismatch(mismatch: Mismatch) -> dict[str, Any]:
    about = {"leg": mismatch.leg} if mismatch.leg is not None else {"name": mismatch.name}
    return {"axis": mismatch.axis, "code": mismatch.code, **about}


def _timestamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat()}Z"
