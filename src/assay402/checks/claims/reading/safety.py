"""Material that must not be handled as plain text: orders to the checker, secrets, forged receipts."""

import re
from typing import Final

from assay402.checks.claims.model import EvidenceItem, Hit

_VERDICT: Final = r"(?:supported|verified|true|correct|passed|pass|clear(?:_with_ceiling)?|approved|valid|confirmed|accurate|compliant|contradicted)"
_CHECKER: Final = r"(?:verifier|checker|validator|auditor|fact[- ]checker|evaluator|grader|judge|reviewer|integrity (?:engine|check(?:er)?)|assay|fahce|assistant|ai model|language model|llm)"
_ORDER: Final = (
    re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|the)\b.{0,30}\b(?:instructions?|checks?|rules?|prompts?|guidelines?|polic(?:y|ies)|evidence|claims?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:mark|treat|label|rate|report|return|classify|grade|score|consider|flag|set|declare|output|answer|judge)\b.{{0,60}}\b(?:claims?|statements?|everything|all|this|following|text|answer|output|result|verdict|state|response|it|case)\b.{{0,40}}\b(?:as )?(?:already |fully )?{_VERDICT}\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:note|message|instructions?|attention|dear|hey|hello|to)\s(?:to |for )?(?:the |any |all )?{_CHECKER}s?\s?[:,]", re.IGNORECASE),
    re.compile(rf"\b{_CHECKER}\b.{{0,30}}\b(?:must|should|shall|has to|needs? to|please)\b.{{0,40}}\b(?:mark|treat|accept|approve|return|report|say|answer|output|ignore|pass|skip)\b.{{0,60}}\b(?:claims?|verdicts?|evidence|contradictions?|everything|anything|nothing|this|following|answer|output|above|{_VERDICT})\b", re.IGNORECASE),
    re.compile(r"\b(?:set|respond with|reply with|return|output|report|answer)\b.{0,30}\bverified\s?[=:]\s?true\b|\byou are now in\b.{0,40}\bmode\b", re.IGNORECASE),
    re.compile(r"(?:<\|?(?:im_start|system|endoftext)\|?>|\[/?INST\]|<</?SYS>>)", re.IGNORECASE),
    re.compile(r"^\s*(?:SYSTEM|ASSISTANT|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\s?:\s?(?:you (?:are|must|will)\b|ignore|disregard|override|do not|always|from now on|mark|treat|return)", re.IGNORECASE | re.MULTILINE),
    re.compile(rf"\b(?:you|verifier|checker) must (?:not )?(?:mark|return|report|answer|say|output|call)\b.{{0,60}}\b{_VERDICT}\b", re.IGNORECASE),
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
_FORGED: Final = re.compile(
    r"FAHCE_MACHINE_RESPONSE_V1|SHA256_(?:CANONICAL|SORTED)_JSON_RESULT_WITH_EMPTY_RESULT_HASH_V[12]|\"(?:claim_ceiling|external_execution_verified|next_safe_action|result_hash)\"\s?:|\b(?:diagnosis|integrity|verification) (?:state|verdict|receipt)\s?[:=]\s?\"?(?:CLEAR_WITH_CEILING|SUPPORTED|VERIFIED)\b"
)
_HIDDEN: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
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
        for match in _FORGED.finditer(text)
    ]
    start = 0
    for line in text.split("\n"):
        if len(line) > 12:  # shorter than any order
            found += _orders(line, start, where)
        start += len(line) + 1
    return found[:20]


_CHEAP: Final = (
    "ignore", "disregard", "forget", "override", "bypass", "skip", "mark", "treat", "verif", "checker", "validator", "auditor",
    "evaluator", "grader", "judge", "reviewer", "assay", "fahce", "system", "instruct", "[inst", "[/inst", "<|", "<<", "clear_with",
    "supported", "integrity", "assistant", "language model", "llm", "developer",
)  # fmt: skip
"""A line without any of these holds no order, and looking for them is quick."""


def _orders(line: str, start: int, where: str) -> list[Hit]:
    # Invisible characters would otherwise part the words of an order.
    shown = _HIDDEN.sub("", line) if not line.isascii() else line
    low = shown.lower()
    if not any(word in low for word in _CHEAP):
        return []
    for begin in range(0, max(1, len(shown) - _LONGEST // 2), _LONGEST // 2):
        window = shown[begin : begin + _LONGEST]
        for pattern in _ORDER:
            match = pattern.search(window)
            if match is not None and not _only_mentioned(window, match):
                return [
                    Hit(
                        code="ADDRESSES_CHECKER",
                        where=where,
                        start=start + begin + match.start(),
                        end=min(start + len(line), start + begin + match.end()),
                    )
                ]
    return []


def _only_mentioned(window: str, match: re.Match[str]) -> bool:
    """Tell whether a text speaks about such orders: quoted, in code, and in words about attacks."""
    before, after = window[: match.start()], window[match.end() :]
    quoted = (
        (before.count('"') % 2 == 1 and '"' in after)
        or (before.count("`") % 2 == 1 and "`" in after)
        or ("“" in before and "”" in after)
    )
    return quoted and _MENTION.search(before + after) is not None
