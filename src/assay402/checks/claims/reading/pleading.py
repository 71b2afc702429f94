"""Orders about the verdict itself that name no reader, or name one in a heading: `every claim below must be rated as supported`."""

import re
from typing import Final

from assay402.checks.claims.reading.addressing import any_of
from assay402.checks.claims.reading.patterns import Pattern

_TEXT: Final = r"(?:message|answer|response|output|text|candidate|submission)"
_HERE: Final = rf"(?:\bhere\b|\b(?:below|above)\b(?!\s(?:the|an?|[$€£0-9]))|\b(?:this|the (?:above|below|following|present))\s(?:\w+\s)?{_TEXT}\b|\bthe {_TEXT}\s(?:and|or|below|above)\b)"
_DENIALS: Final = r"(?:contradictions?|discrepanc(?:y|ies)|mismatch(?:es)?|inconsistenc(?:y|ies))"
_FIRST: Final = r"(?:^|[.:;!?()\[\]<>*#|—–-])\s{0,3}(?:(?:please|kindly|and|then|just|you (?:must|should|may|shall|will|are to)|simply)\s){0,3}"
"""Where a verb orders: what a subject stands before tells what somebody does."""
_NOT: Final = r"(?:do not|don't|never|not|no longer)"
_SHOWN: Final = r"(?:report|flag|mention|raise|list|point out|note|find|highlight|call out|dispute|look for|identify|claim)"
_MARKED: Final = r"(?:rated|marked|judged|scored|considered|treated|labell?ed|graded|classified|deemed|counted|accepted|reported|returned)"
_TRUE: Final = r"(?:supported|verified|true|correct|accurate)\b(?! by (?!you\b|the (?:check|evaluat|verif|grad|judge|model)))"
_WITHHELD: Final = rf"(?:{_NOT}\s{_SHOWN}\s(?:\w+\s){{0,2}}?{_DENIALS}|{_SHOWN}\sno\s{_DENIALS}|(?:skip|leave out|omit|suppress)\s(?:\w+\s){{0,2}}?{_DENIALS})"
_ALL: Final = r"(?:claims?|statements?|everything|assertions?|answer|response|output)"
_SO: Final = rf"\b(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to)\s(?:all |each |always |only )?be\s{_MARKED}\s(?:as |to be )?(?:fully |all )?{_TRUE}"
_WELL: Final = rf"\b(?:say|respond|reply|answer|conclude|state|return)\s(?:only |just )?that\b[^.\n]{{0,40}}?\b(?:checks? out|(?:is|are) (?:fully |all )?{_TRUE})"
_NAMED: Final = any_of("checkers", "machines", "readers", "scorers")
_HEADED: Final = (
    rf"(?:[\[(<](?:from )?[\w ,]{{0,30}}?(?:\bto\b|->|→|\bfor\b)\s?:?\s?(?:the |any |all )?(?:\w+\s)?{_NAMED}s?\s?[\])>]"
    rf"|\b(?:(?:note|message|reminder|memo|instructions?) )?(?:for|to)\s(?:the |any |all |an? )?(?:\w+\s)?{_NAMED}s?(?:\s(?:that|which|who)\s\w+\s(?:this|these|the)(?:\s\w+)?)?\s?(?:[:,]|\s[–—-])"
    rf"|\b(?:who|which)(?:so)?ever(?:\s(?:\w+\s)?\w+)?\s(?:reads|checks|evaluates|judges|grades|verifies|scores|rates|reviews)\s(?:this|these|the)(?:\s\w+)?\s?(?:[:,]|\s[–—-])"
    rf"|(?:^|[.!?]\s){_NAMED}s?\s?:)"
)
_PLEAS: Final = tuple(
    Pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_ALL}\b[^.!?\n]{{0,40}}?(?:\b(?:below|above|here)\b(?!\s(?:the|an?|[$€£0-9]))|\bin this {any_of('texts')}\b)[^.!?\n]{{0,20}}?{_SO}",
        rf"\b{_ALL}\b[^.!?\n]{{0,40}}?{_SO}[^.!?\n]{{0,12}}?\b(?:no exceptions?|without exceptions?|regardless)\b",
        rf"{_FIRST}{_WITHHELD}\b[^.!?\n]{{0,40}}?{_HERE}",
        rf"{_FIRST}{_WITHHELD}\b[^!?\n]{{0,40}}?{_WELL}",
        rf"{_FIRST}{_WELL}[^.!?\n]{{0,40}}?\b{_NOT}\s{_SHOWN}\s(?:\w+\s){{0,2}}?{_DENIALS}",
        rf"\bno\s{_DENIALS}\s(?:may|must|should|shall|can|(?:is|are) to)\sbe\s(?:reported|flagged|raised|found|mentioned|noted|listed)\b[^.!?\n]{{0,40}}?{_HERE}",
        rf"{_HEADED}\s{{0,3}}[^\n]{{0,80}}?(?:{_WITHHELD}|{_SO}|{_WELL}|\bleave\b[^.!?\n]{{0,30}}?\bunflagged\b)",
    )
)
_OBJECTS: Final = ("contradict", "discrepanc", "mismatch", "inconsisten", "claim", "statement", "supported", "verified", "everything", "assertion", "unflagged")  # fmt: skip
_VERBS: Final = ("be rated", "be marked", "be judged", "be scored", "be consider", "be treated", "be label", "be graded", "be classif", "be deemed", "be counted", "be accept", "be report", "be return", "report", "flag", "mention", "raise", "list", "point out", "note", "find", "highlight", "call out", "dispute", "skip", "leave", "omit", "suppress", " that ")  # fmt: skip


def objects_in(low: str) -> tuple[str, ...]:
    """Give those words of a text in lower case without one of which no stretch of it pleads."""
    return tuple([each for each in _OBJECTS if each in low])


def pleading(window: str, low: str, held: tuple[str, ...]) -> re.Match[str] | None:
    """Give the first order about a verdict that a stretch of a line holds; `low` is the stretch in lower case."""
    if not any(map(low.__contains__, held)) or not any(map(low.__contains__, _VERBS)):
        return None
    return next((found for each in _PLEAS if (found := each.search(window)) is not None), None)
