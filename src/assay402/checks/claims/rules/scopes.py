"""Whether a record is of another one of several alike things: of another number, period, place, or name before one noun."""

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.actions import groups_in, mentions
from assay402.checks.claims.reading.naming import kinds
from assay402.checks.claims.reading.naming import words_of as listed
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.quantities import is_unit
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain, stem, stems, stop_words
from assay402.checks.claims.rules.compare import shape
from assay402.checks.claims.rules.exclusive import is_in_other_environment
from assay402.checks.claims.rules.happened import is_of_other_key, is_other_event
from assay402.checks.claims.rules.polarity import antonyms_between
from assay402.checks.claims.rules.view import report_words

_READ: Final = 300
_NUMBERED: Final = re.compile(
    r"\b([A-Za-z]{2,20})[\s=](?:#|no\.\s|number\s)?((?=[\w-]*[0-9])[\w-]+(?:\.[\w-]+){0,4}|[A-Z])(?![\w'%:/.-]*[\w%])"
)
_ORDINAL: Final = Pattern(
    rf"(?<![0-9]\s)\b({'|'.join(table('events')['ordinals'])}|[0-9]{{1,2}}(?=(?:st|nd|rd|th)\b))(?:st|nd|rd|th)?\s([a-z]{{3,20}})\b",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"\W{0,4}(?:(?:[Tt]he|[Oo]ur|[Tt]his|[Aa]n?)\s)?(?:[\w-]{2,20}\s){0,2}")
_PAST: Final = Pattern(r"\b(?:was|were|has been|had been)\b")
_PERIOD: Final = Pattern(
    r"\b(Q[1-4])\b|\b(January|February|March|April|May|June|July|August|September|October|November|December)\b(?!\s[0-9]{1,2}\b)|(?<![-/.\d])\b((?:19|20)[0-9]{2})\b(?![-/.:\d])"
)
_WITHIN: Final = Pattern(r"\b(?:in|for|during|of|over|since)\s(?:[A-Za-z0-9]+\s)?$")
_VERB: Final = Pattern(
    r"\b(?:is|are|was|were|has|have|had|will|did|does|do|rose|fell|grew|totall?ed|reached)\b"
)
_PLACE: Final = Pattern(r"\b(?:on|in|at|of|under)\s[`'\"]?(/[\w./-]{0,80}?)[`'\"]?(?=[\s:;,.]|$)")
_WORD: Final = re.compile(r"(?<![\w-])[A-Za-z][\w-]*(?:['’]s\b)?")
_PASSIVE: Final = re.compile(r"\s(?:(?:was|were|is|are|got|has been|have been|had been)\s)?(?:\w+ly\s)?$")
_ARTICLE: Final = Pattern(r"\b(?:the|our|this|your|that)\s$", re.IGNORECASE)
_ARTICLE_LENGTH: Final = 8
"""An article with the blanks around it."""
_RULES: Final = frozenset(
    (
        "action-recorded",
        "all-facts-bound",
        "stated-verbatim",
        "status-conflict",
        "value-mismatch",
        "antonym",
        "polarity-flip",
        "state-otherwise",
        "state-recorded",
        "test-report",
    )
)


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in table("scopes")[name])


@cache
def _silent() -> frozenset[str]:
    """Give the stems of words that tell no thing from the next of its kind."""
    told = (
        word for each in ("anyone", "letters", "said_of_stage", "staged") for word in table("carrying")[each]
    )
    return frozenset(stem(word) for word in told) | _listed("telling_nothing") | report_words() | kinds()


def is_of_other_scope(claim: Claim, record: Record, rule: str) -> bool:
    """Tell whether a record that a rule judged a claim by is of another one of the things of one kind."""
    if rule not in _RULES:
        return False
    if rule in ("value-mismatch", "antonym") and is_of_other_key(claim, record):
        return True
    if is_in_other_environment(claim, record):
        return True
    if rule == "value-mismatch" and record.form == "line":
        turned = antonyms_between(claim.content, record.own_stems)
        if turned and is_other_event(claim, turned):
            return True
    text = record.searched[:_READ]
    if claim.cell is not None and rule != "test-report":
        return _is_of_other_row(claim, claim.cell[1], record)
    if claim.form == "leaf":
        return False
    if rule == "test-report":
        return _differs(_numbers(claim.text[:_READ], is_claim=False), _numbers(text, is_claim=False)) or (
            _is_of_other_id(claim, record)
        )
    if record.form not in ("line", "prose") or plain(claim.text) == record.plain:
        return False
    said = claim.text[:_READ].replace("_", " ")  # as records are searched
    return (
        _differs(_numbers(said, is_claim=True), _numbers(text, is_claim=False))
        or _differs(_periods(claim), _all_periods(text))
        or _differs(_places(claim.text[:_READ]), _places(text))
        or _is_named_otherwise(claim.text[:_READ], claim.content, record)
    )


def _differs(claimed: dict[str, frozenset[str]], found: dict[str, frozenset[str]]) -> bool:
    return any(told and not told & said for key, said in claimed.items() if (told := found.get(key)))


@lru_cache(maxsize=4_096)
def _numbers(text: str, *, is_claim: bool) -> dict[str, frozenset[str]]:
    """Give the numbers behind nouns, by noun; of a claim only that of its subject: `Pipeline 12 passed`."""
    found: dict[str, frozenset[str]] = {}
    for match in _NUMBERED.finditer(text):
        noun = stem(match[1])
        if match[1].lower().endswith("ed") or not (
            _is_numbered(noun) or (_SHORT.fullmatch(match[2]) and noun in _counted())
        ):
            continue
        if is_claim and _SUBJECT.fullmatch(text[: match.start()]) is None:
            continue
        # Which version something has is a value of it, unless the version itself is what was released.
        if is_claim and noun == stem("version") and not _is_released(text[match.end() :]):
            continue
        found[noun] = found.get(noun, frozenset()) | {match[2].lower().removeprefix("v")}
    for match in _ORDINAL.finditer(text):
        noun = stem(match[2])
        at_head = not is_claim or _SUBJECT.fullmatch(text[: match.start()]) is not None
        if at_head and (_is_numbered(noun) or noun in _counted()):
            found[noun] = found.get(noun, frozenset()) | {_ordinal(match[1].lower())}
    return found


_SHORT: Final = re.compile(r"[0-9]{1,2}")


@cache
def _counted() -> frozenset[str]:
    """Give the stems of what is counted through: the second payment, payment 2."""
    return frozenset(stem(word) for word in table("events")["counted"])


def _is_numbered(noun: str) -> bool:
    return noun in _listed("numbered") or noun in kinds()


def _ordinal(word: str) -> str:
    listed = table("events")["ordinals"]
    return str(listed.index(word) + 1) if word in listed else word


def _is_released(text: str) -> bool:
    return _PAST.match(text.lstrip()) is not None


def _periods(claim: Claim) -> dict[str, frozenset[str]]:
    """Give the periods that a claim gives a value of, which are no values of their own."""
    text = claim.text[:_READ]
    verb = _VERB.search(text)
    is_valued = any(each.kind not in ("date", "time", "period") for each in claim.facts)
    return _kept_periods(text, verb.start() if verb is not None else 0, len(text) if is_valued else 0)


def _all_periods(text: str) -> dict[str, frozenset[str]]:
    return _kept_periods(text, len(text), 0)


def _kept_periods(text: str, before: int, within: int) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for match in _PERIOD.finditer(text):
        if match.start() >= before and not (
            match.start() < within and _WITHIN.search(text[: match.start()], around=text) is not None
        ):
            continue
        key = str(match.lastindex)
        found[key] = found.get(key, frozenset()) | {match[0].lower()}
    return found


def _places(text: str) -> dict[str, frozenset[str]]:
    found = frozenset(match[1].rstrip("/.") for match in _PLACE.finditer(text))
    return {"": found} if found else {}


def _is_named_otherwise(text: str, content: frozenset[str], record: Record) -> bool:
    """Tell whether a record names another thing before the very noun or action: `web deployment` beside `the api was deployed`."""
    held = record.all_stems | frozenset(stems(record.item.source_label))
    for (name, head), is_definite in _paired(text).items():
        parts = frozenset(name.split())
        if parts & held or parts <= _silent() or is_unit(name):
            continue
        others = {
            one
            for one, noun in _told_pairs(record)
            if noun == head and not (words := frozenset(one.split())) & content and not words <= _silent()
        }
        sorts = {one for one in others if (one in _plain()) == (name in _plain())}
        if sorts and (is_definite or name not in _plain()):
            return True
    return False


@cache
def _plain() -> frozenset[str]:
    return frozenset(stem(word) for word in listed("plain"))


@lru_cache(maxsize=4_096)
def _paired(text: str) -> dict[tuple[str, str], bool]:
    """Give the words that stand right before a noun or are what an action is done to, each with whether an article leads it in."""
    text = text.replace("ull request", "ullrequest")
    spans = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    done = {mention.start: mention.group for mention in mentions(text)}
    found: dict[tuple[str, str], bool] = {}
    for (one, start, end), (other, begin, _) in pairwise(spans):
        if _is_idle(one) or text[end:begin] != " " or _is_idle(other):
            continue
        found[_bare(one), _head(other)] = (
            _ARTICLE.search(text[max(0, start - _ARTICLE_LENGTH) : start]) is not None
        )
    for begin, group in done.items():
        before = _PASSIVE.search(text[:begin])
        lead = text[: before.start()] if before is not None else ""
        last = [each for each in spans if each[2] == len(lead)]
        if last and not _is_idle(last[0][0]):
            found[_bare(last[0][0]), f"={group}"] = True
    return found


def _told_pairs(record: Record) -> dict[tuple[str, str], bool]:
    told: dict[tuple[str, str], bool] | None = record.memo.get("paired")
    if told is None:
        told = record.memo["paired"] = _paired(record.searched[:_READ])
    return told


def _is_idle(word: str) -> bool:
    """Tell whether a word names nothing; what is written large does: `US`."""
    return word.lower() in stop_words() and not (word.isupper() and len(word) > 1)


def _bare(word: str) -> str:
    return " ".join(stems(re.sub("['’]s$", "", word))) or word.lower()


def _head(word: str) -> str:
    """Give what a noun is compared by: an action by its group, anything else by its stem."""
    groups = groups_in(word)
    return f"={min(groups)}" if groups else stem(word)


def _is_of_other_id(claim: Claim, record: Record) -> bool:
    """Tell whether a record names another identifier of the form of the claim's and not the claim's."""
    claimed = frozenset(each.value for each in claim.facts if each.kind == "id")
    told = record.ids - claimed
    return not claimed & record.ids and bool(
        {shape(each) for each in claimed} & {shape(each) for each in told}
    )


def _is_of_other_row(claim: Claim, row: str, record: Record) -> bool:
    """Tell whether a record tells of something, and not of what the row is of that a cell of a table stands in."""
    said = frozenset(stems(row.replace("_", " ")))
    own = frozenset(stems(record.text[:_READ])) if record.form == "line" else record.own_stems
    return bool(said) and not said & own and bool(own - _silent() - claim.content)
