"""What is looked for only where a word stands that it needs is found wherever the plain expression finds it."""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.checks import claims as room
from assay402.checks.claims.reading import marks as marking
from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.marks import Places
from assay402.checks.claims.reading.needs import needs
from assay402.checks.claims.reading.patterns import Pattern

VECTORS = Path(__file__).parents[2] / "vectors" / "claims"
FEW = 60
"""Texts each expression is tried on in full."""


def _in(value: object) -> Iterator[Pattern]:
    if isinstance(value, Pattern):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _in(each)


@cache
def patterns() -> tuple[Pattern, ...]:
    """Give the expressions of the room that stand in a module."""
    found: dict[int, Pattern] = {}
    for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        for value in vars(importlib.import_module(info.name)).values():
            found.update((id(each), each) for each in _in(value))
    return tuple(found.values())


@cache
def texts() -> tuple[str, ...]:
    """Give the lines of the vectors."""

    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield from value.split("\n")
        elif isinstance(value, dict):
            for each in value.values():
                yield from strings(each)
        elif isinstance(value, list):
            for each in value:
                yield from strings(each)

    found = (
        line
        for path in sorted(VECTORS.glob("*.json"))
        for line in strings(json.loads(path.read_text("utf-8")))
    )
    return tuple(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("expression", "marks"),
    [
        (r"\b(?:approv(?:ed|al)|sign(?:ed)?[- ]?off)\b", {"approval|", "approved|", "sign|", "signed|", "signoff|", "signedoff|"}),
        (r"\brevo[ck]|\bexpired", {"revok", "revoc", "expir"}),
        (r"\b(?:(?:un|re)?(?:cancel\w*|delet\w*))\b", {"cance", "delet", "uncan", "undel", "recan", "redel"}),
        (r"(?<![\w.])failed(?!\w)", {"failed|"}),
        (r"(?<!un)paid\b", set()),
        (r"^\W{0,3}(?:the )?[Ss]cope\s+of\b", {"scope|"}),
        (r"\[[xX ]\]|✅", {"]", "x|", "✅"}),
        (r"[\"'](?:yes|no)[\"']", {"yes|", "no|"}),
        (r"\bno(?:\s\w+){0,2}\serrors?", {"error"}),
        (r"(?:fail)+ed", set()),
        (r"\b(?:ab)+\w", set()),
        (r"\b(?:abc){2}\w", {"abc"}),
        (r"\bport\s?[=:]{1,2}\s?[0-9]", {"port|"}),
        (r"\bversion\.\d", {"version|"}),
        (r"\bB\B|naïve", set()),
        (r"\bfoo{0,1}\b", {"fo|", "foo|"}),
        (r"\b(?i:status)\b", {"status|"}),
        (r"(?=\bready)\bdone\b", {"done|"}),
        (r"\b200\w", set()),
        (r"\b200\b", {"200|"}),
        (r"\b2048\b", set()),
        (r"\b2048 bits\b", {"bits|"}),
        (r"\b(?:a|b|c|d|e|f|g){5}\bword\b", {"word|"}),
        (r"(?P<sign>[a-z])(?P=sign)\bword\b", set()),
        (r"\bword\b(?#not read)", set()),
        (r"\bword[", set()),
        (r"\bword)", set()),
        (r"\bword[^\s]\b", {"wor"}),
        (r"\w\.word\b", {"word|"}),
        (r".\|\bwords?", {"wor", "words"}),
    ],
)  # fmt: skip
def test_what_an_expression_cannot_do_without_is_read_from_it(expression: str, marks: set[str]) -> None:
    assert next(iter(needs(expression)), set()) == marks


def test_an_expression_that_needs_words_in_two_stretches_needs_one_of_each() -> None:
    expression = r"\bwhen(?:ever)?\syou\s(?:\w+\s)?(?:check|review)\s\w+\s(?:log|file)s?\b"
    assert [*needs(expression)] == [{"whenever|", "when|"}, {"file|", "files|", "log|", "logs|"}]
    places = Places()
    place = places.enter(needs(expression))
    assert not places.of("when you check it", place) >> place & 1
    assert not places.of("check the log", place) >> place & 1
    assert places.of("the files, when checked", place) >> place & 1


def test_many_spellings_are_told_by_a_part_of_them() -> None:
    words = "|".join(f"w{index}x" for index in range(30))
    assert len(needs(rf"\b(?:{words})\s(?:{words})\b")[0]) == 30
    assert needs(rf"\b(?:{'|'.join(f'w{index}' for index in range(500))})\sdone\b")[0] == {"done|"}
    assert needs(rf"\b(?:{words})(?:{words})\b")[0] == needs(rf"\b(?:{words})\w")[0]


@pytest.mark.parametrize("text", ["fa\u0131led", "mu\u017ft", "\u0130s", "word " * 1_000])
def test_a_text_of_odd_letters_or_of_great_length_is_looked_through_in_any_case(text: str) -> None:
    places = Places()
    place = places.enter((frozenset(("absent|",)), frozenset(("none|",))))
    assert places.of(text, place) >> place & 1
    assert not places.of("a plain text", place) >> place & 1


def test_an_expression_that_comes_later_is_looked_for_in_texts_that_were_seen_before() -> None:
    places = Places()
    first = places.enter((frozenset(("failed|",)),))
    seen = places.of("the build failed", first)
    second = places.enter(())
    assert seen >> first & 1
    assert seen >> second == 1, "nothing is told of a later one"
    assert places.of("the build failed", second) >> second & 1
    assert places.seen["the build failed"] >> second > 1


def test_texts_and_words_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "_MOST", 2)
    places = Places()
    place = places.enter((frozenset(("failed|",)),))
    for text in ("a build", "the build failed 12345", "a long run failed", "a failed run"):
        assert places.of(text, place) >> place & 1 == ("failed" in text)
    assert len(places.seen) <= 2


def test_letters_that_match_others_where_case_is_left_aside_are_found() -> None:
    found = Pattern(r"\b(?:mi\u017fs|fail)\b|\bkey\b", re.IGNORECASE)
    assert found.search("\u212aEY") is not None
    assert Pattern(r"\bmust\b", re.IGNORECASE).search("mu\u017ft") is not None


def test_each_expression_finds_in_each_line_of_the_vectors_what_the_plain_one_finds() -> None:
    lines = texts()
    for place, pattern in enumerate(patterns()):
        plain = re.compile(pattern.pattern, pattern.flags)
        for text in lines[place % 7 :: 7]:
            if pattern.search(text) is None:
                assert plain.search(text) is None, (pattern.pattern, text)
        for text in lines[place::FEW][:FEW]:
            assert [each.span() for each in pattern.finditer(text)] == [
                each.span() for each in plain.finditer(text)
            ]
            assert pattern.findall(text) == plain.findall(text)
            assert pattern.sub("-", text) == plain.sub("-", text)
            assert (pattern.match(text) is None) == (plain.match(text) is None)
            assert (pattern.fullmatch(text) is None) == (plain.fullmatch(text) is None)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_each_expression_finds_in_words_of_its_own_what_the_plain_one_finds(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(patterns()))
    pieces = [*re.findall(r"[A-Za-z']+|[^\w\s]|[0-9]", pattern.pattern), " ", "_", "7", "ſ", "—"]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=24)))
    plain = re.compile(pattern.pattern, pattern.flags)
    for each in (text, text.upper(), text.replace("b", " ")):
        found, expected = pattern.search(each), plain.search(each)
        assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize("length", [58, 59, 60, 61])
def test_an_action_is_read_by_what_stands_before_it_wherever_the_stretch_looked_at_begins(
    length: int,
) -> None:
    text = f"A knotted {'word ' * 12}"[: 10 + length].rstrip() + " refunded"
    assert [(each.group, each.stage, each.negated) for each in mentions(text)] == [
        ("refund", "COMPLETED", False)
    ]
