"""The table of routes: every path of the service, and what answers there."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from assay402.checks.deliverable.published import contract_document
from assay402.checks.dialect.criteria import criteria
from assay402.core.strictjson import JSON, write
from assay402.service.order import Resource
from assay402.service.resources import DELIVERABLE
from assay402.web.answers import PROMETHEUS_TYPE, HTTPAnswer
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
    yield "/openapi.json", _fixed("openapi", openapi(serving.settings, serving.resources))
    yield "/.well-known/x402", _fixed("well-known", paid_resources(serving.settings, serving.resources))
    yield "/.well-known/jwks.json", OpenEndpoint("well-known", _made(serving.jwks))
    if serving.did_document is not None:
        yield "/.well-known/did.json", OpenEndpoint("well-known", _made(serving.did_document))
    offered = {resource.check.name for resource in serving.resources}
    if "dialect" in offered:
        yield "/dialect-check/criteria", _fixed("criteria", criteria())
        yield "/dialect-check/metrics", OpenEndpoint("metrics", _metrics(serving, _is_about_dialect))
    if "deliverable" in offered:
        yield "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json", _fixed("contract", _contract(serving.resources))
    if "claims" in offered:
        yield RECEIPTS, ReceiptEndpoint(serving.orders)
    proxies = networks_of(serving.settings.trusted_proxies)
    for path, by_profile in _by_path(serving.resources).items():
        yield path, OrderEndpoint(by_profile, serving.orders, bodies, rooms, proxies, signs=serving.signs)


def _by_path(resources: Iterable[Resource]) -> dict[str, dict[str, Resource]]:
    """Group resources by path; the one without a profile in its address stands first."""
    found: dict[str, dict[str, Resource]] = {}
    for resource in sorted(resources, key=lambda each: "?" in each.path):
        path = resource.path.partition("?")[0]
        found.setdefault(path, {})[resource.profile or ""] = resource
    return found


def _contract(resources: Iterable[Resource]) -> dict[str, Any]:
    """Give the contract document with what the service adds: where it is served, and for how much."""
    price = next(each.price for each in resources if each.name == "deliverable/check")
    return {
        **contract_document(),
        "docsPath": "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json",
        "resourcePath": DELIVERABLE,
        "pricing": {"currency": "USD", "floorUsd": f"{price / 1_000_000:.6f}".rstrip("0").rstrip(".")},
    }


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
