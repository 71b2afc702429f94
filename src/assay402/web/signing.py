"""What the service signs with the key of the moment: answers, offers and receipts."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from assay402.attest.offers import offers_extension, receipt_extension, sign_offer, sign_receipt
from assay402.attest.ring_file import LiveRing
from assay402.attest.signature import SIGNATURE_HEADER, sign_answer
from assay402.core.strictjson import JSON
from assay402.service.order import Resource
from assay402.service.work import Sign

_SERVER_KEY: Final = b"assay402 server key 1"


def signing(ring: LiveRing, clock: Callable[[], datetime]) -> Sign:
    """Give what signs an answer: its exact bytes, with the contract and version it was made by."""

    def sign(resource: Resource, body: bytes) -> tuple[tuple[str, str], ...]:
        now = clock()
        version = f"{resource.check.service} {resource.check.version}"
        signature = sign_answer(body, ring.at(now).signer(now), issued_at=now, version=version)
        return ((SIGNATURE_HEADER, signature),)

    return sign


def server_key(ring: LiveRing, now: datetime) -> bytes:
    """Make the key of quotes from the signing key, so that replicas with the same key agree without another secret."""
    return hashlib.sha256(ring.at(now).signer(now).sign(_SERVER_KEY)).digest()


class RingOfferReceipts:
    """Signs x402's offers and receipts with the key of the moment. A receipt leaves the transaction out."""

    def __init__(self, ring: LiveRing, offer_seconds: int) -> None:
        self._ring: Final = ring
        self._offered: Final = timedelta(seconds=offer_seconds)

    def offers(
        self, resource_url: str, accepts: Sequence[Mapping[str, JSON]], now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of an offer: each of its requirements signed, with the time until which it stands."""
        signer = self._ring.at(now).signer(now)
        return offers_extension(
            [
                sign_offer(signer, resource_url, each, valid_until=now + self._offered, accept_index=place)
                for place, each in enumerate(accepts)
            ]
        )

    def receipt(
        self, resource_url: str, network: str, payer: str, transaction: str, now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of a settlement: signed that this payer was served."""
        del transaction
        signer = self._ring.at(now).signer(now)
        return receipt_extension(
            sign_receipt(signer, resource_url=resource_url, network=network, payer=payer, issued_at=now)
        )
