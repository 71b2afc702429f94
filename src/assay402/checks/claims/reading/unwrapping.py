"""Text inside text: what a stretch says once its escapes, its base64, its hexadecimal digits or its broken words are read."""

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
_BROKEN: Final = re.compile(
    r"^(?:[A-Za-z0-9+/_-]{8,}\r?\n){1,400}[A-Za-z0-9+/_-]+={0,2}[ \t]*$", re.MULTILINE
)
"""A run of letters and digits over several lines."""
_SPACED: Final = re.compile(r"(?<!\S)(?:[A-Za-z]\s{1,6}){11,400}[A-Za-z](?!\S)")
_TOGETHER: Final = re.compile(r"(?<=\S) (?=\S)")
_STACKED: Final = re.compile(r"^(?:[^\W\d]{1,20}[,.:;]?\r?\n){5,100}[^\W\d]{1,20}[.!]?$", re.MULTILINE)
_SNAKE: Final = re.compile(r"(?<![A-Za-z_])(?:[A-Za-z]{1,20}_){8,60}[A-Za-z]{1,20}")
"""Words with a sign of one kind between them: letters apart, one on each line, joined below."""
_LONGEST_WORD: Final = 20
_INNER: Final = 7
"""Words of the shortest such stretch that have a line below on both sides."""
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_LINE_END: Final = re.compile(r"\r?\n")
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
    if "\n" in text:
        found += [
            (inner, *match.span())
            for match in _BROKEN.finditer(text)
            for inner in _decoded(_LINE_END.sub("", match[0]))
            if inner
        ]
        found += [(_LINE_END.sub(" ", match[0]), *match.span()) for match in _STACKED.finditer(text)]
    found += [(_TOGETHER.sub("", match[0]), *match.span()) for match in _SPACED.finditer(text)]
    if _may_be_joined(text):
        found += [(match[0].replace("_", " "), *match.span()) for match in _SNAKE.finditer(text)]
    plain = _unescaped(text) if any(each in text for each in ("\\", "%", "&#")) else text
    if plain != text:
        found.append((plain, 0, len(text)))
    for inner, start, end in found:
        yield inner, start, end
        if depth > 1:
            yield from ((deeper, start, end) for deeper, _, _ in unwrapped(inner, depth - 1))


def _may_be_joined(text: str) -> bool:
    """Tell whether so many short words stand behind each other with lines below between them, which is quicker than to look for them."""
    run = 0
    for part in text.split("_") if "_" in text else ():
        run = run + 1 if len(part) <= _LONGEST_WORD and part.isalpha() else 0
        if run >= _INNER:
            return True
    return False


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
