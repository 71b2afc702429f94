"""The content of a text in its order: word stems, values, and the words that join or turn."""

import re
from typing import Final

from assay402.checks.claims.model import Fact
from assay402.checks.claims.reading.text import stem, stop_words

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,;]")
_JOINING: Final = frozenset({"and", "or", "but", "nor", "either", "neither", "except"})
_TURNING: Final = frozenset(
    [
        "not",
        "never",
        "no",
        "without",
        "almost",
        "nearly",
        "former",
        "formerly",
        "alleged",
        "allegedly",
        "hardly",
        "rarely",
        "barely",
        "few",
        "half",
        "if",
        "unless",
        "only",
        "most",
        "some",
        "except",
        "fake",
        "denied",
        "false",
    ]
)


def tokens(text: str, values: tuple[Fact, ...] = ()) -> list[str | Fact]:
    """Give the content stems and the values of a text in order, joining and turning words kept as they are."""
    found: list[tuple[int, str | Fact]] = [(fact.start, fact) for fact in values]
    spans = [(fact.start, fact.end) for fact in values]
    for match in _WORD.finditer(text):
        word, low = match[0], match[0].lower()
        if any(start <= match.start() < end for start, end in spans):
            continue
        if low in _JOINING or low in _TURNING or low.endswith("n't"):
            found.append((match.start(), f"={low}"))
        elif low not in stop_words() and word not in ",;":
            found.append((match.start(), stem(low)))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]
