"""Lists within sentences: `A, B and C` says what `C, A and B` says, unless the order is what is said."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from assay402.checks.claims.reading.patterns import Pattern

_SMALL: Final = (
    r"(?:is|are|was|were|has|have|had|in|on|to|of|for|by|with|and|or|but|not|no|includes?|contains?)"
)
_ITEM: Final = (
    rf"(?:(?:[Tt]he|[Aa]n?)\s)?(?!{_SMALL}\b)"
    r"(?:[A-Z][\w-]*(?:\s[A-Z][\w-]*){1,3}|[\w@#/][\w.@#/-]*)"
)
"""One word, or several with capitals: more may hold a verb."""
_LIST: Final = re.compile(
    rf"(?:(?<=^)|(?<=[:(]\s)|(?<=\s))(?:{_ITEM}(?:,\s{_ITEM}){{1,20}},?\s(?:and|or)\s{_ITEM}|{_ITEM}\sand\s{_ITEM})"
    r"(?=(?P<end>[.;)\s]*$|\s(?:in|on|at|for|from|to|by|with|of)\b)|\s(?:is|are|was|were|has|have|had|will|did|do|can|both|all|\w+ed|left|won|lost)\b)"
)
_BARE: Final = re.compile(rf"(?<=:\s){_ITEM}(?:,\s{_ITEM}){{1,20}}(?=(?P<end>[.;\s]*$))")
_PARTS: Final = re.compile(r",?\s(?:and|or)\s|,\s")
_ORDERED: Final = Pattern(
    r"\b(?:respectively|in (?:that|this|the following|which) order|in order|order|then|followed by|before|after|first|second|third|fourth|1st|2nd|3rd|rank\w*|alphabetical\w*|between|from|versus|vs)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 600


def is_ordered(text: str) -> bool:
    """Tell whether the order of what a text lists is part of what it says."""
    return _ORDERED.search(text) is not None


@lru_cache(maxsize=2_048)
def items_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Give the lists of a text, each with its items in lower case and in order."""
    return tuple(_items(match[0]) for match in _found(text[:_LONGEST]))


def _found(text: str) -> Iterator[re.Match[str]]:
    """Give the lists that are the subject of their sentence or stand at the end of a part of it; others may belong to two."""
    if " and " in text or " or " in text:
        yield from (match for match in _LIST.finditer(text) if match["end"] is not None or match.start() == 0)
    elif ": " in text and ", " in text:
        yield from _BARE.finditer(text)


def _items(text: str) -> tuple[str, ...]:
    return tuple(
        re.sub(r"^(?:the|an?)\s", "", each.strip(" .").lower()) for each in _PARTS.split(text) if each.strip()
    )


def sorted_lists(text: str) -> str:
    """Give a text with the items of its lists in one order, where their order says nothing."""
    text = text[:_LONGEST]
    if is_ordered(text):
        return text
    for match in reversed(list(_found(text))):
        joined = "or" if " or " in match[0] else "and"
        text = f"{text[: match.start()]}{joined} {' '.join(sorted(_items(match[0])))}{text[match.end() :]}"
    return text


def ranked_otherwise(claimed: str, told: str) -> bool:
    """Tell whether two texts list the same in another order, where the order is part of what they say."""
    if not (is_ordered(claimed) or is_ordered(told)):
        return False
    theirs = {tuple(sorted(each)): each for each in items_of(told)}
    return any(theirs.get(tuple(sorted(each)), each) != each for each in items_of(claimed))
