"""Which of two events came first, by their time stamps."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_ORDER: Final = Pattern(r"\b(before|after|prior to|following|then|followed by|afterwards)\b", re.IGNORECASE)


@rule("claims/order-of-events", since="0.1", spec="section 7, R09")
def order_of_events(view: View) -> Finding | None:
    """Judge an order of two events by their time stamps.

    ## What it reports
    Where the claim says one event came before or after another, and each event stands in one dated record of its
    own: SUPPORTED if the time stamps have that order, CONTRADICTED with the reason ORDER_OF_EVENTS if they have the
    other. Equal stamps, stamps of different precision and undated records decide nothing.

    ## Why it matters
    Whether the backup preceded the migration is what a report of it is for.

    ## How to fix it
    Give the order of the time stamps.
    """
    claim = view.claim
    match = _ORDER.search(claim.text)
    if match is None or claim.negative:
        return None
    first, second = set(stems(claim.text[: match.start()])), set(stems(claim.text[match.end() :]))
    if not first or not second:
        return None
    one, other = _event(view, first - second), _event(view, second - first)
    if (
        one is None
        or other is None
        or one is other
        or len(one.moment) != len(other.moment)
        or one.moment == other.moment
    ):
        return None
    if (one.moment < other.moment) == (
        match[1].lower() in ("before", "prior to", "then", "followed by", "afterwards")
    ):
        return Finding(
            support="SUPPORTED",
            rule="claims/order-of-events",
            refs=(one.ref, other.ref),
            note="the time stamps have this order",
        )
    return Finding(
        support="CONTRADICTED",
        rule="claims/order-of-events",
        refs=(one.ref, other.ref),
        code="ORDER_OF_EVENTS",
        note="the time stamps have the other order",
    )


def _event(view: View, words: set[str]) -> Record | None:
    rated = [(len(words & near.record.own_stems), near.record) for near in view.near if near.record.moment]
    best = [record for count, record in rated if count and count == max(each[0] for each in rated)]
    needed = (len(words) + 1) // 2
    return best[0] if len(best) == 1 and len(words & best[0].own_stems) >= needed else None
