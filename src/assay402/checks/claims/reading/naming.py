"""What names the subject of a record or of a claim: slots such as `service: auth`, and fillers such as `the auth service`."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Fact, Field
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import stem, stems, stop_words, the_same

LONGEST_NAME: Final = 60
"""A longer value is a text and no name."""
_LED: Final = re.compile(r"^(?:[Tt]he|[Aa]n?)\s")
_WORD: Final = re.compile(r"[A-Za-z0-9][\w./&+-]*[\w]|[A-Za-z0-9]")
_PLAIN_END: Final = re.compile(r"(?:ly|ed|.{3}able|.{3}ible|.{3}ful|.{3}less|.{3}ous)$")
_WRITTEN: Final = re.compile(r"[-_./0-9]|[a-z][A-Z]")
"""Signs in a word that no common word has."""
_VERB: Final = Pattern(
    r"\b(?:is|are|was|were|has|have|had|does|did|do|will|uses?|used|runs?|ran|takes?|took|costs?|scored|scores|got|gets|earned|passe[sd]|failed|fails|succeeded|holds?|held|contains?|won|lost|sold|made|owns|needs|serves?|served|handle[sd]?|reached|returned|finished|completed|started|stopped|crashed|received|consumed|consumes|spent|gained|hit|lists?|shows?|includes?|gives?|counts?)\b"
)
_DOES: Final = re.compile(
    r"\s(?:has\s|have\s|had\s|was\s)?(?:\w+ly\s)?(?:approved|signed|authori[sz]ed|rejected|granted|sent|paid|deployed|released|merged|published|submitted|transferred|posted|e?mailed|shipped|cancelled|booked|refunded|charged|deleted|pushed|uploaded|delivered|reviewed|created|filed|ordered|migrated|forwarded|exported|moved|promoted|notified|said|reported|announced|found|decided|confirmed)\b(?=\s(?:the|a|an|it|that|all|our|this|[0-9$]))"
)
"""An actor does something to another thing, which is the subject then."""
_MOST_WORDS: Final = 3
_LETTER: Final = re.compile(r"[A-Za-z]")
_AMOUNT: Final = re.compile(
    r"[-+$€£~<>=]?\s?[0-9][0-9.,:]*\s?[A-Za-z%/]{0,8}$|true$|false$|null$|none$|yes$|no$", re.IGNORECASE
)
_SPACES: Final = re.compile(r"\s{1,2}['\"`]?|\s?['\"`]\s?")


class Name(NamedTuple):
    """What fills a naming slot: the stem of the noun it stands beside, and its words."""

    noun: str
    """Empty where nothing says of what kind the thing is."""
    tokens: frozenset[str]
    squeezed: str
    """The words without what parts them."""
    sort: frozenset[str] = frozenset()
    """The nouns for kinds of things among its words: `database` of `auth-db`."""
    is_own: bool = True
    """It names the thing itself, and is no mere value whose field has a name that a claim may use as a noun."""


_PREFIX: Final = re.compile(r"([A-Za-z]{2,5})[_-](?=\w)")


_NO_KIND: Final = frozenset[str]()


@lru_cache(maxsize=8_192)
def kind_of_id(identifier: str) -> frozenset[str]:
    """Give the stem of the noun that the prefix of an identifier stands for, such as `sub_`, if it stands for one."""
    match = _PREFIX.match(identifier)
    noun = table("prefixes").get(match[1].lower()) if match is not None else None
    return the_same(frozenset((stem(noun),))) if noun is not None else _NO_KIND


_ID_NAME: Final = re.compile(
    r"(?:^|[_.\-])(?:id|ids|uuid|number|no|key|sku|ref|reference|code|name|version|sha)$|^(?:order|invoice|ticket|flight|customer|user|account|charge|refund|reservation|booking|item|product|service|job|path|file|email|host|branch|env|environment|drive|channel|recipient|to|claim|patient|member|employee|parcel|shipment|node|device|sensor|case|subscription)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def is_id_name(name: str) -> bool:
    """Tell whether a field of this name identifies what it stands in."""
    return _ID_NAME.search(name) is not None


_SETTLEMENT: Final = frozenset((stem("payment"), stem("settle"), stem("settlement")))
"""What x402's SettlementResponse is of, which has `success` and `network`."""
_MOST_ANSWERED: Final = 12


def kinds_told(fields: Sequence[Field]) -> frozenset[str]:
    """Give the stems of the nouns for what an object is, by the prefixes of its identifiers or as x402's answer to a payment."""
    kinds = frozenset[str]().union(*(kind_of_id(each.value) for each in fields if is_id_name(each.name)))
    names = {each.name for each in fields[:_MOST_ANSWERED]} if not kinds else set()
    is_answer = {"success", "network"} <= names or ("isValid" in names and not names.isdisjoint(_JUDGED))
    return _SETTLEMENT if is_answer else _PULL if "merged_by" in names else kinds


_PULL: Final = frozenset((stem("pull"), stem("request"), "pullrequest"))
"""What only a pull or merge request has somebody for who merged it."""


_JUDGED: Final = frozenset(("payer", "invalidReason"))
"""What x402's VerifyResponse has beside `isValid`."""


@cache
def words_of(name: str) -> frozenset[str]:
    """Give a list of words as they are written."""
    return frozenset(table("subjects")[name])


@cache
def kinds() -> frozenset[str]:
    """Give the stems of the nouns for kinds of things."""
    return frozenset(stem(each) for each in words_of("kinds")) | frozenset(alike())


@cache
def alike() -> dict[str, frozenset[str]]:
    """Give the stems of nouns that people use for one another."""
    found: dict[str, frozenset[str]] = {}
    for group in table("subjects")["alike"]:
        held = frozenset(stem(each) for each in group)
        for each in held:
            found[each] = found.get(each, held) | held
    return found


@cache
def _attributes() -> frozenset[str]:
    return frozenset(stem(each) for each in words_of("attributes"))


def is_attribute(name: str) -> bool:
    """Tell whether a field or label is named for a property and not for a thing."""
    return bool(frozenset(_parts(name)) & _attributes())


def may_name(value: str) -> bool:
    """Tell whether a value is short and of words, so that it may be a name; amounts and answers are none."""
    return len(value) <= LONGEST_NAME and _LETTER.search(value) is not None and _AMOUNT.match(value) is None


def is_noun(name: str) -> bool:
    """Tell whether a field or label is named for a kind of thing, or calls something by its name."""
    low = name.lower()
    return low in words_of("naming") or (stem(low) in kinds() and not is_attribute(low))


def _parts(text: str) -> tuple[str, ...]:
    return _parted(text[:LONGEST_NAME])


@lru_cache(maxsize=65_536)
def _parted(text: str) -> tuple[str, ...]:
    return tuple(each for each in stems(re.sub(r"[\W_]+", " ", text)) if each)


def name(noun: str, text: str, *, is_own: bool = True) -> Name | None:
    """Give a text as a name; None where nothing in it tells one thing from another."""
    tokens = frozenset(_parts(text))
    bare = tokens - kinds()
    kept = bare or tokens
    squeezed = "".join(each for each in _parts(text) if each in kept)
    return Name(noun, kept, squeezed, tokens - kept, is_own) if kept else None


def same_kind(one: str, other: str) -> bool:
    """Tell whether two nouns may stand for things of one kind; an empty one may for any."""
    return not one or not other or one == other or other in alike().get(one, ())


def is_of_other_kind(claimed: Name, found: Name) -> bool:
    """Tell whether a name says itself that it is of another kind of thing: `auth-db` beside the auth service."""
    further = found.sort - claimed.sort
    return bool(claimed.noun and further) and not any(same_kind(claimed.noun, each) for each in further)


def is_same(claimed: Name, found: Name) -> bool:
    """Tell whether two names may be of one thing, one of them perhaps in short."""
    if is_of_other_kind(claimed, found):
        return False
    if claimed.squeezed == found.squeezed or claimed.tokens >= found.tokens:
        return True
    return claimed.tokens <= found.tokens or found.squeezed.startswith(claimed.squeezed)


def named_in(text: str, nouns: frozenset[str]) -> tuple[Name, ...]:
    """Give what a sentence calls things of these kinds: `the auth service`, `region eu-west`."""
    spans = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    found: list[Name] = []
    for place, (word, _, _) in enumerate(spans):
        noun = stem(word)
        if noun not in nouns or _WRITTEN.search(word):
            continue
        before = _before(text, spans, place)
        behind = _behind(text, spans, place) if not before else ""
        filler = name(noun, before or behind) if before or behind else None
        if filler is not None and _DOES.match(text, spans[place + (not before)][2]) is None:
            found.append(filler)
    return tuple(found)


def _before(text: str, spans: list[tuple[str, int, int]], place: int) -> str:
    """Give the words that tell which one the noun at a place speaks of."""
    kept: list[str] = []
    for index in range(place - 1, max(-1, place - 1 - _MOST_WORDS), -1):
        word, _, end = spans[index]
        if _SPACES.fullmatch(text[end : spans[index + 1][1]]) is None or word.isdigit():
            break
        low = word.lower()
        if low in stop_words() or low in words_of("amounts") or _VERB.fullmatch(word) is not None:
            break
        kept.append(word)
    return " ".join(each for each in reversed(kept) if not _is_plain(each))


def _is_plain(word: str) -> bool:
    """Tell whether a word says nothing of which thing it is: an adjective, an ordinal, a title."""
    low = word.lower()
    return (
        low in words_of("plain")
        or low in words_of("sorts")
        or (_WRITTEN.search(word) is None and _PLAIN_END.search(low) is not None and word.islower())
    )


def _behind(text: str, spans: list[tuple[str, int, int]], place: int) -> str:
    if place + 1 >= len(spans):
        return ""
    word, start, end = spans[place + 1]
    low = word.lower()
    if _SPACES.fullmatch(text[spans[place][2] : start]) is None or word.isdigit() or low in stop_words():
        return ""
    if _WRITTEN.search(word):
        return word
    if is_attribute(low) or low in words_of("plain"):
        return ""
    if word[0].isupper() and not word.isupper():
        return word
    opens = place == 0 or text[: spans[place][1]].lower().rstrip().endswith(("the", ":", "-"))
    follows = _VERB.match(text, end + 1) is not None
    return word if opens and follows and _VERB.fullmatch(low) is None and stem(low) not in kinds() else ""


def subject_of(text: str) -> Name | None:
    """Give the proper name that a sentence begins with, as its subject: `Alice has`, `web-1 uses`."""
    verb = _VERB.search(text[:200])
    if verb is None:
        return None
    head = text[: verb.start()].strip(" *_\"'`")
    head = _LED.sub("", head)
    said = head.split()
    if not said or len(said) > _MOST_WORDS or not all(_WORD.fullmatch(each) for each in said):
        return None
    said = [each for each in said if each.lower() not in words_of("plain")]
    if not said or not all(each[0].isupper() or _WRITTEN.search(each) for each in said):
        return None
    if any(each.lower() in stop_words() or each.isdigit() for each in said):
        return None
    return name("", " ".join(said))


def without(text: str, facts: tuple[Fact, ...]) -> str:
    """Give a sentence with its identifiers made unreadable, which other rules bind."""
    kept, position = [], 0
    for fact in sorted(facts, key=lambda each: each.start):
        first = max(position, fact.start)
        kept += [text[position:first], "1" * (fact.end - first)]
        position = max(position, fact.end)
    return "".join((*kept, text[position:]))
