"""Whether a value of the evidence says what a value of the candidate says."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.moments import same_moment
from assay402.checks.claims.reading.text import stem

Outcome: TypeAlias = Literal["equal", "unequal", "unit", "weaker", "other"]
"""`other` is not comparable at all; `weaker` speaks of the same without being as precise."""

NUMERIC: Final = frozenset({"number", "money", "percent", "quantity"})
IDENTIFYING: Final = frozenset({"id", "hash", "email", "url", "path", "version"})
_NAMING: Final = IDENTIFYING | NUMERIC
_SCALED: Final = re.compile(r"[0-9](?:\s?(?:k|m|b|bn|mn|thousand|million|billion|trillion))\b", re.IGNORECASE)
_LETTERS: Final = re.compile(r"[a-z]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_SUMS: Final = frozenset({"amount", "total", "cost", "balanc", "calculat", "price", "fee", "pay"})
"""Stems of words that make a bare number in a text a sum of money."""
_PREFIXED: Final = re.compile(r"[a-z]+[0-9]+")
_SHORTEST_HASH: Final = 7
_YEAR: Final = re.compile(r"1[5-9][0-9]{2}|20[0-9]{2}")
_YEAR_LENGTH: Final = 4


_UNIT_NAMES: Final = ("gb", "mb", "kb", "ms", "secs")
"""What names of fields have of units."""


@cache
def generic() -> frozenset[str]:
    """Give the stems of words that name no attribute in particular."""
    return frozenset(
        stem(word)
        for word in [
            "value",
            "number",
            "date",
            "time",
            "day",
            "id",
            "name",
            "no",
            "code",
            "item",
            "at",
            "on",
            "when",
            "amount",
            "total",
            "cost",
            "price",
            "sum",
            "result",
            "answer",
            "output",
            "return",
            "flight",
            "departure",
            "scheduled",
            "count",
            "level",
            "size",
            "rate",
            "duration",
            "latency",
            "elapsed",
            "est",
            "call",
            *_UNIT_NAMES,
        ]
    )


_COMPARED: Final[dict[str, frozenset[str]]] = {
    "number": frozenset({"number", "money", "percent", "version"}),
    "money": frozenset({"money", "number"}),
    "percent": frozenset({"percent", "number"}),
    "quantity": frozenset({"quantity"}),
    "date": frozenset({"date", "time"}),
    "time": frozenset({"date", "time"}),
    "code": frozenset({"code"}),
}


def compared_with(claimed: Fact) -> frozenset[str]:
    """Give the kinds of values that a value can be compared with: of any other kind, `compare` says `other`."""
    return _COMPARED.get(claimed.kind, _NAMING)


def compare(claimed: Fact, found: Fact) -> Outcome:
    """Compare two values of whatever kind."""
    if claimed.kind in NUMERIC and found.kind in NUMERIC:
        return _numbers(claimed, found)
    if claimed.kind == "number" and found.kind == "version":
        return "equal" if claimed.raw == found.value else "other"  # `upgraded to 4.0`
    if claimed.kind in ("date", "time") and found.kind in ("date", "time"):
        same = same_moment(claimed.value, found.value)
        if same is None:
            return "weaker" if claimed.kind == found.kind else "other"
        return "equal" if same else "unequal"
    if claimed.kind in IDENTIFYING and found.kind in _NAMING:
        return _identifiers(claimed, found)
    if claimed.kind == found.kind == "code":
        return "equal" if claimed.value == found.value else "unequal"
    return "other"


def is_bare(fact: Fact) -> bool:
    """Tell whether a value is a count in digits alone: two of them are the same, or they are not.

    A wide table holds thousands, which are compared without a call for each.
    """
    return (
        fact.kind == "number"
        and len(fact.raw) != _YEAR_LENGTH
        and not fact.unit
        and not fact.compared
        and fact.raw.isdigit()
    )


def _numbers(claimed: Fact, found: Fact) -> Outcome:
    if claimed.kind != found.kind:
        bare = {claimed.kind, found.kind} in ({"money", "number"}, {"percent", "number"})
        if not bare or (claimed.kind == "number" and found.kind == "quantity"):
            return "other"
        if claimed.kind == "percent" and not _DIGITS.search(claimed.raw):
            return "other"  # half of them is no number of them
        if "money" in (claimed.kind, found.kind) and found.start >= 0 and not found.attribute & _SUMS:
            return "other"
        if "percent" in (claimed.kind, found.kind) and not found.compared:
            return _shares(claimed, found)
    elif claimed.unit != found.unit and claimed.unit and found.unit:
        return "unit" if claimed.kind == "money" else "other"
    if claimed.kind == found.kind == "number" and is_year(claimed) != is_year(found):
        return "other"
    if claimed.compared == found.compared == "within":
        # A term is kept or missed as it stands; a shorter one is another term.
        return "equal" if claimed.high == found.high else "unequal"
    if found.compared and not claimed.compared:
        return "weaker"
    return _within(claimed, found)


def _shares(claimed: Fact, found: Fact) -> Outcome:
    """Compare per cent with a bare number, which may be a share of one; read as per cent alone it is no match."""
    plain = _within(claimed, found)
    bare = found if claimed.kind == "percent" else claimed
    if not is_share(bare):
        return plain
    share = _within(*(_in_hundredths(each) if each is bare else each for each in (claimed, found)))
    return "weaker" if plain == "equal" != share else share


def is_share(fact: Fact) -> bool:
    """Tell whether a bare number may be a share of one: a fraction up to one that is not named as per cent."""
    return (
        fact.kind == "number"
        and fact.low is not None
        and fact.low <= 1
        and "." in fact.raw
        and not fact.attribute & _PER_CENT
    )


def _in_hundredths(fact: Fact) -> Fact:
    low, high = (None if each is None else each.scaleb(2) for each in (fact.low, fact.high))
    return replace(fact, low=low, high=high)


_PER_CENT: Final = frozenset(stem(word) for word in ("pct", "percent", "percentage"))


def is_year(fact: Fact) -> bool:
    """Tell whether a bare number is written as a year is: four digits of these centuries, nothing beside them."""
    return len(fact.raw) == _YEAR_LENGTH and not fact.unit and _YEAR.fullmatch(fact.raw) is not None


_BINARY: Final = re.compile(r"[0-9]\s?([kmgt])(?:i?b|(?:ilo|ega|iga|era)bytes?)\b", re.IGNORECASE)


def _same_bytes(claimed: Fact, found: Fact) -> bool:
    """Tell whether two sizes are one where a thousand may be 1024: both are written the same way."""
    if found.low is None or claimed.low is None or claimed.compared:
        return False
    powers = {
        "kmgt".index(match[1].lower()) + 1
        for each in (claimed, found)
        for match in _BINARY.finditer(each.raw)
    }
    factors = [Decimal(1024) ** power / Decimal(1000) ** power for power in sorted(powers)]
    return any(found.low == claimed.low * each or claimed.low == found.low * each for each in factors)


def _within(claimed: Fact, found: Fact) -> Outcome:
    if claimed.unit == "B" and _same_bytes(claimed, found):
        return "equal"
    low, high = claimed.low, claimed.high
    if low is not None and low == high and _is_scaled(claimed.raw):
        slack = _slack(claimed)
        low, high = low - slack, (high or low) + slack
    if found.low is not None and low is not None and low == high and _rounds_to(found.low, low):
        return "equal"
    above = low is None or (
        found.low is not None and (found.low > low if claimed.compared == ">" else found.low >= low)
    )
    below = high is None or (
        found.high is not None and (found.high < high if claimed.compared == "<" else found.high <= high)
    )
    if above and below:
        return "equal"
    apart = (low is not None and found.high is not None and found.high <= low) or (
        high is not None and found.low is not None and found.low >= high
    )
    return "unequal" if apart else "weaker"


def _rounds_to(found: Decimal, claimed: Decimal) -> bool:
    """Tell whether a long fraction, as binary arithmetic writes them, rounds to the claimed one."""
    if abs(found - claimed) >= 1:
        return False
    places = -int(claimed.as_tuple().exponent)
    return (
        -int(found.as_tuple().exponent) > max(5, places)
        and 0 <= places < 20
        and round(found, places) == claimed
    )  # longer than people write


@lru_cache(maxsize=4_096)
def _is_scaled(raw: str) -> bool:
    return _SCALED.search(raw) is not None


def _slack(claimed: Fact) -> Decimal:
    """Give how far a rounded spelling such as `1.2M` may lie from the exact value."""
    if not claimed.low:
        return Decimal(0)
    digits = claimed.raw.replace(",", "")
    written = re.search(r"[0-9]+(?:\.([0-9]+))?", digits)
    places = len(written[1] or "") if written is not None else 0
    unit = claimed.low / Decimal(written[0]) if written is not None and Decimal(written[0]) else Decimal(0)
    return abs(unit) / Decimal(2 * 10**places)


def _identifiers(claimed: Fact, found: Fact) -> Outcome:
    one, other = claimed.value, found.value
    if one == other or (one.isdigit() and other.isdigit() and one == other):
        return "equal"
    if found.kind in NUMERIC:
        return "other"
    if claimed.kind == "path" and other.endswith(f"/{one.lstrip('/')}"):
        return "equal"
    if (
        "hash" in (claimed.kind, found.kind)
        and min(len(one), len(other)) >= _SHORTEST_HASH
        and (one.startswith(other) or other.startswith(one))
    ):
        return "equal"
    if claimed.kind == "id" and (
        other.startswith((f"{one}_", f"{one}-")) or other.endswith((f"-{one}", f"_{one}"))
    ):
        return "equal"
    if claimed.kind == "version" and other.startswith(f"{one}."):
        return "equal"
    return "unequal" if shape(one) == shape(other) and claimed.kind == found.kind else "other"


@lru_cache(maxsize=16_384)
def shape(identifier: str) -> str:
    """Give the form of an identifier: two of one form name things of one kind."""
    if _PREFIXED.fullmatch(identifier) or not identifier.isalnum():
        return _DIGITS.sub("9", identifier)
    return "9" if identifier.isdigit() else f"mixed{len(identifier)}"


_MIXER: Final = (1 << 61) - 1


def gaps(text: str) -> Iterator[int]:
    """Give for each character of a text a number that any text equal to it but there gives too."""
    before = accumulate(map(ord, text), _mixed, initial=0)
    after = [*accumulate(map(ord, reversed(text)), _mixed, initial=0)]
    for index, each in enumerate(before):
        if index < len(text):
            yield (index * _MIXER + each) * _MIXER + after[len(text) - 1 - index]


def _mixed(sum_of_before: int, code: int) -> int:
    return (sum_of_before * 1_114_129 + code) % _MIXER


def near_miss(one: str, other: str) -> bool:
    """Tell whether two mixed codes differ in one character alone, as a slip of copying does."""
    if len(one) != len(other) or len(one) < 6 or one.isdigit():  # shorter ones are numbered in sequence
        return False
    if len(_DIGITS.findall(one)) + len(_LETTERS.findall(one)) < 3:  # a prefix and a number in sequence
        return False
    return sum(a != b for a, b in zip(one, other, strict=True)) == 1
