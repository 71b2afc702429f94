"""Legs of a 402 that stand there and that other clients may read in their own way, with the cause in words."""

import codecs
import re
from typing import Final

from assay402.checks.terms.rules.ambiguous import hides_options
from assay402.core.asks import Fetched
from assay402.core.strictjson import read
from assay402.wire.challenge import Challenge, NoChallenge
from assay402.wire.transport import PAYMENT_REQUIRED, is_coded

_BLANKS_AND_MARKS: Final = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"
"""What may stand before JSON in any of its encodings: blanks, byte order marks, and the zeros of wide characters."""
_PARAMETER: Final = re.compile(r";[ \t]*([^\s=;\"]+)[ \t]*=[ \t]*(\"[^\"]*\"|[^;]*)")
"""A parameter of a content type; a quoted value is taken whole, whatever stands in it."""
_KEEPS_ASCII: Final = re.compile(r"utf-8(?:-sig)?|ascii|iso8859-\d+|cp125\d|koi8-\w|mac-\w+|tis-620")
"""Codecs in which every byte below 128 is what it is in ASCII, so that JSON has the same structure."""
_NO_CHARACTER_SETS: Final = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape"})
"""Codecs of the language, which no client takes for a character set."""
_MAY_NAME_OPTIONS: Final = (b"accept", b"\\u")
"""In lower case. The last letter of `accepts` is left open, for the long s; an escape may spell any letter."""
_URL_SAFE: Final = frozenset("-_")
_WORDS: Final = {
    NoChallenge.VALUES_DIFFER: "there are several and their values differ",
    NoChallenge.NOT_BASE64: "not base64",
    NoChallenge.NOT_JSON: "not JSON in UTF-8 that every reader takes",
    NoChallenge.NOT_AN_OBJECT: "not an object",
    NoChallenge.NO_ACCEPTS: "no list `accepts` with options",
}


def header_fault(challenge: Challenge) -> str | None:
    """Say why a PAYMENT-REQUIRED header cannot be read strictly; None for none, and for one that can."""
    # Whoever sends the header means it for clients that read it, alone and each in its own way.
    match challenge.header:
        case NoChallenge.ABSENT:
            return None
        case NoChallenge() as reason:
            return _WORDS[reason]
        case _:
            # Lenient decoders drop the letters of the URL-safe alphabet: the rest is shifted, and says something else.
            values = challenge.received.header(PAYMENT_REQUIRED)
            return (
                "not the standard alphabet of base64"
                if any(_URL_SAFE & set(each) for each in values)
                else None
            )


def body_fault(challenge: Challenge) -> str | None:
    """Say why a body may be a challenge to other clients although none is read here."""
    received = challenge.received
    if not received.body:
        return None
    if is_coded(received.header("Content-Encoding")):
        return "in a content coding"
    if any(_is_challenge_in(name, received.body) for name in _charsets(received)):
        return "in a character set that changes what it says"
    match challenge.body:
        case NoChallenge.NOT_JSON if _may_be_a_challenge(received.body):
            return _WORDS[NoChallenge.NOT_JSON]
        case NoChallenge.NO_ACCEPTS if hides_options(read(received.body)):
            return _WORDS[NoChallenge.NO_ACCEPTS]
        case _:
            return None


def _may_be_a_challenge(body: bytes) -> bool:
    """Tell whether a lenient reader may find options in a body that is no JSON: no client pays without them."""
    text = body.replace(b"\0", b"").lower()
    return text.lstrip(_BLANKS_AND_MARKS)[:1] in (b"{", b"[") and any(
        name in text for name in _MAY_NAME_OPTIONS
    )


def _charsets(received: Fetched) -> set[str]:
    """Give every character set that is named, once: a header may name thousands."""
    return {
        given.strip(" \t\"'").lower()
        for value in received.header("Content-Type")
        for name, given in _PARAMETER.findall(value)
        if name.lower() == "charset"
    }


def _is_challenge_in(charset: str, body: bytes) -> bool:
    """Tell whether a client that goes by this character set may read a challenge that is not the one read here."""
    try:
        name = codecs.lookup(charset).name
        if _KEEPS_ASCII.fullmatch(name) is not None:
            return False
        text = body if name in _NO_CHARACTER_SETS else body.decode(name, "replace").encode("utf-8", "replace")
    except (LookupError, ValueError):
        # A character set that is none to us, or no text: what other clients make of it is not known.
        text = body
    return _may_be_a_challenge(text)
