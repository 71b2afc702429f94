"""What looks like a secret, by a wide measure: what a proposal never takes over from the evidence."""

import re
from collections.abc import Iterator
from typing import Final

_NAME: Final = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|secrets?|(?:auth|access|refresh|session|api|bearer|id)?[_-]?tokens?"
    r"|api[_-]?keys?|(?:access|private|secret|signing|encryption|license)[_-]?keys?|credentials?|authorization|cookies?"
    r"|session(?:[_-]?id)?|sid|cvc|cvv2?|pin|otp|card(?:[_-]?(?:number|no))?|iban|signature|ssn)"
)
_NAMED: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_.-]){{0,6}}{_NAME}[\"']?\s{{0,3}}(?:[:=]|\bis\b)\s{{0,3}}[\"']?(?P<value>[^\s\"',;]{{1,400}})",
    re.IGNORECASE,
)
_SPOKEN: Final = re.compile(
    r"(?:\b(?:bearer|basic|digest)\s{1,3}(?P<scheme>[A-Za-z0-9._~+/=-]{6,})"
    r"|://[^\s/@:]{0,100}:(?P<url>[^\s/@]{1,200})@"
    r"|(?<!\S)(?:-u|--user)[\s=][^\s:]{1,100}:(?P<user>\S{1,200})"
    r"|(?<!\S)-p(?P<flag>[^\s-]\S{3,200})"
    r"|(?<!\S)--?(?:pass\w*|token|secret|api-?key|auth)[\s=](?P<option>\S{1,200}))",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"\b(?:[mt]?otp|[2m]fa|one[- ]?time|(?:verification|security|login|log-?in|sign-?in|auth(?:entication|orization)?|access|backup|recovery|unlock|pass))"
    r"[ _-](?:(?:pass)?codes?|passwords?|tokens?|pins?|numbers?|keys?)\b[\"']?\s{0,3}(?:[:=]|is\b|was\b)?\s{0,3}[\"']?(?P<value>(?=[A-Za-z-]{0,8}[0-9])[A-Za-z0-9-]{4,12})\b"
    r"|\b(?P<before>[0-9]{4,8}) is your\b|\b[Uu]se (?P<use>[0-9]{4,8}) (?:as|to)\b",
    re.IGNORECASE,
)
"""Codes for one use, as messages spell them."""
_PHRASE: Final = re.compile(
    r"\b(?:(?:seed|recovery|mnemonic|backup|secret|wallet)[ _-]?(?:phrases?|words?|seed|mnemonic)|mnemonic|pass[ _-]?phrase)[\"']?\s{0,3}[:=]\s{0,3}(?P<value>[^\n;\"]{3,300})",
    re.IGNORECASE,
)
_UNSIGNED: Final = re.compile(
    r"\b(?:pass[ _-]?phrase|password|passwd|passcode)\s(?P<value>(?=[A-Za-z]{0,40}[-_!@#$%^&*0-9])[^\s\"',;]{5,200})",
    re.IGNORECASE,
)
_PREFIXED: Final = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?:gh[pousr]|github_pat|sk|pk|rk|whsec|npm|xox[abprs]|glpat|shp(?:at|ss)|hf)[_-][A-Za-z0-9_-]{12,}"
    r"|\bAIza[0-9A-Za-z_-]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}|-----BEGIN [A-Z ]{1,40}-----"
)
_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")
"""Longer than words with a number behind them are."""
_LETTERS: Final = 4
"""Fewer stand in a time stamp."""
_DIGITS: Final = 2
_CARD: Final = re.compile(r"(?<![\w.-])[0-9](?:[ -]?[0-9]){12,18}(?![\w.-])")


def secrets_in(text: str) -> Iterator[str]:
    """Give the stretches of a text that look like secrets: named, prefixed, random or a card's number."""
    for match in _NAMED.finditer(text):
        yield match["value"]
    for match in (*_SPOKEN.finditer(text), *_CODE.finditer(text)):
        yield match[match.lastgroup or 0]
    for match in (*_PHRASE.finditer(text), *_UNSIGNED.finditer(text)):
        yield match["value"].strip()
    for match in _PREFIXED.finditer(text):
        yield match[0]
    for match in _RUN.finditer(text):
        if _is_random(match[0]):
            yield match[0]
    for match in _CARD.finditer(text):
        if _is_card(match[0]):
            yield match[0]


def _is_random(run: str) -> bool:
    digits = sum(char.isdigit() for char in run)
    return digits >= _DIGITS and len(run) - digits >= _LETTERS


def _is_card(number: str) -> bool:
    """Tell whether the last digit is the one that the others ask for, as on payment cards."""
    digits = [int(char) for char in reversed(number) if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]  # 10 and more count their digits
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
