"""Statuses and ticks: what headings, labels, short sentences and table cells say of how something stands."""

import re
from functools import cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.sentences import FINITE

_LONGEST: Final = 160
_TICK: Final = Pattern(r"^\W*?(?:✅|✔️?|✓|☑️?|❌|✗|✘|✖️?|\[[xX]\])\s*|\s*(?:✅|✔️?|✓|☑️?|❌|✗|✘|✖️?)\W*$")
_ASIDE: Final = Pattern(
    r"\b(?:how|what|why|when|where|which|who|whether|if|to do|could|would|should|can|may|might|must|will|please|let|want|need)\b",
    re.IGNORECASE,
)
_QUANTIFIED: Final = Pattern(
    r"^\W*(?:all|every|each|both|no|none|everything|nothing|the|our|your|my|this|these|those)\b",
    re.IGNORECASE,
)
_TAIL: Final = r"(?=\W*$|\s(?:in|on|to|with|at|by|since|after|before|for|from|without|within|and|again|now|successfully|cleanly|as|via|via)\b|\s?[,;(—–-]\s?)"


@cache
def words_for(name: str) -> frozenset[str]:
    """Give a list of words of the table by its name."""
    return frozenset(table("statuses")[name])


def _any_of(name: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words_for(name), key=lambda word: (-len(word), word)))


@cache
def _forms() -> tuple[Pattern, ...]:
    """Give the forms of a label with a status, of a subject with one, of a denied fault, and of a status alone."""
    status, faults = _any_of("status"), _any_of("faults")
    return (
        Pattern(
            rf"(?P<subject>[^:\n]{{1,80}}?)\**:\**\s+(?:all\s|now\s|is\s)?(?:{status}){_TAIL}", re.IGNORECASE
        ),
        Pattern(
            rf"(?P<subject>[^:\n]{{1,100}}?)\s(?:(?:is|are|was|were|has been|have been|now|all|successfully|not)\s){{0,3}}(?:{status}){_TAIL}",
            re.IGNORECASE,
        ),
        Pattern(
            rf"(?:no|zero)\s(?:[\w-]+\s){{0,2}}?(?:{faults})(?:\s(?:were |was )?(?:found|detected|reported|remaining|left|seen|observed|encountered|introduced|occurred))?{_TAIL}"
            rf"|(?:nothing|none)\s(?:(?:is|was|has|of\s\w+)\s)?(?:broke|broken|failed|crashed|went wrong|\w+ed){_TAIL}",
            re.IGNORECASE,
        ),
        Pattern(rf"(?:{_any_of('bare')})\s?[.!✅✓✔]", re.IGNORECASE),
    )


def tells_status(text: str) -> bool:
    """Tell whether a short text states how something stands, and is no title of what follows."""
    ticked = _TICK.sub("", text[:_LONGEST])
    bare = ticked.strip("*_ \"'#>")
    if len(text) > _LONGEST or not bare or bare.endswith("?"):
        return False
    label, predicate, denied, alone = _forms()
    if denied.match(bare) is not None or alone.fullmatch(text.strip("*_ ")) is not None:
        return True
    if label.match(bare) is not None:
        return True
    match = predicate.match(bare)
    if match is None or _ASIDE.search(match["subject"], around=bare) is not None:
        return False
    head = match["subject"].lower().split()
    return bool(_QUANTIFIED.match(bare)) or head[-1] not in words_for("lists")


_WHAT_FOLLOWS: Final = re.compile(
    r"\W*(?:[a-z]+(?:ed|en|nt)|paid|built|done|made)\s(?!(?:to|in|on|by|with|for|from|the|a|an|all|our|your|this|that|it|and|at|as|into|via|without|successfully)\b)[a-z-]+(?:\s[a-z-]+)?\W*",
    re.IGNORECASE,
)
"""What was done to what: the heading of a list of such things, as in `Closed tickets`."""


def is_title(text: str) -> bool:
    """Tell whether a heading without a value only names what follows: `Fixed bugs`, `Tickets closed`, `What was done`."""
    bare = text.strip("*_ \"'#>:")
    if _WHAT_FOLLOWS.fullmatch(bare) is not None or _ASIDE.match(bare) is not None:
        return True
    words = bare.lower().split()
    if len(words) == 1 or words[0] == "to":
        return not bare.endswith((".", "!"))
    return words[-2] in words_for("lists") and not _QUANTIFIED.match(bare)


def is_quotation(text: str, led_in: str) -> bool:
    """Tell whether a line marked `>` quotes something: a log's line, or the words that the text before it announces."""
    bare = text.strip("> *_")
    if not bare.endswith((".", "!")) or re.search(r"[=<>{}$]|\d\d:\d\d|\b[A-Z]{4,}\b", bare) is not None:
        return True
    before = led_in.rstrip("*_ ")
    return before.endswith(":") and bool(set(re.findall(r"[a-z]+", before.lower())) & words_for("sources"))


def said_of_cell(corner: str, row: str, column: str, value: str) -> str:
    """Give what a table's cell says in a sentence, where it holds a status or a tick; empty where it holds none."""
    told = value.strip("*_ ").lower()
    subject = row.strip("*_` ")
    bare = _TICK.sub("", told).strip(" .!")
    if not subject or len(value) > _SHORT:
        return ""
    if corner.lower() in words_for("tests") and corner.lower() not in subject.lower():
        subject = f"{subject} {corner.lower()}"
    truth = True if told in words_for("yes") else False if told in words_for("no") else None
    if truth is not None:
        return _answered(subject, column.strip("*_` ").lower(), truth=truth)
    return f"The {subject} {_helper(bare)}{bare}." if bare in words_for("status") else ""


def said_of_tick(text: str, *, marked: bool) -> str:
    """Give in a sentence what a tick beside the name of a run says; empty where there is no such tick."""
    if len(text) > _SHORT:
        return ""
    bare = _TICK.sub("", text).strip("*_ .!")
    failed = re.search(r"[❌✗✘✖]", text) is not None
    if bare.lower() not in words_for("ticked") or (bare == text.strip("*_ .!") and not marked):
        return ""
    return f"The {bare} {'failed' if failed else 'succeeded'}."


_SHORT: Final = 40


def _answered(subject: str, column: str, *, truth: bool) -> str:
    if column in words_for("generic"):
        return f"The {subject} {'succeeded' if truth else 'failed'}."
    column = column.rstrip("? ")
    if truth:
        return f"The {subject} {_helper(column)}{column}."
    return f"The {subject} {'did' if column in words_for('verbs') else _helper(column).strip()} not {column}."


def _helper(word: str) -> str:
    if word in words_for("verbs"):
        return ""
    return "was " if word.endswith("ed") and word not in words_for("adjectives") else "is "


def announces_only(text: str, ends: str = "announced") -> bool:
    """Tell whether a text speaks of the whole of what was done, by the words of a list, and of nothing in particular."""
    named = set(re.findall(r"[a-z]+", text.lower())) - words_for("filling")
    return (
        bool(named)
        and named <= words_for(ends) | words_for("whole") | words_for("faults")
        and bool(named - words_for("whole"))
    )


_NOT_ONE: Final = re.compile(
    r"not (?:(?:even )?(?:a|one) single|(?:even )?one)\s(?!(?:but|to|or|only)\b)((?=of\b))?", re.IGNORECASE
)
_NOBODY: Final = re.compile(r"(?:nobody|no one)\s(was|is|has|were|are|have|had|will)\s", re.IGNORECASE)
_OF_MANY: Final = {"was": "were", "is": "are", "has": "have"}


def said_of_none(text: str) -> str:
    """Give in a sentence with `no` what a text says of not one thing or of nobody; empty where it says nothing so."""
    not_one = _NOT_ONE.match(text)
    if not_one is not None and FINITE.search(text, not_one.end()):
        return f"{'None' if not_one[1] else 'No'} {text[not_one.end() :]}"
    nobody = _NOBODY.match(text)
    if nobody is None:
        return ""
    verb = nobody[1].lower()
    return f"No people {_OF_MANY.get(verb, verb)} {text[nobody.end() :]}"


_STATES: Final = frozenset(("status", "state", "result", "phase", "health"))


def is_state(name: str, cell: str) -> bool:
    """Tell whether a head says how something stands, and the cell below it does."""
    return name.lower() in _STATES and cell.lower() in words_for("status")
