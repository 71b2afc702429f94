"""Claims that must agree with each other: stated relations, or records with equal keys. Prose is never read."""

import hashlib
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from assay402.checks.deliverable.arithmetic import MAX_DIGITS, Arithmetic, Exact, TooManyDigits
from assay402.checks.deliverable.claims import AGGREGATES, Claim, Combined, Literally, Measured, Operand
from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.measure import number_size
from assay402.checks.deliverable.model import Case, Finding, failed, passed, uncheckable
from assay402.checks.deliverable.parameters import is_number
from assay402.checks.deliverable.paths import MISSING, Path, step_all
from assay402.checks.deliverable.rules.subject import located, unreadable
from assay402.core.check import rule
from assay402.core.exactjson import same
from assay402.core.strictjson import JSON

CONTRADICTION: Final = "CLAIM_CONTRADICTION"
OPERAND_MISSING: Final = "CLAIM_OPERAND_MISSING"
OPERAND_TYPE: Final = "CLAIM_OPERAND_TYPE"
LIMIT_NUMBER: Final = "LIMIT_NUMBER"
LIMIT_WORK: Final = "LIMIT_WORK"
_LIMITS: Final = (LIMIT_NUMBER, LIMIT_WORK)
"""Reasons that withhold judgement on a claim, where others say that it does not hold."""

MAX_STEPS: Final = 1 << 18
"""Values read and combined by the claims of one criterion: a dozen sums over the longest array there can be."""
_PRICE: Final = 200
"""Steps of a request's work that reading one value counts as."""
_BYTES_A_STEP: Final = 64
_DIGITS_A_STEP: Final = 768
"""Digits of a result that are written for one operand."""
_WRITTEN_BYTES_A_STEP: Final = 4
"""Keys and values of records are written canonically, each once."""

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


class Unavailable(Struct, frozen=True):
    """An operand the deliverable does not give, and why."""

    reason: str


class TooMuchWork(Exception):
    """More values were read than a criterion may read."""


Value: TypeAlias = JSON | Unavailable


@rule("deliverable/claims-consistent", since="0.1", spec="summary: mechanical claim consistency")
def claims_consistent(case: Case) -> Finding:
    """Decide whether what a document states agrees with itself.

    ## What it reports
    With `claims`, stated relations: PASS when each holds, else FAIL with the reason of the first that does not:
    `CLAIM_CONTRADICTION`, `CLAIM_OPERAND_MISSING` or `CLAIM_OPERAND_TYPE`. Operands are literals, values at paths,
    `count`, `sum`, `min`, `max`, `sha256`, `bytes` and `chars` of them, and `add` and `mul` of operands. With `path`,
    records: two elements with equal `key` members must have equal `valueKey` members, or FAIL `CLAIM_CONTRADICTION`;
    `NOT_AN_ARRAY` where there are none. The detail counts the claims and those that hold.

        {"id": "sum", "check": "claims_consistent",
         "claims": [{"left": {"path": "total"}, "op": "eq", "right": {"sum": "items[*].price"}}]}

    passes for `{"items": [{"price": 0.1}, {"price": 0.2}], "total": 0.3}`.

    ## Why it matters
    A report whose total is not the sum of its rows is wrong whatever its sources say.

    ## How to fix it
    Compute totals from the rows you deliver. Arithmetic is exact; where you round, agree on a `tolerance`.

    ## Known limits
    Only relations that are stated are looked at. `LIMIT_WORK` and `LIMIT_NUMBER` withhold judgement where the claims
    read more values, or make longer numbers, than a criterion may.
    """
    finding = unreadable(case.deliverable)
    if finding is not None:
        return finding
    return _relations(case) if case.parameters["claims"] is not None else _records(case)


def _relations(case: Case) -> Finding:
    steps_left = min(MAX_STEPS, case.work.left // _PRICE)
    reader = Reader(case.deliverable, steps_left)
    reasons = [claim_fault(reader, claim) for claim in case.parameters["claims"]]
    case.work.takes(min(reader.steps_taken, steps_left) * _PRICE)
    return _summary(reasons)


def _summary(reasons: list[str | None]) -> Finding:
    """Count what holds; the first failure gives the reason, and what is beyond the limits only withholds."""
    counts = {"total": len(reasons), "held": reasons.count(None)}
    for place, reason in enumerate(reasons):
        if reason is not None and reason not in _LIMITS:
            return failed(reason, **counts, firstFailed=place)
    beyond = next((reason for reason in reasons if reason is not None), None)
    return passed(**counts) if beyond is None else uncheckable(beyond)


def claim_fault(reader: "Reader", claim: Claim) -> str | None:
    """Say why a claim does not hold, or None where it does."""
    try:
        left, right = reader.read(claim.left), reader.read(claim.right)
        for value in (left, right):
            if isinstance(value, Unavailable):
                return value.reason
        return reader.relation(claim, left, right)
    except TooManyDigits:
        return LIMIT_NUMBER
    except TooMuchWork:
        return LIMIT_WORK


class Reader:
    """Reads the operands of one criterion; what was read once costs nothing again."""

    def __init__(self, deliverable: Deliverable, max_steps: int) -> None:
        self._deliverable = deliverable
        self._arithmetic = Arithmetic()
        self._known: dict[Measured, Value] = {}
        self._max_steps = max_steps
        self.steps_taken = 0

    def read(self, operand: Operand) -> Value:
        """Give the value of an operand, or why there is none."""
        match operand:
            case Literally():
                return operand.value
            case Measured():
                if operand not in self._known:
                    self._known[operand] = self._measure(operand)
                return self._known[operand]
            case _:
                return self._combine(operand)

    def relation(self, claim: Claim, left: Any, right: Any) -> str | None:  # noqa: ANN401  (any JSON value)
        """Say why a claim does not hold of two values, or None where it does."""
        numbers = is_number(left) and is_number(right)
        if claim.op in _ORDERS or claim.tolerance is not None:
            if not numbers:
                return OPERAND_TYPE
            if claim.op in _ORDERS:
                return None if _ORDERS[claim.op](left, right) else CONTRADICTION
            equal = self._arithmetic.is_close(left, right, claim.tolerance)
        else:
            equal = bool(left == right) if numbers else self._same(left, right)
        return None if equal == (claim.op == "eq") else CONTRADICTION

    def _same(self, left: JSON, right: JSON) -> bool:
        if isinstance(left, (dict, list)) and isinstance(right, (dict, list)):
            # Both are parts of the document: their canonical texts are written once, however often they are compared.
            return self._deliverable.canonical(left) == self._deliverable.canonical(right)
        return same(left, right)

    def _combine(self, operand: Combined) -> Value:
        values = [self.read(each) for each in operand.operands]
        for value in values:
            if isinstance(value, Unavailable):
                return value
            if not is_number(value):
                return Unavailable(OPERAND_TYPE)
        digits = sum(map(number_size, values))  # type: ignore[arg-type]  # each has been found a number
        self._charge(len(values) * (1 + min(digits, MAX_DIGITS) // _DIGITS_A_STEP))
        combine = self._arithmetic.add if operand.combination == "add" else self._arithmetic.multiply
        return combine(values)  # type: ignore[arg-type]  # each has been found a number

    def _measure(self, operand: Measured) -> Value:
        if operand.measure in AGGREGATES:
            return self._aggregate(operand)
        value: JSON = self._select(operand)
        if value is MISSING:
            return Unavailable(OPERAND_MISSING)
        if operand.measure == "path":
            return value
        if operand.measure == "count":
            return len(value) if isinstance(value, list) else Unavailable(OPERAND_TYPE)
        return (
            self._of_string(operand.measure, value) if isinstance(value, str) else Unavailable(OPERAND_TYPE)
        )

    def _of_string(self, measure: str, value: str) -> Value:
        data = value.encode()
        self._charge(len(data) // _BYTES_A_STEP)
        match measure:
            case "sha256":
                return hashlib.sha256(data).hexdigest()
            case "bytes":
                return len(data)
            case _:
                return len(value)

    def _aggregate(self, operand: Measured) -> Value:
        values = self._numbers(operand)
        if isinstance(values, Unavailable):
            return values
        if operand.measure == "sum":
            return self._arithmetic.add(values)
        if not values:
            return Unavailable(OPERAND_MISSING)
        return min(values) if operand.measure == "min" else max(values)

    def _numbers(self, operand: Measured) -> "list[Exact] | Unavailable":
        values: list[Any] = self._select_all(operand)
        if values == [MISSING]:
            return Unavailable(OPERAND_MISSING)
        if _path(operand).is_singular:
            if not isinstance(values[0], list):
                return Unavailable(OPERAND_TYPE)
            values = values[0]
            self._charge(len(values))
        for value in values:
            if value is MISSING:
                return Unavailable(OPERAND_MISSING)
            if not is_number(value):
                return Unavailable(OPERAND_TYPE)
        return values

    def _select(self, operand: Measured) -> JSON:
        self._charge(len(_path(operand).segments) + 1)
        return self._deliverable.select(_path(operand))

    def _select_all(self, operand: Measured) -> list[JSON]:
        """Give every value the path selects; each step is charged before the next is taken."""
        found: list[JSON] = [self._deliverable.root]
        for segment in _path(operand).segments:
            found = step_all(found, segment)
            self._charge(len(found) + 1)
        return found

    def _charge(self, steps: int) -> None:
        self.steps_taken += steps
        if self.steps_taken > self._max_steps:
            raise TooMuchWork


def _records(case: Case) -> Finding:
    records = located(case)
    if isinstance(records, Finding):
        return records
    if not isinstance(records, list):
        return failed("NOT_AN_ARRAY")
    members = len(records) * (len(case.parameters["key"]) + 1)
    written = len(case.deliverable.canonical(records)) // _WRITTEN_BYTES_A_STEP
    steps = members + written
    if steps > MAX_STEPS or not case.work.takes(steps * _PRICE):
        return uncheckable(LIMIT_WORK)
    groups: dict[bytes, _Group] = {}
    return _summary([_record_fault(case, record, groups) for record in records])


def _record_fault(case: Case, record: JSON, groups: "dict[bytes, _Group]") -> str | None:
    if not isinstance(record, Mapping):
        return OPERAND_TYPE
    names, value_name = case.parameters["key"], case.parameters["valueKey"]
    if value_name not in record or not all(name in record for name in names):
        return OPERAND_MISSING
    key = case.deliverable.canonical_key([record[name] for name in names])
    group = groups.setdefault(key, _Group(case))
    return None if group.takes(record[value_name]) else CONTRADICTION


class _Group:
    """Records with one key: the values they have given so far."""

    def __init__(self, case: Case) -> None:
        self._deliverable = case.deliverable
        self._tolerance: Exact | None = case.parameters["tolerance"]
        self._values: list[Any] = []
        """The least and the greatest number where a tolerance was given, else the first value twice."""

    def takes(self, value: Any) -> bool:  # noqa: ANN401  (any JSON value)
        """Tell whether a value agrees with those before it, and remember it where it widens their range."""
        if not self._values:
            self._values = [value, value]
            return True
        least, greatest = self._values
        if self._tolerance is None or not (is_number(value) and is_number(least)):
            return self._deliverable.canonical(value) == self._deliverable.canonical(least)
        low, high = min(value, least), max(value, greatest)
        if not Arithmetic().is_close(low, high, self._tolerance):
            return False
        self._values = [low, high]
        return True


def _path(operand: Measured) -> Path:
    assert isinstance(operand.path, Path)  # noqa: S101  (faults were found when the parameters were read)
    return operand.path
