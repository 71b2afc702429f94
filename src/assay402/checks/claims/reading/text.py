"""Text as the contract measures it, and as words: UTF-16 offsets, word stems, names."""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from assay402.checks.claims.data import table

ARTICLES: Final = frozenset(("the", "a", "an", "our", "your"))
"""Words before a noun that say nothing of which one it is."""
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_APART: Final = "".join(each if each.isalnum() else " " for each in map(chr, range(128)))
_COMPARED: Final = "".join(each if each.isalnum() or each in "_$%" else " " for each in map(chr, range(128)))
"""Put blanks for what parts words, in a text of ASCII signs alone, which is quicker than to look for words; the second keeps signs of value."""
_CAMEL: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_INNER_CAPITAL: Final = re.compile(r"[a-z][A-Z]")
_NOT_WORD: Final = re.compile(r"[^\w$€£%]+")
_ROLL: Final = re.compile(r"\b[Rr]oll(?:s|ed|ing)? (back|out)\b")
_BACKED: Final = re.compile(r"\b[Bb]ack(?:s|ed|ing)? up\b")
_VOWEL: Final = frozenset("aeiouy")
_LONGEST_WORD: Final = 40
"""Longer runs of letters are no words; they are compared as they stand."""


def utf16_length(text: str) -> int:
    """Count UTF-16 code units; lone surrogates count one."""
    return len(text) if text.isascii() else len(text) + len(_ASTRAL.findall(text))


def utf16_offsets(text: str) -> Callable[[int], int]:
    """Give a function that turns a string index into a UTF-16 offset."""
    astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]
    return lambda index: index + bisect_left(astral, index)


@cache
def _lexicon() -> tuple[dict[str, str], dict[str, str]]:
    lexicon = table("lexicon")
    irregular = {word: _without_ending(base) for word, base in lexicon["irregular"].items()}
    synonyms = {_without_ending(word): _without_ending(base) for word, base in lexicon["synonyms"].items()}
    return irregular, synonyms


@cache
def stop_words() -> frozenset[str]:
    """Give the words that carry no content of their own."""
    return frozenset(table("lexicon")["stop"])


@cache
def acronyms() -> frozenset[str]:
    """Give the words of three capitals that are words like others and no codes of places or currencies."""
    return frozenset(table("lexicon")["acronyms"])


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Give the form by which words are compared: lower case, without endings, one word for its synonyms."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    irregular, synonyms = _lexicon()
    found = irregular.get(low)
    if found is None:
        found = low if len(low) > _LONGEST_WORD or not low.isalpha() else _without_ending(low)
    return synonyms.get(found, found)


def is_past(word: str) -> bool:
    """Tell whether a word in lower case has the form of a verb that tells of the past, and of no order or doing."""
    return word.endswith("ed") or word in _lexicon()[0]


def _without_ending(low: str) -> str:
    if len(low) > 4 and low.endswith("ies"):  # lengths below which an ending is part of the word
        return low[:-3] + "y"
    if len(low) > 5 and low.endswith("ied"):
        return low[:-3] + "y"
    if len(low) > 3 and low.endswith("s") and low[-2] not in "sui":
        low = low[:-2] if low.endswith(("ses", "xes", "zes", "ches", "shes")) else low[:-1]
    for ending, shortest in (("ing", 6), ("ed", 5)):
        if len(low) >= shortest and low.endswith(ending) and _VOWEL & set(low[: -len(ending)]):
            low = _undouble(low[: -len(ending)])
    return low[:-1] if len(low) > 3 and low.endswith("e") else low


def _undouble(base: str) -> str:
    return base[:-1] if len(base) > 2 and base[-1] == base[-2] and base[-1] not in "lsz" else base


@lru_cache(maxsize=65_536)
def _parts(word: str) -> tuple[str, ...]:
    if _INNER_CAPITAL.search(word):
        return tuple(stem(part) for part in _CAMEL.findall(word) if part.lower() not in stop_words())
    return (stem(word),) if word.lower() not in stop_words() else ()


def stems(text: str) -> list[str]:
    """Give the stems of the content words of a text, in order."""
    if "roll" in text or "Roll" in text:
        text = _ROLL.sub(r"roll\1", text)
    if "ack" in text:
        text = _BACKED.sub("backup", text)
    if "-mail" in text:
        text = text.replace("e-mail", "email").replace("E-mail", "email")
    if "ull request" in text:
        text = text.replace("ull request", "ullrequest")
    if "nd-to-" in text:
        text = text.replace("nd-to-end", "2e")
    return list(chain.from_iterable(map(_parts, words(text))))


@lru_cache(maxsize=4_096)
def the_same(words: frozenset[str]) -> frozenset[str]:
    """Give for equal sets of words one of them: thousands of values are named by the same few words."""
    return words


def words(text: str) -> list[str]:
    """Give the words of a text as written, in order."""
    return text.translate(_APART).split() if text.isascii() and "'" not in text else _WORD.findall(text)


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Give the words of a text with their places."""
    return [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]


def plain(text: str) -> str:
    """Give a text as it is compared for sameness: words and signs of value alone, in lower case, single blanks between."""
    low = text.lower()
    return " ".join(low.translate(_COMPARED).split()) if low.isascii() else _NOT_WORD.sub(" ", low).strip()


@cache
def listed(name: str) -> frozenset[str]:
    """Give the stems of the words of a list of the lexicon."""
    return frozenset(stem(word) for word in table("lexicon")[name])


_SMALL_WORD: Final = re.compile(r"[^\W\d_]+")


def is_foreign(text: str) -> bool:
    """Tell whether the beginning of a text is in another language, as far as two of its small words and more of them than English ones say."""
    found = {each.lower() for each in _SMALL_WORD.findall(text[:4_000])}
    foreign = len(found & _foreign())
    return foreign >= 2 and foreign > len(found & stop_words())


@cache
def _foreign() -> frozenset[str]:
    return frozenset(table("lexicon")["foreign"])
