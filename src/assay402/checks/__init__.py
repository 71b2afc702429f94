"""The rooms: one check each, none knowing another. `CHECKS` is the registry every face is made from."""

from typing import Final

from assay402.checks.claims import CHECK as CLAIMS
from assay402.checks.deliverable import CHECK as DELIVERABLE
from assay402.checks.dialect import CHECK as DIALECT
from assay402.checks.listing import CHECK as LISTING
from assay402.checks.terms import CHECK as TERMS
from assay402.core.check import Check

CHECKS: Final[tuple[Check, ...]] = (DIALECT, LISTING, DELIVERABLE, CLAIMS, TERMS)
"""All checks, in display order."""


def check_named(name: str) -> Check:
    """Give a check by its name. Raises `KeyError` for a name no room has."""
    return {check.name: check for check in CHECKS}[name]
