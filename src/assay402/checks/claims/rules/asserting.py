"""The last questions to a support: does the record assert as much as the claim, and give each name the same part?"""

from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.rules.affirmed import unaffirmed
from assay402.checks.claims.rules.compare import NUMERIC
from assay402.checks.claims.rules.embedding import is_embedded, only_nears, restriction
from assay402.checks.claims.rules.lessened import lessened
from assay402.checks.claims.rules.qualified import only_tried, qualifier
from assay402.checks.claims.rules.roles import plays_another_part
from assay402.checks.claims.rules.stating import stated_with
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.swapped import is_swapped, only_coincides
from assay402.checks.claims.rules.verbs import only_taken_out
from assay402.checks.claims.rules.view import Near
from assay402.checks.claims.rules.voices import says_in_other_voice
from assay402.core.check import rule

_SAID: Final = (
    "action-recorded", "all-facts-bound", "stated-verbatim", "change-computed", "state-recorded", "authority", "fields-state",
)  # fmt: skip
_LESS: Final = "claims/asserts-less"
_ROLE: Final = "claims/other-role"


@rule(_LESS, since="0.1", spec="section 3.2 and section 7, R18")
def asserts_less(supported: Supported) -> Finding | None:
    """Take back a support whose record says it only as a belief, a rumour or a question, or says less.

    ## What it reports
    UNSUPPORTED where the record has the claim's words only under a word that leaves open or denies that they are so
    (`believes that`, `is rumoured to`, `asks whether`, `refused to`, `reports that … are false`), says it with
    `nearly`, `almost` or `partly` that the claim leaves out, or does not have a word by which the claim says more
    (`unanimously`, `fully`, `exactly`, `first`, `without downtime`). Likewise where the record only supposes, awaits or
    wishes it (`once`, `make sure`, `insists`, `in the film`); turns it by a particle (`for` and `against`, `up` and
    `down`, `by $5` and `to $5`); restricts it (`except`, `subject to`, `in part`; of how things are, whatever goes on
    behind the claim's last word: `open on weekdays`); gives a bound for its number, `one` for its `each`, a part for
    its whole (`finished 40%`); or holds its words only in several clauses. Likewise where the claim's value stands
    under a key that makes another thing of it and that the claim does not say (`old`, `quota`, `expected_size`,
    `users.deleted`), where the words stand under a label that only wants or tries them (`Goal:`, `template:`, `expected:`),
    where the claim puts one thing behind another (`then`, `last`) and the records do not, where a record counts 0 of
    what it says was there or later has its opposite, has the status in part only (`partially_paid`) or a run another
    duration, and where the record was made in a test (`mode=test`, `livemode=false`, `(sandbox)`).

    ## Why it matters
    The words of a denied report are those of the report.

    ## How to fix it
    Say it as the record does: with its `nearly`, its `believes`, and without what it does not say.
    """
    claim = supported.claim
    less = lessened(supported, _LESS)
    if less is not None or supported.rule not in _SAID:
        return less
    records = tuple(near.record for near in supported.nears)
    if records and all(is_embedded(claim, record) for record in records) and not _is_said_beside(supported):
        return unstated(supported, _LESS, "the record does not say that it is so", "it as a fact")
    told = _qualified(supported)
    if told is not None:
        return told
    if supported.rule == "stated-verbatim" and any(_is_bounded(near) for near in supported.nears):
        return unstated(supported, _LESS, "the record gives a bound", "the very number")
    for record in records:
        word = only_nears(claim, record)
        if word:
            return unstated(supported, _LESS, f"the record says it with {word}", f"it without {word}")
        in_words = supported.rule == "stated-verbatim"
        word = stated_with(claim, record, in_words=in_words) if supported.rule != "state-recorded" else ""
        if word:
            return unstated(supported, _LESS, f"the record has {word}", "it without that")
    more = unaffirmed(supported)
    if more:
        return unstated(supported, _LESS, f"the record does not tell {more}", "that as well")
    more = restriction(claim, records) if records else ""
    if more:
        return unstated(supported, _LESS, f"the record does not say {more.lower()}", "it with that word")
    return None


def _qualified(supported: Supported) -> Finding | None:
    """Take back a value under a key that makes another thing of it, and what was only tried out."""
    for near in supported.nears:
        word = qualifier(supported.claim, near)
        if word:
            return unstated(supported, _LESS, f"the record gives it as {word}", "it without that word")
        if only_taken_out(supported.claim, near.record):
            return unstated(
                supported, _LESS, "the record says only from what it was taken", "it of the whole"
            )
        if only_tried(supported.claim, near.record):
            return unstated(supported, _LESS, "the record is of a test", "that it was done in earnest")
    return None


def _is_said_beside(supported: Supported) -> bool:
    """Tell whether another sentence of the line that a finding names says all of the claim plainly."""
    claim = supported.claim
    return any(
        near.record.ref in supported.finding.refs
        and claim.content <= near.record.own_stems
        and not is_embedded(claim, near.record)
        for near in supported.view.near
    )


def _is_bounded(near: Near) -> bool:
    """Tell whether a record gives a number of the claim only as a bound, or about."""
    return any(
        each.state == "weaker"
        and each.fact.kind in NUMERIC
        and not each.fact.compared
        and each.found is not None
        and each.found.compared
        for each in near.bindings
    )


@rule(_ROLE, since="0.1", spec="section 6 and section 7, R18")
def other_role(supported: Supported) -> Finding | None:
    """Take back a support whose record gives a name another part: who did it, to whom, for whom, against whom.

    ## What it reports
    UNSUPPORTED where a name of the claim stands around the same verb in another part: `Ann paid Bob` beside
    `Bob paid Ann`, `ruled for Acme` beside `ruled for Bolt against Acme`. Active and passive forms are read alike.
    Likewise where cause and effect, or the two sides of `more … than …`, are exchanged, where the record names another
    doer of the same, and where the claim names what made something change and the record only says when it did.

    ## Why it matters
    Who pays and who is paid are the same two names.

    ## How to fix it
    Give the names the parts that the record gives them.
    """
    if supported.rule not in _SAID:
        return None
    text = supported.claim.text
    if supported.rule == "stated-verbatim" and says_in_other_voice(supported.view):
        return None  # who did what to whom was looked at word by word
    for near in supported.nears:
        if near.record.form not in ("line", "prose"):
            continue
        if only_coincides(supported.claim, near.record):
            return unstated(supported, _ROLE, "the record gives no cause", "what made it change")
        if is_swapped(supported.claim, near.record) or (
            supported.rule != "authority" and plays_another_part(text, near.record.text)
        ):
            return unstated(
                supported, _ROLE, "the names have other parts there", "the same parts of the names"
            )
    return None
