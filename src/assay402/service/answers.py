"""What facilitators and chains answer, as the ports pass it on. `ports` gives these names with the rest."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from assay402.core.strictjson import JSON


class Settled(Struct, frozen=True, kw_only=True):
    """Money moved."""

    transaction: str
    network: str
    payer: str | None
    amount: int
    asset: str
    fee_lamports: int | None = None
    log_index: int | None = None
    """Which transfer of the transaction it was, where its chain was asked: one transaction may hold several."""
    extensions: Mapping[str, JSON] | None = None


class Refused(Struct, frozen=True, kw_only=True):
    """The facilitator says no. `reason` is one of x402's codes or `refused`, never other text of the facilitator."""

    reason: str
    is_used: bool = False
    """Whether it says, in any wording, that the authorization was used before: maybe by us, unseen."""


class Verified(Struct, frozen=True, kw_only=True):
    """The payment would hold."""

    payer: str


class Unknown(Struct, frozen=True, kw_only=True):
    """No outcome: time-out, server error, garbage, or `settlement_pending`."""

    retry_after_seconds: int


class NotMoved(Struct, frozen=True, kw_only=True):
    """The chain shows that the authorization moved nothing up to `as_of`, a block's time, by which it may yet or never."""

    as_of: datetime
