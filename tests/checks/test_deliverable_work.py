"""What a criterion takes of a request is counted where it can be applied, and never by what stands beside it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import deliverable
from assay402.checks.deliverable.budget import SCHEMA_BUDGET, Room
from assay402.checks.deliverable.claims import CLAIMS
from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.measure import measure
from assay402.checks.deliverable.rules.relations import Reader
from assay402.checks.deliverable.schema.guard import guard
from assay402.checks.deliverable.schema.work import work
from assay402.core.canon import canonical
from assay402.core.exactjson import Exact, read_exact


def exact(text: str) -> Any:
    document = read_exact(text.encode())
    assert isinstance(document, Exact)
    return document.value


def steps(schema: str, document: str, *, assert_format: bool = True) -> int:
    """Count the steps of a schema on a document, both given as texts."""
    taken = guard({"schema": exact(schema), "assertFormat": assert_format}, Room())
    assert isinstance(taken, dict)
    value = exact(document)
    return work(taken["plan"], measure(value, len(canonical(value))))


def reasons(value: Any, *criteria: Any) -> list[str]:
    numbered = [{"id": str(place), **criterion} for place, criterion in enumerate(criteria)]
    answer = deliverable.check({"deliverable": {"kind": "json", "value": value}, "criteria": numbered})
    return [each["reason"] for each in answer["criteria"]]


BESIDE = [
    '{"properties": {"a": {"enum": ["x", "y"]}}}',
    '{"properties": {"a": {"pattern": "^(x|y){1,50}$"}}}',
    '{"properties": {"a": {"format": "regex"}}}',
    '{"properties": {"a": {"uniqueItems": true, "prefixItems": [{"pattern": "a"}]}}}',
    '{"properties": {"a": {"multipleOf": 0.01, "maximum": 9}}}',
    '{"properties": {"a": {"items": {"const": "x"}}}}',
]


@pytest.mark.parametrize("schema", [each for each in BESIDE if "unique" not in each])
@pytest.mark.parametrize("value", ['"x"', '["x", "y"]', "5"])
def test_what_no_way_leads_to_costs_nothing(schema: str, value: str) -> None:
    bare = steps(schema, f'{{"a": {value}, "b": [0, 0]}}')
    padding = json.dumps([0] * 5000)
    assert steps(schema, f'{{"a": {value}, "b": {padding}}}') == bare


@pytest.mark.parametrize(
    "schema",
    [
        '{"items": {"pattern": "a"}}', '{"items": {"format": "uri"}}', '{"items": {"uniqueItems": true}}',
        '{"items": {"enum": [1, "a"]}}', '{"additionalProperties": {"type": "string"}}',
        '{"patternProperties": {"^a": true}, "additionalProperties": false}', '{"propertyNames": {"format": "iri"}}',
        '{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}', '{"unevaluatedItems": true}',
        '{"items": {"$ref": "#"}}', '{"$ref": "https://json-schema.org/draft/2020-12/schema"}',
        '{"prefixItems": [{"multipleOf": 0.5}]}', '{"items": {"maximum": 0.5}}', '{"items": {"const": {"a": [0.5]}}}',
    ],
)  # fmt: skip
@settings(deadline=None, max_examples=20)
@given(st.integers(1, 6), st.integers(1, 6))
def test_more_of_what_is_reached_never_costs_less(schema: str, few: int, more: int) -> None:
    def document(count: int) -> str:
        rows = ",".join(f'{{"a{place}": "x", "n": {place}.25}}' for place in range(count))
        return f"[{rows}]"

    assert steps(schema, document(few)) <= steps(schema, document(few + more))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ('{"format": "uri"}', '{"format": "regex"}'),
        ('{"format": "uri"}', '{"allOf": [{"format": "uri"}, {"format": "uri"}]}'),
        ('{"required": ["a"]}', '{"required": ["a", "b"]}'),
        ('{"dependentRequired": {"a": ["b"]}}', '{"dependentRequired": {"a": ["b", "c"]}}'),
        ('{"dependentRequired": {"a": []}}', '{"dependentRequired": {"a": [], "b": []}}'),
        ('{"enum": ["a"]}', '{"enum": ["a", "b"]}'),
        ('{"const": "a"}', '{"const": ["a", ["b"]]}'),
        ('{"const": 1}', '{"const": 0.1}'),
        ('{"maximum": 1}', '{"maximum": 1e-4000}'),
        ('{"multipleOf": 1}', '{"multipleOf": 1e-4000}'),
        ('{"pattern": "^a$"}', '{"pattern": "^[01]*1[01]{900}2$"}'),
        ('{"anyOf": [{"type": "string"}]}', '{"anyOf": [{"type": "string"}], "unevaluatedItems": false}'),
    ],
)
def test_each_keyword_is_charged_for_what_it_adds(less: str, more: str) -> None:
    document = json.dumps("x" * 2000)
    assert steps(less, document) < steps(more, document)


def test_numbers_are_charged_by_their_kind() -> None:
    unique = '{"items": {"uniqueItems": true}}'
    plain, machine, near, far = (
        steps(unique, f"[[{one},{other}]]")
        for one, other in (
            ("1", "2"), ("1000000000000000000", "1000000000000000001"), ("10.000000000000000001", "10.000000000000000002"),
            ("1e-4000", "2e-4000"),
        )
    )  # fmt: skip
    assert plain < machine < near < far
    huge = steps(unique, f"[[{10**400},{10**400 + 1}]]")
    assert machine < huge


def test_a_format_costs_nothing_where_it_only_informs() -> None:
    text = json.dumps("x" * 2000)
    assert steps('{"format": "uri"}', text, assert_format=False) < steps('{"format": "uri"}', text)


def test_the_room_for_schemas_is_taken_once_and_lint_says_so() -> None:
    wide = {"check": "json_schema", "schema": {"allOf": [{}] * 5000}}
    assert reasons(1, *[wide] * 4) == ["OK"] * 3 + ["SCHEMA_TOO_COMPLEX"]
    assert SCHEMA_BUDGET < 4 * 5001
    linted = deliverable.lint([{"id": str(place), **wide} for place in range(4)])
    assert [each["reason"] for each in linted["criteria"]] == ["OK"] * 3 + ["SCHEMA_TOO_COMPLEX"]


def test_one_price_holds_for_patterns_of_texts_and_of_schemas() -> None:
    """What one judges in a millisecond the other does not withhold."""
    text = "line of text " * 3400
    for pattern in ("^.{1,500}", r"(\w+\s+){200,}", r"https?://[^\s]{5,100}", r"\b\w{30,100}\b"):
        found = deliverable.check(
            {
                "deliverable": {"kind": "json", "value": text},
                "criteria": [
                    {"id": "0", "check": "matches", "path": "", "value": pattern},
                    {"id": "1", "check": "json_schema", "schema": {"pattern": pattern}},
                ],
            }
        )
        one, other = found["criteria"]
        assert one["result"] == other["result"] != "UNCHECKABLE"


def test_characters_beyond_latin_count_by_their_bytes() -> None:
    """A pattern compiled for Latin-1 does not say what they take."""
    text = "б" * 22_000
    for pattern, reason in ((r"(?:\x{431}?){1000}", "OK"), (r"(?:\x{431}?){1000}" * 4, "LIMIT_WORK")):
        assert reasons(text, {"check": "matches", "path": "", "value": pattern}) == [reason]


@pytest.mark.parametrize(
    ("operand", "taken"),
    [
        ({"path": "/a/0"}, 3), ({"count": "/a"}, 2), ({"bytes": "/s"}, 2 + 10), ({"chars": "/s"}, 2 + 10),
        ({"sha256": "/s"}, 2 + 10), ({"sum": "a"}, 2 + 3), ({"sum": "a[*]"}, 2 + 4), ({"max": "$.b[*][*]"}, 2 + 3 + 5),
        ({"add": [{"count": "/a"}, {"count": "/a"}, {"count": "/b"}]}, 2 + 2),
    ],
)  # fmt: skip
def test_each_value_a_claim_reads_is_a_step(operand: Any, taken: int) -> None:
    document = Deliverable(
        "text", json.dumps({"a": [1, 2, 3], "b": [[1, 2], [3, 4]], "s": "x" * 640}).encode()
    )
    claims = CLAIMS.read([{"left": operand, "op": "eq", "right": "x" if "sha256" in operand else 0}])
    assert isinstance(claims, tuple)
    reader = Reader(document, 100)
    reader.read(claims[0].left)
    assert reader.steps_taken == taken


def test_numbers_too_large_for_binary64_are_near_each_other() -> None:
    assert measure([None, True, 10**400, 10**400 + 1, 10**400 + 2], 0).has_near_numbers
    assert not measure([None, True, 10**400, 10**400], 0).has_near_numbers
