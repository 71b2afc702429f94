"""The edits a finding proposes: a value in the claim's own spelling, a weaker stage, a denial."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.rules.bind import Binding

_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def replacement(claim: Claim, binding: Binding) -> tuple[str, int, int, str] | None:
    """Give the edit that puts the evidence's value in the place of the claim's, in the claim's own spelling."""
    fact, found = binding.fact, binding.found
    if found is None or fact.compared or binding.state == "unit":
        return None
    text = _spelled(fact, found)
    if text is None or text == fact.raw:
        return None
    start = claim.span.start + fact.start
    return ("REPLACE_VALUE", start, start + len(fact.raw), text)


def _spelled(fact: Fact, found: Fact) -> str | None:
    match fact.kind:
        case "money" | "number" | "percent" | "quantity":
            return _number(fact, found)
        case "date":
            return _date(fact, found)
        case "version":
            return ("v" if fact.raw.startswith("v") else "") + found.value
    return found.raw


def _number(fact: Fact, found: Fact) -> str | None:
    match = re.search(r"[-+−]?[0-9][0-9,]*(?:\.[0-9]+)?", fact.raw)
    if match is None or (re.search(r"[0-9]\s?[A-Za-z]", fact.raw) and fact.kind != "quantity"):
        return None
    if fact.kind == "quantity":
        return found.raw
    number = Decimal(found.value)
    places = -int(number.as_tuple().exponent) if number.as_tuple().exponent != 0 else 0
    cents = fact.kind == "money" and (places > 0 or "." in match[0])
    grouped = "," if "," in match[0] or (number >= 1000 and fact.kind == "money") else ""  # thousands
    return (
        fact.raw[: match.start()]
        + format(number, f"{grouped}{'.2f' if cents else 'f'}")
        + fact.raw[match.end() :]
    )


def _date(fact: Fact, found: Fact) -> str | None:
    year, _, rest = found.value.partition("-")
    if "?" in found.value or "Q" in found.value:
        return None
    month, day = rest[:2], rest[3:5]
    name = _MONTHS[int(month) - 1]
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fact.raw):
        return f"{year}-{month}-{day}"
    behind = re.search(r"[0-9]{4}$", fact.raw)
    if re.match(r"[0-9]{1,2}(?:st|nd|rd|th)?\s", fact.raw):
        return f"{int(day)} {name}" + (f" {year}" if behind else "")
    if re.match(r"[A-Za-z]", fact.raw) and re.search(r"[A-Za-z.]\s[0-9]{1,2}(?![0-9])", fact.raw):
        return f"{name} {int(day)}" + (f", {year}" if behind else "")
    return None
