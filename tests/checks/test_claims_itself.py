"""A sentence beside itself: no rule denies a text by its own words, and one plain assertion is supported by them."""

from typing import Any

import pytest

from assay402 import claims
from vectors import cases

SETS = (
    "bound", "fault-b", "fresh-a", "fresh-b", "fresh-c", "fresh-t", "handed", "measures", "ours", "subjects", "targets",
    "tools", "verified-a", "verified-c", "verified-d",
)  # fmt: skip
CALL = "Call volume was 500."
"""Reads as a line of a tool call, which asserts nothing."""


def beside_itself(text: str) -> dict[str, Any]:
    """Give the diagnosis of a text whose only evidence is the text."""
    item = {"id": "e", "kind": "document", "source_label": "note", "text": text}
    request = {"schema": "FAHCE_MACHINE_REQUEST_V1", "candidate_output": text, "evidence": [item]}
    diagnosis: dict[str, Any] = claims.diagnose(request)["diagnosis"]
    return diagnosis


@pytest.mark.parametrize("name", SETS)
def test_no_text_is_contradicted_by_itself_and_one_plain_assertion_is_supported(name: str) -> None:
    texts = sorted({case["request"]["candidate_output"] for case in cases(f"claims/{name}.json")} - {CALL})
    wrong = []
    for text in texts:
        made = beside_itself(text)["claims"]
        found = {claim["support"] for claim in made}
        is_plain = len(made) == 1 and made[0]["claim"] == text.strip()
        if "CONTRADICTED" in found or (is_plain and found != {"SUPPORTED"}):
            wrong.append(text)
    assert wrong == []
