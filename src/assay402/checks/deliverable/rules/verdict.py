"""The verdict: one word over all criteria."""

from collections.abc import Iterable

from assay402.checks.deliverable.model import Finding, Verdict
from assay402.core.check import rule


@rule("deliverable/verdict", since="0.1", spec="outputSchema: verdict")
def verdict(findings: Iterable[Finding]) -> Verdict:
    """Say in one word whether the criteria are met.

    ## What it reports
    `REJECT` when any criterion is FAIL; else `NO_VERDICT` when any is UNCHECKABLE; else `ACCEPT`.

    ## Why it matters
    It is what an escrow, a bounty or an agent acts on. NO_VERDICT asks for neither acceptance nor rejection.

    ## How to fix it
    A REJECT is mended by the seller, criterion by criterion. A NO_VERDICT is mended by the buyer: `assay deliverable
    lint` names the criteria that cannot be checked before anything is delivered.
    """
    results = {finding.result for finding in findings}
    if "FAIL" in results:
        return "REJECT"
    return "NO_VERDICT" if "UNCHECKABLE" in results else "ACCEPT"
