"""The dearest requests found so far, by the family they are of. The benchmark measures them; a test bounds them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

NAMES = json.dumps({f"k{place}": 0 for place in range(4500)}, separators=(",", ":"))
FLAT = "[" + ",".join(["1"] * 22_000) + "]"
FAR = "[" + "2.5," * 10_000 + "1e-4000]"
NEAR = "[" + ",".join(str(9007199254740992 + place) for place in range(2600)) + "]"
LONG = json.dumps("a" * 45_000)
BITS = json.dumps("0110100110010110" * 2800)
DEEP = "[" * 250 + ",".join(["0"] * 20_000) + "]" * 250
HEADER = "W1tb" * 11_200


def _trees(pairs: int) -> list[str]:
    """Write all arrays of so many brackets within one, which the engine's table does not tell apart."""
    known: list[list[str]] = [[""]]
    for count in range(1, pairs + 1):
        known.append(
            [
                f"[{inner}]" + (f",{rest}" if rest else "")
                for size in range(count)
                for inner in known[size]
                for rest in known[count - 1 - size]
            ]
        )
    return [f"[{each}]" for each in known[pairs]]


TREES = "[" + ",".join(_trees(9)[:1760]) + "]"


def schema(value: Any, **more: Any) -> dict[str, Any]:
    """Make a criterion."""
    return {"check": "json_schema", "schema": value, **more}


def _families() -> Iterator[tuple[str, str, list[Mapping[str, Any]]]]:
    yield (
        "patterns of many places",
        BITS,
        [schema({"pattern": f"[01]*1[01]{{{place}}}2"}) for place in range(900, 916)],
    )
    yield "anchored patterns of many places", f"[{','.join([json.dumps('ab@xy. 01' * 45)] * 100)}]", [
        schema({"items": {"not": {"pattern": "^(?:[^@]{1,9}|[^x]{1,9}){1,30}Z$"}}})
    ] * 16  # fmt: skip
    yield "matches", LONG, [{"check": "matches", "value": "(a?){400}b"}] * 64
    yield "one string too many", LONG, [schema({"pattern": r"^[^@\s]{1,64}@[^@\s]{1,255}$"})] * 16
    yield "brackets", TREES, [schema({"allOf": [{"uniqueItems": True}] * 12})] * 64
    yield "near numbers", NEAR, [schema({"uniqueItems": True})] * 64
    yield "far numbers", FAR, [schema({"items": {"minimum": 0, "maximum": 1, "multipleOf": 0.1}})] * 64
    yield "levels", DEEP, [schema({"items": {"$ref": "#"}, "minimum": 0, "maximum": 1})] * 64
    yield "alternatives down", DEEP, [schema({"anyOf": [{"items": {"$ref": "#"}}, {"multipleOf": 3}]})] * 64
    yield "names", NAMES, [schema({"propertyNames": {"maxLength": 1}})] * 64
    yield "names asked for", NAMES, [
        schema({"dependentRequired": {"k0": [f"z{place}" for place in range(500)]}})
    ] * 40  # fmt: skip
    yield "violations of alternatives", FLAT, [schema({"items": {"anyOf": [{"type": "object"}] * 20}})] * 64
    yield "violations that hold a list", FLAT, [
        schema({"items": {"enum": [f"code{place}" for place in range(300)]}})
    ] * 64  # fmt: skip
    yield "violations", FLAT, [schema({"items": {"type": "string"}})] * 64
    yield "branches", FLAT, [schema({"items": {"if": True, "then": {"type": "string"}}})] * 64
    yield "dynamic references", "[1]", [
        schema({
            "$defs": {"z": {"prefixItems": [{"$dynamicAnchor": "a"} for _ in range(690)]}},
            "anyOf": [{"$dynamicRef": "#a"} for _ in range(690)],
        })
    ] * 11  # fmt: skip
    yield "places of many patterns", "1", [
        schema({"anyOf": [{"pattern": f"^(?:[^@]{{1,9}}|[^x]{{1,9}}){{1,9}}{n}-{m}"} for m in range(4)]}) for n in range(64)
    ]  # fmt: skip
    yield "unique values", FLAT, [
        {"check": "unique_values"}, *({"check": "unique_values", "by": f"/{place}"} for place in range(63))
    ]  # fmt: skip
    yield "header forms", HEADER, [{"check": "x402_valid", "encoding": "base64"}] * 64
    longest = {"path": "/a"}
    product = {"mul": [longest] * 9 + [1] * 55}
    yield "products", '{"a":%s}' % ("9" * 1024), [
        {"check": "claims_consistent", "claims": [{"left": product, "op": "eq", "right": product}] * 64}
    ] * 12  # fmt: skip


def hostile() -> dict[str, str]:
    """Give each request by the name of its family."""
    found: dict[str, str] = {}
    for name, document, criteria in _families():
        numbered = [
            {"id": str(place), "assertFormat": True, **each}
            if each["check"] == "json_schema"
            else {"id": str(place), **each}
            for place, each in enumerate(criteria)
        ]
        found[name] = json.dumps(
            {"deliverable": {"kind": "text", "value": document}, "criteria": numbered}, separators=(",", ":")
        )
    return found
