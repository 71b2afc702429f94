"""JSON Schema, by an engine that runs in linear time and never leaves the process."""

from typing import Final

from assay402.checks.deliverable.budget import EXACT_ABOVE
from assay402.checks.deliverable.measure import Measure
from assay402.checks.deliverable.model import Case, Finding, failed, passed, uncheckable
from assay402.checks.deliverable.rules.subject import located
from assay402.checks.deliverable.schema.engine import Validator
from assay402.checks.deliverable.schema.exact import judging
from assay402.checks.deliverable.schema.walk import exact_work
from assay402.checks.deliverable.schema.work import counting, work
from assay402.core.check import rule
from assay402.core.strictjson import JSON

MAX_VIOLATIONS: Final = 100


@rule("deliverable/json-schema", since="0.1", spec="summary: JSON-schema conformance at a path")
def json_schema(case: Case) -> Finding:
    r"""Validate the value at a path against a JSON Schema.

    ## What it reports
    PASS when it is valid, else FAIL `SCHEMA_VIOLATION`, where it can be counted with the number of violations, up to
    100. `schema` is an object or a boolean of draft 2020-12, or of draft 4, 6, 7 or 2019-09 where `$schema` says so;
    `path` is the whole document by default. UNCHECKABLE, for every delivery: `SCHEMA_INVALID`,
    `SCHEMA_DIALECT_UNSUPPORTED`, `SCHEMA_PATTERN_UNSUPPORTED`, `SCHEMA_REMOTE_REF`, `SCHEMA_TOO_COMPLEX`.

        {"id": "shape", "check": "json_schema",
         "schema": {"type": "object", "required": ["status"], "properties": {"status": {"const": "done"}}}}

    passes for `{"status": "done"}`.

    ## Why it matters
    One schema says what would take a dozen criteria, in a language both sides' tools know.

    ## How to fix it
    Bundle what you refer to under `$defs`: nothing is fetched, neither from a network nor from files. Write patterns
    without look-around and back-references. Misspelt keywords are annotations and constrain nothing, so try the
    schema on something that must fail.

    ## Known limits
    `format` only informs unless `assertFormat` is true. Numbers are compared exactly, also by `multipleOf`; 1.0 is
    an integer in every draft. `\b`, `\w` and `\d` of a pattern know ASCII alone, as ECMA-262 says. A schema of high expansion over a long document is UNCHECKABLE `LIMIT_WORK`. One that refers to
    itself and has an `unevaluated` keyword on the way is always `SCHEMA_TOO_COMPLEX`: close it by
    `additionalProperties`.
    """
    value = located(case)
    if isinstance(value, Finding):
        return value
    plan, compiled = case.parameters["plan"], case.parameters["compiled"]
    measure = case.deliverable.measure(value)
    steps = _steps(case, value, measure)
    if not case.work.takes(steps + compiled.compiling(measure.number_size)):
        return uncheckable("LIMIT_WORK")
    with judging(case.deliverable):
        return _judged(case, value, compiled.validator(measure.number_size), counting(plan, measure, steps))


def _judged(case: Case, value: JSON, validator: Validator, counted: int | None) -> Finding:
    if validator.is_valid(value):
        return passed(violations=0)
    if counted is None or not case.work.counts(counted):
        return failed("SCHEMA_VIOLATION")
    return failed("SCHEMA_VIOLATION", violations=validator.count(value, MAX_VIOLATIONS))


def _steps(case: Case, value: JSON, measure: Measure) -> int:
    """Count what the schema takes of a value: a bound, and where that is much, each value by its own size."""
    plan = case.parameters["plan"]
    bound = work(plan, measure)
    if bound <= min(EXACT_ABOVE, case.work.left):
        return bound
    nodes, number = case.deliverable.nodes(value)
    exact = exact_work(plan, nodes, number, case.work.pairs, is_ours=plan.judges(measure))
    return bound if exact is None else min(bound, exact)
