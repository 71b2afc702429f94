"""Orders nobody pays for: those of a service that takes no payments, those without a price, and the free pre-check."""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from assay402.core.check import Refusal, read_request
from assay402.core.strictjson import JSON
from assay402.service.admission import declined
from assay402.service.identifiers import BadIdentifier, Identifiers, identifiers, request_sha256, with_own_key
from assay402.service.order import Declined, Delivered, Order, Outcome, Resource
from assay402.service.ports import FreeTier, KeptAnswer, Payments
from assay402.service.work import Clock, Product, Workshop, keeps_answers
from assay402.wire.address import is_evm_address

PRECHECK: Final = "dialect/precheck"
"""The operation with a free allowance."""
SOLD_INSTEAD: Final = "dialect/check"
"""What is offered where the allowance is used up."""
PER_CALLER: Final = 100
"""Free pre-checks of a caller a day (UTC)."""
INTERVAL_MS: Final = 5_000
"""Between two of them."""
PER_ADDRESS: Final = 500
"""Free pre-checks of a client address a day, whoever calls from there."""
COUNTED: Final = "call:"
"""How the name of a bucket begins whose calls a review counts: the last that is taken for each free call."""
LOCAL: Final = "local"
"""The scope of everybody where nobody pays."""


class FreeOrders:
    """Takes orders for nothing. `is_local` where the service takes no payments at all."""

    def __init__(  # noqa: PLR0913  (the parts it works with, each named by its keyword)
        self,
        *,
        payments: Payments,
        free_tier: FreeTier,
        workshop: Workshop,
        clock: Clock,
        server_key: bytes,
        is_local: bool,
    ) -> None:
        self._payments: Final = payments
        self._free_tier: Final = free_tier
        self._workshop: Final = workshop
        self._clock: Final = clock
        self._key: Final = server_key
        self._is_local: Final = is_local

    async def is_allowed(self, order: Order, sold: Resource) -> bool:
        """Count a free pre-check; False where its allowance is used up. Other operations have no allowance to use up.

        A request that `sold`, which is offered instead, would refuse is not counted: there is nothing to sell to it.
        """
        if self._is_local or order.resource.name != PRECHECK:
            return True
        request = read_request(order.request, order.resource.operation.request_bytes)
        if not _is_sellable(request, sold):
            return True
        address, caller, now = f"address {order.client_address}", _caller(request), self._clock()
        bucket = address if caller is None else f"caller {caller}"
        return await self._free_tier.take(
            self._bucket(bucket), now, PER_CALLER, INTERVAL_MS
        ) and await self._free_tier.take(COUNTED + self._bucket(f"all {address}"), now, PER_ADDRESS, 0)

    async def take(self, order: Order, given: Any) -> Outcome:  # noqa: ANN401  (the operation's own input)
        """Take an admitted order to its end.

        Raises:
            StoreUnavailable: where an answer that must be kept cannot be.

        """
        names = identifiers(replace(order, payment=None), is_required=False)
        if isinstance(names, BadIdentifier):
            return Declined(status=400, code=names.code)
        names = with_own_key(names, given)
        if not self._is_local or not keeps_answers(order.resource):
            names = Identifiers(payment_id=None, idempotency_key=None)
        if names.idempotency_key is not None:
            kept = await self._payments.local_answer(order.resource.name, names.idempotency_key)
            if kept is not None:
                return _given_again(order, kept)
        product = await self._workshop.make(order, given, None)
        return (
            declined(order, product)
            if isinstance(product, Refusal)
            else await self._deliver(order, product, names)
        )

    async def _deliver(self, order: Order, product: Product, names: Identifiers) -> Outcome:
        """Keep the answer where somebody may come back for it, and give it; an earlier one under the same key stands."""
        key = names.idempotency_key
        if keeps_answers(order.resource) and (key is not None or product.request_id is not None):
            ours = KeptAnswer(
                id=product.request_id or self._workshop.new_id(),
                scope=LOCAL,
                operation=order.resource.name,
                request_sha256=request_sha256(order),
                idempotency_key=key,
                payment_key=None,
                body=product.body,
                headers=product.headers,
                bearer_sha256=None,
                kept_at=self._clock(),
            )
            kept = await self._payments.keep_local(ours)
            if kept.id != ours.id:
                return _given_again(order, kept)
        return Delivered(body=product.body, headers=product.headers)

    def _bucket(self, name: str) -> str:
        """Name a bucket so that neither a wallet nor an address is written down, nor a digest anybody could compute."""
        return hmac.new(self._key, name.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _given_again(order: Order, kept: KeptAnswer) -> Outcome:
    if kept.request_sha256 != request_sha256(order):
        return Declined(status=409, code="idempotency_key_conflict")
    return Delivered(body=kept.body, headers=kept.headers, is_replay=True)


def _is_sellable(request: JSON | Refusal, sold: Resource) -> bool:
    """Tell whether the operation that is sold would admit a request, without the name of who calls."""
    if isinstance(request, Mapping) and "caller" in request:
        if not isinstance(request["caller"], str):
            return False
        request = {name: value for name, value in request.items() if name != "caller"}
    return not isinstance(sold.operation.admit(request), Refusal)


def _caller(request: JSON | Refusal) -> str | None:
    """Read who says to call; a wallet address counts as one whatever its case."""
    caller = request.get("caller") if isinstance(request, Mapping) else None
    if not isinstance(caller, str) or not caller:
        return None
    return caller.lower() if is_evm_address(caller) else caller
