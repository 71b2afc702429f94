"""How a thing stands, as the newest record of it says."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.text import stems, words
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.polarity import is_negative
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_STANDS: Final = re.compile(
    r"^\W*(?:the |our |your )?(?P<subject>.{2,60}?)\s(?:is|are)\s(?:now |currently )?(?P<state>[a-z]{2,14})[.!]?\s*$",
    re.IGNORECASE,
)
_BESIDE: Final = 4
"""Words that a line may hold beside its subject and its state, such as the parts of its time."""


@rule("claims/state-recorded", since="0.1", spec="section 5.7 and section 7, R19")
def state_recorded(view: View) -> Finding | None:
    """Support how a thing is said to stand where the newest line about it says that very word.

    ## What it reports
    SUPPORTED where a claim such as `The api is up` names its subject and one word of state, and the newest line
    of a log about that subject alone has both, and denies nothing.

    ## Why it matters
    What was down an hour ago and is up now is up.

    ## How to fix it
    Nothing needs fixing.
    """
    claim = view.claim
    match = _STANDS.match(claim.text)
    if match is None or claim.facts or claim.negative or claim.quantifier or claim.modality != "is":
        return None
    subject, state = frozenset(stems(match["subject"])), match["state"].lower()
    lines = [
        near.record
        for near in view.near
        if near.record.form == "line"
        and not near.record.is_prose
        and subject
        and subject <= near.record.own_stems
    ]
    newest = [one for one in lines if not any(is_later(other, one) for other in lines)]
    if len(newest) != 1 or newest[0].item.kind == "description":
        return None
    told = [word.lower() for word in words(newest[0].text)]
    beside = [each for each in stems(newest[0].text) if each.isalpha() and each not in subject]
    if state not in told or is_negative(newest[0].text) or len(beside) > _BESIDE:
        return None
    return Finding(support="SUPPORTED", rule="claims/state-recorded", refs=(newest[0].ref,))
