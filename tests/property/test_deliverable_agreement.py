"""A second implementation agrees with the first on more than 50,000 drawn criteria."""

import json
import random
from typing import Any

import pytest

import deliverable_oracle as oracle
from assay402 import deliverable

REQUESTS, PARTS = 800, 4
NAMES = [
    "a",
    "b",
    "items",
    "",
    "0",
    "1",
    "a.b",
    "é",
    "😀",
    "\ufb33",
    "it's",
    "~",
    "/",
    "*",
    "$ref",
    "-",
    "\\",
    '"',
]
NUMBERS = [
    "0", "-0", "1", "1.0", "1e0", "10e-1", "2", "-1", "0.1", "0.30000000000000004", "0.3", "3e-1", "9007199254740992",
    "9007199254740993", "1e21", "1e22", "123456789012345678901234567890", "1e400", "-1e400", "1e-400", "0.00001",
    "0.0000001", "1.5e-7", "333333333.33333329", "5e-324", "1.7976931348623157e308", "100", "1e2", "0.10",
]  # fmt: skip
STRINGS = ["", "1", "a", "A", "e\u0301", "é", "😀", "a\n", "\u2028", "true"]
DIRTY = [
    ".",
    "..",
    "[",
    "]",
    "*",
    "?",
    ":",
    ",",
    "'",
    '"',
    "\\",
    " ",
    "$",
    "/",
    "~",
    "[*]",
    "[0]",
    "['a']",
    "-1",
    "01",
]


def draw_text(draw: random.Random, depth: int = 3) -> str:
    """Draw the text of a JSON value without repeated names."""
    kind = draw.random()
    if depth == 0 or kind < 0.35:
        return draw.choice([draw.choice(NUMBERS), json.dumps(draw.choice(STRINGS)), "true", "false", "null"])
    if kind < 0.7:
        return "[" + ",".join(draw_text(draw, depth - 1) for _ in range(draw.randint(0, 4))) + "]"
    names = draw.sample(NAMES, draw.randint(0, 5))
    return "{" + ",".join(f"{json.dumps(name)}:{draw_text(draw, depth - 1)}" for name in names) + "}"


def draw_path(draw: random.Random) -> str:
    """Draw a path of one of the syntaxes, or something near one."""
    names = [draw.choice(NAMES) for _ in range(draw.randint(0, 3))]
    kind = draw.random()
    if kind < 0.25:
        return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
    if kind < 0.5:
        return "$" + "".join(draw_segment(draw, name) for name in names)
    if kind < 0.75:
        return ".".join(name + draw.choice(["", "", "[0]", "[1]"]) for name in names)
    return "".join(draw.choice([draw.choice(NAMES), draw.choice(DIRTY)]) for _ in range(draw.randint(1, 6)))


def draw_segment(draw: random.Random, name: str) -> str:
    single = name.replace("\\", "\\\\").replace("'", "\\'")
    return draw.choice(
        [f".{name}", f"['{single}']", f"[{json.dumps(name)}]", f"[ {draw.randint(-2, 2)} ]", f" .{name}"]
    )


def draw_number(draw: random.Random) -> str:
    """Draw a bound: a number, or the same as a decimal string."""
    found = draw.choice(NUMBERS)
    return found if draw.random() < 0.5 else json.dumps(found)


def draw_criterion(draw: random.Random, place: int) -> str:
    check = draw.choice(
        [
            "json_path_equals",
            "json_path_present",
            "numeric_range",
            "numeric_close",
            "array_length",
            "unique_values",
        ]
    )
    members = {"id": json.dumps(str(place)), "check": json.dumps(check), "path": json.dumps(draw_path(draw))}
    match check:
        case "json_path_equals":
            members["value"] = draw_text(draw, 2)
        case "numeric_range":
            members[draw.choice(["min", "max"])] = draw_number(draw)
        case "numeric_close":
            members["value"] = draw_number(draw)
            members[draw.choice(["tolerance", "relTolerance"])] = draw.choice(
                ["0", "0.1", '"1e-7"', "1", "1e21", "0.50"]
            )
        case "array_length":
            members[draw.choice(["min", "max", "equals"])] = str(draw.randint(0, 4))
    return "{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}"


def draw_request(draw: random.Random) -> str:
    criteria = ",".join(draw_criterion(draw, place) for place in range(64))
    document = draw_text(draw)
    delivered = f'{{"kind":"json","value":{document}}}' if draw.random() < 0.5 else (
        f'{{"kind":"text","value":{json.dumps(document)}}}'
    )  # fmt: skip
    return f'{{"criteria":[{criteria}],"deliverable":{delivered}}}'


@pytest.mark.parametrize("part", range(PARTS))
def test_both_implementations_agree(part: int) -> None:
    draw = random.Random(part)
    reasons: set[str] = set()
    for _ in range(REQUESTS // PARTS):
        text = draw_request(draw)
        request: Any = oracle.load(text)
        answer = deliverable.check(text)
        delivered = request["deliverable"]
        document = delivered["value"] if delivered["kind"] == "json" else oracle.load(delivered["value"])
        for sent, found in zip(request["criteria"], answer["criteria"], strict=True):
            assert (found["result"], found["reason"]) == oracle.judge(sent, document), (sent, text)
            reasons.add(found["reason"])
        assert answer["provenance"]["inputRoot"] == oracle.root(request)
        assert answer["criteriaRoot"] == oracle.root(request["criteria"])
        evaluated = oracle.canonical(document) if delivered["kind"] == "json" else delivered["value"]
        assert answer["deliverableDigest"]["byteLength"] == len(evaluated.encode())
    assert len(reasons) >= 13


def test_enough_criteria_are_drawn() -> None:
    assert REQUESTS * 64 >= 50_000
