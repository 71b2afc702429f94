"""The grammar of JSON is decided at any depth, with the byte at which a text stops being JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.grammar import NotJSON, Syntax, depth, lone_surrogates, scan
from property.strategies import json_texts

NEAR_JSON = st.lists(
    st.sampled_from(
        [
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            '"a"',
            '"',
            "\\",
            "1",
            "-",
            "0",
            ".5",
            "e9",
            "true",
            "null",
            " ",
            "\n",
            "é",
        ]
    ),
    max_size=12,
).map("".join)


def is_json(text: str) -> bool:
    """Decide by the json module, without what it takes beyond the grammar."""

    def refuse(_constant: str) -> Any:
        raise ValueError("constant")

    try:
        json.loads(text, parse_constant=refuse, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


@given(NEAR_JSON | json_texts() | st.text())
@settings(deadline=None, max_examples=500)
def test_the_scanner_and_the_json_module_agree_on_what_is_json(text: str) -> None:
    assert isinstance(scan(text), Syntax) == is_json(text)


class Members:
    """An object with all its members."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


def deepest(value: Any) -> int:
    if isinstance(value, Members):
        return 1 + max((deepest(member) for _, member in value.pairs), default=0)
    return 1 + max(map(deepest, value), default=0) if isinstance(value, list) else 0


@given(json_texts())
@settings(deadline=None, max_examples=300)
def test_the_depth_of_a_text_is_that_of_its_value(text: str) -> None:
    found = scan(text)
    assert isinstance(found, Syntax)
    assert (
        found.depth
        == depth(text.encode())
        == deepest(json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=Members))
    )


@given(NEAR_JSON)
@settings(deadline=None, max_examples=300)
def test_a_text_is_json_up_to_its_fault(text: str) -> None:
    """What stands before the named byte can be completed to JSON only if the fault is not yet in it."""
    found = scan(text)
    if isinstance(found, NotJSON):
        before = text.encode()[: found.error_byte].decode()
        again = scan(before)
        assert isinstance(again, Syntax) or again.error_byte == len(before.encode())


def test_a_tower_of_brackets_is_decided_without_recursion() -> None:
    assert scan("[" * 20_000 + "]" * 20_000) == Syntax(depth=20_000, duplicate_names=0, lone_surrogates=0)
    assert scan("[" * 40_000) == NotJSON(error_byte=40_000)
    assert scan('{"a":' * 5_000 + "1" + "}" * 5_000 + "]") == NotJSON(error_byte=30_001)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"\ud800"', 1),
        (r'"\udc00\ud800"', 2),
        (r'"\uD83D\uDE00"', 0),
        (r'"\\ud800"', 0),
        (r'"\\\ud800"', 1),
        (r'"\ud83d\ud83d\ude00"', 1),
        (r'"\u0041"', 0),
        ('"\\\n"', 0),
        ("1", 0),
    ],
)
def test_half_characters_are_counted(text: str, expected: int) -> None:
    assert lone_surrogates(text) == expected


def test_brackets_in_strings_are_no_depth() -> None:
    assert depth(b'["[[[", "\\"[[", "\\\\", [1]]') == 2
    assert depth(b"") == 0
