"""Schemas of strangers: bounded, offline, never an exception."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.strictjson import read, write
from assay402.wire.json_schema import MAX_SCHEMA_DEPTH, SchemaFault, validate


def fault(schema: str, instance: str = '{"a":1}') -> str | None:
    value = read(schema)
    assert isinstance(value, dict)
    found = validate(value, read(instance))
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("schema", "instance", "kind"),
    [
        ("{}", "7", None),
        ('{"properties":{"a":{"maximum":1.5}}}', '{"a":1}', None),
        ('{"properties":{"a":{"maximum":1.5}}}', '{"a":1.50000000000000000001}', "mismatch"),
        ('{"$schema":"http://json-schema.org/draft-07/schema#","type":"array"}', "{}", "mismatch"),
        ('{"$schema":7}', "{}", "invalid"),
        ('{"type":"objct"}', "{}", "invalid"),
        ('{"$ref":"#/nope"}', "{}", "invalid"),
        ('{"$ref":"other.json"}', "{}", "external"),
        ('{"items":[{"$dynamicRef":"https://x"}]}', "{}", "external"),
        ('{"$ref":"#"}', "{}", "unsupported"),
        ('{"$ref":"#anchor"}', "{}", "unsupported"),
        ('{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}', "{}", "unsupported"),
        ('{"allOf":[{"type":"object"},{"$ref":"#/allOf/9"}]}', "{}", "invalid"),
        ('{"$defs":{"a/b~":{}},"$ref":"#/$defs/a~1b~0"}', "{}", None),
        ('{"pattern":"(?=a)"}', '"b"', "unsupported"),
        ('{"pattern":"^(a+)+$"}', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"', "mismatch"),
        ('{"title":"\\ud800"}', "{}", "unsupported"),
        ('{"pattern":"x"}', '"\\ud800"', "unsupported"),
        ('{"maximum":1.5}', "9" * 5_000, "unsupported"),
    ],
)
def test_a_schema_is_judged_for_what_it_is(schema: str, instance: str, kind: str | None) -> None:
    assert fault(schema, instance) == kind


def test_a_mismatch_names_its_place() -> None:
    schema = {"properties": {"a": {"items": {"type": "string"}}}}
    assert validate(schema, {"a": ["x", 7]}) == SchemaFault(kind="mismatch", path=".a.1")


def test_the_work_is_bounded() -> None:
    """Depth, references, and size times size: none of them may take the run's time."""
    assert fault('{"not":' * (MAX_SCHEMA_DEPTH + 1) + "{}" + "}" * (MAX_SCHEMA_DEPTH + 1)) == "unsupported"
    refs = ",".join('{"$ref":"#/$defs/a"}' for _ in range(17))
    assert fault('{"$defs":{"a":{}},"allOf":[' + refs + "]}") == "unsupported"
    large = '{"title":"' + "x" * 20_000 + '"}'
    assert fault(large, large) == "unsupported"


keywords = st.sampled_from(
    ["type", "properties", "$ref", "$id", "allOf", "items", "pattern", "enum", "const", "required", "a"]
) | st.text(max_size=3)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=200)
@given(schema=st.dictionaries(keywords, json_values, max_size=4), instance=json_values)
def test_any_schema_ends_in_a_fault_or_none(schema: dict[str, object], instance: object) -> None:
    value = read(write(schema))  # type: ignore[arg-type]  # (JSON by construction)
    assert isinstance(value, dict)
    found = validate(value, read(write(instance)))  # type: ignore[arg-type]  # (the same)
    assert found is None or isinstance(found, SchemaFault)
