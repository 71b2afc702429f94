"""`/.well-known/x402`: what is sold here, for directories."""

from collections.abc import Iterable
from typing import Any, Final

from assay402.attest.publication import JWKS_PATH
from assay402.service.discovery import OPENAPI_PATH
from assay402.service.order import Resource
from assay402.service.settings import Settings

NAME: Final = "Assay"
DESCRIPTION: Final = "Deterministic checks of x402 challenges, listings, deliverables, claims and terms; each answer signed and replayable."


def paid_resources(settings: Settings, resources: Iterable[Resource]) -> dict[str, Any]:
    """Give the manifest. With payments off nothing is sold, and the list is empty."""
    sold = [each for each in resources if each.price > 0 and settings.payments == "required"]
    return {
        "x402Version": 2,
        "name": NAME,
        "description": DESCRIPTION,
        "resources": [address(settings, each.path) for each in sold],
        "items": [
            {
                "resource": address(settings, each.path),
                "method": "POST",
                "operation": each.name,
                "description": each.description,
                "price": price_of(each),
                "networks": list(settings.networks),
            }
            for each in sold
        ],
        "openapi": address(settings, OPENAPI_PATH),
        "keys": address(settings, JWKS_PATH),
    }


def address(settings: Settings, path: str) -> str:
    """Give the public address of a path; the path alone where the service has no public address."""
    return path if settings.public_url is None else settings.public_url.rstrip("/") + path


def price_of(resource: Resource) -> dict[str, str]:
    """Give a price as directories read it: a decimal in dollars, from integers."""
    dollars, millionths = divmod(resource.price, 1_000_000)
    digits = f"{millionths:06}".rstrip("0").ljust(2, "0")
    return {"currency": "USD", "amount": f"{dollars}.{digits}"}
