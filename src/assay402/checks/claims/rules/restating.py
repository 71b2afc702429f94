"""What stands in the place of a claim that no smaller edit mends: the evidence's own line, or that it shows nothing."""

import re
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Claim, Given, Verdict
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.safety import addresses_checker
from assay402.checks.claims.reading.secrets import secrets_in
from assay402.checks.claims.reading.sentences import FINITE, sentences
from assay402.checks.claims.reading.speech import stating
from assay402.checks.claims.reading.text import stems, stop_words
from assay402.checks.claims.rules.wording import Edit

_QUOTED: Final = "he supplied evidence says"
_OPEN: Final = "he supplied evidence does not show whether"
_LONGEST: Final = 240
"""A longer line, or claim, is no sentence that a reader takes in."""
_LINE: Final = Pattern(r"([A-Za-z0-9_-]{1,64})#L([0-9]{1,7})(?::.*)?", re.DOTALL)
_NEARLY: Final = 0.75
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
_LARGE: Final = re.compile(r"([A-Z][a-z]*)\b(?:'s)?(?:\s([\w-]+))?")
_JOINT: Final = re.compile(r"(?:,?\s*\b(?:and|but|while|whereas|so)\b|[;,]|\s*[—]|\s[-–])\s*$")
_WORD: Final = re.compile(r"(?<![\w@./-])[a-z]+(?![\w@/-]|\.\w)")
_END: Final = re.compile(r"[\s.!]*$")
_VALUE: Final = re.compile(r"[^\s\"'`,;()=:]{3,}")
"""Shorter ones are found in every text."""


def begins_sentence(text: str, start: int) -> bool:
    """Tell whether a sentence begins at a place of a text."""
    before = text[max(0, start - _LONGEST) : start].rpartition("\n")[2].strip(" *_#>•-\"'(“‘")
    return not before or before.endswith((".", "!", "?"))


class Restating:
    """The words of a request that a repair may fall back on."""

    def __init__(self, given: Given) -> None:
        self._given: Final = given
        self._quoting: Final[dict[str, str]] = {}
        """The lines that are quoted, each with the claim in whose place it stands."""

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
        if not (finding.support == "CONTRADICTED" or finding.code in _TOLD):
            return None
        return self._quoting_of(claim, self._line(finding.refs[0]) if finding.refs else "")

    def told(self, verdict: Verdict) -> Edit | None:
        """Give the edit that quotes the line that has nearly all words of a claim it does not establish."""
        return self._quoting_of(verdict.claim, self._near_line(verdict))

    def is_told(self, verdict: Verdict) -> bool:
        """Tell whether that line stands already in the place of another claim."""
        return self._quoting.get(self._near_line(verdict), verdict.claim.id) != verdict.claim.id

    def _near_line(self, verdict: Verdict) -> str:
        finding, wanted = verdict.finding, frozenset(stems(verdict.claim.text))
        line = self._line(finding.refs[0]) if finding.support == "UNSUPPORTED" and finding.refs else ""
        return line if len(wanted & frozenset(stems(line))) >= _NEARLY * len(wanted) else ""

    def _quoting_of(self, claim: Claim, line: str) -> Edit | None:
        if not line or claim.form != "clause":
            return None
        if self._quoting.setdefault(line, claim.id) != claim.id:
            return None  # it stands there already
        start, begun = self._beginning(claim)
        return ("QUALIFY", start, self._whole(claim)[1], f'{begun}{_QUOTED} "{line}"')

    def left_open(self, verdict: Verdict) -> Edit | None:
        """Give the edit that says only that the evidence does not show a claim; none where it shows the opposite."""
        claim = verdict.claim
        start, end = self._whole(claim)
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
        if self._is_common(said):
            said = said[0].lower() + said[1:]
        start, begun = self._beginning(claim)
        return ("WITHHOLD", start, end, f"{begun}{_OPEN} {said}")

    def _is_common(self, text: str) -> bool:
        """Tell whether a text begins with a word that is written large only because it begins a sentence."""
        first = _LARGE.match(text)
        if first is None or first[1] == "I":
            return False
        if first[1].lower() in stop_words():
            return True
        following = first[2] or ""
        is_compound = (
            following.islower() and following not in stop_words() and not FINITE.fullmatch(following)
        )
        return not first[0].startswith(f"{first[1]}'") and (is_compound or first[1].lower() in self._small)

    def _beginning(self, claim: Claim) -> tuple[int, str]:
        """Give where the place of a claim begins: with what leads into it, behind another clause with their joint."""
        text, start = self._given.candidate, claim.span.start
        line = max(text.rfind("\n", 0, start) + 1, start - _LONGEST)
        joint = _JOINT.search(text, max(line, start - 14), start)
        if joint is not None and text[line : joint.start()].strip(" *_-"):
            return joint.start(), ". T"
        for first, last in sentences(text[line : claim.span.end]):
            if (
                line + first < start < line + last
                and stating(text[line + first : claim.span.end])[0] == start - line - first
            ):
                return line + first, "T"
        return start, "t" if claim.text[:1].islower() and not begins_sentence(text, start) else "T"

    def _line(self, ref: str) -> str:
        """Give the line a reference names; empty where it is none to quote."""
        place = _LINE.fullmatch(ref)
        if place is None:
            return ""
        lines, number = self._lines[place[1]], int(place[2])
        line = lines[number - 1].strip().removesuffix(".") if number <= len(lines) else ""
        return line if len(line) <= _LONGEST and '"' not in line else ""

    def _whole(self, claim: Claim) -> tuple[int, int]:
        """Give the claim without the marks that end its sentence."""
        ending = _END.search(claim.text)
        return claim.span.start, claim.span.end - (len(ending[0]) if ending is not None else 0)
