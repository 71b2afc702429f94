"""Whom and what something went to, came from or was for: what stands behind a preposition."""

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Fact
from assay402.checks.claims.reading.actions import groups_in
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import listed, stem, stems, words
from assay402.checks.claims.rules.deed import is_sql_answer
from assay402.checks.claims.rules.view import Near, View

_READ: Final = 600
_LONGEST: Final = 2_000
_MOST_FIELDS: Final = 200
_KINDS: Final = {"into": "to", "onto": "to", "through": "via", "by": "via", "over": "via", "under": "in"}  # fmt: skip
"""Prepositions that say the same of what stands behind them."""
_STRONG: Final = "to"
"""Where something went is told or not; what it was for, with, in or from may be said in many other ways."""
_PHRASE: Final = Pattern(
    r"(?<![\w-])(to|into|onto|for|with|from|via|through|by|over|in|on|at|under|against|as|of)\s(?!be\b|have\b|the\s(?:extent|end|point)\b)"
    r"((?:(?!(?:to|into|onto|for|with|from|via|through|by|over|in|on|at|under|against|as|of|about|after|before|because|that|which|who|when|while|since|until|during|within|per|is|are|was|were|has|have|had|will|but|so|then|not|if|due)\b)[\w@.#/&'’-]+,?\s?){1,6})",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"\b(?:due|according|up|prior|subject|related|similar|compared|close|next|thanks|addition|owing|regard|respect|equal|able|ready|needs?|needed|wants?|wanted|going|plan(?:s|ned)?|scheduled|supposed|expected|begun|tried|queued|pending|requested|planned|started|in order|back|[0-9])\s$",
    re.IGNORECASE,
)
"""Words whose `to` leads to no place and nobody."""
_DID: Final = re.compile(
    r"\b(?:[a-z]{2,}ed|sent|paid|put|made|given|gave|built|written|wrote|shown|taken|moved|set|sold|bought|went|brought|split|cut|driven|thrown|lent|left|read|run|ran|held|kept|told|drawn)\b",
    re.IGNORECASE,
)
_ENDED: Final = re.compile(r"[.;:!?](?=\s|$)")
_JOINT: Final = re.compile(r",\s?(?:and\s)?|\s(?:and|or)\s")
_ARTICLE: Final = re.compile(r"(?:the|our|your|their|its|his|her|my|an?|all|every)\s", re.IGNORECASE)
_TO_FIELD: Final = re.compile(
    r"(?:^|[_. ])(?:to|recipients?|target|destination|dest|dst|env|environment|branch|registry|channel|payee|beneficiary|assignee|assigned_to|sent_to)$",
    re.IGNORECASE,
)
_FROM_FIELD: Final = re.compile(r"(?:^|[_. ])(?:from|source|src|origin|sender)$", re.IGNORECASE)


RECEIVED: Final = Pattern(
    r"\b(?:sent|paid|transferred|e?mailed|posted|delivered|forwarded|shipped|wired|refunded|submitted|(?:re)?assigned|awarded|handed|given|issued|invoiced|charged|credited|renamed)\b",
    re.IGNORECASE,
)
"""What is done for one at a time: what was sent to one was not sent to another."""


_TURNED: Final = {"to": "from", "from": "to", "via": "to", "for": "against", "against": "for"}
"""What something came from is not where it went, nor did he send it to whom it was sent."""


class Aim(Struct, frozen=True, gc=False):
    """What stands behind a preposition."""

    kind: str
    stems: tuple[str, ...]
    is_common: bool
    """It is a word for a party or place of some kind, and no name."""
    is_name: bool
    """It is a name, an address or a number."""
    start: int
    end: int


@lru_cache(maxsize=4_096)
def aims(text: str) -> tuple[Aim, ...]:
    """Give what stands behind the prepositions of a text, each member of a list for itself."""
    found: list[Aim] = []
    for match in _PHRASE.finditer(text):
        if match[1].lower() == "to" and _LEADS.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        said = _ENDED.split(match[2], maxsplit=1)[0]
        kind = _KINDS.get(match[1].lower(), match[1].lower())
        for place, part in enumerate(_JOINT.split(said)):
            if place and (len(words(part)) > _MEMBER or part.endswith("ed")):
                break  # another clause
            found += _aim(kind, part, match.start(2), match.start(2) + len(said))
    return tuple(found)


_MEMBER: Final = 3
"""Words of a further member of a list."""


_LETTER: Final = re.compile(r"[a-z]\s([A-Z])[.,]?$")
_NUMBER: Final = re.compile(r"(?<![\w.-])[0-9][0-9,]*\s")
_MONTH: Final = re.compile(
    r"January|February|March|April|May|June|July|August|September|October|November|December"
)
_OWNER: Final = re.compile(r"([\w-]+(?:['’]s|(?<=s)['’]))\s(.+)")


def _aim(kind: str, part: str, start: int, end: int) -> list[Aim]:
    # How many there are is a value of its own.
    bare = _NUMBER.sub("", part.strip()).removesuffix("'s").removesuffix("’s")
    owned = _OWNER.match(bare)
    if owned is not None and _specific(tuple(stems(owned[2].lower()))):
        bare = owned[2]  # what was sent to Ann's manager was not sent to Ann
    found = stems(bare.lower().replace("_", " ")) or (["us"] if bare in ("us", "US") else [])
    if kind == "for" and _MONTH.fullmatch(bare) is not None:
        return [Aim(kind, (f"={bare.lower()}",), is_common=False, is_name=False, start=start, end=end)]
    named = tuple(each for each in found if len(each) > 1 and not each.isdigit())
    if not named:
        return []
    letter = _LETTER.search(bare)
    if letter is not None:
        named = (*named, f"={letter[1]}")  # `project A`
    is_low = bare.islower() and bare.replace(" ", "").replace("-", "").isalpha()
    led = _ARTICLE.match(bare) is not None or bare.endswith("s") or bool(parties().intersection(named))
    return [Aim(kind, named, is_low and led, not is_low, start, end)]


def without_aims(text: str) -> str:
    """Give a text without what stands behind its prepositions."""
    kept, last = [], 0
    for start, end in sorted({(aim.start, aim.end) for aim in aims(text)}):
        kept.append(text[last:start])
        last = end
    return " ".join((*kept, text[last:]))


@lru_cache(maxsize=1_024)
def _says_done(text: str) -> bool:
    return _DID.search(text) is not None


def other_aim(view: View, near: Near) -> Aim | None:
    """Give where a claim says something went, if the record says that it went elsewhere or nowhere; else none."""
    claim, text = view.claim, view.claim.text[:_LONGEST]
    named = aims(text)
    if not named or claim.form in ("leaf", "cell") or not _says_done(text):
        return None
    # A code behind a preposition is where something went, if something was done; else it is a value like any other.
    done = any(each.stage == "COMPLETED" for each in claim.mentions)
    values = [
        each for each in claim.facts if each.kind != "number" and not (done and each.kind in ("id", "code"))
    ]
    held = near.stems | frozenset(stems(near.record.item.source_label))
    for aim in named:
        if any(_within(fact, aim) for fact in values) and not aim.stems[0].startswith("="):
            continue
        counted = any(_within(fact, aim) for fact in claim.facts)
        if counted and not told_aims(near.record, aim.kind):
            continue  # how many it went to is bound as a value
        if _is_elsewhere(claim, near.record, aim, held) and not _is_told_beside(view, near.record, aim):
            return aim
    return None


def _is_told_beside(view: View, record: Record, aim: Aim) -> bool:
    """Tell whether a record names no target and a line beside it of the same action does: `deploying to production`."""
    if told_aims(record, aim.kind):
        return False
    content = view.claim.content
    return any(
        each.item is record.item
        and any(_same(aim, one) for one in told_aims(each, aim.kind))
        and all(
            word in content or groups_in(word) or not word.isalpha()
            for word in stems(without_aims(each.text[:_READ]))
        )
        for each in view.world.records[max(0, record.order - 2) : record.order + 3]
    )


def _is_elsewhere(claim: Claim, record: Record, aim: Aim, held: frozenset[str]) -> bool:
    """Tell whether a record names others behind the preposition of a claim, or nobody where it should."""
    wanted = _specific(aim.stems)
    absent = bool(wanted) and not wanted & held
    told = told_aims(record, aim.kind)
    if not any(_same(aim, each) for each in told) and any(
        _same(aim, each) for each in _opposite(record, aim.kind)
    ):
        return True
    if not told:
        absent = absent or _only_before_noun(record, aim, claim.content)
        return absent and aim.kind == _STRONG and not is_sql_answer(record.text)
    if _is_turned_round(claim, record, aim, told):
        return True
    if any(_same(aim, each) for each in told) or _is_named_at_verb(record, aim):
        return False
    if any(each.stems[-1] == aim.stems[-1] and set(each.stems) - set(aim.stems) for each in told):
        return bool(set(aim.stems) - held) or aim.kind == _STRONG  # the new policy beside the old one
    absent = absent or held.isdisjoint(aim.stems)
    # A field for one place may stand beside the one for the claimed place: a flight's destination beside its cabin.
    said = any(each.end for each in told) or RECEIVED.search(claim.text) is not None
    return absent or (said and aim.kind == _STRONG)


def _is_turned_round(claim: Claim, record: Record, aim: Aim, told: list[Aim]) -> bool:
    """Tell whether what a record gives as the target is the claim's object and the other way round."""
    if record.form not in ("line", "prose") or any(set(each.stems) & set(aim.stems) for each in told):
        return False
    mine, theirs = (
        frozenset(stems(without_aims(each[:_READ]).lower())) for each in (claim.text, record.text)
    )
    return theirs.issuperset(aim.stems) and any(mine.issuperset(each.stems) for each in told)


_AT_VERB: Final = Pattern(
    r"\b(?:granted|gave|given|sent|paid|handed|assigned|awarded|issued|offered|emailed|refunded|charged|showed|told|lent|wired)\s((?:the\s)?(?:[A-Z][\w-]*\s?){1,3})"
)


def _is_named_at_verb(record: Record, aim: Aim) -> bool:
    """Tell whether a record names the party right behind the verb: `granted Ann access to the repo`."""
    return any(
        set(aim.stems) <= set(stems(match[1].lower())) for match in _AT_VERB.finditer(record.text[:_READ])
    )


def _only_before_noun(record: Record, aim: Aim, content: frozenset[str]) -> bool:
    """Tell whether a record has a party only as what tells of which sort a thing is: `board report sent`."""
    if record.form not in ("line", "prose") or record.fields or len(aim.stems) != 1:
        return False
    found = stems(record.text[:_READ].lower())
    places = [place for place, each in enumerate(found) if each == aim.stems[0]]
    return (
        bool(places)
        and all(
            place + 1 < len(found) and found[place + 1] in content and not groups_in(found[place + 1])
            for place in places
        )
        and not _ENVIRONMENT.search(" ".join(aim.stems))
    )


_ENVIRONMENT: Final = Pattern(r"\b(?:production|stag|development|sandbox|canary|preview|test)")


def _opposite(record: Record, kind: str) -> list[Aim]:
    """Give where something went for where it came from, and the other way round; for who did it, the fields alone."""
    found = told_aims(record, _TURNED[kind]) if kind in _TURNED else []
    return [each for each in found if kind != "via" or not each.end]  # signed to a label is signed by it


def _within(fact: Fact, aim: Aim) -> bool:
    return fact.start < aim.end and aim.start < fact.end


def told_aims(record: Record, kind: str) -> list[Aim]:
    """Give what a record names behind a preposition, or in a field for it."""
    told = [each for each in aims(record.text[:_READ]) if each.kind == kind] if record.form != "json" else []
    pattern = {"to": _TO_FIELD, "from": _FROM_FIELD}.get(kind)
    if pattern is not None:
        for field in record.fields[:_MOST_FIELDS]:
            if pattern.search(field.name):
                told += _aim(kind, field.value, 0, 0)
    return told


@lru_cache(maxsize=1)
def parties() -> frozenset[str]:
    """Give the stems of words for those whom something may go to, each another one than the customer."""
    return frozenset(stem(each) for each in table("carrying")["parties"])


@lru_cache(maxsize=1)
def anybody() -> frozenset[str]:
    """Give the stems of words for whom or what an action concerned that a log does not name."""
    return frozenset(stem(each) for each in table("carrying")["anyone"])


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return anybody() | listed("vague") | frozenset(stem(each) for each in _HEADS)


_HEADS: Final = ("folder", "channel", "inbox", "mailbox", "address", "environment", "region", "list", "format", "branch", "status", "department", "page", "section")  # fmt: skip
"""Nouns that say only of what kind a place is."""


_COLLECTIVE: Final = frozenset(
    stem(each) for each in ("team", "group", "department", "staff", "office", "unit")
)


def _specific(named: tuple[str, ...]) -> frozenset[str]:
    return frozenset(named) - _generic()


def _same(claimed: Aim, told: Aim) -> bool:
    """Tell whether two phrases may mean the same party or place."""
    mine, theirs = frozenset(claimed.stems), frozenset(told.stems)
    if claimed.stems[-1] != told.stems[-1] and claimed.stems[-1][0] == told.stems[-1][0] == "=":
        return False
    if mine & theirs:
        own, other = mine - theirs, theirs - mine
        if not own or not other or own | other <= _COLLECTIVE:
            return True
        of_kind = claimed.stems[-1] == told.stems[-1] and len(mine & theirs) == 1
        return not (of_kind or own <= _generic())
    if _specific(claimed.stems):
        return False
    return not (told.is_common and _specific(told.stems))
