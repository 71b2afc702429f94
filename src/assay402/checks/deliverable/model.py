"""The contract's words as values: requests as admitted, findings, reports."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from assay402.checks.deliverable.budget import Work
from assay402.checks.deliverable.document import Deliverable
from assay402.core.check import Refusal
from assay402.core.strictjson import JSON

Profile: TypeAlias = Literal["assay", "contract"]
Result: TypeAlias = Literal["PASS", "FAIL", "UNCHECKABLE"]
Verdict: TypeAlias = Literal["ACCEPT", "REJECT", "NO_VERDICT"]

ASSAY: Final = "assay"
CONTRACT: Final = "contract"
OK: Final = "OK"


class Body(dict[str, JSON]):
    """A request as read: its members, and what the reader learned about them."""

    def __init__(self, members: Mapping[str, JSON], *, plain: bool, survives: bool) -> None:
        super().__init__(members)
        self.plain: Final = plain
        """Whether `canon.canonical_plain` may write it and its parts."""
        self.survives: Final = survives
        """Whether RFC 8785 alone spells every number of it exactly."""


class Finding(Struct, frozen=True):
    """What a criterion comes to. Positional, because rules are full of them."""

    result: Result
    reason: str
    detail: Mapping[str, int] = {}
    """Measurements and indexes, never content."""


class Fault(Struct, frozen=True):
    """Why a criterion cannot be checked whatever is delivered: the buyer can mend it."""

    reason: str


class Criterion(Struct, frozen=True, kw_only=True):
    """One criterion as sent, and its parameters as read, or what is wrong with them."""

    index: int
    id: str
    check: str
    parameters: Mapping[str, Any] | Fault


class Case(Struct, frozen=True, kw_only=True):
    """What a rule looks at: the parameters of a criterion, and the deliverable."""

    parameters: Mapping[str, Any]
    deliverable: Deliverable
    work: Work
    """What is left for all criteria of the request."""


class CheckInput(Struct, frozen=True, kw_only=True):
    """A request that was admitted."""

    body: Body
    profile: Profile
    deliverable: Deliverable
    criteria: tuple[Criterion, ...]
    job_ref: str | None


class Judged(Struct, frozen=True, kw_only=True):
    """A criterion with its finding."""

    criterion: Criterion
    finding: Finding


class Report(Struct, frozen=True, kw_only=True):
    """The answer before it is published."""

    given: CheckInput
    judged: tuple[Judged, ...]
    verdict: Verdict


class LintInput(Struct, frozen=True, kw_only=True):
    """Criteria that were admitted without a deliverable."""

    criteria: tuple[Criterion, ...]
    criteria_root: str


class ReplayInput(Struct, frozen=True, kw_only=True):
    """A request to be judged again, and the answer it once got."""

    given: CheckInput | Refusal
    answer: Mapping[str, JSON]


class ReplayReport(Struct, frozen=True, kw_only=True):
    """Where the answer and the recomputed one differ, as JSON Pointers; nowhere, if it holds."""

    differences: tuple[str, ...]
    recomputed: Mapping[str, Any]
    root_fits: bool | None
    """Whether the answer's own `outputRoot` is that of the answer as given; None where it has none."""


def passed(**detail: int) -> Finding:
    """Find that a criterion is met."""
    return Finding("PASS", OK, detail)


def failed(reason: str, **detail: int) -> Finding:
    """Find that the deliverable does not meet a criterion."""
    return Finding("FAIL", reason, detail)


def uncheckable(reason: str) -> Finding:
    """Find that nothing can be said."""
    return Finding("UNCHECKABLE", reason)
