"""The deliverable check against its vectors: handed cases and roots, reasons, admission, the published form."""

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import jsonschema_rs
import pytest
import rfc8785

from assay402 import deliverable
from assay402.checks.deliverable import CHECK, program
from assay402.checks.deliverable.menu import MENU
from assay402.checks.deliverable.reasons import REASONS
from assay402.checks.deliverable.registry import reasons
from assay402.core.canon import canonical, keccak256_hex
from assay402.core.check import Refusal
from assay402.core.errors import EngineDiffers
from assay402.core.exactjson import Exact, read_exact
from vectors import cases

FILES = ("parameters", "bounds", "text", "json", "paths", "numbers", "claims", "schema", "exact", "x402")
HANDED = cases("deliverable/handed.json")
ROOTS = cases("deliverable/roots.json")
ADMISSION = cases("deliverable/admission.json")
OWN = [
    (file, {"request": json.loads(case["requestText"]), **case} if "requestText" in case else case)
    for file in FILES
    for case in cases(f"deliverable/{file}.json")
]

REQUEST: dict[str, Any] = {
    "deliverable": {"kind": "json", "value": {"status": "done", "items": [1, 2, 3]}},
    "criteria": [
        {"id": "status", "check": "json_path_equals", "path": "status", "value": "done"},
        {"id": "count", "check": "array_length", "path": "items", "min": 3},
    ],
    "jobRef": "erc8183:8453:42",
}
"""The contract's own example."""


def text_of(case: Mapping[str, Any]) -> str:
    return str(case["requestText"]) if "requestText" in case else json.dumps(case["request"])


def without(answer: Mapping[str, Any], *names: str) -> dict[str, Any]:
    provenance = {name: value for name, value in answer["provenance"].items() if name not in names}
    return {**answer, "provenance": provenance}


@pytest.mark.parametrize("case", HANDED, ids=lambda case: case["id"])
def test_a_handed_case_comes_out_as_expected(case: Any) -> None:
    answer = deliverable.check(text_of(case))
    expected = case["expect"]
    if expected["status"] == 400:
        assert answer["refused"]
        return
    assert answer["verdict"] == expected["verdict"]
    found = [{name: each[name] for name in ("id", "result", "reason")} for each in answer["criteria"]]
    assert found == [
        {"reason": found[place]["reason"], **each} for place, each in enumerate(expected["results"])
    ]


@pytest.mark.parametrize("case", ROOTS, ids=lambda case: case["id"])
def test_handed_roots_and_digests_are_reproduced(case: Any) -> None:
    answer = deliverable.check(case["canonicalInput"])
    assert answer["provenance"]["inputRoot"] == case["inputRoot"]
    assert answer["provenance"]["canonicalization"] == case["canonicalization"]
    assert answer["deliverableDigest"] == case["deliverableDigest"]
    assert answer.get("jobRefSha256") == case.get("jobRefSha256")
    assert hashlib.sha256(case["canonicalInput"].encode()).hexdigest() == case["inputRoot"]


@pytest.mark.parametrize(
    "case", [case for _, case in OWN], ids=[f"{file}-{case['id']}" for file, case in OWN]
)
def test_a_criterion_comes_to_its_result_reason_and_detail(case: Any) -> None:
    answer = deliverable.check(text_of(case), profile=case.get("profile", "assay"))
    for found, expected, sent in zip(
        answer["criteria"], case["expected"], case["request"]["criteria"], strict=True
    ):
        assert {name: found.get(name) for name in expected} == expected, sent


@pytest.mark.parametrize("case", ADMISSION, ids=lambda case: case["id"])
def test_a_request_is_admitted_or_refused_by_code(case: Any) -> None:
    """Section 2.1 and Decision 2; a refusal holds nothing but code and numbers."""
    operation = CHECK.operation("check")
    given = operation.admit(operation.read(case["source"].encode(), operation.request_bytes))
    assert (given.published() if isinstance(given, Refusal) else None) == case["refusal"]


def test_every_reason_of_every_check_is_reached_by_a_vector() -> None:
    """The evidence the issue asks for, by check and not only by reason."""
    reached: dict[str, set[str]] = {}
    for _, case in OWN:
        for sent, expected in zip(case["request"]["criteria"], case["expected"], strict=True):
            reached.setdefault(sent["check"], set()).add(expected["reason"])
    for case in HANDED:
        for sent, expected in zip(
            case.get("request", {}).get("criteria", ()), case["expect"].get("results", ()), strict=False
        ):
            reached[sent["check"]].add(expected["reason"])
    everywhere = set.union(*reached.values())
    assert everywhere == set(REASONS)
    shared = {"PATH_SYNTAX", "PATH_NOT_SINGULAR", "LIMIT_DEPTH", "LIMIT_NUMBER", "JSON_DUPLICATE_NAME",
              "JSON_LONE_SURROGATE", "NOT_JSON", "PATH_MISSING", "NOT_A_STRING"}  # fmt: skip
    for spec in MENU:
        fails, uncheckables = reasons(spec, "assay")
        assert set(fails + uncheckables) - shared - reached[spec.name] == set(), spec.name


def test_a_check_gives_only_the_reasons_its_registry_names() -> None:
    for _, case in OWN:
        document = deliverable.registry(case.get("profile", "assay"))
        named = {
            each["name"]: {"OK", *document["parameterFaults"], *each["fail"], *each["uncheckable"]}
            for each in document["checks"]
        }
        for sent, expected in zip(case["request"]["criteria"], case["expected"], strict=True):
            assert expected["reason"] in named[sent["check"]], sent


def test_every_refusal_code_is_reached() -> None:
    reached = {case["refusal"]["code"] for case in ADMISSION if case["refusal"] is not None}
    elsewhere = {"body-too-large", "extra-missing", "answer-shape"}
    assert reached | elsewhere | set(REASONS) == set(CHECK.notices)


def test_a_body_over_the_limit_is_refused_with_its_numbers() -> None:
    """Decision 6."""
    body = json.dumps({"deliverable": {"kind": "text", "value": "x" * 524_288}, "criteria": []})
    refusal = {"refused": True, "code": "body-too-large", "length": len(body), "cap": 524_288}
    assert deliverable.check(body) == refusal
    assert deliverable.check(json.loads(body))["code"] == "body-too-large"


def test_the_answer_has_the_members_of_the_contract() -> None:
    answer = deliverable.check(REQUEST, profile="contract")
    assert list(answer) == [
        "verdict", "criteria", "counts", "deliverableDigest", "jobRefSha256", "program", "provenance",
        "warrantyScope", "uncertainty",
    ]  # fmt: skip
    assert answer["criteria"] == [
        {"index": 0, "id": "status", "check": "json_path_equals", "result": "PASS", "reason": "OK",
         "detail": {"expectedBytes": 6, "actualBytes": 6}},
        {"index": 1, "id": "count", "check": "array_length", "result": "PASS", "reason": "OK",
         "detail": {"actual": 3}},
    ]  # fmt: skip
    assert answer["counts"] == {"total": 2, "pass": 2, "fail": 0, "uncheckable": 0}
    assert list(answer["deliverableDigest"]) == ["kind", "byteLength", "sha256", "keccak256", "isJson"]
    assert list(answer["program"]) == ["id", "version", "programRoot", "registryRoot"]
    assert list(answer["provenance"]) == [
        "basis", "thirdPartyData", "networkAccess", "inputRoot", "programRoot", "outputRoot"
    ]  # fmt: skip
    assert answer["provenance"]["basis"] == "BUYER_SUPPLIED_INPUT_AND_ARBITER_AUTHORED_CODE"
    assert (answer["provenance"]["thirdPartyData"], answer["provenance"]["networkAccess"]) == (False, False)
    assert answer["jobRefSha256"] == hashlib.sha256(b"erc8183:8453:42").hexdigest()


def test_our_profile_adds_its_members_and_nothing_else() -> None:
    ours, theirs = (deliverable.check(REQUEST, profile=profile) for profile in ("assay", "contract"))
    assert set(ours) - set(theirs) == {"criteriaRoot"}
    assert set(ours["provenance"]) - set(theirs["provenance"]) == {"canonicalization", "outputRootKeccak"}
    assert ours["criteriaRoot"] == hashlib.sha256(rfc8785.dumps(REQUEST["criteria"])).hexdigest()
    assert ours["criteria"] == theirs["criteria"]


def test_a_job_reference_is_named_by_digest_only_where_one_was_given() -> None:
    bare = {name: REQUEST[name] for name in ("deliverable", "criteria")}
    assert "jobRefSha256" not in deliverable.check(bare)
    assert deliverable.check({**bare, "jobRef": ""})["jobRefSha256"] == hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize("profile", ["assay", "contract"])
def test_the_roots_are_what_a_stock_library_makes_of_the_documents(profile: Any) -> None:
    """Section 4 and Decisions 3 and 11, with another writer of RFC 8785."""
    answer = deliverable.check(REQUEST, profile=profile)
    rest = rfc8785.dumps(without(answer, "outputRoot", "outputRootKeccak"))
    assert answer["provenance"]["outputRoot"] == hashlib.sha256(rest).hexdigest()
    assert answer["provenance"].get("outputRootKeccak", keccak256_hex(rest)) == keccak256_hex(rest)
    assert answer["provenance"]["inputRoot"] == hashlib.sha256(rfc8785.dumps(REQUEST)).hexdigest()
    registry = deliverable.registry(profile)
    assert answer["program"]["registryRoot"] == hashlib.sha256(rfc8785.dumps(registry)).hexdigest()
    document = {
        "id": "assay402/deliverable",
        "version": answer["program"]["version"],
        "registryRoot": answer["program"]["registryRoot"],
        "files": program.source_files(),
        "engines": registry["engines"],
    }
    assert answer["program"]["programRoot"] == hashlib.sha256(rfc8785.dumps(document)).hexdigest()
    assert answer["program"]["programRoot"] == answer["provenance"]["programRoot"]


def test_each_profile_has_its_own_registry_and_no_criterion_a_marker() -> None:
    """Decision 1."""
    ours, theirs = deliverable.registry("assay"), deliverable.registry("contract")
    assert {each["name"] for each in ours["checks"]} - {each["name"] for each in theirs["checks"]} == {
        "matches", "not_matches"
    }  # fmt: skip
    assert len(theirs["checks"]) == 20
    assert "extension" not in json.dumps([ours, theirs])
    refused = deliverable.check(
        {**REQUEST, "criteria": [{"id": "m", "check": "matches", "value": "x"}]}, profile="contract"
    )
    assert refused == {"refused": True, "code": "check-unknown"}


@pytest.mark.parametrize("profile", ["assay", "contract"])
def test_every_answer_follows_the_published_output_schema(profile: Any) -> None:
    schema = deliverable.contract()["outputSchema"]
    validator = jsonschema_rs.Draft202012Validator(schema, offline=True)
    for _, case in OWN:
        answer = deliverable.check(text_of(case), profile=profile)
        assert answer.get("code") == "check-unknown" or validator.is_valid(answer)


def test_every_admitted_request_follows_the_published_input_schema() -> None:
    validator = jsonschema_rs.Draft202012Validator(deliverable.contract()["inputSchema"], offline=True)
    for case in HANDED:
        if case["expect"]["status"] == 200:
            assert validator.is_valid(json.loads(text_of(case)))


@pytest.mark.parametrize(
    ("results", "verdict", "code"),
    [
        (["is_json"], "ACCEPT", 0),
        (["is_json", "statement"], "NO_VERDICT", 4),
        (["is_json", "fails", "statement"], "REJECT", 1),
    ],
)
def test_the_verdict_and_its_exit_code(results: list[str], verdict: str, code: int) -> None:
    """Decision 2."""
    made = {"fails": {"check": "byte_length", "max": 0}}
    criteria: list[Any] = [{"id": name, **made.get(name, {"check": name})} for name in results]
    operation = CHECK.operation("check")
    given = operation.admit({"deliverable": {"kind": "text", "value": "{}"}, "criteria": criteria})
    report = run(operation, given)
    assert operation.publish(report)["verdict"] == verdict
    assert operation.exit_code(report) == code


def run(operation: Any, given: Any) -> Any:
    """Run an operation that asks nothing."""
    running = operation.run(given)
    with pytest.raises(StopIteration) as stopped:
        next(running)
    return stopped.value.value


def test_an_engine_of_another_version_refuses_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision 3: naming both versions."""
    monkeypatch.setattr(
        metadata, "version", {"google-re2": "1.1.20251105", "jsonschema-rs": "9.9"}.__getitem__
    )
    program.require_engines.cache_clear()
    with pytest.raises(EngineDiffers) as raised:
        deliverable.check(REQUEST)
    assert str(raised.value) == "engine_version jsonschema-rs installed=9.9 wanted=0.61.2"

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(EngineDiffers, match="google-re2 installed=none"):
        deliverable.lint(REQUEST)


def test_without_the_library_of_signatures_a_request_for_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Decision 3: never a verdict."""
    monkeypatch.setattr("assay402.checks.deliverable.admission.can_recover", lambda: False)
    wants = {"id": "x", "check": "x402_valid", "verifySignature": True}
    refused = deliverable.check({**REQUEST, "criteria": [wants]})
    assert refused == {"refused": True, "code": "extra-missing"}
    assert "verdict" in deliverable.check({**REQUEST, "criteria": [{**wants, "verifySignature": False}]})
    assert "verdict" in deliverable.check({**REQUEST, "criteria": [{**wants, "path": "a..b"}]})
    assert "verdict" in deliverable.check({**REQUEST, "criteria": [wants]}, profile="contract")
    assert deliverable.lint([wants])["checkable"] == 1
    assert deliverable.replay({**REQUEST, "criteria": [wants]}, {}) == refused


def test_lint_says_of_each_criterion_whether_it_can_be_checked() -> None:
    """Decision 2, with the same reasons as a check, whatever is delivered."""
    criteria: Any = [
        {"id": "a", "check": "byte_length", "min": 1},
        {"id": "b", "check": "byte_length", "mim": 1},
        {"id": "c", "check": "statement", "text": "x"},
    ]
    linted = deliverable.lint(criteria)
    assert linted == {
        "criteria": [
            {"index": 0, "id": "a", "check": "byte_length", "checkable": True, "reason": "OK"},
            {"index": 1, "id": "b", "check": "byte_length", "checkable": False, "reason": "PARAM_UNKNOWN"},
            {
                "index": 2,
                "id": "c",
                "check": "statement",
                "checkable": False,
                "reason": "STATEMENT_NOT_MECHANICAL",
            },
        ],
        "checkable": 1,
        "total": 3,
        "criteriaRoot": hashlib.sha256(rfc8785.dumps(criteria)).hexdigest(),
    }
    for same in ({"criteria": criteria}, json.dumps(criteria), {**REQUEST, "criteria": criteria}):
        assert deliverable.lint(same) == linted
    assert linted["criteriaRoot"] == deliverable.check({**REQUEST, "criteria": criteria})["criteriaRoot"]
    assert deliverable.lint({"criterias": []})["code"] == "member-missing"
    assert deliverable.lint([])["code"] == "criteria-count"
    assert deliverable.lint("[")["code"] == "body-not-json"
    assert deliverable.lint(json.dumps(criteria) + ',"x":[]')["code"] == "body-not-json"
    assert deliverable.lint("5")["code"] == "criteria-count"
    assert deliverable.lint("[" * 256 + "]" * 256)["code"] == "criterion-shape"
    assert deliverable.lint("[" * 257 + "]" * 257)["code"] == "limit-depth"


@pytest.mark.parametrize(("checkable", "code"), [(True, 0), (False, 4)])
def test_the_exit_code_of_a_lint(checkable: bool, code: int) -> None:
    """Decision 2."""
    operation = CHECK.operation("lint")
    given = operation.admit([{"id": "a", "check": "is_json" if checkable else "statement"}])
    assert operation.exit_code(run(operation, given)) == code


@pytest.mark.parametrize(("place", "code"), [("verdict", 1), (None, 0)])
def test_the_exit_code_of_a_replay(place: str | None, code: int) -> None:
    """Decision 2."""
    operation = CHECK.operation("replay")
    answer = {**deliverable.check(REQUEST), **({} if place is None else {place: 0})}
    assert (
        operation.exit_code(run(operation, operation.admit({"request": REQUEST, "answer": answer}))) == code
    )


def test_a_replay_of_what_is_no_request_is_refused() -> None:
    assert deliverable.replay({"a": object()}, {}) == {"refused": True, "code": "body-not-json"}


def test_lint_agrees_with_the_check_on_every_vector() -> None:
    """Principle 2: what the buyer got wrong is wrong for every delivery."""
    about_the_delivery = {"LIMIT_DEPTH", "LIMIT_WORK", "JSON_DUPLICATE_NAME", "JSON_LONE_SURROGATE",
                          "X402_DOMAIN_UNKNOWN", "X402_SIGNATURE_KIND", "LIMIT_NUMBER"}  # fmt: skip
    for _, case in OWN:
        profile = case.get("profile", "assay")
        sent = read_exact(text_of(case).encode())
        assert isinstance(sent, Exact)
        assert isinstance(sent.value, dict)
        linted = deliverable.lint(canonical(sent.value["criteria"]).decode(), profile=profile)
        for found, expected in zip(linted["criteria"], case["expected"], strict=True):
            faulty = expected["result"] == "UNCHECKABLE" and expected["reason"] not in about_the_delivery
            assert not faulty or found["reason"] == expected["reason"]
            assert found["checkable"] or expected["reason"] == found["reason"]


@pytest.mark.parametrize("profile", ["assay", "contract"])
def test_an_answer_replays_under_the_profile_it_names(profile: Any) -> None:
    answer = deliverable.check(REQUEST, profile=profile)
    replayed = deliverable.replay(json.dumps(REQUEST), json.dumps(answer))
    assert replayed == {"agrees": True, "differences": [], "outputRootFits": True, "recomputed": answer}
    assert deliverable.replay(REQUEST, answer) == replayed


def test_every_vector_replays() -> None:
    for _, case in OWN:
        request, profile = text_of(case), case.get("profile", "assay")
        assert deliverable.replay(request, deliverable.check(request, profile=profile))["agrees"]


@pytest.mark.parametrize(
    ("change", "places"),
    [
        (lambda answer: answer["criteria"][1].update(result="FAIL"), ["/criteria/1/result"]),
        (lambda answer: answer["criteria"][0].pop("detail"), ["/criteria/0/detail"]),
        (lambda answer: answer["criteria"].pop(), ["/criteria"]),
        (lambda answer: answer["provenance"].update(outputRoot="0"), ["/provenance/outputRoot"]),
        (lambda answer: answer.update({"a/b~c": 1}), ["/a~1b~0c"]),
        (lambda answer: answer["counts"].update({"pass": True}), ["/counts/pass"]),
        (lambda answer: answer["program"].update(registryRoot="0"), ["/program/registryRoot"]),
        (lambda answer: answer.update(program=5), ["/program"]),
    ],
)
def test_a_replay_names_what_differs(change: Any, places: list[str]) -> None:
    answer = deliverable.check(REQUEST)
    change(answer)
    replayed = deliverable.replay(REQUEST, answer)
    assert (replayed["agrees"], replayed["differences"]) == (False, places)


def test_a_replay_tells_a_changed_answer_from_another_one() -> None:
    answer = deliverable.check(REQUEST)
    changed = {**answer, "criteria": [{**each, "index": False} for each in answer["criteria"]]}
    replayed = deliverable.replay(REQUEST, changed)
    assert (replayed["differences"][0], replayed["outputRootFits"]) == ("/criteria/0/index", False)
    other = deliverable.check({**REQUEST, "jobRef": "other"})
    replayed = deliverable.replay(REQUEST, other)
    assert (replayed["agrees"], replayed["outputRootFits"]) == (False, True)
    assert "outputRootFits" not in deliverable.replay(REQUEST, {})


def test_a_refusal_replays_too() -> None:
    request = {**REQUEST, "criteria": []}
    assert deliverable.replay(request, deliverable.check(request))["agrees"]
    assert deliverable.replay(request, deliverable.check(REQUEST))["agrees"] is False
    assert deliverable.replay(5, {})["differences"] == ["/code", "/refused"]  # type: ignore[arg-type]
    assert deliverable.replay("{", "{}") == {"refused": True, "code": "body-not-json"}
    assert deliverable.replay(REQUEST, 5) == {"refused": True, "code": "answer-shape"}  # type: ignore[arg-type]


def test_a_request_of_the_greatest_depth_replays() -> None:
    value = "[" * 254 + "]" * 254
    request = (
        '{"deliverable":{"kind":"json","value":' + value + '},"criteria":[{"id":"a","check":"is_json"}]}'
    )
    assert deliverable.replay(request, deliverable.check(request))["agrees"]


def test_an_explanation_shows_values_and_the_way_from_one_to_the_other() -> None:
    """Decision 1: local only; the operations are those of RFC 6902."""
    request = {
        "deliverable": {
            "kind": "json",
            "value": {"o": {"a": [1, 2, 3], "b~/": 1, "c": 2, "l": [1]}, "s": "x" * 3000},
        },
        "criteria": [
            {
                "id": "e",
                "check": "json_path_equals",
                "path": "o",
                "value": {"a": [1, 5], "c": 2, "d": 4, "l": [1, 2]},
            },
            {"id": "p", "check": "json_path_present", "path": "s"},
            {"id": "m", "check": "json_path_present", "path": "q"},
            {"id": "f", "check": "json_path_present"},
            {"id": "b", "check": "byte_length", "min": 0},
        ],
    }
    explained = deliverable.explain(request)
    assert explained["verdict"] == "REJECT"
    equals, present, missing, fault, plain = explained["criteria"]
    assert equals["actual"] == '{"a":[1,2,3],"b~/":1,"c":2,"l":[1]}'
    assert equals["diff"] == [
        {"op": "replace", "path": "/a/1", "value": 5},
        {"op": "remove", "path": "/a/2"},
        {"op": "remove", "path": "/b~0~1"},
        {"op": "add", "path": "/d", "value": 4},
        {"op": "add", "path": "/l/-", "value": 2},
    ]
    assert len(present["actual"]) == 2001
    assert "detail" not in present
    assert "actual" not in missing
    assert (fault["reason"], "actual" in fault, "actual" in plain) == ("PARAM_MISSING", False, False)
    assert all(each["meaning"] and each["hint"] for each in explained["criteria"])


def found_reasons(value: Any, *criteria: Any) -> list[str]:
    numbered = [{"id": str(place), **criterion} for place, criterion in enumerate(criteria)]
    answer = deliverable.check({"deliverable": {"kind": "json", "value": value}, "criteria": numbered})
    return [each["reason"] for each in answer["criteria"]]


def test_what_leads_back_to_itself_under_an_unevaluated_keyword_is_too_complex() -> None:
    meta = "https://json-schema.org/draft/2020-12/schema"
    schemas: list[Any] = [
        {"items": {"$ref": "#"}, "unevaluatedItems": False},
        {"$dynamicAnchor": "meta", "$ref": meta, "unevaluatedProperties": False},
        {"$dynamicAnchor": "meta", "items": {"$ref": meta}},
        {
            "items": {"$ref": "#/$defs/a"},
            "unevaluatedItems": False,
            "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}},
        },
    ]
    found = found_reasons([[]], *({"check": "json_schema", "schema": schema} for schema in schemas))
    assert found == ["SCHEMA_TOO_COMPLEX", "SCHEMA_TOO_COMPLEX", "SCHEMA_VIOLATION", "OK"]


def test_patterns_take_room_that_the_request_has_once() -> None:
    def one_of(*found: str) -> Any:
        return {"check": "json_schema", "schema": {"anyOf": [{"pattern": pattern} for pattern in found]}}

    large = [f"(\\p{{L}}{{1,20}}){{1,9}}{number}" for number in range(52)]
    refused = "(?:\\p{L}{1,50}){1,20}"
    assert found_reasons("a", one_of(refused), one_of(refused), *map(one_of, large)) == [
        *["SCHEMA_PATTERN_UNSUPPORTED"] * 2, *["SCHEMA_VIOLATION"] * 47, *["SCHEMA_TOO_COMPLEX"] * 5,
    ]  # fmt: skip
    assert found_reasons("a", *[one_of(large[0])] * 50) == [
        *["SCHEMA_VIOLATION"] * 48,
        *["SCHEMA_TOO_COMPLEX"] * 2,
    ]


def test_records_take_their_share_of_the_work_of_a_request() -> None:
    rows: list[Any] = [{}] * 3700
    names = [f"k{number}" for number in range(64)]
    criterion = {"check": "claims_consistent", "path": "", "key": names, "valueKey": "b"}
    assert found_reasons(rows, *[criterion] * 10) == ["CLAIM_OPERAND_MISSING"] * 8 + ["LIMIT_WORK"] * 2
    assert found_reasons(rows * 2, criterion) == ["LIMIT_WORK"]


def test_a_line_with_a_request_and_its_answer_replays() -> None:
    operation = CHECK.operation("replay")
    line = json.dumps({"request": REQUEST, "answer": deliverable.check(REQUEST)}).encode()
    given = operation.admit(operation.read(line, operation.request_bytes))
    assert operation.exit_code(run(operation, given)) == 0
