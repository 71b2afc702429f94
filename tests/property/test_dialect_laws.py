"""The laws of the dialect check over drawn artefacts: what is missing never improves an answer, nothing leaks."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import dialect
from property.strategies import ARTEFACTS, with_raw_forms

LAWFUL_AXES = (
    "client_header_names",
    "payload_shape",
    "amount_field_name",
    "network_id_form",
    "receipt_headers",
)
"""The carrier, the summary and the mismatches are derived from what remains, and exempt."""
BOTH = {
    "amount_field_name": {"amount", "maxAmountRequired"},
    "network_id_form": {"CAIP-2", "slug"},
    "payload_shape": {"top-level", "inside-accepted"},
    "receipt_headers": {"PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"},
}


def said(artefact: dict[str, Any]) -> dict[str, set[str]] | None:
    """Give the forms and names each lawful axis says; none for UNDETERMINED. None where nothing can be graded."""
    report = dialect.check({"mode": "submitted", "artefact": artefact})
    if "axes" not in report:
        return None
    return {axis: forms(axis, report["axes"][axis]) for axis in LAWFUL_AXES}


def forms(axis: str, finding: str | list[str]) -> set[str]:
    if isinstance(finding, list):
        return set(finding)
    return {"both": BOTH.get(axis, set()), "UNDETERMINED": set()}.get(finding, {finding})


def with_something_removed(artefact: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in artefact.keys() - {"status"}:
        yield {key: value for key, value in artefact.items() if key != name}
    for leg in ("body_obj", "header_obj"):
        challenge = artefact.get(leg)
        if not isinstance(challenge, dict):
            continue
        yield {**artefact, leg: {key: value for key, value in challenge.items() if key != "error"}}
        for index, entry in enumerate(challenge.get("accepts", [])):
            for field in ("amount", "maxAmountRequired", "network"):
                if isinstance(entry, dict) and field in entry:
                    accepts = [*challenge["accepts"]]
                    accepts[index] = {key: value for key, value in entry.items() if key != field}
                    yield {**artefact, leg: {**challenge, "accepts": accepts}}


@given(ARTEFACTS)
@settings(deadline=None, max_examples=400)
def test_leaving_something_out_never_adds_a_finding(artefact: dict[str, Any]) -> None:
    """The law of the house (architecture, section 1, item 5), as the issue states it for this room."""
    whole = said(artefact)
    assert whole is not None
    for less in with_something_removed(artefact):
        rest = said(less)
        for axis in LAWFUL_AXES if rest is not None else ():
            assert rest is not None
            # A set of paid-response headers that was submitted without a receipt reads `none`, which is a finding;
            # with the set gone it reads UNDETERMINED, so removal only ever takes away.
            assert rest[axis] <= whole[axis]


CANARY = "zq7canary"


@st.composite
def artefacts_with_canaries(draw: st.DrawFn) -> dict[str, Any]:
    """Put a canary into every free text of an artefact, as value and as name."""

    def plant(value: Any) -> Any:
        if isinstance(value, dict):
            return {**{name: plant(member) for name, member in value.items()}, CANARY: CANARY}
        if isinstance(value, list):
            return [*(plant(element) for element in value), CANARY]
        return f"{value} {CANARY}" if isinstance(value, str) and draw(st.booleans()) else value

    artefact: dict[str, Any] = draw(ARTEFACTS)
    planted = {name: value if name == "status" else plant(value) for name, value in artefact.items()}
    planted = with_raw_forms(planted, draw(st.booleans()), draw(st.booleans()))
    if draw(st.booleans()):
        planted[draw(st.sampled_from([CANARY, "caller", "body_raw", "status"]))] = CANARY
    return planted


@given(artefacts_with_canaries())
@settings(deadline=None, max_examples=300)
def test_nothing_of_the_artefact_appears_in_report_or_refusal(artefact: dict[str, Any]) -> None:
    """`custody`, `forbidden` and reading A67."""
    for request in (
        {"mode": "submitted", "artefact": artefact},
        {"mode": CANARY, CANARY: artefact},
        artefact,
    ):
        assert CANARY not in json.dumps(dialect.check(request))
        assert CANARY not in json.dumps(dialect.precheck(request))
