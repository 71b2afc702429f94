"""What the claims check reads in texts: values, moments, claims, records, actions, directives."""

import itertools
from decimal import Decimal
from typing import Any

import pytest

from assay402 import claims
from assay402.checks.claims.model import EvidenceItem, Fact
from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.claims import read_candidate
from assay402.checks.claims.reading.evidence import is_english, readings
from assay402.checks.claims.reading.facts import facts
from assay402.checks.claims.reading.moments import date_value, same_moment, time_value
from assay402.checks.claims.reading.segment import pieces
from assay402.checks.claims.reading.sentences import trimmed
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.compare import compare, near_miss, shape
from assay402.checks.claims.rules.directives import directives
from claims_cases import item, request

VALUES = [
    ("$1,234.50", [("money", "1234.5", "USD")]),
    ("-$20", [("money", "-20", "USD")]),
    ("50 cents", [("money", "0.5", "USD")]),
    ("€2 million", [("money", "2000000", "EUR")]),
    ("USDC 5", [("money", "5", "USDC")]),
    ("1.2M users", [("number", "1200000", "")]),
    ("30%", [("percent", "30", "%")]),
    ("2 percentage points", [("percent", "2", "pp")]),
    ("1.5 GB", [("quantity", "1500000000", "B")]),
    ("200 ms", [("quantity", "0.2", "s")]),
    ("two hours", [("quantity", "7200", "s")]),
    ("twenty-three files", [("number", "23", "")]),
    ("three hundred and five rows", [("number", "305", "")]),
    ("two million rows", [("number", "2000000", "")]),
    ("a dozen eggs", [("number", "12", "")]),
    ("two dozen eggs", [("number", "24", "")]),
    ("one of them", []),
    ("3 May 2026", [("date", "2026-05-03", "")]),
    ("May 3rd, 2026", [("date", "2026-05-03", "")]),
    ("31 February 2026", []),
    ("May 2026", [("date", "2026-05-??", "")]),
    ("2026/05/03", [("date", "2026-05-03", "")]),
    ("25/12/2025", [("date", "2025-12-25", "")]),
    ("12/25/25", [("date", "2025-12-25", "")]),
    ("03/05/2026", []),
    ("Q2 2025", [("date", "2025-Q2", "")]),
    ("at 10:30 UTC", [("time", "10:30UTC", "")]),
    ("at 99:30", []),
    ("at 13 pm", []),
    ("at 12 am", [("time", "00:00", "")]),
    ("2026-05-03T10:00:00Z", [("date", "2026-05-03T10:00UTC", "")]),
    ("2026-13-03", []),
    ("v2.4", [("version", "2.4", "")]),
    ("order 1182", [("id", "1182", "")]),
    ("#481", [("id", "481", "")]),
    ("192.168.0.1", [("id", "192.168.0.1", "")]),
    ("commit 4c1d0aa", [("hash", "4c1d0aa", "")]),
    ("ana@example.com", [("email", "ana@example.com", "")]),
    ("https://example.com/a/.", [("url", "https://example.com/a", "")]),
    ("/srv/a.txt", [("path", "/srv/a.txt", "")]),
    ("~5", [("number", "5", "")]),
    ("5 or more", [("number", "5", "")]),
]


@pytest.mark.parametrize(("text", "wanted"), VALUES, ids=[text for text, _ in VALUES])
def test_a_value_is_read_in_its_canonical_form(text: str, wanted: list[tuple[str, str, str]]) -> None:
    assert [(fact.kind, fact.value, fact.unit) for fact in facts(text)] == wanted


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("more than 5", 5, None),
        ("at least 5", 5, None),
        ("under 5", None, 5),
        ("at most 5", None, 5),
        ("about 100", 95, 105),
        ("5+", 5, None),
        ("exactly 5", 5, 5),
    ],
)
def test_a_comparison_is_an_interval(text: str, low: int | None, high: int | None) -> None:
    fact = facts(text)[0]
    assert (fact.low, fact.high) == (
        None if low is None else Decimal(low),
        None if high is None else Decimal(high),
    )


@pytest.mark.parametrize(
    ("claimed", "found", "same"),
    [
        ("2026-05-??", "2026-05-03", True),
        ("2026-05-03", "2026-05-??", None),
        ("????-05-03", "2026-05-03", True),
        ("2026-05-03", "2026-05-04", False),
        ("2026-Q2", "2026-05-03", True),
        ("2026-Q2", "2026-08-03", False),
        ("2025-Q2", "2026-05-03", False),
        ("2026-Q2", "2026-Q3", False),
        ("2026-05-03", "2026-Q2", None),
        ("10:00", "10:00:00", True),
        ("10:00", "11:00", False),
        ("10:00UTC", "10:00EST", False),
        ("10:00UTC", "05:00EST", True),
        ("10:00IST", "10:00BST", None),
        ("2026-05-02T16:00+02:00", "2026-05-02T14:00UTC", True),
        ("2026-05-02T23:30UTC", "2026-05-03T01:30CEST", True),
        ("2026-05-02T16:00IST", "2026-05-02T14:00BST", None),
        ("00:00+1", "00:00", False),
        ("10:00", "2026-05-03", None),
        ("2026-05-03", "10:00", None),
        ("10:00", "2026-05-03T10:00", True),
        ("2026-05-03T10:00", "2026-05-03", None),
        ("2026-05-03T10:00", "2026-05-03T11:00", False),
        ("1x:00", "10:00", None),
    ],
)
def test_moments_are_compared_as_precisely_as_they_were_written(
    claimed: str, found: str, same: bool | None
) -> None:
    assert same_moment(claimed, found) is same


def test_what_is_no_time_or_date_gives_nothing() -> None:
    assert time_value("noon") == date_value("slashed", "13/13/2025") == ""


def value(text: str) -> Fact:
    return facts(text)[0]


@pytest.mark.parametrize(
    ("claimed", "found", "outcome"),
    [
        ("$60", "60.00 USD", "equal"),
        ("$60", "60 EUR", "unit"),
        ("$60", "60%", "other"),
        ("1.2M rows", "1,234,000 rows", "equal"),
        ("1.2M rows", "1,300,000 rows", "unequal"),
        ("28.597", "28.596999999999998", "equal"),
        ("over 200 ms", "240ms", "equal"),
        ("over 240 ms", "240ms", "unequal"),
        ("5 files", "over 3 files", "weaker"),
        ("under 10 files", "over 3 files", "weaker"),
        ("order 42", "42_add_index", "equal"),
        ("order 42", "job-42", "equal"),
        ("4c1d0aa", "4c1d0aa9b1c2", "equal"),
        ("v2", "v2.4.1", "equal"),
        ("q2.pdf", "/srv/q2.pdf", "equal"),
        ("C-118", "C-811", "unequal"),
        ("C-118", "rf_77", "other"),
        ("C-118", "118", "other"),
        ("JFK", "LAX", "unequal"),
        ("3 May 2026", "10:00", "other"),
        ("JFK", "10:00", "other"),
    ],
)
def test_values_are_compared_by_kind(claimed: str, found: str, outcome: str) -> None:
    assert compare(value(claimed), value(found)) == outcome


def test_identifiers_of_one_shape_name_things_of_one_kind() -> None:
    assert shape("hat180") == shape("hat082")
    assert shape("fq8ape") == shape("hsr97w")
    assert shape("1182") == shape("1183")
    assert near_miss("fq8ape", "fq9ape")
    assert not near_miss("hat180", "hat181")
    assert not near_miss("1182", "1183")
    assert not near_miss("fq8ape", "fq9apf")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It was deployed.", [("deploy", "COMPLETED", False)]),
        ("It was not deployed.", [("deploy", "COMPLETED", True)]),
        ("It will be deployed.", [("deploy", "INTENT", False)]),
        ("It may be deployed.", [("deploy", "INTENT", False)]),
        ("Please deploy it.", [("deploy", "REQUESTED", False)]),
        ("It failed to deploy.", [("deploy", "FAILED", False)]),
        ("It is scheduled to be deployed.", [("deploy", "QUEUED", False)]),
        ("They started to deploy it.", [("deploy", "ATTEMPTED", False)]),
        ("Deploying now.", [("deploy", "ATTEMPTED", False)]),
        ("The deployment failed.", [("deploy", "FAILED", False)]),
        ("It was rolled back.", [("rollback", "REVERSED", False)]),
        ("the deployed version", []),
        ("deploy_status", []),
    ],
)
def test_an_action_is_read_with_how_far_it_went(text: str, wanted: list[tuple[str, str, bool]]) -> None:
    assert [(each.group, each.stage, each.negated) for each in mentions(text)] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Hello! The job ran.", ["The job ran."]),
        ("The job ran; the report was sent.", ["The job ran", "the report was sent."]),
        ("It costs e.g. $5. It ran on v1.2.3. Done?", ["It costs e.g. $5.", "It ran on v1.2.3."]),
        ("# Results\n\n- [x] tests passed\n- [ ] docs updated", ["tests passed"]),
        ("## Outage of 3 May 2026", ["Outage of 3 May 2026"]),
        ("**Status**\n> quoted: it failed\n```\nerror: it failed\n```\nThe job ran.", ["The job ran."]),
        ("~~~\nfailed\n~~~", []),
        ("| Plan | Price |\n|---|---|\n| Pro | $39 |\n| |", ["$39"]),
        ("| no header", []),
        ("If it fails, it was stopped.", []),
        ("I think it looks fine.", []),
        ("You can run it with make.", []),
        ("Use the new version.", []),
        ("✅ tests passed\n❌ docs updated", ["tests passed"]),
        ('{"a": {"b": [1, null, "x"]}, "c": true}', ["1", "x", "true"]),
        ("{not json", []),
        (
            "A line that was wrapped by an editor goes on in\nthe next line without a break.",
            ["A line that was wrapped by an editor goes on in\nthe next line without a break."],
        ),
        ("Thanks!", []),
        ("Since it was late, the shop was closed.", ["Since it was late", "the shop was closed."]),
        ("Since May 12, 2026, the shop was closed.", ["Since May 12, 2026, the shop was closed."]),
        ("If you cancel today, the fee is $5.", ["the fee is $5."]),
        ("If you cancel today, we will refund $5.", []),
        ("You will receive a letter soon.", []),
        ("Summary:", []),
        ("...", []),
    ],
)
def test_the_candidate_is_parted_into_what_it_asserts(text: str, wanted: list[str]) -> None:
    assert [claim.text for claim in read_candidate(text).claims] == wanted


def test_what_is_meant_or_asked_is_no_claim_but_a_class() -> None:
    assert read_candidate("I will send it.\nPlease send it.").classes == ("INTENT", "REQUESTED_ACTION")


def test_pieces_never_overlap() -> None:
    text = "The job ran and the report was sent, but the mail failed; it was retried.\n- one\n- two was added"
    found = pieces(text)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("words", "one"),
    [
        ("cancelled canceled cancellation", "cancel"),
        ("stories story", "story"),
        ("copied copies", "copy"),
        ("running runs", "run"),
        ("boxes", "box"),
    ],
)
def test_words_of_one_stem_are_one_word(words: str, one: str) -> None:
    assert {stem(word) for word in words.split()} == {stem(one)}


def read(text: str, kind: str = "log") -> Any:
    return readings((EvidenceItem(id="e", kind=kind, source_label="", text=text),))  # type: ignore[arg-type]  # (the tests' literals)


@pytest.mark.parametrize(
    ("text", "kind", "forms"),
    [
        (
            '{"a": 1, "b": {"id": "x", "c": [1, 2]}, "d": [{"e": null}], "f": [], "g/h": {"i": true}}',
            "log",
            ["json", "json", "json"],
        ),
        ("[1, 2]", "log", ["json"]),
        ('[{"a": 1}, [2]]', "log", ["json", "json"]),
        ('{"a": 1}\n{"a": 2}', "log", ["json", "json"]),
        ('{"broken\nline', "log", ["line", "line"]),
        ("a,b\nx,1\ny,2", "log", ["row", "row"]),
        ("| a | b |\n|---|---|\n| x | 1 |\n\nafter", "document", ["row", "line"]),
        ("row 1 is : a is 1 ; b is 2 .", "document", ["row"]),
        ("One thing happened. Another thing happened too.", "document", ["prose", "prose"]),
        ("tool_call x args={}\ntool_result x -> done\nplain", "log", ["json", "line", "line"]),
        ('tool_call x\ntool_result x -> {"a": 1}', "log", ["json", "json"]),
        ("   \n\t", "log", []),
    ],
)
def test_evidence_is_read_into_records(text: str, kind: str, forms: list[str]) -> None:
    assert [record.form for record in read(text, kind)[0]] == forms


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "EMPTY"), ("a\x00b", "CONTROL_BYTES"), ('{"broken', "UNPARSEABLE_JSON")],
)
def test_an_item_says_what_hindered_its_reading(text: str, reason: str) -> None:
    coverage = claims.diagnose(request("The job ran.", text))["diagnosis"]["evidence_coverage"][0]
    assert reason in coverage["reasons"]


def test_an_item_says_in_what_way_it_counts() -> None:
    made = request(
        "The job ran.",
        item("status=ok", "a"),
        item("status=ok", "b"),
        item("x", "c", claim_bearing=False),
        item(
            "Der Auftrag wurde gestern ausgeführt und der Bericht wurde danach an alle Kunden verschickt worden",
            "d",
        ),
    )
    reasons = [each["reasons"] for each in claims.diagnose(made)["diagnosis"]["evidence_coverage"]]
    assert reasons == [[], ["DUPLICATE_OF:a"], ["CONTEXT_ONLY"], ["NOT_ENGLISH"]]
    assert not is_english("作业已经完成")


@pytest.mark.parametrize(
    ("expected", "candidate", "met"),
    [
        ("Return JSON", '{"a": 1}', [True]),
        ("Return a JSON array.", '{"a": 1}', [False]),
        ("Return a JSON object.", '{"a": 1}', [True]),
        ("Return JSON with keys a and b.", '{"a": 1}', [True, True, False]),
        ("Include the fields: a, b", '{"a": 1, "b": 2}', [True, True]),
        ("Answer in at most 3 words.", "one two three four", [False]),
        ("Use at least two sentences.", "One. Two.", [True]),
        ("Exactly 2 bullets.", "- a\n- b", [True]),
        ("Write fewer than 2 lines.", "a\nb", [False]),
        ("Answer with one of: yes | no", "No.", [True]),
        ("One of: yes", "yes", []),
        ("Answer yes or no.", "maybe", [False]),
        ('It must contain "done".', "all done", [True]),
        ('It must not mention "price".', "the price", [False]),
        ('Never use "price".', "the cost", [True]),
        ("Plain text, please.", "**bold**", [False]),
        ("Reply in English.", "作业完成", [False]),
        ("The deployment succeeded.", "no", []),
    ],
)
def test_a_directive_is_met_or_not(expected: str, candidate: str, met: list[bool]) -> None:
    found, ignored = directives((candidate, expected))
    assert [each.met for each in found] == met
    assert bool(ignored) == (not met)


@pytest.mark.parametrize(
    "text",
    [
        r'{"note":"a \"quoted\" word","job":"build","errors":0,"size":7',
        r'{"job":"build","path":"C:\\","errors":0,"size":7,"open',
        r'{"job":"build","errors":0,"size":7}, "more": ',
        r'{"job":"build","errors":0,"size":7}]',
    ],
    ids=["after a whole member", "inside a name", "behind its end", "at an end too many"],
)
def test_a_json_text_that_was_cut_off_is_read_as_far_as_it_is_whole(text: str) -> None:
    records, _ = readings((EvidenceItem(id="e1", kind="log", source_label="", text=text),))
    fields = {field.name: field.value for record in records for field in record.fields}
    assert (fields["job"], fields["errors"], fields["size"]) == ("build", "0", "7")


def test_a_list_of_an_endless_name_says_nothing_of_what_stands_in_it() -> None:
    text = '{"%s": [{"name": "auth", "replicas": 3}]}' % ("services" * 20)
    answer = claims.diagnose(request("The billing service has 4 replicas.", text))
    assert answer["diagnosis"]["claims"][0]["support"] in ("UNSUPPORTED", "UNVERIFIED")


@pytest.mark.parametrize(
    ("text", "evidence", "support"),
    [
        ("The deploy succeeded without errors.", "deploy succeeded", "UNSUPPORTED"),
        ("The run copied 5 files.", "copied 12 files and 5 folders", "CONTRADICTED"),
        ("It is false that the order total is $40.", "order total: $40", "CONTRADICTED"),
        ("The service auth was restarted.", "service restarted", "UNSUPPORTED"),
        ("The archive holds 5 files.", "archive holds 5 folders and 12 files", "CONTRADICTED"),
    ],
)
def test_a_support_is_taken_back_where_the_record_says_less_or_the_opposite(
    text: str, evidence: str, support: str
) -> None:
    answer = claims.diagnose(request(text, evidence))
    assert [each["support"] for each in answer["diagnosis"]["claims"]] == [support]


def test_a_stretch_of_text_is_taken_without_the_blanks_around_it() -> None:
    assert [list(trimmed(text, 0, len(text))) for text in (" a b \n", " \t")] == [[(1, 4)], []]
