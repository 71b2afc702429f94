"""What a pattern that begins at the start of the text costs, told by its structure."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import deliverable
from assay402.checks.deliverable.automaton import MAX_ALL_STEPS, MAX_CLASSES, Places, Price
from assay402.checks.deliverable.automaton_syntax import parse
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.pattern import compiled

CLASSES = [
    "a",
    "b",
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    "[^a]",
    "[a-c]",
    "[^a-c0]",
    "é",
    r"\x61",
    r"[\d_]",
    r"\p{L}",
    r"\.",
    "[a-]",
]


def price(pattern: str) -> Price | None:
    return Places().price(pattern)


@pytest.mark.parametrize(
    ("pattern", "reach"),
    [
        (r"^[^@\s]{1,64}@[^@\s]{1,255}$", 1288), ("^.{20,500}[.!?]$", 2012), ("^[^/]{1,128}/[^/]{1,128}$", 1036),
        (r"^\S.{0,500}$", 2012), (r"^(\S+\s+){5,50}\S+$", None), ("^(?:abc|def)$", 20), (r"^\bword\b", 24),
        (r"(^a|^b{2})c", 20), ("^a{3}b{0}", 20), (r"(?:^a){1,2}", 16), (r"^[\u0061-\u0064\t\n][\]\-a]x*?$", None),
        (r"^(?<year>\d{4})$", 24), (r"^\p{Lu}\P{L}\pN", 20), (r"^[^\p{L}\x{1F600}]", 12), ("^[b-é]", 12), ("^", 8),
    ],
)  # fmt: skip
def test_ordinary_patterns_cost_little_whatever_is_delivered(pattern: str, reach: int | None) -> None:
    found = price(pattern)
    assert found is not None
    assert found.byte < 60
    assert found.reach == reach


@pytest.mark.parametrize(
    "pattern",
    [
        "", "^(a", "^a)", "^(?=a)", "^(?i)a", "^[a", "^[[:alpha:]]", r"^\Qa\E", r"^\A", "^a{1",
        "^(|a)", "^*", "^a**", r"^\k<a>", "^" + "(" * 13 + "a" + ")" * 13, "^a{3000}", "^(?:a?b?){1000}", "^[z-a]", r"^[a-\d]",
        "^]", "^a\\", "^[^", r"^[\p{L}-z]x{0,5000}",
    ],
)  # fmt: skip
def test_what_is_not_understood_has_no_price_of_its_own(pattern: str) -> None:
    assert price(pattern) is None


@pytest.mark.parametrize("pattern", ["a", "a^", "(?:^a)?b", "^a|b", "$a"])
def test_what_does_not_begin_at_the_start_of_the_text_looks_at_all_of_it(pattern: str) -> None:
    found = price(pattern)
    assert found is not None
    assert found.reach is None


def test_what_is_entered_anew_at_each_character_may_be_in_all_its_places() -> None:
    once, anew = price("^[ab]{40}c"), price("[ab]{40}c")
    assert once is not None
    assert anew is not None
    assert once.byte + 3 * 38 < anew.byte


def test_a_class_is_dearer_where_the_start_of_what_matched_may_be_anywhere() -> None:
    bounded, unbounded = price(r"\p{L}{1,9}"), price(r"\p{L}+")
    assert bounded is not None
    assert unbounded is not None
    assert (bounded.alternatives, unbounded.alternatives) == (9 * 32, 8 * 32)


def test_what_can_be_in_many_places_costs_more() -> None:
    few, many, all_of_them = (
        price(pattern)
        for pattern in (
            r"^(?:\w{1,20}-){1,20}$",
            r"^(?:\w{1,20}){1,20}$",
            r"^(?:[^ab]{1,9}|[^ac]{1,9}){1,90}$",
        )
    )
    assert few is not None
    assert many is not None
    assert all_of_them is not None
    assert few.byte < 60 < many.byte < all_of_them.byte


def test_a_request_counts_the_places_of_so_many_patterns_only() -> None:
    places = Places()
    found = [
        places.price(f"^(?:[^ab]{{1,9}}|[^ac]{{1,9}}){{1,90}}{number}$")
        for number in range(MAX_ALL_STEPS >> 12)
    ]
    assert found[0] is not None
    assert found[-1] is None
    assert places.price("^(?:[^ab]{1,9}|[^ac]{1,9}){1,90}0$") == found[0]


PARTS = st.recursive(
    st.sampled_from(CLASSES),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{0,2}", "{2}", "{1,3}", "{2,}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=300)
@given(PARTS, st.text("aé0_ .-", max_size=40))
def test_no_text_longer_than_the_reach_matches_whole(part: str, text: str) -> None:
    """Python's engine is the oracle, with the one class it lacks left out."""
    found = price(f"^{part}$")
    pattern = part.replace(r"\p{L}", "[a-zé]")
    assert parse(f"^{part}$") is not None
    if found is not None and found.reach is not None and re.fullmatch(pattern, text):
        assert len(text) * 4 <= found.reach


@pytest.mark.parametrize("pattern", [r"^[^@\s]{1,64}@[^@\s]{1,255}$", "^.{20,500}[.!?]$", r"^\S.{0,500}$"])
@pytest.mark.parametrize("text", ["a" * 44_000, "a@" * 22_000, "é" * 22_000])
def test_one_padded_string_pushes_nothing_out_of_a_request(pattern: str, text: str) -> None:
    matches: list[Any] = [
        {"id": f"m{place}", "check": "matches", "path": "", "value": pattern} for place in range(32)
    ]
    schemas: list[Any] = [
        {"id": f"s{place}", "check": "json_schema", "schema": {"pattern": pattern}} for place in range(16)
    ]
    request = {"deliverable": {"kind": "json", "value": text}, "criteria": matches + schemas}
    found = {each["reason"] for each in deliverable.check(json.dumps(request))["criteria"]}
    assert found <= {"NO_MATCH", "SCHEMA_VIOLATION", "OK"}


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        (r"^.*ỿ[\p{Ll}\p{Lo}]{20}!", 405), (r"^.*ỿ[^\p{Lu}]{60}!", 861), (r"^.*ỿ\p{Ll}{60}!", 820), (r"^.*ỿ\p{L}{20}!", 195),
        (r"^.*y[acegikmoqsuwyACEGIKMOQSUWY13579#%+=_]{30}!", 290), (r"^.*ỿ.{60}!", 90), (r"^.*a\PN{60}!", 298),
    ],
)  # fmt: skip
def test_a_place_weighs_by_the_alternatives_of_bytes_its_class_has(pattern: str, least: int) -> None:
    """What a byte of the worst text was measured to take in the engine of `matches`, in steps."""
    made = compiled({"value": pattern}, Room())
    assert isinstance(made, dict)
    assert made["price"].byte >= least


def test_so_many_classes_of_a_request_are_weighed_and_each_further_one_as_the_largest() -> None:
    places = Places()
    first = places.price("^.*a[b]{9}")
    for one in range(MAX_CLASSES + 1):
        places.price(f"^[{chr(0x4E00 + one)}-{chr(0x5E00 + one)}]")
    known, further = places.price("^.*a[b]{9}c"), places.price("^.*a[c]{9}")
    assert first is not None
    assert known is not None
    assert further is not None
    assert first.alternatives == known.alternatives < further.alternatives


def test_a_class_the_engine_of_matches_does_not_read_counts_as_the_largest() -> None:
    found, narrow = price(r"^[\u0061-\u0064]"), price("^[a-d]")
    assert found is not None
    assert narrow is not None
    assert found.alternatives > narrow.alternatives


def test_what_a_text_is_looked_at_is_what_it_takes() -> None:
    """A pattern that reaches so far only cannot be pushed out by a longer text."""
    request = {
        "deliverable": {"kind": "text", "value": "ỿ" * 15_000},
        "criteria": [
            {"id": str(place), "check": "matches", "value": r"^[\p{Ll}\p{Lo}]{1,20}$"} for place in range(64)
        ],
    }
    found = {each["reason"] for each in deliverable.check(json.dumps(request))["criteria"]}
    assert found == {"NO_MATCH"}
