"""What tools print, near the edges: where a form, a table or a tally says less than it seems to."""

import pytest

from assay402 import claims
from claims_cases import item, request

_TABLE = "| Host | CPU | Memory |\n|---|---|---|\n| web-1 | 20 | 60 |\n| web-2 | 70 | 35 |"


def support(candidate: str, *evidence: str, kind: str = "log") -> str:
    """Give the verdict on the first claim of a candidate."""
    items = [item(text, f"e{number}", kind) for number, text in enumerate(evidence, 1)]
    answer = claims.diagnose(request(candidate, *items))
    found: str = answer["diagnosis"]["claims"][0]["support"]
    return found


def test_ten_digits_are_a_moment_only_where_the_field_is_named_for_one() -> None:
    created = "The account was created on 1 January 2026."
    assert support(created, '{"id":"a1","created_at":1767225600}', kind="paste") == "SUPPORTED"
    assert support(created, '{"id":"a1","created_at":1767225600000}', kind="paste") == "SUPPORTED"
    assert support(created, '{"id":"a1","created_by_size":1767225600}', kind="paste") != "SUPPORTED"


def test_an_extreme_is_looked_for_in_the_one_column_that_the_claim_names() -> None:
    assert support("web-2 has the highest CPU.", f"Measured today.\n{_TABLE}", kind="document") == "SUPPORTED"
    assert support("web-2 has the highest CPU and memory.", _TABLE, kind="document") == "UNSUPPORTED"


@pytest.mark.parametrize(
    ("claim", "summary", "expected"),
    [
        ("2 tests failed, 1 error.", "=== 2 failed, 1 error in 3.00s ===", "SUPPORTED"),
        ("2 tests failed, 2 errors.", "=== 2 failed, 1 error in 3.00s ===", "CONTRADICTED"),
        ("5 tests passed, 3 failed.", "3 failed", "UNSUPPORTED"),
        ("5 tests passed, 2 failed.", "3 failed", "CONTRADICTED"),
        ("3 tests failed, 1 was skipped.", "3 failed, 1 skipped", "SUPPORTED"),
    ],
)
def test_several_numbers_of_one_run_are_all_looked_up(claim: str, summary: str, expected: str) -> None:
    assert support(claim, summary) == expected


def test_what_a_record_does_not_know_denies_nothing() -> None:
    claim = "The patient has no known allergies."
    assert support(claim, "Allergies: unknown", kind="document") != "CONTRADICTED"
    assert support(claim, "Allergies: none", kind="document") == "SUPPORTED"
    assert support(claim, "Allergies: penicillin", kind="document") == "CONTRADICTED"


@pytest.mark.parametrize(
    "line",
    ["x" * 500, "+ my-lib@1.2.0", "   1b2c3d4..4c1d0aa  main -> main", "     Active: active (running)"],
)
def test_a_line_alone_is_not_read_as_a_tool_s_where_the_tool_is_not_seen(line: str) -> None:
    assert support("The package was published to npm. The branch was pushed.", line) in (
        "UNSUPPORTED",
        "UNVERIFIED",
    )
