"""The claims check as a library: a request in, the integrity contract's response out. Nothing is fetched.

A judge may be given; it is asked only about claims that the rules leave open, and bounded by them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay402.checks.claims import CHECK
from assay402.core.asks import Answerer
from assay402.library import answer


def __dir__() -> list[str]:
    """Give the operations alone, so that whoever looks finds what there is to call."""
    return ["diagnose", "repair", "repair_bundle", "verify"]


def diagnose(
    request: Mapping[str, Any], *, now: datetime | None = None, judge: Answerer | None = None
) -> dict[str, Any]:
    """Give the response on a request, or the refusal `{"refused": True, "code": …}`. Never raises for bad input.

    `request` is the contract's request object, bare or as the member `request`. `now` is the time to put into the
    receipt, by default the present; the result hash does not depend on it.
    """
    return answer(CHECK.operation("diagnose"), request, now, judge)


def repair(
    request: Mapping[str, Any], *, now: datetime | None = None, judge: Answerer | None = None
) -> dict[str, Any]:
    """Diagnose and propose the smallest honest change. As `diagnose`."""
    return answer(CHECK.operation("repair"), request, now, judge)


def verify(
    request: Mapping[str, Any], *, now: datetime | None = None, judge: Answerer | None = None
) -> dict[str, Any]:
    """Say whether a text is carried by the supplied evidence. As `diagnose`."""
    return answer(CHECK.operation("verify"), request, now, judge)


def repair_bundle(
    request: Mapping[str, Any], *, now: datetime | None = None, judge: Answerer | None = None
) -> dict[str, Any]:
    """Diagnose, propose and verify in one answer. As `diagnose`."""
    return answer(CHECK.operation("repair-bundle"), request, now, judge)
