"""The table of routes: every path of the service, and what answers there."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final

from assay402.attest.publication import DID_PATH, JWKS_PATH
from assay402.checks.dialect.criteria import criteria
from assay402.core.strictjson import JSON, write
from assay402.service.discovery import OPENAPI_PATH
from assay402.service.resources import by_path
from assay402.web.answers import PROMETHEUS_TYPE, HTTPAnswer
from assay402.web.contract import PATH as CONTRACT
from assay402.web.contract import contract
from assay402.web.endpoints import OpenEndpoint, OrderEndpoint, ReceiptEndpoint
from assay402.web.limits import Bodies
from assay402.web.openapi import openapi
from assay402.web.requests import networks_of
from assay402.web.rooms import Rooms
from assay402.web.serving import Serving
from assay402.web.wellknown import paid_resources

RECEIPTS: Final = "/api/v1/receipts/{receipt_id}"
READY_SECONDS: Final = 2.0
"""How long a look at the database or the facilitator may take before it counts as not reachable."""

AnyEndpoint = OrderEndpoint | ReceiptEndpoint | OpenEndpoint


class Draining:
    """Whether the service is about to stop."""

    def __init__(self) -> None:
        self.began = False


def routes(
    serving: Serving, bodies: Bodies, rooms: Rooms, draining: Draining
) -> Iterator[tuple[str, AnyEndpoint]]:
    """Give every path with its endpoint. The parts of a check that is not offered are not there."""
    yield "/healthz", _fixed("healthz", {"alive": True})
    yield "/readyz", OpenEndpoint("readyz", _readiness(serving, draining))
    yield "/metrics", OpenEndpoint("metrics", _metrics(serving, None))
    yield OPENAPI_PATH, _fixed("openapi", openapi(serving.settings, serving.resources))
    yield "/.well-known/x402", _fixed("well-known", paid_resources(serving.settings, serving.resources))
    yield JWKS_PATH, OpenEndpoint("well-known", _made(serving.jwks))
    if serving.did_document is not None:
        yield DID_PATH, OpenEndpoint("well-known", _made(serving.did_document))
    offered = {resource.check.name for resource in serving.resources}
    if "dialect" in offered:
        yield "/dialect-check/criteria", _fixed("criteria", criteria())
        yield "/dialect-check/metrics", OpenEndpoint("metrics", _metrics(serving, _is_about_dialect))
    if "deliverable" in offered:
        yield CONTRACT, _fixed("contract", contract(serving.settings, serving.resources))
    if "claims" in offered:
        yield RECEIPTS, ReceiptEndpoint(serving.orders)
    proxies = networks_of(serving.settings.trusted_proxies)
    for path, by_profile in by_path(serving.resources).items():
        yield path, OrderEndpoint(by_profile, serving.orders, bodies, rooms, proxies, signs=serving.signs)


def _fixed(route: str, document: Mapping[str, JSON]) -> OpenEndpoint:
    answer = HTTPAnswer(status=200, body=write(document))

    async def give() -> HTTPAnswer:
        return answer

    return OpenEndpoint(route, give)


def _made(make: Callable[[], bytes]) -> Callable[[], Awaitable[HTTPAnswer]]:
    async def give() -> HTTPAnswer:
        return HTTPAnswer(status=200, body=make())

    return give


def _readiness(serving: Serving, draining: Draining) -> Callable[[], Awaitable[HTTPAnswer]]:
    async def look(reach: Callable[[], Awaitable[bool]]) -> bool:
        try:
            async with asyncio.timeout(READY_SECONDS):
                return await reach()
        except TimeoutError:
            return False

    async def give() -> HTTPAnswer:
        found = {name: await look(reach) for name, reach in serving.health.items()}
        is_ready = all(found.values()) and not draining.began
        document = {"ready": is_ready, "draining": draining.began, **found}
        headers = () if is_ready else (("Retry-After", "5"),)
        return HTTPAnswer(status=200 if is_ready else 503, body=write(document), headers=headers)

    return give


def _metrics(
    serving: Serving, only: Callable[[Mapping[str, str]], bool] | None
) -> Callable[[], Awaitable[HTTPAnswer]]:
    async def give() -> HTTPAnswer:
        return HTTPAnswer(status=200, body=serving.telemetry.exposition(only), content_type=PROMETHEUS_TYPE)

    return give


def _is_about_dialect(labels: Mapping[str, str]) -> bool:
    return labels.get("check") == "dialect" or labels.get("route", "").startswith("dialect/")
