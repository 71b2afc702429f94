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

_LEVELS: Final = 8
"""How deep a value may nest to be stepped over at once. Each byte is looked at by as many attempts at most."""
_STRING: Final = rb'"(?:[^"\\]|\\.)*+"'


def _token() -> re.Pattern[bytes]:
    """Match a string, a whole value of few levels, a run of brackets, or a mark between values."""
    whole = rb"(?!)"
    for _ in range(_LEVELS):
        whole = rb'[\[{](?:[^"\[\]{}]++|%b|%b)*+[\]}]' % (_STRING, whole)
    return re.compile(rb"%b|%b|[\[{]++|[\]}]++|[,:]" % (_STRING, whole), re.DOTALL)


_TOKEN: Final = _token()
_OPENING: Final = re.compile(rb'[^"\[\]{},:]*+\{')
_BLANKS: Final = b" \t\r\n"
_HALF_A_PAIR: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_fast: Final = msgspec.json.Decoder(dict[str, Raw]).decode


def spans(source: bytes, start: int = 0) -> Mapping[str, slice] | None:
    """Say where the values of an object stand that begins at or after `start`; of a repeated name, the last.

    None where the first thing there is no object, or the object has no end. The text must be JSON for the answer to
    mean anything; of any other text it is an answer all the same.
    """
    opening = _OPENING.match(source, start)
    if opening is None:
        return None
    found: dict[str, slice] = {}
    depth, begins = 1, start
    name, last = None, b""
    for match in _TOKEN.finditer(source, opening.end()):
        token = match[0]
        if token[0] in b"[{":
            if token[-1] in b"[{":
                depth += len(token)
        elif token[0] in b"]}":
            if len(token) >= depth:
                if name is not None:
                    found[name] = slice(begins, match.start() + depth - 1)
                return found
            depth -= len(token)
        elif depth == 1 and token == b":":
            name, begins = _name(last), match.end()
        elif depth == 1 and token == b",":
            if name is not None:
                found[name], name = slice(begins, match.start()), None
        elif depth == 1:
            last = token
    return None


def members(source: bytes) -> Mapping[str, bytes] | None:
    """Give the values of an object as they are spelled; None where `spans` finds no object."""
    # The fast reader takes what all readers take.
    with suppress(msgspec.DecodeError, RecursionError):
        return {name: bytes(value) for name, value in _fast(source).items()}
    found = spans(source)
    return None if found is None else {name: source[place].strip(_BLANKS) for name, place in found.items()}


def without_half_pairs(source: bytes) -> bytes:
    """Write every surrogate of a JSON text that is spelled as an escape as U+FFFD, for readers that stop at half a pair."""
    return _HALF_A_PAIR.sub(rb"\1\\ufffd", source) if b"\\u" in source else source


def _name(token: bytes) -> str:
    try:
        name: str = json.loads(token)
    except ValueError:
        return token.decode("utf-8", "replace")
    return name
