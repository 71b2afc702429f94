"""The edits a finding proposes: a value in the claim's own spelling, a weaker stage, a denial."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import UNIT_NAME, Record
from assay402.checks.claims.rules.agreeing import agreeing
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.compare import IDENTIFYING, is_share
from assay402.checks.claims.rules.dating import dated, timed


def replacement(claim: Claim, binding: Binding) -> tuple[str, int, int, str] | None:
    """Give the edit that puts the evidence's value in the place of the claim's, in the claim's own spelling."""
    fact, found = binding.fact, binding.found
    if found is None or _is_said_already(claim, fact, found):
        return None
    first, last = fact.start, fact.start + len(fact.raw)
    cents = re.match(r",[0-9]{1,2}(?![0-9])", claim.text[last:])
    if cents is not None and fact.kind == "money":
        last += cents.end()
        text: str | None = _with_unit(found)
    else:
        text = _with_unit(found) if binding.state == "unit" else _spelled(fact, found, binding.record)
    told = _joined(*_source(binding)) if fact.kind in _JOINED else ""
    mine = _whole(claim.text, first, last)
    if told or (fact.kind in _JOINED and _joined(claim.text, first, last)):
        # A part of `555-0202` or `12A` is no value: the whole goes in the place of the whole.
        (first, last), text = mine, told or _with_unit(found)
    article = _ARTICLE.search(claim.text[:first]) if fact.raw.isalpha() else None
    first = article.start(1) if article is not None else first
    if fact.compared and fact.compared != "~":
        # The comparison goes with the value it does not hold for, unless the record compares as well.
        compared = _COMPARED.search(claim.text[:first])
        if compared is None or (found.compared and found.compared != "~"):
            return None
        first = compared.start()
    if text is None or (text == fact.raw and not fact.compared):
        return None
    if fact.kind == "percent" and text.isdigit() and claim.text.startswith(" of ", last):
        return None  # a count is no share
    if fact.raw.endswith(".") and not text.endswith(".") and not claim.text[last:].strip("\"')”*_ "):
        last -= 1  # the full stop of the sentence
    if fact.kind in ("number", "quantity"):
        first, last, text = agreeing(claim.text, first, last, text)
    return ("REPLACE_VALUE", claim.span.start + first, claim.span.start + last, text)


def _is_said_already(claim: Claim, fact: Fact, found: Fact) -> bool:
    """Tell whether the claim has the evidence's value in another place: `from EUR to EUR` is no change."""
    kinds = (
        *IDENTIFYING,
        "code",
        *(("number", "money", "percent", "quantity", "version") if _FROM_TO.search(claim.text) else ()),
    )
    return fact.kind in kinds and any(
        each is not fact and each.kind == found.kind and each.value == found.value for each in claim.facts
    )


_FROM_TO: Final = re.compile(r"\bfrom\s\S.{0,30}\sto\s|\bto\s\S.{0,30}\sfrom\s|->|→")
_JOINED: Final = ("number", "percent", "money", "quantity", "version")
_ARTICLE: Final = Pattern(r"\b([Aa]n?\s)$")
_TIMES: Final = {"1": "once", "2": "twice"}
_LONGEST: Final = 60
_BEFORE: Final = re.compile(r"\+?(?:[^\W_]|[-./:](?=[^\W_]|$))*$")
_BEHIND: Final = re.compile(r"[^\W_]*(?:[-./:+][0-9][^\W_]*)*")


def _source(binding: Binding) -> tuple[str, int, int]:
    """Give the text in which the evidence's value stands, with its place there; an empty place where it does not."""
    found, record = binding.found, binding.record
    raw, at = (found.raw, found.start) if found is not None else ("", 0)
    if at < 0:
        value = next((each.value for each in record.fields[-1 - at :]), "") if record is not None else ""
        at = max(0, value.find(raw))
    else:
        value = record.text if record is not None else ""
    return value, at, min(len(value), at + len(raw))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Give the run of letters and digits in which a value stands, with those that signs join to it."""
    before = _BEFORE.search(text[max(0, start - _LONGEST) : start])
    behind = _BEHIND.match(text, end, end + _LONGEST)
    return start - (len(before[0]) if before is not None else 0), behind.end() if behind is not None else end


def _joined(text: str, start: int, end: int) -> str:
    """Give what a value is only a part of; empty where it stands alone."""
    first, last = _whole(text, start, end)
    around = text[first:start] + text[max(start, end) : last]
    return text[first:last] if any(char.isalnum() for char in around) else ""


_COMPARED: Final = Pattern(
    r"\b(?:over|above|more than|greater than|at least|under|below|less than|fewer than|up to|at most|no more than|no less than|exceed(?:ed|s)?)\s$",
    re.IGNORECASE,
)


def _spelled(fact: Fact, found: Fact, record: Record | None) -> str | None:
    match fact.kind:
        case "money" | "number" | "percent" | "quantity":
            return _number(fact, found, "" if record is None else _currency(record))
        case "date":
            return dated(fact, found)
        case "time":
            return timed(fact, found)
        case "version":
            return ("v" if fact.raw.startswith("v") else "") + found.value
    return found.raw


def _with_unit(found: Fact) -> str:
    """Give a value as the record has it, its currency with it."""
    if found.kind == "money" and found.unit and re.fullmatch(r"[0-9][0-9.,]*", found.raw):
        return f"{found.raw} {found.unit}"
    return found.raw


def _currency(record: Record) -> str:
    """Give the currency that a field of a record tells; empty where none does."""
    return next(
        (
            each.value.upper()
            for each in record.fields
            if _CODE.fullmatch(each.value) and UNIT_NAME.search(each.name.rpartition(".")[2])
        ),
        "",
    )


_CODE: Final = re.compile(r"[A-Za-z]{3,4}")


def shown(binding: Binding) -> str:
    """Give the evidence's value as a note names it; empty where that would be the claim's own."""
    found = binding.found
    value = "" if found is None else _with_unit(found)
    return "" if value.lower() == binding.fact.raw.lower() else value


def _unit_of(raw: str) -> str:
    """Give the unit behind a number as it is written, but for blanks."""
    return re.sub(r"^[0-9.,]+[\s-]*", "", raw)


def _number(fact: Fact, found: Fact, currency: str) -> str | None:
    if fact.raw.lower() in ("once", "twice", "thrice") and found.raw.isdigit():
        return _TIMES.get(found.raw, f"{found.raw} times")
    match = re.search(r"[-+−]?[0-9][0-9,]*(?:\.[0-9]+)?", fact.raw)
    if match is not None and fact.kind == "percent" and found.low is not None and is_share(found):
        return f"{fact.raw[: match.start()]}{found.low.scaleb(2).normalize():f}{fact.raw[match.end() :]}"
    scaled = re.search(r"[0-9]\s?[A-Za-z]", fact.raw) is not None and fact.unit not in fact.raw.split()
    comma = re.search(r"[0-9],[0-9]{1,2}(?![0-9])", fact.raw) is not None
    is_sum = fact.kind == "money" and found.kind == "number"
    if is_sum and currency not in ("", fact.unit):
        return f"{found.raw} {currency}"
    other = found.kind != fact.kind and not is_sum
    if fact.kind == "quantity" and match is not None and _unit_of(fact.raw) == _unit_of(found.raw):
        number_found = re.match(r"[0-9][0-9.,]*", found.raw)
        return found.raw if number_found is None else number_found[0].rstrip(".,") + fact.raw[match.end() :]
    if match is None or scaled or comma or fact.kind == "quantity" or other:
        # Words, scales and other spellings: the record's own are the only sure ones.
        return _with_unit(found)
    digits = re.search(r"[0-9][0-9,]*(?:\.[0-9]+)?", found.raw)
    number = Decimal(found.value)
    if digits is None or number < 0 or re.match(r"0[0-9]", digits[0]) or re.match(r"0[0-9]", match[0]):
        return _with_unit(found)
    whole, _, places = digits[0].replace(",", "").partition(".")
    if Decimal(f"{whole}.{places or 0}") != number:
        return _with_unit(found)
    is_money = fact.kind == "money"
    if "," in match[0] or (number >= 1000 and is_money):  # thousands
        whole = f"{int(whole):,}"
    if is_money and not (int(places or 0) or "." in match[0]):
        places = ""
    elif is_money:
        places = (places + "00")[: max(2, len(places))]
    return fact.raw[: match.start()] + whole + (f".{places}" if places else "") + fact.raw[match.end() :]
