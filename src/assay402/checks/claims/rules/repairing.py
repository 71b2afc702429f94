"""The edits a finding proposes: a value in the claim's own spelling, a weaker stage, a denial."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
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
    if found is None:
        return None
    start = claim.span.start + fact.start
    end = start + len(fact.raw)
    cents = re.match(r",[0-9]{1,2}(?![0-9])", claim.text[fact.start + len(fact.raw) :])
    if cents is not None and fact.kind == "money":
        end += cents.end()
    text = (
        _with_unit(found) if binding.state == "unit" or end > start + len(fact.raw) else _spelled(fact, found)
    )
    if fact.compared and fact.compared != "~":
        # The comparison goes with the value it does not hold for.
        compared = _COMPARED.search(claim.text[: fact.start])
        if compared is None:
            return None
        start -= fact.start - compared.start()
    if text is None or (text == fact.raw and not fact.compared):
        return None
    return ("REPLACE_VALUE", start, end, text)


_COMPARED: Final = Pattern(
    r"\b(?:over|above|more than|greater than|at least|under|below|less than|fewer than|up to|at most|no more than|no less than|exceed(?:ed|s)?)\s$",
    re.IGNORECASE,
)


def _spelled(fact: Fact, found: Fact) -> str | None:
    match fact.kind:
        case "money" | "number" | "percent" | "quantity":
            return _number(fact, found)
        case "date":
            return _date(fact, found)
        case "version":
            return ("v" if fact.raw.startswith("v") else "") + found.value
    return found.raw


def _with_unit(found: Fact) -> str:
    """Give a value as the record has it, its currency with it."""
    if found.kind == "money" and found.unit and re.fullmatch(r"[0-9][0-9.,]*", found.raw):
        return f"{found.raw} {found.unit}"
    return found.raw


def _number(fact: Fact, found: Fact) -> str | None:
    match = re.search(r"[-+−]?[0-9][0-9,]*(?:\.[0-9]+)?", fact.raw)
    scaled = re.search(r"[0-9]\s?[A-Za-z]", fact.raw) is not None and fact.unit not in fact.raw.split()
    comma = re.search(r"[0-9],[0-9]{1,2}(?![0-9])", fact.raw) is not None
    if match is None or scaled or comma or fact.kind == "quantity" or found.kind != fact.kind:
        # Words, scales and other spellings: the record's own are the only sure ones.
        return _with_unit(found)
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
