"""What the service signs with the key of the moment: answers, offers and receipts."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from assay402.attest.codes import KeysUnusable
from assay402.attest.keys import Signer
from assay402.attest.offers import offers_extension, receipt_extension, sign_offer, sign_receipt
from assay402.attest.ring_file import LiveRing
from assay402.attest.signature import SIGNATURE_HEADER, sign_answer
from assay402.core.strictjson import JSON
from assay402.net.clock import utc_now
from assay402.service.order import Resource
from assay402.service.work import Sign

_SERVER_KEY: Final = b"assay402 server key 1"


class SteadyRing:
    """The ring, looked at anew once a second at most: a look reads a folder, which each answer need not pay for."""

    def __init__(self, ring: LiveRing) -> None:
        self._ring: Final = ring
        self._second = datetime.min.replace(tzinfo=UTC)
        self._signer: Signer | None = None

    def signer(self, now: datetime) -> Signer:
        """Give the key that signs now. Raises as the ring."""
        second = now.replace(microsecond=0)
        if self._signer is None or second != self._second:
            self._signer = self._ring.at(now).signer(now)
            self._second = second
        return self._signer


def signing(ring: LiveRing, clock: Callable[[], datetime]) -> Sign:
    """Give what signs an answer: its exact bytes, with the contract and version it was made by."""
    steady = SteadyRing(ring)

    def sign(resource: Resource, body: bytes) -> tuple[tuple[str, str], ...]:
        now = clock()
        version = f"{resource.check.service} {resource.check.version}"
        signature = sign_answer(body, steady.signer(now), issued_at=now, version=version)
        return ((SIGNATURE_HEADER, signature),)

    return sign


def server_key(ring: LiveRing, now: datetime) -> bytes:
    """Make the key of quotes from the signing key, so that replicas with the same key agree without another secret."""
    return hashlib.sha256(ring.at(now).signer(now).sign(_SERVER_KEY)).digest()


class RingOfferReceipts:
    """Signs x402's offers and receipts with the key of the moment. A receipt leaves the transaction out."""

    def __init__(self, ring: LiveRing, offer_seconds: int) -> None:
        self._ring: Final = SteadyRing(ring)
        self._offered: Final = timedelta(seconds=offer_seconds)
        self._second = datetime.min.replace(tzinfo=UTC)
        self._made: dict[str, Mapping[str, JSON]] = {}

    def offers(
        self, resource_url: str, accepts: Sequence[Mapping[str, JSON]], now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of an offer: each of its requirements signed, with the time until which it stands.

        The same offer in the same second is signed once.
        """
        second = now.replace(microsecond=0)
        if second != self._second:
            self._second, self._made = second, {}
        key = f"{resource_url} {accepts!r}"
        if key not in self._made:
            signer = self._ring.signer(now)
            self._made[key] = offers_extension(
                [
                    sign_offer(
                        signer, resource_url, each, valid_until=second + self._offered, accept_index=place
                    )
                    for place, each in enumerate(accepts)
                ]
            )
        return self._made[key]

    def receipt(
        self, resource_url: str, network: str, payer: str, transaction: str, now: datetime
    ) -> Mapping[str, JSON]:
        """Give the extension of a settlement: signed that this payer was served, with the key of `now`, its time."""
        del transaction
        try:
            signer = self._ring.signer(now)
        except KeysUnusable:
            # A replay after the service has taken another name: the keys of the old one are gone.
            signer = self._ring.signer(utc_now())
        return receipt_extension(
            sign_receipt(signer, resource_url=resource_url, network=network, payer=payer, issued_at=now)
        )
