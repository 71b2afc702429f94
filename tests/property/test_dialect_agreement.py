"""The engine and the independent implementation of the rules say the same of drawn artefacts."""

import random
from typing import Any

import pytest

from assay402 import dialect
from gen_dialect_corpus import random_artefact, report

ARTEFACTS = 20_000


@pytest.mark.parametrize("seed", range(4))
def test_two_implementations_agree_on_twenty_thousand_artefacts(seed: int) -> None:
    """Evidence 2 of the issue this room was built for; the other implementation shares no code with the engine."""
    drawn = random.Random(seed)
    for _ in range(ARTEFACTS // 4):
        artefact = random_artefact(drawn)
        assert engine(artefact) == report(artefact), artefact


def engine(artefact: dict[str, Any]) -> dict[str, Any]:
    answer = dialect.check({"mode": "submitted", "artefact": artefact})
    return {
        "summary": answer["dialect"],
        "axes": answer["axes"],
        "mismatches": [f"{each['code']}:{each.get('leg') or each['name']}" for each in answer["mismatches"]],
    }
