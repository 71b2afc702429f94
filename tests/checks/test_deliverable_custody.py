"""No byte of a deliverable stands in an answer, a refusal or an error, whatever each check comes to."""

import json
import subprocess
import sys
from typing import Any

import pytest

from assay402 import deliverable
from vectors import cases

CANARY = "zq7canary"
FILES = ("parameters", "bounds", "text", "json", "paths", "numbers", "claims", "schema", "x402")


def marked(value: Any) -> Any:
    """Put the canary into every name and string of a value."""
    if isinstance(value, str):
        return value + CANARY
    if isinstance(value, dict):
        return {name + CANARY: marked(member) for name, member in value.items()}
    return [marked(element) for element in value] if isinstance(value, list) else value


def hidden(value: Any) -> Any:
    """Put canary members beside the others, so that the value keeps what criteria look for."""
    if isinstance(value, dict):
        return {
            **{name: hidden(member) for name, member in value.items()},
            CANARY: [CANARY, {CANARY: CANARY}],
        }
    return [hidden(element) for element in value] if isinstance(value, list) else value


def variants(delivered: dict[str, Any]) -> list[dict[str, Any]]:
    kind, value = delivered["kind"], delivered["value"]
    if kind == "json":
        return [{"kind": kind, "value": marked(value)}, {"kind": kind, "value": hidden(value)}]
    if kind == "text":
        return [
            {"kind": kind, "value": text}
            for text in (CANARY + value, value + CANARY, json.dumps({CANARY: value}))
        ]
    return [{"kind": "text", "value": CANARY}]


@pytest.mark.parametrize("file", FILES)
def test_no_answer_holds_a_byte_of_the_deliverable(file: str) -> None:
    """For every check and every reason a vector shows, with the canary in the document in several ways."""
    for case in cases(f"deliverable/{file}.json"):
        for delivered in variants(case["request"]["deliverable"]):
            request = {**case["request"], "deliverable": delivered}
            for answer in (deliverable.check(request), deliverable.replay(request, {})):
                assert CANARY not in json.dumps(answer)


@pytest.mark.parametrize(
    "source",
    [
        '{"deliverable":"' + CANARY,
        '{"' + CANARY + '":1}',
        '{"deliverable":{"kind":"' + CANARY + '","value":1},"criteria":[{"id":"a","check":"is_json"}]}',
        '{"deliverable":{"kind":"bytes","value":"' + CANARY + '"},"criteria":[{"id":"a","check":"is_json"}]}',
        '{"deliverable":{"kind":"text","value":"'
        + CANARY * 6000
        + '"},"criteria":[{"id":"a","check":"is_json"}]}',
        '{"deliverable":{"kind":"text","value":"' + CANARY + '","value":1},"criteria":[]}',
    ],
)
def test_no_refusal_holds_a_byte_of_the_request(source: str) -> None:
    assert deliverable.check(source)["refused"]
    assert CANARY not in json.dumps(deliverable.check(source))


def test_the_command_writes_nothing_of_the_deliverable_but_its_digests() -> None:
    request = {
        "deliverable": {"kind": "json", "value": {CANARY: CANARY}},
        "criteria": [
            {"id": "a", "check": "matches", "value": "("},
            {"id": "b", "check": "json_schema", "schema": {"pattern": "(?=x)"}},
            {"id": "c", "check": "json_schema", "schema": {"type": "array"}},
            {"id": "d", "check": "contains", "value": "zq7"},
        ],
    }
    program = "from assay402.cli.main import run; run()"
    for options in (["--json"], []):
        run = subprocess.run(
            [sys.executable, "-c", program, "deliverable", "check", "-", *options],
            input=json.dumps(request).encode(), check=False, capture_output=True, timeout=60,
        )  # fmt: skip
        assert run.returncode == 1
        assert CANARY.encode() not in run.stdout + run.stderr
        assert run.stderr == b""
