"""The hashes of a receipt, computed anew."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import claims
from assay402.checks.claims.receipt import ReceiptCheck, check_receipt
from assay402.core.check import Refusal
from assay402.core.strictjson import read
from claims_cases import item, request

REQUEST = request(
    "The refund of $60 was issued — é.", item("refund rf_4 amount=60.00 status=succeeded", "pay")
)
ANSWER: Any = claims.diagnose(REQUEST)
ALL_MATCH = ReceiptCheck(input_hash="matches", result_hash="matches", response_hash="matches")


def received(value: Any) -> Any:
    """Give an answer as it is read from what was received."""
    return read(json.dumps(value))


def changed(*path: str, to: Any) -> Any:
    copy = json.loads(json.dumps(ANSWER))
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return received(copy)


def test_the_hashes_of_an_answer_are_found_again() -> None:
    """Section 3.12 of the claims page."""
    assert check_receipt(received(ANSWER), received(REQUEST)) == ALL_MATCH
    wrapped = {"request": REQUEST, "idempotency_key": "12345678"}
    assert check_receipt(received(ANSWER), received(wrapped)) == ALL_MATCH


def test_names_beyond_the_basic_plane_are_hashed_as_they_were() -> None:
    asked = request("Order 7 was paid 😀.", item('{"😀": "paid", "\ufb33": 1.50}', kind="paste"))
    answer: Any = claims.repair(asked)
    assert check_receipt(received(answer), received(asked)) == ALL_MATCH


def test_without_the_request_its_hash_is_not_said_to_match() -> None:
    """What is missing never improves an answer."""
    found = check_receipt(received(ANSWER))
    assert found == ReceiptCheck(input_hash="not computed", result_hash="matches", response_hash="matches")


@pytest.mark.parametrize(
    ("path", "to", "wanted"),
    [
        (("diagnosis", "state"), "CLEAR", ("matches", "differs", "differs")),
        (("receipt", "created_at"), "2020-01-01T00:00:00Z", ("matches", "matches", "differs")),
        (("binding", "nonce"), "x", ("matches", "matches", "differs")),
        (("receipt", "engine_version"), "9", ("matches", "differs", "differs")),
        (("receipt", "result_hash"), "0" * 64, ("matches", "differs", "differs")),
        (("receipt", "response_hash"), None, ("matches", "matches", "differs")),
        (("receipt", "input_hash"), "0" * 64, ("differs", "matches", "differs")),
        (("input_hash",), "0" * 64, ("differs", "differs", "differs")),
    ],
)
def test_a_change_shows_in_every_hash_that_is_over_it(
    path: tuple[str, ...], to: Any, wanted: tuple[Any, Any, Any]
) -> None:
    found = check_receipt(changed(*path, to=to), received(REQUEST))
    assert isinstance(found, ReceiptCheck)
    assert (found.input_hash, found.result_hash, found.response_hash) == wanted


def test_the_answer_to_another_request_differs() -> None:
    found = check_receipt(received(ANSWER), received(request("Another text.")))
    assert isinstance(found, ReceiptCheck)
    assert found.input_hash == "differs"


def test_a_request_that_is_none_is_refused_by_its_own_code() -> None:
    assert check_receipt(received(ANSWER), read("[]")) == Refusal(code="not-an-object")


@pytest.mark.parametrize(
    "answer",
    [
        [],
        None,
        {},
        {"receipt": 1},
        {name: value for name, value in ANSWER.items() if name != "diagnosis"},
        {**ANSWER, "receipt": {}},
        {**ANSWER, "receipt": {**ANSWER["receipt"], "hash_scheme": "MD5"}},
        {**ANSWER, "more": "\ud800"},
        {**ANSWER, "request_id": {"\ud800": 1}},
    ],
)
def test_what_is_no_answer_of_this_contract_is_refused(answer: Any) -> None:
    assert check_receipt(received(answer)) == Refusal(code="receipt-malformed")


def test_a_repeated_name_is_refused() -> None:
    """A reader that takes the first of two would see another answer."""
    for text in (
        json.dumps(ANSWER)[:-1] + ',"schema":"x"}',
        json.dumps(ANSWER).replace('"receipt": {', '"receipt": {"run_id":"x",'),
    ):
        assert check_receipt(read(text)) == Refusal(code="receipt-malformed")


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
@settings(max_examples=25, deadline=None)
def test_every_answer_has_the_hashes_it_says(text: str) -> None:
    asked = request(text, item(f"log: {text}"))
    answer: Any = claims.diagnose(asked)
    if "receipt" in answer:
        assert check_receipt(received(answer), received(asked)) == ALL_MATCH
