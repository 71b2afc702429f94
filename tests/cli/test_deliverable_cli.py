"""The deliverable commands as a buyer or a script meets them."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay402 import deliverable
from assay402.checks import CHECKS
from cli.test_cli import assay

CRITERIA = [
    {"id": "n", "check": "contains", "value": "hello"},
    {"id": "t", "check": "statement", "text": "nice"},
]
REQUEST: dict[str, Any] = {"deliverable": {"kind": "text", "value": "hello"}, "criteria": CRITERIA[:1]}


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(name: str, content: object) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    return write


def test_help_shows_the_forms_and_the_exit_codes() -> None:
    shown = assay("deliverable", "check", "--help").stdout
    for words in (b"--file", b"--criteria", b"--profile", b"NO_VERDICT", b"json_path_equals"):
        assert words in shown
    assert b"lint" in assay("deliverable", "--help").stdout


def test_a_request_is_answered_as_the_library_answers_it(file: Any) -> None:
    path = file("request.json", REQUEST)
    for options, profile in ((), "assay"), (("--profile", "contract"), "contract"):
        run = assay("deliverable", "check", path, "--json", *options)
        assert run.returncode == 0
        assert json.loads(run.stdout) == deliverable.check(REQUEST, profile=profile)  # type: ignore[arg-type]
    assert (
        assay("deliverable", "check", "-", "--json", stdin=json.dumps(REQUEST).encode()).stdout
        == assay("deliverable", "check", path, "--json").stdout
    )


def test_people_read_verdict_results_reasons_hints_and_roots(file: Any) -> None:
    run = assay(
        "deliverable",
        "check",
        file(
            "r.json",
            {**REQUEST, "criteria": [*CRITERIA, {"id": "\x1b[2J", "check": "byte_length", "max": 1}]},
        ),
    )
    text = run.stdout.decode()
    assert run.returncode == 1
    assert text.startswith("REJECT  at least one criterion fails\n")
    for words in (
        "PASS",
        "contains",
        "UNCHECKABLE",
        "STATEMENT_NOT_MECHANICAL",
        "Free text is never judged.",
        "ABOVE_MAX",
        "actual=5",
        "inputRoot ",
        "outputRoot ",
    ):
        assert words in text
    assert "\x1b" not in text


def test_any_file_is_judged_by_criteria_in_another(file: Any) -> None:
    """The quick form is always of kind bytes, with the criteria bare or in an object."""
    path, bare, inside = (
        file("report.txt", b"\xffhello"),
        file("c.json", CRITERIA),
        file("d.json", {"criteria": CRITERIA[:1], "x": 1}),
    )
    run = assay("deliverable", "check", "--file", path, "--criteria", bare, "--json")
    answer = json.loads(run.stdout)
    assert (run.returncode, answer["verdict"], answer["deliverableDigest"]["kind"]) == (
        4,
        "NO_VERDICT",
        "bytes",
    )
    assert answer["deliverableDigest"]["byteLength"] == 6
    assert assay("deliverable", "check", "--file", path, "--criteria", inside).returncode == 0
    assert assay("deliverable", "check", "--file", path, "--criteria", bare, "--exit-zero").returncode == 0


def test_criteria_in_a_file_keep_every_digit(file: Any) -> None:
    criteria = b'[{"id":"a","check":"json_path_equals","path":"","value":0.30000000000000000001}]'
    run = assay(
        "deliverable",
        "check",
        "--file",
        file("n", b"0.30000000000000000001"),
        "--criteria",
        file("c", criteria),
    )
    assert run.returncode == 0


@pytest.mark.parametrize(
    ("deliverable_", "criteria", "code"),
    [
        (b"x" * 45_057, CRITERIA, "deliverable-too-large length=45057 cap=45056"),
        (b"x", b"[", "body-not-json"),
        (b"x", {"a": 1}, "member-missing"),
        (b"x", [], "criteria-count"),
        (b"x", b"x" * 600_000, "body-too-large length=600000 cap=524288"),
    ],
)
def test_the_quick_form_refuses_by_code_and_says_size_and_limit(
    file: Any, deliverable_: bytes, criteria: Any, code: str
) -> None:
    run = assay("deliverable", "check", "--file", file("f", deliverable_), "--criteria", file("c", criteria))
    assert run.returncode == 2
    assert f"assay: refused: {code}\n".encode() in run.stderr


def test_a_refused_request_is_answered_with_its_code(file: Any) -> None:
    run = assay("deliverable", "check", file("r.json", b"{"), "--json")
    assert (run.returncode, json.loads(run.stdout)) == (2, {"refused": True, "code": "body-not-json"})


@pytest.mark.parametrize(
    "arguments", [[], ["--file", "F"], ["--criteria", "F"], ["F", "--file", "F"], ["--profile", "other", "F"]]
)
def test_a_combination_that_makes_no_request_is_a_usage_error(file: Any, arguments: list[str]) -> None:
    path = file("f", b"{}")
    run = assay("deliverable", "check", *(path if each == "F" else each for each in arguments))
    assert (run.returncode, run.stdout) == (2, b"")


def test_lines_are_answered_in_order_and_a_refused_one_with_its_code() -> None:
    lines = [json.dumps(REQUEST), "{", json.dumps({**REQUEST, "criteria": []}), json.dumps(REQUEST)]
    run = assay("deliverable", "check", "--jsonl", stdin="\n".join(lines).encode())
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert answers == [deliverable.check(line) for line in lines]
    contract = assay("deliverable", "check", "--jsonl", "--profile", "contract", stdin=lines[0].encode())
    assert json.loads(contract.stdout) == deliverable.check(REQUEST, profile="contract")


def test_a_line_over_the_limit_is_answered_and_the_run_goes_on() -> None:
    run = assay(
        "deliverable", "check", "--jsonl", stdin=b"x" * 600_000 + b"\n" + json.dumps(REQUEST).encode()
    )
    refused, answered = map(json.loads, run.stdout.splitlines())
    assert refused == {"refused": True, "code": "body-too-large", "length": 600_000, "cap": 524_288}
    assert answered["verdict"] == "ACCEPT"


def test_a_line_that_meets_a_fault_of_ours_is_answered_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import re2\n"
        "def compile(pattern, options=None):\n"
        "    raise RuntimeError(pattern)\n"
        "re2.compile = compile\n"
    )
    faulty = {**REQUEST, "criteria": [{"id": "m", "check": "matches", "value": "canary"}]}
    lines = [json.dumps(faulty), json.dumps(REQUEST)]
    run = assay(
        "deliverable", "check", "--jsonl", stdin="\n".join(lines).encode(), PYTHONPATH=path_with(tmp_path)
    )
    internal, answered = map(json.loads, run.stdout.splitlines())
    assert run.returncode == 3
    assert internal == {"refused": True, "code": "internal"}
    assert answered["verdict"] == "ACCEPT"
    assert b"canary" not in run.stdout + run.stderr


PANIC = """
import jsonschema_rs
made = jsonschema_rs.Draft202012Validator
def broken(schema, **options):
    if "canary" in str(schema):
        schema = {"$defs": {"p": {"$id": "a", "$anchor": "m"}, "q": {"$id": "a"}}, "$ref": "a#m"}
    return made(schema, **options)
jsonschema_rs.Draft202012Validator = broken
"""
"""Lets the engine panic: with names that stand twice, which no request can bring before it."""


def test_a_panic_of_the_engine_is_a_fault_of_ours_and_never_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(PANIC)
    faulty = {**REQUEST, "criteria": [{"id": "m", "check": "json_schema", "schema": {"const": "canary"}}]}
    file = tmp_path / "request.json"
    file.write_text(json.dumps(faulty))
    for operation in ("check", "explain"):
        run = assay("deliverable", operation, str(file), PYTHONPATH=path_with(tmp_path))
        assert run.returncode == 3
        assert b"error: internal" in run.stderr
        assert b"Traceback" not in run.stderr
        assert b"canary" not in run.stdout + run.stderr
    lines = "\n".join(map(json.dumps, (faulty, REQUEST))).encode()
    run = assay("deliverable", "check", "--jsonl", stdin=lines, PYTHONPATH=path_with(tmp_path))
    internal, answered = map(json.loads, run.stdout.splitlines())
    assert run.returncode == 3
    assert internal == {"refused": True, "code": "internal"}
    assert answered["verdict"] == "ACCEPT"


def test_an_answer_of_another_shape_is_told_as_such(tmp_path: Path) -> None:
    request, answer = tmp_path / "request.json", tmp_path / "answer.json"
    request.write_text(json.dumps(REQUEST))
    answer.write_text(json.dumps(REQUEST["criteria"]))
    run = assay("deliverable", "replay", str(request), str(answer), "--json")
    assert (run.returncode, json.loads(run.stdout)["code"]) == (2, "answer-shape")
    run = assay("deliverable", "replay", str(answer), str(request), "--json")
    assert (run.returncode, json.loads(run.stdout)["code"]) == (2, "member-missing")


def test_what_may_stand_beside_lines_is_told_alike_under_each_profile() -> None:
    told = {
        assay("deliverable", "check", "--jsonl", "-", *profile).stderr
        for profile in ((), ("--profile", "contract"), ("--profile", "assay"))
    }
    assert len(told) == 1
    assert b"beside it only --profile and --exit-zero may be given" in told.pop()


def test_the_example_of_the_readme_is_accepted() -> None:
    examples = Path(__file__).parents[2] / "examples"
    run = assay(
        "deliverable",
        "check",
        "--file",
        str(examples / "report.json"),
        "--criteria",
        str(examples / "criteria.json"),
    )
    assert run.returncode == 0
    assert run.stdout.startswith(b"ACCEPT")


def path_with(folder: Path) -> str:
    """Give a search path that begins with a folder."""
    return os.pathsep.join(
        [str(folder), os.environ.get("PYTHONPATH", ""), str(Path(deliverable.__file__).parent.parent)]
    )


def test_lint_names_the_criteria_that_cannot_be_checked(file: Any) -> None:
    run = assay(
        "deliverable", "lint", file("c.json", [*CRITERIA, {"id": "b", "check": "byte_length", "mim": 1}])
    )
    text = run.stdout.decode()
    assert run.returncode == 4
    assert text.startswith("1 of 3 criteria can be checked\n")
    assert "PARAM_UNKNOWN  b  byte_length" in text
    fine = assay("deliverable", "lint", "-", "--json", stdin=json.dumps(CRITERIA[:1]).encode())
    assert (fine.returncode, json.loads(fine.stdout)) == (0, deliverable.lint(CRITERIA[:1]))
    assert assay("deliverable", "lint").returncode == 2
    assert assay("deliverable", "lint", "-", stdin=b"{}").returncode == 2
    lines = assay("deliverable", "lint", "--jsonl", stdin=(json.dumps(CRITERIA) + "\n5").encode())
    assert [json.loads(line).get("total") for line in lines.stdout.splitlines()] == [2, None]


def test_a_replay_agrees_or_names_what_differs(file: Any) -> None:
    request, answer = file("r.json", REQUEST), deliverable.check(REQUEST)
    agrees = assay("deliverable", "replay", request, file("a.json", answer))
    assert (agrees.returncode, agrees.stdout.startswith(b"agrees")) == (0, True)
    answer["criteria"][0]["result"] = "FAIL"
    differs = assay("deliverable", "replay", request, file("b.json", answer))
    assert differs.returncode == 1
    assert b"  /criteria/0/result\n" in differs.stdout
    assert b"in 1 place:" in differs.stdout
    assert b"does not fit it: it was changed" in differs.stdout
    assert b"another program" not in differs.stdout
    other = {**answer, "program": {**answer["program"], "programRoot": "0"}}
    assert b"another program" in assay("deliverable", "replay", request, file("p.json", other)).stdout
    assert json.loads(assay("deliverable", "replay", request, file("b.json", answer), "--json").stdout)[
        "differences"
    ] == ["/criteria/0/result"]
    assert assay("deliverable", "replay", request).returncode == 2
    assert assay("deliverable", "replay", request, file("c.json", b"{")).returncode == 2
    assert assay("deliverable", "replay", file("big", b"x" * 600_000), request).returncode == 2


def test_the_quick_form_is_replayed_with_the_same_file_and_criteria(file: Any) -> None:
    quick = ("--file", file("f", b"hello"), "--criteria", file("c.json", CRITERIA[:1]))
    answer = file("a.json", assay("deliverable", "check", *quick, "--json").stdout)
    assert assay("deliverable", "replay", *quick, answer).returncode == 0
    differs = assay("deliverable", "replay", *quick[:3], file("d.json", CRITERIA), answer)
    assert differs.returncode == 1
    long, broken = file("long", b"x" * 45_057), file("b.json", b"[")
    assert assay("deliverable", "replay", "--file", long, *quick[2:], answer).returncode == 2
    assert assay("deliverable", "replay", *quick, broken).returncode == 2
    for arguments in (quick, (*quick, answer, answer), (*quick[:2], answer), (*quick[:2], answer, answer)):
        assert assay("deliverable", "replay", *arguments).returncode == 2


def test_what_is_checked_is_replayed_however_long_its_numbers_are_written_out(file: Any) -> None:
    numbers = f"[{','.join(['1e300'] * 7000)}]"
    criteria = f'[{{"id":"a","check":"json_path_equals","path":"","value":{numbers}}}]'.encode()
    request = b'{"deliverable":{"kind":"text","value":"%s"},"criteria":%s}' % (numbers.encode(), criteria)
    answer = assay("deliverable", "check", file("r.json", request), "--json").stdout
    assert assay("deliverable", "replay", file("r.json", request), file("a.json", answer)).returncode == 0
    assert deliverable.replay(request, answer)["agrees"]
    assert deliverable.replay(request, json.loads(answer))["agrees"]
    quick = ("--file", file("n", numbers.encode()), "--criteria", file("c.json", criteria))
    answer = assay("deliverable", "check", *quick, "--json").stdout
    assert assay("deliverable", "replay", *quick, file("b.json", answer)).returncode == 0


def test_an_explanation_shows_both_values_and_the_difference(file: Any) -> None:
    request = {
        "deliverable": {"kind": "json", "value": {"a": [1]}},
        "criteria": [{"id": "e", "check": "json_path_equals", "path": "", "value": {"a": [2], "b": 3}}],
    }
    run = assay("deliverable", "explain", file("r.json", request))
    text = run.stdout.decode()
    assert run.returncode == 1
    for line in ('  expected: {"a":[2],"b":3}', '  actual: {"a":[1]}', "  replace /a/0", "  add /b"):
        assert line in text.splitlines()
    root = {**request, "criteria": [{"id": "e", "check": "json_path_equals", "path": "", "value": 5}]}
    assert b"  replace the whole value\n" in assay("deliverable", "explain", file("s.json", root)).stdout


def test_an_explanation_shows_what_a_text_was_compared_with() -> None:
    value = {"s": "abc", "n": 5}
    zeros = "0" * 64
    criteria = [
        {"id": "a", "check": "contains", "value": "x"},
        {"id": "b", "check": "matches", "path": "s", "value": "^x"},
        {"id": "c", "check": "sha256_equals", "value": zeros},
        {"id": "d", "check": "contains", "path": "q", "value": "x"},
        {"id": "e", "check": "numeric_close", "path": "n", "value": 4, "tolerance": 0},
    ]
    explained = deliverable.explain({"deliverable": {"kind": "json", "value": value}, "criteria": criteria})
    shown = [(each.get("expected"), each.get("actual")) for each in explained["criteria"]]
    digest = hashlib.sha256(b'{"n":5,"s":"abc"}').hexdigest()
    assert shown == [
        ('"x"', None), ('"^x"', '"abc"'), (f'"{zeros}"', f'"{digest}"'), ('"x"', None), ("4", "5"),
    ]  # fmt: skip


def test_an_explanation_shows_the_digest_that_was_compared() -> None:
    zeros = "0" * 64
    criteria = [
        {"id": "a", "check": "keccak256_equals", "value": zeros},
        {"id": "b", "check": "sha256_equals", "path": "s", "value": zeros},
        {"id": "c", "check": "sha256_equals", "path": "q", "value": zeros},
    ]
    request = {"deliverable": {"kind": "json", "value": {"s": "abc"}}, "criteria": criteria}
    shown = [each.get("actual") for each in deliverable.explain(request)["criteria"]]
    whole = deliverable.check(request)["deliverableDigest"]["keccak256"]
    assert shown == [f'"{whole}"', f'"{hashlib.sha256(b"abc").hexdigest()}"', None]


def test_an_explanation_shows_both_sides_of_each_claim(file: Any) -> None:
    power: Any = {"path": "n"}
    for _ in range(8):
        power = {"mul": [power, power, power]}
    claims = [
        {"left": {"path": "total"}, "op": "eq", "right": {"sum": "rows[*].price"}, "tolerance": "0.05"},
        {"left": {"path": "total"}, "op": "lt", "right": {"add": [{"count": "rows"}, 0.5]}},
        {"left": {"path": "q"}, "op": "eq", "right": 1},
        {"left": power, "op": "eq", "right": 1},
    ]
    value = {"total": 3, "rows": [{"price": 0.1}, {"price": 0.2}], "n": 10**300}
    criteria = [
        {"id": "a", "check": "claims_consistent", "claims": claims},
        {"id": "b", "check": "claims_consistent", "path": "rows", "key": "price"},
    ]
    request = {"deliverable": {"kind": "json", "value": value}, "criteria": criteria}
    shown, records = deliverable.explain(request)["criteria"]
    assert shown["claims"] == [
        {"left": "3", "op": "eq", "right": "0.3", "tolerance": "0.05", "reason": "CLAIM_CONTRADICTION"},
        {"left": "3", "op": "lt", "right": "2.5", "reason": "CLAIM_CONTRADICTION"},
        {"left": None, "op": "eq", "right": "1", "reason": "CLAIM_OPERAND_MISSING"},
        {"left": None, "op": "eq", "right": "1", "reason": "LIMIT_NUMBER"},
    ]
    assert "claims" not in records
    printed = assay("deliverable", "explain", file("c.json", request)).stdout.decode().splitlines()
    assert "  CLAIM_CONTRADICTION: 3 eq 0.3" in printed
    assert "  CLAIM_OPERAND_MISSING: nothing eq 1" in printed
    unread = {**request, "deliverable": {"kind": "text", "value": "no JSON"}}
    assert "claims" not in deliverable.explain(unread)["criteria"][0]


def test_registry_and_contract_are_printed_as_the_library_gives_them() -> None:
    for profile in ("assay", "contract"):
        printed = assay("deliverable", "registry", "--profile", profile).stdout
        assert json.loads(printed) == deliverable.registry(profile)
    assert json.loads(assay("deliverable", "contract").stdout) == deliverable.contract()


def test_reasons_refusals_and_checks_are_explained() -> None:
    for code in ("PARAM_UNKNOWN", "body-not-ijson", "deliverable/json-schema", "engine_version"):
        assert assay("explain", code).returncode == 0


def test_another_engine_ends_in_our_fault_naming_both_versions(tmp_path: Path) -> None:
    """Decision 3: exit 3."""
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib import metadata\n"
        "found = metadata.version\n"
        "metadata.version = lambda name: '9.9' if name == 'jsonschema-rs' else found(name)\n"
    )
    stdin = json.dumps(REQUEST).encode()
    run = assay("deliverable", "check", "-", stdin=stdin, PYTHONPATH=path_with(tmp_path))
    assert run.returncode == 3
    assert b"engine_version jsonschema-rs installed=9.9 wanted=0.61.2" in run.stderr


def test_a_recorded_request_replays(file: Any, tmp_path: Path) -> None:
    recording = str(tmp_path / "run.json")
    first = assay("deliverable", "check", file("r.json", REQUEST), "--json", "--record", recording)
    again = assay("replay", recording, "--json")
    assert (first.returncode, again.returncode) == (0, 0)
    assert first.stdout == again.stdout


def test_a_recording_keeps_no_profile_so_one_beside_it_is_a_usage_error(file: Any, tmp_path: Path) -> None:
    recording = str(tmp_path / "run.json")
    run = assay(
        "deliverable", "check", file("r.json", REQUEST), "--profile", "contract", "--record", recording
    )
    assert (run.returncode, run.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("name", "operation", "source", "code"),
    [
        ("deliverable", "check", b'{"x": 1}', "member-unknown"),
        ("deliverable", "check", b"{}", "member-missing"),
        ("dialect", "check", b'{"x": 1}', "member_unknown"),
        ("dialect", "check", b"[]", "not_an_object"),
        ("claims", "diagnose", b"x", "not_json"),
    ],
)
def test_a_refusal_is_explained_in_the_words_of_the_check_that_gave_it(
    name: str, operation: str, source: bytes, code: str
) -> None:
    """Several checks have a code of one name, each with a hint of its own."""
    check = next(each for each in CHECKS if each.name == name)
    run = assay(name, operation, "-", stdin=source)
    assert run.stderr.decode().startswith(f"assay: refused: {code}\n")
    assert f"  {check.notices[code].hint}\n" in run.stderr.decode()


def test_a_code_of_several_checks_is_explained_for_each() -> None:
    for code in ("member-unknown", "member-missing", "not_json", "over_cap"):
        printed = assay("explain", code).stdout.decode()
        assert printed.count("In `") > 1
        assert all(check.notices[code].hint in printed for check in CHECKS if code in check.notices)


def explained_violations(value: Any, schema: Any) -> Any:
    request = {
        "deliverable": {"kind": "json", "value": value},
        "criteria": [{"id": "s", "check": "json_schema", "schema": schema}],
    }
    return deliverable.explain(request)["criteria"][0]["violations"]


def test_explain_shows_where_a_schema_is_violated(file: Any) -> None:
    schema = {"items": {"properties": {"a/b": {"type": "string"}}, "required": ["c"]}}
    found = explained_violations([{"a/b": 5, "c": 1}, {}], schema)
    assert found == [
        {"path": "/0/a~1b", "schemaPath": "/items/properties/a~1b/type", "keyword": "type"},
        {"path": "/1", "schemaPath": "/items/required", "keyword": "required"},
    ]
    assert len(explained_violations([1] * 50, {"items": {"type": "string"}})) == 5
    edges = {"patternProperties": {r"\ba\B": {"maximum": 10**20}}}
    assert explained_violations({"ab": 10**30}, edges) == [
        {"path": "/ab", "schemaPath": r"/patternProperties/\ba\B/maximum", "keyword": "maximum"}
    ]
    # One that refers to itself may have too many to find, so the first is shown; of alternatives, none.
    tree = {"additionalProperties": {"$ref": "#"}, "type": "object"}
    assert [each["path"] for each in explained_violations({"a": {"b": 1}, "c": 2}, tree)] == ["/a/b"]
    assert (
        explained_violations(
            {"a": 1},
            {
                "anyOf": [{"type": "string"}, tree],
                "not": {"$ref": "#/anyOf/1"},
                "properties": {"b": {"$ref": "#"}},
            },
        )
        == []
    )
    long = {"k" * 3000: 1}
    assert explained_violations(long, {"additionalProperties": {"type": "string"}})[0]["path"].endswith("k…")
    request = {
        "deliverable": {"kind": "json", "value": {"a": [1, 2]}},
        "criteria": [
            {"id": "s", "check": "json_schema", "schema": {"properties": {"a": {"maxItems": 1}}}},
            {"id": "w", "check": "json_schema", "schema": False},
            {"id": "n", "check": "array_length", "path": "a", "max": 1},
            {"id": "p", "check": "json_schema", "path": "b", "schema": False},
        ],
    }
    printed = assay("deliverable", "explain", file("v.json", request)).stdout.decode()
    assert "  maxItems at /a (/properties/a/maxItems of the schema)\n" in printed
    assert "at the whole value" in printed
    assert "  max: 1\n" in printed
    assert "violations" not in deliverable.explain(request)["criteria"][3]
