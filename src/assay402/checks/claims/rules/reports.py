"""Reports of test runners and checkers: what one line says, and what the lines of a run say together."""

import re
from collections.abc import Iterable
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record

_N: Final = r"[0-9]+(?:,[0-9]{3})*"
_COUNT: Final = Pattern(
    rf"(?<![\w.%])({_N})\s+(?:tests?\s+|examples?\s+|specs?\s+|checks?\s+)?(passed|passing|failed|failing|failures?|skipped|errors?|ignored|pending|total|examples?|tests?)\b(?!\s?=|:\s{{0,4}}[0-9]+(?:\s+[a-z]+:|,|\s*$))",
    re.IGNORECASE,
)
"""A word that a sign gives the next number is not of the number before it: `passed=9 failed=3`."""
_NAMED: Final = Pattern(
    r"\b(tests|failures|errors|skipped|passed|failed|total|tests run|assertions)\s?[=:]\s{0,8}\"?([0-9]+)(?![0-9]|\s*(?:passed|failed|skipped|total)\b(?!\s?[=:]))",
    re.IGNORECASE,
)
_OUT_OF: Final = Pattern(r"\bfailed out of ([0-9]+)\b", re.IGNORECASE)
_RAN: Final = Pattern(r"\bRan ([0-9]+) tests?\b|\bcollected ([0-9]+) items?\b", re.IGNORECASE)
_NONE_RAN: Final = Pattern(
    r"\bno tests? (?:ran|run|found|collected|executed|to run|were (?:run|found|executed))\b", re.IGNORECASE
)
_SHARE: Final = Pattern(
    r"\b([0-9]+)\s?(?:/|of|out of)\s?([0-9]+)\s(?:tests?|specs?|checks|examples)?\s?(?:have |are )?pass",
    re.IGNORECASE,
)
_POINT: Final = Pattern(r"^\s*(not )?ok\s+[0-9]+\b", re.IGNORECASE)
_GOOD: Final = Pattern(
    r"^\s*(?:OK\b|PASS(?:ED)?\b!?|ok\s+\S+|test result: ok|All tests passed|✓)|\bBUILD SUCCESS|\ball (?:tests|checks) passed\b",
    re.IGNORECASE,
)
_BAD: Final = Pattern(
    r"^\s*(?:FAILED\b|FAIL\b|--- FAIL|not ok\b|test result: FAILED|FAILURES!|✗|✕)|\bBUILD FAIL",
    re.IGNORECASE,
)
_SKIP: Final = Pattern(r"\b(?:SKIPPED|skipped|skipping|not run|disabled)\b")
_AGAIN: Final = Pattern(r"\b(?:retry(?:ing)?|attempt|re-?run(?:ning)?|second run)\b", re.IGNORECASE)
_SUITES: Final = Pattern(r"^\s*(?:test )?(?:suites|files)\b\s*:?", re.IGNORECASE)
_PER_UNIT: Final = re.compile(
    r"^\s*(?:test result:|(?:(?:not )?ok|FAIL|---)\s(?!\()|(?:Passed|Failed)!)", re.IGNORECASE
)
_ENDED: Final = Pattern(r"^=+\s.{1,200}\sin\s[0-9.]+\s?s\b")
_KEYS: Final = {
    "passing": "passed",
    "failing": "failed",
    "failure": "failed",
    "failures": "failed",
    "error": "errors",
    "ignored": "skipped",
    "pending": "skipped",
    "examples": "total",
    "example": "total",
    "tests": "total",
    "test": "total",
    "tests run": "total",
}
_APART: Final = 2
"""Lines between which the parts of one summary stand."""


class Summary:
    """What one record says of a test run."""

    def __init__(self, record: Record, counts: dict[str, int], good: bool | None, skipped: bool) -> None:
        self.record: Final = record
        self.counts: Final = counts
        self.good: Final = good
        self.skipped: Final = skipped

    @property
    def failed(self) -> int:
        """Tests that failed or broke."""
        return self.counts.get("failed", 0) + self.counts.get("errors", 0)

    @property
    def passed(self) -> int | None:
        """Tests that passed, computed from the total where only that is told."""
        if "passed" in self.counts:
            return self.counts["passed"]
        if "total" in self.counts and (self.good or "failed" in self.counts):
            return self.counts["total"] - self.failed - self.counts.get("skipped", 0)
        return None


def summary_of(record: Record) -> Summary | None:
    """Read a record as the summary of a test run; None where it is none."""
    if "summary" not in record.memo:
        record.memo["summary"] = _summary_of(record)
    found: Summary | None = record.memo["summary"]
    return found


def _summary_of(record: Record) -> Summary | None:
    text = (
        record.text[:2_000]
        if record.form != "json"
        else " ".join(f"{each.name}={each.value}" for each in record.fields)
    )
    counts: dict[str, int] = {}
    for pattern, number, word in ((_COUNT, 1, 2), (_NAMED, 2, 1)):
        for match in pattern.finditer(text):
            name = match[word].lower()
            counts.setdefault(_KEYS.get(name, name), int(match[number].replace(",", "")))
    share = _OUT_OF.search(text)
    if share is not None:
        counts.setdefault("total", int(share[1]))
    of = _SHARE.search(text)
    if of is not None:
        counts.update(passed=int(of[1]), failed=int(of[2]) - int(of[1]))
    point = _POINT.match(text)
    if point is not None:
        counts = {"failed": 1} if point[1] else {"passed": 1}
    if _NONE_RAN.search(text) is not None:
        counts = {"passed": 0, "failed": 0, "total": 0}
    ran = _RAN.search(text)
    if ran is not None:
        counts.setdefault("total", int(ran[1] or ran[2]))
    good = True if _GOOD.search(text) else False if _BAD.search(text) else None
    skipped = _SKIP.search(text) is not None and not counts
    ended = _ENDED.match(text) is not None and "errors" in counts
    told = bool({"passed", "failed", "total"} & set(counts)) or good is not None or skipped or ended
    return Summary(record, counts, good, skipped) if told else None


def merged(found: list[Summary]) -> Summary:
    """Give what the lines of the last run say together: the last summary, with the lines that belong to it."""
    telling = [
        each
        for each in found
        if each.counts.keys() & {"passed", "failed", "errors"} or each.good is not None or each.skipped
    ]
    plain = [each for each in telling if not _SUITES.match(each.record.text)] or telling
    last = plain[-1] if plain else found[-1]
    run = _run(plain, last)
    if all(_POINT.match(each.record.text) or _PER_UNIT.match(each.record.text) for each in run):
        return Summary(last.record, _added(run), _all_good(run), last.skipped)
    counts = dict(last.counts)
    for each in reversed(run):
        if abs(each.record.line - last.record.line) <= _APART and not each.counts.keys() & counts.keys():
            counts.update(each.counts)
    if "passed" not in counts:
        for each in reversed(found):
            if each.record.item is last.record.item and "total" in each.counts:
                counts.setdefault("total", each.counts["total"])
    return Summary(last.record, counts, last.good, last.skipped)


def of_suites(found: list[Summary], *, suites: bool) -> list[Summary]:
    """Give the summaries that count suites, or those that count tests; a line that counts neither counts as either."""
    counting = [each for each in found if not each.counts or bool(_SUITES.match(each.record.text)) == suites]
    return counting if any(each.counts for each in counting) or not any(each.counts for each in found) else []


def _run(telling: list[Summary], last: Summary) -> list[Summary]:
    """Give the summaries of the item of the last one that no word of another attempt parts from it."""
    run: list[Summary] = []
    for each in reversed(telling):
        if each.record.item is not last.record.item or bool(_PER_UNIT.match(each.record.text)) != bool(
            _PER_UNIT.match(last.record.text)
        ):
            continue
        run.insert(0, each)
        if _AGAIN.search(each.record.text):
            break
    return run


def _added(run: Iterable[Summary]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in run:
        for name, number in each.counts.items():
            counts[name] = counts.get(name, 0) + number
    return counts


def _all_good(run: Iterable[Summary]) -> bool | None:
    told = [each.good for each in run if each.good is not None]
    return all(told) if told else None


_FOUND: Final = Pattern(
    rf"(?:\bfound\s+|^\W{{0,3}})({_N}|no)\s(?:\w+\s)?(?:issues?|problems?|errors?|warnings?|violations?|offenses?)\b|\ball (?:checks|files) (?:passed|formatted)\b|\bno (?:issues|problems|errors|offenses)\b",
    re.IGNORECASE,
)


def issues_of(record: Record) -> int | None:
    """Give how many issues a checker such as a linter tells; None where the line is no such report."""
    match = _FOUND.search(record.text[:400])
    if match is None:
        return None
    return 0 if match[1] is None or match[1].lower() == "no" else int(match[1].replace(",", ""))


_TOOL: Final = Pattern(r"\b(mypy|ruff|eslint|pyright|tsc|clippy|flake8|pylint|rubocop)\b", re.IGNORECASE)


def is_of_other_tool(said: str, record: Record) -> bool:
    """Tell whether a checker that a claim names is named nowhere in an item that names another one."""
    wanted = {each.lower() for each in _TOOL.findall(said)}
    told = {
        each.lower() for each in _TOOL.findall(f"{record.item.source_label} {record.item.text[:_LOOKED_AT]}")
    }
    return bool(wanted and told) and not wanted & told


_LOOKED_AT: Final = 20_000
