"""Takes orders: admit, offer or verify, claim, run, settle, deliver. Free of any transport.

The parts stand beside this module: `gate` (the state table), `paid` and `free` (the two ways of an order), `settling`
(money, and doubt about it), `counter` and `offer` (what is sold for how much), `work` (running an operation).
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from assay402.core.asks import AsyncAnswerer, Gather, one_after_another
from assay402.core.check import Refusal
from assay402.core.errors import TheirError
from assay402.core.strictjson import JSON
from assay402.service.admission import admitted, declined
from assay402.service.counter import RETRY_SECONDS, Counter, not_admitting
from assay402.service.free import SOLD_INSTEAD, FreeOrders
from assay402.service.offer import Offers
from assay402.service.order import Declined, Delivered, Order, Outcome, Resource, UnreadablePayment
from assay402.service.paid import PaidOrders
from assay402.service.ports import (
    ChainLookup,
    Facilitator,
    FreeTier,
    OfferReceipts,
    PaymentRow,
    Payments,
    StoreUnavailable,
)
from assay402.service.receipts import Receipts
from assay402.service.settings import Settings
from assay402.service.settling import Settling
from assay402.service.till import Till
from assay402.service.timing import Timing
from assay402.service.work import Clock, Sign, Token, Workshop
from assay402.service.writing import Writing

SWEEP: Final = 100
"""Rows one pass of the reconciler looks at."""
TIDIED_AT_ONCE: Final = 1_000
"""Rows that are forgotten in one transaction."""


def _unheard(_event: str, _operation: str) -> None:
    """Hear nothing."""


class Orders:
    """The service without a transport.

    `answerer` and `gather` are the network's, `sign` gives the headers that sign an answer, `server_key` (32 secret
    bytes, the same in every replica) makes quotes and hides callers, `clock` gives aware times in UTC. `facilitator` is
    needed where payments are required; without `chain` a settlement in doubt can only be found out from the
    facilitator. `terms` is the advertisement that offers carry. `tell` hears what happens, as an event of
    `telemetry` and the operation's name.

    Raises:
        TheirError: `facilitator_unset`, or what the offers of the settings raise.

    """

    def __init__(  # noqa: PLR0913  (the seams, each named by its keyword)
        self,
        *,
        settings: Settings,
        resources: Sequence[Resource],
        payments: Payments,
        free_tier: FreeTier,
        answerer: AsyncAnswerer,
        sign: Sign,
        server_key: bytes,
        clock: Clock,
        gather: Gather = one_after_another,
        facilitator: Facilitator | None = None,
        chain: ChainLookup | None = None,
        offer_receipts: OfferReceipts | None = None,
        terms: Mapping[str, JSON] | None = None,
        timing: Timing | None = None,
        token: Token = secrets.token_bytes,
        tell: Callable[[str, str], None] = _unheard,
    ) -> None:
        self._resources: Final = {resource.name: resource for resource in resources}
        self._payments: Final = payments
        self._free_tier: Final = free_tier
        self._clock: Final = clock
        self._tell: Final = tell
        self._under_way: Final[set[asyncio.Task[Any]]] = set()
        self._is_open = True
        workshop = Workshop(answerer=answerer, gather=gather, sign=sign, clock=clock, token=token)
        self._free: Final = FreeOrders(
            payments=payments,
            free_tier=free_tier,
            workshop=workshop,
            clock=clock,
            server_key=server_key,
            is_local=settings.payments == "off",
        )
        self._receipts: Final = Receipts(
            payments=payments,
            free_tier=free_tier,
            public_url=settings.public_url or "",
            server_key=server_key,
            clock=clock,
        )
        self._till: Final = (
            None
            if settings.payments == "off"
            else _till(
                settings,
                payments=payments,
                workshop=workshop,
                clock=clock,
                facilitator=facilitator,
                chain=chain,
                offers=Offers(settings, server_key=server_key, terms=terms, receipts=offer_receipts),
                server_key=server_key,
                timing=Timing() if timing is None else timing,
                tell=tell,
            )
        )
        self._paid: Final = None if self._till is None else PaidOrders(self._till)

    async def take(self, order: Order) -> Outcome:
        """Take an order to its end. Once it carries a payment, its caller's end does not stop work and settlement.

        A refusal, an offer or a wait is an outcome; nothing is raised for what was sent, nor for a store or a
        facilitator that fails.
        """
        try:
            if self._till is None or self._paid is None or order.resource.price == 0:
                return await self._for_free(order)
            if order.payment is None:
                return await _unpaid(order, self._till.counter)
            if isinstance(order.payment, UnreadablePayment):
                return Declined(status=400, code=order.payment.code)
            return await self._to_its_end(self._paid.take(order, order.payment))
        except StoreUnavailable:
            return Declined(status=503, code="store_unavailable", retry_after_seconds=RETRY_SECONDS)

    async def offer(self, resource: Resource) -> bytes | None:
        """Give the PaymentRequired of a resource, without a quote, for a list of what is sold; None where it is free."""
        if self._till is None or resource.price == 0:
            return None
        return await self._till.counter.document(resource)

    async def receipt(
        self, answer_id: str, *, bearer: str | None = None, sign_in: str | None = None
    ) -> Delivered | Declined:
        """Give a kept answer: by its id where nobody paid, else to its payer (SIGN-IN-WITH-X) or the holder of its secret."""
        try:
            return await self._receipts.give(answer_id, bearer=bearer, sign_in=sign_in)
        except StoreUnavailable:
            return Declined(status=503, code="store_unavailable", retry_after_seconds=RETRY_SECONDS)

    async def reconcile(self, limit: int = SWEEP) -> int:
        """Go once over payments nobody has and bring those to an end that need no client; gives how many."""
        ended = 0
        if self._till is None:
            return ended
        settling = self._till.settling
        ended += await self._written(settling)
        with suppress(StoreUnavailable):  # the next pass finds them again
            for row in await self._payments.in_doubt(self._clock(), limit):
                is_ended = await self._swept(settling, row)
                if is_ended is None:
                    # A pass has a limit: one that fails each time must not stand before the others for ever.
                    await settling.put_behind(row)
                elif is_ended:
                    self._tell("payment.reconciled", row.operation)
                    ended += 1
        return ended

    async def tidy(self) -> int:
        """Forget what is kept for a time that is over, which is who made free calls; gives how many rows went."""
        forgotten = 0
        with suppress(StoreUnavailable):  # the next time finds them again
            while count := await self._free_tier.forget(self._clock(), TIDIED_AT_ONCE):
                forgotten += count
        return forgotten

    async def _written(self, settling: Settling) -> int:
        """Offer the store what it could not take before; gives how many it took."""
        try:
            return await settling.writing.write_held()
        except Exception:  # noqa: BLE001  (a fault of ours with one settlement must not end the reconciler)
            self._tell("order.failed", "")
            return 0

    async def _swept(self, settling: Settling, row: PaymentRow) -> bool | None:
        """Tell whether a row is at its end now; None where that cannot be found out for a fault."""
        try:
            return await settling.sweep(row)
        except StoreUnavailable:
            return None
        except Exception:  # noqa: BLE001  (a fault of ours with one row must not end the reconciler)
            self._tell("order.failed", row.operation)
            return None

    def stop_admitting(self) -> None:
        """Begin to drain: new orders get 503, payments that are known are served on."""
        self._is_open = False
        if self._till is not None:
            self._till.counter.is_open = False

    async def drained(self) -> None:
        """Wait until every paid order under way has come to its end, and write what the store could not take before."""
        while self._under_way:
            await asyncio.wait(self._under_way)
        if self._till is not None:
            await self._till.settling.writing.write_held(at_once=True)

    async def _for_free(self, order: Order) -> Outcome:
        if not self._is_open:
            return not_admitting()
        given = admitted(order)
        if isinstance(given, Refusal):
            return declined(order, given)
        sold = self._resources.get(SOLD_INSTEAD)
        if self._till is None or sold is None or sold.price == 0 or await self._free.is_allowed(order, sold):
            return await self._free.take(order, given)
        return await self._till.counter.offered(replace(order, resource=sold))

    async def _to_its_end(self, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        task = asyncio.get_running_loop().create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: "asyncio.Task[Outcome]") -> None:
        self._under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            # Retrieved here: the caller may be gone, and the row tells where the payment stands.
            self._tell("order.failed", "")


async def _unpaid(order: Order, counter: Counter) -> Outcome:
    given = admitted(order)
    if isinstance(given, Refusal):
        return declined(order, given)
    offer = await counter.open_offer(order.resource)
    return offer if isinstance(offer, Declined) else await counter.offered(order)


def _till(  # noqa: PLR0913  (the parts of a paid service, each named by its keyword)
    settings: Settings,
    *,
    payments: Payments,
    workshop: Workshop,
    clock: Clock,
    facilitator: Facilitator | None,
    chain: ChainLookup | None,
    offers: Offers,
    server_key: bytes,
    timing: Timing,
    tell: Callable[[str, str], None],
) -> Till:
    """Put together what paid orders are worked with. Raises `TheirError`: `facilitator_unset`."""
    if facilitator is None:
        raise TheirError("facilitator_unset")
    writing = Writing(
        payments=payments,
        chain=chain,
        clock=clock,
        timing=timing,
        house=frozenset(wallet.lower() for wallet in settings.house_wallets),
    )
    return Till(
        payments=payments,
        facilitator=facilitator,
        counter=Counter(offers=offers, facilitator=facilitator, server_key=server_key, clock=clock),
        settling=Settling(
            payments=payments,
            facilitator=facilitator,
            chain=chain,
            clock=clock,
            timing=timing,
            writing=writing,
        ),
        workshop=workshop,
        clock=clock,
        timing=timing,
        is_id_required=settings.payment_identifier == "required",
        tell=tell,
    )
