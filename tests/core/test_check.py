"""Refusals, rules and the reading of requests."""

from assay402.core.check import Refusal, read_request, rule
from assay402.core.errors import AssayError, JSONUnreadable, OurError, TheirError
from assay402.core.strictjson import Number


@rule("room/example", since="0.1", spec="a sentence")
def example(facts: int) -> str:
    """Say something of a number.

    ## What it reports
    A word.

    ## How to fix it
    Count

    again.
    """
    return "odd" if facts % 2 else "even"


def test_a_rule_is_called_like_its_function_and_carries_its_page() -> None:
    assert example(3) == "odd"
    assert (example.id, example.since, example.spec) == ("room/example", "0.1", "a sentence")
    assert example.summary == "Say something of a number."
    assert example.sections == {"What it reports": "A word.", "How to fix it": "Count\n\nagain."}


def test_a_refusal_is_published_with_its_numbers_only_where_it_has_some() -> None:
    assert Refusal(code="scheme").published() == {"refused": True, "code": "scheme"}
    assert Refusal(code="over_cap", length=9, cap=8).published() == {
        "refused": True,
        "code": "over_cap",
        "length": 9,
        "cap": 8,
    }


def test_a_request_is_read_or_refused() -> None:
    assert read_request(b"[1]", 3) == [Number("1")]
    assert read_request(b"[10]", 3) == Refusal(code="over_cap", length=4, cap=3)
    assert read_request(b"[", 3) == Refusal(code="not_json")


def test_a_request_may_nest_deeper_than_its_members() -> None:
    """A member that is too deep is judged by its room; a request that is deeper by far is no JSON of ours."""
    assert not isinstance(read_request(b"[" * 512 + b"]" * 512, 1 << 20), Refusal)
    assert read_request(b"[" * 513 + b"]" * 513, 1 << 20) == Refusal(code="not_json")


def test_errors_are_theirs_or_ours_and_say_code_and_numbers() -> None:
    error = JSONUnreadable("json_too_long", length=3, cap=2)
    assert isinstance(error, TheirError)
    assert isinstance(error, AssayError)
    assert not isinstance(error, OurError)
    assert str(error) == "json_too_long length=3 cap=2"
