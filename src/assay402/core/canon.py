"""Canonical JSON, and digests of exact bytes.

The canonical text is RFC 8785 with one injective extension: a number whose exact value differs from the value
of its RFC 8785 spelling is written exactly, so that 2^53 and 2^53 + 1 do not share a digest. A text whose
numbers all survive RFC 8785 (the ordinary case) is what any library of that name writes.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Final

import msgspec

from assay402.core.strictjson import JSON, NotPlain, Number, plainly

MAX_PLAIN_DIGITS: Final = 1024
"""Longest integer written digit by digit; longer ones are written as coefficient and exponent."""

_NUMBER: Final = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)0*([0-9]+))?")
_MAX_EXPONENT_DIGITS: Final = 9
_ECMASCRIPT_PLAIN_DIGITS: Final = 21
"""ECMAScript writes integers of up to 21 digits plainly, and fractions down to 1e-6."""
_ECMASCRIPT_SMALL: Final = -6

_string: Final = json.JSONEncoder(ensure_ascii=False).encode
# Names are sorted by code points, which is the order of UTF-16 where all is ASCII.
_plain_sorted: Final = msgspec.json.Encoder(order="sorted").encode
_plain: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"), default=float
).encode


def canonical(value: JSON) -> bytes:
    """Write a value in its one canonical form: UTF-8, no blanks, names sorted by UTF-16 code units.

    Of a repeated name only the last counts.

    Raises:
        ValueError: for text with a lone surrogate, a float that is not finite, or an exponent over nine digits.
        TypeError: for a value that is not JSON.

    """
    quick = canonical_if_plain(value)
    if quick is not None:
        return quick
    parts: list[str] = []
    _append(value, parts)
    return "".join(parts).encode()


def canonical_if_plain(value: JSON) -> bytes | None:
    """Write what `canonical` writes of a value that is plain all through, as `plainly` has it, and ASCII; None for any other.

    In such a value no name stands twice, and it nests no deeper than the reader takes.
    """
    with suppress(NotPlain, UnicodeEncodeError):
        written = _plain_sorted(plainly(value))
        if written.isascii():
            return written
    return None


def canonical_plain(value: JSON) -> bytes:
    """Write what `canonical` writes, ten times as fast, of a value the caller knows to be plain.

    Plain is a value of dicts, lists, strings, booleans, null, integers below 10^21 and `Decimal`s with at most 15
    significant digits between 1e-4 and 1e15 that are no integers, whose names are all within the basic
    plane: there the standard library's encoder and RFC 8785 agree. `exactjson.read_exact` tells.
    """
    return _plain(value).encode()


def keccak256_hex(data: bytes) -> str:
    """Give the Keccak-256 of exact bytes, which is not SHA3-256, as 64 lower-case hexadecimal digits."""
    from Crypto.Hash import keccak  # noqa: PLC0415  (a compiled package, loaded by whoever needs this digest)

    return keccak.new(digest_bits=256, data=data).hexdigest()


def sha256_hex(data: bytes) -> str:
    """Give the SHA-256 of exact bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def number_text(spelling: str) -> str:
    """Give the canonical text of a JSON number: ECMAScript's where that is exact, else the exact value."""
    sign, digits, exponent = exact_parts(spelling)
    if not digits:
        return "0"
    if survives(spelling, digits, exponent):
        return sign + _ecmascript(digits, exponent)
    if exponent >= 0 and len(digits) + exponent <= MAX_PLAIN_DIGITS:
        return sign + digits + "0" * exponent
    return f"{sign}{digits}e{exponent}"


def exact_parts(spelling: str) -> tuple[str, str, int]:
    """Split a number into sign, digits without leading or trailing zeros, and the exponent of the last digit.

    Zero has no digits, whatever its exponent.

    Raises:
        ValueError: for what is not a JSON number, or an exponent over nine digits.

    """
    match = _NUMBER.fullmatch(spelling)
    if match is None:
        raise ValueError("not a JSON number")
    sign, whole, fraction = match[1], match[2], match[3] or ""
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign, "", 0
    if len(match[5] or "") > _MAX_EXPONENT_DIGITS:
        raise ValueError("an exponent over nine digits")
    exponent = int(f"{match[4] or ''}{match[5] or 0}")
    significant = digits.rstrip("0")
    return sign, significant, exponent - len(fraction) + len(digits) - len(significant)


def survives(spelling: str, digits: str, exponent: int) -> bool:
    """Tell whether RFC 8785 spells a number, given with its digits and exponent, by its exact value."""
    shortest = _shortest(float(spelling))
    return shortest is not None and shortest[1:] == (digits, exponent)


def _append(value: JSON, parts: list[str]) -> None:
    match value:
        case Number():
            parts.append(number_text(value.spelling))
        case None | bool():
            parts.append({None: "null", True: "true", False: "false"}[value])
        case str():
            parts.append(_string(value))
        case int():
            parts.append(number_text(str(value)))
        case Decimal():
            parts.append(number_text(str(value)))
        case float():
            parts.append(number_text(_finite(value)))
        case Mapping():
            parts.append("{")
            for index, name in enumerate(sorted(value, key=_utf16)):
                parts.append(f"{',' if index else ''}{_string(name)}:")
                _append(value[name], parts)
            parts.append("}")
        case list() | tuple():
            parts.append("[")
            for index, element in enumerate(value):
                if index:
                    parts.append(",")
                _append(element, parts)
            parts.append("]")
        case _:
            raise TypeError("not a JSON value")


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be")


def _finite(value: float) -> str:
    if value - value != 0.0:
        raise ValueError("not finite")
    return repr(value)


def _shortest(value: float) -> tuple[str, str, int] | None:
    """Split the shortest spelling that reads back as this float, which is what ECMAScript writes."""
    return None if value - value != 0.0 else exact_parts(repr(value))


def _ecmascript(digits: str, exponent: int) -> str:
    """Lay out digits as ECMAScript's Number::toString does; `point` counts digits before the decimal point."""
    point = len(digits) + exponent
    if len(digits) <= point <= _ECMASCRIPT_PLAIN_DIGITS:
        return digits + "0" * exponent
    if 0 < point <= _ECMASCRIPT_PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _ECMASCRIPT_SMALL < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"
