"""The claims check on drawn requests: whatever stands before, in or behind a sentence, there is an answer or a named refusal."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import claims
from assay402.checks.claims.contract import REFUSALS
from claims_cases import request
from vectors import VECTORS, cases

KNOWN = [
    each["request"] for path in sorted(VECTORS.glob("claims/*.json")) for each in cases(f"claims/{path.name}")
]
CANDIDATES = sorted({each["candidate_output"][:300] for each in KNOWN})
TEXTS = sorted({item["text"][:1_000] for each in KNOWN for item in each["evidence"]})
LABELS = (
    *("", "Expected result: ", "Note: ", "Step 3: ", "Goal: ", "if: ", "not: ", "Planned state: ", "error: "),
    *("status: ", "2026-01-01 INFO ", "- [ ] ", "- [x] ", "> ", "| a | ", "TODO: ", '"', "unless ", "Mia: ", "0 "),
)  # fmt: skip
MARKS = (":", "|", '"', "(", ")", "{", "\n", "- ", "not ", "%", "$", ".", ",", "0", " of ", "/", " the ")


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """Give a text under a label, denied, with its words in another order, or with a mark in it."""
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return draw(st.sampled_from(LABELS)) + text
    if kind == 1:
        return text.replace(" is ", " is not ").replace(" was ", " was never ")
    if kind == 2:
        return " ".join(draw(st.permutations(text.split())))
    if kind == 3:
        place = draw(st.integers(0, len(text)))
        return text[:place] + draw(st.sampled_from(MARKS)) + text[place:]
    return text


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """Give a sentence beside what became of it and of a text of another case."""
    candidate = draw(st.sampled_from(CANDIDATES))
    beside = draw(st.sampled_from(TEXTS))
    told = draw(changed(candidate))
    evidence = draw(st.sampled_from([(told,), (told, beside), (f"{told}\n{beside}",), (beside, told)]))
    said = draw(changed(candidate)) if draw(st.booleans()) else candidate
    return request(said or candidate, *evidence)


@settings(deadline=None, max_examples=150)
@given(requests(), st.sampled_from([claims.diagnose, claims.repair, claims.verify, claims.repair_bundle]))
def test_a_request_of_allowed_form_has_an_answer_or_a_named_refusal(made: dict[str, Any], asked: Any) -> None:
    answer = asked(made)
    assert "diagnosis" in answer or answer["refused"] in REFUSALS, answer
