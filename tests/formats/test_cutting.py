"""Cutting members out of a text: what is cut is what was spelled, and no text is too odd to be looked at."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.formats.cutting import members, spans, without_half_pairs

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(st.text(), ANY_JSON, max_size=4), indent=st.sampled_from([None, 1]))
@settings(deadline=None, max_examples=200)
def test_each_member_is_cut_as_it_was_spelled(value: Any, indent: int | None) -> None:
    source = json.dumps(value, indent=indent).encode()
    found = spans(source)
    assert found is not None
    assert {name: json.loads(source[place]) for name, place in found.items()} == value
    assert {name: json.loads(each) for name, each in (members(source) or {}).items()} == value


@given(st.binary(max_size=60) | st.text(alphabet='{}[]:,"\\ a1', max_size=30).map(str.encode))
@settings(deadline=None, max_examples=300)
def test_any_bytes_have_members_or_none(source: bytes) -> None:
    for found in (spans(source), members(source)):
        assert found is None or all(isinstance(name, str) for name in found)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b'{"a":"\\ud800","b" : [ {"a":1} ] }', {"a": b'"\\ud800"', "b": b'[ {"a":1} ]'}),
        (b'{"\\ud800":1}', {"\ud800": b"1"}),
        (b'{"\\u0061":NaN}', {"a": b"NaN"}),
        (b'{"a":NaN,"a":2}', {"a": b"2"}),
        (b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}", {"a": b"[" * 5_000 + b"]" * 5_000}),
        (b'{"\\x":NaN}', {'"\\x"': b"NaN"}),
        (b'{,"a":NaN}', {"a": b"NaN"}),
        (
            b'{"a":NaN,"b":[[[[[[[[[["]"]],"}",[]]]]]]]],9]}',
            {"a": b"NaN", "b": b'[[[[[[[[[["]"]],"}",[]]]]]]]],9]'},
        ),
        (
            b'{"a":NaN,"b":[{"c":[{"d":[{"e":[{"f":[{}]}]}]}]}]}',
            {"a": b"NaN", "b": b'[{"c":[{"d":[{"e":[{"f":[{}]}]}]}]}]'},
        ),
        (b'{"a":NaN,"b":[[[[[[[[[[{"c":1}]]]]]]]]]]}', {"a": b"NaN", "b": b'[[[[[[[[[[{"c":1}]]]]]]]]]]'}),
        (b"{}", {}),
        (b"{NaN}", {}),
        (b'{"a":1', None),
        (b"[1]", None),
        (b'"a"', None),
        (b"", None),
    ],
)
def test_what_other_readers_stop_at_is_cut_too(source: bytes, expected: Any) -> None:
    assert members(source) == expected


def test_an_object_is_found_where_it_begins() -> None:
    source = b'{"a":{"b":NaN}}'
    outer = spans(source)
    assert outer is not None
    inner = spans(source, outer["a"].start)
    assert inner is not None
    assert source[inner["b"]] == b"NaN"


def nested(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = [level, value] if level % 2 else {"k": value, "]}": "[{"}
    return value


@given(value=ANY_JSON, levels=st.integers(0, 30), after=ANY_JSON)
@settings(deadline=None, max_examples=200)
def test_a_value_of_any_depth_is_cut_whole(value: Any, levels: int, after: Any) -> None:
    source = json.dumps({"deep": nested(value, levels), "after": after}).encode()
    found = spans(source) or {}
    assert {name: json.loads(source[place]) for name, place in found.items()} == json.loads(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (rb'"\ud800 \uDFFF \uD83D\uDE00"', rb'"\ufffd \ufffd \ufffd\ufffd"'),
        (rb'"\\ud800 \\\ud800 \u00e9"', rb'"\\ud800 \\\ufffd \u00e9"'),
        (b'"plain"', b'"plain"'),
    ],
)
def test_half_pairs_are_written_as_what_every_reader_takes(source: bytes, expected: bytes) -> None:
    assert without_half_pairs(source) == expected
