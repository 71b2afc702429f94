"""What is offered, where and for how much."""

import pytest

from assay402.checks import CHECKS
from assay402.core.check import Faces
from assay402.service.resources import PATHS, PRICES, resources
from assay402.service.settings import Settings


def test_the_table_of_resources_is_the_contracts() -> None:
    """Paths and prices in millionths of a dollar: $0.01, $0.04, $0.02 each; the rest is free."""
    deliverable = "/api/x402/DELIVERABLE_ACCEPTANCE_CHECK"
    assert [(each.path, each.price) for each in resources(Settings())] == [
        ("/dialect-check/check", 10_000),
        ("/dialect-check/precheck", 0),
        ("/listing-check/check", 0),
        (f"{deliverable}?profile=assay", 40_000),
        (deliverable, 40_000),
        (f"{deliverable}/lint?profile=assay", 0),
        (f"{deliverable}/lint", 0),
        ("/api/v1/diagnose", 20_000),
        ("/api/v1/repair", 20_000),
        ("/api/v1/verify", 20_000),
        ("/api/v1/repair-bundle", 20_000),
        ("/terms/place", 0),
        ("/terms/extract", 0),
        ("/terms/verify", 0),
        ("/terms/discover", 0),
    ]


def test_every_operation_of_the_network_has_a_place_and_no_local_one() -> None:
    offered = {
        f"{check.name}/{operation.name}"
        for check in CHECKS
        for operation in check.operations
        if operation.faces is Faces.EVERYWHERE
    }
    assert offered == PATHS.keys()
    assert PRICES.keys() <= offered


def test_prices_and_checks_are_settings() -> None:
    settings = Settings(checks=("listing",), prices=(("listing/check", 5),))
    assert [(each.name, each.price) for each in resources(settings)] == [("listing/check", 5)]


@pytest.mark.parametrize("profile", ["assay", "contract"])
def test_a_profile_is_a_resource_of_its_own(profile: str) -> None:
    found = [each for each in resources(Settings()) if each.profile == profile]
    assert [each.name for each in found] == ["deliverable/check", "deliverable/lint"]
    assert all(each.operation.profiles == {} for each in found)
