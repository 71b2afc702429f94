"""Dates and times in one form: as precise as they were written, never more."""

import re
from datetime import UTC, date, datetime
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
            return _quarter(raw)
        case "stamp":
            return _stamp(raw)
    name = next(each for each in _NAME.findall(raw) if each[:3].lower() in _MONTHS)
    month = _MONTHS.index(name[:3].lower()) + 1
    if kind == "my":
        return f"{numbers[0]:04d}-{month:02d}-??"
    has_year = len(numbers) > 1
    value = _checked(numbers[1] if has_year else 2000, month, numbers[0])
    return value if has_year or not value else f"????{value[4:]}"


_QUARTERS: Final = ("first", "second", "third", "fourth")


def _quarter(raw: str) -> str:
    """Read `Q2 2026`, or a quarter in words."""
    word, *rest = raw.split()
    number = word[1:] if word[1:].isdigit() else str(_QUARTERS.index(word.lower()) + 1)
    year = rest[-1] if rest and rest[-1].isdigit() else "????"
    return f"{year}-Q{number}"


def _stamp(raw: str) -> str:
    """Read a moment as certificates and `date` write it: `Jun  1 00:00:00 2026 GMT`."""
    name, day, clock, *rest = raw.split()
    year = next(each for each in rest if each.isdigit())
    zone = next((each for each in rest if not each.isdigit()), "")
    value = _checked(int(year), _MONTHS.index(name[:3].lower()) + 1, int(day))
    return f"{value}T{time_value(f'{clock} {zone}'.strip())}" if value else ""


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
    day, clock = _parted(claimed)
    found_day, found_clock = _parted(found)
    if ":" in day:
        return _same_clock(day, found_clock or found_day) if ":" in (found_clock or found_day) else None
    if ":" in found_day:
        return None
    agreed = _same_day(day, found_day)
    if agreed is not None and clock and found_clock and "?" not in f"{day}{found_day}":
        moved = _same_instant(day, clock, found_day, found_clock)
        if moved is not None:
            return moved
    if agreed and clock:
        return _same_clock(clock, found_clock) if found_clock else None
    return agreed


def _parted(value: str) -> tuple[str, str]:
    return (value[:10], value[11:]) if value[10:11] == "T" else (value, "")


def _same_clock(claimed: str, found: str) -> bool | None:
    one, other = _CLOCK.match(claimed), _CLOCK.match(found)
    if one is None or other is None:
        return None
    if one[3] and other[3] and one[3] != other[3]:
        first, second = _minutes(one[1], one[3]), _minutes(other[1], other[3])
        return None if first is None or second is None else (first - second) % _DAY == 0
    width = min(len(one[1]), len(other[1]))
    return one[1][:width] == other[1][:width] and not (one[2] and not other[2])


_DAY: Final = 24 * 60
_OFFSETS: Final = {
    "UTC": 0, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
    "CET": 60, "CEST": 120, "JST": 540,
}  # fmt: skip
"""Minutes by which zones whose names mean one thing alone are ahead of UTC."""


def _minutes(clock: str, zone: str) -> int | None:
    """Give a time of day in minutes of UTC; None for a zone whose name may mean several."""
    written = re.fullmatch(r"([+-])([0-9]{2}):?([0-9]{2})", zone)
    offset = (
        int(f"{written[1]}1") * (int(written[2]) * 60 + int(written[3]))
        if written is not None
        else _OFFSETS.get(zone)
    )
    return None if offset is None else int(clock[:2]) * 60 + int(clock[3:5]) - offset


def _same_instant(day: str, clock: str, found_day: str, found_clock: str) -> bool | None:
    """Compare two moments of known day and different zones; None where the zones are equal or not known."""
    one, other = _CLOCK.match(clock), _CLOCK.match(found_clock)
    if one is None or other is None or not one[3] or not other[3] or one[3] == other[3]:
        return None
    first, second = _minutes(one[1], one[3]), _minutes(other[1], other[3])
    if first is None or second is None:
        return None
    days = date.fromisoformat(day).toordinal() - date.fromisoformat(found_day).toordinal()
    return days * _DAY + first == second


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


_EPOCH_NAME: Final = re.compile(
    r"(?:^|[_.])(?:at|on|time|ts|timestamp|date|created|updated|expires|exp|iat|nbf|epoch|since|until)$|[a-z](?:At|Time|Date|On)$"
)


def epoch(name: str, value: str) -> str:
    """Give the moment that a field counts in seconds or milliseconds since 1970, in UTC; empty where it counts none."""
    if not value.isascii() or not value.isdigit() or len(value) not in (10, 13):
        return ""
    if _EPOCH_NAME.search(name) is None:
        return ""
    return datetime.fromtimestamp(int(value[:10]), UTC).strftime("%Y-%m-%dT%H:%M:%SUTC")
