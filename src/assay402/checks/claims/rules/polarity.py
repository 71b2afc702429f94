"""Yes against no: negation, antonyms, universals, causes."""

import re
from functools import cache
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.actions import cue
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain, stem, stems, word_spans
from assay402.checks.claims.rules.deed import stage_of
from assay402.checks.claims.rules.happened import is_other_event
from assay402.checks.claims.rules.order import is_later
from assay402.checks.claims.rules.view import Near, View, report_words
from assay402.core.check import rule

_NEGATION: Final = Pattern(
    r"\b(?:not|never|no|(?<!-)none(?!-)|nothing|nobody|neither|nor|without|cannot|lacks?|n't|unable|\w+n't)\b",
    re.IGNORECASE,
)
_NOT_NEGATION: Final = Pattern(
    r"\b(?:not only|nothing\b(?:\s\w+){0,2}\sbut|none other than|no doubt|no sooner|no\.\s?[0-9]|no (?:more|less|fewer|later|earlier) than|(?:errors?|failures?)[ =:]+(?:0|none|no)\b|no errors?|0 errors?)\b",
    re.IGNORECASE,
)
_SWITCHED_OFF: Final = frozenset(stem(word) for word in ("disabled", "off", "inactive"))
_OFF: Final = Pattern(
    r"\b(?:is|are|was|were|switched|turned|set to)\s(?:now\s|currently\s)?off\b", re.IGNORECASE
)
_OUT_OF: Final = Pattern(r"\bout of ([a-z]+)\b", re.IGNORECASE)
_UNIVERSAL: Final = frozenset(stem(word) for word in ("all", "every", "each", "everything", "always"))
_YES: Final = frozenset({"true", "yes", "on", "enabled"})
_NO: Final = frozenset({"false", "no", "off", "disabled"})
CAUSE: Final = Pattern(
    r"\b(?:because(?: of)?|due to|caused? by|as a result of|thanks to|led to|leads to|resulted in|owing to|attributed to|triggered by|driven by|causes?|caused)\b",
    re.IGNORECASE,
)
_ALIGNED: Final = 0.7
_ALIGNED_FIELD: Final = 0.6
_NOT_IN_WORD: Final = Pattern(r"\bNot(?=[A-Z])|\bnot_")
"""As in `NotReady`."""

_PART: Final = re.compile(r"[;:]\s|,\s|\b(?:while|whereas|although|which|who|but)\b", re.IGNORECASE)


@cache
def antonyms() -> dict[str, frozenset[str]]:
    """Give each word with those that say its opposite."""
    found: dict[str, set[str]] = {}
    for one, other in table("antonyms"):
        found.setdefault(stem(one), set()).add(stem(other))
        found.setdefault(stem(other), set()).add(stem(one))
    return {word: frozenset(others) for word, others in found.items()}


def is_negative(text: str) -> bool:
    """Tell whether a text denies something."""
    cleaned = _NOT_NEGATION.sub(" ", text[:4_000])
    return _NEGATION.search(cleaned) is not None or _NOT_IN_WORD.search(cleaned) is not None


def denies(record: Record) -> bool:
    """Tell whether a record denies something, looked at once for all claims."""
    known: bool | None = record.memo.get("denies")
    if known is None:
        known = record.memo["denies"] = is_negative(record.text)
    return known


def antonyms_between(claimed: frozenset[str], found: frozenset[str]) -> frozenset[str]:
    """Give the words of a claim that a text says the opposite of, and does not say themselves."""
    known = antonyms()
    return frozenset(
        word for word in claimed if word not in found and known.get(word, frozenset()) & (found - claimed)
    )


def opposed(claim: Claim, record: Record) -> bool:
    """Tell whether a record speaks with the other polarity, or in opposite words."""
    if record.form in ("json", "row"):
        return truth_of(claim, record) is False or bool(antonyms_between(claim.content, _values(record)))
    return denies(record) != claim.negative or bool(antonyms_between(claim.content, record.own_stems))


def _values(record: Record) -> frozenset[str]:
    known: frozenset[str] | None = record.memo.get("values")
    if known is None:
        short = (field.value for field in record.fields if len(field.value) < 40)  # a status is short
        known = record.memo["values"] = frozenset(each for value in short for each in stems(value))
    return known


def truth_of(claim: Claim, record: Record) -> bool | None:
    """Say whether a record affirms a yes-or-no attribute that the claim speaks of; None where it has none."""
    told: bool | None = None
    for field in record.fields:
        value = field.value.lower()
        if value not in _YES and value not in _NO:
            continue
        named = frozenset(stems(field.name.rpartition(".")[2].replace("_", " ").replace("-", " ")))
        opposite = frozenset(
            each for word in named for each in antonyms().get(word, ()) if each in claim.content
        )
        if not named or not (named <= claim.content or opposite):
            continue
        out = _OUT_OF.search(claim.text)
        off = (
            _SWITCHED_OFF & claim.content - named
            or _OFF.search(claim.text)
            or (out is not None and stem(out[1]) in named)
        )
        denied = _denied(claim, named) != bool(opposite or off)
        agreed = (value in _YES) != denied
        told = agreed if told is None else told and agreed
    return told


def _denied(claim: Claim, named: frozenset[str]) -> bool:
    """Tell whether the claim denies the very attribute: `without insurance`, `is not enabled`."""
    for match in _NEGATION.finditer(claim.text):
        behind = stems(claim.text[match.end() :])[:3]
        if named & set(behind):
            return True
    return claim.negative and len(claim.content) <= 4  # a short clause is denied as a whole


def _is_failure(claim: Claim) -> bool:
    """Tell whether a claim itself says that something failed: a `no` of the record is no denial of that."""
    return any(each.stage == "FAILED" for each in claim.mentions)


@rule("claims/polarity-flip", since="0.1", spec="section 7, R05")
def polarity_flip(view: View) -> Finding | None:
    """Contradict a claim that the evidence denies, or that denies what the evidence states.

    ## What it reports
    CONTRADICTED with the reason POLARITY where a record about the same subject, with nearly all content of the
    claim and no differing value, has the other polarity, or gives a yes-or-no attribute the other value.

    ## Why it matters
    One `not` turns a report round.

    ## How to fix it
    Say it as the record does.
    """
    claim = view.claim
    for near in view.near[:6]:
        record = near.record
        if record.form in ("json", "row") or record.fields:
            told = truth_of(claim, record)
            if (
                told is False
                and not _is_failure(claim)
                and (near.shared or near.coverage >= _ALIGNED_FIELD)
                and not _bad_values(near)
            ):
                return _contradicted(
                    "claims/polarity-flip", near, "POLARITY", "the record gives the other answer"
                )
            if record.form != "line" or told is True:
                continue
        if _bad_values(near) or record.text.rstrip().endswith("?") or near.missing_names:
            continue
        if _is_quoted(claim, record):
            continue
        undone = claim.negative and cue(record.text[:600]) in ("NONEXECUTION", "FAILED")
        if (
            denies(record) != claim.negative
            and not undone
            and claim.modality == "is"
            and _denies(near, claim)
        ):
            return _contradicted(
                "claims/polarity-flip", near, "POLARITY", "the record has the other polarity"
            )
    return None


def _is_quoted(claim: Claim, record: Record) -> bool:
    """Tell whether a record only quotes the words of a claim, so that what it denies is their having been said."""
    said = plain(claim.text)
    return any(said and said in plain(each) for each in _QUOTED.findall(record.text[:4_000]))


_QUOTED: Final = Pattern(r"[\"“]([^\"“”]{3,400})[\"”]")


def _denies(near: Near, claim: Claim) -> bool:
    wanted = [each for each in near.wanted if each not in report_words() | _UNIVERSAL]
    if len(wanted) < 2:  # one word is no statement; what only reports is one beside it
        wanted = sorted(claim.content - _UNIVERSAL)
    if len(wanted) < 2:
        return False
    text = near.record.text[:4_000]
    given = stems(text)
    covered = sum(each in set(given) for each in wanted)
    # The denial must stand beside the claim's own words, not in another part of a long record.
    return (
        covered == len(wanted)
        and len(given) <= 2 * len(wanted) + 6
        and _beside(text if is_negative(text) else claim.text, wanted)
        and _in_clause(text if is_negative(text) else claim.text, wanted)
    )


def _in_clause(text: str, wanted: list[str]) -> bool:
    """Tell whether the part of a sentence that denies holds most of what is wanted, so that it is what is denied."""
    denying = [part for part in _PART.split(text) if is_negative(part)]
    return any(2 * len(set(stems(part)) & set(wanted)) >= len(set(wanted)) for part in denying)


def _beside(text: str, wanted: list[str]) -> bool:
    return any(
        set(stems(_BUT.split(text[match.end() :], maxsplit=1)[0])[:3]) & set(wanted)
        for match in _NEGATION.finditer(_NOT_NEGATION.sub(" ", text))
    )


_BUT: Final = re.compile(r"\bbut\b", re.IGNORECASE)
"""What stands behind is said instead: `not lost but stolen`."""


def _bad_values(near: Near) -> bool:
    return any(each.state != "match" for each in near.bindings)


def _contradicted(rule_id: str, near: Near, code: str, note: str) -> Finding:
    return Finding(support="CONTRADICTED", rule=rule_id, refs=(near.record.ref,), code=code, note=note)


@rule("claims/antonym", since="0.1", spec="section 7, R10")
def antonym(view: View) -> Finding | None:
    """Contradict a claim that says the opposite word of the same subject and attribute.

    ## What it reports
    CONTRADICTED with the reason POLARITY where a record holds all content of the claim but one word, and holds
    that word's opposite: `rose` against `fell`, `before` against `after`, `healthy` against `degraded`. Two events
    that can both have been (`uploaded` and `downloaded`, `created` and later `deleted`) deny nothing of each other.

    ## Why it matters
    Direction words are small and decide everything.

    ## How to fix it
    Use the record's word.
    """
    claim = view.claim
    for near in view.near[:6]:
        record = near.record
        held = _values(record) if record.form in ("json", "row") else record.own_stems
        turned = antonyms_between(claim.content, held)
        if len(turned) != 1 or _bad_values(near) or near.missing_names or _is_cured(view, near, turned):
            continue
        if cue(claim.text) == "COMPLETED" and stage_of(record) in ("ATTEMPTED", "QUEUED"):
            continue  # begun and not yet ended, which denies nothing
        if _is_of_another_part(claim, record, next(iter(turned))) or is_other_event(claim, turned):
            continue
        rest = near.wanted - turned
        negation = denies(record) != claim.negative and record.form not in ("json", "row")
        short = len(held) <= 3 * len(claim.content) + 4 or bool(near.record.fields)
        enough = rest <= near.stems or (near.shared and 2 * len(rest & near.stems) >= len(rest))
        if (
            (rest or near.shared)
            and enough
            and not negation
            and short
            and not record.text.rstrip().endswith("?")
        ):
            found = _contradicted("claims/antonym", near, "POLARITY", "the record says the opposite word")
            return replace(found, repair=_swapped(claim, record, next(iter(turned))))
    return None


_COMPARES: Final = Pattern(r"\b(?:than|before|after)\b", re.IGNORECASE)
_EXCEPT: Final = Pattern(
    r"\b(?:except(?:ing)?|apart from|other than|excluding|save for|but (?:not )?(?:on|for|in|to))\b",
    re.IGNORECASE,
)
"""What a record excepts has the opposite of what it says."""
_HOURS: Final = Pattern(r"\bfrom\s.{1,24}?\s(?:to|until|till)\s", re.IGNORECASE)


def _is_of_another_part(claim: Claim, record: Record, turned: str) -> bool:
    """Tell whether the opposite word of a record is said of another part or time, or is a part of a name: `test_import`."""
    text = record.text[:_READ]
    if _EXCEPT.search(text) is not None and _EXCEPT.search(claim.text) is None:
        return True
    if _COMPARES.search(text) is not None and _COMPARES.search(claim.text) is not None:
        return stems(text)[:1] != stems(claim.text)[:1]  # the two things may be turned round as well
    if _HOURS.search(text) is not None and any(fact.kind == "time" for fact in claim.facts):
        return True  # what is closed until five is open from then
    for kind in ("time", "date"):
        said = sum(fact.kind == kind for fact in claim.facts)
        if said and sum(fact.kind == kind and fact.start >= 0 for fact in record.facts) > said:
            return True
    return record.form == "line" and not (
        _stands_alone(claim.text, frozenset((turned,))) and _stands_alone(text, antonyms()[turned])
    )


_READ: Final = 4_000


def _stands_alone(text: str, wanted: frozenset[str]) -> bool:
    return any(
        stem(word) in wanted and text[max(0, start - 1) : start] != "_" and text[end : end + 1] != "_"
        for word, start, end in word_spans(text)
    ) or not any(stem(word) in wanted for word, _, _ in word_spans(text))


def _is_cured(view: View, near: Near, turned: frozenset[str]) -> bool:
    """Tell whether a later record of the same thing has the claim's own word."""
    return any(
        is_later(other.record, near.record)
        and turned <= other.record.own_stems
        and near.wanted & near.stems <= other.stems
        and not denies(other.record)
        for other in view.near
    )


def _swapped(claim: Claim, record: Record, turned: str) -> tuple[str, int, int, str] | None:
    """Give the edit that puts the record's word in the place of its opposite."""
    opposites = antonyms()[turned]
    said = next((word for word, _, _ in word_spans(record.text[:600]) if stem(word) in opposites), None)
    mine = next(((start, end) for word, start, end in word_spans(claim.text) if stem(word) == turned), None)
    if said is None or mine is None or claim.form in ("leaf", "cell"):
        return None
    word = claim.text[mine[0] : mine[1]].lower()
    endings = {_ending(word), _ending(said.lower())}
    is_state = _BE.search(claim.text[: mine[0]]) is not None and endings <= {"", "ed"}
    if (len(endings) > 1 and not is_state) or _DOER.search(claim.text[: mine[0]]):
        return None  # another form of the word is no sentence, and who did the opposite is not told
    first = claim.span.start
    return ("REPLACE_VALUE", first + mine[0], first + mine[1], said.lower())


_DOER: Final = Pattern(
    r"\b(?:I|[Ww]e|[Tt]hey|[Yy]ou|[Hh]e|[Ss]he)\s(?:\w+ly\s|have\s|has\s|just\s|already\s)?$"
)
_BE: Final = Pattern(r"\b(?:is|are|was|were|be|been|remains?|stays?)\s(?:\w+\s)?$")
_ENDINGS: Final = ("ing", "ed", "s")


def _ending(word: str) -> str:
    return next((each for each in _ENDINGS if word.endswith(each)), "")


@rule("claims/cause-not-stated", since="0.1", spec="section 7, R16")
def cause_not_stated(view: View) -> Finding | None:
    """Leave unsupported a cause that no record states.

    ## What it reports
    UNSUPPORTED with the missing family CAUSAL_SUPPORT where the claim says that one thing brought about another
    and no record near it says so. That one followed the other is no cause.

    ## Why it matters
    Wrong causes are acted on long after the report is forgotten.

    ## How to fix it
    Report both facts beside each other, or cite the analysis that found the cause.
    """
    claim = view.claim
    if not CAUSE.search(claim.text) or not view.near:
        return None
    for near in view.near:
        if CAUSE.search(near.record.text) and near.coverage >= _ALIGNED:
            return None
    addressed = [near for near in view.near if near.coverage >= 0.3]  # a third: the effect alone
    if not addressed:
        return None
    return Finding(
        support="UNSUPPORTED",
        rule="claims/cause-not-stated",
        refs=(addressed[0].record.ref,),
        code="CAUSAL_OVERCLAIM",
        note="no record states the cause",
        missing=("CAUSAL_SUPPORT", f"A record that states the cause {claim.id} gives."),
    )
