"""Values of more than one part: `thirty (30) days`, `2 minutes and 5 seconds`, `between 100 and 200 ms`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.measured import numeric
from assay402.checks.claims.reading.quantities import quantity, spelled, unit_after

_REPEATED: Final = " ("
_NEXT_PART: Final = frozenset({"", " ", ", ", " and ", ", and "})


def parts(found: Iterable[Fact], text: str) -> list[Fact]:
    """Join what is one value: `thirty (30) days`, and `2 minutes and 5 seconds`."""
    whole: list[Fact] = []
    for fact in found:
        last = whole[-1] if whole else None
        between = text[last.end : fact.start] if last is not None else ""
        if _is_repeated(last, fact, text):
            start = last.start if last is not None and between == _REPEATED else fact.start - len("one (")
            whole[len(whole) - (between == _REPEATED) :] = [_repeated(start, fact, text)]
        elif last is not None and between in _NEXT_PART and _is_next_part(last, fact, text):
            whole[-1] = _sum(last, fact, text)
        else:
            whole.append(fact)
    return whole


WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAY: Final = re.compile(rf"\b({'|'.join(WEEKDAYS)}|Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:the )?$")


def with_weekday(fact: Fact, text: str) -> Fact:
    """Give a date with the day of the week before it, where it is that date's; a wrong one stays a word of the text."""
    match = _WEEKDAY.search(text[max(0, fact.start - 16) : fact.start]) if fact.kind == "date" else None
    if match is None or not fact.value[:10].replace("-", "").isdigit():
        return fact
    if not weekday(fact.value).startswith(match[1]):
        return fact
    start = fact.start - len(match[0])
    return replace(fact, raw=text[start : fact.end], start=start)


def weekday(value: str) -> str:
    """Name the day of the week of a whole date."""
    return WEEKDAYS[date.fromisoformat(value[:10]).weekday()]


def _is_repeated(said: Fact | None, fact: Fact, text: str) -> bool:
    """Tell whether a number in brackets says in digits what stands in words before it; `one` alone is no value."""
    if fact.low is None or text[fact.end : fact.end + 1] != ")":
        return False
    if said is not None and text[said.end : fact.start] == _REPEATED:
        return said.low == fact.low
    return fact.low == 1 and text[max(0, fact.start - 5) : fact.start].lower() == "one ("


def _repeated(start: int, written: Fact, text: str) -> Fact:
    """Give the number, with the unit behind its brackets."""
    end = written.end + 1
    unit = "" if written.unit else unit_after(text, end)
    if unit:
        end += 1 + len(unit)
        number, unit = quantity(written.low or Decimal(0), unit)
        return numeric("quantity", number, unit, text[start:end], start, end, text)
    return replace(written, raw=text[start:end], start=start, end=end)


def _is_next_part(larger: Fact, smaller: Fact, text: str) -> bool:
    """Tell whether a length of time goes on in a smaller unit."""
    if larger.compared or smaller.compared or "respectively" in text:
        return False
    above, below = _unit_size(larger), _unit_size(smaller)
    return below is not None and above is not None and below[1] == above[1] and below[0] < above[0]


_UNIT: Final = re.compile(r"(?<![A-Za-z])[A-Za-zµ]{1,12}$")


def _unit_size(fact: Fact) -> tuple[Decimal, str] | None:
    """Give what one of the last unit of a length of time is in its base unit; a bare `m` stands for minutes."""
    unit = _UNIT.search(fact.raw)
    if unit is None or fact.kind != ("number" if unit[0] == "m" else "quantity"):
        return None
    size = quantity(Decimal(1), "min" if unit[0] == "m" else unit[0])
    return size if size[1] in ("s", "month") else None


def _sum(larger: Fact, smaller: Fact, text: str) -> Fact:
    number = sum(
        (each.low or Decimal(0)) * (60 if each.kind == "number" else 1) for each in (larger, smaller)
    )
    raw = text[larger.start : smaller.end]
    unit = larger.unit or smaller.unit
    return numeric("quantity", Decimal(number), unit, raw, larger.start, smaller.end, text)


def ranges(found: Sequence[Fact], text: str) -> Iterator[Fact]:
    """Give the values with `between A and B` as one: what lies from the one to the other."""
    skipped = -1
    for index, fact in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if index == skipped:
            continue
        if (
            following is not None
            and fact.low is not None
            and following.low is not None
            and text[max(0, fact.start - 8) : fact.start].lower() == "between "
            and text[fact.end : following.start] == " and "
        ):
            skipped = index + 1
            raw = text[fact.start : following.end]
            low = fact.low * _unit_of(following) if fact.kind == "number" else fact.low
            yield Fact(
                following.kind, following.value, low, following.low, following.unit, raw, fact.start,
                following.end, fact.attribute | following.attribute, "<>",
            )  # fmt: skip
            continue
        yield fact


def _unit_of(fact: Fact) -> Decimal:
    """Give what one of the unit of a value is in its base unit: `between 100 and 200 ms` names it once."""
    number, _ = spelled(fact.raw) if re.search("[0-9]", fact.raw) else (fact.low, "")
    return fact.low / number if number and fact.low else Decimal(1)
