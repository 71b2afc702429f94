"""Numbers as exact decimals: no binary fraction takes part in a comparison."""

from collections.abc import Mapping
from typing import Any

from assay402.checks.deliverable.arithmetic import Arithmetic
from assay402.checks.deliverable.model import Case, Finding, failed, passed
from assay402.checks.deliverable.parameters import is_number
from assay402.checks.deliverable.rules.subject import located
from assay402.core.check import rule

BELOW, ABOVE = -1, 1


@rule("deliverable/numeric-range", since="0.1", spec="summary: numeric range")
def numeric_range(case: Case) -> Finding:
    """Compare the number at a path with bounds.

    ## What it reports
    PASS within `min`, `max` (inclusive), `exclusiveMin` and `exclusiveMax`; else FAIL `BELOW_MIN`, `ABOVE_MAX`, or
    `NOT_A_NUMBER` for any other value, a number in quotes included. The detail says the side: -1 or 1. Bounds are
    JSON numbers or decimal strings.

        {"id": "score", "check": "numeric_range", "path": "score", "min": 0.9, "max": 1}

    passes for `{"score": 0.95}`.

    ## Why it matters
    The comparison is exact: 0.30000000000000004 is above 0.3, and 2^53 + 1 is not 2^53.

    ## How to fix it
    Deliver numbers as numbers. Bounds that leave no number between them are the buyer's fault: `PARAM_INVALID`.
    """
    value: Any = located(case)
    if isinstance(value, Finding):
        return value
    if not is_number(value):
        return failed("NOT_A_NUMBER")
    parameters = case.parameters
    least, above = parameters["min"], parameters["exclusiveMin"]
    if (least is not None and value < least) or (above is not None and value <= above):
        return failed("BELOW_MIN", side=BELOW)
    most, below = parameters["max"], parameters["exclusiveMax"]
    if (most is not None and value > most) or (below is not None and value >= below):
        return failed("ABOVE_MAX", side=ABOVE)
    return passed()


@rule("deliverable/numeric-close", since="0.1", spec="summary: numeric tolerance")
def numeric_close(case: Case) -> Finding:
    """Compare the number at a path with a stated one, within a tolerance.

    ## What it reports
    PASS when the distance to `value` is at most `tolerance`, or at most `relTolerance` times the size of `value`,
    whichever allows more; else FAIL `OUT_OF_TOLERANCE` with the side in the detail, or `NOT_A_NUMBER`.

        {"id": "total", "check": "numeric_close", "path": "total", "value": 1682.7, "tolerance": 0.1}

    passes for `{"total": 1682.6}`, whose distance is exactly 0.1.

    ## Why it matters
    Binary fractions fail at the boundary; exact decimals do not.

    ## How to fix it
    Give a tolerance: there is no default, and none given is `PARAM_MISSING`. Write 0 for equality.
    """
    value: Any = located(case)
    if isinstance(value, Finding):
        return value
    if not is_number(value):
        return failed("NOT_A_NUMBER")
    target = case.parameters["value"]
    if Arithmetic().is_close(value, target, case.parameters["tolerance"], case.parameters["relTolerance"]):
        return passed()
    return failed("OUT_OF_TOLERANCE", side=BELOW if value < target else ABOVE)


def range_in_order(parameters: Mapping[str, Any]) -> bool:
    """Tell whether some number lies between the bounds."""
    lower = [(parameters["min"], False), (parameters["exclusiveMin"], True)]
    upper = [(parameters["max"], False), (parameters["exclusiveMax"], True)]
    return all(
        least is None or most is None or least < most or (least == most and not (open_below or open_above))
        for least, open_below in lower
        for most, open_above in upper
    )
