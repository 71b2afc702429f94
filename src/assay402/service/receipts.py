"""Receipts: kept answers given again by their id, to those who may have them. Who may not is told there is none."""

import hmac
from hashlib import sha256
from typing import Final

from assay402.core.canon import sha256_hex
from assay402.service.order import Declined, Delivered
from assay402.service.ports import FreeTier, KeptAnswer, Payments
from assay402.service.sign_in import MAX_AGE, signed_in
from assay402.service.work import Clock

_LONGEST_SECRET: Final = 256
_LONGEST_ID: Final = 64
_MANY: Final = 1_000_000
_ONCE_MS: Final = 2 * int(MAX_AGE.total_seconds()) * 1_000
"""A nonce is not taken again for twice as long as a statement holds."""


class Receipts:
    """Gives receipts. `public_url` is whom a sign-in must be addressed to; the counter of `free_tier` uses nonces up."""

    def __init__(
        self, *, payments: Payments, free_tier: FreeTier, public_url: str, server_key: bytes, clock: Clock
    ) -> None:
        self._payments: Final = payments
        self._free_tier: Final = free_tier
        self._url: Final = public_url
        self._key: Final = server_key
        self._clock: Final = clock

    async def give(self, answer_id: str, *, bearer: str | None, sign_in: str | None) -> Delivered | Declined:
        """Give a receipt: of an unpaid answer to anybody who knows its id, of a paid one to its payer or its holder.

        Raises:
            StoreUnavailable: where the store cannot be read.

        """
        is_id = len(answer_id) <= _LONGEST_ID and answer_id.isascii() and answer_id.isprintable()
        kept = await self._payments.answer_by_id(answer_id) if is_id else None
        if kept is None or not await self._may_have(kept, bearer, sign_in):
            return Declined(status=404, code="receipt_unknown")
        return Delivered(body=kept.body, headers=kept.headers, is_replay=True)

    async def _may_have(self, kept: KeptAnswer, bearer: str | None, sign_in: str | None) -> bool:
        if kept.payment_key is None:
            return True
        if kept.bearer_sha256 is not None and _is_holder(bearer, kept.bearer_sha256):
            return True
        return sign_in is not None and await self._is_payer(kept, sign_in)

    async def _is_payer(self, kept: KeptAnswer, sign_in: str) -> bool:
        now = self._clock()
        who = signed_in(sign_in, self._url, now)
        if who is None or who.address != kept.scope:
            return False
        nonce = f"sign-in {who.address} {who.nonce}"
        bucket = hmac.new(self._key, nonce.encode(), sha256).hexdigest()
        return await self._free_tier.take(bucket, now, _MANY, _ONCE_MS)


def _is_holder(bearer: str | None, bearer_sha256: str) -> bool:
    if bearer is None or len(bearer) > _LONGEST_SECRET or not bearer.isascii():
        return False
    return hmac.compare_digest(sha256_hex(bearer.encode()), bearer_sha256)
