"""The patterns of `matches` and `not_matches`: compiled by RE2 without flags, or refused."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from assay402.checks.deliverable.automaton import Price
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.model import Fault

if TYPE_CHECKING:
    import re2

MAX_PATTERN_MEMORY: Final = 1 << 20
"""Bytes the engine may use for one pattern; what needs more is refused when it is read."""
KNOWN_ABOVE: Final = 200
"""The price above which it is worth knowing in how many places at once a pattern can be."""
UNSUPPORTED: Final = Fault("PATTERN_UNSUPPORTED")

_BEYOND_LATIN: Final = ("\\p", "\\P", "\\x{")
"""What may name only characters that Latin-1 does not have."""
_FLAGS: Final = r"\(\?[a-zA-Z]*-?[a-zA-Z]*[:)]"
_TOKEN: Final = re.compile(
    rf"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|(?P<flags>(?!\(\?:){_FLAGS})|.",
    re.DOTALL,
)


def compiled(parameters: Mapping[str, Any], room: Room) -> Mapping[str, Any] | Fault:
    """Compile a pattern, or say that the engine refuses it, or that it sets flags."""
    import re2  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    pattern = parameters["value"]
    if any(token["flags"] is not None for token in _TOKEN.finditer(pattern)):
        return UNSUPPORTED
    try:
        made = re2.compile(pattern.encode(), _options(re2.Options()))
    except re2.error:
        return UNSUPPORTED
    price = Price(byte=_price(pattern, made.programsize), reach=None)
    known = room.places.price(pattern) if price.byte > KNOWN_ABOVE else None
    if known is not None:
        price = Price(byte=min(price.byte, known.byte + known.alternatives), reach=known.reach)
    return {**parameters, "value": made, "price": price}


def _price(pattern: str, size: int) -> int:
    """Give the steps a byte of text takes in the engine's slowest way.

    Measured: what counts is how many characters the pattern can be in the middle of, more than how many bytes those
    are written with. Compiled for Latin-1 a character is one instruction.
    """
    if not pattern.isascii() or any(escape in pattern for escape in _BEYOND_LATIN):
        return size
    import re2  # noqa: PLC0415  (loaded by the caller)

    options = _options(re2.Options())
    options.encoding = re2.Options.Encoding.LATIN1
    latin: int = re2.compile(pattern.encode(), options).programsize
    return (3 * latin + size) // 4


def _options(options: "re2.Options") -> "re2.Options":
    options.max_mem = MAX_PATTERN_MEMORY
    # The engine would write a refused pattern to standard error.
    options.log_errors = False
    # Only whether it matches is asked, and groups cost time.
    options.never_capture = True
    return options
