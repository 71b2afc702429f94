"""Structure: is it JSON, what stands at a path, how many elements, are they different."""

from assay402.checks.deliverable.model import Case, Finding, failed, passed, uncheckable
from assay402.checks.deliverable.paths import MISSING, Path
from assay402.checks.deliverable.rules.bounds import within
from assay402.checks.deliverable.rules.subject import PATH_MISSING, located
from assay402.core.check import rule
from assay402.core.exactjson import same, type_names
from assay402.core.grammar import NotJSON
from assay402.core.strictjson import JSON

_ELEMENT = 600
"""Steps of writing an element and looking it up."""
_SEGMENT = 100
NOT_AN_ARRAY = failed("NOT_AN_ARRAY")
TYPE_MISMATCH = failed("TYPE_MISMATCH")


@rule("deliverable/is-json", since="0.1", spec="summary: is_json")
def is_json(case: Case) -> Finding:
    """Decide whether the delivered bytes are JSON.

    ## What it reports
    PASS for UTF-8 that follows the grammar of RFC 8259, however deep, else FAIL `NOT_JSON` with the first byte that
    may not stand where it stands. With `strict` true also FAIL `JSON_DUPLICATE_NAME` and `JSON_LONE_SURROGATE`, which
    RFC 7493 forbids. The detail says depth, repeated names and lone surrogates.

        {"id": "json", "check": "is_json", "strict": true}

    passes for `{"a": 1}` and fails for `{"a": 1, "a": 2}`.

    ## Why it matters
    Readers disagree about a repeated name, so nothing else can be said about such a document: every structural
    criterion is UNCHECKABLE. With `strict` the delivery is rejected instead of dodging them.

    ## How to fix it
    Write JSON with a library, in UTF-8 without byte order mark, without NaN, Infinity, comments or trailing commas.
    """
    deliverable = case.deliverable
    document = deliverable.document
    if isinstance(document, NotJSON):
        return failed("NOT_JSON", errorByte=document.error_byte)
    syntax = document.syntax
    detail = {
        "depth": syntax.depth,
        "duplicateNames": syntax.duplicate_names,
        "loneSurrogates": syntax.lone_surrogates,
    }
    if case.parameters["strict"] and syntax.duplicate_names:
        return failed("JSON_DUPLICATE_NAME", **detail)
    if case.parameters["strict"] and syntax.lone_surrogates:
        return failed("JSON_LONE_SURROGATE", **detail)
    return passed(**detail)


@rule("deliverable/json-path-equals", since="0.1", spec="summary: JSON path equality")
def json_path_equals(case: Case) -> Finding:
    """Compare the value at a path with a stated one.

    ## What it reports
    PASS when both are equal as JSON, else FAIL `TYPE_MISMATCH`, `VALUE_MISMATCH` or `PATH_MISSING`. The detail
    says how long both are in canonical form.

        {"id": "status", "check": "json_path_equals", "path": "status", "value": "done"}

    passes for `{"status": "done"}`.

    ## Why it matters
    Equality is exact: 1, 1.0 and 1e0 are one number, 1 is not true, "1" is not 1, null is not absence, and 2^53 + 1
    is not 2^53.

    ## How to fix it
    Deliver the value with its type. Strings are compared by code point, without trimming or folding; the order of
    names does not matter, that of elements does.
    """
    value = located(case)
    if isinstance(value, Finding):
        return value
    expected = case.parameters["value"]
    detail = {
        "expectedBytes": case.parameters["valueBytes"],
        "actualBytes": len(case.deliverable.canonical(value)),
    }
    if same(value, expected):
        return passed(**detail)
    alike = type_names(value)[0] == type_names(expected)[0]
    return failed("VALUE_MISMATCH" if alike else "TYPE_MISMATCH", **detail)


@rule("deliverable/json-path-present", since="0.1", spec="summary: presence")
def json_path_present(case: Case) -> Finding:
    """Make sure that a path leads to a value.

    ## What it reports
    PASS when it does, null included, else FAIL `PATH_MISSING`. With `type` (an extension), one of the seven words of
    JSON Schema, FAIL `TYPE_MISMATCH` where the value is of another type.

        {"id": "author", "check": "json_path_present", "path": "meta.author", "type": "string"}

    passes for `{"meta": {"author": "Ada"}}`.

    ## Why it matters
    A member that may hold anything must still be there.

    ## How to fix it
    Deliver the member under exactly this name: dotted paths never try a literal name with a dot in it. A pointer
    (`/a.b`) or `$['a.b']` does.
    """
    value = located(case)
    if isinstance(value, Finding):
        return value
    wanted = case.parameters["type"]
    return passed() if wanted is None or wanted in type_names(value) else TYPE_MISMATCH


@rule("deliverable/array-length", since="0.1", spec="summary: array length")
def array_length(case: Case) -> Finding:
    """Compare the number of elements of an array with bounds.

    ## What it reports
    PASS within `min` and `max`, both inclusive, or at exactly `equals`; else FAIL `BELOW_MIN`, `ABOVE_MAX`,
    `NOT_EXACT`, or `NOT_AN_ARRAY` for strings, objects and everything else. The detail says the actual number.

        {"id": "count", "check": "array_length", "path": "items", "min": 3}

    passes for `{"items": [1, 2, 3]}`.

    ## Why it matters
    "At least twenty leads" is a criterion.

    ## How to fix it
    Deliver the elements themselves: nested arrays count once, and null counts.
    """
    value = located(case)
    if isinstance(value, Finding):
        return value
    return within(len(value), case.parameters) if isinstance(value, list) else NOT_AN_ARRAY


@rule("deliverable/unique-values", since="0.1", spec="summary: unique values")
def unique_values(case: Case) -> Finding:
    """Make sure that the elements of an array differ from each other.

    ## What it reports
    PASS when no two are equal as JSON, else FAIL `DUPLICATE_VALUE` with the first pair of places, `NOT_AN_ARRAY`,
    or `PATH_MISSING` where `by`, a path inside each element, leads nowhere in one of them.

        {"id": "emails", "check": "unique_values", "path": "leads", "by": "email"}

    passes for `{"leads": [{"email": "a@x.dev"}, {"email": "b@x.dev"}]}`.

    ## Why it matters
    A list filled up with repetitions has the right length.

    ## How to fix it
    Remove the repetition: 1 and 1.0 are equal, true and 1 are not, and the order of names makes no difference. An
    empty array repeats nothing.
    """
    value = located(case)
    if isinstance(value, Finding):
        return value
    if not isinstance(value, list):
        return NOT_AN_ARRAY
    known, by = case.deliverable.findings, case.parameters["by"]
    if (id(value), by) not in known:
        segments = 0 if by is None else len(by.segments)
        steps = len(value) * (_ELEMENT + segments * _SEGMENT) + len(case.deliverable.canonical(value))
        if not case.work.takes(steps):
            return uncheckable("LIMIT_WORK")
        known[id(value), by] = _unique(case, value, by)
    found: Finding = known[id(value), by]
    return found


def _unique(case: Case, value: list[JSON], by: Path | None) -> Finding:
    keys = value if by is None else [by.select(element) for element in value]
    if any(key is MISSING for key in keys):
        return PATH_MISSING
    places: dict[bytes, int] = {}
    pair: tuple[int, int] | None = None
    for place, key in enumerate(keys):
        first = places.setdefault(case.deliverable.canonical(key), place)
        if first != place and pair is None:
            pair = (first, place)
    counts = {"length": len(keys), "distinct": len(places)}
    if pair is None:
        return passed(**counts)
    return failed("DUPLICATE_VALUE", **counts, firstIndex=pair[0], secondIndex=pair[1])


@rule("deliverable/statement", since="0.1", spec="summary: a free-text statement criterion")
def statement(_case: Case) -> Finding:
    """Withhold judgement on free text.

    ## What it reports
    UNCHECKABLE `STATEMENT_NOT_MECHANICAL`, always, whatever parameters it carries.

        {"id": "tone", "check": "statement", "text": "Reads well to a general audience."}

    ## Why it matters
    Judging prose is a guess, and a verdict here is never one. Its place in the list keeps it from being forgotten:
    the verdict is at most NO_VERDICT.

    ## How to fix it
    Say what can be measured by other checks, and agree on who decides the rest.
    """
    return uncheckable("STATEMENT_NOT_MECHANICAL")
