"""Doing the work of an order: run the operation, publish its result, sign the exact bytes. Paid or not makes no difference here."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

from msgspec import Struct

from assay402.core.asks import Answer, Ask, AsyncAnswerer, At, Failed, Gather, Now, adrive, drive
from assay402.core.canon import sha256_hex
from assay402.core.check import Custody, Refusal
from assay402.core.errors import OurError
from assay402.core.opinions import Envelope, Enveloped, Judge
from assay402.core.strictjson import write
from assay402.envelope import local_envelope
from assay402.service.entries import entry_of
from assay402.service.order import QUOTED, Order, Resource
from assay402.service.ports import Entry

INLINE_BYTES: Final = 16_384
"""Requests up to this length are worked on at once; longer ones without a network go to a thread, so that others are served."""
EVIDENCE_CUTOFF: Final = "Assay-Evidence-Cutoff"
_NOT_PRODUCED: Final = "DETERMINATION_NOT_PRODUCED"

Clock: TypeAlias = Callable[[], datetime]
Sign: TypeAlias = Callable[[Resource, bytes], tuple[tuple[str, str], ...]]
"""Gives the headers that sign exact bytes of a resource, such as `Assay-Signature`; none where nothing is signed."""
Token: TypeAlias = Callable[[int], bytes]
"""Gives so many unpredictable bytes."""


class Paid(Struct, frozen=True, kw_only=True):
    """Who pays for a run, and with what."""

    payer: str
    payload_sha256: str
    idempotency_key: str | None


class Product(Struct, frozen=True, kw_only=True):
    """An answer, ready to be kept and sent."""

    request_id: str | None
    """Of an answer that is a receipt."""
    body: bytes
    headers: tuple[tuple[str, str], ...]
    entry: Entry | None
    """The ledger's words, of work that was paid for."""
    bearer_sha256: str | None
    """Of the secret that shows a receipt to be its holder's, in hex."""


class Workshop:
    """Runs operations. `answerer` and `gather` are the network's; the clock and the random bytes are given."""

    def __init__(
        self, *, answerer: AsyncAnswerer, gather: Gather, sign: Sign, clock: Clock, token: Token
    ) -> None:
        self._answerer: Final = answerer
        self._gather: Final = gather
        self._sign: Final = sign
        self._clock: Final = clock
        self._token: Final = token

    async def make(self, order: Order, given: Any, paid: Paid | None) -> Product | Refusal:  # noqa: ANN401  (the operation's own input)
        """Do the work of an admitted order within its time.

        Raises:
            TimeoutError: where it takes longer.

        """
        published = await self._run(order, given, paid)
        return published if isinstance(published, Refusal) else self._product(order, published, paid)

    def new_id(self) -> str:
        """Give a random UUIDv4."""
        return str(UUID(bytes=self._token(16), version=4))

    async def _run(self, order: Order, given: Any, paid: Paid | None) -> Mapping[str, Any] | Refusal:  # noqa: ANN401  (as above)
        operation = order.resource.operation

        def work() -> Any:  # noqa: ANN401  (the operation's own result)
            return drive(operation.run(given), self._alone(paid))

        if operation.offline(given) is not None:
            async with asyncio.timeout(order.resource.work_seconds):
                result = await adrive(operation.run(given), self._online(paid), self._gather)
        elif len(order.request) <= INLINE_BYTES:
            result = work()
        else:
            async with asyncio.timeout(order.resource.work_seconds):
                result = await asyncio.to_thread(work)
        return result if isinstance(result, Refusal) else operation.publish(result)

    def _alone(self, paid: Paid | None) -> Callable[[Ask], Answer]:
        def answer(ask: Ask) -> Answer:
            match ask:
                case Now():
                    return At(moment=self._clock())
                case Envelope():
                    return self._envelope(ask, paid)
                case Judge():
                    return Failed(state="unreachable")
            raise OurError("internal")

        return answer

    def _online(self, paid: Paid | None) -> AsyncAnswerer:
        async def answer(ask: Ask) -> Answer:
            return self._envelope(ask, paid) if isinstance(ask, Envelope) else await self._answerer(ask)

        return answer

    def _envelope(self, ask: Envelope, paid: Paid | None) -> Enveloped:
        if paid is None:
            return local_envelope(self._clock())
        request_id = self.new_id()
        return Enveloped(
            request_id=request_id,
            nonce=self._token(32).hex(),
            moment=self._clock(),
            actor_id=paid.payer,
            tenant_id=f"payment:{paid.payload_sha256}",
            tenant_model="PAYMENT_CONTEXT_ISOLATION",
            credential_id=None,
            idempotency_key=paid.idempotency_key or request_id,
            payment_context_hash=paid.payload_sha256,
            payment_status="AUTHORIZED_PENDING_GATEWAY_SETTLEMENT",
            billable=ask.determination != _NOT_PRODUCED,
            billing_reason="PAID_PER_DETERMINATION",
        )

    def _cutoff(self, resource: Resource) -> tuple[tuple[str, str], ...]:
        """Give the time of the work beside an acceptance, whose contract wants it and whose answer holds no time."""
        if resource.check.name != QUOTED:
            return ()
        now = self._clock().astimezone(UTC).replace(microsecond=0, tzinfo=None)
        return ((EVIDENCE_CUTOFF, f"{now.isoformat()}Z"),)

    def _product(self, order: Order, published: Mapping[str, Any], paid: Paid | None) -> Product:
        resource, body = order.resource, write(published)
        signature = self._sign(resource, body) if order.wants_signature or resource.is_signed_unasked else ()
        binding = published.get("binding")
        has_receipt = isinstance(binding, Mapping) and "request_id" in published
        secret = binding["nonce"] if isinstance(binding, Mapping) and paid is not None else None
        return Product(
            request_id=published["request_id"] if has_receipt else None,
            body=body,
            headers=(*signature, *self._cutoff(resource)),
            entry=None if paid is None else entry_of(resource.check, published),
            bearer_sha256=None if secret is None else sha256_hex(secret.encode()),
        )


def keeps_answers(resource: Resource) -> bool:
    """Tell whether the room of a resource keeps its answers."""
    return resource.check.custody is Custody.ANSWER
