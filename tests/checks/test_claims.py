"""The claims check through its library door: handed cases, our cases, the published schema."""

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from assay402 import claims
from assay402.checks.claims import CHECK
from assay402.checks.claims.contract import EXIT_CODES
from assay402.checks.claims.rules.verdict import LAST, ORDER
from claims_cases import request
from vectors import VECTORS, cases

RESPONSE = json.loads(files("assay402.checks.claims.data").joinpath("response.schema.json").read_bytes())
REQUEST = json.loads(files("assay402.checks.claims.data").joinpath("request.schema.json").read_bytes())
VALID = jsonschema_rs.validator_for(RESPONSE, validate_formats=True)
RUN = {
    "diagnose": claims.diagnose,
    "repair": claims.repair,
    "verify": claims.verify,
    "repair-bundle": claims.repair_bundle,
}
HANDED = cases("claims/handed.json")
OURS = [*cases("claims/ours.json"), *cases("claims/bound.json")]
VERIFIED = [*cases("claims/verified-a.json"), *cases("claims/verified-c.json")]
TOOLS = cases("claims/tools.json")
SUBJECTS = cases("claims/subjects.json")
OTHERS = cases("claims/fault-a.json")
ALIKE = cases("claims/verified-d.json")
TARGETS = cases("claims/targets.json")
FRESH_A = cases("claims/fresh-a.json")
STATED = cases("claims/fresh-b.json")
FRESH = cases("claims/fresh-t.json")
QUALIFIED = cases("claims/fresh-c.json")
MEASURES = cases("claims/measures.json")
EVERYDAY = [*cases("claims/everyday.json"), *cases("claims/plain.json")]
VERBS = json.loads((VECTORS / "verbs.json").read_bytes())
CONFLICTS = cases("claims/fault-b.json")
PARAPHRASED = cases("claims/recall.json")
FORMS = cases("claims/fault-c.json")
LEFT = cases("claims/left.json")
ROUND_A = cases("claims/round-a.json")
ROUND_B = cases("claims/round-b.json")


def answered(request: dict[str, Any], operation: str = "diagnose") -> dict[str, Any]:
    """Give a response, valid against the published schema with formats asserted."""
    answer = RUN[operation](request)
    VALID.validate(answer)
    return answer


def faults(case: dict[str, Any]) -> list[str]:
    """Give what a response lacks of what a case expects."""
    answer = answered(case["request"], case.get("operation", "diagnose"))
    expected, diagnosis = case["expect"], answer["diagnosis"]
    found = []
    states = expected.get("state_any", [expected["state"]] if "state" in expected else [diagnosis["state"]])
    if diagnosis["state"] not in states:
        found.append(f"state {diagnosis['state']}")
    for wanted in expected.get("claims", []):
        support = wanted["support"] if isinstance(wanted["support"], list) else [wanted["support"]]
        made = [claim for claim in diagnosis["claims"] if wanted["contains"] in claim["claim"]]
        if not made or made[0]["support"] not in support:
            found.append(f"{wanted['contains']}: {made[0]['support'] if made else 'no claim'}")
    if len(diagnosis["contradictions"]) < expected.get("contradictions_min", 0):
        found.append("contradictions")
    if len(diagnosis["claims"]) > expected.get("claims_max", len(diagnosis["claims"])):
        found.append("claims_max")
    found += sorted(
        set(expected.get("action_classification", []))
        - set(answer["execution_state"]["action_classification"])
    )
    if expected.get("missing_family", "") not in [
        "",
        *(each["family"] for each in diagnosis["missing_evidence_details"]),
    ]:
        found.append("missing_family")
    for name in ("claimed_execution", "provable_execution"):
        if expected.get(name, answer["execution_state"][name]) != answer["execution_state"][name]:
            found.append(name)
    if expected.get("verified", answer["verification"]["verified"]) != answer["verification"]["verified"]:
        found.append("verified")
    return found + repair_faults(expected, answer)


def repair_faults(expected: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    proposed = (answer["repair"] or {}).get("proposed_output") or ""
    found = [f"lacks {each}" for each in expected.get("proposed_contains", []) if each not in proposed]
    found += [f"holds {each}" for each in expected.get("proposed_excludes", []) if each in proposed]
    if "proposed" in expected and (answer["repair"] or {}).get("proposed_output") != expected["proposed"]:
        found.append(f"proposed {proposed!r}")
    if "plan_required" in expected and answer["repair"]["plan"]["required"] != expected["plan_required"]:
        found.append("plan_required")
    return found


@pytest.mark.parametrize("case", HANDED, ids=lambda case: case["name"])
def test_a_handed_case_is_judged_as_expected(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", OURS, ids=lambda case: case["id"])
def test_a_case_of_ours_is_judged_as_expected(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", VERIFIED, ids=lambda case: case["id"])
def test_a_case_of_the_verification_is_judged_as_expected(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", TOOLS, ids=lambda case: case["id"])
def test_a_report_beside_what_a_tool_prints_is_judged_as_expected(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", FRESH_A, ids=lambda case: case["id"])
def test_an_order_is_isolated_a_sentence_ends_and_a_proposal_reads_as_one(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", CONFLICTS, ids=lambda case: case["id"])
def test_conflicts_universals_bounds_and_what_is_not_asserted_are_judged_as_expected(
    case: dict[str, Any],
) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", SUBJECTS, ids=lambda case: case["id"])
def test_a_record_of_another_subject_decides_nothing(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case["id"])
def test_a_number_a_verb_or_an_order_of_another_thing_supports_nothing(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case["id"])
def test_a_record_of_another_of_its_kind_or_part_supports_nothing(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", TARGETS, ids=lambda case: case["id"])
def test_whom_and_where_something_went_is_the_record_s_or_not_supported(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", STATED, ids=lambda case: case["id"])
def test_a_record_with_a_claim_s_words_supports_what_it_states_and_no_more(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", FRESH, ids=lambda case: case["id"])
def test_what_everyday_records_state_is_seen_and_what_they_state_otherwise_is_not_supported(
    case: dict[str, Any],
) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", QUALIFIED, ids=lambda case: case["id"])
def test_what_a_record_qualifies_denies_or_tells_of_another_event_is_not_the_plain_thing(
    case: dict[str, Any],
) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", MEASURES, ids=lambda case: case["id"])
def test_a_value_is_one_in_whatever_measure_or_spelling_it_is_written(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", EVERYDAY, ids=lambda case: case["id"])
def test_an_everyday_report_gets_the_state_that_its_record_gives_it(case: dict[str, Any]) -> None:
    assert faults(case) == []


def test_a_record_of_one_thing_done_supports_no_claim_of_another_but_for_those_that_follow() -> None:
    """Every verb beside every other: actions that are alike in other ways are not the same."""
    verbs = VERBS["verbs"]
    supported = [
        [one, other]
        for one in verbs
        for other in verbs
        if supports(f"The thing K7 was {one}.", f"thing K7 {other} ok")
    ]
    assert supported == sorted(
        [*VERBS["supports"], *([one, one] for one in verbs)],
        key=lambda pair: [verbs.index(each) for each in pair],
    )


def supports(candidate: str, evidence: str) -> bool:
    answer = claims.diagnose(request(candidate, evidence))
    return [each["support"] for each in answer["diagnosis"]["claims"]] == ["SUPPORTED"]


@pytest.mark.parametrize("case", PARAPHRASED, ids=lambda case: case["id"])
def test_an_everyday_paraphrase_is_supported_and_its_near_miss_is_not(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", FORMS, ids=lambda case: case["id"])
def test_a_repair_keeps_the_claim_s_form_and_a_slot_of_one_value_holds_one(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", ROUND_A, ids=lambda case: case["id"])
def test_a_part_a_none_and_another_ones_line_bear_nothing_out(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", ROUND_B, ids=lambda case: case["id"])
def test_what_the_record_gives_to_something_else_bears_nothing_out(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("case", LEFT, ids=lambda case: case["id"])
def test_each_verb_job_row_and_unit_has_the_value_that_the_record_gives_it(case: dict[str, Any]) -> None:
    assert faults(case) == []


@pytest.mark.parametrize("operation", RUN)
@pytest.mark.parametrize("case", HANDED, ids=lambda case: case["name"])
def test_every_operation_answers_every_case_validly(case: dict[str, Any], operation: str) -> None:
    answer = answered(case["request"], operation)
    assert answer["operation"] == operation
    assert (answer["repair"] is None) == (operation in ("diagnose", "verify"))
    assert answer["binding"]["operation_scope"] == f"machine:{operation}"
    assert answer["diagnosis"]["state"] in EXIT_CODES


def test_the_shipped_schemas_are_the_published_structures() -> None:
    """Only the sentences were left out: the digests are of the published files without their descriptions."""
    digests = {
        name: hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
        for name, value in (("request", REQUEST), ("response", RESPONSE))
    }
    assert digests == {
        "request": "a51e0711a1c50d225ded84c1dc5951c47fc53a57115415f67abdbcfa43940db4",
        "response": "a1f4d18dd79afa14416ec136b017d23ee19e3414d39e8f38e91d942faa489ac8",
    }


def test_the_room_names_its_operations() -> None:
    assert [operation.name for operation in CHECK.operations] == list(RUN)


def test_the_guide_names_every_deciding_rule_in_its_order() -> None:
    """The decision table of the guide is the order of the engine."""
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "claims.md").read_text("utf-8")
    table = guide.partition("## Which rule decides")[2].partition("\n## ")[0]
    named = re.findall(r"^\|.*\| ([a-z-]+) \|$", table, re.MULTILINE)
    assert [each for each in named if each != "rule"] == [
        each.id.partition("/")[2] for each in (*ORDER, LAST)
    ]
