"""Canonical JSON is RFC 8785 where that is exact, and exact where that is not."""

import json

import pytest

from assay402.core.canon import canonical, canonical_if_plain, number_text, sha256_hex
from assay402.core.strictjson import JSON, read


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{"b":1.0,"a":[1e2]}', '{"a":[100],"b":1}'),
        ('{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
         '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'),
        ('"\\u000f\\u001f\\b\\t\\n\\f\\r\\"\\\\/"', '"\\u000f\\u001f\\b\\t\\n\\f\\r\\"\\\\/"'),
        ("[true,false,null]", "[true,false,null]"),
        ('{"a":1,"a":2}', '{"a":2}'),
    ],
)  # fmt: skip
def test_the_canonical_text_is_rfc_8785(source: str, expected: str) -> None:
    """The second row is the name-sorting example of RFC 8785, section 3.2.3."""
    assert canonical(read(source)).decode() == expected


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("1.50", "1.5"),
        ("1E21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("333333333.33333329", "33333333333333329e-8"),
        ("0.000001", "0.000001"),
        ("1e-7", "1e-7"),
        ("1.5e-7", "1.5e-7"),
        ("-123e-2", "-1.23"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740992", "9007199254740992"),
        ("1e400", "1" + "0" * 400),
        ("1e1023", "1" + "0" * 1023),
        ("1e1024", "1e1024"),
        ("1e-400", "1e-400"),
        ("0.1000000000000000055", "1000000000000000055e-19"),
    ],
)
def test_a_number_has_one_text(spelling: str, expected: str) -> None:
    """The rule and its extension are of the deliverable page, section 4."""
    assert number_text(spelling) == expected


def test_python_numbers_are_written_like_read_ones() -> None:
    value: JSON = {"b": 1.0, "a": [100, 0.5, -3, True]}
    assert canonical(value) == b'{"a":[100,0.5,-3,true],"b":1}'


def test_what_has_no_canonical_form_is_refused() -> None:
    for value in ("\ud800", float("nan"), float("inf")):
        with pytest.raises(ValueError):  # noqa: PT011  (three different causes, one class)
            canonical(value)
    with pytest.raises(ValueError, match="exponent"):
        number_text("1e9999999999")
    with pytest.raises(TypeError):
        canonical({"a": object()})  # type: ignore[dict-item]


def test_digests_are_of_exact_bytes() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("source", "is_plain"),
    [
        ('{"b":[1,"x",null],"a":{"c":true}}', True),
        ('{"a":1,"a":2}', False),
        ('{"a":[{"b":1,"b":2}]}', False),
        ('{"a":1.0}', False),
        ('"\u00e9"', False),
        ('"\\ud800"', False),
    ],
)
def test_of_a_plain_value_the_quick_way_writes_the_canonical_text_and_of_no_other(
    source: str, *, is_plain: bool
) -> None:
    value = read(source)
    quick = canonical_if_plain(value)
    assert (quick is not None) == is_plain
    assert quick is None or quick == canonical(value) == sorted_text(source)


def sorted_text(source: str) -> bytes:
    """Write a text as the standard library does with sorted names, which is canonical where all is plain."""
    return json.dumps(json.loads(source), sort_keys=True, separators=(",", ":")).encode()
