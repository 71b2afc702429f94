"""A sentence of the evidence that is the claim word for word: no rule denies it by its own words."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.embedding import is_embedded
from assay402.checks.claims.rules.view import View

_SAID: Final = (
    "claims/self-report-only", "claims/quotation", "claims/source-not-supplied", "claims/wrong-attribution",
    "claims/evidence-conflict", "claims/value-conflict",
)  # fmt: skip
"""Rules that ask who says it, and not what is said."""


def itself(view: View) -> Record | None:
    """Give a sentence or a line that says a claim word for word and asks, supposes or quotes nothing; None where none does."""
    if "itself" not in view.memo:
        view.memo["itself"] = _found(view)
    found: Record | None = view.memo["itself"]
    return found


def _found(view: View) -> Record | None:
    claim, said = view.claim, _bare(view.claim.text)
    wanted = frozenset(stems(claim.text.replace("_", " ")))
    if not wanted or claim.form in ("leaf", "cell") or view.is_narrowed:
        return None
    told = (view.world.with_stem(word) for word in sorted(wanted))
    held = min((each for each in told if each), key=len, default=[])
    return next((record for record in held[-_MOST:] if _is_it(claim, said, record)), None)


def is_said_by(view: View, finding: Finding) -> bool:
    """Tell whether a claim is supported by the very sentence that it is."""
    found = itself(view) if finding.rule == "claims/stated-verbatim" else None
    return found is not None and finding.refs == (found.ref,)


def only_itself(view: View, finding: Finding) -> bool:
    """Tell whether a finding takes a claim for less than it says by nothing but the very sentence that it is."""
    if finding.support == "SUPPORTED" or finding.rule in _SAID:
        return False
    records = view.world.bearing_by_ref(finding.refs)
    if (
        finding.support == "CONTRADICTED"
        and records
        and all(_is_clause(view.claim, each) for each in records)
    ):
        return True
    found = itself(view)
    return found is not None and all(_bare(each.text) == _bare(found.text) for each in records)


_BEFORE: Final = re.compile(r"(?:\A\W*|[;,:]\s|\b(?:and|but)\s)\Z", re.IGNORECASE)
_BEHIND: Final = re.compile(r"\W*\Z|[;,.]|\s(?:and|but)\b", re.IGNORECASE)
_TURNING: Final = re.compile(
    r"\b(?:false|untrue|wrong|incorrect|denied|denies|not true|that|if|whether|unless)\b|\?\s*\Z",
    re.IGNORECASE,
)


def _is_clause(claim: Claim, record: Record) -> bool:
    """Tell whether a claim is one of the clauses of a sentence that says each of them."""
    text, said = record.text[:_READ], claim.text.rstrip(". ")
    place = text.find(said)
    if place < 0 or record.form not in ("line", "prose") or _TURNING.search(text) is not None:
        return False
    before, behind = text[max(0, place - 5) : place], text[place + len(said) :]
    return _BEFORE.search(before) is not None and _BEHIND.match(behind) is not None


_READ: Final = 2_000
_MOST: Final = 60


def _bare(text: str) -> str:
    """Give a text as it is compared word for word: signs of value such as `~` and `+` make another text."""
    return " ".join(text.lower().split()).strip(" .!*_\"'“”")


def _is_it(claim: Claim, said: str, record: Record) -> bool:
    return (
        _bare(record.text) == said
        and record.form in ("line", "prose")
        and record.item.kind != "description"
        and not record.text.rstrip().endswith("?")
        and not is_embedded(claim, record)
    )
