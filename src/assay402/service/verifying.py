"""Admit an order, hold its payment against our offer, and have it verified: in this order, and nothing is written."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from assay402.core.check import Refusal
from assay402.core.strictjson import JSON
from assay402.service.admission import admitted, declined
from assay402.service.comparing import echo_fault, taken, window_fault
from assay402.service.endings import requirements_of
from assay402.service.gate import VERIFY_MARGIN_SECONDS
from assay402.service.identifiers import with_own_key
from assay402.service.offer import QUOTE, Offer
from assay402.service.order import Declined, Outcome, Pending
from assay402.service.ports import PaymentRow, Refused, Settled, Unknown
from assay402.service.till import Bid, Till, Verified
from assay402.wire.requirements import mapping, text


class Verifying:
    """Verifies bids."""

    def __init__(self, till: Till) -> None:
        self._till: Final = till

    async def verified(self, bid: Bid, seen: PaymentRow | None) -> Verified | Outcome:
        """Verify a bid, or say what stands in its way; `seen` is its row where the payment was taken before and let go.

        Such a payment that was used since may have paid us unseen, so that is found out before any offer is made: the very
        same one, which was verified then, goes on and is settled for what it agreed to; another spelling of it waits.
        """
        order = bid.order
        given = admitted(order)
        if isinstance(given, Refusal):
            return declined(order, given)
        offer = await self._till.counter.open_offer(order.resource)
        if isinstance(offer, Declined):
            return offer
        entry = self._entry(bid, offer)
        if isinstance(entry, str):
            is_used = False if seen is None else await self._is_used(bid, seen)
            return await self._refused(bid, seen, given, entry, is_used)
        answer = await self._till.facilitator.verify(bid.payment, entry)
        if isinstance(answer, Unknown):
            return self._unavailable(answer)
        if isinstance(answer, Refused):
            is_used = answer.is_used if seen is None or answer.is_used else await self._has_moved(seen)
            return await self._refused(bid, seen, given, answer.reason, is_used)
        told = bid.authorization.payer
        payer = answer.payer if told is None else answer.payer.lower()
        if told is not None and payer != told:
            return await self._till.counter.offered(order, "invalid_payload")
        return self._taken(bid, given, entry, payer)

    async def _refused(
        self,
        bid: Bid,
        seen: PaymentRow | None,
        given: Any,  # noqa: ANN401  (the operation's own input)
        reason: str,
        is_used: bool | Declined | Pending,
    ) -> Verified | Outcome:
        """Offer anew, but for a payment that was let go and may have paid us since."""
        if not isinstance(is_used, bool):
            return is_used
        if not is_used or seen is None:
            return await self._till.counter.offered(bid.order, reason)
        if seen.payload_sha256 != bid.authorization.payload_sha256 or seen.operation != bid.operation:
            return self._waits()
        return self._taken(bid, given, requirements_of(seen), seen.payer, is_used=True)

    async def _is_used(self, bid: Bid, seen: PaymentRow) -> bool | Declined | Pending:
        """Tell whether a payment that is for no offer of ours any more was used since it was let go; a refusal: nobody says."""
        answer = await self._till.facilitator.verify(bid.payment, requirements_of(seen))
        if isinstance(answer, Refused) and answer.is_used:
            return True
        moved = await self._has_moved(seen)
        return self._unavailable(answer) if isinstance(answer, Unknown) and moved is False else moved

    async def _has_moved(self, seen: PaymentRow) -> bool | Pending:
        """Tell whether the chain shows that a payment moved; without a node it does not. A node that is silent: wait."""
        found = await self._till.settling.look(seen)
        return self._waits() if isinstance(found, Unknown) else isinstance(found, Settled)

    def _waits(self) -> Pending:
        return Pending(retry_after_seconds=self._till.timing.retry_after_in_doubt)

    def _unavailable(self, answer: Unknown) -> Declined:
        return Declined(
            status=503,
            code="facilitator_unavailable",
            retry_after_seconds=max(answer.retry_after_seconds, self._till.timing.retry_after),
        )

    @staticmethod
    def _taken(
        bid: Bid,
        given: Any,  # noqa: ANN401  (the operation's own input)
        requirements: Mapping[str, JSON],
        payer: str,
        *,
        is_used: bool = False,
    ) -> Verified:
        return Verified(
            bid=replace(bid, names=with_own_key(bid.names, given)),
            given=given,
            requirements=requirements,
            payer=payer,
            is_used=is_used,
        )

    def _entry(self, bid: Bid, offer: Offer) -> Mapping[str, JSON] | str:
        """Give the requirements a payment is for, as we offered them; or the reason why it is for none of ours."""
        order, now = bid.order, self._till.clock()
        accepted = mapping(bid.payment, "accepted") or {}
        entry = taken(accepted, offer)
        if entry is None:
            return "no_matching_requirements"
        fault = echo_fault(bid.payment, offer, self._till.counter.resource_url(order.resource))
        if fault is None:
            seconds = order.resource.work_seconds + VERIFY_MARGIN_SECONDS
            fault = window_fault(bid.authorization, entry, now, seconds)
        if fault is not None:
            return fault
        if not order.resource.is_quoted:
            return entry
        extra = mapping(accepted, "extra") or {}
        quote = text(extra, QUOTE)
        if quote is None or order.quote_id not in (None, quote):
            return "quote_mismatch"
        if not self._till.counter.quote_holds(order, offer, quote):
            return "quote_expired"
        return {**entry, "extra": {**(mapping(entry, "extra") or {}), QUOTE: quote}}
