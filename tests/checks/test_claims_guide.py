"""The decision table of the guide, run row by row."""

import re
from pathlib import Path

import pytest

from assay402 import claims
from claims_cases import item, request

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "claims.md").read_text("utf-8")
ROWS = [
    row
    for row in re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| ([a-z-]+) \|$", GUIDE, re.MULTILINE)
    if row[3] != "rule"
]


def items(printed: str) -> list[dict[str, object]]:
    """Read the evidence of a row as the guide says it is written."""
    if printed == "(none)":
        return []
    made = []
    for number, each in enumerate(printed.split(" ‖ "), 1):
        kind, label, text = re.findall(
            r"^(?:(log|paste|document|description): )?(?:\[([a-z ]+)\] )?(.*)$", each
        )[0]
        text = text.replace(" ⏎ ", "\n").replace("`", "")
        made.append({**item(text, f"e{number}", kind or "document"), "source_label": label or ""})
    return made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[3])
def test_a_row_of_the_guide_is_what_the_engine_says(row: tuple[str, str, str, str]) -> None:
    candidate, printed, verdict, rule = row
    text = candidate.replace(" ⏎ ", "\n").replace("¦", "|")
    diagnosis = claims.diagnose(request(text, *items(printed)))["diagnosis"]
    support, _, state = verdict.partition(", ")
    found = diagnosis["claims"][0]
    assert (found["support"], found["review"]["rules"][0]) == (support, f"claims/{rule}")
    assert state in ("", diagnosis["state"])


def test_the_guide_shows_every_kind_of_verdict() -> None:
    assert {row[2].partition(",")[0] for row in ROWS} == {
        "SUPPORTED",
        "CONTRADICTED",
        "UNSUPPORTED",
        "UNVERIFIED",
    }
