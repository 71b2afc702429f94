"""The contract `DELIVERABLE_ACCEPTANCE_CHECK` 1.0.0: how the operations run, and the public JSON."""

from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.deliverable import program
from assay402.checks.deliverable.admission import root_of
from assay402.checks.deliverable.budget import Work
from assay402.checks.deliverable.collect import collect
from assay402.checks.deliverable.differences import differences
from assay402.checks.deliverable.menu import BY_NAME
from assay402.checks.deliverable.model import (
    ASSAY,
    Case,
    CheckInput,
    Criterion,
    Fault,
    Finding,
    Judged,
    LintInput,
    ReplayInput,
    ReplayReport,
    Report,
    uncheckable,
)
from assay402.checks.deliverable.registry import registry_root
from assay402.checks.deliverable.rules.verdict import verdict
from assay402.core.asks import Collecting
from assay402.core.canon import canonical, canonical_plain, keccak256_hex, sha256_hex
from assay402.core.check import Refusal

SERVICE: Final = "DELIVERABLE_ACCEPTANCE_CHECK"
CONTRACT_VERSION: Final = "1.0.0"
STATEMENT: Final = "statement"

WARRANTY_SCOPE: Final = (
    "This verdict says whether the deliverable meets the criteria you supplied, read as this check documents them. "
    "It is not a legal ruling, and says nothing about what no criterion asks."
)
UNCERTAINTY: Final = (
    "Every result is computed from your request alone and is the same on every machine that runs this program. A "
    "criterion that cannot be judged mechanically, or exceeds a published limit, is UNCHECKABLE and never guessed. "
    "Strings are compared literally: other case, another Unicode normal form or zero-width characters make another "
    "string, so an absent word may still be readable. A schema constrains only by keywords it spells right. Whether "
    "the deliverable is true, original, safe or useful is not judged."
)
BASIS: Final = "BUYER_SUPPLIED_INPUT_AND_ARBITER_AUTHORED_CODE"
"""The contract's own literal."""

_OUTPUT_ROOTS: Final = ("outputRoot", "outputRootKeccak")
_EXIT_CODES: Final[Mapping[str, int]] = {"ACCEPT": 0, "REJECT": 1, "NO_VERDICT": 4}


def check(given: CheckInput) -> Collecting[Report | Refusal]:
    """Judge a deliverable by its criteria."""
    facts = yield from collect(given)
    return judge(facts)


def lint(given: LintInput) -> Collecting[LintInput | Refusal]:
    """Say which criteria can be checked, before anything is delivered."""
    return (yield from collect(given))


def replay(given: ReplayInput) -> Collecting[ReplayReport | Refusal]:
    """Judge a request again and compare every member of the answer."""
    facts = yield from collect(given)
    if isinstance(facts.given, Refusal):
        if facts.given.is_ours:
            return facts.given
        recomputed = facts.given.published()
    else:
        recomputed = publish(judge(facts.given))
    return ReplayReport(
        differences=tuple(each.place for each in differences(facts.answer, recomputed)),
        recomputed=recomputed,
        root_fits=_root_fits(facts.answer),
    )


def judge(given: CheckInput) -> Report:
    """Judge each criterion, and all."""
    work = Work()
    judged = tuple(
        Judged(criterion=criterion, finding=_finding(criterion, given, work)) for criterion in given.criteria
    )
    return Report(given=given, judged=judged, verdict=verdict([each.finding for each in judged]))


def publish(report: Report) -> dict[str, Any]:
    """Give the public JSON of a report, keys in the contract's order; what is ours stands under our profile alone."""
    given = report.given
    deliverable, is_ours = given.deliverable, given.profile == ASSAY
    root = registry_root(given.profile)
    identity = program.identity(root)
    provenance = {
        "basis": BASIS,
        "thirdPartyData": False,
        "networkAccess": False,
        "inputRoot": root_of(given.body, given.body),
        **({"canonicalization": _canonicalization(given)} if is_ours else {}),
        "programRoot": identity["programRoot"],
    }
    answer: dict[str, Any] = {
        "verdict": report.verdict,
        "criteria": [_criterion(each) for each in report.judged],
        "counts": _counts(report),
        "deliverableDigest": {
            "kind": deliverable.kind,
            "byteLength": len(deliverable.data),
            "sha256": deliverable.sha256,
            "keccak256": deliverable.keccak256,
            "isJson": deliverable.is_json,
        },
        **({} if given.job_ref is None else {"jobRefSha256": sha256_hex(given.job_ref.encode())}),
        **({"criteriaRoot": root_of(given.body["criteria"], given.body)} if is_ours else {}),
        "program": identity,
        "provenance": provenance,
        "warrantyScope": WARRANTY_SCOPE,
        "uncertainty": UNCERTAINTY,
    }
    return _with_output_root(answer, is_ours=is_ours)


def publish_lint(report: LintInput) -> dict[str, Any]:
    """Give the public JSON of a lint."""
    criteria = [_linted(criterion) for criterion in report.criteria]
    return {
        "criteria": criteria,
        "checkable": sum(each["checkable"] for each in criteria),
        "total": len(criteria),
        "criteriaRoot": report.criteria_root,
    }


def publish_replay(report: ReplayReport) -> dict[str, Any]:
    """Give the public JSON of a replay."""
    return {
        "agrees": not report.differences,
        "differences": list(report.differences),
        **({} if report.root_fits is None else {"outputRootFits": report.root_fits}),
        "recomputed": report.recomputed,
    }


def exit_code(report: Report) -> int:
    """Give 0 for ACCEPT, 1 for REJECT, 4 for NO_VERDICT."""
    return _EXIT_CODES[report.verdict]


def exit_code_lint(report: LintInput) -> int:
    """Give 0 where every criterion can be checked, else 4."""
    return 0 if all(_linted(criterion)["checkable"] for criterion in report.criteria) else 4


def exit_code_replay(report: ReplayReport) -> int:
    """Give 0 where everything agrees, else 1."""
    return 1 if report.differences else 0


def lint_reason(criterion: Criterion) -> str:
    """Give the reason a criterion cannot be checked whatever is delivered, or `OK`."""
    if isinstance(criterion.parameters, Fault):
        return criterion.parameters.reason
    return "STATEMENT_NOT_MECHANICAL" if criterion.check == STATEMENT else "OK"


def _finding(criterion: Criterion, given: CheckInput, work: Work) -> Finding:
    if isinstance(criterion.parameters, Fault):
        return uncheckable(criterion.parameters.reason)
    case = Case(parameters=criterion.parameters, deliverable=given.deliverable, work=work)
    return BY_NAME[criterion.check].rule(case)


def _criterion(judged: Judged) -> dict[str, Any]:
    criterion, finding = judged.criterion, judged.finding
    published = {
        "index": criterion.index,
        "id": criterion.id,
        "check": criterion.check,
        "result": finding.result,
        "reason": finding.reason,
    }
    return {**published, "detail": dict(finding.detail)} if finding.detail else published


def _counts(report: Report) -> dict[str, int]:
    results = [judged.finding.result for judged in report.judged]
    return {
        "total": len(results),
        "pass": results.count("PASS"),
        "fail": results.count("FAIL"),
        "uncheckable": results.count("UNCHECKABLE"),
    }


def _canonicalization(given: CheckInput) -> str:
    return "RFC8785" if given.body.survives else "RFC8785+EXACT_NUMBERS"


def _with_output_root(answer: dict[str, Any], *, is_ours: bool) -> dict[str, Any]:
    """Add the digests of the answer without them. Ids may lie beyond the basic plane; names and numbers are plain."""
    text = canonical_plain(answer)
    provenance = {**answer["provenance"], "outputRoot": sha256_hex(text)}
    if is_ours:
        provenance["outputRootKeccak"] = keccak256_hex(text)
    return {**answer, "provenance": provenance}


def _root_fits(answer: Mapping[str, Any]) -> bool | None:
    """Tell whether an answer was changed after its root was made."""
    provenance = answer.get("provenance")
    if not isinstance(provenance, Mapping) or "outputRoot" not in provenance:
        return None
    kept = {name: value for name, value in provenance.items() if name not in _OUTPUT_ROOTS}
    return bool(sha256_hex(canonical({**answer, "provenance": kept})) == provenance["outputRoot"])


def _linted(criterion: Criterion) -> dict[str, Any]:
    reason = lint_reason(criterion)
    return {
        "index": criterion.index,
        "id": criterion.id,
        "check": criterion.check,
        "checkable": reason == "OK",
        "reason": reason,
    }
