"""Dates and times of the evidence in the form in which a claim writes its own."""

import re
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.facts import value_facts
from assay402.checks.claims.reading.moments import same_moment
from assay402.checks.claims.reading.parts import weekday

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LONGEST_SHORT: Final = len("Sept")
_CLOCK: Final = re.compile(r"([0-9]{2}):([0-9]{2})(:[0-9]{2})?(\+1)?(\D.*)?")
_WRITTEN: Final = re.compile(
    r"([0-9]{1,2})(:[0-9]{2})?(:[0-9]{2})?(?:[.,][0-9]+)?(?:(\s?)([AaPp])(\.?[Mm]\.?))?(\s?(?:[A-Z]{1,4}|[+-][0-9]{2}:?[0-9]{2}))?"
)


def timed(fact: Fact, found: Fact) -> str:
    """Give a time of day in the claim's form; as the record has it where that form does not tell the same."""
    clock = found.value[11:] if found.value[10:11] == "T" else found.value
    told = _CLOCK.fullmatch(clock)
    written = _WRITTEN.fullmatch(fact.raw)
    if told is None or written is None or told[4] is not None:
        return found.raw
    hour, minutes = int(told[1]), told[2]
    if written[5] is not None:
        first = ("p" if hour >= _NOON else "a") if written[5].islower() else "P" if hour >= _NOON else "A"
        hours, half = str(hour % _NOON or _NOON), f"{written[4]}{first}{written[6]}"
    else:
        hours, half = f"{hour:02d}" if len(written[1]) > 1 else str(hour), ""
    minute = f":{minutes}" if written[2] is not None or minutes != "00" or not half else ""
    second = told[3] or ":00" if written[3] is not None else ""
    made = f"{hours}{minute}{second}{half}{written[7] or ''}"
    read = value_facts(made)
    is_same = bool(read) and bool(same_moment(read[0].value, clock))
    return made if is_same else found.raw


_NOON: Final = 12


_DAY_BEFORE: Final = re.compile(
    r"(?:[A-Z][a-z]{2,5}day|Mon|Tue|Wed|Thu|Fri|Sat|Sun)(,? (?:the )?)(?=[A-Z0-9])"
)


def dated(fact: Fact, found: Fact) -> str | None:
    """Give a date in the claim's form, its day of the week with it; none where the record's date does not fill that form."""
    before = _DAY_BEFORE.match(fact.raw)
    if before is None:
        return _plainly(fact, found)
    plain = _plainly(replace(fact, raw=fact.raw[before.end() :]), found)
    is_whole = found.value[:10].replace("-", "").isdigit()
    return f"{weekday(found.value)}{before[1]}{plain}" if plain is not None and is_whole else None


def _plainly(fact: Fact, found: Fact) -> str | None:
    year, _, rest = found.value.partition("-")
    month, day = rest[:2], rest[3:5]
    behind = re.search(r"[0-9]{4}$", fact.raw)
    if not (month + day).isdigit() or ("?" in year and (behind or fact.raw[:4].isdigit())):
        return None
    if ":" in fact.raw:
        return found.raw
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fact.raw):
        return f"{year}-{month}-{day}"
    said = re.search(r"[A-Za-z]{3,}", fact.raw)
    name = _MONTHS[int(month) - 1]
    if said is not None and len(said[0]) <= _LONGEST_SHORT and said[0].title() not in _MONTHS:
        name = name[:3]
    stop = "." if fact.raw.endswith(".") else ""
    if re.match(r"[0-9]{1,2}(?:st|nd|rd|th)?\s", fact.raw):
        return f"{int(day)} {name}" + (f" {year}" if behind else stop)
    if re.match(r"[A-Za-z]", fact.raw) and re.search(r"[A-Za-z.]\s[0-9]{1,2}(?![0-9])", fact.raw):
        return f"{name} {int(day)}" + (f", {year}" if behind else "")
    return None
