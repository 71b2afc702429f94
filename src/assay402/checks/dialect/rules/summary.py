"""The summary: one word for the whole artefact."""

from assay402.checks.dialect.model import DialectFacts, Summary
from assay402.checks.dialect.rules.mismatches import leg_dialect
from assay402.core.check import rule


@rule("dialect/summary", since="0.1", spec="axes_rule: dialect summary")
def summary(facts: DialectFacts) -> Summary:
    """Say in one word which dialect the payer must speak.

    ## What it reports
    `not-a-402` when the capture is not an inspectable 402; `undetermined` when no leg carries a challenge or none
    shows a dialect; `dual-stack` when both legs carry one and speak opposite dialects purely; `mixed` when a leg
    gives signals of both; else the one dialect shown, `v1` or `v2`. The first that holds is reported.

    ## Why it matters
    It is what a client, a proxy or a person needs to know first.

    ## How to fix it
    `mixed` is always a defect of the challenge: see `dialect/mixed-signal-leg`. The others are states, not faults.

    ## Known limits
    The word comes from the fields, never from `x402Version`. `not-a-402` does not mean that the seller does not
    speak x402: the probe is a GET, and an endpoint that answers POST only says so with another status.
    """
    if not facts.is_402:
        return "not-a-402"
    shown = {dialect for dialect in map(leg_dialect, facts.legs) if dialect is not None}
    if not shown:
        return "undetermined"
    if shown == {"v1", "v2"}:
        return "dual-stack"
    if "mixed" in shown:
        return "mixed"
    return "v1" if "v1" in shown else "v2"
