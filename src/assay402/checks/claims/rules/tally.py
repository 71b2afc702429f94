"""Several numbers of one test run in one sentence: `30 tests ran, 2 failed, none was skipped`."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.rules.portions import NUMBERS, N, number
from assay402.checks.claims.rules.reports import Summary

_SAID: Final = re.compile(
    r"(?P<passed>pass(?:ed|es|ing)?|succeeded|green)|(?P<failed>fail(?:ed|s|ing|ures?)?)|(?P<skipped>skipped|ignored|pending)|"
    r"(?P<errors>errors?|errored)|(?P<total>ran|run|executed|in total|total)",
    re.IGNORECASE,
)
_TESTS: Final = Pattern(r"\b(?:tests?|examples?|specs?|checks?|cases?)\b", re.IGNORECASE)
_NONE: Final = Pattern(
    r"\b(?:no|zero|none|without)\b(?:\s(?:of|the|them|tests?|examples?|specs?|any|were|was|have|has)){0,4}\s(?:(?P<failed>fail\w*)|(?P<skipped>skipped|ignored)|(?P<errors>errors?))",
    re.IGNORECASE,
)


_NO: Final = re.compile(r"\b(?:no|zero|none|without)\b", re.IGNORECASE)
_FARED: Final = r"(?:(?:were|was|have|has|are|is)\s)?(?P<{}>pass\w*|fail\w*|skipped|ignored|errored)\b"
_WORD: Final = Pattern(
    rf"\b(?P<number>{'|'.join(NUMBERS)})\s(?:tests?\s)?(?P<what>fail\w*|errors?|errored|skipped|ignored|pass\w*)\b",
    re.IGNORECASE,
)
_PART: Final = Pattern(
    rf"\b(?P<some>{N})\s(?:(?:tests?|examples?|specs?)\s)?(?:out\s)?of\s(?:the\s|our\s|all\s)?(?P<all>{N})\s(?:(?:tests?|examples?|specs?)\s)?{_FARED.format('what')}"
    rf"|\bout of\s(?:the\s|our\s|all\s)?(?P<whole>{N})\s(?:tests?|examples?|specs?),?\s(?P<few>{N})\s{_FARED.format('end')}",
    re.IGNORECASE,
)
"""So many of so many: `one of 40 tests failed`, `out of 50 tests 49 passed`."""


RAN: Final = Pattern(
    r"\b(?:all|every|[0-9]+) (?:(?!of\b)[\w-]+ ){0,3}?(?:tests?|examples?|specs?|test cases?) (?:were |was |have been |have |has )?(?:all )?(?:ran|run|executed)\b(?![^.;]*\b(?:pass|fail|skip|green))"
    r"|\b(?:ran|executed) [0-9]+ (?:(?!of\b)[\w-]+ ){0,2}?(?:tests?|examples?|specs?|test cases?)\b(?![^.;]*\b(?:pass|fail|skip|green))",
    re.IGNORECASE,
)
"""A claim that tells only how many ran."""


def numbers_said(claim: Claim) -> dict[str, int]:
    """Give the numbers of a test run that a claim tells, each by what it counts; none where a number counts nothing known."""
    text = claim.text
    part = _PART.search(text)
    if part is not None:
        said = _SAID.match(part["what"] or part["end"])
        name = said.lastgroup if said is not None else None
        return {
            name or "": number(part["some"] or part["few"]),
            "total": number(part["all"] or part["whole"]),
        }
    numbers = [fact for fact in claim.facts if fact.kind == "number" and fact.low is not None]
    found: dict[str, int] = {}
    for index, fact in enumerate(numbers):
        stop = numbers[index + 1].start if index + 1 < len(numbers) else len(text)
        tail = _NO.split(text[fact.end : stop], maxsplit=1)[0]
        match = _SAID.search(tail)
        name = match.lastgroup if match is not None else "total" if _TESTS.search(tail) else None
        if name is None or name in found or fact.low is None or fact.compared:
            return {}
        found[name] = int(fact.low)
    for match in _WORD.finditer(text):
        said = _SAID.match(match["what"])
        if said is not None and said.lastgroup not in found:
            found[said.lastgroup or ""] = number(match["number"])
    for match in _NONE.finditer(text):
        found.setdefault(match.lastgroup or "", 0)
    return found


def judged(claim: Claim, summary: Summary) -> Finding | None:
    """Judge a claim that tells several numbers of a run; None where it tells fewer."""
    said = numbers_said(claim)
    if (
        (len(said) < 2 and not RAN.search(claim.text))
        or not summary.counts
        or (" of " in claim.text and _PART.search(claim.text) is None)
    ):
        return None
    told = _told(summary, said)
    if RAN.search(claim.text) and told["skipped"]:
        return _run(claim, summary, told, said.get("total"))
    wrong = [name for name, number in said.items() if told.get(name, number) != number]
    if not wrong and said.keys() - told.keys():
        return _untold(summary)
    return Finding(
        support="CONTRADICTED" if wrong else "SUPPORTED",
        rule="claims/test-report",
        refs=(summary.record.ref,),
        code="VALUE_MISMATCH" if wrong else "",
        note=f"the newest summary tells {told[wrong[0]]} {wrong[0]}" if wrong else "",
    )


def _run(claim: Claim, summary: Summary, told: dict[str, int], said: int | None) -> Finding:
    """Judge how many tests ran where some were skipped, which a runner counts among its tests and did not run."""
    total = told.get("total")
    if total is not None and said == total - told["skipped"]:
        return Finding(support="SUPPORTED", rule="claims/test-report", refs=(summary.record.ref,))
    if claim.quantifier != "all" and said == total:
        return _untold(summary)
    return Finding(
        support="CONTRADICTED",
        rule="claims/test-report",
        refs=(summary.record.ref,),
        code="COUNTEREXAMPLE" if said == total or said is None else "VALUE_MISMATCH",
        note=f"the newest summary tells {told['skipped']} skipped",
    )


def _untold(summary: Summary) -> Finding:
    return Finding(
        support="UNSUPPORTED",
        rule="claims/test-report",
        refs=(summary.record.ref,),
        code="MISSING_FACT",
        note="the newest summary tells some of these numbers alone",
        missing=("TEST_REPORT", "The closing summary of the test run, with failures and skips."),
    )


def _told(summary: Summary, said: dict[str, int]) -> dict[str, int]:
    """Give the numbers a summary tells; what it leaves out of a full count is none."""
    counts, passed = summary.counts, summary.passed
    told = {"skipped": 0, "errors": 0, "failed": 0} | counts
    if "errors" not in said:
        told["failed"] = summary.failed
    if passed is not None:
        told["passed"] = passed
        told.setdefault("total", passed + summary.failed + told["skipped"])
    return told
