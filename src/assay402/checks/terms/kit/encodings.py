"""How a reference is spelled in a slot, and what a spelling that is found there stands for.

Three outcomes of reading are kept apart: a reference, a *corrupt* value (its type is known and the value is not
one of that type), and something that is no reference at all.
"""

import re
from typing import Any, Final

from msgspec import Struct

from assay402.checks.terms.kit.manifest import INTEGRITY_TYPES, Encoding, Slot
from assay402.checks.terms.kit.values import own
from assay402.core.strictjson import JSON

SHA256: Final = "sha256"
KNOWN_TYPES: Final = frozenset({*INTEGRITY_TYPES, "url"})
"""The registered types; a reader ignores any other."""
_SHA256_VALUE: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_LCP: Final = "lcp:"


class Reference(Struct, frozen=True, kw_only=True):
    """What a slot says: a type, and a value exactly as it was written."""

    type: str
    value: str


class Corrupt(Struct, frozen=True, kw_only=True):
    """A value that is none of its type.

    Codes: `carrier/empty-value`, `carrier/bad-sha256`, `carrier/malformed`.
    """

    code: str


class Hit(Struct, frozen=True, kw_only=True):
    """What was found in a slot."""

    slot: Slot
    raw: Any


def value_fault(kind: str, value: object) -> Corrupt | None:
    """Judge a value by its type: text that is not empty, and for `sha256` 0x and 64 digits of either case."""
    if not isinstance(value, str) or not value:
        return Corrupt(code="carrier/empty-value")
    if kind == SHA256 and not _SHA256_VALUE.fullmatch(value):
        return Corrupt(code="carrier/bad-sha256")
    return None


def encode(reference: Reference, encoding: Encoding, *, fold_bare: bool) -> JSON | Corrupt:
    """Spell a reference for a slot, the digits of a hash in lower case.

    The reference implementation leaves a bare value as it is given, so that the slots of one document may differ
    in case; `fold_bare` mends that.
    """
    fault = value_fault(reference.type, reference.value)
    if fault is not None:
        return fault
    folds = reference.type == SHA256 and (fold_bare or encoding != "bare-value")
    value = reference.value.lower() if folds else reference.value
    match encoding:
        case "lcp-string":
            return f"{_LCP}{reference.type}:{value}"
        case "reference-object":
            return {"type": reference.type, "value": value}
        case _:
            return value


def decode(hit: Hit) -> Reference | Corrupt | None:
    """Read what was found in a slot by the slot's own encoding; None for what is no reference."""
    match hit.slot.encoding:
        case "lcp-string":
            return _decode_string(hit.raw)
        case "reference-object":
            return _decode_object(hit.raw)
        case _:
            return _judged(hit.slot.bare_type or SHA256, hit.raw) if isinstance(hit.raw, str) else None


def passes_integrity(hit: Hit | None) -> bool | Corrupt:
    """Tell whether a hit commits to content: an integrity slot that holds a type which does. Neither half is enough."""
    if hit is None or hit.slot.carrier_class != "integrity":
        return False
    reference = decode(hit)
    if isinstance(reference, Corrupt):
        return reference
    return reference is not None and reference.type in INTEGRITY_TYPES


def same_reference(one: Reference, other: Reference) -> bool:
    """Compare two references: hashes by their bytes, anything else by its characters."""
    if one.type == other.type == SHA256:
        return one.value.lower() == other.value.lower()
    return one == other


def _decode_string(raw: object) -> Reference | Corrupt | None:
    if not isinstance(raw, str) or not raw.startswith(_LCP):
        return None
    kind, colon, value = raw.removeprefix(_LCP).partition(":")
    if not (kind and colon and value):
        return Corrupt(code="carrier/malformed")
    return _judged(kind, value)


def _decode_object(raw: JSON) -> Reference | Corrupt | None:
    kind, value = own(raw, "type"), own(raw, "value")
    if not isinstance(kind, str) or not isinstance(value, str):
        return None
    return _judged(kind, value)


def _judged(kind: str, value: str) -> Reference | Corrupt | None:
    if kind not in KNOWN_TYPES:
        return None
    return value_fault(kind, value) or Reference(type=kind, value=value)
