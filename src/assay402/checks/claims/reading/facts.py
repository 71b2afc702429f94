"""Typed values: one grammar for the candidate and the evidence.

Values are found left to right, the most specific form first, so that a date is never three numbers and an
identifier never a quantity. Every pattern is linear: no quantifier stands inside another over the same characters.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.moments import MONTH, date_value, time_value
from assay402.checks.claims.reading.quantities import (
    CURRENCIES,
    SCALES,
    number_words,
    quantity,
    shares,
    spelled,
)
from assay402.checks.claims.reading.text import acronyms, stems, the_same

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
                rf"(?<![\w.]){_NUMBER}{_SCALE}\s?(?:USDC|USD|EUR|GBP|JPY|CHF|CAD|AUD|dollars?|euros?|pounds?|cents?)\b)"
            ),
            rf"(?P<percent>(?<![\w.]){_NUMBER}\s?(?:%|per\s?cent\b|percentage points?\b|pp\b))",
            rf"(?P<named>\b(?i:{_ID_NOUN})\s?(?:number|no\.?|id|code)?\s?(?:#|:(?!\s?[0-9]+\s[a-z]))?\s?(?:#\s?)?[0-9][0-9]*\b(?![.,:]?[0-9%/-]|\s?(?:%|percent)))",
            r"(?P<run>\b(?:[Uu]pdate|[Uu]pgrade|[Dd]eploy|[Dd]eployment|[Rr]elease|[Rr]efund|[Ee]xport|[Ii]mport|[Bb]ackup|[Rr]estart|[Mm]erge request|[Cc]all|[Ii]nvoice|[Pp]ayment|MR)\s#?[0-9]{1,9}(?=\s(?:was|is|has|had|failed|succeeded|completed|passed|finished|closed|merged|applied|deployed|released|started|queued|skipped|aborted|cancelled|refunded|paid|running|pending)\b|[:;]|\.?\s*$))",
            r"(?P<flight>\b(?!Q[1-4]|H[12])[A-Z][A-Z0-9]\s(?!(?:19|20)[0-9]{2}\b)[0-9]{3,4}\b(?![.,:]?[0-9%]|\s?(?:%|percent|(?!departs|arrives|leaves|lands|boards)[a-z]{3,}s\b)))",
            r"(?P<hash>(?<![\w-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w-]))",
            r"(?P<id>(?<![\w$#])(?:#\s?[A-Z]{0,3}[0-9]{1,12}\b|(?=[A-Za-z_-]*[0-9])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w])|[0-9]+_[a-z][a-z0-9_]*\b|[0-9]+[-_]?[A-Z][A-Z0-9]{3,}\b|(?![0-9]+[A-Z]{1,3}\b)(?=[0-9A-Z]*[A-Z])(?=[0-9A-Z]*[0-9])[0-9A-Z]{5,}\b))",
            rf"(?P<quantity>(?<![\w.]){_NUMBER}{_SCALE}[\s-]?(?P<unit>[A-Za-zµ°]{{1,12}}(?:/[a-z]{{1,6}})?)(?![\w]))",
            rf"(?P<number>(?<![\w.]){_NUMBER}{_SCALE}(?!\w))",
            r"(?P<code>\b[A-Z]{3}\b)",
        )
    )
    + ")"
)
_TRIGGER: Final = re.compile(r"[0-9/@]|\b[A-Z]{3}\b|[a-z]\.[a-z]{2,4}\b|\bquarter\b")
_SEGMENT: Final = re.compile(r"[,;()\[\]|\n]|\.\s|\s[-–—]\s|->|→|\b(?:and|but|while)\b")
_BEFORE: Final = {
    "than": (
        ("more than", ">"), ("greater than", ">"), ("higher than", ">"), ("larger than", ">"), ("longer than", ">"),
        ("no less than", ">="), ("no fewer than", ">="), ("no more than", "<="), ("not more than", "<="),
        ("less than", "<"), ("fewer than", "<"), ("lower than", "<"), ("smaller than", "<"), ("shorter than", "<"),
    ),
    "over": (("over", ">"),), "above": (("above", ">"),), "exceed": (("exceed", ">"),), "exceeds": (("exceeds", ">"),),
    "exceeded": (("exceeded", ">"),), "exceeding": (("exceeding", ">"),), ">": ((">", ">"),),
    "least": (("at least", ">="),), "of": (("minimum of", ">="), ("maximum of", "<=")), ">=": ((">=", ">="),), "≥": (("≥", ">="),),
    "under": (("under", "<"),), "below": (("below", "<"),), "within": (("within", "within"),), "<": (("<", "<"),),
    "as": (("as many as", "<="), ("as much as", "<="), ("as few as", ">="), ("as little as", ">=")), "most": (("at most", "<="),), "to": (("up to", "<="),), "<=": (("<=", "<="),), "≤": (("≤", "<="),),
} | {word: ((word, "~"),) for word in ("about", "around", "approximately", "roughly", "nearly", "almost", "circa", "some", "~", "≈")}  # fmt: skip
"""The comparisons that words before a number make, by the last of them; of several endings the longest holds."""
_MOVED_UP: Final = re.compile(
    r"\b(?:w[eo]nt|goe?s?|gone|going|moved?s?|scaled?s?|bumped|brought|pushed|ros?en?|climbed|came|crept|shot|sped|driven|added|adds?|caught|is|was|now)\sup to$"
)
"""What went up to a number is at it, and not somewhere below."""
_SIGNS: Final = re.compile(r"(?:[<>]=?|[≥≤~≈])$")
_OR_MORE: Final = re.compile(
    r"\s(?:or|and) (?:more|higher|above|greater|later|newer|over|up)\b", re.IGNORECASE
)
_OR_LESS: Final = re.compile(r"\s(?:or|and) (?:less|fewer|lower|below|under|earlier|older)\b", re.IGNORECASE)
_LOCATOR: Final = re.compile(r"[0-9]{3,}[A-Z]{3}")
"""A code such as those of bookings, which a number with a unit would be if the unit were one."""
_ABOUT: Final = Decimal("0.05")
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
    return tuple(_ranges(found, text)) if "etween " in text else tuple(found)


def _ranges(found: list[Fact], text: str) -> Iterator[Fact]:
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
        Fact("percent", str(low), low, high, "%", text[start:end], start, end, _attribute(text, start, end))
        for low, high, start, end in shares(text)
    ]
    taken = [(each.start, each.end) for each in found]
    for value, start, end in number_words(text):
        if any(first < end and start < last for first, last in taken):
            continue
        unit = _unit_after(text, end)
        raw = text[start : end + (len(unit) + 1 if unit else 0)]
        number, unit = quantity(value, unit) if unit else (value, "")
        found.append(
            _numeric("quantity" if unit else "number", number, unit, raw, start, start + len(raw), text)
        )
    return found


_FOLLOWING: Final = re.compile(r"[\s-]([A-Za-z]{1,12})\b")


def _unit_after(text: str, end: int) -> str:
    match = _FOLLOWING.match(text, end)
    return match[1] if match is not None and quantity(Decimal(1), match[1])[1] else ""


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
            digits = re.search(r"[0-9]+$", raw)
            assert digits is not None  # noqa: S101  (the pattern ends in digits)
            return _plain("id", digits[0], digits[0], start + digits.start(), end, text)
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
    return _plain({"uuid": "id", "ip": "id"}.get(kind, kind), raw.lower(), raw, start, end, text)


_TIMED: Final = re.compile(r"\b(?:in|took|takes|taken|after|lasted|duration[:=]?|elapsed[:=]?|time[:=])\s?$")
_ALONE: Final = re.compile(r"\s?(?:[0-9]+s\b|[.,;)\]]|$)")
_BESIDE: Final = 16


def _measured(kind: str, raw: str, start: int, end: int, text: str) -> Fact | None:
    number, rest = spelled(raw.upper() if kind == "money" and raw[-1] in "mb" and raw[-2].isdigit() else raw)
    if kind == "money":
        sign = next((each for each in CURRENCIES if each in raw.lower()), "")
        if CURRENCIES[sign] == "cents":
            number, sign = number / 100, "dollar"
        return _numeric("money", number, CURRENCIES[sign], raw, start, end, text)
    if kind == "percent":
        return _numeric(
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
        return _numeric("number", number, "", cut, start, start + len(cut), text)
    return _numeric("quantity" if canonical else "number", known, canonical, raw, start, end, text)


def _numeric(kind: str, number: Decimal, unit: str, raw: str, start: int, end: int, text: str) -> Fact:
    compared = _compared(text[max(0, start - 24) : start])
    more, less = _OR_MORE.match(text, end), _OR_LESS.match(text, end)
    if text[end : end + 1] == "+" or more is not None:
        compared = ">="
    elif less is not None:
        compared = "<="
    behind = more or less
    end = behind.end() if behind is not None else end
    low, high = _interval(number, compared)
    value = format(number.normalize(), "f") if abs(number.adjusted()) < 40 else str(number)  # readable width
    return Fact(kind, value, low, high, unit, raw, start, end, _attribute(text, start, end), compared)


def _compared(before: str) -> str:
    """Give the comparison the words before a number make."""
    low = before.rstrip().lower()
    sign = _SIGNS.search(low)
    endings = _BEFORE.get(sign[0] if sign is not None else low.rpartition(" ")[2], ())
    if not endings or _MOVED_UP.search(low):
        return ""
    held = [each for each in endings if low.endswith(each[0])]
    return max(held, key=lambda each: len(each[0]))[1] if held else ""


def _interval(number: Decimal, compared: str) -> tuple[Decimal | None, Decimal | None]:
    match compared:
        case ">" | ">=":
            return number, None
        case "<" | "<=" | "within":
            return None, number
        case "~":
            return number - abs(number) * _ABOUT, number + abs(number) * _ABOUT
    return number, number


def _plain(kind: str, value: str, raw: str, start: int, end: int, text: str) -> Fact:
    return Fact(kind, value, None, None, "", raw, start, end, _attribute(text, start, end))


def _attribute(text: str, start: int, end: int) -> frozenset[str]:
    """Give the stems of the words beside a value, up to the next mark that separates."""
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    cut = 0
    for match in _SEGMENT.finditer(before):
        cut = match.end()
    stop = _SEGMENT.search(after)
    beside = f"{before[cut:]} {after[: stop.start()] if stop else after}"
    return the_same(frozenset([each for each in stems(beside) if not each.isdigit()]))
