"""Values under a key that makes another thing of them, such as `old` or `quota`, and what was done only as a test."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, words
from assay402.checks.claims.rules.act import Act
from assay402.checks.claims.rules.compare import NUMERIC, compare
from assay402.checks.claims.rules.view import Near

_JOINT: Final = re.compile(r"[\s_.\-()\[\]/]+|(?<=[a-z0-9])(?=[A-Z])")
_PAIRED: Final = re.compile(r"([\w.-]{1,60})\s?=\s?[\"'$€£¥]{0,2}$")
_LABELLED: Final = re.compile(r"(?:^|[,;|{]\s?)[\"']?([A-Za-z][\w .()-]{0,40})[\"']?:\s?[\"'$€£¥]{0,2}$")
_BEFORE: Final = 64
_MOST_FIELDS: Final = 60
_READ: Final = 600


def qualifier(claim: Claim, near: Near) -> str:
    """Give the word of a key by which a record gives a claim's value for another thing; empty where none does."""
    said = _said(claim)
    for binding in near.bindings:
        fact, found, record = binding.fact, binding.found, binding.record
        if binding.state != "match" or found is None or record is None or fact.kind not in NUMERIC:
            continue
        word = _unsaid(record, found, said)
        if word and not any(
            compare(fact, other) == "equal" and not _unsaid(record, other, said)
            for other in record.facts
            if other is not found
        ):
            return word
    return ""


def _said(claim: Claim) -> frozenset[str]:
    low = f"{claim.context} {claim.text}".lower().replace("_", " ")
    return frozenset((*words(low), *stems(low)))


def _unsaid(record: Record, found: Fact, said: frozenset[str]) -> str:
    """Give the word of the key of a value that makes another thing of it, where nothing that is said tells so."""
    keys, outside = table("qualifying")["keys"], table("qualifying")["outside"]
    for word in _parts(_key(record, found)):
        if word in keys and not (word in said or stem(word) in said or said.intersection(keys[word])):
            return word
    for each in (record, *record.above):
        for word in _parts(each.label) if each.form == "json" and each.pointer else ():
            if word in outside and not (word in said or said.intersection(keys[word])):
                return word
    return ""


def _key(record: Record, found: Fact) -> str:
    """Give the name under which a record gives a value; empty where it gives it in a sentence."""
    if found.start < 0:
        place = -1 - found.start
        return record.fields[place].name if place < len(record.fields) else ""
    before = record.text[max(0, found.start - _BEFORE) : found.start]
    match = _PAIRED.search(before) or _LABELLED.search(before)
    return match[1] if match is not None else ""


def _parts(name: str) -> list[str]:
    """Give the words of a key; what a number follows is a period or a length: `last_7_days`."""
    parts = [each.lower() for each in _JOINT.split(name) if each]
    return [
        each
        for place, each in enumerate(parts)
        if each != "last" or not (place + 1 < len(parts) and _goes_on(parts[place + 1]))
    ]


def _goes_on(part: str) -> bool:
    """Tell whether `last` before a part is no time: the last four digits, the last name."""
    return part[0].isdigit() or part.lower() in ("four", "name")


_NO: Final = frozenset(("", "false", "no", "off", "0", "null", "none"))
_AS_TEST: Final = Pattern(
    r"[(\[](?:in\s)?(?:test|sandbox|simulation|demo)(?:[\s-]mode)?[)\]]|\b(?:in|on)\s(?:the\s|an?\s)?(?:sandbox|simulation)\b|\b(?:test|sandbox|simulation)[\s-]mode\b(?!\s?[=:])|\bsimulated\b(?!\s?[=:])",
    re.IGNORECASE,
)
_MODE: Final = re.compile(r"(?:^|[_.])mode$")


def only_tried(claim: Claim, record: Record) -> str:
    """Give the words by which a record says that an action was only tested or simulated; empty where it does not."""
    if not Act(claim).is_consequential or _said(claim).intersection(table("qualifying")["trial"]):
        return ""
    told = _AS_TEST.search(record.text[:_READ]) if record.form in ("line", "prose") else None
    if told is not None:
        return told[0].lower()
    return next((said for each in record.chain for said in _trials(each)), "")


def _trials(record: Record) -> Iterator[str]:
    listed = table("qualifying")
    for field in record.fields[:_MOST_FIELDS]:
        name = _JOINT.sub("_", field.name.rpartition(".")[2]).lower()
        value = field.value.strip().lower()
        if (
            (name in listed["trying"] and value not in _NO)
            or (name in listed["really"] and value in ("false", "no", "0"))
            or (_MODE.search(name) is not None and value in listed["modes"])
        ):
            yield f"{name} {value}"[:40]
