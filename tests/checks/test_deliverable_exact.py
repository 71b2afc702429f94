"""Numbers before a schema: what a keyword says of one is what fractions say, however long it is."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay402 import deliverable
from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.exact import always, judging

DIALECTS = (
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)
EDGES = st.sampled_from([0, 1, 7, 10**15, 2**53, 10**16, 2**63, 2**64, 10**20, 2**128, 10**308])
SIGNS = st.sampled_from(["", "-"])
NUMBERS = st.one_of(
    st.builds(lambda sign, edge, more: f"{sign}{edge + more}", SIGNS, EDGES, st.integers(0, 2)),
    st.builds(
        lambda sign, edge, part: f"{sign}{edge}{part}",
        SIGNS, EDGES, st.sampled_from([".5", ".25", ".1", ".0000001", ".99999999", ".0"]),
    ),
    st.builds(lambda sign, digits, place: f"{sign}{digits}e-{place}", SIGNS, st.integers(0, 10**16), st.integers(0, 16)),
    st.builds(
        lambda sign, digits, place: f"{sign}{digits}e{place}",
        SIGNS, st.integers(0, 999), st.sampled_from([-4000, -400, -330, -300, -20, -2, 2, 15, 22, 300, 308, 309, 4000]),
    ),
)  # fmt: skip


def says(keyword: str, wanted: Fraction, found: Fraction) -> bool:
    """Tell what a keyword says of a number."""
    match keyword:
        case "multipleOf":
            return (found / wanted).denominator == 1
        case "minimum":
            return found >= wanted
        case "maximum":
            return found <= wanted
        case "exclusiveMinimum":
            return found > wanted
        case "exclusiveMaximum":
            return found < wanted
        case "type":
            return found.denominator == 1
        case _:
            return found == wanted


def written(keyword: str, number: str, dialect: str) -> str:
    """Write the keyword as the dialect does."""
    if keyword == "type":
        return '"type": ["integer", "null"]'
    if keyword == "nested":
        return f'"enum": ["x", [{number}]]'
    if keyword == "enum" or (keyword == "const" and dialect == DIALECTS[0]):
        return f'"enum": [{number}]'
    if keyword.startswith("exclusive") and dialect == DIALECTS[0]:
        return f'"{keyword.replace("exclusiveM", "m")}": {number}, "{keyword}": true'
    return f'"{keyword}": {number}'


KEYWORDS = (
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "type",
    "const",
    "enum",
    "nested",
)


@settings(deadline=None, max_examples=300)
@given(NUMBERS, st.lists(NUMBERS, min_size=1, max_size=3), st.sampled_from(DIALECTS), st.booleans())
@example("1", ["9007199254740993.5"], DIALECTS[-1], False)
@example("18446744073709551616", ["18446744073709551616.5"], DIALECTS[-1], True)
@example("100000000000000000000", ["1e-330"], DIALECTS[-1], False)
@example("1e-15", ["9999999999999999"], DIALECTS[-1], False)
@example("1e400", ["1e309"], DIALECTS[0], False)
def test_each_keyword_says_of_a_number_what_fractions_say(
    wanted: str, found: list[str], dialect: str, is_negated: bool
) -> None:
    asked: list[tuple[str, str]] = [
        (keyword, number)
        for keyword in KEYWORDS
        for number in found
        if keyword != "multipleOf" or Fraction(wanted) > 0
    ]
    criteria = []
    for place, (keyword, number) in enumerate(asked):
        said = written(keyword, wanted, dialect)
        schema = f'{{"$schema": "{dialect}", {f""""not": {{{said}}}""" if is_negated else said}}}'
        path = f"/{'nested' if keyword == 'nested' else 'bare'}/{found.index(number)}"
        criteria.append(f'{{"id": "{place}", "check": "json_schema", "path": "{path}", "schema": {schema}}}')
    document = f'{{"bare": [{",".join(found)}], "nested": [{",".join(f"[{each}]" for each in found)}]}}'
    answer = deliverable.check(
        f'{{"deliverable": {{"kind": "text", "value": {json.dumps(document)}}}, "criteria": [{",".join(criteria)}]}}'
    )
    for (keyword, number), judged in zip(asked, answer["criteria"], strict=True):
        expected = says(keyword, Fraction(wanted), Fraction(number)) != is_negated
        assert judged["result"] == ("PASS" if expected else "FAIL"), (keyword, wanted, number)


def test_what_is_known_of_a_deliverable_is_asked_no_longer_than_it_is_judged() -> None:
    array: Any = [1]
    known = Deliverable("json", b"[1]")
    assert known.are_different(array)
    unique = always()["uniqueItems"]({"uniqueItems": True}, True, ["uniqueItems"])
    with pytest.raises(KeyError), judging(known):
        raise KeyError
    with judging(known):
        pass
    # It has been found of the deliverable that this array has no equal elements.
    array.append(1)
    with judging(known):
        unique.validate(array)
    with pytest.raises(ValueError, match=r"^$"):
        unique.validate(array)


@pytest.mark.parametrize(
    ("value", "others", "expected"),
    [
        ([1, {"a": []}], [[1, {"a": []}]], True),
        ([1, {"a": []}], [[1, {"a": {}}], [1]], False),
        ({"a": True}, [{"a": 1}, {"b": True}], False),
        ({"a": True}, [{"b": 0}, {"a": True}], True),
        ([], [{}], False),
    ],
)
def test_a_value_is_found_among_others_by_what_it_says(value: Any, others: list[Any], expected: bool) -> None:
    nodes = Nodes([value])
    assert nodes.is_among(1, others) is expected
    assert nodes.is_among(1, others) is expected


def test_a_schema_that_holds_our_own_mark_is_judged_as_any_other() -> None:
    schema = '{"$comment": "$assay402-0-", "properties": {"$assay402-1-": {"minimum": 1e400}}}'
    request = json.dumps(
        {
            "deliverable": {"kind": "text", "value": '{"$assay402-1-": 1}'},
            "criteria": [{"id": "a", "check": "json_schema", "schema": "@"}],
        }
    )
    answer = deliverable.check(request.replace('"@"', schema))
    assert answer["criteria"][0]["reason"] == "SCHEMA_VIOLATION"
