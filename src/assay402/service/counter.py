"""The counter: what is offered now, whether anything is sold at all, and how a settlement is put into words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from assay402.core.strictjson import JSON
from assay402.service.identifiers import request_sha256
from assay402.service.offer import UNPAID, Offer, Offers
from assay402.service.order import Declined, Offered, Order, Resource
from assay402.service.ports import Facilitator
from assay402.service.quote import quote_holds
from assay402.service.work import Clock
from assay402.wire.requirements import text

RETRY_SECONDS: Final = 10
"""What a client is told to wait where nothing is sold at the moment."""


class Counter:
    """Makes offers over the networks the facilitator serves. `is_open` is turned off to drain."""

    def __init__(
        self,
        *,
        offers: Offers,
        facilitator: Facilitator,
        server_key: bytes,
        clock: Clock,
    ) -> None:
        self._offers: Final = offers
        self._facilitator: Final = facilitator
        self._key: Final = server_key
        self._clock: Final = clock
        self.is_open = True

    def resource_url(self, resource: Resource) -> str:
        """Give the address of a resource."""
        return self._offers.resource_url(resource)

    async def open_offer(self, resource: Resource) -> Offer | Declined:
        """Give the current offer where new orders are taken."""
        if not self.is_open:
            return not_admitting()
        offer = await self._offer(resource) if await self._facilitator.is_reachable() else None
        return facilitator_unavailable() if offer is None else offer

    async def offered(
        self, order: Order, error: str = UNPAID, settlement: Mapping[str, JSON] | None = None
    ) -> Offered | Declined:
        """Say that payment is required, and why, in a code. Quoted resources get a quote for this very request."""
        resource = order.resource
        offer = await self._offer(resource)
        if offer is None:
            return facilitator_unavailable()
        now = self._clock()
        if resource.is_quoted:
            offer = self._offers.quoted(offer, resource, request_sha256(order), now)
        return Offered(
            payment_required=self._offers.payment_required(offer, resource, error, now),
            quote_id=offer.quote,
            settlement=settlement,
        )

    async def document(self, resource: Resource) -> bytes | None:
        """Give the PaymentRequired of a resource without a quote; None where nothing is sold at the moment."""
        offer = await self._offer(resource)
        if offer is None:
            return None
        return self._offers.payment_required(offer, resource, UNPAID, self._clock())

    def quote_holds(self, order: Order, offer: Offer, quote: str) -> bool:
        """Tell whether a quote is ours, of this request and this offer, and not past its end."""
        root, price = request_sha256(order), order.resource.price
        return quote_holds(quote, self._key, root, price, offer.accepts, self._clock())

    def settlement(
        self,
        resource: Resource,
        requirements: Mapping[str, JSON],
        payer: str,
        transaction: str,
        settled_at: datetime,
    ) -> Mapping[str, JSON]:
        """Give the SettlementResponse of a payment that moved. Nothing in it is the facilitator's text but the transaction.

        Its receipt is of the time of the settlement, so that a replay gives the same again.
        """
        network = text(requirements, "network") or ""
        response: dict[str, Any] = {
            "success": True,
            "transaction": transaction,
            "network": network,
            "payer": payer,
            "amount": requirements.get("amount"),
        }
        receipt = self._offers.receipt(resource, network, payer, transaction, settled_at)
        return response if receipt is None else {**response, "extensions": receipt}

    def failed_settlement(
        self, requirements: Mapping[str, JSON], payer: str, reason: str
    ) -> Mapping[str, JSON]:
        """Give the SettlementResponse of a payment that was refused."""
        return {
            "success": False,
            "errorReason": reason,
            "transaction": "",
            "network": text(requirements, "network") or "",
            "payer": payer,
        }

    async def _offer(self, resource: Resource) -> Offer | None:
        extras = {}
        for network in self._offers.networks:
            extra = await self._facilitator.extra(network)
            if extra is not None:
                extras[network] = extra
        return self._offers.offer(resource, extras)


def not_admitting() -> Declined:
    """Say that nothing new is taken."""
    return Declined(status=503, code="not_admitting", retry_after_seconds=RETRY_SECONDS)


def facilitator_unavailable() -> Declined:
    """Say that payments cannot be verified now."""
    return Declined(status=503, code="facilitator_unavailable", retry_after_seconds=RETRY_SECONDS)
