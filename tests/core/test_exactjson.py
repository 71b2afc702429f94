"""Numbers are exact values, and what has no single meaning is named."""

import json
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings

from assay402.core.canon import canonical, canonical_plain
from assay402.core.exactjson import (
    Exact,
    Troubled,
    as_text,
    exact_number,
    is_integral,
    read_exact,
    same,
    type_names,
)
from assay402.core.grammar import NotJSON
from assay402.core.strictjson import JSON, Number, read
from property.strategies import JSON_VALUES, NUMBER_SPELLINGS, json_texts


def value_of(source: str) -> JSON:
    found = read_exact(source.encode())
    assert isinstance(found, Exact)
    return found.value


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("1", 1),
        ("1.0", 1),
        ("10e-1", 1),
        ("-0", 0),
        ("-0.0e5", 0),
        ("0e99999999999", 0),
        ("1e0000000000001", 10),
        ("1.50", Decimal("1.5")),
        ("0.0001", Decimal("0.0001")),
        ("1e308", Decimal("1E+308")),
        ("1e307", 10**307),
        ("9007199254740993", 2**53 + 1),
        ("0." + "0" * 5000 + "1e5001", 1),
    ],
)
def test_equal_numbers_are_one_value_of_one_type(spelling: str, expected: int | Decimal) -> None:
    for found in (value_of(spelling), exact_number(spelling)):
        assert found == expected
        assert type(found) is type(expected)


@given(NUMBER_SPELLINGS)
@settings(deadline=None, max_examples=500)
def test_a_number_is_its_exact_value(spelling: str) -> None:
    found = exact_number(spelling)
    if found is not None:
        assert Fraction(found) == Fraction(spelling)
        assert value_of(spelling) == found
        assert is_integral(found) == (Fraction(spelling).denominator == 1)


@pytest.mark.parametrize("spelling", ["1e4097", "1e-4097", "1" * 1025, "1e99999999999", "-1e-99999999999"])
def test_numbers_have_limits(spelling: str) -> None:
    assert exact_number(spelling) is None
    found = read_exact(f"[{spelling}]".encode())
    assert isinstance(found, Troubled)
    assert found.trouble == "number"


def test_what_is_no_number_has_no_value() -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        exact_number("x")


@pytest.mark.parametrize(
    ("source", "plain", "survives"),
    [
        ("1", True, True),
        ("9007199254740993", True, False),
        ("999999999999999999999", True, False),
        ("1e21", False, True),
        ("0.1", True, True),
        ("0.0001", True, True),
        ("0.00001", False, True),
        ("123456789012345.5", False, True),
        ("0.1000000000000000055", False, False),
        ("1e-400", False, False),
        ('"😀"', True, True),
        ('{"😀":1}', False, True),
        ('[{"a":{"\\ud83d\\ude00":1}}]', False, True),
        ('[{"a":"\\ud83d\\ude00"}]', True, True),
    ],
)
def test_the_reader_tells_what_the_fast_writer_may_write(source: str, plain: bool, survives: bool) -> None:
    found = read_exact(source.encode())
    assert isinstance(found, Exact)
    assert (found.plain, found.survives) == (plain, survives)


@given(json_texts() | JSON_VALUES.map(json.dumps))
@example("1e21")
@example("9007199254740992")
@example("[0.00001,123456789.125,1e20,5e-324,1.7976931348623157e308]")
@settings(deadline=None, max_examples=500)
def test_both_writers_write_the_same_text_and_a_stock_library_where_numbers_survive(source: str) -> None:
    """Decision 4, and section 4: without the extension any library of RFC 8785 writes it."""
    found = read_exact(source.encode())
    if not isinstance(found, Exact):
        return
    text = canonical(found.value)
    assert text == canonical(read(source))
    if found.plain:
        assert canonical_plain(found.value) == text
    if found.survives and not any(abs(number) >= 2**53 for number in integers(json.loads(source))):
        assert rfc8785.dumps(json.loads(source)) == text


def integers(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [number for member in value.values() for number in integers(member)]
    if isinstance(value, list):
        return [number for element in value for number in integers(element)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


@given(JSON_VALUES)
@settings(deadline=None)
def test_a_python_value_survives_writing_and_reading(value: Any) -> None:
    found = read_exact(as_text(value))
    assert isinstance(found, Exact) or found == NotJSON(error_byte=0)
    if isinstance(found, Exact):
        assert same(found.value, value_of(json.dumps(value)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": (1, 2)}, b'{"a":[1,2]}'),
        (MappingProxyType({"a": Number("1.50")}), b'{"a":1.50}'),
        ([Decimal("1.50")], b"[1.50]"),
        ("\ud800", b'"\\ud800"'),
        ({1: 2}, b"{1:2}"),
    ],
)
def test_unusual_values_are_written_as_what_they_are(value: Any, text: bytes) -> None:
    assert as_text(value) == text


def test_what_is_no_json_is_not_written() -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for endless in (circle, deep):
        with pytest.raises(RecursionError):
            as_text(endless)
    with pytest.raises(TypeError):
        as_text(object())
    with pytest.raises(ValueError, match="finite"):
        as_text(Decimal("NaN"))


def test_a_byte_order_mark_is_no_json() -> None:
    assert read_exact("\ufeff1".encode()) == NotJSON(error_byte=0)


def test_a_constant_is_told_apart_from_other_faults() -> None:
    assert read_exact(b"[1,NaN]") == NotJSON(error_byte=3, constant=True)
    assert read_exact(b"[NaN,x]") == NotJSON(error_byte=1)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        (None, False, False),
        ([1, [2]], [1, [2]], True),
        ([1, [2]], [1, [2, 3]], False),
        ([[True]], [[1]], False),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        (Decimal("1.5"), Decimal("1.5"), True),
    ],
)
def test_types_never_mix(one: JSON, other: JSON, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_type_words() -> None:
    values: list[Any] = [None, True, "", [], {}, 1, Decimal("1.5"), Decimal("1E+400")]
    found = [type_names(value)[-1] for value in values]
    assert found == ["null", "boolean", "string", "array", "object", "integer", "number", "integer"]


def test_the_deepest_document_is_compared_and_written() -> None:
    source = "[" * 256 + "]" * 256
    assert same(value_of(source), value_of(source))
    assert canonical(value_of(source)).decode() == source
    found = read_exact(f"[{source}]".encode())
    assert isinstance(found, Troubled)
    assert found.trouble == "depth"
