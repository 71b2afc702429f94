"""Dates and times in one form: as precise as they were written, never more."""

import re
from datetime import date
from typing import Final

MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|"
    r"january|february|march|april|june|july|august|september|october|november|december)"
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS: Final = re.compile(r"[0-9]+")
_NAME: Final = re.compile(r"[A-Za-z]{3,}")
_TIME: Final = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))?(?::([0-9]{2}))?(?:[.,][0-9]+)?(\+1)?\s*([AaPp])?")
_OFFSET: Final = re.compile(r"(UTC|GMT|Z|[ECMP][SD]T|CEST|CET|BST|IST|JST|[+-][0-9]{2}:?[0-9]{2})$")
_ISO_TIME: Final = re.compile(r"[T ]([0-9]{1,2}:[0-9]{2}.*)$")
_DAYS_IN_YEAR_TWO_DIGITS: Final = 100


def date_value(kind: str, raw: str) -> str:
    """Give a date as `YYYY-MM-DD`, with `?` for parts not written; empty for what is no date or not one alone."""
    numbers = [int(each) for each in _NUMBERS.findall(raw)[:3]]
    match kind:
        case "iso":
            value = _checked(*numbers)
            clock = _ISO_TIME.search(raw)
            return f"{value}T{time_value(clock[1])}" if value and clock else value
        case "slashed":
            return _slashed(*numbers)
        case "quarter":
            year = f"{numbers[1]:04d}" if len(numbers) > 1 else "????"
            return f"{year}-Q{numbers[0]}"
    name = next(each for each in _NAME.findall(raw) if each[:3].lower() in _MONTHS)
    month = _MONTHS.index(name[:3].lower()) + 1
    if kind == "my":
        return f"{numbers[0]:04d}-{month:02d}-??"
    has_year = len(numbers) > 1
    value = _checked(numbers[1] if has_year else 2000, month, numbers[0])
    return value if has_year or not value else f"????{value[4:]}"


def _checked(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _slashed(first: int, second: int, third: int) -> str:
    """Read a slashed date only where its parts can stand in one order alone."""
    if first > 31:  # no day of a month: the year
        return _checked(first, second, third)
    year = third + 2000 if third < _DAYS_IN_YEAR_TWO_DIGITS else third
    if first > 12 or first == second:  # no month
        return _checked(year, second, first)
    return _checked(year, first, second) if second > 12 else ""


def time_value(raw: str) -> str:
    """Give a time of day as `HH:MM`, seconds, `+1` for the next day and the zone behind where written."""
    match = _TIME.match(raw)
    if match is None:
        return ""
    hour, minute, second, next_day, half = match.groups()
    number = int(hour)
    if half is not None:
        if not 1 <= number <= 12:
            return ""
        number = number % 12 + (12 if half in "pP" else 0)
    if number > 24 or int(minute or 0) > 59:
        return ""
    zone = _OFFSET.search(raw.strip())
    return f"{number:02d}:{minute or '00'}{':' + second if second and second != '00' else ''}{next_day or ''}{_zone(zone[1]) if zone else ''}"


def _zone(written: str) -> str:
    return {"Z": "UTC", "GMT": "UTC", "+00:00": "UTC", "+0000": "UTC"}.get(written, written)


_CLOCK: Final = re.compile(r"([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(\+1)?(.*)")


def same_moment(claimed: str, found: str) -> bool | None:
    """Compare two dates or times: True where the found one lies in the claimed, False where it cannot, None if unsaid."""
    day, _, clock = claimed.partition("T")
    found_day, _, found_clock = found.partition("T")
    if ":" in day:
        return _same_clock(day, found_clock or found_day) if ":" in (found_clock or found_day) else None
    if ":" in found_day:
        return None
    agreed = _same_day(day, found_day)
    if agreed and clock:
        return _same_clock(clock, found_clock) if found_clock else None
    return agreed


def _same_clock(claimed: str, found: str) -> bool | None:
    one, other = _CLOCK.match(claimed), _CLOCK.match(found)
    if one is None or other is None:
        return None
    if one[3] and other[3] and one[3] != other[3]:
        return None
    width = min(len(one[1]), len(other[1]))
    return one[1][:width] == other[1][:width] and not (one[2] and not other[2])


def _same_day(claimed: str, found: str) -> bool | None:
    if "Q" in claimed or "Q" in found:
        return _same_quarter(claimed, found)
    agreed: bool | None = True
    for one, other in zip(claimed.split("-"), found.split("-"), strict=True):
        if "?" in one:
            continue
        if "?" in other:
            agreed = None
        elif one != other:
            return False
    return agreed


def _same_quarter(claimed: str, found: str) -> bool | None:
    year, part = claimed.split("-")[:2]
    found_year, found_part = found.split("-")[:2]
    if "?" not in year and "?" not in found_year and year != found_year:
        return False
    if "Q" in part and "Q" in found_part:
        return part == found_part
    if "Q" in part and found_part.isdigit():
        return (int(found_part) + 2) // 3 == int(part[1])
    return None
