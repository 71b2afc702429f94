"""Takes orders: admit, offer or verify, claim, run, settle, deliver. Free of any transport."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from assay402.core.asks import AsyncAnswerer, Gather, one_after_another
from assay402.service.order import Declined, Delivered, Order, Outcome, Resource
from assay402.service.ports import ChainLookup, Facilitator, FreeTier, OfferReceipts, Payments
from assay402.service.settings import Settings

Sign: TypeAlias = Callable[[bytes], tuple[tuple[str, str], ...]]
"""Gives the headers that sign exact bytes, such as `Assay-Signature`; none where nothing is signed."""


class Orders:
    """SKELETON: the public surface, for the faces being built at the same time."""

    def __init__(  # noqa: PLR0913
        self,
        *,
        settings: Settings,
        resources: Sequence[Resource],
        payments: Payments,
        free_tier: FreeTier,
        answerer: AsyncAnswerer,
        sign: Sign,
        server_key: bytes,
        gather: Gather = one_after_another,
        clock: Callable[[], datetime],
        facilitator: Facilitator | None = None,
        chain: ChainLookup | None = None,
        offer_receipts: OfferReceipts | None = None,
        terms: dict[str, object] | None = None,
    ) -> None: ...

    async def take(self, order: Order) -> Outcome:
        """Take an order to its end. Once it is paid for, cancelling the caller does not stop work and settlement."""
        ...

    async def offer(self, resource: Resource) -> bytes:
        """The PaymentRequired of a resource without a quote, for lists of what is sold."""
        ...

    async def receipt(
        self, answer_id: str, *, bearer: str | None = None, sign_in: str | None = None
    ) -> Delivered | Declined: ...

    async def reconcile(self, limit: int = 100) -> int:
        """One bounded pass over rows in doubt; how many were brought to an end."""
        ...

    def stop_admitting(self) -> None:
        """Begin to drain: nothing new is taken, known payments still are."""

    async def drained(self) -> None:
        """Wait until every order under way has ended."""
