"""What a call answers: the bytes of the command line, held to the schemas, as text and as structured content."""

import asyncio
import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import jsonschema_rs
import pytest

from assay402.cli.commands import answer_lines, replay_file
from assay402.core.asks import Failed, Fetch, Fetched, Recorder, adrive
from assay402.core.check import Refusal
from assay402.core.grammar import NotJSON, scan
from assay402.formats.recording_v1 import Recording, write_recording
from assay402.mcp_server.notices import notice_of
from assay402.mcp_server.results import problem
from assay402.mcp_server.server import make_server
from assay402.mcp_server.tools import Tool, tools
from assay402.mcp_server.unpaid import Unpaid
from assay402.net.answerer import NetworkAnswerer
from mcp_wire import Wire, run_on
from vectors import cases

TOOLS = {tool.name: tool for tool in tools()}
AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
URL = "https://shop.dev/paid"
DIALECT = ("dialect/handed.json", "dialect/admission.json")
DELIVERABLE = tuple(
    f"deliverable/{name}.json"
    for name in (
        *("admission", "bounds", "claims", "handed", "json", "numbers", "parameters", "paths"),
        *("schema", "text", "x402"),
    )
)
OFFLINE = {
    "dialect_check": DIALECT,
    "dialect_precheck": DIALECT,
    "deliverable_check": DELIVERABLE,
    "deliverable_lint": DELIVERABLE,
    "terms_place": ("terms/handed.json", "terms/protocols.json"),
    "terms_extract": ("terms/handed.json", "terms/protocols.json"),
}
NO_OBJECT = {
    "dialect": {
        "dialect/admission.json:not-json",
        "dialect/admission.json:not-json-nan",
        "dialect/admission.json:array",
        "dialect/admission.json:null",
    },
    "deliverable": {
        "deliverable/admission.json:no-json-0",
        "deliverable/admission.json:no-json-1",
        "deliverable/admission.json:no-json-2",
        "deliverable/admission.json:no-json-3",
        "deliverable/admission.json:no-json-4",
        "deliverable/admission.json:no-json-5",
        "deliverable/admission.json:no-json-6",
        "deliverable/admission.json:no-json-7",
        "deliverable/admission.json:no-ijson-2",
        "deliverable/admission.json:no-ijson-3",
        "deliverable/admission.json:no-object",
        "deliverable/admission.json:no-object-number",
        "deliverable/admission.json:deep-and-broken",
        "deliverable/handed.json:400-nan-in-request",
        "deliverable/handed.json:400-not-json-request",
    },
}
"""Vectors that no tool call can say: arguments are an object on one line, and a message is JSON."""
PROBES = {
    "dialect/admission.json:caller-on-check",
    "dialect/admission.json:mode-of-another-type",
    "dialect/admission.json:probe",
    "dialect/admission.json:probe-without-url",
    "dialect/admission.json:probe-url-null",
    "dialect/admission.json:probe-url-scheme",
    "dialect/admission.json:probe-url-private",
}
"""Those that ask the network."""
LEFT_OUT: dict[str, set[str]] = {
    "dialect_check": NO_OBJECT["dialect"] | PROBES,
    "dialect_precheck": NO_OBJECT["dialect"],
    "deliverable_check": NO_OBJECT["deliverable"],
    "deliverable_lint": NO_OBJECT["deliverable"],
}
CLAIMS = {
    "diagnose": "fahce_diagnose_integrity",
    "repair": "fahce_plan_bounded_repair",
    "verify": "fahce_verify_repaired_output",
    "repair-bundle": "fahce_integrity_repair_bundle",
}
REQUEST = {
    "schema": "FAHCE_MACHINE_REQUEST_V1",
    "candidate_output": "All 13 tests passed.",
    "evidence": [
        {"id": "log1", "kind": "log", "source_label": "job log", "text": "===== 12 passed, 1 failed ====="}
    ],
}
KEY = "a-key-of-mine"


async def no_time(_seconds: float) -> None:
    return


def unpaid(answer: Fetched | Failed = Failed(state="unreachable")) -> Unpaid:  # noqa: B008  (a frozen value)
    return Unpaid(answerer=answering(answer), clock=lambda: AT)


def answering(answer: Fetched | Failed) -> NetworkAnswerer:
    async def fetch(_ask: Fetch) -> Fetched | Failed:
        return answer

    return NetworkAnswerer(fetch, clock=lambda: AT, sleep=no_time)


def call_each(sources: list[tuple[str, bytes]], taking: Unpaid | None = None) -> list[Any]:
    """Call tools with arguments as spelled, one after another, and give their results."""

    async def use(client: Wire) -> Any:
        return [(await client.call_with(tool, source))["result"] for tool, source in sources]

    found: list[Any] = run_on(make_server((taking or unpaid()).take), use)
    return found


def text_of(result: Any) -> bytes:
    text: str = result["content"][0]["text"]
    return text.encode()


def held(result: Any, tool: Tool) -> None:
    """Hold a result to what every result keeps."""
    if result["isError"]:
        assert "structuredContent" not in result
        return
    assert result["structuredContent"] == json.loads(text_of(result))
    assert jsonschema_rs.Draft202012Validator(dict(tool.output_schema)).is_valid(result["structuredContent"])


def requests_of(name: str) -> dict[str, bytes]:
    """Give every vector of an operation that a tool call can say, as its request was spelled; the others are `LEFT_OUT`."""
    operation = TOOLS[name].operation.name
    found = {
        f"{file}:{case.get('id', case.get('name'))}": _spelled(case)
        for file in OFFLINE[name]
        for case in cases(file)
        if case.get("op", operation) == operation
    }
    kept = {
        case: source
        for case, source in found.items()
        if _can_be_said(source) and not (name == "dialect_check" and _is_probe(source))
    }
    assert found.keys() - kept.keys() == LEFT_OUT.get(name, set())
    return kept


def _spelled(case: Any) -> bytes:
    spelled: str | None = case.get("source", case.get("requestText"))
    if spelled is not None:
        return spelled.encode("utf-8", "surrogatepass")
    if "artefact" in case:
        return json.dumps({"mode": "submitted", "artefact": case["artefact"]}).encode()
    return json.dumps(case.get("request", case.get("input"))).encode()


def _can_be_said(source: bytes) -> bool:
    """Tell whether a tool call may hold this: arguments are one object, on one line, in a message that is JSON."""
    try:
        syntax = scan(source.decode())
    except UnicodeDecodeError:
        return False
    is_json = not isinstance(syntax, NotJSON) or syntax.constant
    return is_json and source.strip().startswith(b"{") and b"\n" not in source


def _is_probe(source: bytes) -> bool:
    return b'"probe"' in source and b'"artefact"' not in source


def without_time(line: bytes) -> Any:
    value = json.loads(line)
    moment = value.pop("checked_at")
    if "report_line" in value:
        value["report_line"] = value["report_line"].replace(moment, "")
    return value


def refusal_of(tool: Tool, line: bytes) -> Any:
    """Give the whole of an error for what the command line refuses: its code and numbers, in the words of this face."""
    refused = json.loads(line)
    if tool.operation.publish_refusal is not Refusal.published:
        return refused
    notice = notice_of(refused["code"], tool.check)
    assert notice is not None
    said = {"code": refused["code"], "title": notice.text, "detail": notice.hint}
    return said | {name: value for name, value in refused.items() if name not in ("refused", "code")}


@pytest.mark.parametrize("name", OFFLINE)
def test_a_tool_answers_with_the_bytes_of_the_command_line(name: str, capsysbinary: Any) -> None:
    """Issue 8, evidence 1: equal reports apart from time fields; where there are none, equal bytes."""
    tool, sources = TOOLS[name], requests_of(name)
    assert len(sources) >= 35
    answer_lines(tool.operation, BytesIO(b"".join(source + b"\n" for source in sources.values())))
    printed = capsysbinary.readouterr().out.splitlines()
    results = call_each([(name, source) for source in sources.values()])
    for case, line, result in zip(sources, printed, results, strict=True):
        held(result, tool)
        if result["isError"]:
            assert json.loads(text_of(result)) == refusal_of(tool, line), case
        elif tool.check.name == "dialect":
            assert without_time(text_of(result)) == without_time(line)
        else:
            assert text_of(result) == line


@pytest.mark.parametrize("name", ["deliverable_check", "deliverable_lint"])
def test_numbers_reach_a_check_as_they_were_spelled(name: str, capsysbinary: Any) -> None:
    """The SDK's reader would make 1.0 and 1 the same, and 10^400 infinite."""
    criteria = b'[{"id":"a","check":"json_path_equals","path":"n","value":1.0000000000000000000000001}]'
    deliverable = (
        b'{"kind":"json","value":{"n":1.0000000000000000000000001,"m":1e400,"i":12345678901234567890123}}'
    )
    sources = {
        "deliverable_check": b'{"deliverable":' + deliverable + b',"criteria":' + criteria + b"}",
        "deliverable_lint": b'{"criteria":' + criteria + b"}",
    }
    answer_lines(TOOLS[name].operation, BytesIO(sources[name] + b"\n"))
    (result,) = call_each([(name, sources[name])])
    assert text_of(result) + b"\n" == capsysbinary.readouterr().out


def test_the_claims_tools_give_the_result_hash_of_the_command_line(capsysbinary: Any) -> None:
    """Issue 8, evidence 1."""
    for operation, name in CLAIMS.items():
        found = [
            (case["operation"], json.dumps(case["request"]).encode())
            for file in ("claims/ours.json", "claims/handed.json")
            for case in cases(file)
        ]
        # An operation that has no vectors of its own is asked those of another.
        requests = [each for whose, each in found if whose == operation] or [each for _, each in found[:40]]
        answer_lines(TOOLS[name].operation, BytesIO(b"".join(each + b"\n" for each in requests)))
        printed = capsysbinary.readouterr().out.splitlines()
        results = call_each([(name, b'{"request":' + each + b"}") for each in requests])
        for line, result in zip(printed, results, strict=True):
            held(result, TOOLS[name])
            _same_claims(TOOLS[name], json.loads(text_of(result)), line)


def _same_claims(tool: Tool, said: Any, line: bytes) -> None:
    """Hold two answers to what two determinations of one request share."""
    printed = json.loads(line)
    if "receipt" not in printed:
        assert said == refusal_of(tool, line)
        return
    assert said["receipt"]["result_hash"] == printed["receipt"]["result_hash"]
    once = {"request_id", "binding", "receipt"}
    assert {key: said[key] for key in said.keys() - once} == {
        key: printed[key] for key in printed.keys() - once
    }


ASKING = [
    *(
        ("dialect_check", {"mode": "probe", "url": URL}, case["answer"])
        for case in cases("dialect/probe.json")
        if "body" in case["answer"] and "payment_required" not in case["answer"]
    ),
    *(
        ("terms_verify", case["request"], case["fetches"][0])
        for case in cases("terms/verify.json")[:40]
        if len(case.get("fetches", ())) == 1 and "body" in case["fetches"][0]
    ),
    ("listing_check", {"url": URL}, None),
    ("listing_check", {"url": URL}, {"status": 402, "body": "{}"}),
]


@pytest.mark.parametrize(("name", "request_", "answer"), ASKING)
def test_a_tool_that_asks_answers_with_the_bytes_of_the_replayed_recording(
    name: str, request_: Any, answer: Any, capsysbinary: Any
) -> None:
    """Issue 8, evidence 1: the same recorded asks, the same bytes."""
    tool = TOOLS[name]
    told: Fetched | Failed = Failed(state="unreachable")
    if answer is not None:
        headers = tuple((key, value) for key, value in answer.get("headers", ()))
        told = Fetched(status=answer.get("status", 200), headers=headers, body=answer["body"].encode())
    recorder = Recorder(answering(told))
    given = tool.operation.admit(request_)
    assert not isinstance(given, Refusal)
    asyncio.run(adrive(tool.operation.run(given), recorder))
    recording = Recording(
        check=tool.check.name,
        operation=tool.operation.name,
        request=tool.operation.redact(request_),
        allow_private=False,
        exchanges=tuple(recorder.exchanges),
    )
    replay_file(write_recording(recording), as_json=True, exit_zero=False)
    (result,) = call_each([(name, json.dumps(request_).encode())], unpaid(told))
    held(result, tool)
    assert text_of(result) + b"\n" == capsysbinary.readouterr().out


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("dialect_check", {"mode": "probe"}, "nothing_to_grade"),
        ("dialect_check", {"mode": "probe", "url": "http://127.0.0.1/"}, "addr_loopback"),
        ("deliverable_check", {}, "member-missing"),
        ("fahce_diagnose_integrity", {"request": {}}, "schema-unknown"),
        ("fahce_diagnose_integrity", {"request": REQUEST, "more": 1}, "member-unknown"),
        ("fahce_diagnose_integrity", {"request": REQUEST, "idempotency_key": "short"}, "idempotency-key"),
        ("fahce_diagnose_integrity", {"request": REQUEST, "idempotency_key": 12345678}, "member-type"),
        ("listing_check", {"url": 7}, None),
    ],
)
def test_a_refusal_is_a_tool_error_with_its_code(name: str, arguments: Any, code: str | None) -> None:
    (result,) = call_each([(name, json.dumps(arguments).encode())])
    assert result["isError"] is True
    assert "structuredContent" not in result
    said = json.loads(text_of(result))
    assert code is None or said["code"] == code
    assert said["title"]
    assert said["detail"]


def test_a_call_without_arguments_says_so() -> None:
    async def use(client: Wire) -> Any:
        return (await client.answer("tools/call", {"name": "dialect_check"}))["result"]

    result = run_on(make_server(unpaid().take), use)
    assert result["isError"] is True
    assert json.loads(text_of(result))["code"] == "arguments-missing"


def test_an_unknown_tool_is_an_error_of_the_protocol_that_quotes_nothing() -> None:
    async def use(client: Wire) -> Any:
        return (await client.answer("tools/call", {"name": "no_such_secret", "arguments": {}}))["error"]

    error = run_on(make_server(unpaid().take), use)
    assert error["code"] == -32602
    assert "secret" not in json.dumps(error)


def test_what_to_do_is_said_in_the_words_of_this_face() -> None:
    found = call_each([("dialect_check", b'{"mode":"probe","url":"http://10.0.0.1/"}')])
    detail = json.loads(text_of(found[0]))["detail"]
    assert "started as `assay mcp --allow-private`" in detail
    assert "run the command" not in detail
    for code in ("idempotency_key_conflict", "not_admitting", "facilitator_unavailable"):
        said = problem(code, None, {}).decode()
        assert "Retry-After" not in said
        assert "Idempotency-Key" not in said


def test_an_unknown_method_is_an_error_that_quotes_nothing() -> None:
    async def use(client: Wire) -> Any:
        return (await client.answer("secret/method", {}))["error"]

    error = run_on(make_server(unpaid().take), use)
    assert error["code"] == -32601
    assert "secret" not in json.dumps(error)


def test_a_key_gives_the_same_bytes_again_and_refuses_another_request() -> None:
    """Page claims, 3.12: a replay gives the stored bytes; the same key with another input is a conflict; each operation has keys of its own."""
    first = json.dumps({"request": REQUEST, "idempotency_key": KEY}).encode()
    spelled = json.dumps({"idempotency_key": KEY, "request": dict(reversed(REQUEST.items()))}).encode()
    other = json.dumps({"request": {**REQUEST, "candidate_output": "No."}, "idempotency_key": KEY}).encode()
    done, again, respelled, changed, elsewhere = call_each(
        [
            ("fahce_diagnose_integrity", first),
            ("fahce_diagnose_integrity", first),
            ("fahce_diagnose_integrity", spelled),
            ("fahce_diagnose_integrity", other),
            ("fahce_plan_bounded_repair", first),
        ]
    )
    assert done["structuredContent"]["binding"]["idempotency_key"] == KEY
    assert text_of(again) == text_of(done) == text_of(respelled)
    assert again["_meta"]["assay402/replayed"] is True
    assert changed["isError"] is True
    assert json.loads(text_of(changed))["code"] == "idempotency_key_conflict"
    assert elsewhere["isError"] is False
    assert elsewhere["structuredContent"]["binding"]["idempotency_key"] == KEY


def test_two_calls_at_once_under_one_key_are_one_determination() -> None:
    async def use(client: Wire) -> Any:
        arguments = {"request": REQUEST, "idempotency_key": KEY}
        for _ in range(2):
            await client.ask("tools/call", {"name": "fahce_diagnose_integrity", "arguments": arguments})
        return [(await client.receive())["result"] for _ in range(2)]

    one, two = run_on(make_server(unpaid().take), use)
    assert text_of(one) == text_of(two)


def test_without_a_key_each_call_is_a_determination_of_its_own() -> None:
    source = json.dumps({"request": REQUEST}).encode()
    one, two = call_each([("fahce_diagnose_integrity", source)] * 2)
    assert one["structuredContent"]["request_id"] != two["structuredContent"]["request_id"]
    assert (
        one["structuredContent"]["receipt"]["result_hash"]
        == two["structuredContent"]["receipt"]["result_hash"]
    )


def test_a_refused_request_leaves_its_key_free() -> None:
    broken = json.dumps({"request": {}, "idempotency_key": KEY}).encode()
    whole = json.dumps({"request": REQUEST, "idempotency_key": KEY}).encode()
    refused, answered = call_each([("fahce_diagnose_integrity", broken), ("fahce_diagnose_integrity", whole)])
    assert refused["isError"] is True
    assert answered["isError"] is False


def test_an_answer_with_a_number_no_double_holds_is_an_error_with_a_code() -> None:
    """Placing gives a document back as it was spelled; structured content cannot hold 10^400."""
    source = b'{"ref":{"type":"sha256","value":"0x7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069"},'
    source += b'"termsUrl":"https://shop.dev/t.md","doc":{"x402Version":2,"accepts":[{"scheme":"exact","n":1e400}]}}'
    (result,) = call_each([("terms_place", source)])
    assert result["isError"] is True
    assert json.loads(text_of(result))["code"] == "number-out-of-range"


@pytest.mark.parametrize("name", TOOLS)
def test_a_request_without_any_form_is_refused_in_whole_as_on_the_command_line(
    name: str, capsysbinary: Any
) -> None:
    tool, source = TOOLS[name], b'{"no_such_member":1}'
    answer_lines(tool.operation, BytesIO(source + b"\n"))
    line = capsysbinary.readouterr().out
    (result,) = call_each([(name, source)])
    if not result["isError"]:
        # A precheck's answer tells of what would be refused.
        assert without_time(text_of(result)) == without_time(line)
        return
    if tool.operation.publish_refusal is Refusal.published:
        assert json.loads(text_of(result)) == refusal_of(tool, line)
        return
    assert text_of(result) + b"\n" == line
    notice = notice_of(json.loads(line)["code"], tool.check)
    assert notice is not None
    assert result["content"][1]["text"] == f"{notice.text} {notice.hint}"
