"""Whether a record asserts what it says: not what somebody believes, denies, asks, refuses or nearly does."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, words

_READ: Final = 2_000


class _Head(NamedTuple):
    """A word that takes away that what stands behind it is so, and how far it reaches."""

    word: str
    words: frozenset[str]
    stems: frozenset[str]
    first: int
    last: int
    undone: bool
    """It tells of something not done rather than leaving it open."""
    awaited: bool
    """It only says when or after what: of something past, that it was so."""


_PART: Final = re.compile(r"(?<=[.!?])\s+|;\s|,\s(?:but|and|while|whereas|so)\s|,\s|\sbut\s")


_UNDONE: Final = "undone"
_AWAITED: Final = "awaited"


@cache
def _heads() -> tuple[tuple[Pattern, str], ...]:
    """Give the patterns of what takes away that the words behind them are so, each with what it tells of them instead."""
    lists = {
        name: "|".join(listed) for name, listed in table("embedding").items() if isinstance(listed, list)
    }
    found = (
        (
            rf"\b(?:{lists['doubting']})\s(?:that\b|the\b|it\b|he\b|she\b|they\b|we\b|all\b|having\b|to\b|[A-Z])",
            "",
        ),
        (rf"\b(?:is|are|was|were|been|widely)\s(?:widely\s|now\s)?(?:{lists['said_to']})\sto\b", ""),
        (rf"\b(?:{lists['asking']}|{lists['supposing']})\b", ""),
        (rf"\b(?:{lists['unreal']})\b", _UNDONE),
        (
            r"\b(?:no evidence|not true|not the case|not (?:been )?(?:shown|proven|confirmed|established)|(?:nobody|no one) (?:has |have |had |ever |can |could |will |would |may |might |dares? ){0,2}\w+)\sthat\b",
            "",
        ),
        (rf"\A\W{{0,4}}(?:(?:the|our|an?)\s)?({lists['labels']})(?:\s[\w-]+){{0,3}}?\s?:(?!\S)", ""),
        (rf"\b(?:stop|quit|do not|don't|never)\s(?:{lists['parrying']})\b", ""),
        (r"\A\W{0,4}(?:assert|if)\s", ""),
        (
            rf"(?:\A|(?<=[.;!?]\s))[^.;!?]{{1,300}}?,\s(?:[\w'-]+\s){{0,4}}?({lists['trailing']})\b(?!\s(?:the|an?|to|that)\b)",
            "",
        ),
        (r"(?:\A|(?<=[.;!?]\s))[^.;!?]{1,300}\?\s(no|not|nope|false|unknown|unclear|pending)\b", ""),
        (rf"\bin (?:the|this|that|his|her|their|a|an) (?:\w+ )?(?:{lists['fiction']})\b,?", ""),
        (rf"\b(?:{lists['refusing']})\sto\b", _UNDONE),
        (rf"\b(?:{lists['telling']})\s(?:[\w'-]+\s){{1,3}}?to\b", ""),
        (rf"\b(?:{lists['awaiting']})\b(?!,)", _AWAITED),
    )
    return tuple((Pattern(pattern, re.IGNORECASE), told) for pattern, told in found)


@cache
def _head_words() -> frozenset[str]:
    """Give the words without one of which a text has none of these patterns."""
    listed = table("embedding")
    told = (each for name in _LISTS for each in listed[name])
    return frozenset(max(each.split(), key=len) for each in told) | {
        "evidence",
        "not",
        "nobody",
        "one",
        "stop",
        "quit",
        "never",
        "don",
        "assert",
        "if",
        "todo",
    }


_LISTS: Final = (
    "doubting", "said_to", "asking", "supposing", "awaiting", "fiction", "refusing", "telling", "unreal", "denying", "labels", "trailing",
)  # fmt: skip


@cache
def _denials() -> Pattern:
    """Give the pattern of a statement about a statement: `reports that … are false`."""
    return Pattern(
        rf"\b(?:reports?|claims?|rumou?rs?|allegations?|statements?|suggestions?|stories|story|news|idea)\s(?:that|of)\b(.{{1,300}}?)\s(?:is|are|was|were|has been|have been|proved|turned out)\s(?:to be\s)?(?:\w+ly\s)?(?:{'|'.join(table('embedding')['denying'])})\b",
        re.IGNORECASE,
    )


def is_embedded(claim: Claim, record: Record) -> bool:
    """Tell whether a record has words of a claim only under a word that takes away that they are so."""
    return _embedded(claim, record, only_doubt=False)


def is_doubted(claim: Claim, record: Record) -> bool:
    """Tell whether a record leaves open whether the words of a claim are so, so that it denies nothing either."""
    return _embedded(claim, record, only_doubt=True)


_POLLED: Final = re.compile(
    r"[.\s]*[(\[]?(?:true or false|yes or no|right or wrong|correct or (?:not|incorrect)|fact or fiction|agree or disagree)\b",
    re.IGNORECASE,
)
"""What makes the sentence before it a question."""
_ORDERS: Final = Pattern(r"\b(?:before|after)\b", re.IGNORECASE)


def _embedded(claim: Claim, record: Record, *, only_doubt: bool) -> bool:
    if record.form not in ("line", "prose") or claim.form in ("leaf", "cell"):
        return False
    if _POLLED.match(record.item.text, record.span[1]) is not None:
        return True
    heads = _found(record)
    if (claim.negative or claim.modality != "is") and not only_doubt:
        heads = tuple(each for each in heads if not each.undone)
    if heads and is_of_past(claim.text):
        heads = tuple(each for each in heads if not each.awaited or each.word == stem("before"))
    if heads and _ORDERS.search(claim.text):  # what stands behind is a side of the claim as well
        heads = tuple(each for each in heads if not each.awaited)
    if not heads:
        return False
    said = frozenset((*stems(claim.text), *(stem(word) for word in words(claim.text.lower()))))
    text = record.text[:_READ]
    kept = _outside(text, heads, said, only_doubt=only_doubt)
    if kept is None:
        return False
    return bool((claim.content & frozenset(stems(text))) - frozenset(stems(kept)))


def _outside(text: str, heads: tuple[_Head, ...], said: frozenset[str], *, only_doubt: bool) -> str | None:
    """Give a text without what stands under such words; None where none stands there that a claim does not say itself."""
    scopes = [
        (each.first, each.last)
        for each in heads
        if not (each.words <= said if each.undone else each.word in said)
        and not (each.undone and (only_doubt or each.stems & said))
    ]
    if not scopes:
        return None
    kept, position = [], 0
    for first, last in sorted(scopes):
        kept.append(text[position : max(position, first)])
        position = max(position, last)
    return " . ".join((*kept, text[position:]))


def _found(record: Record) -> tuple[_Head, ...]:
    """Give the stretches of a record that stand under a word that takes away that they are so."""
    known: tuple[_Head, ...] | None = record.memo.get("heads")
    if known is None:
        may = not _head_words().isdisjoint(record.plain.split()) or "?" in record.text
        known = record.memo["heads"] = tuple(_searched(record.text[:_READ])) if may else ()
    return known


def _searched(text: str) -> Iterator[_Head]:
    whole = _denials().search(text)
    if whole is not None:
        yield _head(whole[0].split()[0], whole.start(), whole.end(), "")
    ends = [*(match.start() for match in _PART.finditer(text)), len(text)]
    for pattern, told in _heads():
        for match in pattern.finditer(text):
            last = next(each for each in ends if each >= match.end() or each == ends[-1])
            yield _head(match[match.lastindex or 0], match.start(), last, told)


def _head(said: str, first: int, last: int, told: str) -> _Head:
    held = tuple(stem(word) for word in words(said.lower()))
    return _Head(
        held[0], frozenset(held), frozenset(stems(said)), first, last, told == _UNDONE, told == _AWAITED
    )


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:was|were|had|did|been)\b|^(?!.*\b(?:is|are|am|be)\b).*(?:[a-z]{{2}}ed|\b(?:{'|'.join(table('embedding')['past'])}))\b",
        re.DOTALL,
    )


def is_of_past(text: str) -> bool:
    """Tell whether a claim tells of something past."""
    return _past().search(text) is not None


@cache
def _nearing() -> Pattern:
    return Pattern(
        rf"\b({'|'.join(table('embedding')['nearing'])})\s(?:\w+ly\s)?([A-Za-z][\w-]*)", re.IGNORECASE
    )


def only_nears(claim: Claim, record: Record) -> str:
    """Give the word by which a record says only nearly what a claim says; empty where none does."""
    low = claim.text.lower()
    for match in _nearing().finditer(record.text[:_READ]):
        if match[1].lower() not in low and stem(match[2]) in frozenset(stems(claim.text)):
            return match[1].lower()
    for match in _ranking().finditer(record.text[:_READ]):
        word = (match[1] or match[3]).lower()
        wanted = match[2] or f"the {match[4]}"
        if word not in low and re.search(rf"\b{re.escape(wanted.lower())}\b", low) is not None:
            return word
    return _had(claim, record)


def _had(claim: Claim, record: Record) -> str:
    """Give the word by which a record says that something had what the claim says it has."""
    is_past = _HAD.search(record.text[:_READ]) is not None and not _HAS.search(record.text[:_READ])
    return "had" if is_past and record.is_prose and _HAS.search(claim.text) is not None else ""


_HAS: Final = Pattern(r"\b(?:has|have)\s(?:an?|the|no|[0-9]+|two|three|four|five|six)\s", re.IGNORECASE)
_HAD: Final = Pattern(r"\bhad\s(?:an?|the|no|[0-9]+|two|three|four|five|six)\s", re.IGNORECASE)


@cache
def _ranking() -> Pattern:
    lists = table("embedding")
    return Pattern(
        rf"\b({'|'.join(lists['ranking'])})[\s-]((?:[a-z]{{2,}}est|best|worst|most|least)\b)|\b({'|'.join(lists['one_of'])})\s(?:the|its|our|their)\s([\w-]+)",
        re.IGNORECASE,
    )


@cache
def _restricting() -> Pattern:
    return Pattern(rf"\b({'|'.join(table('embedding')['restricting'])})\b", re.IGNORECASE)


_TOLD: Final = re.compile(r"\w+")
_FIRST: Final = Pattern(r"(?<!\bat )(?<!^)\bfirst\b(?!,)(?!\s(?:quarter|half))", re.IGNORECASE)
_LAST: Final = Pattern(r"(?<!\bat )(?<!\bthe )\blast[.!]?\s*$", re.IGNORECASE)
_WITHOUT: Final = Pattern(
    r"\bwithout\s(?:any\s|a\s|an\s|the\s|further\s|incurring\s)?([A-Za-z-]+)", re.IGNORECASE
)


def restriction(claim: Claim, records: tuple[Record, ...]) -> str:
    """Give a word by which a claim says more than all of some records do; empty where there is none."""
    text = claim.text
    told = frozenset(_TOLD.findall(" ".join([each.searched[:_READ] for each in records]).lower()))
    for match in _restricting().finditer(text):
        word = match[1].lower()
        alike = table("embedding")["as_much"].get(word, ())
        if not (set(word.split()) <= told or told.intersection(alike)):
            return word
    first = _FIRST.search(text)
    if first is not None and not told & {"first", "1", "1st", "initial", "initially", "earliest"}:
        return first[0]
    if _LAST.search(text) is not None and not told & {"last", "final", "finally", "latest", "lastly"}:
        return "last"
    without = _WITHOUT.search(text)
    held = frozenset().union(*(each.all_stems for each in records))
    is_said = all(each.form in ("line", "prose") for each in records)  # a field says it by its value
    if (
        without is not None
        and is_said
        and stem(without[1]) not in held
        and without[1].lower().rstrip("s") not in _FAULTS
    ):
        return without[0]
    return ""


_FAULTS: Final = frozenset(
    ("error", "warning", "issue", "problem", "failure", "incident", "conflict", "finding", "doubt", "fault")
)
"""What `polarity-differs` looks for, and the doubt that is none."""
