"""Test reports: what runners print, and what a claim about tests needs."""

import re
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import listed, stem, stems
from assay402.checks.claims.rules import tally
from assay402.checks.claims.rules.faultless import is_of_the_run
from assay402.checks.claims.rules.portions import WORDS, Portion, portion_of, whole_of
from assay402.checks.claims.rules.reports import (
    Summary,
    merged,
    of_suites,
    summary_of,
)
from assay402.checks.claims.rules.runs import Runs, is_of, kind_stems, runs_of
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_ABOUT: Final = Pattern(
    r"\b(?:tests?|test suites?|suites?|specs?|(?:rspec )?examples|assertions|checks|ci|build|pipeline|workflow|tap|pytest|jest|mocha|ctest|phpunit|junit)\b|\b(?:everything|all) (?:is |are )?(?:pass\w*|green)\b",
    re.IGNORECASE,
)
_PASS: Final = Pattern(
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|clean)\b", re.IGNORECASE
)
_FAIL: Final = Pattern(r"\b(?:fail(?:s|ed|ing|ures?)?|red|broken|broke|errors?)\b", re.IGNORECASE)
_NEWEST: Final = 40
"""Lines looked at for one word of a report."""
_SKIPPED: Final = Pattern(r"\b(?:skipped|ignored|pending)\b", re.IGNORECASE)
_OF: Final = Pattern(
    r"\b([0-9]+)\s?(?:/|of|out of)\s?([0-9]+)(?:\s(?:tests?|specs?|checks))?\s(?:tests?\s)?(?:have |are )?pass",
    re.IGNORECASE,
)
_WORDS: Final = listed("testing")


_UNIT: Final = {stem("unit")}
_KINDS: Final = frozenset(
    stem(word)
    for word in ("integration", "e2e", "2e", "acceptance", "smoke", "system", "functional", "regression")
)


@rule("claims/test-report", since="0.1", spec="sections 5.3 and 7, R04 and R06 for tests")
def test_report(view: View) -> Finding | None:
    """Judge a claim about tests by the newest summary of the suite it names.

    ## What it reports
    `All passed` needs a summary with no failure and no error, at least one pass, and nothing skipped where the
    claim names the suite or says how many all are; a count must be the summary's. A failure or a skipped suite
    contradicts; a run that is only collected, or another suite's, leaves the claim unsupported. Of several numbers
    (`30 ran, 2 failed`) each must be the summary's.

    ## Why it matters
    `Tests pass` is the most repeated and least checked sentence of a coding agent.

    ## How to fix it
    Quote the runner's closing line, with its failures and skips.

    ## Known limits
    Runners read: pytest, unittest, jest, vitest, mocha, go test, cargo, JUnit XML, TAP, PHPUnit, RSpec, ctest and
    lines of the form `N passed, N failed`.
    """
    claim = _with_its_key(view.claim)
    if not (_ABOUT.search(f"{claim.context} {claim.text}") or is_of_the_run(view)) or not (
        _PASS.search(claim.text)
        or _FAIL.search(claim.text)
        or _SKIPPED.search(claim.text)
        or tally.RAN.search(claim.text)
    ):
        return None
    runs = runs_of(claim)
    said = claim.content | frozenset(stems(claim.context))
    named = {each for each in said - (kind_stems(runs) if runs else frozenset()) if each not in _WORDS}
    named -= WORDS | {stem("never"), stem("nothing")}
    named |= _KINDS & frozenset(stems(claim.text))
    found = _summaries(view, runs)
    own = [each for each in found if is_of(each.record, runs, view.world) and _is_of_package(claim, each)]
    if found and not own:
        return _unreported((found[-1].record.ref,))
    found = own
    if named == _UNIT and not any(_KINDS & each.record.all_stems for each in found):
        named = set()  # the runner names no kind of tests, and unit tests are what runners run
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
    if _NEVER.search(claim.text):
        return _never(claim, found)
    counted = of_suites(found, suites=_SUITES.search(claim.text) is not None)
    if not counted and _counts_of(claim) is not None:
        return _unreported((found[-1].record.ref,))
    portion = portion_of(claim.text)
    if portion is not None and (portion.is_of_named or _ABOUT.search(claim.text[portion.end :][:_BEHIND])):
        return _judge_portion(claim, merged(counted or found), portion)
    return _judge(claim, merged(counted or found), named=bool(named or runs))


def _with_its_key(claim: Claim) -> Claim:
    """Give a number or a yes of JSON with the words of its key, which say what it is of: `"tests_passed": 13`."""
    if claim.form != "leaf" or not (claim.facts or claim.text.lower() in ("true", "yes")):
        return claim
    return replace(claim, text=f"{claim.context.replace('_', ' ')} {claim.text}")


def _is_of_package(claim: Claim, summary: Summary) -> bool:
    """Tell whether a summary is of the package whose path a claim gives, if it gives one."""
    paths = _PATH.findall(claim.text)
    return not paths or any(path in summary.record.text for path in paths)


_PATH: Final = re.compile(r"(?<![\w/])[A-Za-z][\w.-]*(?:/[A-Za-z][\w.-]*\w)+")
"""The path of a package, such as runners print."""
_BEHIND: Final = 60
"""Characters behind a share in which it is said of what."""


def _judge_portion(claim: Claim, summary: Summary, portion: Portion) -> Finding | None:
    """Judge what part of the tests is claimed to have fared in a way by the numbers of a summary."""
    others = [fact for fact in claim.facts if not portion.start <= fact.start < portion.end]
    stated = whole_of(claim, portion)
    if [each for each in others if each is not stated] or (claim.negative and not portion.is_denial):
        return None
    passed, tail = summary.passed, claim.text[portion.end :]
    if passed is None:
        is_said = portion_of(summary.record.text) is not None
        return None if is_said else _unreported((summary.record.ref,))
    skipped = summary.counts.get("skipped", 0)
    whole = max(summary.counts.get("total", 0), passed + summary.failed + skipped)
    count = summary.failed if _FAIL.search(tail) else skipped if _SKIPPED.search(tail) else passed
    agrees = portion.holds(count, whole) and (stated is None or stated.low == whole)
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/test-report",
        refs=(summary.record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the newest summary tells {count} of {whole}",
    )


_NEVER: Final = Pattern(r"\bnever\b", re.IGNORECASE)


def _never(claim: Claim, found: list[Summary]) -> Finding | None:
    """Contradict that something never failed by any run of it that did."""
    bad = next((each for each in found if each.failed or each.good is False), None)
    if bad is None or _FAIL.search(claim.text) is None:
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/test-report",
        refs=(bad.record.ref,),
        code="COUNTEREXAMPLE",
        note="a summary tells of a failure",
    )


_SUITES: Final = Pattern(
    r"\b(?:suites|test files)\b|\b(?:one|1|a single)\s(?:[\w-]+\s){0,2}(?:suite|test file)\b", re.IGNORECASE
)
"""What holds several tests, and is counted apart from them."""


def _summaries(view: View, runs: Runs) -> list[Summary]:
    orders: dict[int, Record] = {
        record.order: record for _, name in runs for record in view.world.with_stem(stem(name))[-60:]
    }
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
        "error",
    ):
        for record in view.world.with_stem(stem(word))[-60:]:
            orders[record.order] = record
    found = [summary_of(orders[order]) for order in sorted(orders)]
    return [each for each in found if each is not None]


def _judge(claim: Claim, summary: Summary, *, named: bool) -> Finding | None:
    ref = (summary.record.ref,)
    several = tally.judged(claim, summary)
    if several is not None or tally.RAN.search(claim.text):
        return several
    if _SKIPPED.search(claim.text) and not _PASS.search(claim.text) and not _FAIL.search(claim.text):
        none = 0 if claim.quantifier == "none" or claim.negative else None
        return _judge_number(claim, summary, summary.counts.get("skipped"), "skipped", none)
    if _FAIL.search(claim.text) and (not _PASS.search(claim.text) or _NO_FAILURE.search(claim.text)):
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
            repair=_count_repair(claim, summary, passed),
        )
    if (
        (passed or summary.good)
        and not ((named or counted) and claim.quantifier == "all" and summary.counts.get("skipped"))
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


_NO_FAILURE: Final = Pattern(
    r"\b(?:no|zero|0|without)\s(?:\w+\s)?(?:fail\w*|errors?)|\bnone (?:of \w+ )?fail", re.IGNORECASE
)


def _judge_failures(claim: Claim, summary: Summary) -> Finding | None:
    told = summary.failed if summary.counts or summary.good is not None else None
    if summary.good is False and not summary.counts and _counts_of(claim) is not None:
        return None  # it tells that something failed, and not how much
    if _NO_FAILURE.search(claim.text) or claim.quantifier == "none" or claim.negative:
        if summary.good is False and not summary.counts:
            return _never(claim, [summary])
        finding = _judge_number(claim, summary, told, "failed", 0)
        counted = _counts_of(claim)
        if finding is not None and finding.support == "SUPPORTED" and counted:
            ran = {summary.passed, summary.counts.get("total")}
            return (
                finding
                if counted in ran
                else _judge_number(claim, summary, summary.passed, "passed", counted)
            )
        return finding
    if summary.good is False and _counts_of(claim) is None:
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=(summary.record.ref,))
    return _judge_number(claim, summary, told, "failed")


def _judge_number(
    claim: Claim, summary: Summary, told: int | None, word: str, counted: int | None = None
) -> Finding | None:
    """Judge a number of tests that failed or were skipped by the number a summary tells."""
    wanted = counted if counted is not None else _counts_of(claim)
    if told is None:
        return None
    ref = (summary.record.ref,)
    if told == wanted if wanted is not None else told > 0:
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=ref)
    return Finding(
        support="CONTRADICTED",
        rule="claims/test-report",
        refs=ref,
        code="VALUE_MISMATCH",
        note=f"the newest summary tells {told} {word}",
    )


def _counts_of(claim: Claim) -> int | None:
    of = _OF.search(claim.text)
    if of is not None:
        return int(of[1])
    names = {name for _, name in runs_of(claim)}
    for fact in claim.facts:
        if (
            fact.kind == "number"
            and fact.low is not None
            and fact.raw.lower() not in names
            and (fact.attribute | claim.content)
            & {"test", "pass", "fail", "spec", "check", "item", "example"}
            and "retry" not in fact.attribute
        ):
            return int(fact.low)
    return 1 if _ONE.search(claim.text) else None


_ONE: Final = Pattern(
    r"\b(?:one|a single)\s(?:[\w-]+\s){0,2}(?:test|spec|suite|check|example)\b", re.IGNORECASE
)


def _count_repair(claim: Claim, summary: Summary, passed: int) -> tuple[str, int, int, str] | None:
    """Put the number of passed tests in the place of the claimed one; all of them it is only where none was skipped."""
    for fact in claim.facts:
        if fact.kind == "number" and fact.raw.replace(",", "").isdigit():
            every = _EVERY.search(claim.text[: fact.start])
            skipped = summary.counts.get("skipped", 0)
            first, text = fact.start, str(passed)
            if every is not None and skipped:
                first, text = every.start(), f"{passed} of {passed + skipped}"
            return ("REPLACE_VALUE", claim.span.start + first, claim.span.start + fact.end, text)
    return None


_EVERY: Final = Pattern(r"\ball (?:of )?(?:the |our |its )?$", re.IGNORECASE)
