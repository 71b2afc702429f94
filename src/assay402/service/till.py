"""What paid orders are worked with, and a paid order as far as it is understood."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from assay402.core.strictjson import JSON
from assay402.service.authorization import Authorization
from assay402.service.counter import Counter
from assay402.service.identifiers import Identifiers
from assay402.service.order import Order
from assay402.service.ports import Facilitator, Payments
from assay402.service.settling import Settling
from assay402.service.timing import Timing
from assay402.service.work import Clock, Workshop


class Till(Struct, frozen=True, kw_only=True):
    """The parts a paid order passes. `tell` hears what happened, in closed words, for metrics."""

    payments: Payments
    facilitator: Facilitator
    counter: Counter
    settling: Settling
    workshop: Workshop
    clock: Clock
    timing: Timing
    is_id_required: bool
    tell: Callable[[str, str], None]


class Bid(Struct, frozen=True, kw_only=True):
    """An order and the payment it carries."""

    order: Order
    payment: Mapping[str, JSON]
    authorization: Authorization
    names: Identifiers

    @property
    def operation(self) -> str:
        """The name of what is paid for."""
        return self.order.resource.name


class Verified(Struct, frozen=True, kw_only=True):
    """A bid that was admitted, whose payment is for our offer and would hold."""

    bid: Bid
    given: Any
    """The operation's own input."""
    requirements: Mapping[str, JSON]
    """What we offered and the payment took."""
    payer: str
    is_used: bool = False
    """Whether the authorization was used since this very payment verified before: it may have paid us, unseen."""
