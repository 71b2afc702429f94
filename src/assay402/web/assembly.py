"""Puts the service together from its settings: keys, database, network, facilitator, orders."""

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from assay402.attest.keys import did_of
from assay402.attest.publication import did_document, jwks
from assay402.attest.ring_file import LiveRing
from assay402.attest.signature import SIGNATURE_HEADER, sign_answer
from assay402.mcp_server.progress import telling
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.chain import EVMLookup
from assay402.net.clock import utc_now
from assay402.net.facilitator import HTTPFacilitator, operators_fetcher
from assay402.net.http import Fetcher
from assay402.service.order import Resource
from assay402.service.orders import Orders
from assay402.service.resources import resources
from assay402.service.settings import Settings
from assay402.service.telemetry import Telemetry
from assay402.service.work import Sign
from assay402.store.opening import open_store
from assay402.web.serving import Serving

KEYS: Final = "keys"
"""The folder of the key ring in the data directory."""
_SERVER_KEY: Final = b"assay402 server key 1"


@asynccontextmanager
async def assembled(
    settings: Settings, data_dir: Path, telemetry: Telemetry, clock: Callable[[], datetime] = utc_now
) -> AsyncIterator[Serving]:
    """Open what the service needs, and close it at the end. The first start makes the key and the database.

    Raises:
        TheirError: for a key, a database or a file that cannot be used, with its code.
        StoreUnavailable: where the database cannot be opened.

    """
    ring = ring_of(settings, data_dir)
    ring.at(clock())
    offered = resources(settings)
    store = await open_store(settings.database, data_dir)
    try:
        orders = Orders(
            settings=settings,
            resources=offered,
            payments=store.payments,
            free_tier=store.free_tier,
            facilitator=_facilitator(settings),
            chain=EVMLookup(dict(settings.rpc_urls), fetcher=operators_fetcher()),
            answerer=telling(NetworkAnswerer(Fetcher(own_addresses=settings.own_addresses), clock=clock)),
            gather=at_once,
            clock=clock,
            tell=telemetry.told,
            sign=_signing(ring, clock),
            server_key=_server_key(ring, clock()),
        )
        yield Serving(
            settings=settings,
            resources=offered,
            orders=orders,
            telemetry=telemetry,
            jwks=lambda: jwks(ring.at(clock())),
            did_document=None if settings.public_url is None else lambda: did_document(ring.at(clock())),
            health={"database": store.is_writable},
        )
    finally:
        await store.close()


def _facilitator(settings: Settings) -> HTTPFacilitator | None:
    if settings.facilitator_url is None:
        return None
    return HTTPFacilitator(
        settings.facilitator_url, fetcher=operators_fetcher(), headers=settings.facilitator_headers
    )


def ring_of(settings: Settings, data_dir: Path) -> LiveRing:
    """Give the key ring of a service."""
    return LiveRing(
        data_dir / KEYS,
        did=did_of(settings.public_url, settings.port),
        address=settings.signing_key,
    )


def _signing(ring: LiveRing, clock: Callable[[], datetime]) -> Sign:
    def sign(resource: Resource, body: bytes) -> tuple[tuple[str, str], ...]:
        now = clock()
        version = f"{resource.check.service} {resource.check.version}"
        signature = sign_answer(body, ring.at(now).signer(now), issued_at=now, version=version)
        return ((SIGNATURE_HEADER, signature),)

    return sign


def _server_key(ring: LiveRing, now: datetime) -> bytes:
    """Make the key of quotes from the signing key, so that replicas with the same key agree without another secret."""
    return hashlib.sha256(ring.at(now).signer(now).sign(_SERVER_KEY)).digest()
