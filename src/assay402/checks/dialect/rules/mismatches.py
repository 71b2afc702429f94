"""The three mismatches the contract names, each filed under the axis it concerns."""

from assay402.checks.dialect.model import ClientHeader, DialectFacts, LegDialect, LegFacts, Mismatch
from assay402.checks.dialect.rules.axes import challenge_carrier, client_header_names
from assay402.core.check import rule
from assay402.wire.requirements import AMOUNT, MAX_AMOUNT_REQUIRED
from assay402.wire.transport import PAYMENT_SIGNATURE, X_PAYMENT


@rule("dialect/mixed-signal-leg", since="0.1", spec="axes_rule: mismatches")
def mixed_signal_leg(facts: DialectFacts) -> tuple[Mismatch, ...]:
    """Name each leg that gives signals of both dialects.

    ## What it reports
    A leg with `maxAmountRequired` alone beside a CAIP-2 network, or with `amount` alone beside a bare network
    name. A leg with both amount names gives no signal by its amount.

    ## Why it matters
    No client of either version can read such a leg whole: one finds no price, the other no network.

    ## How to fix it
    Choose one version for the leg and use its amount name and its network form together.
    """
    return tuple(
        Mismatch(code="mixed-signal-leg", axis="network_id_form", leg=leg.name)
        for leg in facts.legs
        if leg_dialect(leg) == "mixed"
    )


@rule("dialect/x402version-contradiction", since="0.1", spec="axes_rule: mismatches")
def x402version_contradiction(facts: DialectFacts) -> tuple[Mismatch, ...]:
    """Name each leg whose `x402Version` contradicts the dialect its fields speak.

    ## What it reports
    A leg that speaks purely version 1 and says `2`, or purely version 2 and says `1`. Only the integers 1 and 2
    are compared; a missing version, another number or a string contradicts nothing, and a mixed leg has no
    pure dialect to contradict.

    ## Why it matters
    Clients branch on the number and then fail on the fields.

    ## How to fix it
    Make the number agree with the fields, or the fields with the number.
    """
    other_version = {"v1": 2, "v2": 1}
    return tuple(
        Mismatch(code="x402version-contradiction", axis="challenge_carrier", leg=leg.name)
        for leg in facts.legs
        if leg.x402_version is not None and leg.x402_version == other_version.get(leg_dialect(leg) or "")
    )


@rule("dialect/client-header-opposite-carrier", since="0.1", spec="axes_rule: mismatches")
def client_header_opposite_carrier(facts: DialectFacts) -> tuple[Mismatch, ...]:
    """Name a client header that belongs solely to the carrier the challenge does not use.

    ## What it reports
    `PAYMENT-SIGNATURE` where the body alone carries the challenge, or `X-PAYMENT` where the header alone does,
    unless the artefact also evidences the name that fits. `X-Payment-Tx` belongs to neither carrier.

    ## Why it matters
    The client that can read this challenge sends its payment under the other name.

    ## How to fix it
    Ask for `X-PAYMENT` in a body challenge and for `PAYMENT-SIGNATURE` in a header challenge, or accept and
    name both.

    ## Known limits
    The comparison is with the carrier, not with the dialect of the fields: a version 2 body that asks for
    `PAYMENT-SIGNATURE` is named too, because a header challenge is where that name belongs.
    """
    fits: dict[str, tuple[ClientHeader, ClientHeader]] = {
        "v1-body": (X_PAYMENT, PAYMENT_SIGNATURE),
        "v2-header": (PAYMENT_SIGNATURE, X_PAYMENT),
    }
    own, opposite = fits.get(challenge_carrier(facts), (None, None))
    names = client_header_names(facts)
    if opposite is None or opposite not in names or own in names:
        return ()
    return (Mismatch(code="client-header-opposite-carrier", axis="client_header_names", name=opposite),)


def leg_dialect(leg: LegFacts) -> LegDialect | None:
    """Give the dialect a leg's own fields signal, `mixed` for both, None for neither.

    `x402Version` is never a signal.
    """
    is_v1 = leg.amount_names == (MAX_AMOUNT_REQUIRED,) or leg.network_form == "slug"
    is_v2 = leg.amount_names == (AMOUNT,) or leg.network_form == "CAIP-2"
    if is_v1:
        return "mixed" if is_v2 else "v1"
    return "v2" if is_v2 else None
