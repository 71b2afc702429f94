"""What a claim says of its subject, and whether a record with the claim's values says that too.

A record that names the thing and its amount does not tell what became of it.
"""

import re
from functools import cache, lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim
from assay402.checks.claims.reading.actions import groups_in, words_of
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems, stop_words
from assay402.checks.claims.rules.changed import is_turned
from assay402.checks.claims.rules.misplaced import GONE
from assay402.checks.claims.rules.view import Near, report_words, value_words

_WORD: Final = re.compile(r"[A-Za-z][\w'’-]*|[$€£¥]?[0-9][\w.,:%-]*|[^\s\w]")
_STATUS: Final = re.compile(
    r"(?:^|[_.])(?:status|state|phase|outcome|result|stage|condition)$", re.IGNORECASE
)
_ENDING: Final = re.compile(r"[a-z-]{2,}(?:ed|en|wn|ing|line|ive|[ai]ble)")
_NAMING: Final = frozenset(("the", "a", "an", "this", "that", "these", "those", "your", "our", "its", "their", "his", "her", "my", "each",
                            "every", "any", "no", "of", "in", "on", "at", "for", "from", "to", "by", "with", "without", "per"))  # fmt: skip
"""Words before which a participle names a thing and tells nothing of it: `the delayed flight`."""
_NOT_SO: Final = frozenset(("", "false", "no", "off", "0", "null", "none", "n/a", "-"))
_MOST_RECORDS: Final = 24
_MOST_FIELDS: Final = 60
_READ: Final = 400


def is_predicated(claim: Claim, near: Near) -> bool:
    """Tell whether a record says what a claim says of its subject, where the claim says it with a verb or an adjective."""
    said = predicates(claim.text, is_of_table=near.record.form == "row")
    if not said:
        return True
    if is_turned(claim, near.record) is not None:
        return True  # a change is told by what was before and what is after it
    told, status = _told(near.record), _status(near.record)
    if claim.negative:
        told |= _denied(near.record)
    elif GONE.search(claim.text) and any(
        _denied(each) & claim.content for each in near.record.chain[:_MOST_RECORDS]
    ):
        return True
    return all(
        stem(word) in told
        or (word in _states() and word in _words(near.record))
        or (word in _listed("ended_well") and bool(status & _listed("well")))
        for word in said
    )


@lru_cache(maxsize=4_096)
def predicates(text: str, *, is_of_table: bool) -> tuple[str, ...]:
    """Give the words with which a text says something of its subject, those apart that only carry a value.

    What the numbers of a table are of, its heading says: `North sold 10 units` beside a column `units`.
    """
    tokens = [each[0] for each in _WORD.finditer(text[:_READ])]
    return tuple(
        token
        for place, token in enumerate(tokens)
        if token.islower()
        and token.isalpha()
        and token not in _listed("no_verbs")
        and (token == "got" or stem(token) not in _carrying())
        and _says(tokens, place)
        and not (is_of_table and _is_value("".join(tokens[place + 1 : place + 2])))
    )


def _says(tokens: list[str], place: int) -> bool:
    """Tell whether a word is the verb of a text, or what a form of `be` or `become` says."""
    token, before = tokens[place], tokens[place - 1].lower() if place else ""
    if token in _listed("helping"):
        return token == "got" and _is_value("".join(tokens[place + 1 : place + 2]))
    if before.endswith("ly") and place > 1:
        before = tokens[place - 2].lower()
    if before in _listed("helping"):
        return _ENDING.fullmatch(token) is not None or _is_past(token) or _closes(tokens, place)
    if before in _listed("becoming"):
        return token not in _NAMING and token not in stop_words()
    if token in _listed("becoming") or not place or before in _NAMING or not _is_past(token):
        return False
    return not _only_carries(token, [each.lower() for each in tokens[place + 1 : place + 3]])


def _closes(tokens: list[str], place: int) -> bool:
    """Tell whether a word behind a form of `be` is all that is said: `is dormant`, `is dormant since May`."""
    behind = tokens[place + 1].lower() if place + 1 < len(tokens) else "."
    is_named = tokens[place] in _NAMING or (tokens[place] in stop_words() and tokens[place] not in _states())
    return not is_named and (not behind[0].isalnum() or behind in _NAMING or behind in ("since", "as", "and"))


def _is_past(token: str) -> bool:
    return token.endswith("ed") or token in _listed("past")


def _only_carries(token: str, behind: list[str]) -> bool:
    """Tell whether a verb says no more of its subject than the value behind it."""
    valued = any(_is_value(each) for each in behind)
    if token in _listed("changing"):
        return valued and behind[0] in ("from", "by")
    return valued and (token in _listed("measuring") or behind[-1] == "to")  # `passed 7 to 2`


def _is_value(token: str) -> bool:
    return bool(token) and (token[0].isdigit() or token[0] in "$€£¥~")


@cache
def _carrying() -> frozenset[str]:
    return value_words() | report_words()


@cache
def _states() -> frozenset[str]:
    """Give the words for how a thing stands, of which some are no content elsewhere: up, down."""
    return frozenset(table("states"))


def _words(record: Record) -> frozenset[str]:
    """Give the words of a record's values, or of its text."""
    if record.form in ("json", "row"):
        return frozenset(
            word for field in record.fields[:_MOST_FIELDS] for word in field.value.lower().split()
        )
    return frozenset(each[0].lower() for each in _WORD.finditer(record.text[:_READ]))


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(table("predicates")[name])


def _status(record: Record) -> frozenset[str]:
    """Give the words of the fields that say how things stand."""
    return frozenset(
        word
        for each in (record, *record.above[:1])
        for field in each.fields[:_MOST_FIELDS]
        if _STATUS.search(field.name)
        for word in re.split(r"[\s_-]+", field.value.lower())
    )


def _denied(record: Record) -> frozenset[str]:
    """Give the stems of the names of what a record says is not so."""
    return frozenset(
        word
        for field in record.fields[:_MOST_FIELDS]
        if field.value.strip().lower() in _NOT_SO
        for word in stems(field.name.replace("_", " "))
    )


def _told(record: Record) -> frozenset[str]:
    """Give the stems of what a record states with what it stands in: its values, and the names of those that are not `no`."""
    known: frozenset[str] | None = record.memo.get("told")
    if known is None:
        parts: list[str] = []
        for each in record.chain[:_MOST_RECORDS]:
            parts.append(each.label)
            if each.form in ("json", "row"):
                parts += [
                    f"{field.name} {field.value}"
                    for field in each.fields[:_MOST_FIELDS]
                    if field.value.strip().lower() not in _NOT_SO
                ]
            else:
                parts.append(each.text[:2_000])
        text = " ".join(parts).replace("_", " ")
        groups = groups_in(text[:2_000])
        known = frozenset(stems(text)).union(*map(words_of, groups))
        record.memo["told"] = known
    return known
