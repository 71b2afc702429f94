"""Explaining a result to whoever holds the deliverable: the values compared and what would make them equal.

This shows content, which an answer never does, so it is offered on one's own machine only.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from assay402.checks.deliverable.arithmetic import TooManyDigits
from assay402.checks.deliverable.budget import Work
from assay402.checks.deliverable.claims import Claim, Operand
from assay402.checks.deliverable.collect import collect
from assay402.checks.deliverable.contract import judge
from assay402.checks.deliverable.differences import differences, token
from assay402.checks.deliverable.model import OK, Case, CheckInput, Criterion, Fault, Finding, Judged, Report
from assay402.checks.deliverable.paths import MISSING, Path
from assay402.checks.deliverable.reasons import REASONS
from assay402.checks.deliverable.rules.relations import (
    MAX_STEPS,
    Reader,
    TooMuchWork,
    Unavailable,
    claim_fault,
)
from assay402.checks.deliverable.rules.subject import located, subject, unreadable
from assay402.checks.deliverable.schema.exact import judging
from assay402.checks.deliverable.schema.patterns import as_written
from assay402.checks.deliverable.schema.work import counting, work
from assay402.core.asks import Collecting
from assay402.core.canon import canonical, keccak256_hex, sha256_hex
from assay402.core.check import Refusal
from assay402.core.exactjson import Exact
from assay402.core.strictjson import JSON

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_DIGESTS: Final[Mapping[str, Callable[[bytes], str]]] = {
    "sha256_equals": sha256_hex,
    "keccak256_equals": keccak256_hex,
}
_BOUNDS: Final = ("min", "max", "equals", "exclusiveMin", "exclusiveMax", "tolerance", "relTolerance")
MAX_CHANGES: Final = 100
MAX_VIOLATIONS_SHOWN: Final = 5
MAX_SHOWN: Final = 2_000
"""Characters of a value that are shown."""


def explain(given: CheckInput) -> Collecting[Report | Refusal]:
    """Judge a request as `check` does."""
    return judge((yield from collect(given)))


def publish_explain(report: Report) -> dict[str, Any]:
    """Give what is known about each criterion, values included."""
    return {
        "verdict": report.verdict,
        "criteria": [_explained(judged, report) for judged in report.judged],
    }


def changes(actual: JSON, expected: JSON, place: str = "") -> Iterator[dict[str, Any]]:
    """Give the operations of RFC 6902 that turn one value into another, elements compared place by place."""
    for found in differences(actual, expected, place):
        if found.other is MISSING:
            yield {"op": "remove", "path": found.place}
        elif found.one is MISSING:
            yield {"op": "add", "path": found.place, "value": found.other}
        elif isinstance(found.one, list) and isinstance(found.other, list):
            yield from _resized(found.one, found.other, found.place)
        else:
            yield {"op": "replace", "path": found.place, "value": found.other}


def _resized(actual: list[JSON], expected: list[JSON], place: str) -> Iterator[dict[str, Any]]:
    for index, (one, other) in enumerate(zip(actual, expected, strict=False)):
        yield from changes(one, other, f"{place}/{index}")
    for index in range(len(actual) - 1, len(expected) - 1, -1):
        yield {"op": "remove", "path": f"{place}/{index}"}
    for value in expected[len(actual) :]:
        yield {"op": "add", "path": f"{place}/-", "value": value}


def _explained(judged: Judged, report: Report) -> dict[str, Any]:
    criterion, finding = judged.criterion, judged.finding
    notice = REASONS[finding.reason]
    explained = {
        "index": criterion.index,
        "id": criterion.id,
        "check": criterion.check,
        "result": finding.result,
        "reason": finding.reason,
        "meaning": notice.text,
        "hint": notice.hint,
        **({"detail": dict(finding.detail)} if finding.detail else {}),
    }
    if isinstance(criterion.parameters, Fault):
        return explained
    return {
        **explained,
        **_bounds(criterion.parameters),
        **_values(criterion.parameters, report),
        **_compared(criterion, finding, report),
    }


def _bounds(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Give the bounds a number was compared with."""
    found = {name: _shown(parameters[name]) for name in _BOUNDS if parameters.get(name) is not None}
    return {"bounds": found} if found else {}


def _compared(criterion: Criterion, finding: Finding, report: Report) -> dict[str, Any]:
    """Give what a check made of the deliverable to compare it: a digest, or the two sides of each claim."""
    assert not isinstance(criterion.parameters, Fault)  # noqa: S101  (the caller has told)
    case = Case(parameters=criterion.parameters, deliverable=report.given.deliverable, work=Work())
    if "compiled" in criterion.parameters:
        return {"violations": _violations(case)} if finding.reason == "SCHEMA_VIOLATION" else {}
    if criterion.check in _DIGESTS:
        data = subject(case)
        return {} if isinstance(data, Finding) else {"actual": _shown(_DIGESTS[criterion.check](data))}
    if criterion.parameters.get("claims") is None or unreadable(case.deliverable) is not None:
        return {}
    reader = Reader(case.deliverable, MAX_STEPS)
    return {"claims": [_claim(reader, claim) for claim in criterion.parameters["claims"]]}


def _violations(case: Case) -> list[dict[str, str]]:
    """Give the first places of a value that a schema does not allow, and by which keyword, where that is cheap to find."""
    value: Any = located(case)
    plan = case.parameters["plan"]
    measure = case.deliverable.measure(value)
    counted = counting(plan, measure, work(plan, measure))
    with judging(case.deliverable):
        found = _found(case, value, is_cheap=counted is not None and case.work.counts(counted))
    return [
        {
            "path": _pointer(each.instance_path),
            "schemaPath": _pointer(list(map(as_written, each.schema_path))),
            "keyword": each.kind.name,
        }
        for each in found
    ]


def _found(case: Case, instance: Any, *, is_cheap: bool) -> "list[ValidationError]":  # noqa: ANN401  (any JSON value)
    plan = case.parameters["plan"]
    validator = case.parameters["compiled"].validator(case.deliverable.measure(instance).number_size)
    if is_cheap:
        return list(validator.errors(instance, MAX_VIOLATIONS_SHOWN))
    # One violation of alternatives holds those of all of them.
    error = None if plan.has_alternatives else validator.first_error(instance)
    return [] if error is None else [error]


def _pointer(parts: list[str | int]) -> str:
    pointer = "".join(f"/{token(str(part))}" for part in parts)
    return pointer if len(pointer) <= MAX_SHOWN else pointer[:MAX_SHOWN] + "…"


def _claim(reader: Reader, claim: Claim) -> dict[str, Any]:
    """Give both sides of a claim as they are compared, and whether it holds or why not."""
    fault = claim_fault(reader, claim)
    return {
        "left": _side(reader, claim.left),
        "op": claim.op,
        "right": _side(reader, claim.right),
        **({} if claim.tolerance is None else {"tolerance": _shown(claim.tolerance)}),
        "reason": fault or OK,
    }


def _side(reader: Reader, operand: Operand) -> str | None:
    """Give the value of an operand, or None where there is none, or none within the limits."""
    try:
        value = reader.read(operand)
    except (TooManyDigits, TooMuchWork):
        return None
    return None if isinstance(value, Unavailable) else _shown(value)


def _values(parameters: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Give the value at the criterion's path, and for an expected value the way there."""
    document, path = report.given.deliverable.document, parameters.get("path")
    if "valueBytes" not in parameters and "value" in parameters:
        return _sought(parameters, report)
    if not isinstance(path, Path) or not isinstance(document, Exact):
        return {}
    actual: Any = path.select(document.value)
    if actual is MISSING:
        return {}
    shown: dict[str, Any] = {"actual": _shown(actual)}
    if "valueBytes" not in parameters:
        return shown
    expected = parameters["value"]
    diff = [change for change, _ in zip(changes(actual, expected), range(MAX_CHANGES), strict=False)]
    return {**shown, "expected": _shown(expected), "diff": diff}


def _sought(parameters: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Give what a text or a number was compared with, and the value at the path where the criterion has one."""
    value = parameters["value"]
    value = getattr(value, "pattern", value)
    wanted = value.decode() if isinstance(value, bytes) else value
    shown = {"expected": _shown(wanted)}
    document, path = report.given.deliverable.document, parameters["path"]
    if isinstance(path, Path) and isinstance(document, Exact):
        actual: Any = path.select(document.value)
        return shown if actual is MISSING else {**shown, "actual": _shown(actual)}
    return shown


def _shown(value: JSON) -> str:
    text = canonical(value).decode()
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
