"""The library face takes anything and never raises for it; text keeps every digit."""

import json
import threading
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay402
from assay402 import deliverable
from assay402.checks.deliverable.schema.engine import Validator, validator
from assay402.checks.deliverable.schema.exact import always
from assay402.core.errors import EngineFailed
from property.strategies import JSON_VALUES, json_texts


def request_of(value: Any, *criteria: Mapping[str, Any], kind: str = "json") -> dict[str, Any]:
    return {
        "deliverable": {"kind": kind, "value": value},
        "criteria": list(criteria) or [{"id": "a", "check": "is_json"}],
    }


def test_the_room_is_loaded_by_name() -> None:
    assert assay402.deliverable is deliverable


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (None, "member-missing"),
        (5, "member-missing"),
        ([], "member-missing"),
        (object(), "body-not-json"),
        ({1: 2}, "body-not-json"),
        ({"deliverable": b"x"}, "body-not-json"),
        ({"deliverable": {"kind": "json", "value": float("nan")}, "criteria": []}, "body-not-ijson"),
        ({"deliverable": {"kind": "json", "value": {1.5}}, "criteria": []}, "body-not-json"),
        ({"deliverable": {"kind": "text", "value": "\ud800"}, "criteria": []}, "body-not-ijson"),
        ({"deliverable": {"kind": "json", "value": 10**5000}, "criteria": []}, "limit-number"),
        ({"deliverable": {"kind": "json", "value": [[-(10**4300)]]}, "criteria": []}, "limit-number"),
        ({"deliverable": {"kind": "json", "value": 10**4200}, "criteria": []}, "limit-number"),
        ('{"deliverable": {"kind": "json", "value": 1' + "0" * 5000 + '}, "criteria": []}', "limit-number"),
        ({"deliverable": {"kind": "json", "value": Decimal("Infinity")}, "criteria": []}, "body-not-ijson"),
        ("", "body-not-json"),
        ('"\ud800"', "body-not-json"),
        (b"\xff", "body-not-json"),
    ],
)
def test_what_is_no_request_is_refused_and_nothing_is_raised(request_: Any, code: str) -> None:
    assert deliverable.check(request_)["code"] == code


def test_a_request_that_contains_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["deliverable"] = circle
    assert deliverable.check(circle)["code"] == "limit-depth"


@pytest.mark.parametrize("join", [list, tuple])
def test_shared_parts_are_counted_before_they_are_written_out(join: Any) -> None:
    value: Any = [1]
    for _ in range(60):
        value = join([value, value])
    refused = {"refused": True, "code": "body-too-large", "cap": 524_288}
    assert deliverable.check(value) == refused
    assert deliverable.check(request_of(value)) == refused


def test_another_profile_is_a_clear_error() -> None:
    calls: list[Any] = [deliverable.check, deliverable.lint, deliverable.explain]
    for call in calls:
        with pytest.raises(ValueError, match="profile is one of: assay, contract"):
            call({}, profile="zzz")
    with pytest.raises(ValueError, match="profile is one of"):
        deliverable.registry("zzz")  # type: ignore[arg-type]  # what a caller may mistype


def test_any_mapping_and_sequence_will_do_and_is_left_as_it_was() -> None:
    value = MappingProxyType({"a": (1, 2)})
    answer = deliverable.check(MappingProxyType(request_of(value)))
    assert answer == deliverable.check(json.dumps(request_of({"a": [1, 2]})))


def test_text_values_and_decimals_give_the_same_roots() -> None:
    text = (
        '{"deliverable":{"kind":"json","value":[0.1,1.50,1e400]},"criteria":[{"id":"a","check":"is_json"}]}'
    )
    values = request_of([Decimal("0.1"), Decimal("1.5"), Decimal("1e400")])
    assert deliverable.check(text) == deliverable.check(values)
    assert deliverable.check(text)["provenance"]["canonicalization"] == "RFC8785+EXACT_NUMBERS"


@given(JSON_VALUES)
@settings(deadline=None, max_examples=200)
def test_any_json_value_is_answered_or_refused(value: Any) -> None:
    for request in (value, request_of(value), {"deliverable": value, "criteria": value}):
        answer = deliverable.check(request)
        assert ("verdict" in answer) != ("code" in answer)


PARAMETERS = st.dictionaries(
    st.sampled_from(
        ["path", "value", "min", "max", "equals", "schema", "claims", "key", "by", "tolerance", "object", "type",
         "encoding", "strict", "unit", "verifySignature", "exclusiveMin", "relTolerance", "version"]
    ),
    JSON_VALUES
    | st.sampled_from(["a", "/a", "$.a", "a[*]", "", 0, 1, "json", "base64", True, {"$ref": "#"}, {"type": "object"}, "(a)"]),
    max_size=4,
)  # fmt: skip
CHECKS = st.sampled_from([each["name"] for each in deliverable.registry()["checks"]])


@given(CHECKS, PARAMETERS, json_texts() | st.text(max_size=20))
@settings(deadline=None, max_examples=600)
def test_any_criterion_on_any_text_comes_to_a_known_reason(check: str, parameters: Any, text: str) -> None:
    criterion = {**parameters, "id": "a", "check": check}
    answer = deliverable.check(request_of(text.encode(errors="replace").decode(), criterion, kind="text"))
    if "refused" in answer:
        assert answer["code"] == "body-not-ijson"
        return
    known = {each["name"]: each for each in deliverable.registry()["checks"]}[check]
    found = answer["criteria"][0]
    reasons = {"OK", *deliverable.registry()["parameterFaults"], *known["fail"], *known["uncheckable"]}
    assert found["reason"] in reasons
    assert set(found.get("detail", {})) <= set(known.get("detail", ()))


def test_threads_do_not_disturb_each_other() -> None:
    requests = [
        request_of({"n": number}, {"id": "a", "check": "numeric_range", "path": "n", "min": 50})
        for number in range(100)
    ]
    alone = [deliverable.check(request) for request in requests]
    together: dict[int, Any] = {}

    def judge(part: int) -> None:
        for number in range(part, 100, 4):
            together[number] = deliverable.check(requests[number])

    threads = [threading.Thread(target=judge, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert [together[number] for number in range(100)] == alone


def test_a_panic_of_the_engine_is_a_fault_of_ours() -> None:
    twice: Any = {"$defs": {"p": {"$id": "a", "$anchor": "m"}, "q": {"$id": "a"}}, "$ref": "a#m"}
    with pytest.raises(EngineFailed, match="internal"):
        validator(twice, 2020, assert_format=False, keywords=always())


def test_explain_shows_violations_whether_or_not_they_are_cheap_to_count() -> None:
    cyclic = {"items": {"$ref": "#"}, "maxItems": 1}
    for schema in ({"items": {"maxItems": 1}}, cyclic, {"anyOf": [cyclic]}):
        criterion = {"id": "s", "check": "json_schema", "schema": schema}
        request = {"deliverable": {"kind": "json", "value": [[1, 2]]}, "criteria": [criterion]}
        found = deliverable.explain(request)["criteria"][0]
        assert found["reason"] == "SCHEMA_VIOLATION"
        assert len(found["violations"]) == (0 if "anyOf" in schema else 1)


def test_the_first_violation_of_what_is_valid_is_none() -> None:
    made = validator({"type": "integer"}, 2020, assert_format=False, keywords={})
    assert isinstance(made, Validator)
    assert made.first_error(1) is None
    found = made.first_error("x")
    assert found is not None
    assert found.kind.name == "type"
