"""Orders to whoever reads a text to judge it: an address to a checker, a model or an assistant, and what it is to judge."""

import re
from typing import Final, NamedTuple

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.patterns import Pattern

_LISTS: Final = table("addressing")


def any_of(*names: str) -> str:
    """Give the expression that any word of some lists of readers and orders matches."""
    return f"(?:{'|'.join(each for name in names for each in _LISTS[name])})"


_NOT: Final = r"(?:do not|don't|never|not|no longer|to not|refrain from)"
_ADVERB: Final = r"(?:(?:please|kindly|now|just|only|simply|always|then|also|you|must|should|shall|will|to|have|need|and|so)\s){0,4}"
_TOLD: Final = rf"{any_of('told')}\s(?:only |simply |just )?(?:that\b|with\b|as if\b|so\b|everything\b|all is\b|(?:yes|true)\b(?!\sto\b)|[\"'“‘]|(?-i:CLEAR|SUPPORTED)|(?:it|this) as\b)"
_JUDGED: Final = rf"(?:{any_of('judged')}\b[^.!?\n]{{0,30}}?\b{any_of('objects')}|{_NOT}\s{any_of('withheld', 'judged')}\b[^.!?\n]{{0,30}}?\b{any_of('objects')})"
_ORDERED: Final = rf"{_ADVERB}(?:{_TOLD}|{_JUDGED})"
_LET_GO: Final = r"(?:ignore|disregard|forget|overlook|set aside|dismiss)\b[^.!?\n]{0,60}?(?:\band|,|;|\bthen)\s(?:then |just |simply |instead )?(?:conclude|say|answer|respond|reply|approve|accept|mark|report|confirm|state|pass|agree)\b"
_OBLIGED: Final = r"(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) (?:to|required to|asked to|obliged to)|will|please|[,:;])\s"
_CALLED: Final = r"(?:^|(?<=[.!?;:\"'(\[{>#*/|=-])\s{0,3}|(?<=[.!?;:>#*/|-]\s))"
_HAIL: Final = r"(?:(?:dear|hey|hello|hi|attention|(?:note|message|instructions?|memo|reminder) (?:to|for)|to)\s(?:the |any |all |our |every )?)"
_THIS: Final = rf"(?:this|these|the (?:above|following|present))(?=\s(?:{any_of('texts')}|must|should|shall|ha[sv]|needs?|is|are|will|please|from|with)\b|\s?[,:;.-])"

_ADDRESSES: Final = tuple(
    Pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_CALLED}{_HAIL}?(?<!\w){any_of('checkers', 'machines')}s?\b\s?[,:]\s{{0,3}}{_ORDERED}",
        rf"{_CALLED}{_HAIL}?(?<!\w){any_of('readers')}s?\s?,\s{{0,3}}{_ADVERB}(?:{_LET_GO}|conclude\s(?:only )?that\b|{_JUDGED})",
        rf"\b(?:if|since|as|because|when|while)\s(?:you(?:'re| are)\s)?(?:an?|the|any)\s(?:\w+\s){{0,2}}?(?<!\w){any_of('checkers', 'machines')}\b[^.!?\n]{{0,40}}?(?:[,:;]\s|\s){_ORDERED}",
        rf"\byou(?:'re| are)\s(?:now\s)?(?:an?|the|our)\s(?:\w+\s){{0,2}}?(?<!\w){any_of('checkers')}\b.{{0,80}}?\b(?:{_NOT}\s{any_of('withheld')}\b[^.!?\n]{{0,30}}?\b{any_of('objects')}|{any_of('judged')}\s(?:everything|all|this)\b)",
        rf"\b{any_of('checkers', 'machines', 'readers')}s?\s(?:(?:that|who|which)\s(?:is|are)\s|now\s)?(?:{any_of('reading')}\s{_THIS}|(?:that|who)\s(?:reads?|checks?|evaluates?|judges?|grades?|sees?)\s{_THIS})[^.!?\n]{{0,40}}?\s?{_OBLIGED}{_ORDERED}",
        rf"\bwho(?:m|so)?ever\s(?:reads?|checks?|evaluates?|judges?|grades?|verifies)\s{_THIS}[^.!?\n]{{0,20}}?\s?{_OBLIGED}{_ORDERED}",
        rf"\b(?:the|any|every|each|all)\s{any_of('checkers')}s?\s(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|may|can)\s?(?:not|never)\s{any_of('withheld', 'judged')}\b[^.!?\n]{{0,30}}?(?:\b(?:below|above)\b|\bcontradictions?\b)",
        r"\b(?:ignore|disregard|forget)\s(?:all\s)?(?:what(?:ever)?|everything|anything|all)\s(?:that\s)?you(?:'ve| have| were| are| had)?\s(?:been\s)?(?:told|taught|instructed|asked|read|learned|know|given)\b[^.!?\n]{0,40}?(?:\band|,|;|\bthen)\s(?:then |just |simply |instead )?(?:conclude|say|answer|respond|reply|approve|accept|mark|report|confirm|state|pass|agree)\b",
        rf"\bwhen(?:ever)?\syou\s(?:evaluate|check|verify|judge|grade|assess|review|score)\s(?:this|the|these)\s(?:{any_of('texts')}|claims?)s?\b[^.!?\n]{{0,20}}?[,:;]\s{_ORDERED}",
        r"\b(?:pretend|act|answer|behave|proceed)\s(?:that|as (?:if|though))\s(?:the|all|every|each|this|these)\s(?:evidence|claims?|logs?|records?|statements?|candidate)\b[^.!?\n]{0,20}?\b(?:confirms?|supports?|shows?|proves?|is|are|was|were)\b",
    )
)  # fmt: skip
"""Edges of words that stand there anyway (`(?<!\\w)`, `\\b`) tell which words an expression cannot do without."""
_HINTS: Final = ("checker", "verifier", "validator", "evaluator", "engine", "assay", "fahce", "assistant", "agent", "model", "llm", "ai ", "ai,", "ai:", "bot", "reader", "grad", "judge", "review", "auditor", "examiner", "assessor", "ever reads", "ever checks", "ever evaluates", "ever verifies", "you've", "you have", "you were", "you know", "when you", "whenever you", "pretend", "as if", "as though")  # fmt: skip
_VERBS: Final = tuple(
    sorted(
        {each.split()[0] for name in ("told", "judged", "withheld") for each in _LISTS[name]}
        | {"pretend", "behave", "proceed"}
    )
)


class Hints(NamedTuple):
    """The words of two lists that a text holds: a stretch of it without a word of both holds no such order."""

    called: tuple[str, ...]
    ordered: tuple[str, ...]

    @classmethod
    def of(cls, low: str) -> "Hints":
        """Give those of a text in lower case, so that only they are looked for in each of its lines."""
        called = tuple([each for each in _HINTS if each in low])
        return cls(called, tuple([each for each in _VERBS if each in low]) if called else ())

    def stand_in(self, low: str) -> bool:
        """Tell whether a stretch in lower case holds a word of both lists."""
        return any(map(low.__contains__, self.called)) and any(map(low.__contains__, self.ordered))


def addressed(window: str, low: str, hints: Hints) -> re.Match[str] | None:
    """Give the first order to a reader that a stretch of a line holds; `low` is the stretch in lower case."""
    if not hints.stand_in(low):
        return None
    return next((found for each in _ADDRESSES if (found := each.search(window)) is not None), None)
