import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialect_oracle_reader import Number, Unreadable, read_header, read_json


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)


def read(text: str) -> Any:
    try:
        return read_json(text)
    except Unreadable:
        return Unreadable


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=100)
@given(values, st.booleans(), st.sampled_from([None, 0, "\t"]))
def test_valid_json_reads_as_the_standard_library_reads_it(value: Any, ascii_only: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read_json(text) == strict(text)
    assert read_json("\ufeff" + text + "\r\n") == strict(text)


pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "u",
    "d83d",
    "\\ude00",
    "0041",
    "0",
    "1",
    "-",
    "+",
    ".",
    "e",
    "E",
    " ",
]
pieces += [
    "\n",
    "\x00",
    "\u00a0",
    "true",
    "false",
    "null",
    "NaN",
    "Infinity",
    '"a"',
    '"a":',
    "\u0661",
    "'",
    "/",
    "t",
]


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(pieces), max_size=9).map("".join))
def test_text_near_json_is_read_or_refused_as_strictly_as_the_standard_library_does(text: str) -> None:
    try:
        expected = strict(text)
    except ValueError:
        expected = Unreadable
    assert read(text) == expected


@settings(deadline=None, max_examples=100)
@given(values, st.data())
def test_damaged_json_is_refused_as_strictly_as_the_standard_library_does(
    value: Any, data: st.DataObject
) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(pieces)) + text[data.draw(st.integers(at, len(text))) :]
    try:
        expected = strict(damaged)
    except ValueError:
        expected = Unreadable
    assert read(damaged) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "NaN", "-Infinity", "01", "+1", ".5", "1.", "1e", "-", "0x1", "1_0", "tru", "True", "nul", "'a'", "[1,]", "[,1]",
        '{"a":1,}', "{a:1}", "{1:1}", '{"a"}', '{"a":}', '{"a" 1}', "[1 2]", "[", "{", "]", '"', '"a', '"\n"', '"\x1f"', "[1]]",
        r'"\x"', r'"\u12"', r'"\u12g4"', r'"\ud83d\u"', '"\\', "1 2", "/**/1", "\u00a01", "\x0c1", "\ufeff\ufeff1", " \ufeff1", "\u0661",
    ],
)  # fmt: skip
def test_what_rfc_8259_refuses_is_unreadable(text: str) -> None:
    assert read(text) is Unreadable


def test_128_open_containers_are_read_and_129_are_not() -> None:
    assert read("[" * 128 + "]" * 128) is not Unreadable
    assert read('{"a":' * 127 + "[]" + "}" * 127) is not Unreadable
    assert read("[" * 129 + "]" * 129) is Unreadable
    assert read("[" * 100_000) is Unreadable
    assert read("[" + ",".join(["[]"] * 500) + "]") is not Unreadable


def test_numbers_keep_their_spelling_and_surrogates_their_place() -> None:
    digits = "9" * 5000
    assert read_json(f"[1,1.0,1e0,-0,1E+999999,{digits}]") == [
        Number(spelling) for spelling in ("1", "1.0", "1e0", "-0", "1E+999999", digits)
    ]  # fmt: skip
    assert read_json(r'["\ud83d\ude00","\ud83d","\ude00\ud83d","\ud83d\ud83d\ude00","\ud83dx"]') == [
        "\U0001f600", "\ud83d", "\ude00\ud83d", "\ud83d\U0001f600", "\ud83dx",
    ]  # fmt: skip
    assert read_json(r'{"a":1,"a":2,"\u0061":3}') == {"a": Number("3")}


@settings(deadline=None, max_examples=100)
@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(0, 2),
    st.booleans(),
    st.text(" \t\r\n", max_size=3),
)
def test_base64_of_json_is_read_in_either_alphabet_and_with_any_padding_up_to_two(
    text: str, pads: int, url_safe: bool, blanks: str
) -> None:
    octets = json.dumps([text], ensure_ascii=False).encode()
    coded = (base64.urlsafe_b64encode(octets) if url_safe else base64.b64encode(octets)).decode().rstrip("=")
    assert read_header(blanks + coded + "=" * pads + blanks) == [text]


# W10 is [], W10= and W10== are too; the last character may differ in bits that no byte needs.
@pytest.mark.parametrize("value", ["W10", "W10=", "W10==", "W11", "\tW10 ", "W10KCQ", "77u_W10", "77u/W10"])
def test_bearable_header_values_are_read(value: str) -> None:
    assert read_header(value) == []


@pytest.mark.parametrize(
    "value",
    ["", "=", "==", "[]", "W", "W10K=A", "W10===", "W1 0", "W\n10", "W10\u00a0", "W10\x0b", "W10,W10", "77-/W10", "+7u_W10", "/w", "7b", "W10*"],
)  # fmt: skip
def test_other_header_values_are_unreadable(value: str) -> None:
    with pytest.raises(Unreadable):
        read_header(value)
