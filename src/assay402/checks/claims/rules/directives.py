"""What `expected_output` asks of the form of the candidate. It is no oracle: only its directives count."""

import json
import re
from collections.abc import Callable
from typing import Final

from assay402.checks.claims.model import Directive
from assay402.checks.claims.reading.sentences import sentences
from assay402.checks.claims.reading.text import words
from assay402.core.check import rule
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import read

_NUMBERS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "a": 1,
    "single": 1,
}
_NUMBER: Final = r"([0-9]{1,6}|one|two|three|four|five|six|seven|eight|nine|ten|a single)"
_JSON: Final = re.compile(
    r"\b(?:return|respond|reply|answer|output|give|provide|produce|must be|should be|format(?:ted)?|in|as|use|valid)\b[^.\n]{0,40}\bJSON(?:\s+(object|array|list))?\b|^\s*(?:valid )?JSON(?:\s+(object|array))?(?: only)?\s*$",
    re.IGNORECASE,
)
_KEYS: Final = re.compile(
    r"\b(?:keys?|fields?|members?|properties)\b\s*(?:named|called)?\s*:?\s*((?:[\"'`]?[A-Za-z_][\w-]*[\"'`]?(?:\s*,\s*(?:and\s+)?|\s+and\s+)?)+)",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    rf"\b(at most|no more than|maximum(?: of)?|max|up to|under|fewer than|less than|at least|minimum(?: of)?|no fewer than|exactly|in)\s+{_NUMBER}\s+(words?|sentences?|bullets?(?: points?)?|lines?)\b",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(r"\bone of:?\s*([^\n.]{1,300})", re.IGNORECASE)
_YES_NO: Final = re.compile(
    r"\b(?:answer|reply|respond|return|say)\b[^.\n]{0,30}\b(?:yes or no|yes/no)\b|^\s*yes/no\s*$",
    re.IGNORECASE,
)
_CONTAIN: Final = re.compile(
    r"\b(?:must|should)\s+(not\s+)?(?:contain|include|mention)\s+[\"“'`]([^\"”'`\n]{1,300})[\"”'`]|\b(?:do not|don't|never|avoid)\s+(?:contain|include|mention|using|use)\s+[\"“'`]([^\"”'`\n]{1,300})[\"”'`]",
    re.IGNORECASE,
)
_BARE_LIMIT: Final = re.compile(
    rf"(?:^|\b(?:write|give|use|return|output|produce|reply with|respond with|answer with|of|with|as|length:)\s)\s*{_NUMBER}\s+(words?|sentences?|bullets?(?: points?)?|lines?)\b(?!\s(?:or|and)\s(?:fewer|less|more))",
    re.IGNORECASE,
)
"""A number without a bound, which means that many: `3 sentences`."""
_PLAIN: Final = re.compile(
    r"\bplain text\b|\b(?:no|without(?: any)?|avoid(?: using)?|(?:do not|don't|never) (?:use|include|contain|add|write)(?: any)?|must not (?:use|contain|include)(?: any)?)\s(?:any )?markdown\b|\bnon-markdown\b",
    re.IGNORECASE,
)
_ENGLISH: Final = re.compile(
    r"\b(?:in|language\s?[:=]?|use|write|speak)\s*english\b|\benglish (?:only|language)\b|\bonly english\b|^\s*english\s*[.!]?\s*$",
    re.IGNORECASE,
)
_MARKDOWN: Final = re.compile(
    r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|>\s|```)|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^)\n]+\)|`[^`\n]+`", re.MULTILINE
)
_BULLET: Final = re.compile(r"^\s*(?:[-*•+]|[0-9]{1,3}[.)])\s+\S", re.MULTILINE)


@rule("claims/output-contract", since="0.1", spec="section 3.11")
def directives(given: tuple[str, str]) -> tuple[tuple[Directive, ...], tuple[str, ...]]:
    """Name the demands on the form of the candidate, met or not, and the sentences that demand nothing known.

    ## What it reports
    For each recognised directive of `expected_output` whether the candidate meets it: JSON, a JSON object or array,
    keys, a number of words, sentences, bullets or lines, one of several answers, yes or no, text it must or must
    not contain, plain text, English. An unmet one makes the case REPAIR_REQUIRED, family OUTPUT_CONTRACT.

    ## Why it matters
    A program that expects JSON fails on the friendliest sentence around it.

    ## How to fix it
    Give the output the demanded form.

    ## Known limits
    Text of `expected_output` that merely resembles an answer is never compared with the candidate.
    """
    candidate, expected = given
    found: list[Directive] = []
    ignored: list[str] = []
    for line in expected[:20_000].split("\n"):
        for start, end in sentences(line):
            sentence = line[start:end]
            made = [each for reader in _READERS for each in reader(sentence, candidate)]
            found += made
            if not made:
                ignored.append(sentence)
    return tuple(found), tuple(ignored[:50])


def _json(sentence: str, candidate: str) -> list[Directive]:
    match = _JSON.search(sentence)
    if match is None:
        return []
    kind = (match[1] or match[2] or "").lower()
    try:
        value = read(candidate)
    except JSONUnreadable:
        value, met = None, False
    else:
        met = not kind or isinstance(value, list) == (kind in ("array", "list"))
    found = [
        Directive(
            name="json", met=met, requirement=f"The output is valid JSON{f', an {kind}' if kind else ''}."
        )
    ]
    keys = _KEYS.search(sentence)
    named = re.findall(r"[A-Za-z_][\w-]*", keys[1]) if keys is not None else []
    found += [
        Directive(
            name="key",
            met=isinstance(value, dict) and key in value,
            requirement=f"The JSON has the member {json.dumps(key)}.",
        )
        for key in named
        if key.lower() not in ("and", "only")
    ]
    return found


def _keys_alone(sentence: str, candidate: str) -> list[Directive]:
    if _JSON.search(sentence) or not re.search(
        r"\b(?:include|with|has|have|contain)\b", sentence, re.IGNORECASE
    ):
        return []
    return [each for each in _json(f"return JSON {sentence}", candidate) if each.name == "key"]


def _limit(sentence: str, candidate: str) -> list[Directive]:
    found = []
    limits = [(match[1], match[2], match[3]) for match in _LIMIT.finditer(sentence)]
    limits = limits or [("exactly", match[1], match[2]) for match in _BARE_LIMIT.finditer(sentence)]
    for said, told, counted in limits:
        bound, number, unit = said.lower(), told.lower().removeprefix("a "), counted.lower()
        limit = int(number) if number.isdigit() else _NUMBERS[number]
        count = _count(unit, candidate)
        met = {
            "at least": count >= limit, "minimum": count >= limit, "minimum of": count >= limit, "no fewer than": count >= limit,
            "exactly": count == limit, "in": count == limit, "under": count < limit, "fewer than": count < limit, "less than": count < limit,
        }.get(bound, count <= limit)  # fmt: skip
        found.append(
            Directive(
                name=f"{unit.split()[0].rstrip('s')}s",
                met=met,
                requirement=f"The output has {bound} {limit} {unit}; it has {count}.",
            )
        )
    return found


def _count(unit: str, candidate: str) -> int:
    if unit.startswith("word"):
        return len(words(candidate))
    if unit.startswith("sentence"):
        return sum(1 for line in candidate.split("\n") for _ in sentences(line))
    if unit.startswith("bullet"):
        return len(_BULLET.findall(candidate))
    return len([line for line in candidate.split("\n") if line.strip()])


def _one_of(sentence: str, candidate: str) -> list[Directive]:
    match = _ONE_OF.search(sentence)
    if match is None:
        return []
    options = [each.strip(" \"'`.") for each in re.split(r"\||,|\bor\b|/", match[1]) if each.strip(" \"'`.")]
    if len(options) < 2:  # a choice has two
        return []
    met = candidate.strip(" \"'`.\n").lower() in {each.lower() for each in options}
    return [
        Directive(name="one-of", met=met, requirement="The output is one of: " + " | ".join(options) + ".")
    ]


def _yes_no(sentence: str, candidate: str) -> list[Directive]:
    if not _YES_NO.search(sentence):
        return []
    return [
        Directive(
            name="yes-no",
            met=candidate.strip(" .\n!").lower() in ("yes", "no"),
            requirement="The output is yes or no.",
        )
    ]


def _contain(sentence: str, candidate: str) -> list[Directive]:
    found = []
    for match in _CONTAIN.finditer(sentence):
        wanted = match[2] or match[3]
        banned = bool(match[1]) or match[3] is not None
        met = (wanted.lower() in candidate.lower()) != banned
        found.append(
            Directive(
                name="contains",
                met=met,
                requirement=f"The output {'does not contain' if banned else 'contains'} {json.dumps(wanted, ensure_ascii=False)}.",
            )
        )
    return found


def _plain(sentence: str, candidate: str) -> list[Directive]:
    if not _PLAIN.search(sentence):
        return []
    return [
        Directive(
            name="plain-text",
            met=_MARKDOWN.search(candidate) is None,
            requirement="The output is plain text without Markdown.",
        )
    ]


def _english(sentence: str, candidate: str) -> list[Directive]:
    if not _ENGLISH.search(sentence):
        return []
    letters = [char for char in candidate if char.isalpha()]
    met = sum(char.isascii() for char in letters) * 10 >= len(letters) * 9  # nine letters in ten
    return [Directive(name="english", met=met, requirement="The output is in English.")]


_READERS: Final[tuple[Callable[[str, str], list[Directive]], ...]] = (
    _json,
    _keys_alone,
    _limit,
    _one_of,
    _yes_no,
    _contain,
    _plain,
    _english,
)
