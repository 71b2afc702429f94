"""Numbers as people and machines write them: separators, scale words, number words, units, currencies."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern

SCALES: Final = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "trillion": 12,
}  # fmt: skip
CURRENCIES: Final = {
    "usdc": "USDC", "canadian dollar": "CAD", "australian dollar": "AUD", "swiss franc": "CHF", "yen": "JPY", "ca$": "CAD", "au$": "AUD", "usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "chf": "CHF", "cad": "CAD", "aud": "AUD",
    "€": "EUR", "£": "GBP", "¥": "JPY", "euro": "EUR", "pound": "GBP", "dollar": "USD", "cent": "cents", "$": "USD", "": "",
}  # fmt: skip
"""Signs and words of currencies, the longer ones first; the dollar sign alone is read as US dollars."""

_UNITS: Final = {
    "ms": ("0.001", "s"), "millisecond": ("0.001", "s"), "us": ("0.000001", "s"), "µs": ("0.000001", "s"), "ns": ("0.000000001", "s"),
    "s": ("1", "s"), "sec": ("1", "s"), "second": ("1", "s"), "min": ("60", "s"), "minute": ("60", "s"), "h": ("3600", "s"), "hr": ("3600", "s"),
    "hour": ("3600", "s"), "d": ("86400", "s"), "day": ("86400", "s"), "week": ("604800", "s"), "month": ("1", "month"), "year": ("12", "month"),
    "kilobyte": ("1000", "B"), "megabyte": ("1000000", "B"), "gigabyte": ("1000000000", "B"), "terabyte": ("1000000000000", "B"), "byte": ("1", "B"), "b": ("1", "B"), "kb": ("1000", "B"), "mb": ("1000000", "B"), "gb": ("1000000000", "B"), "tb": ("1000000000000", "B"),
    "kib": ("1024", "B"), "mib": ("1048576", "B"), "gib": ("1073741824", "B"), "tib": ("1099511627776", "B"),
    "mm": ("0.001", "m"), "cm": ("0.01", "m"), "km": ("1000", "m"), "kilometer": ("1000", "m"), "kilometre": ("1000", "m"), "centimeter": ("0.01", "m"), "centimetre": ("0.01", "m"), "millimeter": ("0.001", "m"), "millimetre": ("0.001", "m"), "meter": ("1", "m"), "metre": ("1", "m"), "mile": ("1609.344", "m"), "foot": ("0.3048", "m"), "feet": ("0.3048", "m"), "ft": ("0.3048", "m"), "inch": ("0.0254", "m"),
    "mcg": ("0.000001", "g"), "µg": ("0.000001", "g"), "ug": ("0.000001", "g"), "mg": ("0.001", "g"), "g": ("1", "g"), "kg": ("1000", "g"), "milligram": ("0.001", "g"), "gram": ("1", "g"), "kilogram": ("1000", "g"), "lb": ("453.59237", "g"), "tonne": ("1000000", "g"),
    "ml": ("0.001", "l"), "l": ("1", "l"), "liter": ("1", "l"), "litre": ("1", "l"), "iu": ("1", "IU"), "gallon": ("1", "gal"), "gal": ("1", "gal"), "pint": ("1", "pt"),
    "°c": ("1", "°C"), "°f": ("1", "°F"), "hz": ("1", "Hz"), "mhz": ("1000000", "Hz"), "ghz": ("1000000000", "Hz"), "kwh": ("1", "kWh"), "mw": ("1000000", "W"), "kw": ("1000", "W"),
    "rps": ("1", "/s"), "req/s": ("1", "/s"), "qps": ("1", "/s"), "km/h": ("1", "km/h"), "mph": ("1.609344", "km/h"), "mbps": ("1", "Mbps"), "px": ("1", "px"), "x": ("1", "x"), "bp": ("1", "bp"), "bps": ("1", "bp"),
}  # fmt: skip
_NUMBER: Final = re.compile(r"[-+−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_SCALE: Final = re.compile(r"\s?(thousand|million|billion|trillion|bn|mn|[kKMB](?![A-Za-z]))")

_ONES: Final = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_POWERS: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FRACTIONS: Final = {"dozen": Decimal(12), "once": Decimal(1), "twice": Decimal(2)}
_NUMBER_WORD: Final = "|".join((*_ONES, *_TENS, *_POWERS, *_FRACTIONS))
_RUN: Final = Pattern(
    rf"\b(?:{_NUMBER_WORD})(?:(?:\s|-|\sand\s)(?:{_NUMBER_WORD})){{0,12}}\b(?!-)", re.IGNORECASE
)


def spelled(raw: str) -> tuple[Decimal, str]:
    """Read the number in a spelling; give it, scale words applied, and what stands behind it."""
    match = _NUMBER.search(raw)
    assert match is not None  # noqa: S101  (callers pass what a pattern with a number matched)
    number = Decimal(match[0].replace(",", "").replace("−", "-"))
    if "-" in raw[: match.start()]:
        number = -number
    rest = raw[match.end() :]
    scale = _SCALE.match(rest)
    if scale is not None:
        number, rest = number.scaleb(SCALES[scale[1].lower()]), rest[scale.end() :]
    return number, rest


def quantity(number: Decimal, unit: str) -> tuple[Decimal, str]:
    """Bring a number with a unit to the base unit; an unknown unit gives an empty one."""
    low = unit.lower()
    known = _UNITS.get(low) or _UNITS.get(low.removesuffix("s"))
    if known is None or (unit == "B" and not number):
        return number, ""
    return number * Decimal(known[0]), known[1]


_FOLLOWING: Final = re.compile(r"[\s-]([A-Za-z]{1,12})\b")


def unit_after(text: str, end: int) -> str:
    """Give the unit right behind a place of a text; empty where the word there is none."""
    match = _FOLLOWING.match(text, end)
    return match[1] if match is not None and quantity(Decimal(1), match[1])[1] else ""


def is_unit(stemmed: str) -> bool:
    """Tell whether a stem is that of a unit's name, of two letters at least."""
    return len(stemmed) > 1 and (stemmed in _UNITS or f"{stemmed}e" in _UNITS)


def number_words(text: str) -> Iterator[tuple[Decimal, int, int]]:
    """Give each number written in words, with its place. `one` counts only where it stands with another or a unit."""
    for match in _RUN.finditer(text):
        parts = re.split(r"[\s-]+", match[0].lower())
        if (parts == ["one"] and not unit_after(text, match.end())) or parts[0] in _POWERS:
            continue
        yield _value(parts), match.start(), match.end()


def _value(parts: list[str]) -> Decimal:
    total = Decimal(0)
    group = Decimal(0)
    for part in parts:
        if part in _FRACTIONS:
            group = (group or 1) * _FRACTIONS[part]
        elif part in _POWERS:
            power = _POWERS[part]
            if power == 100:  # hundreds stay inside their group
                group = (group or Decimal(1)) * power
            else:
                total, group = total + (group or Decimal(1)) * power, Decimal(0)
        elif part != "and":
            group += _ONES.get(part, _TENS.get(part, 0))
    return total + group


_SHARES: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PARTS: Final = {"": 1, "a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_SHARE: Final = Pattern(
    r"\b(?:(?P<half>(?:one[ -])?half)(?=\s(?:of|the|its|their|our|your|all|these|those)\b)|(?<=by )(?:(?:a|one)[ -])?(?P<by>half|third|quarter|fifth|tenth)\b|"
    r"(?P<part>a|one|two|three|four)[ -](?P<share>third|quarter|fifth|tenth)s?(?=\s(?:of|the|its|their|our|your|all)\b))",
    re.IGNORECASE,
)


def shares(text: str) -> Iterator[tuple[Decimal, Decimal, int, int]]:
    """Give each share written in words as per cent: the least and the most it may mean, with its place."""
    written = text.lower()
    if not ("th" in written or "half" in written or "quarter" in written):
        return
    for match in _SHARE.finditer(text):
        name = (match["by"] or match["share"] or "half").lower()
        whole = Decimal(100 * _PARTS[(match["part"] or "").lower()]) / _SHARES[name]
        # A third is told as 33 or as 33.3 per cent.
        low = whole.to_integral_value(rounding="ROUND_FLOOR")
        yield low, low if low == whole else low + 1, match.start(), match.end()
