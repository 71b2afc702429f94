"""Asks that reach beyond facts: what belongs to one run alone, and what a model thinks. With their answers."""

from datetime import datetime

from msgspec import Struct


class Envelope(Struct, frozen=True, kw_only=True, tag="envelope", tag_field="ask"):
    """Ask for what belongs to this one run and not to its result: who asks, when, under which id, paid or not."""

    scope: str
    """What the run is for, such as `machine:diagnose`."""
    determination: str
    """How the run ended, in the contract's word, because metering depends on it."""


class Judge(Struct, frozen=True, kw_only=True, tag="judge", tag_field="ask"):
    """Ask a model for its opinion on statements; what it says is an opinion and bounded by the rules that ask."""

    statements: tuple[tuple[str, tuple[str, ...]], ...]
    """Each statement with the texts it is to be read against."""


class Enveloped(Struct, frozen=True, kw_only=True, tag="enveloped", tag_field="answer"):
    """What an `Envelope` asked for."""

    request_id: str
    nonce: str
    moment: datetime
    actor_id: str
    tenant_id: str
    tenant_model: str
    credential_id: str | None
    idempotency_key: str
    payment_context_hash: str | None
    payment_status: str
    billable: bool
    billing_reason: str | None


class Opinion(Struct, frozen=True, kw_only=True):
    """What a model thinks of one statement: three weights between 0 and 1, and the words it relies on, if it gave any."""

    entail: float
    contradict: float
    neutral: float
    quote: str | None = None


class Judged(Struct, frozen=True, kw_only=True, tag="judged", tag_field="answer"):
    """The answer to a `Judge`: which model spoke, and one opinion for each statement in order, None where it gave none."""

    model: str
    opinions: tuple[Opinion | None, ...]
    provider: str = "local"
    support_threshold: float = 0.9
    contradict_threshold: float = 0.9
