"""In stock or out of it: what the number that is left says."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.view import View

_CLAIMED: Final = Pattern(
    r"^\W*(?:the\s|our\s)?(?P<subject>.{2,60}?)\s(?:is|are)\s(?:now\s|currently\s|still\s)?(?:(?P<there>in stock)|out of stock|sold out)\W*$",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(
    r"(?:in_?)?stock(?:_?(?:level|count|qty|quantity|left|on_hand))?|(?:qty|quantity|units)_in_stock|inventory(?:_?(?:level|count))?",
    re.IGNORECASE,
)
_THERE: Final = {"true": True, "yes": True, "false": False, "no": False}


def stocked(view: View) -> Finding | None:
    """Judge that a thing is in stock or out of it by the number of it that the only record of it has left."""
    claim = view.claim
    match = _CLAIMED.match(claim.text)
    if match is None or claim.negative or claim.quantifier or claim.modality != "is":
        return None
    subject = frozenset(stems(match["subject"]))
    told = [
        (near.record, left)
        for near in view.near
        if subject and subject <= near.stems and (left := _left(near.record)) is not None
    ]
    if len(told) != 1 or told[0][0].item.kind == "description":
        return None
    record, is_there = told[0]
    agrees = is_there == (match["there"] is not None)
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule="claims/state-recorded" if agrees else "claims/state-otherwise",
        refs=(record.ref,),
        code="" if agrees else "STATUS_CONFLICT",
        note="the record counts some" if is_there else "the record counts none",
    )


def _left(record: Record) -> bool | None:
    """Tell whether a record has any left of its thing; None where it does not say, or in two ways."""
    told = {
        int(field.value) > 0 if field.value.isdigit() else _THERE[field.value.lower()]
        for field in record.fields
        if _LEFT.fullmatch(field.name) and (field.value.isdigit() or field.value.lower() in _THERE)
    }
    return told.pop() if len(told) == 1 else None
