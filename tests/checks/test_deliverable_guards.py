"""No input reaches a native crash, the network, a file or an endless run; each hostile one has its documented answer.

Each case runs in a process of its own that is ended after five seconds, which is a guard against hanging and not a
measurement, on the main thread's stack and on one of 512 KiB.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

PROGRAM = """
import json, sys, threading
from assay402 import deliverable

def judge():
    answer = deliverable.check(sys.stdin.buffer.read())
    print(json.dumps([answer.get("code")] + [each["reason"] for each in answer.get("criteria", [])]))

if sys.argv[1] == "small":
    threading.stack_size(512 * 1024)
    thread = threading.Thread(target=judge)
    thread.start()
    thread.join()
else:
    judge()
"""


def reasons(stack: str, kind: str, value: Any, *criteria: dict[str, Any]) -> list[str | None]:
    numbered = [{"id": str(place), **criterion} for place, criterion in enumerate(criteria)]
    request = json.dumps({"deliverable": {"kind": kind, "value": value}, "criteria": numbered})
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, stack],
        input=request.encode(), check=True, capture_output=True, timeout=5,
    )  # fmt: skip
    assert run.stderr == b""
    refusal, *found = json.loads(run.stdout)
    assert refusal is None
    return found  # type: ignore[no-any-return]


def schema(value: Any, **more: Any) -> dict[str, Any]:
    return {"check": "json_schema", "schema": value, **more}


def chain(length: int, step: dict[str, Any], end: Any) -> dict[str, Any]:
    """Make a schema of definitions, each leading to the next where `step` has `"NEXT"`."""
    links = [
        json.loads(json.dumps(step).replace('"NEXT"', f'{{"$ref": "#/$defs/d{place + 1}"}}'))
        for place in range(length)
    ]
    return {
        "$ref": "#/$defs/d0",
        "$defs": {**{f"d{place}": link for place, link in enumerate(links)}, f"d{length}": end},
    }


both_stacks = pytest.mark.parametrize("stack", ["main", "small"])
TOWER = "[" * 256 + "]" * 256
ROWS = [{"a": number, "s": "x" * 20} for number in range(1000)]


@both_stacks
def test_a_document_of_depth_20000_is_json_and_withheld_from_every_structural_check(stack: str) -> None:
    text = "[" * 20_000 + "]" * 20_000
    recursive = {"items": {"$ref": "#"}}
    found = reasons(
        stack, "text", text, {"check": "is_json"}, schema(recursive), {"check": "json_path_present", "path": "/0"},
        {"check": "claims_consistent", "path": ""}, {"check": "x402_valid"},
    )  # fmt: skip
    assert found == ["OK", *["LIMIT_DEPTH"] * 4]


@both_stacks
def test_the_deepest_document_is_judged_by_the_longest_recursive_chain(stack: str) -> None:
    longest = chain(10, {"oneOf": ["NEXT"], "minItems": 0}, {"items": {"$ref": "#"}, "type": "array"})
    deepest = {"not": {"not": {"items": {"$ref": "#"}}}}
    equal = {"check": "json_path_equals", "path": "", "value": json.loads("[" * 250 + "]" * 250)}
    found = reasons(stack, "text", TOWER, schema(longest), schema(deepest), equal, {"check": "unique_values"})
    assert found == ["OK", "OK", "VALUE_MISMATCH", "OK"]


@both_stacks
def test_reference_cycles_have_no_meaning(stack: str) -> None:
    cycles = [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"type": "string"}, {"not": {"$ref": "#"}}]},
        chain(500, {"allOf": ["NEXT"]}, {"$ref": "#"}),
    ]
    assert reasons(stack, "json", "a", *map(schema, cycles)) == ["SCHEMA_INVALID"] * 4


@both_stacks
def test_expansion_is_refused_before_it_happens(stack: str) -> None:
    """In place, under `unevaluated` keywords, over the levels of a document, and around a cycle."""
    twice = {"allOf": ["NEXT", "NEXT"]}
    below = {"allOf": [{"properties": {"a": "NEXT"}}, {"properties": {"a": "NEXT"}}]}
    again = {"properties": {"a": {"$ref": "#"}}}
    towers = [
        chain(30, twice, {"type": "string"}),
        chain(30, {"oneOf": ["NEXT"], "unevaluatedItems": False}, True),
        chain(30, below, True),
        chain(30, below, again),
        chain(14, twice, again),
        chain(900, {"oneOf": ["NEXT"], "minItems": 0}, {"items": {"$ref": "#"}}),
        chain(30, {"anyOf": [{"properties": {"a": "NEXT"}}], "unevaluatedProperties": False}, True),
    ]
    assert reasons(stack, "json", {"a": {}}, *map(schema, towers)) == ["SCHEMA_TOO_COMPLEX"] * 7


@both_stacks
def test_what_is_taken_is_judged_in_bounded_work(stack: str) -> None:
    dear = chain(9, {"allOf": ["NEXT", "NEXT"]}, {"type": "object"})
    items = {"items": {"$ref": "#/$defs/d0"}, "$defs": dear["$defs"]}
    nested = '{"a":' * 250 + "{}" + "}" * 250
    around = chain(
        5,
        {"allOf": [{"properties": {"a": "NEXT"}}, {"properties": {"a": "NEXT"}}]},
        {"properties": {"a": {"$ref": "#"}}},
    )
    assert reasons(stack, "json", ROWS, schema(items)) == ["LIMIT_WORK"]
    assert reasons(stack, "text", nested, schema(around)) == ["OK"]


@both_stacks
def test_nothing_is_fetched_and_no_file_read(stack: str) -> None:
    targets = [
        "https://localhost:1/x",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "//x.dev/y",
        "other.json",
    ]
    schemas = [{"$ref": target} for target in targets] + [
        {"anyOf": [True, {"$ref": target}]} for target in targets
    ]
    assert reasons(stack, "json", 1, *map(schema, schemas)) == ["SCHEMA_REMOTE_REF"] * 10


@both_stacks
def test_catastrophic_patterns_run_in_linear_time(stack: str) -> None:
    attacks = ["^(a+)+$", "(a|a|aa)+$", "a*a*a*a*b", r"^\s+|\s+$", "[ab]*a[ab]{50}c"]
    found = reasons(stack, "json", "a" * 44_000 + "b", *(schema({"pattern": pattern}) for pattern in attacks))
    assert found == ["SCHEMA_VIOLATION", "SCHEMA_VIOLATION", "OK", "SCHEMA_VIOLATION", "SCHEMA_VIOLATION"]
    ours = reasons(
        stack, "text", "a" * 44_000 + "b", *({"check": "matches", "value": pattern} for pattern in attacks)
    )
    assert ours == ["NO_MATCH", "NO_MATCH", "OK", "NO_MATCH", "NO_MATCH"]
    refused = [
        "(?=a)",
        r"(a)\1",
        "(?<=a)b",
        r"(\p{L}{1,50}){1,20}",
        "(?:.?){1000}(?:.?){1000}(?:.?){1000}(?:.?){1000}(?:.?){1000}(?:.?){1000}(?:.?){1000}(?:.?){1000}",
    ]
    assert (
        reasons(stack, "json", "a", *(schema({"pattern": each}) for each in refused))
        == ["SCHEMA_PATTERN_UNSUPPORTED"] * 5
    )


@both_stacks
def test_many_violations_cost_no_memory(stack: str) -> None:
    """The engine copies the value into each violation, so they are counted only where that is small."""
    many = chain(9, {"allOf": ["NEXT", "NEXT"]}, {"type": "string"})
    alternatives = chain(9, {"anyOf": ["NEXT", "NEXT"]}, {"type": "string"})
    found = reasons(stack, "json", list(range(8000)), schema(many), schema(alternatives))
    assert found == ["LIMIT_WORK", "LIMIT_WORK"]
    assert (
        reasons(stack, "json", list(range(1000)), schema(many), schema(alternatives))
        == ["SCHEMA_VIOLATION"] * 2
    )


@both_stacks
def test_numbers_and_claims_stay_within_their_limits(stack: str) -> None:
    power: Any = {"path": "n"}
    for _ in range(8):
        power = {"mul": [power, power, power]}
    sums = [{"left": {"sum": f"$.l[*][{-place}]"}, "op": "eq", "right": 0} for place in range(1, 33)]
    value = {"n": 10**300, "l": [[0]] * 5000}
    wrong = {"left": 1, "op": "eq", "right": 2}
    found = reasons(
        stack, "json", value,
        {"check": "claims_consistent", "claims": [{"left": power, "op": "gt", "right": 0}]},
        {"check": "claims_consistent", "claims": sums[:1] * 64},
        {"check": "claims_consistent", "claims": [wrong, *sums]},
        {"check": "numeric_close", "path": "n", "value": "1e4096", "tolerance": "1e-4096"},
    )  # fmt: skip
    assert found == ["LIMIT_NUMBER", "OK", "CLAIM_CONTRADICTION", "OUT_OF_TOLERANCE"]


@both_stacks
def test_a_request_of_sixty_four_hostile_schemas_ends(stack: str) -> None:
    wide = {"allOf": [{"enum": list(range(200))}] * 6, "items": {"pattern": "^(?:a?){200}$"}}
    assert len(reasons(stack, "json", ["a" * 40] * 1000, *[schema(wide)] * 64)) == 64
