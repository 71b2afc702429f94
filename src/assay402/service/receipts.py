"""Receipts: kept answers given again by their id, to those who may have them. Who may not is told there is none."""

import hmac
from typing import Final

from assay402.core.canon import sha256_hex
from assay402.service.order import Declined, Delivered
from assay402.service.ports import Payments
from assay402.service.work import Clock

_LONGEST_SECRET: Final = 256


class Receipts:
    """Gives receipts. `public_url` is whom a sign-in must be addressed to."""

    def __init__(self, *, payments: Payments, public_url: str, clock: Clock) -> None:
        self._payments: Final = payments
        self._url: Final = public_url
        self._clock: Final = clock

    async def give(self, answer_id: str, *, bearer: str | None, sign_in: str | None) -> Delivered | Declined:
        """Give a receipt: of an unpaid answer to anybody who knows its id, of a paid one to its payer or its holder.

        Raises:
            StoreUnavailable: where the store cannot be read.

        """
        kept = await self._payments.answer_by_id(answer_id)
        if kept is None or not (kept.bearer_sha256 is None or _is_holder(bearer, kept.bearer_sha256)):
            return Declined(status=404, code="receipt_unknown")
        return Delivered(body=kept.body, headers=kept.headers, is_replay=True)


def _is_holder(bearer: str | None, bearer_sha256: str) -> bool:
    if bearer is None or len(bearer) > _LONGEST_SECRET or not bearer.isascii():
        return False
    return hmac.compare_digest(sha256_hex(bearer.encode()), bearer_sha256)
