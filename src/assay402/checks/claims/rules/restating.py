"""What stands in the place of a claim that no smaller edit mends: the evidence's own line, or that it shows nothing."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Given, Verdict
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.safety import addresses_checker
from assay402.checks.claims.reading.secrets import secrets_in
from assay402.checks.claims.reading.segment import FINITE
from assay402.checks.claims.reading.text import stop_words
from assay402.checks.claims.rules.wording import Edit

_QUOTED: Final = "he supplied evidence says"
_OPEN: Final = "he supplied evidence does not show whether"
_LONGEST: Final = 240
"""A longer line, or claim, is no sentence that a reader takes in."""
_LINE: Final = Pattern(r"([A-Za-z0-9_-]{1,64})#L([0-9]{1,7})(?::.*)?", re.DOTALL)
_TOLD: Final = ("STAGE_OVERCLAIM", "PENDING_AUTHORITY", "TARGET_DIFFERS", "MODALITY_OVERCLAIM")
"""What is unsupported because a record says less: its line says how much."""
_LED: Final = re.compile(
    r"\W*(?:according|if|when|while|after|before|as|per|since|because|although|though|by|with|without|based|given|due|from|during|despite|unlike|however|therefore|thus|then|and|but|or|so|also|which|who|whose|that|not|please|yes|yeah|yep|well|oh|okay|ok|sure)\b",
    re.IGNORECASE,
)
"""What does not read on behind `whether`."""
_SUBJECT: Final = re.compile(
    r"(?:the|an?|this|these|those|it|they|we|he|she|you|there|all|every|each|no|some|both|its|their|our|my|his|her)\b"
)
"""How the rest of a sentence begins that has a subject of its own."""
_WORD: Final = re.compile(r"\b[a-z]+\b")
_END: Final = re.compile(r"[\s.!]*$")
_VALUE: Final = re.compile(r"[^\s\"'`,;()=:]{3,}")
"""Shorter ones are found in every text."""


class Restating:
    """The words of a request that a repair may fall back on."""

    def __init__(self, given: Given) -> None:
        self._given: Final = given

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        return {item.id: item.text.split("\n") for item in self._given.evidence}

    @cached_property
    def _small(self) -> frozenset[str]:
        """The words that stand somewhere without a capital, and so are no names."""
        texts = (self._given.candidate, *(item.text for item in self._given.evidence))
        return (
            stop_words()
            | frozenset(table("lexicon")["counting"])
            | frozenset(word for text in texts for word in _WORD.findall(text))
        )

    def is_safe(self, edit: Edit) -> bool:
        """Tell whether what an edit brings in holds no secret of the evidence and no order to a checker."""
        after = edit[3]
        return (
            all(each in self._given.candidate for each in secrets_in(after))
            and not any(each in self._secrets for each in _VALUE.findall(after))
            and not addresses_checker(after)
        )

    @cached_property
    def _secrets(self) -> frozenset[str]:
        """What looks like a secret in the evidence and stands nowhere in the candidate, as far as it is one value."""
        texts = (text for item in self._given.evidence for text in (item.text, item.source_label))
        found = {part for text in texts for each in secrets_in(text) for part in _VALUE.findall(each)}
        return frozenset(each for each in found if each not in self._given.candidate)

    def quoted(self, verdict: Verdict) -> Edit | None:
        """Give the edit that puts the line of the evidence, word for word, in the place of what it denies."""
        claim, finding = verdict.claim, verdict.finding
        if claim.form != "clause" or not (finding.support == "CONTRADICTED" or finding.code in _TOLD):
            return None
        line = self._line(finding.refs[0]) if finding.refs else ""
        if not line:
            return None
        return ("QUALIFY", *self._whole(verdict), f'{self._begun(claim.text)}{_QUOTED} "{line}"')

    def left_open(self, verdict: Verdict) -> Edit | None:
        """Give the edit that says only that the evidence does not show a claim; none where it shows the opposite."""
        claim = verdict.claim
        start, end = self._whole(verdict)
        said = claim.text[: end - start]
        if (
            verdict.finding.support == "CONTRADICTED"
            or claim.form != "clause"
            or claim.unresolved
            or len(said) > _LONGEST
            or any(each in said for each in "?:;\n")
            or FINITE.search(said) is None
            or _LED.match(said)
            or (said[0].islower() and not _SUBJECT.match(said))
        ):
            return None
        first = re.match(r"[A-Z][a-z]*\b", said)
        if first is not None and first[0] != "I" and first[0].lower() in self._small:
            said = said[0].lower() + said[1:]
        return ("WITHHOLD", start, end, f"{self._begun(claim.text)}{_OPEN} {said}")

    def _line(self, ref: str) -> str:
        """Give the line a reference names; empty where it is none to quote."""
        place = _LINE.fullmatch(ref)
        if place is None:
            return ""
        lines, number = self._lines[place[1]], int(place[2])
        line = lines[number - 1].strip().removesuffix(".") if number <= len(lines) else ""
        return line if len(line) <= _LONGEST and '"' not in line else ""

    def _whole(self, verdict: Verdict) -> tuple[int, int]:
        """Give the claim without the marks that end its sentence."""
        claim = verdict.claim
        ending = _END.search(claim.text)
        return claim.span.start, claim.span.end - (len(ending[0]) if ending is not None else 0)

    def _begun(self, text: str) -> str:
        return "t" if text[:1].islower() else "T"
