"""What takes part of a support away: a status said in part or not at all, a count of none, another duration."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.polarity import is_negative
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.tallies import step

_LESS: Final = re.compile(
    r"(?P<less>not|never|partially|partly|partial|almost|nearly|half|mostly)[_-](?P<word>[a-z]{2,})",
    re.IGNORECASE,
)
_NOT: Final = frozenset(("not", "never"))
_STATUS: Final = re.compile(r"(?:^|[._])(?:status|state|phase|result|outcome)$", re.IGNORECASE)
_DONE: Final = r"[a-z]+(?:ed|sent|written|built|taken|given)|sent|written|built|taken|given|paid"
_NONE_DONE: Final = re.compile(
    rf"(?:\A|[,;:(]\s?|\b(?:and|but|with|has|had|were|was)\s)0\s(?:(?:of|out of)\s[0-9]+\s)?(?:[a-z]+\s)?(?:were\s|was\s)?({_DONE})\b"
    rf"|\b({_DONE})\s0\s(?:(?:of|out of)\s[0-9]+\s)?[a-z]+",
    re.IGNORECASE,
)
_SOME_DONE: Final = re.compile(rf"(?<![\w.,])[1-9][0-9]*\s(?:[a-z]+\s)?({_DONE})\b", re.IGNORECASE)
_READ: Final = 400
_NEAR_LINES: Final = 6


def lessened(supported: Supported, rule_id: str) -> Finding | None:
    """Take back what the records say only in part, not at all, of none, or with another duration."""
    claim = supported.claim
    if supported.rule == "test-report":
        return _lasted_otherwise(supported, rule_id)
    said = frozenset(re.findall(r"[a-z]+", claim.text.lower()))
    affirms = not is_negative(claim.text)
    for near in supported.nears if affirms else ():
        less = _lessening(near.record, said)
        if less in _NOT:
            return denied(supported, rule_id, near.record, "STATUS_CONFLICT", "the record denies it")
        if less:
            return unstated(supported, rule_id, "the record says it in part", "that it was done in whole")
        if _counts_none(claim, near.record, said):
            return denied(supported, rule_id, near.record, "VALUE_MISMATCH", "the record counts none")
    return None


def _lessening(record: Record, said: frozenset[str]) -> str:
    """Give the word that lessens a status of a record, where the claim has the status without it."""
    for field in record.fields:
        if "_" not in field.value and "-" not in field.value:
            continue
        match = _LESS.fullmatch(field.value)
        if match is not None and (_STATUS.search(field.name) or match["word"].lower() in said):
            less = match["less"].lower()
            return "" if less[:4] in {word[:4] for word in said} else less
    return ""


def _counts_none(claim: Claim, record: Record, said: frozenset[str]) -> bool:
    """Tell whether a record counts none of what a claim says was done, without a number of its own."""
    text = record.text[:_READ]
    if "0 " not in text or any(fact.raw[-1:].isdigit() for fact in claim.facts):
        return False
    none = {(match[1] or match[2]).lower() for match in _NONE_DONE.finditer(text)}
    some = {match[1].lower() for match in _SOME_DONE.finditer(text)}
    return bool((none - some) & said)


def _lasted_otherwise(supported: Supported, rule_id: str) -> Finding | None:
    """Take back how long a run is said to have taken where its lines give another duration, or none."""
    lengths = [fact for fact in supported.claim.facts if fact.kind == "quantity" and fact.unit == "s"]
    if not lengths:
        return None
    told = [
        (record, each.low)
        for near in supported.nears
        for record in _beside(supported, near.record)
        for each in record.facts
        if each.kind == "quantity" and each.unit == "s" and each.low is not None
    ]
    if any(_is(lengths[0], low) for _, low in told):
        return None
    if len(told) == 1 and not lengths[0].compared:
        return denied(supported, rule_id, told[0][0], "VALUE_MISMATCH", "the record gives another duration")
    return unstated(supported, rule_id, "no record gives that duration", "how long it took")


def _beside(supported: Supported, record: Record) -> list[Record]:
    """Give the records of the lines around one."""
    records = supported.view.world.records
    return [
        each
        for each in records[max(0, record.order - _NEAR_LINES) : record.order + _NEAR_LINES + 1]
        if each.item is record.item
    ]


def _is(claimed: Fact, low: Decimal) -> bool:
    """Tell whether a duration is the claimed one as it is written."""
    if claimed.low is not None and abs(low - claimed.low) * 2 <= step(claimed.raw):
        return True
    return (claimed.low is None or claimed.low <= low) and (claimed.high is None or low <= claimed.high)
