"""A payment that is being settled, and the ways that may end."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

import msgspec
from msgspec import Struct

from assay402.core.strictjson import JSON
from assay402.service.ports import PaymentRow


class Job(Struct, frozen=True, kw_only=True):
    """A payment whose worker we are."""

    key: str
    fence: int
    payer: str
    payment: Mapping[str, JSON]
    requirements: Mapping[str, JSON]
    is_used: bool = False
    """Whether its authorization is known to be used: then no refusal shows that nothing moved."""


class Moved(Struct, frozen=True, kw_only=True):
    """Money moved, and the row says so."""

    transaction: str
    settled_at: datetime


class SettlementRefused(Struct, frozen=True, kw_only=True):
    """Nothing moved, and the payment is released."""

    reason: str


class InDoubt(Struct, frozen=True, kw_only=True):
    """The outcome is not known; the claim stands."""

    retry_after_seconds: int


class Lost(Struct, frozen=True, kw_only=True):
    """Somebody else has the payment by now: look at its row again."""


class Counted(Struct, frozen=True, kw_only=True):
    """The transfer that is said to be this payment's paid for another one: it shows nothing, and something else must."""


Ending: TypeAlias = Moved | SettlementRefused | InDoubt | Lost | Counted


def requirements_of(row: PaymentRow) -> Mapping[str, JSON]:
    """Give the requirements a row was claimed under."""
    requirements: dict[str, JSON] = msgspec.json.decode(row.accepted, type=dict)
    return requirements
