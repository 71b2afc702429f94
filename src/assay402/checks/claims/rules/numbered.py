"""The number that a record gives what a claim says of a thing, apart from how many of the thing there are."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, TypeAlias

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_past, stem
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.compare import compare
from assay402.checks.claims.rules.view import Near

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*|[0-9]+|[^\s\w]")
_JOINT: Final = re.compile(r"[\s_.\-]+|(?<=[a-z0-9])(?=[A-Z])")
_COUNTED: Final = re.compile(r"\s([A-Za-z][a-z-]+)(?=\s*(?:[,;.)|]|$|and\b))")
_COUNTING: Final = frozenset(("count", "num", "number", "n", "no", "total", "of"))
"""Words of a field's name that say only that it counts."""
_OVER: Final = frozenset((",", ";", ".", ":", "and", "but", "while", "whereas", "or"))
_UNDER: Final = frozenset(
    ("in", "on", "at", "for", "from", "with", "without", "by", "to", "after", "before", "during", "since", "until")
)  # fmt: skip
_BE: Final = frozenset(
    ("is", "are", "was", "were", "be", "been", "being", "got", "get", "have", "has", "had")
)
_ABOUT: Final = frozenset(
    ("all", "the", "our", "its", "about", "some", "roughly", "around", "exactly", "only", "just", "nearly", "almost",
     "over", "more", "than", "at", "least", "most", "up", "to", "a", "total", "of", "another", "these", "those")
)  # fmt: skip
_AHEAD: Final = 12
_MOST_FIELDS: Final = 60
_MOST_NUMBERS: Final = 400


def other_number(claim: Claim, near: Near) -> Binding | None:
    """Give a number of a claim and the field that counts what is said of it, where none of that name has the claim's number.

    `12 tests passed` beside `tests=12 passed=9`: how many tests there are is not how many passed.
    """
    numbers = [fact for fact in claim.facts if fact.kind == "number"]
    if not numbers:
        return None
    fields = _counted(near.record) or tuple(
        each for record in near.record.below[:_MOST_FIELDS] for each in _counted(record)
    )
    if len(fields) < len(("how many", "of which")):
        return None
    claimed = {fact.low for fact in numbers}
    for fact in numbers:
        said = _predicates(claim.text, fact)
        if not said:
            continue
        told = [each for each in fields if _is_said(each[1], said, claim)]
        if told and not any(each[2].low in claimed or compare(fact, each[2]) == "equal" for each in told):
            return Binding("mismatch", fact, told[0][2], told[0][0], 1)
    return None


_Counted: TypeAlias = tuple[Record, tuple[str, ...], Fact]


def _counted(record: Record) -> tuple[_Counted, ...]:
    """Give the numbers of a record with what they count, found once."""
    known: tuple[_Counted, ...] | None = record.memo.get("numbered")
    if known is None:
        known = record.memo["numbered"] = tuple(_counting(record))
    return known


def _counting(record: Record) -> Iterator[_Counted]:
    """Give the numbers of a record, and the words of the names of their fields or the one word behind them."""
    for found in record.facts[:_MOST_NUMBERS]:
        if found.kind != "number" or not _is_count(found.low):
            continue
        if found.start >= 0:
            match = _COUNTED.match(record.text, found.end)
            if match is not None:
                yield record, (match[1].lower(),), found
        else:
            place = -1 - found.start
            name = record.fields[place].name if place < len(record.fields) else ""
            parts = tuple(each.lower() for each in _JOINT.split(name.rpartition(".")[2]) if each)
            yield record, tuple(each for each in parts if each not in _COUNTING), found


def _is_count(low: Decimal | None) -> bool:
    return low is not None and low == low.to_integral_value()


def _is_said(name: tuple[str, ...], said: frozenset[str], claim: Claim) -> bool:
    """Tell whether a field is named for what a claim says, and for nothing that it does not say."""
    return (
        bool(name)
        and all(each in said or stem(each) in claim.content for each in name)
        and any(each in said or (_is_of_verb(each) and stem(each) in map(stem, said)) for each in name)
    )


def _predicates(text: str, fact: Fact) -> frozenset[str]:
    """Give the words that may say something of so many things: those around them, and those behind that close the clause."""
    before = [each[0].lower() for each in _WORD.finditer(text[: fact.start])]
    verb = next((each for each in reversed(before) if each not in _ABOUT), "")
    if (
        before
        and before[-1] in (*_UNDER, "of")
        and not (len(before) > 1 and before[-2] in ("up", "total", "out"))
    ):
        return frozenset()  # how many there are is only named
    found: list[str] = [verb] if verb.isalpha() and is_past(verb) else []
    ahead = [each[0].lower() for each in _WORD.finditer(text[fact.end : fact.end + 200])][:_AHEAD]
    thing = _thing(ahead)
    is_under = False
    for place, word in enumerate(ahead):
        if word in _OVER:
            break
        following = ahead[place + 1] if place + 1 < len(ahead) else "."
        is_under = is_under or word in _UNDER
        if (
            word.isalpha()
            and place != thing
            and (not is_under or ahead[place - 1] in _BE or not following.isalpha())
        ):
            found.append(word)
    return frozenset(found)


def _thing(ahead: list[str]) -> int:
    """Give the place of the noun behind a number: the first plural, or what a form of `be` follows, or the first word."""
    named = [place for place, word in enumerate(ahead) if word.isalpha() and word not in _ABOUT]
    return next(
        (
            place
            for place in named
            if (ahead[place].endswith("s") and ahead[place] not in _BE)
            or (ahead[place + 1 : place + 2] and ahead[place + 1] in _BE)
        ),
        named[0] if named else -1,
    )


def part_and_whole(text: str, end: int, near: Near) -> tuple[int | None, int] | None:
    """Give how many of how many things are so, where a record counts both apart: `44% of members renewed` beside `members=700 renewed=308`.

    None where it does not count the things; the first is None where it does not count those that are so.
    """
    ahead = [each[0].lower() for each in _WORD.finditer(text[end : end + 200])][:_AHEAD]
    if ahead[:1] != ["of"]:
        return None
    of = _thing(ahead)
    if of < 0:
        return None
    fields = _counted(near.record)
    whole = [each for each in fields if tuple(map(stem, each[1])) == (stem(ahead[of]),)]
    if len(whole) != 1:
        return None
    said = frozenset(each for each in ahead[of + 1 :] if each.isalpha())
    parts = [each for each in fields if each is not whole[0] and _is_named_for(each[1], said)]
    return (int(parts[0][2].low or 0) if len(parts) == 1 else None), int(whole[0][2].low or 0)


def _is_named_for(name: tuple[str, ...], said: frozenset[str]) -> bool:
    return bool(name) and name[-1] in said | {
        each for each in name if _is_of_verb(each) and stem(each) in map(stem, said)
    }


def _is_of_verb(word: str) -> bool:
    return is_past(word) or word.endswith("ing")
