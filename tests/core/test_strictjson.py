"""The reader loses nothing and refuses what RFC 8259 refuses; the writer gives everything back."""

import json
from typing import Any

import msgspec
import pytest

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import (
    MAX_DEPTH,
    NotPlain,
    Number,
    RepeatedNames,
    _write,
    integer,
    is_deeper,
    members,
    plainly,
    read,
    read_document,
    write,
    write_plain,
)


def nested(depth: int) -> Any:
    """Give a value of so many lists around a dict."""
    value: Any = {"a": 1}
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "source",
    [
        b'{"b":1,"a":2}',
        b'{"a":1,"a":2,"a":3}',
        b"[1,1.0,1e0,-0,0.10,1E+2,123456789012345678901234567890]",
        b'["\\ud800","x\\udfffy"]',
        '["é€😀"]'.encode(),
        b'{"":{"":[]}}',
        b"null",
        b'"text"',
        b"true",
    ],
)
def test_a_compact_text_is_written_back_byte_for_byte(source: bytes) -> None:
    """Order, repetition, spelling and lone surrogates survive (architecture, rule 11)."""
    assert write(read(source)) == source


def test_the_bytes_are_kept_beside_the_value() -> None:
    document = read_document(b' {"a" : 1.50} ')
    assert document.source == b' {"a" : 1.50} '
    assert document.value == {"a": Number("1.50")}


def test_a_repeated_name_reads_as_its_last_value_and_all_stay_listed() -> None:
    """Reading A50: the last duplicate wins for axes while the reader keeps all."""
    value = read('{"a":1,"b":2,"a":3}')
    assert isinstance(value, RepeatedNames)
    assert value["a"] == Number("3")
    assert list(members(value)) == [("a", Number("1")), ("b", Number("2")), ("a", Number("3"))]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (b"", "json_malformed"),
        (b"{", "json_malformed"),
        (b"[1,]", "json_malformed"),
        (b'{"a":1,}', "json_malformed"),
        (b"01", "json_malformed"),
        (b"1.", "json_malformed"),
        (b"+1", "json_malformed"),
        (b"'a'", "json_malformed"),
        (b'"a\nb"', "json_malformed"),
        (b'"\\x41"', "json_malformed"),
        (b"[] []", "json_malformed"),
        (b"\xc2\xa0[]", "json_malformed"),
        (b"1\x00", "json_malformed"),
        ("\ufeff\ufeff[]".encode(), "json_malformed"),
        (b"NaN", "json_not_finite"),
        (b"[Infinity]", "json_not_finite"),
        (b"[-Infinity]", "json_not_finite"),
        (b'"\xff"', "json_not_utf8"),
        (b'"\xed\xa0\x80"', "json_not_utf8"),
        ("[]".encode("utf-16"), "json_not_utf8"),
        ('"\ud800"', "json_not_utf8"),
        (b"[" * 129 + b"]" * 129, "json_too_deep"),
        (b"[" * 100_000, "json_too_deep"),
        (b'{"a":' * 129 + b"1" + b"}" * 129, "json_too_deep"),
    ],
)
def test_what_is_not_json_is_refused_by_code(source: bytes | str, code: str) -> None:
    with pytest.raises(JSONUnreadable) as caught:
        read(source)
    assert caught.value.code == code


def test_the_error_holds_nothing_of_the_text() -> None:
    """The library's own error carries the whole document; ours must not drag it along (service section 5.1)."""
    with pytest.raises(JSONUnreadable) as caught:
        read('{"canary": "a4f1" ')
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "canary" not in repr(error) + str(error)
    assert error.numbers == {"position": 18}


def test_one_byte_order_mark_is_dropped() -> None:
    assert read(b"\xef\xbb\xbf[]") == []
    assert read("\ufeff[]") == []


def test_the_depth_limit_itself_passes_and_brackets_in_strings_do_not_count() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    assert read('["' + "[{" * 500 + '\\"' + "[" * 500 + '"]') is not None
    assert read("[" + ",".join(["[]"] * 500) + "]") is not None


def test_a_long_text_is_refused_with_its_numbers() -> None:
    with pytest.raises(JSONUnreadable) as caught:
        read(b"[1]", max_bytes=2)
    assert (caught.value.code, caught.value.numbers) == ("json_too_long", {"length": 3, "cap": 2})
    assert read(b"[]", max_bytes=2) == []


def test_deep_recursion_of_the_caller_is_a_refusal_and_not_a_crash() -> None:
    """A caller near the interpreter's own limit leaves the scanner too little room for even a shallow text."""

    def descend() -> str:
        try:
            return descend()
        except RecursionError:
            try:
                read("[" * 100 + "]" * 100)
            except JSONUnreadable as error:
                return error.code
            return "read"

    assert descend() == "json_too_deep"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (Number("1"), 1),
        (Number("-0"), 0),
        (Number("9" * 78), int("9" * 78)),
        (Number("9" * 79), None),
        (Number("1.0"), None),
        (Number("1e0"), None),
        (1.0, None),
        (True, None),
        ("1", None),
        (None, None),
    ],
)
def test_only_a_plain_integer_spelling_is_an_integer(value: object, expected: int | None) -> None:
    assert integer(value) == expected


def test_python_values_are_written_as_json() -> None:
    value: Any = {"a": [1, 2.5, True, None, "é"], "b": ()}
    assert json.loads(write(value)) == {"a": [1, 2.5, True, None, "é"], "b": []}


def test_values_that_are_not_json_are_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not finite"):
            write([value])
    with pytest.raises(TypeError):
        write([object()])  # type: ignore[list-item]


def test_depth_is_told_of_values_that_were_not_read_here() -> None:
    flat: Any = [[] for _ in range(1000)]
    assert not is_deeper("text", 0)
    assert is_deeper([], 0)
    assert not is_deeper([], 1)
    assert not is_deeper({"a": [], "b": flat}, 3)
    assert is_deeper({"a": [], "b": flat}, 2)


def test_cycles_are_deep_and_sharing_is_not_counted_twice() -> None:
    """Sixty levels that share their halves hold 2^60 paths; each level is met once."""
    cycle: list[Any] = []
    cycle.append(cycle)
    shared: Any = []
    for _ in range(60):
        shared = [shared, shared]
    assert is_deeper(cycle)
    assert not is_deeper(shared)


@pytest.mark.parametrize(
    ("value", "is_quick"),
    [
        ({"a": [1, "x", None, True, (2,)]}, True),
        (read('{"a":1,"b":[-1]}'), False),
        (read('{"a":100000000000000000}'), True),
        (read('{"a":1000000000000000000}'), False),
        (read('{"a":1,"a":2}'), False),
        ({1: 2}, False),
        ([1.5], False),
        ([10**18], False),
        ([object()], False),
        ([[0]] * 20_000, False),
        ([{"a": None}] * 9_000, True),
        (nested(MAX_DEPTH - 1), True),
        (nested(MAX_DEPTH), False),
    ],
)
def test_only_plain_values_take_the_quick_way_and_both_write_the_same(value: Any, is_quick: bool) -> None:
    if not is_quick:
        with pytest.raises(NotPlain):
            plainly(value)
    try:
        parts: list[str] = []
        _write(value, parts)
    except TypeError:
        with pytest.raises(TypeError):
            write(value)
    else:
        assert write(value) == "".join(parts).encode()
        assert not is_quick or msgspec.json.encode(plainly(value)) == write(value)


def test_what_is_known_to_be_plain_is_written_the_same_whatever_its_texts_hold() -> None:
    for text in ("x", "é", "\ud800", '"\\\n\x7f'):
        value: Any = {"a": [1, text, None, True, {}], text: {"b": text}}
        assert write_plain(value) == write(value)


def test_a_value_that_holds_itself_is_not_plain() -> None:
    cycle: list[Any] = []
    cycle.append([cycle, cycle])
    with pytest.raises(NotPlain):
        plainly(cycle)


def test_every_character_is_written_as_the_slow_way_writes_it() -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)]))
    parts: list[str] = []
    _write([text], parts)
    assert write([text]) == "".join(parts).encode()
    assert write(["\ud800"]) == b'["\\ud800"]'
