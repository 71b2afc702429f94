"""Who did it, to what, for whom: a party that a claim names must be the record's."""

import re
from itertools import islice
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import listed, stems, words
from assay402.checks.claims.rules.deed import is_mail_line, stage_of
from assay402.checks.claims.rules.disowned import is_denied_name, only_owns
from assay402.checks.claims.rules.owners import of_another, other_level
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.targets import RECEIVED, other_aim, told_aims
from assay402.checks.claims.rules.things import other_thing
from assay402.checks.claims.rules.view import Near
from assay402.core.check import rule

_ID: Final = "claims/other-party"
_VERB: Final = Pattern(
    r"\b(approved|signed(?: off)?|authori[sz]ed|rejected|granted|sent|paid|deployed|released|merged|published|submitted|transferred|posted|e?mailed|shipped|cancelled|booked|refunded|charged|deleted|pushed|uploaded|delivered|reviewed|created|filed|ordered|migrated|forwarded|exported|moved|promoted|notified)\b",
    re.IGNORECASE,
)
_PASSIVE: Final = Pattern(
    r"\b(?:was|were|been|being|is|are|be|get|got|not|never)\s(?:(?:not|never|yet|already|also|just|now|\w+ly)\s){0,2}$",
    re.IGNORECASE,
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
_WHOLE: Final = Pattern(
    r"\b(?:full|entire|complete|whole)\s(?:refund|payment|payout|amount|charge|transfer|sum|balance)|\bin full\b|\bfully (?:refunded|paid|charged|reimbursed)",
    re.IGNORECASE,
)
_IN_WHOLE: Final = Pattern(r"\b(?:full|fully|entire|complete|whole)\b", re.IGNORECASE)
_SUM: Final = re.compile(r"total|paid|charged|captured|price|original", re.IGNORECASE)
_LATER: Final = Pattern(
    r"\bcancel_at|\bcancels? at\b|_at_period_end\b|\bat (?:the )?period end\b", re.IGNORECASE
)


@rule(_ID, since="0.1", spec="section 6 and section 7, R04 and R18")
def other_party(supported: Supported) -> Finding | None:
    """Take back a support whose actor, recipient, target or whole amount is not the record's.

    ## What it reports
    CONTRADICTED with IDENTITY_MISMATCH where the record names another actor than the claim, denies the claim's own
    (`by Kim, not by Lee`), or names another recipient of what goes to one at a time (sent, paid, assigned, issued), and with VALUE_MISMATCH where a sum claimed in full is a
    part of the recorded total. UNSUPPORTED where the record names no recipient or target, names another target (an
    action may be done for several) behind the same preposition or in a field for it, has the two ends the other way
    round, or does not say that the sum was the whole; where the claim names a role and the record a person; where the
    record is of a thing of another name or kind (`the branch a-1`), of an outsider's or a former or mock one, or of access
    of another level.

    ## Why it matters
    An approval by somebody else is no approval, and a report sent to the auditors did not reach the board.

    ## How to fix it
    Name the party of the record.
    """
    if supported.rule not in _JUDGED:
        return None
    text = supported.claim.text
    for near in supported.nears:
        if is_denied_name(supported.claim, near.record):
            return denied(supported, _ID, near.record, "IDENTITY_MISMATCH", "the record denies that name")
        found = (
            _actor(supported, near, text)
            or _target(supported, near, text)
            or _whole(supported, near, text)
            or other_thing(supported, near, text)
            or _owner(supported, near)
        )
        if found is not None:
            return found
        if _LATER.search(near.record.text) and not re.search(r"period|will|end of", text):
            return unstated(
                supported, _ID, "the record gives it for a later time", "that it has taken effect"
            )
    return None


_JUDGED: Final = ("action-recorded", "authority", "stated-verbatim", "all-facts-bound", "state-recorded")


def _owner(supported: Supported, near: Near) -> Finding | None:
    claim, record = supported.claim, near.record
    whose = other_level(claim, record) or ("" if near.shared else of_another(claim, record))
    return unstated(supported, _ID, f"the record says {whose}", f"it without {whose}") if whose else None


def _named(text: str) -> frozenset[str]:
    """Give the stems that name a party."""
    return frozenset(each for each in stems(text.replace("_", " ")) if len(each) > 1) - listed("vague")


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
    if wanted and only_owns(wanted, near.record) and "'s" not in text.replace("’", "'"):
        return unstated(supported, _ID, "the record names another who acted for them", "who did it")
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
    aim = other_aim(supported.view, near)
    if aim is None:
        return None
    told = told_aims(near.record, aim.kind)
    if not told:
        return unstated(supported, _ID, "the record names no target", "the same target")
    if (
        aim.kind == "to"
        and RECEIVED.search(text)
        and _CHANNEL.search(text) is None
        and not (aim.is_common and any(each.is_name for each in told))
    ):
        return _to_another(supported, near.record)
    return unstated(supported, _ID, "the record names another target", "the same target")


_CHANNEL: Final = re.compile(r"(?<!\w)#[A-Za-z]|\bchannels?\b")
"""What was posted in one may be posted in another as well."""


def _to_another(supported: Supported, record: Record) -> Finding:
    """Contradict a recipient; where each side names one address, the record's goes in the place of the claim's."""
    found = denied(supported, _ID, record, "IDENTITY_MISMATCH", "the record names another recipient")
    mine = [each for each in supported.claim.facts if each.kind == "email"]
    told = {each.value: each.raw for each in record.facts if each.kind == "email"}
    if len(mine) != 1 or len(told) != 1 or mine[0].value in told:
        return found
    start = supported.claim.span.start + mine[0].start
    return replace(found, repair=("REPLACE_VALUE", start, start + len(mine[0].raw), *told.values()))


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
        record = near.record
        if record.item.kind == "description" or not (
            near.shared or near.coverage >= _ALIKE or is_mail_line(record.text)
        ):
            continue
        if stage_of(record) != "COMPLETED" and not _is_only_one(supported, record):
            continue
        for each in (
            _actor(supported, near, text),
            _target(supported, near, text),
            _addressee(supported, near),
        ):
            if each is not None and each.support == "CONTRADICTED":
                return each
    return None


def _is_only_one(supported: Supported, record: Record) -> bool:
    """Tell whether of all records near a claim this one alone says that the claimed action was done."""
    groups, world = {each.group for each in supported.claim.mentions}, supported.view.world
    done = (
        each.record
        for each in supported.view.near[:_NEAREST]
        if any(deed.group in groups and deed.stage == "COMPLETED" for deed in world.deeds(each.record))
    )
    return [*islice(done, 2)] == [record]


_NEAREST: Final = 60
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
    return _to_another(supported, near.record)


_LOOKED_AT: Final = 600
