"""Repairs: the smallest honest change of each kind of fault, diagnosed clean."""

import pytest

from assay402 import claims
from assay402.checks.claims.reading.claims import read_candidate
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.repairing import replacement
from assay402.checks.claims.rules.world import World
from claims_cases import item, request


@pytest.mark.parametrize(
    ("candidate", "evidence", "proposed"),
    [
        ("Revenue was $1.2 billion.", "Revenue: $1.2 million", "Revenue was $1.2 million."),
        ("The price is €20,50.", "price: 25.50 EUR", "The price is 25.50 EUR."),
        ("Twelve users were invited.", "invited 13 users", "13 users were invited."),
        ("Half of the users opted in.", "45% of the users opted in.", "45% of the users opted in."),
        ("12k users signed up.", "signed up users=1250", "1250 users signed up."),
        ("The card was charged $250.", "charge ch_51 amount=250.00 currency=EUR status=succeeded", "The card was charged 250.00 EUR."),
        ("Systolic pressure was over 140.", "systolic pressure: 128", "Systolic pressure was 128."),
        ("Unemployment rose in March.", "Unemployment fell in March.", "Unemployment fell in March."),
        ("Read replicas are healthy.", "read replicas unhealthy", "Read replicas are unhealthy."),
        ("Deployment succeeded.", "Deployment failed.", "Deployment failed."),
        ("Deploy status is success.", "deploy status=failed", "Deploy status is failed."),
        ("I pushed the image to the registry.", "docker push registry.example.com/app:1.2\ndenied: requested access to the resource is denied", "I did not push the image to the registry."),
        ("Charge ch_12 was captured.", "charge ch_12 status=captured\ncharge ch_12 status=reversed", "Charge ch_12 was reversed."),
        ("The API key was not exposed.", "The API key was exposed in a public log.", "The API key was exposed."),
        ("The upload finished.", "upload status=queued", "The upload is pending."),
        ("I cancelled order 88.", "10:00 started cancelling order 88", "I tried to cancel order 88."),
        ("The service was deployed to production.", "deploy to production queued", "The service is queued to be deployed to production."),
        ("The service was deployed to staging.", "started deploying to staging", "The service was being deployed to staging."),
        ("No refund was issued.", "refund rf_4 amount=60.00 USD status=succeeded", 'The supplied evidence says "refund rf_4 amount=60.00 USD status=succeeded".'),
        ("The office closed on Friday.", "The office will close on Friday.", 'The supplied evidence says "The office will close on Friday".'),
        ("The invoice was sent to Ann.", "sending invoice to Ann: queued", "The invoice is queued to be sent to Ann."),
        ("The branch was merged into main.", "merge of branch into main pending", "The branch is queued to be merged into main."),
        ("The message was posted in the channel.", "message in the channel scheduled", "The message is queued to be posted in the channel."),
        ("The payment went through to Ann.", "payment to Ann pending", "The payment did not yet go through to Ann."),
        ("The refund went through to Ann.", "refund to Ann failed", "The refund did not go through to Ann."),
        ("The transfer was completed to Ann.", "transfer to Ann failed", "The transfer was not completed to Ann."),
        ("The transfer was completed.", "transfer failed", "The transfer failed."),
        ("The deploy is complete.", "deploy failed", "The deploy failed."),
    ],
)  # fmt: skip
def test_the_smallest_honest_change_is_proposed(candidate: str, evidence: str, proposed: str) -> None:
    answer = claims.repair(request(candidate, item(evidence)))
    assert answer["repair"]["proposed_output"] == proposed
    again = claims.diagnose(request(proposed, item(evidence)))
    assert {each["support"] for each in again["diagnosis"]["claims"]} == {"SUPPORTED"}


def test_a_denial_that_has_no_short_opposite_is_withheld() -> None:
    answer = claims.repair(request("The import did not finish.\nThe scan ran.", "import finished\nscan ran"))
    assert answer["diagnosis"]["claims"][0]["support"] == "CONTRADICTED"
    assert answer["repair"]["proposed_output"] == "The scan ran."


@pytest.mark.parametrize(
    ("candidate", "evidence", "proposed"),
    [
        ("The cache was cleared.", "cache size=4", "The supplied evidence does not show whether the cache was cleared."),
        ("I emailed the contract to the client.", "contract with the client saved", "The supplied evidence does not show whether I emailed the contract to the client."),
        ("J. Ruiz approved the change CH-12.", "change CH-12 opened by A. Kim", "The supplied evidence does not show whether J. Ruiz approved the change CH-12."),
        ("The legal team approved the contract!", "the contract was approved", "The supplied evidence does not show whether the legal team approved the contract!"),
    ],
)  # fmt: skip
def test_where_withholding_leaves_nothing_the_claim_is_left_open(
    candidate: str, evidence: str, proposed: str
) -> None:
    """Section 3.9: what replaces a withheld clause states nothing of the matter, and repairing it changes nothing."""
    answer = claims.repair(request(candidate, item(evidence)))
    assert [each["support"] for each in answer["diagnosis"]["claims"]] == ["UNSUPPORTED"]
    assert answer["repair"]["proposed_output"] == proposed
    assert answer["repair"]["treatment"]["kind"] == "WITHHOLD"
    again = claims.repair(request(proposed, item(evidence)))
    assert again["diagnosis"]["claims"] == []
    assert again["repair"]["proposed_output"] == proposed


@pytest.mark.parametrize(
    ("candidate", "evidence"),
    [
        ("According to the plan, the cache was cleared.", "cache size=4"),
        ("The cache was cleared" + " of the old entries" * 30 + ".", "cache size=4"),
        ("Two-factor login is enabled at last.", '{"two_factor_login": false}'),
        ("\n".join(f"The cache {each} was cleared." for each in range(60)), "cache size=4"),
    ],
)
def test_what_reads_on_in_no_such_sentence_has_no_proposal(candidate: str, evidence: str) -> None:
    answer = claims.repair(request(candidate, item(evidence)))
    assert answer["repair"]["proposed_output"] is None


def test_a_switch_that_is_off_is_denied() -> None:
    answer = claims.repair(request("Two-factor login is enabled.", item('{"two_factor_login": false}')))
    assert answer["repair"]["proposed_output"] == "Two-factor login is not enabled."


def test_possession_is_denied_with_its_own_verb() -> None:
    denial = "We do not have a backup of the server."
    answer = claims.repair(request("We have a backup of the server.", item(denial, kind="document")))
    assert answer["repair"]["proposed_output"] == denial


def test_a_value_that_no_record_gives_is_replaced_by_none() -> None:
    claim = read_candidate("The total is $5.").claims[0]
    assert replacement(claim, Binding("mismatch", claim.facts[0])) is None


@pytest.mark.parametrize(
    ("candidate", "evidence", "support"),
    [
        ("The file has over 5 MB.", "file size=7 MB", "SUPPORTED"),
        ("The file has over 5 MB.", "file size=3 MB", "CONTRADICTED"),
        ("Growth was 0k users.", "growth users=5", "CONTRADICTED"),
    ],
)
def test_sizes_and_scaled_counts_are_compared_as_written(candidate: str, evidence: str, support: str) -> None:
    answer = claims.diagnose(request(candidate, item(evidence)))
    assert [each["support"] for each in answer["diagnosis"]["claims"]] == [support]


def test_a_kept_value_is_found_through_its_object_alone() -> None:
    assert World.newest.__doc__ is not None
    assert World(()).newest is None
