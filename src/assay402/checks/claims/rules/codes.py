"""Codes that a protocol or a process answers with: HTTP status codes and exit codes."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.asked import http_code
from assay402.checks.claims.rules.deed import exit_code
from assay402.checks.claims.rules.portions import WORDS, N, number
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_RETURNED: Final = Pattern(
    r"\b(?:return(?:s|ed)?|respond(?:s|ed)? with|answer(?:s|ed)?(?: with)?|gives?|gave|got|status(?: code)?(?: is| was| of)?|HTTP)\s(?:an? |HTTP |status |code ){0,3}([1-5][0-9]{2})\b",
    re.IGNORECASE,
)
_REASONS: Final[dict[str, str]] = table("lexicon")["http_reasons"]
_IN_WORDS: Final = Pattern(
    rf"\b(?:return(?:s|ed)?|respond(?:s|ed)? with|answer(?:s|ed)?(?: with)?|got|(?:failed|rejected|refused|declined|denied) (?:with|as))\s(?:an? |the |HTTP |status |code ){{0,3}}({'|'.join(_REASONS)})(?:\s(?:error|response|status))?\W*$",
    re.IGNORECASE,
)
"""The reason that belongs to a code, said without it."""
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
    one there is, gives the claimed code; CONTRADICTED with VALUE_MISMATCH where it gives another. What is said of
    all requests or endpoints, or of five of them, is SUPPORTED by so many lines and contradicted by one with another
    code; `the request succeeded` by the class of the code of the only request.

    ## Why it matters
    `It returned 200` is how a call is reported to have worked.

    ## How to fix it
    Give the code of the last attempt.
    """
    claim = view.claim
    several = _SEVERAL.search(claim.text)
    if several is not None:
        return _all_answered(view, several)
    went = _WENT.match(claim.text)
    if went is not None and not claim.facts:
        return _went(view, well=went["well"] is not None)
    told = _IN_WORDS.search(claim.text)
    if told is not None and claim.modality == "is" and not claim.quantifier:
        return _in_words(view, told)
    for pattern, reader, words in (
        (_RETURNED, http_code, ("get", "post", "put", "patch", "delete", "http")),
        (_LEFT, exit_code, ("exit",)),
    ):
        match = pattern.search(claim.text)
        if (
            match is None or claim.negative or claim.quantifier == "all" or len(claim.facts) > 2
        ):  # the code, and where it came from
            continue
        newest = _newest(view, [(record, reader(record.text)) for record in _lines(view, words)])
        if newest is None:
            continue
        record, code = newest
        return _coded(record, code, match[1])
    return None


def _coded(record: Record, code: str, claimed: str) -> Finding:
    """Judge a claimed code by the one of the newest line."""
    agrees = code == claimed
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/answer-code",
        refs=(record.ref,),
        code="" if agrees else "VALUE_MISMATCH",
        note=f"the newest line gives the code {code}",
    )


def _in_words(view: View, told: re.Match[str]) -> Finding | None:
    """Judge the reason a request is said to have been answered with by the code that it belongs to."""
    lines = [(record, http_code(record.text)) for record in _lines(view, _METHODS)]
    subject = view.claim.content - _NO_SUBJECT - frozenset(stems(told[0]))
    newest = _newest(view, lines, subject)
    if newest is None or (view.claim.negative and not told[1].lower().startswith("not")):
        return None
    record, code = newest
    return _coded(record, code, _REASONS[told[1].lower()])


_SEVERAL: Final = re.compile(
    rf"\b(?:all|both|every|each)\b(?:\s(?:of\s)?(?:the|our|these))?(?:\s(?P<count>{N}))?\s(?:api\s|http\s)?(?P<kind>request|call|endpoint|url|route|page)s?\b",
    re.IGNORECASE,
)
_WENT: Final = Pattern(
    r"\W*(?:the|our|your|my)\s(?:api\s|http\s)?(?:request|call)\s(?:(?P<well>succeeded|was successful|went through)|failed|was (?:rejected|denied|refused))\W*$",
    re.IGNORECASE,
)
_METHODS: Final = ("get", "post", "put", "patch", "delete", "http")


def _answered(view: View) -> list[tuple[Record, str]]:
    """Give the lines about a request with their codes, of one item; none where several items have some."""
    told = [(record, code) for record in _lines(view, _METHODS) if (code := http_code(record.text))]
    return told if len({record.item.id for record, _ in told}) == 1 else []


def _all_answered(view: View, several: re.Match[str]) -> Finding | None:
    """Judge the code that all of several requests are said to have been answered with."""
    claim, wanted = view.claim, _RETURNED.search(view.claim.text)
    named = claim.content - _NO_SUBJECT - WORDS - {stem("both")}
    apart = any(fact.kind != "number" for fact in claim.facts)
    if wanted is None or claim.negative or named or claim.names or apart:
        return None
    told = _answered(view)
    if several["kind"].lower() not in ("request", "call"):  # what was asked again counts once, as it ended
        told = list({_what(record): (record, code) for record, code in told}.values())
    other = next((record for record, code in told if code != wanted[1]), None)
    count = (
        number(several["count"]) if several["count"] else 2 if several[0][:4].lower() == "both" else len(told)
    )
    if not told or (other is None and (len(told) != count or count < _ALIKE or len(told) >= _NEWEST)):
        return None if not told else _uncounted(told[-1][0])
    return Finding(
        support="SUPPORTED" if other is None else "CONTRADICTED",
        rule="claims/answer-code",
        refs=tuple(record.ref for record, _ in told[:12]) if other is None else (other.ref,),
        code="" if other is None else "COUNTEREXAMPLE",
        note="every line gives this code" if other is None else "one line gives another code",
    )


_ALIKE: Final = 2
"""One request is not all of several."""


def _uncounted(record: Record) -> Finding:
    return Finding(
        support="UNSUPPORTED",
        rule="claims/answer-code",
        refs=(record.ref,),
        code="MISSING_FACT",
        note="the records tell of another number of requests",
        missing=("QUANTITY_SOURCE", "A line with the code of each of the requests."),
    )


def _went(view: View, *, well: bool) -> Finding | None:
    """Judge how a request is said to have gone by the code of the only one there is."""
    newest = _newest(view, _answered(view), frozenset())
    if newest is None or newest[1] == "202" or newest[1][0] not in "245":
        return None
    agrees = (newest[1][0] == "2") == well
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/answer-code",
        refs=(newest[0].ref,),
        code="" if agrees else "STATUS_CONFLICT",
        note=f"the newest line gives the code {newest[1]}",
    )


def _lines(view: View, words: tuple[str, ...]) -> list[Record]:
    found = {record.order: record for word in words for record in view.world.with_stem(stem(word))[-_NEWEST:]}
    found |= {near.record.order: near.record for near in view.near}
    return [found[order] for order in sorted(found)]


def _newest(
    view: View, told: list[tuple[Record, str]], subject: frozenset[str] | None = None
) -> tuple[Record, str] | None:
    """Give the last line of the request that the claim names; of the only one where it names none."""
    told = [each for each in told if each[1]]
    subject = view.claim.content - _NO_SUBJECT if subject is None else subject
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
