"""Whether the clause of a record that holds a claim's words says as much: nothing restricts, turns or divides them."""

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from msgspec import Struct

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_past, stem, stems, stop_words
from assay402.checks.claims.rules.compare import IDENTIFYING
from assay402.checks.claims.rules.embedding import is_of_past

_READ: Final = 2_000
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*[=+]?|[,:()—–]")
_CLAUSE: Final = re.compile(r"[;|\n\u2028]\s?")
_ENDED: Final = re.compile(r"(?<=[a-z0-9%)])[.!?]\s")
_ASIDE: Final = Pattern(r"\([^()]{0,200}\)")
_JOINS: Final = re.compile(r",\s|\s(?:and|but|while|whereas)\s")
_IS_A: Final = Pattern(r"\b(?:is|are)\s(?:the|an?)\s(?:\w+\s)?", re.IGNORECASE)
"""What is one of a kind, or the one, is so whatever else is said of it."""
_ARTICLES: Final = frozenset(
    ("the", "a", "an", "its", "their", "our", "his", "her", "my", "your", "this", "these")
)
_INDEFINITE: Final = frozenset(("a", "an", "one", "no", "some"))


class _Word(Struct, frozen=True, gc=False):
    low: str
    stem: str
    marks: tuple[str, ...]
    """The particles right before it."""


@cache
def _pairs(name: str) -> frozenset[tuple[str, str]]:
    """Give the pairs of particles of a list, both ways round."""
    listed = [tuple(each) for each in table("particles")[name]]
    return frozenset(listed) | frozenset((two, one) for one, two in listed)


@cache
def _particles() -> frozenset[str]:
    beside = table("particles")["beside"]
    names = ("opposed", "at_a_verb", "of_a_value", "of_a_thing")
    return frozenset(each for name in names for pair in _pairs(name) for each in pair) | frozenset(beside)


@cache
def _empty() -> frozenset[str]:
    """Give the words and marks that carry no content."""
    words = _ARTICLES | {each for each in stop_words() if not each.isdigit()}
    return words | frozenset(",:()—–")


@lru_cache(maxsize=4_096)
def _read(text: str) -> tuple[_Word, ...]:
    """Give the words of a clause that carry content or a number, each with the particles right before it."""
    found: list[_Word] = []
    marks: list[str] = []
    particles, empty = _particles(), _empty()
    for low in map(str.lower, _TOKEN.findall(text[:_READ].replace("on behalf of", "behalf"))):
        if low in particles:
            marks.append(low)
        elif low not in empty:
            found.append(_Word(low, stem(low), tuple(marks)))
            marks = []
    return (*found, _Word("", "", tuple(marks)))


def _blank(match: re.Match[str]) -> str:
    return re.sub("[;|]", " ", match[0])


def _clauses(record: Record) -> tuple[str, ...]:
    known: tuple[str, ...] | None = record.memo.get("clauses")
    if known is None:
        parts = [each.strip() for each in _CLAUSE.split(_ASIDE.sub(_blank, record.text[:_READ]))]
        known = record.memo["clauses"] = tuple(each for each in parts if each) or ("",)
    return known


def stated_with(claim: Claim, record: Record, *, in_words: bool) -> str:
    """Give the word by which a record says another thing or less than a claim in the same words; empty where none does.

    `in_words` tells that the words of the record alone make the support.
    """
    if record.form not in ("line", "prose") or claim.form in ("leaf", "cell"):
        return ""
    wanted = _read(claim.text)
    said = frozenset(each.stem for each in wanted if each.stem)
    clauses = _clauses(record)
    held = [said & frozenset(each.stem for each in _read(clause)) for clause in clauses]
    most = max(held, key=len)
    if len(clauses) > 1 and frozenset().union(*held) - most and _CLAUSE.search(claim.text) is None:
        return "its words in several clauses"
    clause = clauses[held.index(most)]
    return (
        _turned(wanted, _read(clause), claim.text, clause)
        or _of_some(claim.text, clause)
        or _measured(claim.text, clause)
        or (
            "its words in several parts"
            if not _JOINS.search(claim.text) and _is_divided(clause, said)
            else ""
        )
        or ("" if claim.negative else _restricted(claim.text, clause, said))
        or (_tail(claim, record, clause, wanted) if in_words else "")
    )


def _turned(wanted: tuple[_Word, ...], given: tuple[_Word, ...], claimed: str, told: str) -> str:
    """Give the particle by which a clause turns what a claim says."""
    theirs = _marks(told)
    if not theirs:
        return ""
    said = [word.stem for word in wanted if word.low.isalpha()]
    parts = _PARTS.split(told) if "," in told else ()
    full = [each for each in parts if all(word in stems(each) for word in said)]
    if full:
        theirs, given = _marks(full[-1]), _read(full[-1])
    mine = _marks(claimed)
    for one, other in _pairs("opposed"):
        if one in mine and other in theirs and other not in mine and one not in theirs:
            return other
    for before, word in pairwise(wanted) if mine else ():
        for first, each in pairwise(given):
            both = first.stem == before.stem and word.marks and each.marks
            if both and (word.marks[0], each.marks[0]) in _pairs("at_a_verb"):
                return each.marks[0]
    return next(filter(None, (_marked(word, given, mine) for word in wanted if word.stem)), "")


def _marked(word: _Word, given: tuple[_Word, ...], mine: frozenset[str]) -> str:
    """Give the particle before a word of a clause that makes another thing of what the claim says before it."""
    alike = [each for each in given if each.stem == word.stem]
    if not alike or any(not each.marks or set(each.marks) & set(word.marks) for each in alike):
        return ""
    held = frozenset(table("particles")["beside"]) - mine
    if all(held & set(each.marks) for each in alike):
        return alike[0].marks[0]
    pairs = _pairs("of_a_value" if word.low[0].isdigit() else "of_a_thing")
    other = any((one, two) in pairs for each in alike for one in word.marks for two in each.marks)
    return alike[0].marks[-1] if other else ""


_EACH: Final = Pattern(r"\b(?:each|every|any|all)\s(?:of\s|the\s){0,2}([a-z]+)", re.IGNORECASE)


def _of_some(claimed: str, clause: str) -> str:
    """Give the word by which a clause says of one or some what a claim says of each."""
    match = _EACH.search(claimed)
    if match is None or _EACH.search(clause):
        return ""
    found = re.compile(
        rf"\b({'|'.join(table('particles')['some'])})\s(?:of\s|the\s|their\s){{0,2}}([a-z]+)", re.IGNORECASE
    )
    return next((each[1] for each in found.finditer(clause) if stem(each[2]) == stem(match[1])), "")


def _measured(claimed: str, clause: str) -> str:
    """Give the part by which a clause says that something is done only so far: `finished 40%`."""
    for match in _progress().finditer(clause):
        if float(match[1]) < _WHOLE and f"{match[1]}%" not in claimed.replace(" ", ""):
            return f"{match[1]}%"
    return ""


@cache
def _progress() -> Pattern:
    return Pattern(
        rf"\b(?:{'|'.join(table('particles')['measured'])})[\s:(]{{1,3}}([0-9]{{1,3}}(?:\.[0-9]{{1,3}})?)\s?%",
        re.IGNORECASE,
    )


_WHOLE: Final = 100
_PARTS: Final = re.compile(r",\s(?:and\s|but\s|while\s|whereas\s)?")


def _is_divided(clause: str, said: frozenset[str]) -> bool:
    """Tell whether a clause has the words of a claim only in several parts each of which has a verb of its own."""
    parts = [part.rpartition(": ")[2] for part in _PARTS.split(clause)]  # what heads a list is of all of it
    if len(parts) < len(("one", "other")) or not all(
        any(is_past(each) for each in _WORDS.findall(part)) for part in parts
    ):
        return False
    verbs = [next(each for each in _WORDS.finditer(part) if is_past(each[0])) for part in parts]
    held = [frozenset(each.stem for each in _read(part)) for part in parts]
    fullest = max(range(len(parts)), key=lambda place: len(held[place] & said))
    here = held[next((place for place, each in enumerate(verbs) if stem(each[0]) in said), fullest)]
    behind = (_read(part[verb.end() :]) for part, verb in zip(parts, verbs, strict=True))
    return any(each.stem in said - here for told in behind for each in told)


_WORDS: Final = re.compile(r"\b[a-z]{2,}\b")


def _marks(text: str) -> frozenset[str]:
    return _particles().intersection(map(str.lower, _TOKEN.findall(text)))


@cache
def _restricting() -> Pattern:
    return Pattern(rf"\b(?:{'|'.join(table('particles')['restricting'])})\b", re.IGNORECASE)


def _restricted(claimed: str, clause: str, said: frozenset[str]) -> str:
    """Give the word of a clause, behind the first of the claim's, that takes back part of it and that the claim does not say."""
    if _restricting().search(clause) is None:
        return ""
    first = next(
        (match.start() for match in _TOKEN.finditer(clause) if stem(match[0].lower()) in said), len(clause)
    )
    low = claimed.lower()
    ended = _ENDED.search(clause, first)
    last = ended.start() if ended is not None else len(clause)
    return next(
        (match[0] for match in _restricting().finditer(clause[:last], first) if match[0].lower() not in low),
        "",
    )


def _tail(  # (one look at one thing)
    claim: Claim, record: Record, clause: str, wanted: tuple[_Word, ...]
) -> str:
    """Give what goes on behind the claim's last word in a sentence about how things are, and says of which or when."""
    if is_of_past(claim.text) or not (record.is_prose or record.form == "prose"):
        return ""
    tokens = [(match[0].lower(), match.start()) for match in _TOKEN.finditer(clause)]
    place = -1
    for word in wanted[:-1]:
        found = next((at for at in range(place + 1, len(tokens)) if stem(tokens[at][0]) == word.stem), -1)
        if found < 0:
            return ""
        place = found
    ended = _ENDED.search(clause, tokens[place][1]) if place >= 0 else None
    if ended is not None:
        tokens = [each for each in tokens if each[1] < ended.start()]
    base = record.text.find(clause[:20])
    valued = [(each.start - base, each.end - base) for each in record.facts if each.start >= 0]
    spoken = frozenset(match[0].lower() for match in _TOKEN.finditer(claim.text))
    while place + 1 < len(tokens) and (
        (tokens[place + 1][0].isalnum() and tokens[place + 1][0] in spoken)
        or any(first < tokens[place + 1][1] < last for first, last in valued)
    ):
        place += 1
    if place + 1 >= len(tokens):
        return ""
    low = tokens[place + 1][0]
    if low in table("particles")["going_on"] or not low[0].isalpha() or low.endswith("="):
        return ""
    if low not in _small() and _ends_in_value(claim):
        return ""
    if (
        low in _small()
        and low not in table("particles")["limits"]
        and (_is_indefinite(tokens, place) or _is_named(claim) or _IS_A.search(clause[: tokens[place][1]]))
    ):
        return ""
    return clause[tokens[place + 1][1] :][:40]


@cache
def _small() -> frozenset[str]:
    return _particles() | stop_words()


def _is_named(claim: Claim) -> bool:
    """Tell whether a claim ends in a name or an identifier, which nothing behind it makes another one."""
    return _NAMED.search(claim.text) is not None or _ends_in_value(claim, IDENTIFYING)


def _ends_in_value(claim: Claim, kinds: frozenset[str] | None = None) -> bool:
    """Tell whether the last word of a claim is a value, of some kinds: `22.04`, whose edition may follow."""
    ended = len(claim.text.rstrip(" .!"))
    return any(each.end == ended and (kinds is None or each.kind in kinds) for each in claim.facts)


_NAMED: Final = re.compile(r"\s[A-Z]\w*(?:\s[0-9.]+)?\W*$")


def _is_indefinite(tokens: list[tuple[str, int]], place: int) -> bool:
    """Tell whether what stands at a place is one of many, of which more may be said without restricting it."""
    for at in range(place, max(-1, place - 4), -1):
        if tokens[at][0] in _INDEFINITE:
            return True
        if tokens[at][0] in _ARTICLES or tokens[at][0] in _small():
            return False
    return False
