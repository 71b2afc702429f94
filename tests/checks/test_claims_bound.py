"""What takes a support back, and what does not: pairs of a claim and a record, each with its verdict."""

import pytest

from assay402 import claims

PAIRS = (
    (
        "The contract was signed.",
        "2026-01-01 contract signed\n2026-01-02 contract terminated",
        "CONTRADICTED",
    ),
    ("The licence was issued.", "2026-01-01 licence issued\n2026-02-01 licence expired", "CONTRADICTED"),
    ("The upload is in progress.", "upload failed\nupload queued", "UNSUPPORTED"),
    ("Order 7 is not in the list.", '{"order":7,"list":"a","in_list":"b"}', "UNSUPPORTED"),
    ("The charges total $60.", "the charges are high", "UNSUPPORTED"),
    ("The import finished without errors.", "import finished", "UNSUPPORTED"),
    ("The import finished without errors.", "import finished, no errors", "SUPPORTED"),
    (
        "The user was added to the group.",
        "2026-01-01 user added to group\n2026-01-02 user removed from group",
        "CONTRADICTED",
    ),
    (
        "The user was added to the group.",
        "10:00:00 user added to group\n10:01:00 user removed from group",
        "CONTRADICTED",
    ),
    ("Access for eve was granted.", "access for eve granted\naccess for eve revoked", "CONTRADICTED"),
    ("Charge ch_1 was paid.", "charge ch_1 status=paid\ncharge ch_2 status=reversed", "SUPPORTED"),
    ("Bob sent the invoice.", "The invoice was sent on time.", "UNSUPPORTED"),
    (
        "A full refund of order 12 was issued.",
        "order=12 total=40.00\nrefund order=12 amount=40.00 status=succeeded",
        "SUPPORTED",
    ),
    ("A full refund of order 12 was issued.", "refund order=12 amount=40.00 status=succeeded", "UNSUPPORTED"),
    (
        "The e-mail was sent to ann@example.com.",
        "to=<bob@example.com>, dsn=2.0.0, status=sent\nto=<cy@example.com>, dsn=2.0.0, status=sent",
        "UNSUPPORTED",
    ),
    (
        "The database restart is complete.",
        "restart of db-1 started\nrestart of db-1 in progress",
        "UNSUPPORTED",
    ),
    ("Two of three builds succeeded.", "build a: success\nbuild a: success\nbuild c: failed", "UNSUPPORTED"),
    ("Two of three uploads succeeded.", "the uploads are slow", "UNSUPPORTED"),
    ("The charges total $60.", "charge ch_1 status=ok\ncharge ch_2 amount=30.00", "UNSUPPORTED"),
    ("The charges total $60.", "charge ch_1 amount=10.00\ncharge ch_2 amount=30.00", "CONTRADICTED"),
    ("The plan costs $10 per year.", "plan: $10", "UNSUPPORTED"),
    ("Sales rose from 100 to 150.", "sales rose from 100 to 150", "SUPPORTED"),
    ("Sales rose from 100 to 150.", "sales rose to 150 from 100", "SUPPORTED"),
    ("Job 7 is running.", "job 7 status=failed\njob 7 status=queued", "UNSUPPORTED"),
    ("Ticket T-9 is not assigned to kim.", '{"ticket":"T-9","assigned":"kim"}', "CONTRADICTED"),
    ("The Basic plan costs $39.", "Basic: $19, Pro: $39", "CONTRADICTED"),
)


@pytest.mark.parametrize(("claim", "record", "support"), PAIRS)
def test_a_claim_beside_a_record_has_its_verdict(claim: str, record: str, support: str) -> None:
    answer = claims.diagnose(
        {
            "schema": "FAHCE_MACHINE_REQUEST_V1",
            "candidate_output": claim,
            "evidence": [{"id": "e1", "kind": "log", "source_label": "log", "text": record}],
        }
    )
    assert [each["support"] for each in answer["diagnosis"]["claims"]] == [support]


def test_a_row_that_gives_only_values_the_claim_names_elsewhere_contradicts_nothing() -> None:
    wide = "{" + ", ".join(f'"m{number}": 5' for number in range(30)) + "}"
    answer = claims.diagnose(
        {
            "schema": "FAHCE_MACHINE_REQUEST_V1",
            "candidate_output": "The quota of the cluster is 7 and the level is 5.",
            "evidence": [{"id": "e1", "kind": "paste", "source_label": "quota cluster level", "text": wide}],
        }
    )
    assert all(each["support"] != "CONTRADICTED" for each in answer["diagnosis"]["claims"])


def test_a_value_of_a_wide_row_is_bound_beside_others_that_the_claim_names() -> None:
    wide = '{"cluster": "blue", ' + ", ".join(f'"m{number}": 5' for number in range(30)) + "}"
    answer = claims.diagnose(
        {
            "schema": "FAHCE_MACHINE_REQUEST_V1",
            "candidate_output": "The cluster blue gives 7 beside 5.",
            "evidence": [{"id": "e1", "kind": "paste", "source_label": "log", "text": wide}],
        }
    )
    assert all(each["support"] not in ("CONTRADICTED", "SUPPORTED") for each in answer["diagnosis"]["claims"])
