"""What holds of a match in every reading of a challenge, and of any body beside a good header."""

import base64
import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import terms
from assay402.core.strictjson import read

TERMS = b"governing law: none\n"
GOOD = {"atrHash": terms.hash_terms(TERMS), "legalContextUrl": "https://shop.dev/t"}
EVIL = {**GOOD, "atrHash": "0x" + "ee" * 32}


def objects(*members: tuple[list[str], st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Draw the text of an object whose names may stand several times."""
    member = st.one_of([st.tuples(st.sampled_from(names), value) for names, value in members])
    return st.lists(member, max_size=4).map(
        lambda drawn: "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in drawn) + "}"
    )


EXTRA = st.sampled_from(["{}", "null", json.dumps(GOOD), json.dumps(EVIL)])
OPTION = objects((["extra", "extra", "Extra", "scheme"], EXTRA))
OPTIONS = st.lists(OPTION, max_size=2).map(lambda drawn: f"[{','.join(drawn)}]") | st.just("null")
ENTRY = st.sampled_from([GOOD, EVIL]).map(
    lambda each: json.dumps(
        {"legalContext": {"info": {"type": "sha256", "value": each["atrHash"], **each} | {"schema": {}}}}
    )
)
CHALLENGE = objects(
    (["accepts", "accepts", "Accepts", "accept\u017f"], OPTIONS),
    (["extensions", "Extensions", "x402Version"], ENTRY | st.just("{}")),
)


def read_by(text: str, choose: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> Any:
    return json.loads(text, object_pairs_hook=choose)


def first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


def in_any_case(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = {"accepts", "extensions", "extra"}
    return {name.casefold() if name.casefold() in known else name: value for name, value in pairs}


def hashes_in(challenge: Any) -> set[str]:
    """Give every hash that some option of a challenge, as read, is paid under."""
    found: set[str] = set()
    for option in challenge.get("accepts") or ():
        outcome = terms.extract({**challenge, "accepts": [option]})
        if outcome.get("ok"):
            found.add(outcome["value"]["ref"]["value"])
        extra = option.get("extra")
        if isinstance(extra, dict) and "atrHash" in extra:
            found.add(extra["atrHash"])
    return found


@given(CHALLENGE)
@settings(deadline=None, max_examples=300)
def test_a_match_is_a_match_in_every_reading(text: str) -> None:
    """A past bug: a reading without terms hid another one with them."""
    if terms.verify(read(text), TERMS)["outcome"] == "match":
        for choose in (dict, first_wins, in_any_case):
            assert hashes_in(read_by(text, choose)) <= {GOOD["atrHash"]}


HEADER = (
    "payment-required",
    base64.b64encode(json.dumps({"accepts": [{"extra": GOOD}]}).encode()).decode(),
)


@given(CHALLENGE)
@settings(deadline=None, max_examples=200)
def test_a_match_of_an_endpoint_is_one_in_every_reading_of_its_body(text: str) -> None:
    if terms.verify_response(402, [HEADER], text.encode(), TERMS)["outcome"] == "match":
        for choose in (dict, first_wins, in_any_case):
            assert hashes_in(read_by(text, choose)) <= {GOOD["atrHash"]}


@given(
    st.binary(max_size=40) | st.text(max_size=40).map(str.encode),
    st.sampled_from(["utf-8", "utf-7", "utf-16", "shift_jis", "koi8-r", "idna", "hex", "x-ours", "", "\0"])
    | st.text("abc-;\"'= ", max_size=8),
)
@settings(deadline=None, max_examples=200)
def test_a_body_without_a_word_of_options_contradicts_nothing(body: bytes, charset: str) -> None:
    sent = [HEADER, ("content-type", f"text/html; charset={charset}")]
    assert terms.verify_response(402, sent, body.replace(b"\\", b""), TERMS)["outcome"] == "match"
