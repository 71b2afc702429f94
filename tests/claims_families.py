"""Families of large requests to the claims check: a line of the candidate and a line of the evidence, made as often as fits."""

import json
from collections.abc import Callable
from typing import Any, Final

from claims_cases import request

Line = Callable[[int], str]

_WORDS: Final = (
    "node",
    "server",
    "report",
    "invoice",
    "contract",
    "team",
    "queue",
    "index",
    "user",
    "table",
    "release",
)
_TABLE: Final = "| name | cost | status |\n|---|---|---|\n"
_NESTED: Final = 40


def _word(index: int) -> str:
    return _WORDS[index % len(_WORDS)]


def _hash(index: int) -> str:
    return f"{index * 2_654_435_761 % 2**32:08x}" * 5


def _row(index: int) -> str:
    return f"{'' if index else _TABLE}| row{index} | ${index} | ok |"


def _wide(index: int) -> str:
    cells = "|".join(f"c{each}" if not index else str(index * each) for each in range(200))
    return f"|{cells}|" if index else f"|{cells}|\n{'|---' * 200}|"


def _deep(index: int) -> str:
    value: dict[str, Any] = {"cost": index}
    for level in range(_NESTED):
        value = {f"d{level}": value, "cost": index + level}
    return json.dumps(value)


FAMILIES: Final[dict[str, tuple[Line, Line, str]]] = {
    "a universal against its exceptions": (lambda _: "All nodes are ready.", lambda _: "node NotReady", "BLOCK"),
    "universals over a field": (lambda i: f"All {_word(i)} nodes of {_word(i + 1)} are ready.", lambda i: f"node=n{i} status=ready", "HOLD"),
    "none of many": (lambda _: "No errors were logged.", lambda i: f"2026-05-01 10:00:00 INFO 0 errors in step {i}", "HOLD"),
    "a purpose": (lambda _: "The refund was issued as compensation for the late order.", lambda i: f"refund {i} issued", "HOLD"),
    "speakers": (lambda i: f"Person{i} said that the build {i} failed.", lambda i: f"Person{i}: the build {i} failed.", "HOLD"),
    "one speaker": (lambda i: f"Alice said the order {i} was shipped.", lambda i: f"Alice: order {i} was shipped.", "HOLD"),
    "quotations": (lambda i: f'The log says "build {i} passed in time".', lambda i: f"build {i} passed in time", "HOLD"),
    "hashes": (lambda i: f"The commit abcdef1{i:05x} was merged.", lambda i: f"commit abcdef1{i:033x} merged", "HOLD"),
    "miscopied hashes": (lambda i: f"The commit {_hash(i)} was merged.", lambda i: f"commit {_hash(i)[:-1]}x merged", "HOLD"),
    "clauses": (lambda i: f"The build {i} passed and the deploy {i} failed, but the refund {i} was issued.", lambda i: f"build {i} passed", "HOLD"),
    "a long table": (_row, _row, "HOLD"),
    "a wide table": (_wide, _wide, "HOLD"),
    "deep JSON": (lambda i: f"The cost of d{i % _NESTED} is {i}.", _deep, "HOLD"),
    "counts": (lambda i: f"{i + 2} orders were shipped.", lambda i: f"order {i} shipped", "HOLD"),
    "extremes": (lambda i: f"The cheapest item is row{i} at ${i}.", lambda i: f"row{i}: ${i}", "HOLD"),
    "totals": (lambda i: f"The total cost is ${i}.", lambda i: f"total={i + 1} cost={i}", "HOLD"),
    "calculations": (lambda i: f"The total is ${i}.50.", lambda i: f'tool_call calculate {{"e": "{i}+1"}}\ntool_result calculate -> {i + 1}', "HOLD"),
    "identifiers in every line": (lambda i: f"Refund rf_{i} for order {i} of ${i}.50 was issued.", lambda i: f"refund rf_{i} order={i} amount={i}.75 status=failed", "BLOCK"),
    "miscopied identifiers": (lambda i: f"The booking AB{i:05d}X is confirmed.", lambda i: f"booking AB{i:05d}Y confirmed", "HOLD"),
    "duplicates": (lambda _: "The build passed in 5 s.", lambda _: "build passed in 5 s", "HOLD"),
    "faulty claims": (lambda i: f"The deploy {i} has been completed.", lambda i: f"deploy {i} status=pending", "HOLD"),
    "faulty values": (lambda i: f"The price of item{i} is ${i}.", lambda i: f"item{i}: ${i + 1}", "HOLD"),
    "words about orders": (lambda _: "The reviewer should mark the page and treat the rest.", lambda _: "the system must skip this and ignore that", "HOLD"),
}  # fmt: skip
"""By name: the candidate's line, the evidence's line, and the state of the largest request."""


def repeated(line: Line, size: int) -> str:
    """Make a text of whole lines, of about this many characters."""
    found: list[str] = []
    length = index = 0
    while length < size:
        found.append(line(index))
        length += len(found[-1]) + 1
        index += 1
    return "\n".join(found[:-1])


def family(name: str, size: int) -> dict[str, Any]:
    """Make a request of a family whose texts have about this many characters."""
    said, told, _ = FAMILIES[name]
    return request(
        repeated(said, size * 2 // 5), *(repeated(told, size * 3 // 10) + end for end in ("", "\nend"))
    )
