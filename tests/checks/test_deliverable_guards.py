"""No input reaches a native crash, the network, a file or an endless run; each hostile one has its documented answer.

Each case runs in a process of its own that is ended after five seconds of processor time, which is a guard against
hanging and not a measurement, on the main thread's stack and on one of 512 KiB.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from assay402.checks.deliverable.schema.cost import cost
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.stack import MAX_STACK
from deliverable_hostile import hostile

HOSTILE = hostile()
PROGRAM = """
import json, resource, sys, threading
resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
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
    return answered(stack, json.dumps({"deliverable": {"kind": kind, "value": value}, "criteria": numbered}))


def answered(stack: str, request: str) -> list[str | None]:
    """Give the reasons of an answer that comes within the bound, and without a word on standard error."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, stack],
        input=request.encode(), check=True, capture_output=True, timeout=60,
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


def step(word: str) -> dict[str, Any]:
    """Make a step that is applied to the same value: by a keyword, alone or among others."""
    other = {"minLength": 0}
    steps: dict[str, dict[str, Any]] = {
        "reference": {"allOf": ["NEXT"], "description": "beside it"},
        "not": {"not": {"not": "NEXT"}}, "if": {"if": "NEXT", "then": other}, "else": {"if": False, "else": "NEXT"},
        "dependent": {"dependentSchemas": {"a": "NEXT"}, "minLength": 0},
        **{f"{each}-alone": {each: ["NEXT"]} for each in ("allOf", "anyOf", "oneOf")},
        "allOf": {"allOf": [other, "NEXT"]}, "anyOf": {"anyOf": [{"type": "null"}, "NEXT"]},
        "oneOf": {"oneOf": [{"type": "null"}, "NEXT"]}, "twice": {"allOf": ["NEXT", "NEXT"]},
    }  # fmt: skip
    return steps[word]


def steepest(word: str, down: dict[str, Any]) -> dict[str, Any]:
    """Make the longest chain around a cycle whose stack is counted to fit."""
    made = down
    for length in range(1, 80):
        longer = chain(length, step(word), down)
        counts = cost(Index(longer, 2020, 1 << 14))
        assert counts is not None
        if counts.stack > MAX_STACK or counts.expansion > 10_000:
            break
        made = longer
    return made


WORDS = ("reference", "not", "if", "else", "dependent", "allOf-alone", "anyOf-alone", "oneOf-alone", "allOf", "anyOf",
         "oneOf", "twice")  # fmt: skip


def test_the_longest_chains_that_are_taken_fit_the_small_stack() -> None:
    """Of each keyword, over the deepest document, with the engine's frames for members and for elements."""
    again: dict[str, Any] = {"$ref": "#"}
    downs: list[dict[str, Any]] = [
        {"additionalProperties": again},
        {"properties": {"a": again}, "required": ["a"]},
        {"items": again},
    ]
    for down, opening, closing in zip(downs, ('{"a":', '{"a":', "["), ("}", "}", "]"), strict=True):
        text = opening * 255 + "0" + closing * 255
        found = reasons("small", "text", text, *(schema(steepest(word, down)) for word in WORDS))
        assert "SCHEMA_TOO_COMPLEX" not in found
    too_long = [chain(length, step("allOf"), downs[0]) for length in (5, 8, 11)]
    assert reasons("small", "json", 1, *map(schema, too_long)) == ["SCHEMA_TOO_COMPLEX"] * 3


def test_schemas_that_take_the_place_of_a_meta_schema_fit_the_small_stack() -> None:
    text = '{"not":' * 255 + "true" + "}" * 255
    uris: dict[str, dict[str, Any]] = {
        "2020-12": {"$dynamicAnchor": "meta"},
        "2019-09": {"$recursiveAnchor": True},
    }
    found = [
        {**chain(length, step(word), {"$ref": uri}), **anchor, "$schema": uri}
        for draft, anchor in uris.items()
        for uri in [f"https://json-schema.org/draft/{draft}/schema"]
        for word in ("reference", "not", "allOf")
        for length in range(4)
    ]
    assert set(reasons("small", "text", text, *map(schema, found))) <= {"OK", "SCHEMA_TOO_COMPLEX"}


@both_stacks
def test_what_stood_behind_a_name_that_stands_twice_is_never_reached(stack: str) -> None:
    """Each of these once crashed the engine, ran for ever, or made it panic."""
    meta = "https://json-schema.org/draft/2020-12/schema"
    crash = chain(40, {"not": {"not": "NEXT"}}, {"$ref": meta})
    crash = {**crash, "$dynamicAnchor": "meta", "$defs": {**crash["$defs"], "m": {"$id": meta, "const": 1}}}
    levels = {
        f"l{place}": {
            "$anchor": f"x{place}",
            "$defs": {"h": {"$anchor": f"x{place}", "allOf": [{"$ref": f"#x{place + 1}"}] * 2}},
        }
        for place in range(40)
    }
    endless = {"$ref": "#x0", "$defs": {**levels, "end": {"$anchor": "x40", "type": "integer"}}}
    older = json.loads(json.dumps(endless).replace('"$anchor": "', '"$id": "#'))
    older["$schema"] = "http://json-schema.org/draft-07/schema#"
    panics = [
        {"$defs": {"p": {"$id": first, "$anchor": "m"}, "q": {"$id": second}}, "$ref": "a#m"}
        for first, second in (("a", "a"), ("a", "./a"), ("http://E.x/a", "http://e.x/a"))
    ]
    found = [crash, endless, older, *panics]
    text = '{"not":' * 250 + "true" + "}" * 250
    assert reasons(stack, "text", text, *map(schema, found)) == ["SCHEMA_INVALID"] * len(found)


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
    twice = chain(2, {"allOf": ["NEXT"] * 68}, {"type": "integer", "minimum": 0})
    items = {"items": {"$ref": "#/$defs/d0"}, "$defs": twice["$defs"]}
    nested = '{"a":' * 250 + "{}" + "}" * 250
    around = chain(
        5,
        {"allOf": [{"properties": {"a": "NEXT"}}, {"properties": {"a": "NEXT"}}]},
        {"properties": {"a": {"$ref": "#"}}},
    )
    assert reasons(stack, "json", [0] * 20_000, schema(items)) == ["LIMIT_WORK"]
    assert reasons(stack, "text", nested, schema(around)) == ["OK"]


UNEVALUATED: list[tuple[str, ...]] = [
    ("unevaluatedItems",), ("unevaluatedProperties",), ("unevaluatedItems", "unevaluatedProperties"),
]  # fmt: skip
DOWN = {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}


@both_stacks
@pytest.mark.parametrize("keywords", UNEVALUATED, ids="+".join)
def test_what_leads_back_through_an_unevaluated_keyword_is_refused(
    stack: str, keywords: tuple[str, ...]
) -> None:
    """Each level of a document would double what the engine looks at, and deepen its stack."""
    closed = dict.fromkeys(keywords, False)
    found: list[dict[str, Any]] = [{"items": {"$ref": "#"}, **closed}, {keywords[0]: {"$ref": "#"}}]
    for word in ("allOf", "anyOf", "oneOf"):
        found += [{**chain(length, {word: ["NEXT"]}, DOWN), **closed} for length in (1, 5, 11, 24)]
        found.append({**chain(5, {word: ["NEXT"]}, {**DOWN, **closed})})
    found.append(
        {
            "$dynamicAnchor": "meta",
            "$ref": "https://json-schema.org/draft/2020-12/schema",
            "unevaluatedProperties": False,
        }
    )
    for levels in (1, 20, 250):
        tower = "[" * levels + "]" * levels
        assert reasons(stack, "text", tower, *map(schema, found)) == ["SCHEMA_TOO_COMPLEX"] * len(found)


@both_stacks
@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf", "if", "not"])
def test_unevaluated_keywords_beside_or_above_a_cycle_are_judged_in_bounded_work(
    stack: str, word: str
) -> None:
    step = {word: "NEXT" if word in ("if", "not") else ["NEXT"]}
    tower, objects = "[" * 250 + "]" * 250, '{"a":' * 250 + "1" + "}" * 250
    for length in (2, 11, 20):
        tree = chain(
            length, step, {"items": {"$ref": "#/$defs/d0"}, "additionalProperties": {"$ref": "#/$defs/d0"}}
        )
        above = {**tree, "unevaluatedItems": False, "unevaluatedProperties": False}
        beside = chain(length, {**step, "unevaluatedItems": False}, {"type": "array"})
        levels = chain(200 // length, {"allOf": [{"items": "NEXT"}], "unevaluatedProperties": False}, True)
        older = {
            **chain(9, step, DOWN),
            "$schema": "http://json-schema.org/draft-07/schema#",
            "unevaluatedItems": False,
        }
        for text in (tower, objects):
            assert len(reasons(stack, "text", text, *map(schema, (above, beside, levels, older)))) == 4


@both_stacks
def test_long_ways_down_without_a_cycle_fit_the_stack(stack: str) -> None:
    item = chain(250, {"items": "NEXT", "unevaluatedItems": True}, True)
    unevaluated = chain(250, {"unevaluatedItems": "NEXT"}, True)
    flat = chain(900, {"allOf": ["NEXT"]}, True)
    assert len(reasons(stack, "text", TOWER, schema(item), schema(unevaluated), schema(flat))) == 3


def _numbers(*numbers: str) -> str:
    return f"[{','.join(numbers)}]"


@both_stacks
def test_far_apart_numbers_are_divided_within_the_limit_of_work(stack: str) -> None:
    divisor = f'{{"multipleOf": {"7" * 1024}e-4096}}'
    many = f'{{"items": {{"allOf": [{",".join([divisor] * 4)}]}}}}'
    large, small = _numbers(*["1e4096"] * 6000), _numbers(*["1e4096"] * 100)
    assert reasons_of_texts(stack, large, [many]) == ["LIMIT_WORK"]
    assert reasons_of_texts(stack, small, ['{"items": {"multipleOf": 1e-4096}}']) == ["OK"]
    assert reasons_of_texts(stack, _numbers(*["12.5"] * 6000), ['{"items": {"multipleOf": 0.5}}']) == ["OK"]


@both_stacks
def test_numbers_beyond_binary64_are_found_different_however_many_they_are(stack: str) -> None:
    unique = '{"uniqueItems": true}'
    far = _numbers(*(f"1e{place}" for place in range(400, 2800)))
    assert reasons_of_texts(stack, far, [unique] * 64) == ["OK"] * 64
    wide = _numbers(*(str(10**18 + place) for place in range(2000)))
    assert reasons_of_texts(stack, wide, [unique]) == ["OK"]
    assert reasons_of_texts(stack, _numbers(*map(str, range(8000))), [unique]) == ["OK"]


def reasons_of_texts(stack: str, document: str, schemas: list[str]) -> list[str | None]:
    """Judge a text by schemas given as texts, whose numbers stay as they are spelled."""
    criteria = ",".join(
        f'{{"id": "{place}", "check": "json_schema", "schema": {text}}}' for place, text in enumerate(schemas)
    )
    request = (
        f'{{"deliverable": {{"kind": "text", "value": {json.dumps(document)}}}, "criteria": [{criteria}]}}'
    )
    return answered(stack, request)


def hostile_patterns(first: int, count: int) -> list[dict[str, Any]]:
    return [{"pattern": f"(\\p{{L}}{{1,20}}){{1,9}}{number}"} for number in range(first, first + count)]


@both_stacks
def test_the_patterns_of_all_schemas_share_the_room_of_the_request(stack: str) -> None:
    found = reasons(
        stack, "json", [1],
        *(schema({"allOf": hostile_patterns(place * 1000, 200)}) for place in range(8)),
        schema({"pattern": "^a$"}),
    )  # fmt: skip
    assert found == ["SCHEMA_TOO_COMPLEX"] * 9
    refused = [{"pattern": f"(?:\\p{{L}}{{1,50}}){{1,{number}}}"} for number in range(20, 400)]
    assert len(reasons(stack, "json", [1], *map(schema, refused[:63]))) == 63
    assert (
        reasons(
            stack, "json", [1], *map(schema, [{"pattern": f"^[a-z]{{{place}}}$"} for place in range(1, 65)])
        )
        == ["OK"] * 64
    )


@both_stacks
def test_patterns_count_by_their_compiled_size(stack: str) -> None:
    bits = ("01101001100101101001" * 2250)[:44_000]
    patterns = [{"pattern": f"[01]*1[01]{{{1000 + place}}}2"} for place in range(20)]
    assert reasons(stack, "json", bits, schema({"not": {"anyOf": patterns}})) == ["LIMIT_WORK"]


@both_stacks
def test_sixty_four_criteria_together_take_what_two_may(stack: str) -> None:
    rows = [{"a": number, "b": "x"} for number in range(1500)]
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("text", "a" * 45_000, {"check": "matches", "value": "(a?){400}b"}),
        ("text", _numbers(*["1e-7"] * 9000), {"check": "claims_consistent", "claims": [
            {"left": {measure: path}, "op": "eq", "right": 0} for path in ("", "$[*]") for measure in ("sum", "min", "max")
        ]}),
        ("json", rows, {"check": "claims_consistent", "path": "", "key": ["a", "b"], "valueKey": "b"}),
        ("json", rows, schema({"items": {"allOf": [{"enum": list(range(100))}] * 6}})),
    ]  # fmt: skip
    for kind, value, criterion in cases:
        found = reasons(stack, kind, value, *[criterion] * 64)
        assert len(found) == 64
        assert found == sorted(found, key=lambda reason: reason == "LIMIT_WORK")


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
    assert found == ["SCHEMA_VIOLATION"] * 2


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


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
"""


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_the_dearest_requests_known_end_within_time_and_memory(name: str) -> None:
    """Five seconds of CPU and 1.5 GiB of addresses are a guard, on a small stack; a step of the count is a promise."""
    run = subprocess.run(
        [sys.executable, "-c", LIMITED + PROGRAM, "small"],
        input=HOSTILE[name].encode(), check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    assert run.stderr == b""
    refusal, *found = json.loads(run.stdout)
    assert refusal is None
    # Criteria take in their order: none is judged behind one that there was no work left for.
    assert len(found) == len(json.loads(HOSTILE[name])["criteria"])
