"""Actions as texts name them: which action, and how far the words say it went."""

import re
from functools import cache, lru_cache
from typing import Final

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Mention, Stage
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem, stems, the_same, word_spans

_BEFORE: Final = 48
"""Characters before a verb in which its helpers stand."""

_FUTURE: Final = Pattern(
    r"\b(?:will|shall|'ll|going to|plan(?:s|ning)? to|intends? to|about to|want to|expects? to|hopes? to|aims? to)\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_MODAL: Final = Pattern(
    r"\b(?:(?-i:may)|might|can|could|should|would|must|allowed to|able to|eligible to|need(?:s|ed)? to|have to|permission to|authorized to|approval to|ready to|cannot|can't)\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_ASKED: Final = Pattern(
    r"\b(?:please|asked (?:\w+ )?to|requested (?:\w+ )?to|would like (?:\w+ )?to|request to|like you to)\s(?:\w+\s){0,1}$",
    re.IGNORECASE,
)
_FAILED_TO: Final = Pattern(
    r"\b(?:failed to|unable to|not able to|n't able to|could not|couldn't|failure to)\s(?:\w+\s){0,1}$",
    re.IGNORECASE,
)
_NEGATED: Final = Pattern(
    r"\b(?:not|never|n't|no|nothing|nobody|none|without|neither|nor|hasn't|wasn't|haven't|didn't|isn't|aren't|weren't|don't|doesn't)\s(?:[\w-]+\s){0,4}$|n't\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_WAITING: Final = Pattern(
    r"\b(?:scheduled|queued|pending|waiting|due|set|planned|enqueued|awaiting)\s(?:\w+\s){0,3}$",
    re.IGNORECASE,
)
_BEGUN: Final = Pattern(
    r"\b(?:started|began|begun|starting|trying|tried|attempt(?:ed|ing)?|being)\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_IN_ORDER: Final = Pattern(r"\bto\s(?:\w+ly\s)?$", re.IGNORECASE)
_STATE: Final = Pattern(r"\b(?:is|are)\s(?:now\s)?$", re.IGNORECASE)
_ADJECTIVE: Final = Pattern(r"\b(?:the|a|an|this|your|our|its|their|each|any)\s$", re.IGNORECASE)

_COMPOUND: Final = Pattern(
    r"\s(?:methods?|options?|details|information|pages?|processors?|gateways?|pipelines?|notes|polic(?:y|ies)|addresse?s?|references?|numbers?|suites?|scripts?|templates?|forms?|providers?|windows?)\b",
    re.IGNORECASE,
)
"""Nouns that make the action before them a part of a name: a payment method pays nothing."""
_NAME_OF_RUN: Final = Pattern(
    r"(?:\s(?:operation|job|step|task|request|run|process|action|command|[#\w-]*[0-9][\w-]*)){0,2}\s(?:(?:has|have|was|is|were)\s(?:been\s)?)?(?:successful|succeeded|completed?|finished|failed|aborted)\b",
    re.IGNORECASE,
)
"""A verb that names one run of the action, told of by how it went: `deploy 412 succeeded`, `delete operation failed`."""
_THINGS: Final = frozenset(("order", "book", "update", "upgrade", "file", "message", "access", "change"))
"""Words that name a thing rather than a run of the action."""
_MEASURED: Final = re.compile(r"\s(?:\w+ly\s)?(?:below|under|to|by|from|off)\b")
"""What drops below, to or by something falls; nobody deletes it."""
_REMOVES: Final = re.compile(r"delet|eras|purg|destroy", re.IGNORECASE)
"""Words of what somebody does to a thing, wherever from."""
_MADE: Final = Pattern(r"\bmade\s(?:an?\s|the\s|our\s)?$", re.IGNORECASE)
"""Who made a payment paid."""
_FALLS: Final = re.compile(r"fall|fell|declin|decreas|reduc|sank|sink", re.IGNORECASE)
"""Words that mean the same as drop where something falls, and nothing is deleted."""
_ACCOUNT: Final = Pattern(r"\b(?:from|to|into|in|the|my|your)\s$", re.IGNORECASE)
"""Money is moved from checking; nothing is checked there."""
_ENROLLED: Final = Pattern(r"[\s-](?:up|in|on|out)\b", re.IGNORECASE)
"""Who signs up or in joins something and signs nothing."""
_ARTICLE: Final = re.compile(r"\b(?:the|an?|this|that|blog|forum|our|my|your|new) $", re.IGNORECASE)
"""A post is what was published; nobody posts there."""
_INSIDE: Final = re.compile(r"(?<=\w)\w")
_PHRASES: Final[tuple[tuple[str, Stage, Pattern], ...]] = (
    ("rollback", "REVERSED", Pattern(r"\brolled back\b", re.IGNORECASE)),
    (
        "pay",
        "COMPLETED",
        Pattern(
            r"\bpayments?\b(?:\sof\s[^.;]{1,30}?)?\s(?:was |has been |were |have been )?received\b",
            re.IGNORECASE,
        ),
    ),
    ("save", "COMPLETED", Pattern(r"\bbacked up\b", re.IGNORECASE)),
    (
        "charge",
        "FAILED",
        Pattern(r"\b(?:card|transaction|purchase) (?:was |has been |is )?declined\b", re.IGNORECASE),
    ),
    (
        "send",
        "QUEUED",
        Pattern(
            r"\bdrafts? (?:was |has been )?(?:saved|stored)\b|\bsaved (?:as (?:a )?|to )drafts?\b",
            re.IGNORECASE,
        ),
    ),
)
"""Actions named by a verb and its particle."""

CUES: Final[tuple[tuple[Stage, Pattern], ...]] = (
    ("FAILED", Pattern(r"(?<!\b0 )(?<!\bno )(?<!\bnot )(?<!without )\b(?:fail(?:ed|ure|s|ing)?|errors?|errored|exception|declined|bounced?|time[d]?[ -]?out|rejected|denied|refused|crash(?:ed)?|unsuccessful|undeliverable|fatal|could not|couldn't|unable to|traceback|panic|forbidden|unauthori[sz]ed|aborted|cancelled by (?:user|timeout))\b(?!\s?[=:]\s?(?:0|null|none|false)\b)(?!\":\s?(?:0|null|false))", re.IGNORECASE)),
    ("REVERSED", Pattern(r"\b(?:rolled back|rolling back|reverted|reversed|voided|undone|ROLLBACK)\b|\b(?:reverting|unapplying|undoing|reversing)\b.{1,80}\b(?:ok|done|completed?|success\w*)\b|\brollback\b.{0,40}\b(?:complete|done|success|succeeded|finished|ok)", re.IGNORECASE)),
    ("NONEXECUTION", Pattern(r"\b(?:not run|not executed|skipp(?:ed|ing)|dry[-_ ]run|no changes|not applied|no (?:\w+ )?changes|not (?:been )?(?:deployed|sent|applied|executed|started|published|merged|created)|unchanged|nothing to|no-op|noop|was not|were not|has not|not yet|did not|never)\b|\[ \]", re.IGNORECASE)),
    ("QUEUED", Pattern(r"\b(?:queued|pending|scheduled?|enqueued|awaiting|waiting for|accepted for|202 accepted|will be|processing|on hold|draft(?! (?:\w+ )?(?:was |has been )?(?:submitted|sent|shared|reviewed|approved|uploaded|delivered|emailed)\b)|in review|planned)\b|(?-i:schedule(?=[A-Z]))", re.IGNORECASE)),
    ("REQUESTED", Pattern(r"\b(?:please|requested|asked (?:to|for)|would like|ticket opened|request(?:s|ing)? (?:a|to|for|the)|wants? (?:a|to))\b", re.IGNORECASE)),
    ("COMPLETED", Pattern(r"\b(?:success(?:ful(?:ly)?)?|succeeded|completed?|done|ok|delivered|finished|passed|carried out|went through|gone through|came through|cleared|(?:was|were|been|payments?|refunds?|transfers?|deposits?|bookings?) made|executed|performed|processed|issued|live)\b|✅|✓|✔|\[[xX]\]", re.IGNORECASE)),
    ("ATTEMPTED", Pattern(r"\b(?:attempt(?:ing|ed)?|start(?:ed|ing)|initiat(?:ed|ing)|in progress|retry(?:ing)?|trying|underway|ongoing|began|begun)\b", re.IGNORECASE)),
)  # fmt: skip
"""Words that tell how far an action went, in the order in which they decide."""


@cache
def _groups() -> dict[str, str]:
    return {stem(word): name for name, group in table("actions")["groups"].items() for word in group["words"]}


@cache
def _nouns() -> frozenset[str]:
    return frozenset(word for noun in table("actions")["nouns"] for word in (noun, f"{noun}s"))


@cache
def consequential() -> frozenset[str]:
    """Name the groups of actions that cannot be taken back by looking away."""
    return frozenset(name for name, group in table("actions")["groups"].items() if group["consequential"])


@cache
def words_of(group: str) -> frozenset[str]:
    """Give the stems of the words that name a group of actions."""
    return frozenset(stem(word) for word in table("actions")["groups"].get(group, {"words": ()})["words"])


@lru_cache(maxsize=4_096)
def same_action(claimed: str, found: str) -> bool:
    """Tell whether an action of the evidence may be the one claimed."""
    related = table("actions")["same"]
    if found in table("actions")["never"].get(claimed, ()):
        return False  # who was paid gave nothing back
    return (
        claimed == found
        or found in related.get(claimed, ())
        or claimed in related.get(found, ())
        or "*" in related.get(claimed, ())
    )


def one_action(groups: frozenset[str]) -> frozenset[str]:
    """Give groups of actions with those that are other words for the same: who is charged pays."""
    known = table("actions")["one"]
    return groups.union(*(known.get(each, ()) for each in groups))


@lru_cache(maxsize=8_192)
def groups_in(text: str) -> frozenset[str]:
    """Name the groups of actions whose words stand in a text in any form."""
    known = _groups()
    found = the_same(frozenset([known[each] for each in stems(text.replace("_", " ")) if each in known]))
    if "delete" in found and _FALLS.search(text) is not None:
        deleting = stems(_FALLING.sub(" ", text.replace("_", " ")))
        return found if any(known.get(each) == "delete" for each in deleting) else found - {"delete"}
    return found


def _is_fall(text: str, word: str, end: int) -> bool:
    """Tell whether a word says that a value fell, and not that something was deleted."""
    return _MEASURED.match(text, end) is not None or _FALLS.match(word) is not None


_FALLING: Final = re.compile(rf"\b(?:{_FALLS.pattern})\w*", re.IGNORECASE)


@lru_cache(maxsize=8_192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Give the actions a text names, in order."""
    known = _groups()
    found: list[Mention] = [
        Mention(
            group,
            stage,
            match.start(),
            match.end(),
            _NEGATED.search(text[max(0, match.start() - _BEFORE) : match.start()]) is not None,
        )
        for group, stage, pattern in _PHRASES
        for match in pattern.finditer(text)
    ]
    for word, start, end in word_spans(text):
        group = known.get(stem(word))
        if (
            group is None
            or _COMPOUND.match(text, end)
            or (group == "delete" and not _REMOVES.match(word) and _is_fall(text, word, end))
            or (word.lower() == "checking" and _ACCOUNT.search(text[max(0, start - 8) : start]))
            or (group == "sign" and _ENROLLED.match(text, end))
            or (word.lower() in ("post", "posts") and _ARTICLE.search(text[max(0, start - 8) : start]))
            or text[end : end + 1] in ("_", "@")
            or text[max(0, start - 1) : start] in ("_", "/", "@", ".")
        ):
            continue
        made = _mention(text, word, group, start, end)
        if made is not None:
            found.append(made)
    return tuple(found)


def _is_negated(before: str, around: str) -> bool:
    return _NEGATED.search(before, around=around) is not None


def _mention(text: str, word: str, group: str, start: int, end: int) -> Mention | None:
    cut = max(0, start - _BEFORE)
    before, around = text[cut:start], text
    if cut and _INSIDE.match(text, cut):
        around = before
    low = word.lower()
    if low in ("installed", "enabled", "disabled", "closed") and _STATE.search(before, around=around):
        return None  # how things stand, not what was done
    if _FAILED_TO.search(before, around=around):
        return Mention(group, "FAILED", start, end)
    if (
        (
            low in _nouns()
            or (low not in _THINGS and not low.endswith("ing") and _NAME_OF_RUN.match(text, end) is not None)
        )
        and not _FUTURE.search(before, around=around)
        and not _MODAL.search(before, around=around)
        and not _ASKED.search(before, around=around)
        and not is_participle(low)
    ):
        made: Stage | None = "COMPLETED" if _MADE.search(before, around=around) else None
        goes_on: Stage | None = "ATTEMPTED" if _GOES_ON.match(text, end) is not None else None
        stage = goes_on or _cue(text[start:], text) or _cue(before, around) or made
        return None if stage is None else Mention(group, stage, start, end, _is_negated(before, around))
    if _ASKED.search(before, around=around):
        return Mention(group, "REQUESTED", start, end)
    if _FUTURE.search(before, around=around) or _MODAL.search(before, around=around):
        return Mention(group, "INTENT", start, end, _is_negated(before, around))
    if _WAITING.search(before, around=around):
        return Mention(group, "QUEUED", start, end, _is_negated(before, around))
    if low.endswith("ing"):
        return Mention(group, "ATTEMPTED", start, end, _is_negated(before, around))
    if _BEGUN.search(before, around=around):
        return Mention(group, "ATTEMPTED", start, end, _is_negated(before, around))
    if (
        is_participle(low)
        and not _IN_ORDER.search(before, around=around)
        and not (_ADJECTIVE.search(before, around=around) and text[end : end + 1] == " ")
    ):
        return Mention(group, "COMPLETED", start, end, _is_negated(before, around))
    return None


_GOES_ON: Final = re.compile(r"[^.;,]{0,40}?\s(?:is|are)\s(?:still\s|now\s|currently\s)?being\s\w+ed\b")


_PAST: Final = frozenset(
    [
        "sent",
        "paid",
        "wrote",
        "written",
        "built",
        "rebuilt",
        "ran",
        "shipped",
        "put",
        "made",
        "withdrawn",
        "withdrew",
        "cut",
    ]
)


def is_participle(low: str) -> bool:
    """Tell whether a word in lower case has the form of something done."""
    return low in _PAST or (low.endswith("ed") and len(low) > 4)  # shorter words that end so are no verbs


@lru_cache(maxsize=8_192)
def cue(text: str) -> Stage | None:
    """Give the stage the words of a text tell, the strongest telling first."""
    return _cue(text, text)


def _cue(text: str, around: str) -> Stage | None:
    return next((stage for stage, pattern in CUES if pattern.search(text, around=around)), None)
