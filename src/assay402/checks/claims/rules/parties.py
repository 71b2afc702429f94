"""Who did it, to what, for whom: a party that a claim names must be the record's."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import listed, stem, stems, stop_words, words
from assay402.checks.claims.rules.carrying import anybody
from assay402.checks.claims.rules.deed import is_mail_line, stage_of
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.view import Near
from assay402.core.check import rule

_ID: Final = "claims/other-party"
_VERB: Final = Pattern(
    r"\b(approved|signed(?: off)?|authori[sz]ed|rejected|granted|sent|paid|deployed|released|merged|published|submitted|transferred|posted|e?mailed|shipped|cancelled|booked|refunded|charged|deleted|pushed|uploaded|delivered|reviewed|created|filed|ordered|migrated|forwarded|exported|moved|promoted|notified)\b",
    re.IGNORECASE,
)
_PASSIVE: Final = Pattern(
    r"\b(?:was|were|been|being|is|are|be|get|got|not|never)\s(?:\w+ly\s)?$", re.IGNORECASE
)
_SPEAKER: Final = Pattern(
    r"\b(?:i|we|you|he|she|it|they|this|that|there|who|which|and|also|then|successfully|since|because)\b",
    re.IGNORECASE,
)
_BY: Final = Pattern(
    r"\bby\s((?:the\s)?(?:[a-z]{3,}\s){0,2}(?:[A-Z][\w'-]*\.?\s?){1,4}|the\s[a-z]+(?:\s[a-z]+)?)(?=[\s.,;:)]|$)"
)
_BY_FIELD: Final = re.compile(
    r"(?:^|[_. ])(?:by|approver|author|actor|signer|signatory|sender|reviewer|owner)$", re.IGNORECASE
)
_TARGET: Final = Pattern(
    r"\b(?:to|into|onto)\s((?:the\s|our\s|your\s|a\s|an\s)?(?:[\w@.#/&'-]+)(?:\s[A-Z][\w&'-]*){0,3})"
)
_TOLD_TARGET: Final = Pattern(
    r"\b(?:to|into|onto)\s((?:(?!(?:for|about|with|by|on|in|at|from|after|before|because|that)\b)[\w@.#/&'-]+\s?){1,5})"
)
"""The words behind a preposition, up to the next one: `to the old mayor of the town`."""
_TO_FIELD: Final = re.compile(
    r"(?:^|[_. ])(?:to|recipient|target|destination|env|environment|branch|registry|channel|payee|beneficiary)$",
    re.IGNORECASE,
)
_RECEIVED: Final = Pattern(
    r"\b(?:sent|paid|transferred|e?mailed|posted|delivered|forwarded|shipped|wired|refunded)\b", re.IGNORECASE
)
_VAGUE: Final = listed("vague")
"""Words that stand in the names of many parties and tell none from the next."""
_WHOLE: Final = Pattern(
    r"\b(?:full|entire|complete|whole)\s(?:refund|payment|payout|amount|charge|transfer|sum|balance)|\bin full\b|\bfully (?:refunded|paid|charged|reimbursed)",
    re.IGNORECASE,
)
_IN_WHOLE: Final = Pattern(r"\b(?:full|fully|entire|complete|whole)\b", re.IGNORECASE)
_SUM: Final = re.compile(r"total|paid|charged|captured|price|original", re.IGNORECASE)
_LATER: Final = re.compile(
    r"\bcancel_at|\bcancels? at\b|_at_period_end\b|\bat (?:the )?period end\b", re.IGNORECASE
)


@rule(_ID, since="0.1", spec="section 6 and section 7, R04 and R18")
def other_party(supported: Supported) -> Finding | None:
    """Take back a support whose actor, recipient, target or whole amount is not the record's.

    ## What it reports
    CONTRADICTED with IDENTITY_MISMATCH where the record names another actor or recipient than the claim, and with
    VALUE_MISMATCH where a sum claimed in full is a part of the recorded total. UNSUPPORTED where the record names
    none, names another target (an action may be done for several), or does not say that the sum was the whole; where the
    claim names a role and the record a person; where the record is of a thing of another name or kind (`the branch a-1`),
    or its log is of another environment.

    ## Why it matters
    An approval by somebody else is no approval, and a report sent to the auditors did not reach the board.

    ## How to fix it
    Name the party of the record.
    """
    if supported.rule not in ("action-recorded", "authority", "stated-verbatim", "all-facts-bound"):
        return None
    text = supported.claim.text
    for near in supported.nears:
        found = (
            _actor(supported, near, text)
            or _target(supported, near, text)
            or _whole(supported, near, text)
            or _thing(supported, near, text)
            or _place(supported, near, text)
        )
        if found is not None:
            return found
        if _LATER.search(near.record.text) and not re.search(r"period|will|end of", text):
            return unstated(
                supported, _ID, "the record gives it for a later time", "that it has taken effect"
            )
    return None


def _named(text: str) -> frozenset[str]:
    """Give the stems that name a party."""
    return frozenset(each for each in stems(text.replace("_", " ")) if len(each) > 1) - _VAGUE


def _claimed_actor(text: str) -> frozenset[str]:
    by = _BY.search(text)
    if by is not None and not _is_month(by[1]):
        return _named(by[1])
    verb = _VERB.search(text)
    if verb is None:
        return frozenset()
    before = text[: verb.start()]
    bare = re.sub(r"\b(?:has|have|had|already|also|just|finally|successfully)\b", " ", before).strip()
    if (
        not bare
        or _PASSIVE.search(before)
        or _SPEAKER.search(bare)
        or len(words(bare)) > 5
        or not text[verb.end() :].strip(" .!")
    ):
        return frozenset()
    return _named(bare)


def _is_month(text: str) -> bool:
    return bool(
        set(text.lower().split())
        & {
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "may",
            "june",
            "july",
            "end",
            "time",
        }
    )


def _actor(supported: Supported, near: Near, text: str) -> Finding | None:
    wanted = _claimed_actor(text)
    told = _told_actor(near.record, supported.claim.content) if wanted else wanted
    if not wanted or (wanted <= _held(near) and (not told or wanted & told or not _is_active(near.record))):
        return None
    if told - wanted and not _is_role(text, near.record):
        return denied(supported, _ID, near.record, "IDENTITY_MISMATCH", "the record names another actor")
    return unstated(supported, _ID, "the record does not name the actor", "who did it")


_ROLE: Final = re.compile(r"\W{0,3}(?:[Tt]he|[Oo]ur|[Aa]n?|[Mm]y|[Yy]our)\s(?:[a-z]+\s){1,3}\w+ed\b")


def _is_role(text: str, record: Record) -> bool:
    """Tell whether a claim names a role and the record a person, who may hold it."""
    by = _BY.search(record.text)
    return by is not None and re.search(r"[A-Z]", by[1]) is not None and _ROLE.match(text) is not None


def _is_active(record: Record) -> bool:
    """Tell whether a sentence says of its subject that it did it."""
    return record.is_prose and _BY.search(record.text) is None


def _told_actor(record: Record, content: frozenset[str]) -> frozenset[str]:
    """Give whom a record names as the one who did it."""
    for field in record.fields:
        if _BY_FIELD.search(field.name):
            return _named(field.value)
    by = _BY.search(record.text)
    if by is not None:
        return _named(by[1])
    verb = _VERB.search(record.text)
    if verb is None or _PASSIVE.search(record.text[: verb.start()]):
        return frozenset()
    before = re.split(r"[:;.]\s(?![A-Z]\w*\s*$)", record.text[: verb.start()])[-1]
    before = before if words(before) else record.text[: verb.start()]
    told = _named(before) if not set(stems(before)) & content else frozenset()
    return told if set(stems(record.text[verb.end() :])) & content else frozenset()


def _held(near: Near) -> frozenset[str]:
    return near.stems | frozenset(stems(near.record.item.source_label))


def _target(supported: Supported, near: Near, text: str) -> Finding | None:
    verb = _VERB.search(text)
    match = _TARGET.search(text, verb.end()) if verb is not None else None
    if (
        match is None
        or not verb
        or any(fact.start < match.end() and match.start(1) < fact.end for fact in supported.claim.facts)
    ):
        return None
    wanted = _named(match[1])
    if not wanted or wanted & anybody() or words(match[1])[-1].lower() in stop_words():
        return None
    told = [field.value for field in near.record.fields if _TO_FIELD.search(field.name)]
    told += [each[1] for each in _TOLD_TARGET.finditer(near.record.text[:600])]
    if wanted & _named(" ".join(told)) or (
        wanted & _held(near) and not (told and (near.record.is_prose or _RECEIVED.search(text)))
    ):
        return None
    if told and _RECEIVED.search(text):
        return denied(supported, _ID, near.record, "IDENTITY_MISMATCH", "the record names another recipient")
    return unstated(supported, _ID, "the record names another target", "the same target") if told else None


_THING: Final = Pattern(
    r"\b(deployment|service|pod|container|image|branch|repository|repo|host|server|table|bucket|queue|cluster|namespace|database|topic|package|module|function|node|volume|index|schema|project)\s[\"'`]?(?!which\b|that\b|has\b|had\b|will\b)([a-z][\w.-]*)[\"'`]?\s(?:was|were|is|are|has|had)\s(?!\w+ing\b)"
)
_CALLED: Final = Pattern(
    r"\b(?:deployment|service|pod|container|image|branch|repository|repo|host|server|table|bucket|queue|cluster|namespace|database|topic|package|module|function|node|volume|project|file|tag|job|flag|user)\s[\"'`]?([A-Za-z][\w./]*[-_./0-9][\w./-]*\w)"
)
"""A kind of thing with a name that no common word has the form of."""


def _thing(supported: Supported, near: Near, text: str) -> Finding | None:
    """Leave unsupported what the record tells of another thing than the one the claim calls by its name."""
    called = _CALLED.search(text)
    if called is not None:
        name, told = called[1].lower(), " ".join(each.searched for each in (*near.chain, near.record)).lower()
        alike = re.search(rf"(?<![\w-]){re.escape(name.replace('_', ' '))}(?![\w-])", told.replace("_", " "))
        return None if alike else unstated(supported, _ID, "the record does not name it", "this very thing")
    match = _THING.search(text)
    if match is None or match[2] in stop_words():
        return None
    if frozenset(stems(match[2])) <= _held(near) | _VAGUE:
        kind = re.search(rf"\b([a-z]+)\s[\"'`]?{re.escape(match[2])}\b", near.record.text)
        other = kind is not None and kind[1] != match[1] and _THING.match(f"{kind[1]} x is ") is not None
        return (
            unstated(supported, _ID, "there it is a thing of another kind", "it of this kind")
            if other
            else None
        )
    if match[2].endswith(("ed", "tion", "ment", "ing")) or match[2] in _PLAIN_NOUNS:
        return None
    return unstated(supported, _ID, "the record does not name it", "this very thing")


_PLAIN_NOUNS: Final = frozenset(
    ("restart", "build", "image", "rollback", "backup", "upgrade", "update", "name", "version", "status", "health", "count",
     "size", "usage", "memory", "password", "role", "account", "access", "schema", "table", "entry", "file", "page")
)  # fmt: skip
"""Words behind the kind of a thing that say what of it, and are no name: `the server restart was`."""


_ENVIRONMENT: Final = Pattern(
    r"\b(production|prod|staging|development|sandbox|canary|preview|uat|preprod)\b", re.IGNORECASE
)


def _place(supported: Supported, near: Near, text: str) -> Finding | None:
    """Leave unsupported what is told of no environment in a log that names another one than the claim does."""
    said = {stem(each) for each in _ENVIRONMENT.findall(text)}
    if not said or said & _held(near):
        return None
    around = supported.view.world.bearing_of(near.record.item)[:_FIRST]
    told = {stem(name) for each in around for name in _ENVIRONMENT.findall(each.text[:_LOOKED_AT])}
    if not told or said & told:
        return None
    return unstated(supported, _ID, "the log names another environment", "that it was done there")


_FIRST: Final = 20


def _whole(supported: Supported, near: Near, text: str) -> Finding | None:
    if not _WHOLE.search(text) or any(_IN_WHOLE.search(each.searched) for each in near.chain):
        return None
    sums = [
        fact.low
        for fact in near.record.facts
        if fact.kind == "money" or (fact.kind == "number" and "amount" in fact.attribute)
    ]
    totals = [
        fact.low
        for each in supported.view.near
        if each.shared or each.record.ids & near.record.ids
        for fact in each.record.facts
        if fact.start < 0 and _SUM.search(each.record.fields[-1 - fact.start].name)
    ]
    if sums and sums[0] in totals:
        return None
    if sums and totals:
        return denied(supported, _ID, near.record, "VALUE_MISMATCH", "the sum is not the recorded total")
    return unstated(supported, _ID, "the record does not say that it was the whole sum", "the whole sum")


def named_otherwise(supported: Supported) -> Finding | None:
    """Contradict what a record of the same thing gives to another actor or recipient, where a rule only left it open."""
    if supported.rule not in _LEFT_OPEN or supported.claim.negative:
        return None
    text = supported.claim.text
    for near in supported.nears:
        done = stage_of(near.record) == "COMPLETED" and near.record.item.kind != "description"
        if not done or not (near.shared or near.coverage >= _ALIKE or is_mail_line(near.record.text)):
            continue
        found = _actor(supported, near, text) or _target(supported, near, text) or _addressee(supported, near)
        if found is not None and found.support == "CONTRADICTED":
            return found
    return None


_LEFT_OPEN: Final = ("authority", "no-execution-record")
_ALIKE: Final = 0.5


def _addressee(supported: Supported, near: Near) -> Finding | None:
    """Contradict an address where the only message that the evidence tells of went to another."""
    claimed = {fact.value for fact in supported.claim.facts if fact.kind == "email"}
    told = {fact.value for fact in near.record.facts if fact.kind == "email"}
    if len(claimed) != 1 or len(told) != 1 or claimed == told:
        return None
    others = [each for each in supported.view.world.bearing[:_LOOKED_AT] if "@" in each.text]
    if any(each is not near.record for each in others):
        return None
    return denied(supported, _ID, near.record, "IDENTITY_MISMATCH", "the record names another recipient")


_LOOKED_AT: Final = 600
