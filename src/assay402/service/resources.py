"""What the service offers: one resource for each operation with a face on the network, its path and its price."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from assay402.checks import CHECKS
from assay402.core.check import Check, Faces, Operation
from assay402.service.order import Resource
from assay402.service.settings import Settings

DELIVERABLE: Final = "/api/x402/DELIVERABLE_ACCEPTANCE_CHECK"

PATHS: Final[Mapping[str, str]] = {
    "dialect/precheck": "/dialect-check/precheck",
    "dialect/check": "/dialect-check/check",
    "deliverable/check": DELIVERABLE,
    "deliverable/lint": f"{DELIVERABLE}/lint",
    "claims/diagnose": "/api/v1/diagnose",
    "claims/repair": "/api/v1/repair",
    "claims/verify": "/api/v1/verify",
    "claims/repair-bundle": "/api/v1/repair-bundle",
    "listing/check": "/listing-check/check",
    "terms/place": "/terms/place",
    "terms/extract": "/terms/extract",
    "terms/verify": "/terms/verify",
    "terms/discover": "/terms/discover",
}
"""Where each operation stands. A test holds this to the registry: no operation of the network is without a place."""

PRICES: Final[Mapping[str, int]] = {
    "dialect/check": 10_000,
    "deliverable/check": 40_000,
    "claims/diagnose": 20_000,
    "claims/repair": 20_000,
    "claims/verify": 20_000,
    "claims/repair-bundle": 20_000,
}
"""The contracts' prices in millionths of a US dollar; everything else is free until a setting prices it."""

DEFAULT_PROFILE: Final = "contract"
"""The profile of an operation that has several: over the network a bare path promises the published contract."""


def resources(settings: Settings) -> tuple[Resource, ...]:
    """Give the resources of the checks that are offered, in the order of the registry."""
    return tuple(
        resource
        for check in CHECKS
        if check.name in settings.checks
        for operation in check.operations
        if operation.faces is Faces.EVERYWHERE
        for resource in _resources(check, operation, dict(settings.prices))
    )


def by_path(resources: Iterable[Resource]) -> dict[str, dict[str, Resource]]:
    """Group resources by path and profile; the one without a profile in its address stands first."""
    found: dict[str, dict[str, Resource]] = {}
    for resource in sorted(resources, key=lambda each: "?" in each.path):
        found.setdefault(resource.path.partition("?")[0], {})[resource.profile or ""] = resource
    return found


def _resources(check: Check, operation: Operation[Any, Any], prices: Mapping[str, int]) -> Iterator[Resource]:
    name = f"{check.name}/{operation.name}"
    for profile, promised in (operation.profiles or {"": operation}).items():
        suffix = f"?profile={profile}" if profile not in ("", DEFAULT_PROFILE) else ""
        yield Resource(
            path=PATHS[name] + suffix,
            check=check,
            operation=promised,
            price=prices.get(name, PRICES.get(name, 0)),
            description=operation.summary,
            profile=profile or None,
        )
