"""Puts the service together from its settings: keys, database, network, facilitator, orders."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from assay402.attest.keys import did_of
from assay402.attest.publication import did_document, jwks
from assay402.attest.ring_file import LiveRing
from assay402.core.asks import Failed, Fetch, Fetched
from assay402.core.errors import JSONUnreadable, TheirError
from assay402.core.strictjson import JSON, read
from assay402.mcp_server.progress import telling
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.chain import EVMLookup
from assay402.net.clock import utc_now
from assay402.net.facilitator import HTTPFacilitator, operators_fetcher
from assay402.net.http import Fetcher
from assay402.service.orders import Orders
from assay402.service.ports import ChainLookup, Facilitator
from assay402.service.resources import resources
from assay402.service.settings import Settings
from assay402.service.telemetry import Telemetry
from assay402.store.opening import open_store
from assay402.web.serving import Serving
from assay402.web.signing import RingOfferReceipts, server_key, signing

KEYS: Final = "keys"
"""The folder of the key ring in the data directory."""
MAX_TERMS: Final = 65_536
"""Bytes of the file with the terms that offers carry."""


class Outside(Struct, frozen=True, kw_only=True):
    """What the service reaches the world through, where a test or the sandbox replaces it. No setting gets here."""

    fetcher: Callable[[Fetch], Awaitable[Fetched | Failed]] | None = None
    """Fetches what requests name; by default with every address judged."""
    facilitator: Facilitator | None = None
    chain: ChainLookup | None = None
    clock: Callable[[], datetime] = utc_now


@asynccontextmanager
async def assembled(
    settings: Settings, data_dir: Path, telemetry: Telemetry, outside: Outside | None = None
) -> AsyncIterator[Serving]:
    """Open what the service needs, and close it at the end. The first start makes the key and the database.

    Raises:
        TheirError: for a key, a database or a file that cannot be used, with its code.
        StoreUnavailable: where the database cannot be opened.

    """
    outside = Outside() if outside is None else outside
    clock = outside.clock
    ring = ring_of(settings, data_dir)
    ring.at(clock())
    offered = resources(settings)
    fetcher = outside.fetcher or Fetcher(own_addresses=settings.own_addresses)
    facilitator = outside.facilitator or _facilitator(settings)
    terms = _terms(settings)
    store = await open_store(settings.database, data_dir)
    try:
        orders = Orders(
            settings=settings,
            resources=offered,
            payments=store.payments,
            free_tier=store.free_tier,
            answerer=telling(NetworkAnswerer(fetcher, clock=clock)),
            gather=at_once,
            clock=clock,
            sign=signing(ring, clock),
            server_key=server_key(ring, clock()),
            facilitator=facilitator,
            chain=outside.chain or _chain(settings),
            offer_receipts=RingOfferReceipts(ring, settings.max_timeout_seconds),
            terms=terms,
            tell=telemetry.told,
        )
        health = {"database": store.is_writable}
        yield Serving(
            settings=settings,
            resources=offered,
            orders=orders,
            telemetry=telemetry,
            jwks=lambda: jwks(ring.at(clock())),
            did_document=None if settings.public_url is None else lambda: did_document(ring.at(clock())),
            health=health if facilitator is None else {**health, "facilitator": facilitator.is_reachable},
        )
    finally:
        await store.close()


def ring_of(settings: Settings, data_dir: Path) -> LiveRing:
    """Give the key ring of a service."""
    return LiveRing(data_dir / KEYS, did=did_of(settings.public_url), address=settings.signing_key)


def _facilitator(settings: Settings) -> Facilitator | None:
    if settings.payments == "off" or settings.facilitator_url is None:
        return None
    return HTTPFacilitator(
        settings.facilitator_url, fetcher=operators_fetcher(), headers=settings.facilitator_headers
    )


def _chain(settings: Settings) -> ChainLookup | None:
    return EVMLookup(dict(settings.rpc_urls), fetcher=operators_fetcher()) if settings.rpc_urls else None


def without_node(settings: Settings) -> tuple[str, ...]:
    """Give the networks of payments that could be looked up, if a node were named for them."""
    if settings.payments == "off":
        return ()
    named = dict(settings.rpc_urls)
    return tuple(each for each in settings.networks if each.startswith("eip155:") and each not in named)


def _terms(settings: Settings) -> Mapping[str, JSON] | None:
    """Read the terms that offers carry.

    Raises:
        TheirError: `terms_file`.

    """
    if settings.terms_file is None:
        return None
    found: Any = None
    with suppress(OSError, JSONUnreadable):
        found = read(Path(settings.terms_file).read_bytes(), max_bytes=MAX_TERMS)
    if not isinstance(found, Mapping):
        raise TheirError("terms_file")
    return found
