"""Orders without a gate, for tests of the HTTP face: admit, run, publish; outcomes of the gate as a test wants them."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from assay402.core.asks import Answer, Ask, At, Failed, Fetch, Now, adrive
from assay402.core.check import Refusal
from assay402.core.opinions import Envelope
from assay402.core.strictjson import write
from assay402.envelope import local_envelope
from assay402.service.order import Declined, Delivered, Order, Outcome, UnreadablePayment

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


async def answerer(ask: Ask) -> Answer:
    match ask:
        case Now():
            return At(moment=MOMENT)
        case Envelope():
            return local_envelope(MOMENT)
        case Fetch():
            return Failed(state="unreachable")
    raise AssertionError(type(ask))


class PlainOrders:
    """Takes orders for free. `instead` gives an outcome of its own for an order, or None."""

    def __init__(self, instead: Callable[[Order], Outcome | None] = lambda _order: None) -> None:
        self.instead = instead
        self.taken: list[Order] = []
        self.receipts: dict[str, bytes] = {}
        self.asked_receipts: list[tuple[str, str | None, str | None]] = []
        self.admits = True
        self.gate: asyncio.Event | None = None
        self.entered = 0

    async def take(self, order: Order) -> Outcome:
        """Take an order, as the gate would without payments."""
        self.taken.append(order)
        self.entered += 1
        if not self.admits:
            return Declined(status=503, code="not_admitting", retry_after_seconds=5)
        if self.gate is not None:
            await self.gate.wait()
        outcome = self.instead(order)
        if outcome is not None:
            return outcome
        if isinstance(order.payment, UnreadablePayment):
            return Declined(status=400, code=order.payment.code)
        return await self._run(order)

    async def _run(self, order: Order) -> Outcome:
        operation = order.resource.operation
        given = operation.admit(operation.read(order.request, operation.request_bytes))
        result = given if isinstance(given, Refusal) else await adrive(operation.run(given), answerer)
        if isinstance(result, Refusal):
            own = operation.publish_refusal is not Refusal.published
            return Declined(
                status=400, code=result.code, body=operation.publish_refusal(result) if own else None
            )
        published = operation.publish(result)
        body = write(published)
        if isinstance(published.get("request_id"), str):
            self.receipts[published["request_id"]] = body
        return Delivered(body=body, headers=(("Assay-Signature", "aGVhZA..c2lnbg"),))

    async def receipt(
        self, answer_id: str, *, bearer: str | None = None, sign_in: str | None = None
    ) -> Delivered | Declined:
        """Give what was answered under an id."""
        self.asked_receipts.append((answer_id, bearer, sign_in))
        if answer_id not in self.receipts:
            return Declined(status=404, code="receipt_unknown")
        return Delivered(body=self.receipts[answer_id])

    def stop_admitting(self) -> None:
        """Take nothing new."""
        self.admits = False

    async def reconcile(self) -> int:
        """Find nothing in doubt."""
        return 0

    async def tidy(self) -> int:
        """Find nothing whose time is over."""
        return 0

    async def drained(self) -> None:
        """Have nothing under way."""
        return


def jwks() -> bytes:
    return b'{"keys":[]}'
