"""Cuts the members of an object out of a JSON text, as they were spelled. Nothing is understood of the values.

Readers of values stop at half a surrogate pair, at numbers of thousands of digits and where nesting is deep; whoever
hands a member on to a reader of its own need not.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import msgspec
from msgspec import Raw

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},:]', re.DOTALL)
_BLANKS: Final = b" \t\r\n"
_fast: Final = msgspec.json.Decoder(dict[str, Raw]).decode


def spans(source: bytes, start: int = 0) -> Mapping[str, slice] | None:
    """Say where the values of an object stand that begins at or after `start`; of a repeated name, the last.

    None where the first thing there is no object, or the object has no end. The text must be JSON for the answer to
    mean anything; of any other text it is an answer all the same.
    """
    found: dict[str, slice] = {}
    depth, begins = 0, start
    name, last = None, b""
    for match in _TOKEN.finditer(source, start):
        mark = match[0][:1]
        if depth == 0 and mark != b"{":
            return None
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        elif mark == b'"':
            last = match[0]
        elif mark == b":" and depth == 1:
            name, begins = _name(last), match.end()
        if name is not None and ((depth == 1 and mark == b",") or depth == 0):
            found[name], name = slice(begins, match.start()), None
        if depth == 0:
            return found
    return None


def members(source: bytes) -> Mapping[str, bytes] | None:
    """Give the values of an object as they are spelled; None where `spans` finds no object."""
    # The fast reader takes what all readers take.
    with suppress(msgspec.DecodeError, RecursionError):
        return {name: bytes(value) for name, value in _fast(source).items()}
    found = spans(source)
    return None if found is None else {name: source[place].strip(_BLANKS) for name, place in found.items()}


def _name(token: bytes) -> str:
    try:
        name: str = json.loads(token)
    except ValueError:
        return token.decode("utf-8", "replace")
    return name
