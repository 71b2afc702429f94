"""Laws of the deliverable check over all requests: spelling never matters, evaluated bytes always do."""

import base64
import json
import random
from typing import Any
from urllib.parse import unquote, urljoin

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay402 import deliverable
from assay402.checks.deliverable.paths import read_path
from assay402.checks.deliverable.schema.patterns import is_portable
from assay402.checks.deliverable.schema.uri import resolve
from property.strategies import JSON_VALUES
from vectors import cases

CRITERIA: list[dict[str, Any]] = [
    {"id": "a", "check": "json_path_equals", "path": "a", "value": {"x": 1.5, "y": [True, None]}},
    {
        "id": "b",
        "check": "json_schema",
        "schema": {"type": "object", "properties": {"a": {"type": "number"}}},
    },
    {"id": "c", "check": "byte_length", "min": 10},
]


def respelled(value: Any, draw: random.Random) -> str:
    """Write a value with other blanks, another order of names, other spellings of numbers and characters."""
    blank = draw.choice(["", " ", "\n\t", "\r\n "])
    if isinstance(value, dict):
        items = list(value.items())
        draw.shuffle(items)
        inner = ",".join(
            f"{blank}{letters(name, draw)}{blank}:{blank}{respelled(member, draw)}" for name, member in items
        )
        return f"{blank}{{{inner}{blank}}}{blank}"
    if isinstance(value, list):
        return "[" + f"{blank},".join(respelled(element, draw) for element in value) + f"{blank}]"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, str):
        return letters(value, draw)
    text = json.dumps(value)
    return draw.choice(
        [text, text if "e" in text else f"{text}e0", text if "e" in text or "." in text else f"{text}.00"]
    )


def letters(text: str, draw: random.Random) -> str:
    return json.dumps(text, ensure_ascii=draw.random() < 0.5)


@given(JSON_VALUES, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=150)
def test_blanks_order_of_names_and_spelling_make_no_difference(value: Any, draw: random.Random) -> None:
    request = {"deliverable": {"kind": "json", "value": value}, "criteria": CRITERIA}
    answer = deliverable.check(json.dumps(request))
    assert deliverable.check(respelled(request, draw)) == answer
    assert deliverable.check(request) == answer


def test_every_vector_has_the_same_answer_in_another_spelling() -> None:
    """No count over a schema and no reading of parameters depends on the order of names."""
    draw = random.Random(402)
    for file in ("parameters", "bounds", "text", "json", "paths", "numbers", "claims", "schema", "x402"):
        for case in cases(f"deliverable/{file}.json"):
            profile = case.get("profile", "assay")
            answer = deliverable.check(json.dumps(case["request"]), profile=profile)
            assert deliverable.check(respelled(case["request"], draw), profile=profile) == answer, case["id"]


@given(st.binary(min_size=1, max_size=60), st.integers(0, 59), st.integers(1, 255))
@settings(deadline=None, max_examples=150)
def test_any_change_of_an_evaluated_byte_changes_input_root_and_both_digests(
    data: bytes, place: int, flip: int
) -> None:
    place %= len(data)
    other = data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :]
    differ_everywhere(bytes_request(data), bytes_request(other))


def bytes_request(data: bytes) -> dict[str, Any]:
    return {"deliverable": {"kind": "bytes", "value": base64.b64encode(data).decode()}, "criteria": CRITERIA}


def differ_everywhere(one: Any, other: Any) -> None:
    answers = [deliverable.check(json.dumps(each)) for each in (one, other)]
    for roots in ("sha256", "keccak256"):
        assert answers[0]["deliverableDigest"][roots] != answers[1]["deliverableDigest"][roots]
    assert answers[0]["provenance"]["inputRoot"] != answers[1]["provenance"]["inputRoot"]
    assert answers[0]["provenance"]["outputRoot"] != answers[1]["provenance"]["outputRoot"]


@given(st.text(min_size=1), st.text(min_size=1))
@settings(deadline=None, max_examples=100)
def test_different_texts_have_different_roots(one: str, other: str) -> None:
    assume(one != other)
    differ_everywhere(
        *({"deliverable": {"kind": "text", "value": text}, "criteria": CRITERIA} for text in (one, other))
    )


@given(st.integers(2**53 - 2, 2**70), st.integers(1, 3))
@settings(deadline=None, max_examples=100)
def test_neighbouring_integers_have_different_roots(number: int, step: int) -> None:
    """Section 4: plain RFC 8785 would give two neighbours beyond 2^53 one root."""
    differ_everywhere(
        *(
            {"deliverable": {"kind": "json", "value": each}, "criteria": CRITERIA}
            for each in (number, number + step)
        )
    )


@given(JSON_VALUES)
@settings(deadline=None, max_examples=100)
def test_the_bytes_of_a_json_deliverable_are_judged_as_text_like_the_text_itself(value: Any) -> None:
    """Section 2.2: kind json is its canonical text, and no other structure."""
    request = {"deliverable": {"kind": "json", "value": value}, "criteria": CRITERIA}
    answer = deliverable.check(json.dumps(request))
    if "refused" in answer:
        return
    length = answer["deliverableDigest"]["byteLength"]
    text = deliverable.explain(
        {**request, "criteria": [{"id": "a", "check": "json_path_present", "path": ""}]}
    )
    shown = text["criteria"][0]["actual"]
    if len(shown) > 2000:
        return
    again = deliverable.check({"deliverable": {"kind": "text", "value": shown}, "criteria": CRITERIA})
    assert length == len(shown.encode())
    assert again["criteria"] == answer["criteria"]
    assert again["deliverableDigest"] == {**answer["deliverableDigest"], "kind": "text"}


@given(st.text(max_size=20) | st.from_regex(r"\$?[.a\[\]'\"*0:1, \\/~-]{0,12}", fullmatch=True))
@settings(deadline=None, max_examples=300)
def test_any_text_is_a_path_or_has_a_fault(text: str) -> None:
    found = read_path(text)
    assert found in ("PATH_SYNTAX", "PATH_NOT_SINGULAR") or found == read_path(text, wildcards=True)


BASES = st.sampled_from(
    [
        "http://x.dev/a/b/c",
        "http://x.dev",
        "https://x.dev/a?q=1",
        "http://x.dev/a/",
        "http://x.dev/a/./b/../c",
    ]
)
REFERENCES = st.from_regex(
    r"(?:[a-z]{1,3}/|\./|\.\./|/)*[a-z.]{0,3}(?:\?[a-z]{0,2})?(?:#[a-z/%]{0,4})?", fullmatch=True
)


@given(BASES, REFERENCES)
@settings(deadline=None, max_examples=300)
def test_references_resolve_as_the_standard_library_resolves_them(base: str, reference: str) -> None:
    """RFC 3986; the oracle keeps an empty query mark away and double slashes, which no schema here relies on."""
    assume("//" not in reference and not reference.partition("#")[0].endswith("?"))
    uri, _, fragment = urljoin(base, reference).partition("#")
    assert resolve(base, reference) == (uri, unquote(fragment, errors="replace"))


@given(st.text(max_size=12) | st.from_regex(r"[a*+?()\[\]{},0-9|^$\\dpPkuxA-]{0,10}", fullmatch=True))
@settings(deadline=None, max_examples=200)
def test_any_text_is_a_portable_pattern_or_is_not(text: str) -> None:
    assert is_portable(text) in (True, False)
    assert not is_portable("(?P<n>a)" + text)
