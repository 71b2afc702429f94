"""What a candidate states, and what it only asks, offers, orders or means to do."""

import pytest

from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.claims import read_candidate


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Change CH-12 was approved.", "Change CH-12 was approved."),
        ("Run 12 passed.", "Run 12 passed."),
        ("Merge request 5 was merged.", "Merge request 5 was merged."),
        ("Restart of the node is complete.", "Restart of the node is complete."),
        ("Submit button works.", "Submit button works."),
        ("Please note the refund was issued.", "the refund was issued."),
        ("Rest assured that the refund was issued.", "the refund was issued."),
        ("Happy to report the refund was issued.", "the refund was issued."),
        ("Tell the customer that the refund was issued.", "the refund was issued."),
        ("I believe the refund was issued.", "the refund was issued."),
        ("I think the servers are healthy.", "the servers are healthy."),
        ("Let me confirm: the refund was issued.", "the refund was issued."),
        ("See the log; the refund was issued.", "the refund was issued."),
        ("I hope this helps - the refund was issued.", "the refund was issued."),
        ("I'm going to close the ticket because the refund was issued.", "the refund was issued."),
        ("You may use v2, which was deployed.", "was deployed."),
        ("If you look at the log, the refund was issued.", "the refund was issued."),
        ("If you need it, I can look; the refund was issued.", "the refund was issued."),
        ("If you cancel, a fee of $20 is due.", "a fee of $20 is due."),
        ("To proceed, I deleted the records.", "I deleted the records."),
        ("The refund was issued, didn't you know?", "The refund was issued"),
        ("Did you know the refund was issued?", "the refund was issued"),
        ("Was the refund issued? It was.", "Was the refund issued? It was."),
        ("Update complete, refund issued.", "Update complete, refund issued."),
    ],
)
def test_what_states_is_a_claim_whatever_leads_into_it(text: str, stated: str) -> None:
    assert [each.text for each in read_candidate(text).claims] == [stated]


@pytest.mark.parametrize(
    "text",
    [
        "Run the failed tests again.",
        "Check that the refund was issued.",
        "Make sure the server is running.",
        "Please confirm: the total is $20.",
        "I hope you are well.",
        "To proceed, I need your order number.",
        "I think this is a great approach.",
        "If the build fails, the deploy is stopped.",
        "If you need anything else, I am here to help.",
        "If you look at the log, you may see that it was deployed.",
        "If you want, please say so.",
        "I will send it, and you will get a mail.",
        "Let me know if you need anything, that would be great.",
        "Was the refund issued?",
        "Would you like a refund? No.",
        "The next step? See below.",
        "Use one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, the refund was issued.",
    ],
)
def test_what_states_nothing_is_no_claim(text: str) -> None:
    assert read_candidate(text).claims == ()


def test_an_intention_is_told_beside_the_reason_it_gives() -> None:
    read = read_candidate("I'm going to close the ticket because the refund was issued.")
    assert read.classes == ("INTENT",)


def test_what_somebody_asked_for_is_a_request() -> None:
    assert [each.stage for each in mentions("The customer asked us to cancel the order.")] == ["REQUESTED"]
