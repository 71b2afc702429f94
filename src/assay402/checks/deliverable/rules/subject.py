"""What a criterion is about: the value at its path, or the bytes a text check reads."""

from typing import Any, Final

from assay402.checks.deliverable.document import TROUBLES, Deliverable
from assay402.checks.deliverable.model import Case, Finding, failed, uncheckable
from assay402.checks.deliverable.paths import MISSING
from assay402.core.exactjson import Exact, Troubled
from assay402.core.strictjson import JSON

NOT_JSON: Final = failed("NOT_JSON")
PATH_MISSING: Final = failed("PATH_MISSING")
NOT_UTF8: Final = failed("NOT_UTF8")


def unreadable(deliverable: Deliverable) -> Finding | None:
    """Say why a deliverable cannot be judged structurally, or None where it can."""
    match deliverable.document:
        case Exact():
            return None
        case Troubled(trouble=trouble):
            return uncheckable(TROUBLES[trouble])
        case _:
            return NOT_JSON


def located(case: Case) -> JSON | Finding:
    """Give the value at the criterion's path, or the finding that there is none."""
    finding = unreadable(case.deliverable)
    if finding is not None:
        return finding
    value: Any = case.deliverable.select(case.parameters["path"])
    return PATH_MISSING if value is MISSING else value


def subject(case: Case) -> bytes | Finding:
    """Give the bytes a text check reads: all of them, or those of the one string at the path."""
    if case.parameters["path"] is None:
        return case.deliverable.data
    value = located(case)
    if isinstance(value, Finding):
        return value
    return value.encode() if isinstance(value, str) else failed("NOT_A_STRING")
