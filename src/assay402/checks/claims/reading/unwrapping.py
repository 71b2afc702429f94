"""Text inside text: what a stretch says once its escapes, its base64 or its hexadecimal digits are read."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Final

_ESCAPED: Final = re.compile(
    r"\\+u00([0-9A-Fa-f]{2})|%([0-9A-Fa-f]{2})|\\+x([0-9A-Fa-f]{2})|&#x([0-9A-Fa-f]{2});|&#([0-9]{2,3});|\\+(?=[\"'/])"
)
_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
"""Shorter runs hold no word of a receipt with its value."""
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_DEPTH: Final = 2
_BLANKS: Final = re.compile(r"[\r\n\t]")


def unwrapped(text: str, depth: int = _DEPTH) -> Iterator[tuple[str, int, int]]:
    """Give each text that stands wrapped in a text, with the stretch it stands in; what is wrapped twice as well."""
    found = [
        (inner, match.start(), match.end())
        for match in _RUN.finditer(text)
        for inner in _decoded(match[0])
        if inner
    ]
    plain = _unescaped(text) if any(each in text for each in ("\\", "%", "&#")) else text
    if plain != text:
        found.append((plain, 0, len(text)))
    for inner, start, end in found:
        yield inner, start, end
        if depth > 1:
            yield from ((deeper, start, end) for deeper, _, _ in unwrapped(inner, depth - 1))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_char, text)


def _char(match: re.Match[str]) -> str:
    """Give the character an escape stands for; none for a stroke that only shields the next sign."""
    if match[5]:
        return chr(int(match[5]))
    return chr(int(match[1] or match[2] or match[3] or match[4] or "0", 16)).strip("\0")


def _decoded(run: str) -> tuple[str, str]:
    """Read a run of letters and digits as hexadecimal digits and as base64; empty where it holds no text."""
    whole = run.rstrip("=")
    digits = bytes.fromhex(run) if _HEX.fullmatch(run) else b""
    try:
        octets = b64decode(whole.translate(_URL_SAFE) + "=" * (-len(whole) % 4))
    except Error:
        octets = b""
    return _text(digits), _text(octets)


def _text(octets: bytes) -> str:
    """Give the text of octets that are letters throughout, as those of a receipt or an order are."""
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        return ""
    return text if _BLANKS.sub(" ", text[:80]).isprintable() else ""
