"""Test reports: what runners print, and what a claim about tests needs."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_ABOUT: Final = re.compile(
    r"\b(?:tests?|test suites?|suites?|specs?|assertions|checks|ci|build)\b|\b(?:everything|all) (?:is |are )?(?:pass\w*|green)\b",
    re.IGNORECASE,
)
_PASS: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|clean)\b", re.IGNORECASE
)
_FAIL: Final = re.compile(r"\b(?:fail(?:s|ed|ing|ures?)?|red|broken|broke|errors?)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"([0-9][0-9,]*)\s+(?:tests?\s+|examples?\s+|specs?\s+)?(passed|passing|failed|failing|failures?|skipped|errors?|ignored|pending|total|examples?|tests?)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(tests|failures|errors|skipped|passed|failed|total|tests run|assertions)\s?[=:]\s?\"?([0-9]+)",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"\b([0-9]+)\s?(?:/|of|out of)\s?([0-9]+)(?:\s(?:tests?|specs?|checks))?\s(?:tests?\s)?(?:have |are )?pass",
    re.IGNORECASE,
)
_RAN: Final = re.compile(r"\bRan ([0-9]+) tests?\b|\bcollected ([0-9]+) items?\b", re.IGNORECASE)
_GOOD: Final = re.compile(
    r"^\s*(?:OK\b|PASS\b|ok\s+\S+|test result: ok|All tests passed)|\bBUILD SUCCESS", re.IGNORECASE
)
_BAD: Final = re.compile(
    r"^\s*(?:FAILED\b|FAIL\b|--- FAIL|not ok\b|test result: FAILED|FAILURES!|✗|✕)|\bBUILD FAILURE",
    re.IGNORECASE,
)
_SKIP: Final = re.compile(r"\b(?:SKIPPED|skipped|skipping|not run|disabled)\b")
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
_WORDS: Final = frozenset(
    stem(word)
    for word in [
        "test",
        "tests",
        "suite",
        "suites",
        "spec",
        "check",
        "pass",
        "fail",
        "all",
        "run",
        "full",
        "whole",
        "entire",
        "every",
        "everything",
        "ci",
        "build",
        "green",
        "result",
        "again",
        "now",
        "successful",
        "success",
        "succeed",
        "without",
        "error",
        "failure",
        "retry",
        "attempt",
        "after",
        "one",
        "new",
        "report",
        "skip",
    ]
)


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
    text = (
        record.text[:2_000]
        if record.form != "json"
        else " ".join(f"{each.name}={each.value}" for each in record.fields)
    )
    counts: dict[str, int] = {}
    for match in _COUNT.finditer(text):
        name = match[2].lower()
        counts[_KEYS.get(name, name)] = int(match[1].replace(",", ""))
    for match in _NAMED.finditer(text):
        name = match[1].lower()
        counts.setdefault(_KEYS.get(name, name), int(match[2]))
    ran = _RAN.search(text)
    if ran is not None:
        counts.setdefault("total", int(ran[1] or ran[2]))
    good = True if _GOOD.search(text) else False if _BAD.search(text) else None
    skipped = _SKIP.search(text) is not None and not counts
    told = bool({"passed", "failed", "total"} & set(counts)) or good is not None or skipped
    return Summary(record, counts, good, skipped) if told else None


@rule("claims/test-report", since="0.1", spec="sections 5.3 and 7, R04 and R06 for tests")
def test_report(view: View) -> Finding | None:
    """Judge a claim about tests by the newest summary of the suite it names.

    ## What it reports
    `All passed` needs a summary with no failure and no error, at least one pass, and nothing skipped in a suite
    that the claim names; a count must be the summary's. A failure or a skipped suite contradicts; a run that is
    only collected, or another suite's, leaves the claim unsupported.

    ## Why it matters
    `Tests pass` is the most repeated and least checked sentence of a coding agent.

    ## How to fix it
    Quote the runner's closing line, with its failures and skips.

    ## Known limits
    Runners read: pytest, unittest, jest, vitest, mocha, go test, cargo, JUnit XML, TAP, PHPUnit, RSpec, ctest and
    lines of the form `N passed, N failed`.
    """
    claim = view.claim
    if not _ABOUT.search(f"{claim.context} {claim.text}") or not (
        _PASS.search(claim.text) or _FAIL.search(claim.text)
    ):
        return None
    named = {each for each in claim.content | frozenset(stems(claim.context)) if each not in _WORDS}
    found = _summaries(view)
    if named:
        own = [
            each
            for each in found
            if named & (each.record.all_stems | frozenset(stems(each.record.item.source_label)))
        ]
        if not own and found:
            return _unreported((found[-1].record.ref,))
        found = own
    if not found:
        return None
    return _judge(claim, _merged(found), named=bool(named))


def _summaries(view: View) -> list[Summary]:
    orders: dict[int, Record] = {}
    for word in (
        "pass",
        "fail",
        "test",
        "skip",
        "ok",
        "example",
        "failures",
        "total",
        "build",
        "run",
        "result",
        "item",
    ):
        for record in view.world.with_stem(stem(word))[-60:]:
            orders[record.order] = record
    found = [summary_of(orders[order]) for order in sorted(orders)]
    return [each for each in found if each is not None]


def _merged(found: list[Summary]) -> Summary:
    """Give the last summary that tells an end; what only tells a total is filled in from the lines around it."""
    telling = [
        each
        for each in found
        if each.counts.keys() & {"passed", "failed"} or each.good is not None or each.skipped
    ]
    last = telling[-1] if telling else found[-1]
    counts = dict(last.counts)
    if "passed" not in counts:
        for each in reversed(found):
            if each.record.item is last.record.item and "total" in each.counts:
                counts.setdefault("total", each.counts["total"])
    return Summary(last.record, counts, last.good, last.skipped)


def _judge(claim: Claim, summary: Summary, *, named: bool) -> Finding | None:
    ref = (summary.record.ref,)
    if _FAIL.search(claim.text) and not _PASS.search(claim.text):
        return _judge_failures(claim, summary)
    if claim.negative and not _FAIL.search(claim.text):
        return None
    if summary.skipped or summary.failed or summary.good is False:
        return _judge_unclean(claim, summary, named=named)
    counted = _counts_of(claim)
    passed = summary.passed
    if (
        counted is not None
        and passed is not None
        and counted
        not in (passed, summary.counts.get("total", passed) if not summary.counts.get("skipped") else passed)
    ):
        return Finding(
            support="CONTRADICTED",
            rule="claims/test-report",
            refs=ref,
            code="VALUE_MISMATCH",
            note=f"the newest summary tells {passed} passed",
            repair=_count_repair(claim, passed),
        )
    if (
        (passed or summary.good)
        and not (named and claim.quantifier == "all" and summary.counts.get("skipped"))
        and (counted is None or passed is not None)
    ):
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=ref)
    return _unreported(ref)


def _unreported(refs: tuple[str, ...]) -> Finding:
    return Finding(
        support="UNSUPPORTED",
        rule="claims/test-report",
        refs=refs,
        code="MISSING_FACT",
        note="no summary tells that these tests passed",
        missing=("TEST_REPORT", "The closing summary of the test run, with failures and skips."),
    )


def _judge_unclean(claim: Claim, summary: Summary, *, named: bool) -> Finding:
    """Judge a claim that tests passed by a summary in which some did not."""
    ref = (summary.record.ref,)
    of, counted = _OF.search(claim.text), _counts_of(claim)
    told = of is not None and int(of[1]) == summary.passed and summary.failed > 0
    if told or (claim.quantifier != "all" and counted and counted == summary.passed and not named):
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=ref)
    return Finding(
        support="CONTRADICTED",
        rule="claims/test-report",
        refs=ref,
        code="STATUS_CONFLICT" if summary.skipped else "COUNTEREXAMPLE",
        note="the newest summary tells tests that did not pass",
    )


def _judge_failures(claim: Claim, summary: Summary) -> Finding | None:
    ref = (summary.record.ref,)
    counted = 0 if claim.quantifier == "none" or claim.negative else _counts_of(claim)
    told = summary.failed if summary.counts or summary.good is not None else None
    if told is None or (counted is None and summary.good is False):
        return None
    agrees = told == counted if counted is not None else told > 0
    if agrees:
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=ref)
    return Finding(
        support="CONTRADICTED",
        rule="claims/test-report",
        refs=ref,
        code="VALUE_MISMATCH",
        note=f"the newest summary tells {told} failed",
    )


def _counts_of(claim: Claim) -> int | None:
    of = _OF.search(claim.text)
    if of is not None:
        return int(of[1])
    for fact in claim.facts:
        if (
            fact.kind == "number"
            and fact.low is not None
            and fact.attribute & {"test", "pass", "fail", "spec", "check", "item"}
            and "retry" not in fact.attribute
        ):
            return int(fact.low)
    return None


def _count_repair(claim: Claim, passed: int) -> tuple[str, int, int, str] | None:
    for fact in claim.facts:
        if fact.kind == "number" and fact.raw.replace(",", "").isdigit():
            return ("REPLACE_VALUE", claim.span.start + fact.start, claim.span.start + fact.end, str(passed))
    return None
