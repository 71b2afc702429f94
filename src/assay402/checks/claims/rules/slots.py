"""Values that stand in a record for something else than the claim says: another label, period, part or order."""

import re
from decimal import Decimal
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, words
from assay402.checks.claims.rules.addresses import is_of_other_address
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.changed import is_turned
from assay402.checks.claims.rules.compare import IDENTIFYING, compare
from assay402.checks.claims.rules.coordinated import is_of_other_verb
from assay402.checks.claims.rules.every import of_one_alone
from assay402.checks.claims.rules.governed import gives_to_another
from assay402.checks.claims.rules.labelled import found_elsewhere
from assay402.checks.claims.rules.misplaced import misplaced
from assay402.checks.claims.rules.numbered import other_number
from assay402.checks.claims.rules.portions import portion_of
from assay402.checks.claims.rules.relations import of_other_part
from assay402.checks.claims.rules.repairing import replacement
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.view import Near
from assay402.core.check import rule

_ID: Final = "claims/other-slot"
_CUT: Final = re.compile(r"[,;|]\s|\s(?:and|while|whereas|but|versus|vs\.?)\s|\n")
_HEAD: Final = Pattern(r"\s*[\w #./-]{1,40}:\s")
_PERIODS: Final = {
    "second": "second", "minute": "minute", "hour": "hour", "hourly": "hour", "day": "day", "daily": "day",
    "week": "week", "weekly": "week", "month": "month", "monthly": "month", "mo": "month", "quarter": "quarter",
    "quarterly": "quarter", "year": "year", "yearly": "year", "annual": "year", "annually": "year", "annum": "year",
    "yr": "year",
}  # fmt: skip
_PERIOD: Final = Pattern(
    r"(?:\bper\s|\ba\s|\ban\s|\beach\s|\bevery\s|[0-9$%]\s?/\s?|[a-z]\s/\s?)(second|minute|hour|day|week|month|mo|quarter|year|yr|annum)\b|\b(hourly|daily|weekly|monthly|quarterly|yearly|annually|annual)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"\b([0-9]+)\s?(?:/|of|out of)\s?([0-9]+)\b(?!\s?/)")
_SHARED_OUT: Final = Pattern(r"\b(?:most|some|many|several|few|half|of)\b", re.IGNORECASE)
_ALL_BUT: Final = Pattern(r"\ball but\b", re.IGNORECASE)
_FROM_TO: Final = Pattern(r"\bfrom\s\S{1,20}\sto\s", re.IGNORECASE)
_TO: Final = re.compile(r"\b[0-9]+\s(?:to|-|–)\s[0-9]+\b")
_THAN: Final = Pattern(
    r"(?<![\w.])v?([0-9]+(?:\.[0-9]+)+)\s(?:is|was|are)\s(newer|later|higher|greater|older|lower|earlier)\s(?:\w+\s)?than\s(?:\w+\s)?v?([0-9]+(?:\.[0-9]+)+)"
)
_TOKEN: Final = re.compile(
    r"\b(?=[A-Za-z0-9-]*[0-9])(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b|\b(?i:commit|revision|sha|hash)\s([0-9a-f]{7,40})\b"
)
_JOINTS: Final = re.compile(r"[-\s]")
_ORDINAL: Final = re.compile(r"[0-9]+(?:st|nd|rd|th|s|k|m|x|h|ms|am|pm)|q[1-4]|h[12]", re.IGNORECASE)


@rule(_ID, since="0.1", spec="section 3.2, section 6 and section 7, R04")
def other_slot(supported: Supported) -> Finding | None:
    """Take back a support whose value the record gives for another label, period, part or identifier.

    ## What it reports
    CONTRADICTED with VALUE_MISMATCH where the record gives the claimed value in one labelled place and the claim's
    own label another value (`The tax is $20` beside `Net $20, tax $4`), another part of a whole, or a code of the same
    form; with UNIT_OR_CURRENCY_MISMATCH for another period; with COMPARISON_FALSE for versions compared the wrong way
    round. UNSUPPORTED where the period, the code or the order of two values is not in the record. A number that a tally
    gives for one thing done is not that of another (`3 added, 0 removed`), nor the whole of a part its part. CONTRADICTED
    too where the counts of a sentence are exchanged, where a field beside the value or a header gives another currency or
    unit, where the value stands in a field, line or row that fits the claim less well than one with another value, and
    where it is another as written (`0042`, `1.10` of a version, `2-3`, `($40.00)`, `READY 0/1`). UNSUPPORTED where the
    database statement above a count was about another table. CONTRADICTED where the record counts how many there are and how
    many are so in places of their own (`12 tests passed` beside `tests=12 passed=9`), and where a change is told backwards
    (`from 10 to 12` beside `{"old": 12, "new": 10}`). UNSUPPORTED where the sentence gives the value with another verb (`charges in
    90 minutes and lasts 1 hour`), or the record names another host, repository or file, or gives the amount to something
    beside what was done (`$300 of the $500 invoice`, a `fee`), another network, or a line of its own to the claim's name.

    ## Why it matters
    A value that is there for something else is the classic trap: presence alone supports nothing.

    ## How to fix it
    Use the value that stands beside the claim's own label.
    """
    if _ALL_BUT.search(supported.claim.text):
        return None  # the number is of the rest
    compared = _THAN.search(supported.claim.text)
    if compared is not None and supported.nears and not _is_so(compared):
        return denied(
            supported,
            _ID,
            supported.nears[0].record,
            "COMPARISON_FALSE",
            "the versions are ordered otherwise",
        )
    if is_of_other_address(supported.claim, tuple(near.record for near in supported.nears)):
        return unstated(supported, _ID, "the record names another address", "the same of this address")
    is_changed = False
    for near in supported.nears:
        turned = is_turned(supported.claim, near.record)
        is_changed = is_changed or turned is False
        if turned:
            return denied(supported, _ID, near.record, "VALUE_MISMATCH", "the change is the other way round")
    is_share = supported.rule == "test-report" and portion_of(supported.claim.text) is not None
    for near in supported.nears if supported.rule != "share-counted" and not is_share else ():
        found = (
            _numbered_otherwise(supported, near)
            or _labelled_otherwise(supported, near)
            or _counted_otherwise(supported, near)
            or _of_other_part(supported, near)
            or found_elsewhere(supported, near, _ID)
            or misplaced(supported, near, _ID)
            or of_one_alone(supported, near, _ID)
            or (None if is_changed else of_other_part(supported, near, _ID))
        )
        if found is not None:
            return found
        if is_of_other_verb(supported.claim, near.record):
            return unstated(
                supported, _ID, "the record gives the value with another verb", "it with that verb"
            )
        if gives_to_another(supported, near):
            return unstated(supported, _ID, "the record gives it to something else", "it of the same")
    return _of_other_period(supported) or _of_other_code(supported) or _turned(supported)


def _numbered_otherwise(supported: Supported, near: Near) -> Finding | None:
    """Take back how many there are for how many of them were so: `12 tests passed` beside `tests=12 passed=9`."""
    binding = other_number(supported.claim, near)
    if binding is None or binding.found is None:
        return None
    record, raw = near.record, binding.found.raw
    found = (
        unstated(supported, _ID, "the record counts it apart", "of how many it is not so")
        if supported.claim.negative or raw == "1" or _has_more(record, binding)  # which may say yes
        else denied(supported, _ID, record, "VALUE_MISMATCH", f"there it is {raw}")
    )
    refs = tuple(dict.fromkeys((binding.ref, *found.refs)))
    return replace(found, refs=refs, repair=replacement(supported.claim, binding))


def _has_more(record: Record, binding: Binding) -> bool:
    """Tell whether a record counts more of the same under a longer name: `shipped=18 shipped_later=2`."""
    place = -1 - binding.found.start if binding.found is not None else -1
    name = record.fields[place].name.lower() if 0 <= place < len(record.fields) else ""
    return bool(name) and any(each.name.lower().startswith(f"{name}_") for each in record.fields)


def _is_so(match: re.Match[str]) -> bool:
    one, other = (tuple(int(part) for part in each.split(".")) for each in (match[1], match[3]))
    return one > other if match[2].lower() in ("newer", "later", "higher", "greater") else one < other


def _labelled_otherwise(supported: Supported, near: Near) -> Finding | None:
    claim = supported.claim
    for binding in near.bindings:
        fact, found, record = binding.fact, binding.found, binding.record
        alone = sum(each.kind == fact.kind for each in claim.facts) == 1
        if (
            binding.state != "match"
            or found is None
            or record is None
            or not alone
            or fact.kind in IDENTIFYING
        ):
            continue
        others = [
            each
            for each in record.facts
            if compare(fact, each) in ("unequal", "unit") and each.kind == found.kind
        ]
        said = _plain_words(f"{claim.context} {claim.text}")
        own = _labels(record, found)
        for other in others:
            label = _labels(record, other)
            if _segment(record, other) == _segment(record, found) or _is_in_head(record, other, found):
                continue
            if (
                not record.is_prose
                and found.start >= 0
                and label & own & said
                and _is_either(own, label, said)
            ):
                return unstated(supported, _ID, "the record gives several such values", "which of them it is")
            placed = (label & said) - own and not (own - label) & said
            if placed or _of_another(record, found, other, said):
                return denied(supported, _ID, record, "VALUE_MISMATCH", f"there it is {other.raw}")
    return None


def _is_in_head(record: Record, other: Fact, found: Fact) -> bool:
    """Tell whether a value stands in what heads the list of another, and so is of all of it: `12 tests: 3 failed`."""
    head = _HEAD.match(record.text) if 0 <= other.start <= found.start else None
    return head is not None and other.end <= head.end() <= found.start


_COUNTED: Final = re.compile(r"\s(?:to\s)?([a-z]{3,})\b")


def _counted_otherwise(supported: Supported, near: Near) -> Finding | None:
    """Take back a number that the record counts of one thing done, where it counts the claimed one apart: `3 added, 0 removed`."""
    claim = supported.claim
    if sum(fact.kind == "number" for fact in claim.facts) != 1:
        return None
    for binding in near.bindings:
        found, record = binding.found, binding.record
        if binding.state != "match" or found is None or record is None or found.kind != "number":
            continue
        own = _counted(record, found)
        if not own or own in claim.content:
            continue
        for other in record.facts:
            if other.kind == "number" and other.low != found.low and _counted(record, other) in claim.content:
                return denied(supported, _ID, record, "VALUE_MISMATCH", f"there it is {other.raw}")
    return None


def _counted(record: Record, fact: Fact) -> str:
    """Give the stem of the word behind a number of a text."""
    match = _COUNTED.match(record.text, fact.end) if fact.start >= 0 else None
    return stem(match[1]) if match is not None else ""


def _names(record: Record, fact: Fact) -> frozenset[str]:
    """Give the words with a capital in the part of a list in which a value stands."""
    start, end = _segment(record, fact)
    return _plain_words(" ".join(word for word in words(record.text[start:end]) if word[0].isupper()))


def _of_another(record: Record, found: Fact, other: Fact, said: frozenset[str]) -> bool:
    """Tell whether the value stands beside another name, and the claim's own name beside another value."""
    if found.start < 0 or other.start < 0:
        return False
    own, told = _names(record, found), _names(record, other)
    return bool(own - said) and bool((told & said) - own)


def _is_either(own: frozenset[str], label: frozenset[str], said: frozenset[str]) -> bool:
    """Tell whether two labels differ in words of which the claim says none, so that it may mean either."""
    return bool(own - label) and bool(label - own) and not (own ^ label) & said


def _labels(record: Record, fact: Fact) -> frozenset[str]:
    """Give the words that stand for a value in its record: the name of its field, or its part of a list."""
    if fact.start < 0:
        names = record.fields[-1 - fact.start].name if -fact.start <= len(record.fields) else ""
        return _plain_words(names.replace("_", " "))
    start, end = _segment(record, fact)
    return _plain_words(f"{record.text[start : fact.start]} {record.text[fact.end : end]}")


def _plain_words(text: str) -> frozenset[str]:
    """Give the words as written: what is called a price in one column and a cost in the next is not the same."""
    return frozenset(word.rstrip("s") for word in words(text.lower()))


def _segment(record: Record, fact: Fact) -> tuple[int, int]:
    """Give the part of a list in which a value stands."""
    if fact.start < 0:
        return fact.start, fact.start
    head = _HEAD.match(record.text)
    if head is not None and ": " in record.text[head.end() :]:
        head = None  # each part has a label of its own
    first = head.end() if head is not None and head.end() <= fact.start and _CUT.search(record.text) else 0
    cuts = [match.end() for match in _CUT.finditer(record.text, first) if match.end() <= fact.start]
    following = _CUT.search(record.text, fact.end)
    return max(cuts, default=first), following.start() if following is not None else len(record.text)


def _of_other_part(supported: Supported, near: Near) -> Finding | None:
    claimed = _PART.search(supported.claim.text)
    found = _PART.search(near.record.text[:2_000])
    if found is None or (claimed is not None and claimed.groups() == found.groups()):
        return None
    if claimed is None:
        part, whole = (Decimal(each) for each in found.groups())
        numbers = {fact.low for fact in supported.claim.facts if fact.kind == "number"}
        if (
            part >= whole
            or whole not in numbers
            or part in numbers
            or _SHARED_OUT.search(supported.claim.text)
        ):
            return None
    return denied(supported, _ID, near.record, "VALUE_MISMATCH", f"the record says {found[0]}")


def _periods(text: str) -> frozenset[str]:
    return frozenset(_PERIODS[(match[1] or match[2]).lower()] for match in _PERIOD.finditer(text[:4_000]))


def _of_other_period(supported: Supported) -> Finding | None:
    claimed = _periods(supported.claim.text)
    if not claimed or not any(
        fact.kind in ("money", "percent", "number", "quantity") for fact in supported.claim.facts
    ):
        return None
    for near in supported.nears:
        told = frozenset().union(*(_periods(each.searched) | _periods(each.text) for each in near.chain))
        if claimed <= told or any(each in near.stems for each in claimed):
            return None
        if told:
            return denied(
                supported,
                _ID,
                near.record,
                "UNIT_OR_CURRENCY_MISMATCH",
                "the record gives it for another period",
            )
    return unstated(supported, _ID, "the record gives no period", "for which period the value is")


def _of_other_code(supported: Supported) -> Finding | None:
    claim = supported.claim
    held = " ".join(each.searched for near in supported.nears for each in near.chain).lower()
    bare = _JOINTS.sub("", held)
    label = " ".join(near.record.item.source_label for near in supported.nears).lower()
    for match in _TOKEN.finditer(claim.text):
        token = (match[1] or match[0]).lower()
        covered = any(
            fact.start < match.end() and match.start() < fact.end and fact.kind not in ("number", "quantity")
            for fact in claim.facts
        )
        if (
            covered
            or _ORDINAL.fullmatch(token)
            or re.sub(r"-", "", token) in bare
            or token in label
            or _is_quantity(claim.facts, match)
        ):
            continue
        alike = any(_form(each) == _form(token) for each in words(held))
        return (
            denied(
                supported,
                _ID,
                supported.nears[0].record,
                "IDENTITY_MISMATCH",
                "the record holds another code",
            )
            if alike
            else unstated(supported, _ID, "the record does not hold the code", "the same code")
        )
    return None


def _is_quantity(found: tuple[Fact, ...], match: re.Match[str]) -> bool:
    return any(fact.start <= match.start() and match.end() <= fact.end for fact in found)


def _form(token: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[0-9]", "9", token))


def _turned(supported: Supported) -> Finding | None:
    """Leave unsupported a pair of values that the record gives in the other order."""
    claim = supported.claim
    pair = [fact for fact in claim.facts if fact.kind in ("number", "money", "percent", "quantity")]
    if len(pair) != 2 or not (_FROM_TO.search(claim.text) or _TO.search(claim.text)):  # the two ends
        return None
    for near in supported.nears:
        one, two = (_place(near.bindings, fact) for fact in pair)
        if one is None or two is None or one[0] is not two[0] or one[1] <= two[1] or one[1] < 0:
            continue
        if not re.search(r"\bfrom\s\S{0,6}$", one[0].text[: one[1]]):
            return _reversed(supported, one[0], one[1])
    return None


def _place(bindings: tuple[Binding, ...], fact: Fact) -> tuple[Record, int] | None:
    return next(
        (
            (each.record, each.found.start)
            for each in bindings
            if each.fact is fact and each.record is not None and each.found is not None
        ),
        None,
    )


def _reversed(supported: Supported, record: Record, start: int) -> Finding:
    if re.match(r"\S+\s(?:against|opposed|no\b|nays)", record.text[start:]):
        return denied(
            supported, _ID, record, "VALUE_MISMATCH", "the record gives the two values the other way round"
        )
    return unstated(
        supported, _ID, "the record gives the two values in another order", "the values in that order"
    )
