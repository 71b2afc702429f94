"""Inputs, facts and results of the dialect check, in the contract's own words.

Facts hold forms, never values: what is not in them cannot leak into a report.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.core.strictjson import JSON
from assay402.wire.challenge import NoChallenge
from assay402.wire.network import NetworkForm
from assay402.wire.requirements import AmountName

UNDETERMINED: Final = "UNDETERMINED"
"""What the artefact does not show."""

Undetermined: TypeAlias = Literal["UNDETERMINED"]
Carrier: TypeAlias = Literal["v1-body", "v2-header", "both", "none", "UNDETERMINED"]
ClientHeader: TypeAlias = Literal["PAYMENT-SIGNATURE", "X-PAYMENT", "X-Payment-Tx"]
PayloadShape: TypeAlias = Literal["top-level", "inside-accepted", "both", "UNDETERMINED"]
AmountField: TypeAlias = Literal["maxAmountRequired", "amount", "both", "UNDETERMINED"]
NetworkIdForm: TypeAlias = Literal["CAIP-2", "slug", "both", "UNDETERMINED"]
ReceiptName: TypeAlias = Literal["X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE"]
ReceiptHeaders: TypeAlias = Literal["X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE", "both", "none", "UNDETERMINED"]
Summary: TypeAlias = Literal["v1", "v2", "dual-stack", "mixed", "undetermined", "not-a-402"]
LegName: TypeAlias = Literal["body", "header"]
LegDialect: TypeAlias = Literal["v1", "v2", "mixed"]
MismatchCode: TypeAlias = Literal[
    "mixed-signal-leg", "x402version-contradiction", "client-header-opposite-carrier"
]


class Probe(Struct, frozen=True, kw_only=True):
    """Probe mode: fetch this URL once, as an unauthenticated stranger."""

    url: str


class Submitted(Struct, frozen=True, kw_only=True):
    """Submitted mode: grade what was captured. A member that was not submitted is None; a body may be JSON null."""

    status: int | None = None
    has_body: bool = False
    body_obj: JSON = None
    body_raw: str | None = None
    header_obj: Mapping[str, JSON] | None = None
    payment_required_header: str | None = None
    payload_obj: Mapping[str, JSON] | None = None
    payload_headers: Mapping[str, JSON] | None = None
    response_headers: Mapping[str, JSON] | None = None


DialectInput: TypeAlias = Probe | Submitted


class LegFacts(Struct, frozen=True, kw_only=True):
    """The forms of one leg that carries a challenge, read from `accepts[0]`."""

    name: LegName
    amount_names: tuple[AmountName, ...]
    network_form: NetworkForm | None
    x402_version: int | None
    """1 or 2; any other version contradicts nothing."""
    named_in_error: tuple[ClientHeader, ...]


class PayloadFacts(Struct, frozen=True, kw_only=True):
    """Where scheme or network stand in a submitted payment payload."""

    at_top_level: bool
    inside_accepted: bool


class DialectFacts(Struct, frozen=True, kw_only=True):
    """Everything the rules may know of one artefact."""

    mode: Literal["probe", "submitted"]
    is_402: bool
    """The capture is an inspectable 402, or nothing says otherwise."""
    has_leg_to_inspect: bool
    """A body or header of a 402 was there to look at."""
    body: LegFacts | NoChallenge = NoChallenge.ABSENT
    header: LegFacts | NoChallenge = NoChallenge.ABSENT
    """Why a leg carries no challenge is for people: the contract has no finding for it."""
    payload: PayloadFacts | None = None
    payload_header_names: tuple[ClientHeader, ...] = ()
    receipt_names: tuple[ReceiptName, ...] | None = None
    """None where no paid-response header set was submitted."""
    url: str | None = None
    probe_state: str | None = None
    probe_detail: str | None = None
    """The phase or cause of a fetch that failed, or the kind of an answer that is no 402: for people, not published."""

    @property
    def legs(self) -> tuple[LegFacts, ...]:
        """The legs that carry a challenge, body first."""
        return tuple(leg for leg in (self.body, self.header) if isinstance(leg, LegFacts))


class Axes(Struct, frozen=True, kw_only=True):
    """The six axes, in contract order."""

    challenge_carrier: Carrier
    client_header_names: tuple[ClientHeader, ...] | Undetermined
    payload_shape: PayloadShape
    amount_field_name: AmountField
    network_id_form: NetworkIdForm
    receipt_headers: ReceiptHeaders


class Mismatch(Struct, frozen=True, kw_only=True):
    """One contradiction the contract names, filed under an axis, with the leg or the header name it is about."""

    code: MismatchCode
    axis: str
    leg: LegName | None = None
    name: ClientHeader | None = None


class DialectReport(Struct, frozen=True, kw_only=True):
    """What the check says, with the facts it rests on."""

    facts: DialectFacts
    axes: Axes
    mismatches: tuple[Mismatch, ...]
    summary: Summary
    checked_at: datetime


class PrecheckReport(Struct, frozen=True, kw_only=True):
    """What the free pre-check says: is the input in policy?"""

    mode: Literal["probe", "submitted"] | None
    """None where the request names neither."""
    refusal: dict[str, object] | None
    checked_at: datetime
