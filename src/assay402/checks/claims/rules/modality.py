"""May against will against is: a record that says it more weakly than the claim does."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.view import Near, View, bound_values
from assay402.core.check import rule

_SAME_CONTENT: Final = 0.8
_MAY: Final = Pattern(r"\b(may(?!\s[0-9])|might|could)\b")
_EXPECTED: Final = Pattern(r"\b(?:is|are|was|were) (expected|planned|likely|due) to\b", re.IGNORECASE)
_HEARD: Final = Pattern(r"\b(reportedly|allegedly|possibly|probably|perhaps)\b", re.IGNORECASE)
_WILL: Final = Pattern(r"\b(?:will|shall)\b")
_WORDS: Final = frozenset(
    stem(word)
    for word in (
        "expected",
        "planned",
        "likely",
        "reportedly",
        "allegedly",
        "possibly",
        "probably",
        "perhaps",
    )
)


@rule("claims/modality-overclaim", since="0.1", spec="section 7, R15")
def modality_overclaim(view: View) -> Finding | None:
    """Leave unsupported what the evidence says only as a possibility, an expectation or hearsay.

    ## What it reports
    UNSUPPORTED with the code MODALITY_OVERCLAIM where a record has nearly all content of the claim, every value and
    name, and says it with `may`, `might`, `could`, `expected to`, `reportedly` or the like, which the claim leaves
    out. The ladder is may, expected, will, is.

    ## Why it matters
    `Will ship` over `may ship` becomes a promise.

    ## How to fix it
    Keep the record's own word; the repair puts it back.
    """
    claim = view.claim
    if claim.modality not in ("is", "will") or claim.form in ("leaf", "cell"):
        return None
    told = [(near, _hedge(near.record.text[:2_000])) for near in view.near[:4]]
    if any(hedge is None and _says_the_same(claim, near) for near, hedge in told):
        return None
    for near, hedge in told:
        if hedge is None or _is_said(hedge, claim.text) or not _says_the_same(claim, near):
            continue
        return Finding(
            support="UNSUPPORTED",
            rule="claims/modality-overclaim",
            refs=(near.record.ref,),
            code="MODALITY_OVERCLAIM",
            note=f"the record says it with {hedge.lower()}",
            missing=(
                "SOURCE_DOCUMENT",
                f"A record that states what {claim.id} says without {hedge.lower()}.",
            ),
            bound=bound_values(claim, near),
            repair=_edit(claim, hedge, near.record.text[:2_000]),
        )
    return None


def _is_said(hedge: str, text: str) -> bool:
    """Tell whether a claim has a hedge; the month of May is none."""
    return hedge in text or (hedge != "may" and hedge.lower() in text.lower())


def _hedge(text: str) -> str | None:
    for pattern in (_MAY, _EXPECTED, _HEARD):
        match = pattern.search(text)
        if match is not None:
            return match[1]
    return None


def _says_the_same(claim: Claim, near: Near) -> bool:
    wanted = near.wanted - _WORDS
    return (
        len(wanted) >= 2  # one word is no statement
        and len(wanted & near.stems) >= _SAME_CONTENT * len(wanted)
        and not near.missing_names
        and all(each.state == "match" for each in near.bindings)
        and near.record.form in ("line", "prose")
        and denies(near.record) == claim.negative
    )


def _edit(claim: Claim, hedge: str, text: str) -> tuple[str, int, int, str] | None:
    """Give the edit that puts the record's own hedge into the claim; None where the words leave no place for it."""
    start = claim.span.start
    if _HEARD.fullmatch(hedge) is not None:
        # The hedge goes before the word that it stands before in the record.
        behind = re.search(rf"\b{re.escape(hedge)}\s(\w+)", text)
        place = re.search(rf"\b{re.escape(behind[1])}\b", claim.text) if behind is not None else None
        if place is None:
            return None
        return ("QUALIFY", start + place.start(), start + place.end(), f"{hedge.lower()} {place[0]}")
    will = _WILL.search(claim.text)
    if will is None:
        return None
    after = hedge.lower() if _MAY.fullmatch(hedge.lower()) else f"is {hedge.lower()} to"
    return ("DOWNGRADE_MODALITY", start + will.start(), start + will.end(), after)
