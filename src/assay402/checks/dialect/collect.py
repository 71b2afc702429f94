"""From an artefact to facts: at most one fetch, then reading. Nothing is judged here."""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar, get_args

from assay402.checks.dialect.criteria import BODY_BYTES, DEADLINE_MS
from assay402.checks.dialect.model import (
    ClientHeader,
    DialectFacts,
    DialectInput,
    LegFacts,
    LegName,
    PayloadFacts,
    Probe,
    ReceiptName,
    Submitted,
)
from assay402.core.asks import Collecting, Failed, Limits, fetch
from assay402.core.strictjson import JSON
from assay402.wire.challenge import Leg, NoChallenge, body_leg, challenge_of, header_leg, leg_of
from assay402.wire.network import network_form
from assay402.wire.requirements import PaymentRequired, is_present, mapping

PAYMENT_REQUIRED_STATUS: Final = 402
ANSWERED: Final = "answered"
"""The probe state of a complete response, whatever its status."""

Name = TypeVar("Name", bound=str)

_CLIENT_HEADERS: Final[tuple[ClientHeader, ...]] = get_args(ClientHeader)
_RECEIPTS: Final[tuple[ReceiptName, ...]] = get_args(ReceiptName)
_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9-])(?:payment-signature|x-payment-tx|x-payment)(?![A-Za-z0-9-])", re.IGNORECASE | re.ASCII
)
"""A client header name as a whole token; `X-PAYMENT-RESPONSE` is another word."""
_COMPARED_VERSIONS: Final = (1, 2)
_STATUS_KINDS: Final = {2: "success", 3: "redirect", 4: "client error", 5: "server error"}


def collect(given: DialectInput) -> Collecting[DialectFacts]:
    """Gather the facts of a live endpoint or of a submitted artefact."""
    if isinstance(given, Submitted):
        return _submitted_facts(given)
    return (yield from _probe_facts(given))


def _probe_facts(given: Probe) -> Collecting[DialectFacts]:
    answer = yield from fetch(given.url, Limits(deadline_ms=DEADLINE_MS, body_bytes=BODY_BYTES))
    if isinstance(answer, Failed):
        return DialectFacts(
            mode="probe",
            is_402=False,
            has_leg_to_inspect=False,
            url=given.url,
            probe_state=answer.state,
            probe_detail=answer.detail,
        )
    is_402 = answer.status == PAYMENT_REQUIRED_STATUS
    challenge = challenge_of(answer)
    return DialectFacts(
        mode="probe",
        is_402=is_402,
        has_leg_to_inspect=is_402,
        body=_leg_facts("body", challenge.body) if is_402 else NoChallenge.ABSENT,
        header=_leg_facts("header", challenge.header) if is_402 else NoChallenge.ABSENT,
        url=given.url,
        probe_state=ANSWERED,
        probe_detail=None if is_402 else _STATUS_KINDS.get(answer.status // 100),
    )


def _submitted_facts(given: Submitted) -> DialectFacts:
    is_402 = given.status is None or given.status == PAYMENT_REQUIRED_STATUS
    has_header = given.header_obj is not None or given.payment_required_header is not None
    return DialectFacts(
        mode="submitted",
        is_402=is_402,
        has_leg_to_inspect=is_402 and (given.has_body or has_header),
        body=_leg_facts("body", _submitted_body(given)) if is_402 and given.has_body else NoChallenge.ABSENT,
        header=_leg_facts("header", _submitted_header(given))
        if is_402 and has_header
        else NoChallenge.ABSENT,
        payload=None if given.payload_obj is None else _payload_facts(given.payload_obj),
        payload_header_names=_names_among(given.payload_headers, _CLIENT_HEADERS) or (),
        receipt_names=_names_among(given.response_headers, _RECEIPTS),
    )


def _submitted_body(given: Submitted) -> Leg:
    return leg_of(given.body_obj) if given.body_raw is None else body_leg(given.body_raw)


def _submitted_header(given: Submitted) -> Leg:
    if given.payment_required_header is not None:
        return header_leg((given.payment_required_header,))
    return leg_of(given.header_obj)


def _leg_facts(name: LegName, leg: Leg) -> LegFacts | NoChallenge:
    if isinstance(leg, NoChallenge):
        return leg
    first = leg.accepts[0]
    version = leg.x402_version
    return LegFacts(
        name=name,
        amount_names=() if first is None else first.amount_names,
        network_form=None if first is None else network_form(first.network),
        x402_version=version if version in _COMPARED_VERSIONS else None,
        named_in_error=_named_in_error(leg),
    )


def _named_in_error(leg: PaymentRequired) -> tuple[ClientHeader, ...]:
    if leg.error is None:
        return ()
    found = {token.lower() for token in _TOKEN.findall(leg.error)}
    return tuple(name for name in _CLIENT_HEADERS if name.lower() in found)


def _payload_facts(payload: Mapping[str, JSON]) -> PayloadFacts:
    accepted = mapping(payload, "accepted")
    return PayloadFacts(
        at_top_level=is_present(payload, "scheme") or is_present(payload, "network"),
        inside_accepted=accepted is not None
        and (is_present(accepted, "scheme") or is_present(accepted, "network")),
    )


def _names_among(headers: Mapping[Any, JSON] | None, names: tuple[Name, ...]) -> tuple[Name, ...] | None:
    """Give those of the names that stand among the keys, compared without case; values are never read."""
    if headers is None:
        return None
    keys = {key.lower() for key in headers if isinstance(key, str)}
    return tuple(name for name in names if name.lower() in keys)
