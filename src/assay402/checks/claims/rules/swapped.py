"""Whether a record has the two sides of a claim the other way round: doer and done to, cause and effect, more and less, counts."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_past, stem, stems, stop_words
from assay402.checks.claims.rules.enumerated import ranked_otherwise

_READ: Final = 600
_WORD: Final = re.compile(r"[^\W\d_][\w-]*")
_BECAUSE: Final = Pattern(
    r"\s(?:because(?: of)?|due to|owing to|as a result of|(?:was|were|is) caused by|caused by|since)\s",
    re.IGNORECASE,
)
_THAN: Final = Pattern(r"\b([\w-]+) than (?:the |an? )?([\w-]+)", re.IGNORECASE)
_PASSIVE: Final = Pattern(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)\s(?:\w+ly\s|not\s|never\s|also\s)?$", re.IGNORECASE
)
_ELSEWHERE: Final = Pattern(
    r"\s(?:to|in|on|at|for|with|from|of|into|as|onto|off|up|down|out)\b", re.IGNORECASE
)
_DOER: Final = re.compile(r"\b([A-Z][a-z]+)\s(?:has\s|have\s)?([a-z]+)\b")
_DONE_BY: Final = Pattern(r"\b([a-z]{3,})\sby\s(?:the\s|an?\s)?([\w-]+)", re.IGNORECASE)
_CAUSED: Final = Pattern(
    r"\b(?:because|due to|thanks to|owing to|as a result|result(?:ed|s)? (?:of|from)|caused by|causing|driven by|led to|through)\b",
    re.IGNORECASE,
)
_BY: Final = Pattern(r"\sby\b", re.IGNORECASE)
_CHANGED: Final = Pattern(
    r"^\W*(?:the |our |a )?(?P<by>.{2,60}?)\s(?:has\s|have\s)?(?:increased|reduced|raised|cut|lowered|boosted|decreased|improved|grew|dropped)\s(?:the\s|our\s)?(?P<what>[A-Za-z][\w\s-]{1,60}?)\sby\b",
    re.IGNORECASE,
)


def is_swapped(claim: Claim, record: Record) -> bool:
    """Tell whether a record says of a claim's two sides what the claim says of the other one."""
    said, told = claim.text[:_READ], record.text[:_READ]
    return (
        _cause_turned(said, told)
        or _compared_turned(said, told)
        or _done_turned(said, told)
        or _by_another(said, told)
        or ranked_otherwise(said, told)
    )


def only_coincides(claim: Claim, record: Record) -> bool:
    """Tell whether a claim says what made something change and a record only that it changed."""
    match = _CHANGED.match(claim.text)
    if match is None or _CAUSED.search(record.text[:_READ]):
        return False
    told = stems(record.text[:_READ])
    by, what = (
        next((at for at, each in enumerate(told) if each in frozenset(stems(match[name]))), -1)
        for name in ("by", "what")
    )
    return 0 <= what < by


def _sides(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    match = _BECAUSE.search(text)
    return (
        None
        if match is None
        else (frozenset(stems(text[: match.start()])), frozenset(stems(text[match.end() :])))
    )


def _cause_turned(said: str, told: str) -> bool:
    mine, theirs = _sides(said), _sides(told)
    if mine is None or theirs is None:
        return False
    return _is_crossed(mine, theirs)


def _is_crossed(
    mine: tuple[frozenset[str], frozenset[str]], theirs: tuple[frozenset[str], frozenset[str]]
) -> bool:
    along = len(mine[0] & theirs[0]) + len(mine[1] & theirs[1])
    return len(mine[0] & theirs[1]) + len(mine[1] & theirs[0]) > along


def _compared_turned(said: str, told: str) -> bool:
    if " than " not in said or " than " not in told:
        return False
    found = {(match[1].lower(), match[2].lower()) for match in _THAN.finditer(told)}
    return any(
        (match[2].lower(), match[1].lower()) in found and (match[1].lower(), match[2].lower()) not in found
        for match in _THAN.finditer(said)
    )


def _by_another(said: str, told: str) -> bool:
    """Tell whether a record says by another one than a claim that the same was done."""
    doer = _DOER.match(said)
    if doer is not None and is_past(doer[2]) and doer[1] in told:
        doers = [each[1] for each in _DOER.finditer(told) if stem(each[2]) == stem(doer[2])]
        return bool(doers) and doer[1] not in doers
    if " by " not in said or " by " not in told:
        return False
    found = {(stem(match[1]), match[2].lower()) for match in _DONE_BY.finditer(told)}
    verbs = {verb for verb, _ in found}
    return any(
        is_past(match[1].lower())
        and stem(match[1]) in verbs
        and (stem(match[1]), match[2].lower()) not in found
        and stem(match[2]) in stems(told)
        for match in _DONE_BY.finditer(said)
    )


def _done_turned(said: str, told: str) -> bool:
    """Tell whether of two things around one verb the other one does it to the other."""
    for verb, agent, goal in _done(said):
        for other in _around(told, verb):
            if agent & other[1] and goal & other[0] and not agent & other[0] and not goal & other[1]:
                return True
    return False


@lru_cache(maxsize=4_096)
def _done(text: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Give each verb of a claim that has both words for who does it and for what it is done to, with them."""
    return tuple((verb, *sides) for verb in _verbs(text) for sides in _around(text, verb) if all(sides))


def _verbs(text: str) -> dict[str, None]:
    """Give the stems of the words of a text that may be verbs, in order."""
    found = (match[0].lower() for match in _WORD.finditer(text))
    return {
        stem(low): None for low in found if (is_past(low) or low.endswith("s")) and low not in stop_words()
    }


def _around(text: str, verb: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Give the words for who does what a verb says and for what it is done to, each time the verb stands in a text."""
    for match in _WORD.finditer(text):
        low = match[0].lower()
        if text[match.end() : match.end() + 1] == "=":
            return  # fields say what they are by their names
        if stem(low) != verb or low in stop_words() or not (is_past(low) or low.endswith("s")):
            continue
        by = _BY.match(text, match.end()) is not None
        passive = by or _PASSIVE.search(text[: match.start()], around=text) is not None
        if passive != by or (not by and _ELSEWHERE.match(text, match.end())):
            continue  # it does not say by whom, or what
        before, behind = frozenset(stems(text[: match.start()])), frozenset(stems(text[match.end() :]))
        yield (behind, before) if passive else (before, behind)


_BREAK: Final = re.compile(r"[,;()|]|\s(?:and|or|but)\s")
_PART: Final = Pattern(
    r"\b(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten)\s(?:out )?of\s(?:(?:the|our|all|your)\s)?$"
)
_SPENT: Final = frozenset(("of", "out of", "of the", "out of the", "of our", "of all", "of your"))


def counted_apart(claim: Claim, record: Record) -> Fact | None:
    """Give the number by which a record counts what a claim counts by another one that the record gives to something else."""
    mine = [fact for fact in claim.facts if fact.kind == "number" and fact.low is not None]
    theirs = [fact for fact in record.facts if fact.kind == "number" and fact.low is not None]
    if (
        not mine or len(theirs) < 2 or not {fact.low for fact in mine} & {fact.low for fact in theirs}
    ):  # one to exchange
        return None
    wanted = [_counted(claim.text, fact, mine) for fact in mine]
    told = [_labelled(record, fact, theirs) for fact in theirs]
    for place, fact in enumerate(mine):
        rest = frozenset().union(*(each for at, each in enumerate(wanted) if at != place))
        own = wanted[place] - rest
        beside = own | _words_before(claim.text, fact, mine)
        labels = [label for label, each in zip(told, theirs, strict=True) if each.low == fact.low]
        if not own or not labels or any(label & beside or not label for label in labels):
            continue
        others = [
            each for label, each in zip(told, theirs, strict=True) if label & own and each.low != fact.low
        ]
        if others:
            return others[0]
    return None


def _labelled(record: Record, fact: Fact, among: list[Fact]) -> frozenset[str]:
    return fact.attribute if fact.start < 0 else _counted(record.text, fact, among)


def _counted(text: str, fact: Fact, among: list[Fact]) -> frozenset[str]:
    """Give the words that say what a number of a text counts: those behind it up to the next number or separator."""
    last = min((each.start for each in among if each.start >= fact.end), default=len(text))
    behind = text[fact.end : last]
    whole = next((each for each in among if each.start == last), None)
    if (
        whole is not None and behind.strip().lower() in _SPENT
    ):  # `12 of 40 hosts are down` counts what is down
        return _words(text[whole.end :])
    if _PART.search(text[: fact.start]):
        return frozenset(("total",))
    found = _words(behind)
    return found or _words_before(text, fact, among)


def _words(behind: str) -> frozenset[str]:
    stop = _BREAK.search(behind, 1)
    return (
        frozenset(
            stem(each) for each in _WORD.findall(behind[: stop.start()] if stop is not None else behind)
        )
        - _EMPTY
    )


def _words_before(text: str, fact: Fact, among: list[Fact]) -> frozenset[str]:
    first = max((each.end for each in among if 0 <= each.end <= fact.start), default=0)
    before = text[first : fact.start]
    stops = [match.end() for match in _BREAK.finditer(before)]
    return frozenset(stem(each) for each in _WORD.findall(before[max(stops, default=0) :])) - _EMPTY


_EMPTY: Final = frozenset(
    (
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "has",
        "have",
        "in",
        "of",
        "by",
        "to",
        "it",
        "with",
        "there",
        "at",
        "on",
        "for",
    )
)
