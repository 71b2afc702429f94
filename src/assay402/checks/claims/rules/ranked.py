"""Which row of a table has more of what its column counts, or the most."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World

_MORE: Final = "higher|greater|larger|bigger|more"
_LESS: Final = "lower|smaller|fewer|less"
_MOST: Final = "highest|greatest|largest|biggest|most"
_LEAST: Final = "lowest|smallest|fewest|least"
_HAS: Final = r"^\W*(?:[Tt]he\s)?(?P<one>[^,;:?!\n]{1,60}?)\s(?:has|have|had)\s"
_THAN: Final = Pattern(
    rf"{_HAS}(?:an?\s)?(?P<word>(?:{_MORE})|(?:{_LESS}))\s(?P<what>[a-z][a-z _-]{{1,30}}?)\sthan\s(?:the\s)?(?P<other>[^,;:?!\n]{{1,60}}?)[.\s]*$"
)
_FIRST: Final = Pattern(
    rf"{_HAS}the\s(?P<word>(?:{_MOST})|(?:{_LEAST}))\s(?P<what>[a-z][a-z _-]{{1,30}}?)[.\s]*$"
)
_LOW: Final = re.compile(rf"(?:{_LESS}|{_LEAST})$")
_VALUE: Final = re.compile(r"[$€£¥]?\s?(-?[0-9][0-9,]*(?:\.[0-9]+)?)\s?(%?)")
_TOGETHER: Final = re.compile(r"\W*(?:grand )?(?:total|sum|all|average|mean|overall|other)\b", re.IGNORECASE)
"""What names a row of all of them together."""
_ROWS: Final = 2_000


def ranked(view: View, rule_id: str) -> Finding | None:
    """Judge `A has more sales than B` and `A has the most sales` by the column of that name of the only table that has one."""
    claim = view.claim
    if claim.negative or claim.modality != "is" or claim.form != "clause":
        return None
    match = _THAN.match(claim.text) or _FIRST.match(claim.text)
    if match is None:
        return None
    rows = _column(view.world, frozenset(stems(match["what"].replace("_", " "))))
    named = [each for each in rows if each[0] == match["one"].lower()]
    if len(named) != 1:
        return None
    other = match.groupdict().get("other")
    rivals = [each for each in rows if each[0] != named[0][0] and (other is None or each[0] == other.lower())]
    if not rivals or (other is not None and len(rivals) != 1):
        return None
    own, sign = named[0][1], -1 if _LOW.match(match["word"]) else 1
    best = max(rivals, key=lambda each: each[1] * sign)
    if best[1] == own:
        return None
    agrees = own * sign > best[1] * sign
    return Finding(
        support="SUPPORTED" if agrees else "CONTRADICTED",
        rule=rule_id,
        refs=(named[0][2].ref, best[2].ref),
        code="" if agrees else "COMPARISON_FALSE",
        note="the column has the order" if agrees else "the column has the other order",
    )


def _column(world: World, wanted: frozenset[str]) -> list[tuple[str, Decimal, Record]]:
    """Give each row's name with its number in the column of a name; nothing where two tables have one, or a cell is no number."""
    return world.once(("column", wanted), lambda: _read(world, wanted))


def _read(world: World, wanted: frozenset[str]) -> list[tuple[str, Decimal, Record]]:
    found: list[tuple[str, Decimal, Record]] = []
    heads = set()
    first = min(wanted, default="")
    for record in world.with_stem(first)[:_ROWS] if first else ():
        held = [each for each in record.fields if frozenset(stems(each.name.replace("_", " "))) == wanted]
        if record.form != "row" or not held or _TOGETHER.match(record.fields[0].value):
            continue
        value = _VALUE.fullmatch(held[0].value.strip())
        if value is None or len(held) > 1 or held[0] is record.fields[0]:
            return []
        heads.add((record.item.id, tuple(each.name for each in record.fields), value[2]))
        found.append((record.fields[0].value.strip("*_` ").lower(), _number(value[1]), record))
    return found if len(heads) == 1 else []


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))
