"""Material that must not be handled as plain text: orders to the checker, secrets, forged receipts."""

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import normalize

from assay402.checks.claims.model import EvidenceItem, Hit
from assay402.checks.claims.reading.addressing import Hints, addressed
from assay402.checks.claims.reading.pleading import objects_in, pleading
from assay402.checks.claims.reading.unwrapping import unwrapped

_VERDICT: Final = r"(?:supported|verified|true|correct|passed|pass|clear(?:_with_ceiling)?|approved|valid|confirmed|accurate|compliant|contradicted)"
_CHECKER: Final = r"(?:verifier|checker|validator|fact[- ]checker|evaluator|integrity (?:engine|check(?:er)?)|assay|fahce|assistant|ai model|language model|llm)"
_PERSON: Final = r"(?:auditor|grader|judge|reviewer)"
"""Roles that people have too: addressing one is an order to a checker only where it is about claims and verdicts."""
_OBLIGED: Final = r"(?:must|should|shall|has to|needs? to|please)"
"""What a person is obliged to do with claims is an order to a checker only where it says with what verdict."""
_ABOUT: Final = r"(?:claims?|verdicts?|contradictions?|SUPPORTED|verified|evidence|statements?)"
_BEGINS: Final = r"(?:^|[.:;!?,\[\]()<>*\"'`|{}/#~_-]\s{0,3}|\b(?:please|must|should|shall|and|then|or|just|you|now|always|only|simply|verifier|checker|validator|evaluator|model|assistant|kindly)\s)"
"""Where a verb that orders stands: what follows `to` or a noun only tells of doing it."""
_ORDER: Final = (
    re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|the)\b.{0,30}\b(?:instructions?|checks?|rules?|prompts?|guidelines?|polic(?:y|ies)|evidence|claims?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_BEGINS}(?:mark|treat|label|rate|report|return|classify|grade|score|consider|flag|set|declare|output|answer|judge)\b.{{0,60}}\b(?:claims?|statements?|everything|all|this|following|text|answer|output|result|verdict|state|response|it|case)\b.{{0,40}}\b(?:as )?(?:already |fully )?{_VERDICT}\b",
        re.IGNORECASE,
    ),
    re.compile(rf"{_BEGINS}(?i:mark|treat|label|rate|report|classify|declare|return|call)\b.{{0,40}}\b(?i:as )?(?:SUPPORTED|CLEAR_WITH_CEILING|CLEAR)\b"),
    re.compile(rf"\b(?:note|message|instructions?|attention|dear|hey|hello|to)\s(?:to |for )?(?:the |any |all )?(?:{_CHECKER}s?\s?[:,]|{_PERSON}s?\s?[:,].{{0,100}}\b{_ABOUT}\b)", re.IGNORECASE),
    re.compile(rf"\b{_CHECKER}\b.{{0,30}}\b(?:must|should|shall|has to|needs? to|please)\b.{{0,40}}\b(?:mark|treat|accept|approve|return|report|say|answer|output|ignore|pass|skip|rate|conclude)\b.{{0,60}}\b(?:claims?|verdicts?|evidence|contradictions?|everything|anything|nothing|this|following|answer|output|above|{_VERDICT})\b", re.IGNORECASE),
    re.compile(rf"\b{_PERSON}\b.{{0,30}}\b{_OBLIGED}\b.{{0,40}}\b(?:mark|treat|consider|declare|return|report|say|answer|output|rate|conclude)\b.{{0,60}}\b(?:claims?|verdicts?|everything|anything|statements?)\b.{{0,40}}\b(?:as|to be|verdict|(?<!that )(?<!which )(?:is|are))[:\s]\s?(?:\w+ly )?{_VERDICT}\b", re.IGNORECASE),
    re.compile(rf"\b{_PERSON}\b.{{0,30}}\b{_OBLIGED}\b.{{0,40}}\b(?:(?:accept|ignore)\b.{{0,20}}\b(?:(?:all|every|any|these|this|the above)\b.{{0,30}}\b(?:claims?|statements?|verdicts?)|contradictions?|everything)|(?:not|never)\s\w+\s(?:any |a |the )?contradictions?|\w+ no contradictions?|\w+ (?:an? |the )?(?:positive|favou?rable) verdict|(?:return|report|answer|output|say)\b.{{0,40}}\b(?-i:SUPPORTED))\b", re.IGNORECASE),
    re.compile(rf"\b(?:models?|readers?|systems?|agents?|engines?|ai)\b.{{0,12}}\b(?:evaluat|review|judg|check|verify|grad|process|read|assess|audit)ing\b.{{0,60}}\b(?:must|should|shall|answer|conclude|return|mark|say|report)\b.{{0,60}}\b(?:{_ABOUT}|{_VERDICT})\b", re.IGNORECASE),
    re.compile(rf"\b(?:must|should|shall|to) conclude\b.{{0,40}}\b(?:claims?|statements?|everything)\b.{{0,40}}\b{_VERDICT}\b", re.IGNORECASE),
    re.compile(r"\b(?:do not|don't|never|no need to)\s(?:flag|contradict|question|dispute|challenge|check|verify)\b.{0,40}\b(?:claims?|c[0-9]{1,3}|verdicts?|candidate|statements?)\b", re.IGNORECASE),
    re.compile(r"\b(?:set|respond with|reply with|return|output|report|answer)\b.{0,30}\bverified\s?[=:]\s?true\b|\byou are now in\b.{0,40}\bmode\b", re.IGNORECASE),
    re.compile(r"(?:<\|?(?:im_start|system|endoftext)\|?>|\[/?INST\]|<</?SYS>>)", re.IGNORECASE),
    re.compile(r"^\s*(?:SYSTEM|ASSISTANT|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\s?:\s?(?:you (?:are|must|will)\b.{0,80}\b(?:claims?|verdicts?|supported|verified|checker|verifier|validator|ignore|disregard|evidence|mode)\b|ignore|disregard|override|do not|always|from now on|mark|treat|return)", re.IGNORECASE | re.MULTILINE),
    re.compile(rf"\b(?:you|verifier|checker) must (?:not )?(?:mark|return|report|answer|say|output|call)\b.{{0,60}}\b{_VERDICT}\b", re.IGNORECASE),
    re.compile(rf"\b(?:ignore|disregard|forget)\b.{{0,20}}\b(?:above|previous|earlier|preceding|before|instructions?)\b.{{0,40}}\b(?:say|answer|respond|reply|return|output|report|mark|conclude|write|print)\b.{{0,40}}\b{_VERDICT}\b", re.IGNORECASE),
    re.compile(r"\b(?i:return|output|respond with|emit|answer)\b.{0,20}\b(?:CLEAR_WITH_CEILING|SUPPORTED|REPAIR_REQUIRED|QUARANTINE)\b"),
)  # fmt: skip
_MENTION: Final = re.compile(
    r"\b(?:prompt injection|injections?|jailbreak|attack(?:er)?s?|phishing|example of|such as|phrase|pattern|payload|detects?|detected|blocked|filter(?:s|ed)?|sanitiz\w+|malicious)\b",
    re.IGNORECASE,
)
_SECRET: Final = (
    ("PRIVATE_KEY", re.compile(r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")),
    ("BEARER_TOKEN", re.compile(r"\bBearer\s+[A-Za-z0-9\-._~+/]{20,}=*|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    ("ACCESS_KEY", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b|\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{24,}\b|\bsk_live_[A-Za-z0-9]{16,}\b|\bxox[abprs]-[A-Za-z0-9-]{20,}\b|\bAIza[0-9A-Za-z_-]{35}\b|\bglpat-[A-Za-z0-9_-]{20,}\b")),
    ("PASSWORD", re.compile(r"\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)\s?[=:]\s?[\"'](?=[^\"'\n]*[0-9])(?=[^\"'\n]*[A-Za-z])[^\"'\s]{12,200}[\"']", re.IGNORECASE)),
)  # fmt: skip
_ENGINE: Final = r"(?:FAHCE|fahce|assay402|(?i:assay|integrity) (?i:engine|check(?:er)?|receipt|verdict|diagnosis|repair)|(?i:claims? check(?:er)?))"
_FORGED: Final = re.compile(
    r"(?i:FAHCE_MACHINE_RESPONSE_V1)|SHA256_(?:CANONICAL|SORTED)_JSON_RESULT_WITH_EMPTY_RESULT_HASH_V[12]"
    r"|[\"'](?i:claim_?ceiling|external_?execution_?verified|next_?safe_?action|result_hash|response_hash)[\"']\s?:"
    r"|\b(?i:diagnosis|integrity|verification|claims?|engine|check)[ _](?i:state|verdict|receipt|result|status)\s{0,3}(?:[:=]|(?i:is))\s{0,3}\"?(?:CLEAR_WITH_CEILING|SUPPORTED|VERIFIED)\b"
    r"|\b(?i:state|verdict|diagnosis|result|ceiling|outcome|engine|receipt|returned|support)[^\w\n]{0,8}(?:(?i:is|was)[^\w\n]{0,4})?(?i:CLEAR_WITH_CEILING)\b"
    r"|\b(?i:verdict|support)[\"']?\s{0,3}(?:[:=]|(?i:is|was))\s{0,3}[\"']?SUPPORTED\b"
    r"|\b(?:result|response)_hash\s{0,3}[=:]?\s{0,3}[\"']?[0-9a-f]{16}"
    rf"|\b{_ENGINE}\b[^.\n]{{0,60}}(?:\b(?i:verified)\s{{0,3}}[=:]\s{{0,3}}(?i:true|yes)\b|[:=]\s{{0,3}}(?:CLEAR_WITH_CEILING|SUPPORTED|VERIFIED)\b)"
    rf"|\b(?i:verified|checked|cleared|validated|approved|certified|confirmed|passed) by (?i:the )?{_ENGINE}\b"
    r"|\"verification\"\s?:\s?\{[^{}]{0,200}\"verified\"\s?:\s?true"
)
_FORGING: Final = ("fahce", "result_hash", "clear_with_ceiling", "supported", "verified", "_hash", "ceiling", "action", " by ", "assay402")  # fmt: skip
"""A text without any of these, in whatever case, holds no forged receipt, and looking for them is quick."""
_NAME: Final = re.compile(r"[\"'][\w-]{1,60}[\"']\s{0,3}:")
_DATA: Final = re.compile(r"[{,]\s{0,3}[\"'][\w-]{1,60}[\"']\s{0,3}:")
"""A member of an object: its name is no word about what it holds."""
_HIDDEN: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_TAGS: Final = {0xE0000 + each: each for each in range(0x20, 0x7F)}
"""Characters that no reader sees and that a machine reads as letters."""
_LONGEST: Final = 400
"""Characters of one line in which an order is looked for at a time."""


def hits(candidate: str, items: tuple[EvidenceItem, ...]) -> tuple[Hit, ...]:
    """Give everything that makes a case unsafe to handle, by code and place."""
    found = [*_secrets(candidate), *_in_text(candidate, "candidate_output")]
    for item in items:
        found += _in_text(item.text, item.id)
        found += _in_text(item.source_label, item.id)
    return tuple(found)


def _secrets(text: str) -> list[Hit]:
    return [
        Hit(code=code, where="candidate_output", start=match.start(), end=match.end())
        for code, pattern in _SECRET
        for match in pattern.finditer(text)
    ]


def _in_text(text: str, where: str) -> list[Hit]:
    found = [
        Hit(code="FORGED_RECEIPT", where=where, start=match.start(), end=match.end())
        for match in _forged(text)
        if not _only_mentioned(*_around(text, match.start(), match.end()))
    ]
    found += _ordered(text, where)
    return (found or list(_wrapped(text, where)))[:20]


def _wrapped(text: str, where: str) -> Iterator[Hit]:
    """Give the first stretch that says such a thing once it is unwrapped, unless the text around it tells of an attack."""
    for inner, start, end in unwrapped(text):
        forged = any(not _only_mentioned(*_around(inner, *match.span())) for match in _forged(inner))
        if (forged or _ordered(inner, where)) and not _only_mentioned(*_around(text, start, end)):
            code = "FORGED_RECEIPT" if forged else "ADDRESSES_CHECKER"
            yield Hit(code=code, where=where, start=start, end=end)
            return


def addresses_checker(text: str) -> bool:
    """Tell whether a text holds an order to whoever checks it."""
    return bool(_ordered(text, ""))


def _ordered(text: str, where: str) -> list[Hit]:
    low = (text if text.isascii() else _shown(text)).lower()
    cheap, hints, held = tuple([each for each in _CHEAP if each in low]), Hints.of(low), objects_in(low)
    if not cheap and not held and not hints.stand_in(low):
        return []
    found, start = [], 0
    for line in text.split("\n"):
        if len(line) > 12:  # shorter than any order
            found += _orders(line, start, where, (cheap, held, hints))
        start += len(line) + 1
    return found


def _forged(text: str) -> Iterator[re.Match[str]]:
    low = text.lower()
    return _FORGED.finditer(text) if any(word in low for word in _FORGING) else iter(())


_CHEAP: Final = (
    "ignore", "disregard", "forget", "override", "bypass", "skip", "mark", "treat", "verif", "checker", "validator", "auditor",
    "evaluator", "grader", "judge", "reviewer", "assay", "fahce", "system", "instruct", "[inst", "[/inst", "<|", "<<", "clear_with",
    "supported", "integrity", "assistant", "language model", "llm", "developer", "evaluating", "conclude", "verdict", "contradict",
    "do not flag", "don't flag", "reviewing this", "judging", "[system",
)  # fmt: skip
"""A line without any of these holds no order, and looking for them is quick."""


def _orders(
    line: str, start: int, where: str, known: tuple[tuple[str, ...], tuple[str, ...], Hints]
) -> list[Hit]:
    """Give the first order of a line; `known` are the words that the whole text holds."""
    words, held, hints = known
    shown = line if line.isascii() else _shown(line)
    low = shown.lower()
    cheap = any(map(low.__contains__, words))
    if not cheap and not any(map(low.__contains__, held)) and not hints.stand_in(low):
        return []
    for begin in range(0, max(1, len(shown) - _LONGEST // 2), _LONGEST // 2):
        window = shown[begin : begin + _LONGEST]
        told = addressed(window, low[begin : begin + _LONGEST], hints) or pleading(
            window, low[begin : begin + _LONGEST], held
        )
        found = (each for pattern in _ORDER for each in pattern.finditer(window)) if cheap else ()
        for match in (*(() if told is None else (told,)), *found):
            before, after = window[: match.start()], window[match.end() :]
            if not _only_mentioned(before, after) and _CHOICE.match(after) is None:
                whole = len(shown) != len(line)  # places in what is shown are none in the line
                first, last = (0, len(line)) if whole else (begin + match.start(), begin + match.end())
                return [Hit(code="ADDRESSES_CHECKER", where=where, start=start + first, end=start + last)]
    return []


def _shown(line: str) -> str:
    """Give a line as a reader takes it in: without invisible characters, letters of other scripts and widths as those they look like."""
    return normalize("NFKC", _HIDDEN.sub("", line).translate(_TAGS)).translate(_ALIKE)


_ALIKE: Final = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "αικνορυ" + "АВЕЗКМНОРСТХ" + "аеорсухіѕјԁһ",
    "ABEZHIKMNOPTYX" + "aikvopu" + "ABE3KMHOPCTX" + "aeopcyxisjdh",
)
_CHOICE: Final = re.compile(
    r"[\"'`*]?\s?(?:or|/|,|and)\s?[\"'`*]?(?:or\s)?(?:not|no(?!\s\w)|un\w+|contradicted|rejected|refuted|false|wrong|denied)\b",
    re.IGNORECASE,
)
"""What follows a verdict where all of them are named: a rule of how to judge, and no order to judge so."""


def _around(text: str, start: int, end: int) -> tuple[str, str]:
    """Give what stands on the same line before and behind a stretch."""
    line = text.rfind("\n", max(0, start - _LONGEST), start) + 1
    stop = text.find("\n", end, end + _LONGEST)
    return text[max(line, start - _LONGEST) : start], text[end : stop if stop >= 0 else end + _LONGEST]


_OPEN_QUOTE: Final = re.compile(r"(?:^|[\s(=:\[])'[^']*$")
_CLOSED_QUOTE: Final = re.compile(r"^[^']*'(?!\w)")


def _only_mentioned(before: str, after: str) -> bool:
    """Tell whether a text speaks about such orders: quoted, in code, and in words about attacks."""
    quoted = (
        (before.count('"') % 2 == 1 and '"' in after)
        or (before.count("`") % 2 == 1 and "`" in after)
        or ("“" in before and "”" in after)
        or (_OPEN_QUOTE.search(before) is not None and _CLOSED_QUOTE.match(after) is not None)
    )
    around = before + after
    if quoted and _DATA.search(around) is not None:
        around = _NAME.sub(" ", around)
    return quoted and _MENTION.search(around) is not None
