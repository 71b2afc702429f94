"""Typed values: one grammar for the candidate and the evidence.

Values are found left to right, the most specific form first, so that a date is never three numbers and an
identifier never a quantity. Every pattern is linear: no quantifier stands inside another over the same characters.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.measured import attribute, numeric
from assay402.checks.claims.reading.moments import MONTH, date_value, time_value
from assay402.checks.claims.reading.parts import parts, ranges, with_weekday
from assay402.checks.claims.reading.quantities import (
    CURRENCIES,
    SCALES,
    number_words,
    quantity,
    shares,
    spelled,
    unit_after,
)
from assay402.checks.claims.reading.text import acronyms

_NUMBER = r"[-+−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|bn|mn|[kKMB](?![A-Za-z])))?"
_TZ = r"(?:\s?(?:UTC|GMT|Z|[ECMP][SD]T|CEST|CET|BST|IST|JST|[+-][0-9]{2}:?[0-9]{2}))?"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
_ID_NOUN = (
    r"(?:order|invoice|ticket|issue|incident|migration|pr|pull request|build|job|case|reference|flight|option|"
    r"account|transaction|customer|user|change|attempt|patch|bug|request|article|section|chapter|room|gate|"
    r"reservation|booking|contract|policy|batch|run|step|port|zone|item|table|figure|fig\.|claim|patient|member|employee|parcel|shipment|node|device|sensor|footnote|appendix|exhibit|question)s?"
)
_INSIDE: Final = r"(?:(?<!\w)|(?<=\w)(?=https?://|(?:US|CA|AU)?[$€£¥]|-[$€£]))"
"""Inside a word nothing begins but a link and a sum of money."""
_BEGINS: Final = (
    r"(?=[\w#$€£¥~./+−-])"
    r"(?![A-Za-z][a-z]*\s(?!number|no|id|code|request|quarter)[a-z]|[a-z]+(?:[;)]|,(?!\s[0-9])))"
)
"""A quick look at where a value can begin: no plain word does before another word but those named, or before a mark."""
_GRAMMAR: Final = re.compile(
    _BEGINS
    + _INSIDE
    + "(?:"
    + "|".join(
        (
            r"(?P<url>https?://[^\s\"'<>)\]},]{1,2000})",
            r"(?P<email>(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})",
            r"(?P<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)",
            rf"(?P<stamp>\b{MONTH}\s{{1,2}}[0-9]{{1,2}}\s{_CLOCK}(?:\s[A-Z]{{3,4}})?\s[0-9]{{4}}\b(?:\s(?:GMT|UTC)\b)?)",
            rf"(?P<iso>(?<![\w.])[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ]{_CLOCK}{_TZ})?(?![\w-]))",
            rf"(?P<dmy>\b[0-9]{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{MONTH}\b\.?(?:,?\s[0-9]{{4}}\b)?)",
            rf"(?P<mdy>\b{MONTH}\b\.?\s[0-9]{{1,2}}(?![0-9]|[:.][0-9]|\s?%)(?:st|nd|rd|th)?(?:,?\s[0-9]{{4}}\b)?)",
            rf"(?P<my>\b{MONTH}\b\.?,?\s[0-9]{{4}}\b)",
            r"(?P<slashed>(?<![\w/.])[0-9]{1,4}/[0-9]{1,2}/[0-9]{2,4}(?![\w/]))",
            r"(?P<quarter>\bQ[1-4](?:\s(?:of\s)?[0-9]{4})?\b|\b(?:first|second|third|fourth)\squarter(?:\sof\s[0-9]{4})?\b)",
            rf"(?P<time>(?<![\w:.]){_CLOCK}(?:\+1)?(?:\s?[AaPp]\.?[Mm]\b\.?)?{_TZ}(?![\w:]))",
            rf"(?P<hour>\b[0-9]{{1,2}}\s?[AaPp]\.?[Mm]\b{_TZ})",
            r"(?P<ip>(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]{1,2})?(?!\w|\.[0-9]))",
            r"(?P<version>(?<![\w.])(?:v[0-9]+(?:\.[0-9]+){0,3}|[0-9]+(?:\.[0-9]+){2,3})(?:[-+][0-9A-Za-z.]{1,40})?(?!\w))",
            (
                r"(?P<path>(?<![\w/.])(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]+)*/?|(?<![\w/.:])[\w.-]{1,100}(?:/[\w.-]{1,100}){1,20}\.[A-Za-z0-9]{1,8}\b"
                r"|(?<![\w/.@])[\w-]{1,80}\.(?:py|js|ts|md|txt|json|ya?ml|csv|pdf|xlsx?|docx?|html|log|sql|sh|toml|zip|png|go|rs|java)\b)"
            ),
            (
                rf"(?P<money>(?:US|CA|AU)?[$€£¥]\s?{_NUMBER}(?:[mb](?![A-Za-z])|{_SCALE})|-[$€£]{_NUMBER}|\b(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|USDC)\s?{_NUMBER}|"
                rf"(?<![\w.]){_NUMBER}{_SCALE}\s?(?:USDC|USD|EUR|GBP|JPY|CHF|CAD|AUD|(?:(?:US|U\.S\.|Canadian|Australian)\s)?dollars?|euros?|pounds?|cents?|Swiss francs?|yen)\b)"
            ),
            rf"(?P<percent>(?<![\w.]){_NUMBER}\s?(?:%|per\s?cent\b|percentage points?\b|pp\b))",
            rf"(?P<named>\b(?i:{_ID_NOUN})\s?(?:number|no\.?|id|code)?\s?(?:#|:(?!\s?[0-9]+\s[a-z]))?\s?(?:#\s?)?[0-9][0-9]*\b(?![.,:]?[0-9%/-]|\s?(?:%|percent|(?:second|minute|hour|day|week|month|year)s?\b)))",
            r"(?P<run>\b(?:[Uu]pdate|[Uu]pgrade|[Dd]eploy|[Dd]eployment|[Rr]elease|[Rr]efund|[Ee]xport|[Ii]mport|[Bb]ackup|[Rr]estart|[Mm]erge request|[Cc]all|[Ii]nvoice|[Pp]ayment|MR)\s#?[0-9]{1,9}(?=\s(?:was|is|has|had|failed|succeeded|completed|passed|finished|closed|merged|applied|deployed|released|started|queued|skipped|aborted|cancelled|refunded|paid|running|pending)\b|[:;]|\.?\s*$))",
            r"(?P<flight>\b(?!Q[1-4]|H[12])[A-Z][A-Z0-9]\s(?!(?:19|20)[0-9]{2}\b)[0-9]{3,4}\b(?![.,:]?[0-9%]|\s?(?:%|percent|(?!departs|arrives|leaves|lands|boards)[a-z]{3,}s\b)))",
            (
                r"(?P<parts>(?<![\w.])(?=[0-9]+(?:d|h|m|min)[0-9])(?:[0-9]{1,6}d)?(?:[0-9]{1,6}h)?(?:[0-9]{1,6}m(?:in)?)?"
                r"(?:[0-9]{1,6}(?:\.[0-9]{1,9})?s)?(?:[0-9]{1,6}ms)?(?!\w))"
            ),
            r"(?P<hex>(?<![\w])0x[0-9a-fA-F]{3,128}(?!\w))",
            r"(?P<hash>(?<![\w-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w-]))",
            r"(?P<id>(?<![\w$#])(?:#\s?[A-Z]{0,3}[0-9]{1,12}\b|(?=[A-Za-z_-]*[0-9])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w])|[0-9]+_[a-z][a-z0-9_]*\b|[0-9]+[-_]?[A-Z][A-Z0-9]{3,}\b|(?![0-9]+[A-Z]{1,3}\b)(?=[0-9A-Z]*[A-Z])(?=[0-9A-Z]*[0-9])[0-9A-Z]{5,}\b))",
            rf"(?P<quantity>(?<![\w.]){_NUMBER}{_SCALE}[\s-]?(?P<unit>[A-Za-zµ°]{{1,12}}(?:/[a-z]{{1,6}})?)(?![\w]))",
            rf"(?P<number>(?<![\w.]){_NUMBER}{_SCALE}(?!\w))",
            r"(?P<code>\b[A-Z]{3}\b)",
        )
    )
    + ")"
)
_DAY: Final = re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b")
_TRIGGER: Final = re.compile(r"[0-9/@]|\b[A-Z]{3}\b|[a-z]\.[a-z]{2,4}\b|\bquarter\b")
_LOCATOR: Final = re.compile(r"[0-9]{3,}[A-Z]{3}")
"""A code such as those of bookings, which a number with a unit would be if the unit were one."""
LONGEST: Final = 4_000
"""Values are looked for in pieces of a text up to this long."""
MOST: Final = 60
"""A sentence with more values is none, and is not judged."""


@lru_cache(maxsize=1_024)
def facts(text: str) -> tuple[Fact, ...]:
    """Give the typed values of a text, in order."""
    found = list(_digits(text)) if _TRIGGER.search(text) else []
    found += [
        fact
        for fact in _words(text)
        if not any(each.start < fact.end and fact.start < each.end for each in found)
    ]
    found.sort(key=lambda fact: fact.start)
    if "day" in text or _DAY.search(text) is not None:
        found = [with_weekday(fact, text) for fact in found]
    if len(found) > 1 or "(1)" in text:
        found = parts(found, text)
    return tuple(ranges(found, text)) if "etween " in text else tuple(found)


@lru_cache(maxsize=4_096)
def value_facts(text: str) -> tuple[Fact, ...]:
    """Give the typed values of a short text that is a value by itself, such as a JSON string."""
    return facts(text)


def _digits(text: str) -> list[Fact]:
    found: list[Fact] = []
    for match in _GRAMMAR.finditer(text):
        kind = match.lastgroup or ""
        made = _make(kind, match[0], match.start(), match.end(), text)
        if made is not None:
            found.append(made)
    return found


def _words(text: str) -> list[Fact]:
    found = [
        Fact("percent", str(low), low, high, "%", text[start:end], start, end, attribute(text, start, end))
        for low, high, start, end in shares(text)
    ]
    taken = [(each.start, each.end) for each in found]
    for value, start, end in number_words(text):
        if any(first < end and start < last for first, last in taken):
            continue
        behind = _MEASURED_BY.match(text, end)
        if behind is not None:
            raw = text[start : behind.end()]
            measured = _measured(
                "percent" if behind[1] else "money",
                f"{value} {behind[2] or behind[3] or '%'}",
                start,
                behind.end(),
                text,
            )
            found += [] if measured is None else [replace(measured, raw=raw)]
            continue
        unit = unit_after(text, end)
        raw = text[start : end + (len(unit) + 1 if unit else 0)]
        number, unit = quantity(value, unit) if unit else (value, "")
        found.append(
            numeric("quantity" if unit else "number", number, unit, raw, start, start + len(raw), text)
        )
    return found


_MEASURED_BY: Final = re.compile(
    r"\s(?:(per\s?cent)|((?:canadian |australian )?dollar|euro|pound|cent|swiss franc|yen)s?|(?:us|u\.s\.) (dollar)s?)\b",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"[0-9]+$")


def _make(kind: str, raw: str, start: int, end: int, text: str) -> Fact | None:
    match kind:
        case "stamp" | "iso" | "dmy" | "mdy" | "my" | "slashed" | "quarter":
            value = date_value(kind, raw)
            return _plain("date", value, raw, start, end, text) if value else None
        case "time" | "hour":
            value = time_value(raw)
            return _plain("time", value, raw, start, end, text) if value else None
        case "money" | "percent" | "number" | "quantity":
            return _measured(kind, raw, start, end, text)
        case "flight":
            return _plain("id", raw.lower().replace(" ", ""), raw, start, end, text)
        case "named" | "run":
            digits = _ENDING.search(raw)
            assert digits is not None  # noqa: S101  (the pattern ends in digits)
            return _plain("id", digits[0], digits[0], start + digits.start(), end, text)
        case "parts":
            return _written_together(raw, start, end, text)
        case "version":
            return _plain("version", raw.lower().removeprefix("v"), raw, start, end, text)
        case "url":
            cut = raw.rstrip(".,;:!?")
            return _plain("url", cut.rstrip("/").lower(), cut, start, start + len(cut), text)
        case "id":
            return _plain("id", raw.lstrip("# ").lower(), raw, start, end, text)
        case "path":
            cut = raw.rstrip(".")
            return (
                _plain("path", cut.rstrip("/"), cut, start, start + len(cut), text) if len(cut) > 1 else None
            )
        case "code":
            return None if raw.lower() in acronyms() else _plain(kind, raw.lower(), raw, start, end, text)
    return _plain(
        {"uuid": "id", "ip": "id", "hex": "hash"}.get(kind, kind), raw.lower(), raw, start, end, text
    )


_TIMED: Final = re.compile(r"\b(?:in|took|takes|taken|after|lasted|duration[:=]?|elapsed[:=]?|time[:=])\s?$")
_ALONE: Final = re.compile(r"\s?(?:[0-9]+s\b|[.,;)\]]|$)")
_BESIDE: Final = 16


def _measured(kind: str, raw: str, start: int, end: int, text: str) -> Fact | None:
    number, rest = spelled(raw.upper() if kind == "money" and raw[-1] in "mb" and raw[-2].isdigit() else raw)
    if kind == "money":
        low = raw.lower()
        sign = next((each for each in CURRENCIES if each in low), "")
        if CURRENCIES[sign] == "cents":
            number, sign = number / 100, "dollar"
        return numeric("money", number, CURRENCIES[sign], raw, start, end, text)
    if kind == "percent":
        return numeric(
            "percent", number, "pp" if "p" in rest.replace("per", "") else "%", raw, start, end, text
        )
    unit = "" if kind == "number" else rest.strip(" -")
    if unit == "m" and _TIMED.search(text, max(0, start - _BESIDE), start) and _ALONE.match(text, end):
        unit = "min"  # what something took is no million
    metres = unit == "m" and raw.endswith(" m")  # beside a blank; the letter alone stands for millions
    known, canonical = (
        quantity(number, "metre" if metres else unit)
        if metres or (unit and unit.lower() not in SCALES)
        else (number, "")
    )
    if kind == "quantity" and not canonical and _LOCATOR.fullmatch(raw):
        return _plain("id", raw.lower(), raw, start, end, text)
    if kind == "quantity" and not canonical:
        # The word behind is no unit: a count of things, or a word that only follows.
        cut = raw[: len(raw) - len(unit)].rstrip(" -") if unit.lower() not in SCALES else raw
        return numeric("number", number, "", cut, start, start + len(cut), text)
    return numeric("quantity" if canonical else "number", known, canonical, raw, start, end, text)


_PART: Final = re.compile(r"([0-9.]+)([a-z]+)")


def _written_together(raw: str, start: int, end: int, text: str) -> Fact:
    """Read a length of time such as `1h5m`."""
    units = _PART.findall(raw)
    number = sum(quantity(Decimal(each), "min" if unit == "m" else unit)[0] for each, unit in units)
    return numeric("quantity", Decimal(number), "s", raw, start, end, text)


def _plain(kind: str, value: str, raw: str, start: int, end: int, text: str) -> Fact:
    return Fact(kind, value, None, None, "", raw, start, end, attribute(text, start, end))
