"""Speed of the deliverable check, against two schema libraries measured in the same run.

Run with `benchmarks/run deliverable`. Times are of one core's CPU, the best of several rounds; a check is timed from the
text of the request to the published answer, roots included.

- `jsonschema`: the pure Python library, compiling and validating the same schema on the same rows.
- `jsonschema-rs`: the engine alone, the same; what we add to it are the guards, the reading and the roots.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import jsonschema
import jsonschema_rs

from assay402 import deliverable

SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
ROUNDS = 1 if SHORT else 7
ROWS: list[dict[str, Any]] = [
    {"id": place, "name": f"row {place}", "price": place + 0.25, "tags": ["a", "b"], "ok": place % 2 == 0}
    for place in range(630)
]
SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["id", "name", "price"],
        "properties": {
            "id": {"type": "integer", "minimum": 0},
            "name": {"type": "string", "pattern": "^row [0-9]+$"},
            "price": {"type": "number", "multipleOf": 0.25},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        },
    },
}


def mixed(count: int) -> list[dict[str, Any]]:
    """Make criteria: three schemas in sixty-four, the rest one of each kind in turn."""
    kinds: list[Callable[[int], dict[str, Any]]] = [
        lambda place: {"check": "json_path_equals", "path": f"/{place}/id", "value": place},
        lambda _place: {"check": "array_length", "min": 3},
        lambda place: {"check": "numeric_range", "path": f"$[{place}].price", "min": 0},
        lambda _place: {"check": "contains", "value": "row 7"},
        lambda _place: {"check": "byte_length", "max": 50_000},
        lambda _place: {"check": "char_length", "max": 50_000},
        lambda _place: {"check": "unique_values", "by": "id"},
        lambda _place: {"check": "is_json", "strict": True},
        lambda place: {"check": "numeric_close", "path": f"/{place}/price", "value": place, "tolerance": 1},
        lambda _place: {
            "check": "claims_consistent",
            "claims": [
                {"left": {"count": ""}, "op": "eq", "right": 630},
                {"left": {"sum": "$[*].id"}, "op": "gt", "right": 5},
            ],
        },
        lambda _place: {"check": "sha256_equals", "value": "0" * 64},
        lambda _place: {"check": "not_contains", "value": "lorem"},
    ]
    schemas = max(1, count * 3 // 64)
    made = [{"check": "json_schema", "schema": SCHEMA} for _ in range(schemas)]
    made += [kinds[place % len(kinds)](place) for place in range(count - schemas)]
    return [{"id": str(place), **criterion} for place, criterion in enumerate(made)]


def request(rows: list[dict[str, Any]], criteria: list[dict[str, Any]]) -> bytes:
    """Write a request."""
    return json.dumps({"deliverable": {"kind": "json", "value": rows}, "criteria": criteria}).encode()


def checked(rows: list[dict[str, Any]], criteria: list[dict[str, Any]]) -> float:
    """Give the seconds a check of a request takes, at best."""
    source = request(rows, criteria)
    return best(lambda: deliverable.check(source))


def best(work: Callable[[], object], repeat: int = 1) -> float:
    """Give the seconds of CPU a call takes, at best."""
    work()
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(repeat):
            work()
        found.append((time.process_time() - start) / repeat)
    return min(found)


def main() -> int:
    """Print the figures and ratios."""
    size = len(json.dumps(ROWS, separators=(",", ":")))
    full = checked(ROWS, mixed(64))
    print(f"64 mixed criteria over {size} bytes: {full * 1e3:.1f} ms (target 25 ms)")

    one = json.dumps(
        {
            "deliverable": {"kind": "json", "value": {"status": "done"}},
            "criteria": [{"id": "a", "check": "json_path_equals", "path": "status", "value": "done"}],
        }
    ).encode()
    single = best(lambda: deliverable.check(one), 500)
    print(f"one criterion on a small document: {1 / single:.0f} a second (target 4000)")

    for count in (8, 16, 32, 64):
        seconds = checked(ROWS, mixed(count))
        print(f"  {count:2} criteria: {seconds * 1e3:6.2f} ms, {seconds / count * 1e6:6.0f} us a criterion")
    for part in (8, 4, 2, 1):
        rows = ROWS[: len(ROWS) // part]
        seconds = checked(rows, mixed(64))
        length = len(json.dumps(rows, separators=(",", ":")))
        print(f"  {length:5} bytes: {seconds * 1e3:6.2f} ms, {seconds / length * 1e9:6.0f} ns a byte")

    ours = checked(ROWS, mixed(1))
    text = json.dumps(ROWS)
    pure = best(lambda: jsonschema.Draft202012Validator(SCHEMA).is_valid(json.loads(text)))
    engine = best(lambda: jsonschema_rs.Draft202012Validator(SCHEMA).is_valid(json.loads(text)))
    print("one schema over the same rows, from text:")
    print(f"  ours, with guards, digests and roots: {ours * 1e3:.2f} ms")
    print(f"  jsonschema {pure * 1e3:.2f} ms: ours is {pure / ours:.1f} times as fast")
    print(f"  jsonschema-rs alone {engine * 1e3:.2f} ms: ours takes {ours / engine:.1f} times as long")
    return 0 if full <= 0.025 and 1 / single >= 4000 else 1


if __name__ == "__main__":
    sys.exit(main())
