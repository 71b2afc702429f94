"""What a judge's opinion may change, and what a repair does where the changed text is still faulty."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from assay402 import claims
from assay402.checks.claims import CHECK
from assay402.checks.claims.diagnosing import assemble, diagnose
from assay402.checks.claims.model import Again, Given, Outcome
from assay402.checks.claims.rules.repair import repaired
from assay402.checks.claims.rules.world import World
from assay402.core.asks import Answer, Ask, Failed, drive
from assay402.core.opinions import Judge, Judged, Opinion
from assay402.envelope import local, with_judge
from claims_cases import item, request

AT = datetime(2026, 1, 1, tzinfo=UTC)
SAID = "The cache made the pages quicker for visitors."
FOUND = "Visitors saw quicker pages once the cache was there, and the team wrote a report on it."
FAULTY = request("The refund of $60 was issued.", "refund rf_4 amount=60.00 USD status=pending")


def admitted(made: dict[str, Any], operation: str = "diagnose") -> Given:
    given = CHECK.operation(operation).admit(made)
    assert isinstance(given, Given)
    return given


def opinions(*given: Opinion | None) -> Callable[[Ask], Answer]:
    """Make an answerer that has these opinions."""

    def answerer(ask: Ask) -> Answer:
        assert isinstance(ask, Judge)
        assert ask.statements
        return Judged(model="small", opinions=given, provider="here")

    return answerer


def judged(made: dict[str, Any], judge: Callable[[Ask], Answer] | None) -> Outcome:
    outcome = drive(CHECK.operation("diagnose").run(with_judge(admitted(made))), local(lambda: AT, judge))
    assert isinstance(outcome, Outcome)
    return outcome


YES = Opinion(entail=0.97, contradict=0.01, neutral=0.02)


@pytest.mark.parametrize(
    ("opinion", "support", "confidence"),
    [
        (YES, "SUPPORTED", "MODEL"),
        (Opinion(entail=0.01, contradict=0.97, neutral=0.02), "CONTRADICTED", "MODEL"),
        (Opinion(entail=0.5, contradict=0.1, neutral=0.4), "UNSUPPORTED", "RULE"),
        (replace(YES, quote="quicker pages"), "SUPPORTED", "MODEL"),
        (replace(YES, quote="pages are quicker"), "UNSUPPORTED", "RULE"),
        (replace(YES, quote=" "), "UNSUPPORTED", "RULE"),
        (None, "UNSUPPORTED", "RULE"),
    ],
)
def test_an_opinion_decides_what_the_rules_left_open_within_its_bounds(
    opinion: Opinion | None, support: str, confidence: str
) -> None:
    diagnosis = judged(request(SAID, FOUND), opinions(opinion)).diagnosis
    finding = diagnosis.verdicts[0].finding
    assert (finding.support, finding.confidence) == (support, confidence)
    assert (diagnosis.model, diagnosis.provider) == ("small", "here")


def test_no_opinion_is_asked_for_what_the_rules_decide() -> None:
    """A stage overclaim, a value that differs and a supported claim are no judge's to change."""
    for made in (
        FAULTY,
        request("The Basic plan costs $39.", "Basic: $19/month"),
        request(FOUND, FOUND),
        request("The moon is round.", "status=ok"),
    ):
        assert judged(made, opinions()).diagnosis.model == "rules"


def test_without_an_answer_the_rules_stand_alone() -> None:
    for judge in (None, lambda _: Failed(state="unreachable")):
        assert judged(request(SAID, FOUND), judge).diagnosis.model == "rules"


def test_a_repair_that_never_becomes_clean_proposes_nothing() -> None:
    """The rounds are counted; what was found faulty is then withheld."""
    made = request(
        "The refund of $60 was issued. The pages are blue.", "refund rf_4 amount=60.00 USD status=pending"
    )
    given = admitted(made, "repair")
    before = diagnose(given)
    other = diagnose(admitted(request("Pages are red.", "refund rf_4 status=pending")))
    stubborn = Again(state=other.state, verdicts=other.verdicts)
    kept = replace(before, verdicts=before.verdicts[:1])
    repair = repaired((given, kept, lambda _: stubborn))
    assert (repair.proposed, repair.withheld) == (None, 1)


def test_details_of_actions_are_told_up_to_a_number() -> None:
    report = "\n".join(f"- The refund rf_{number} of $5 was issued." for number in range(450))
    log = "\n".join(f"refund rf_{number} amount=5.00 USD status=succeeded" for number in range(450))
    details = claims.diagnose(request(report, item(log)))["execution_state"]["action_details"]
    assert len(details) == 400


def test_one_value_with_more_records_than_the_budget_is_told_as_partial() -> None:
    text = "[" + ",".join(['{"a":1}'] * 21_000) + "]"
    coverage = claims.diagnose(request("The job ran.", text, text, "status=ok"))["diagnosis"][
        "evidence_coverage"
    ]
    assert [each["status"] for each in coverage] == ["INSPECTED", "PARTIAL", "OMITTED"]


@pytest.mark.parametrize(("confidence", "state"), [("RULE", "BLOCK"), ("MODEL", "REPAIR_REQUIRED")])
def test_what_only_a_judge_contradicts_never_blocks(confidence: Literal["RULE", "MODEL"], state: str) -> None:
    """Section 11: an opinion alone gives REPAIR_REQUIRED, and be the claim of a consequential action."""
    given = admitted(request("The refund of order 12 was issued.", "refund order=12 status=failed"))
    world = World(given.evidence)
    verdict = diagnose(given, world).verdicts[0]
    told = replace(verdict, finding=replace(verdict.finding, confidence=confidence))
    assert assemble(given, world, (told,)).state == state


def test_a_text_that_the_budget_left_partly_unread_is_not_repaired() -> None:
    given = admitted(FAULTY, "repair")
    diagnosis = diagnose(given)
    verdict = diagnosis.verdicts[0]
    unread = replace(verdict, finding=replace(verdict.finding, code="BUDGET"))

    def never(_: Given) -> Again:
        raise AssertionError

    assert repaired((given, replace(diagnosis, verdicts=(unread,)), never)).proposed is None
