"""Counts against bounds, both inclusive."""

from collections.abc import Mapping
from typing import Any

from assay402.checks.deliverable.model import Finding, failed, passed


def within(actual: int, parameters: Mapping[str, Any], **detail: int) -> Finding:
    """Judge a count by `equals`, or by `min` and `max`."""
    measured = {"actual": actual, **detail}
    least, most, exactly = (parameters[name] for name in ("min", "max", "equals"))
    if exactly is not None and actual != exactly:
        return failed("NOT_EXACT", **measured)
    if least is not None and actual < least:
        return failed("BELOW_MIN", **measured)
    if most is not None and actual > most:
        return failed("ABOVE_MAX", **measured)
    return passed(**measured)


def in_order(parameters: Mapping[str, Any]) -> bool:
    """Tell whether some count can lie between the bounds."""
    least, most = parameters["min"], parameters["max"]
    return least is None or most is None or bool(least <= most)
