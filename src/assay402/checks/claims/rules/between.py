"""A change from one month or quarter to another, by the two numbers that a sentence gives for them."""

import re
from decimal import Decimal
from typing import Final

from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stems

_TIME: Final = r"January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|(?:19|20)[0-9]{2}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_FROM_TO: Final = Pattern(rf"\b(?:from|between)\s(?P<old>{_TIME})\s(?:to|and)\s(?P<new>{_TIME})\b")
_AT: Final = re.compile(
    rf"(?<![\w.,-])(?P<sign>[$€£¥]?)(?P<number>[0-9][0-9,]*(?:\.[0-9]+)?)(?P<scale>%|k|\s(?:thousand|million|billion))?(?P<unit>(?:\s[a-z]{{1,12}})??)\s(?:in|for|on|during)\s(?P<time>{_TIME})\b"
)
_LONGEST: Final = 300


def changed_between(claim: Claim, record: Record) -> Decimal | None:
    """Give by how many per cent a thing changed between the two times that a claim names, as a sentence gives one number for each."""
    match = _FROM_TO.search(claim.text)
    times = (match["old"], match["new"]) if match is not None else ("", "")
    told = [each for each in _AT.finditer(record.text[:_LONGEST]) if each["time"] in times]
    if (
        len(told) != len({each["time"] for each in told} & set(times))
        or len(told) != 2  # one for each
        or len({(each["sign"], each["scale"]) for each in told}) > 1
        or len({each["unit"] for each in told} - {""}) > 1
        or not frozenset(stems(record.text[: told[0].start()])) <= frozenset(stems(claim.text))
    ):
        return None
    values = {each["time"]: Decimal(each["number"].replace(",", "")) for each in told}
    old, new = (values[each] for each in times)
    return (new - old) * 100 / old if old and told[0]["scale"] != "%" else None
