"""The kinds of parameter values: each reads what was sent, or says why it is not of the kind. Nothing is coerced."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.parameters import PARAM_INVALID, Kind, is_number
from assay402.core.exactjson import exact_number, is_integral
from assay402.core.strictjson import JSON

MAX_PATTERN_CHARACTERS: Final = 1024

_DIGEST: Final = re.compile(r"(?:0x)?([0-9a-fA-F]{64})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def number(value: JSON) -> int | Decimal | Fault:
    """Read a JSON number or a decimal string as its exact value."""
    if is_number(value):
        return value  # type: ignore[return-value]  # is_number has told int and Decimal
    if not isinstance(value, str) or _DECIMAL.fullmatch(value) is None:
        return PARAM_INVALID
    exact = exact_number(value)
    return Fault("LIMIT_NUMBER") if exact is None else exact


def _natural(value: JSON) -> int | Decimal | Fault:
    if not is_number(value) or not is_integral(value) or value < 0:  # type: ignore[arg-type, operator]  # int or Decimal
        return PARAM_INVALID
    return value  # type: ignore[return-value]


def _not_negative(value: JSON) -> int | Decimal | Fault:
    found = number(value)
    return PARAM_INVALID if not isinstance(found, Fault) and found < 0 else found


def _digest(value: JSON) -> str | Fault:
    match = _DIGEST.fullmatch(value) if isinstance(value, str) else None
    return PARAM_INVALID if match is None else match[1].lower()


def _needle(value: JSON) -> bytes | Fault:
    return value.encode() if isinstance(value, str) and value else PARAM_INVALID


def _pattern(value: JSON) -> str | Fault:
    return value if isinstance(value, str) and 1 <= len(value) <= MAX_PATTERN_CHARACTERS else PARAM_INVALID


def _boolean(value: JSON) -> bool | Fault:
    return value if isinstance(value, bool) else PARAM_INVALID


def _schema(value: JSON) -> Any:  # noqa: ANN401  (a schema is any object or boolean)
    return value if isinstance(value, (bool, Mapping)) else PARAM_INVALID


def one_of(*words: JSON) -> Kind:
    """Make the kind of a closed list of words or numbers."""

    def read(value: JSON) -> Any:  # noqa: ANN401  (one of the words)
        # True equals 1 in Python, and is not the number 1.
        return value if any(type(value) is type(word) and value == word for word in words) else PARAM_INVALID

    return Kind(name="one of " + ", ".join(map(str, words)), read=read)


NUMBER: Final = Kind(name="number or decimal string", read=number)
NATURAL: Final = Kind(name="integer of at least 0", read=_natural)
NOT_NEGATIVE: Final = Kind(name="number or decimal string of at least 0", read=_not_negative)
DIGEST: Final = Kind(name="64 hexadecimal digits, 0x in front or not", read=_digest)
NEEDLE: Final = Kind(name="string that is not empty", read=_needle)
PATTERN: Final = Kind(name=f"string of 1 to {MAX_PATTERN_CHARACTERS} characters", read=_pattern)
BOOLEAN: Final = Kind(name="boolean", read=_boolean)
SCHEMA: Final = Kind(name="object or boolean", read=_schema)
ANY: Final = Kind(name="any JSON value", read=lambda value: value)
