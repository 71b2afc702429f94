"""Codes that a protocol or a process answers with: HTTP status codes and exit codes."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.deed import exit_code, http_code
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_RETURNED: Final = Pattern(
    r"\b(?:return(?:s|ed)?|respond(?:s|ed)? with|answer(?:s|ed)?(?: with)?|gives?|gave|got|status(?: code)?(?: is| was| of)?|HTTP)\s(?:an? |HTTP |status |code ){0,3}([1-5][0-9]{2})\b",
    re.IGNORECASE,
)
_LEFT: Final = Pattern(
    r"\b(?:exit(?:ed|s)?|return(?:ed|s)?|ended)\b(?: with)?(?: an?)?(?: exit)?(?: code| status)(?: of)? ([0-9]{1,3})\b",
    re.IGNORECASE,
)
_NEWEST: Final = 60
_NO_SUBJECT: Final = frozenset(
    stem(word)
    for word in (
        "endpoint",
        "request",
        "api",
        "call",
        "server",
        "service",
        "return",
        "respond",
        "answer",
        "get",
        "post",
        "put",
        "delete",
        "status",
        "code",
        "http",
        "url",
        "route",
        "page",
        "create",
        "found",
        "find",
        "ok",
        "give",
        "exit",
        "command",
        "script",
        "process",
        "job",
        "curl",
        "accept",
    )
)


@rule("claims/answer-code", since="0.1", spec="section 5.4 and section 7, R04")
def answer_code(view: View) -> Finding | None:
    """Judge a claimed HTTP status code or exit code by the newest one of the same request or command.

    ## What it reports
    SUPPORTED where the newest line that gives the code of the request or command the claim names, or of the only
    one there is, gives the claimed code; CONTRADICTED with VALUE_MISMATCH where it gives another.

    ## Why it matters
    `It returned 200` is how a call is reported to have worked.

    ## How to fix it
    Give the code of the last attempt.
    """
    claim = view.claim
    for pattern, reader, words in (
        (_RETURNED, http_code, ("get", "post", "put", "patch", "delete", "http")),
        (_LEFT, exit_code, ("exit",)),
    ):
        match = pattern.search(claim.text)
        if match is None or claim.negative or len(claim.facts) > 2:  # the code, and where it came from
            continue
        newest = _newest(view, [(record, reader(record.text)) for record in _lines(view, words)])
        if newest is None:
            continue
        record, code = newest
        agrees = code == match[1]
        return Finding(
            support="SUPPORTED" if agrees else "CONTRADICTED",
            rule="claims/answer-code",
            refs=(record.ref,),
            code="" if agrees else "VALUE_MISMATCH",
            note=f"the newest line gives the code {code}",
        )
    return None


def _lines(view: View, words: tuple[str, ...]) -> list[Record]:
    found = {record.order: record for word in words for record in view.world.with_stem(stem(word))[-_NEWEST:]}
    found |= {near.record.order: near.record for near in view.near}
    return [found[order] for order in sorted(found)]


def _newest(view: View, told: list[tuple[Record, str]]) -> tuple[Record, str] | None:
    """Give the last line of the request that the claim names; of the only one where it names none."""
    told = [each for each in told if each[1]]
    subject = view.claim.content - _NO_SUBJECT
    paths = {fact.value for fact in view.claim.facts if fact.kind in ("path", "url")}
    if paths:
        told = [each for each in told if any(path in each[0].text.lower() for path in paths)]
    elif subject:
        told = [each for each in told if subject & (each[0].own_stems | frozenset(stems(each[0].text)))]
    elif len({_what(record) for record, _ in told}) > 1:
        return None
    return told[-1] if told else None


def _what(record: Record) -> str:
    return re.sub(r"\s[1-5][0-9]{2}\b.*$|^.*?(?=\b(?:GET|POST|PUT|PATCH|DELETE)\b)", "", record.text.strip())
