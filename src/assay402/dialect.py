"""The dialect check as a library: submitted artefacts in, the published report out. Nothing is fetched."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay402.checks.dialect import CHECK
from assay402.library import answer

_CHECK = CHECK.operation("check")
_PRECHECK = CHECK.operation("precheck")


def check(request: Mapping[str, Any], *, now: datetime | None = None) -> dict[str, Any]:
    """Give the published report on a submitted artefact, or the refusal `{"refused": True, "code": …}`.

    `request` is `{"mode": "submitted", "artefact": {…}}` as JSON values. `now` is the time to put into the report
    (UTC where it has no zone), by default the present. Never raises for bad input; a probe is refused (`probe_needs_network`).
    """
    return answer(_CHECK, request, now)


def precheck(request: Mapping[str, Any], *, now: datetime | None = None) -> dict[str, Any]:
    """Say whether a request of either mode is in policy: `in_policy`, and `refusal` where it is not."""
    return answer(_PRECHECK, request, now)
