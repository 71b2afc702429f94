"""The claims of `claims_consistent`: relations between operands, as the buyer states them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias, cast

from msgspec import Struct

from assay402.checks.deliverable.arithmetic import Exact
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.kinds import NOT_NEGATIVE
from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.parameters import PARAM_INVALID, Kind, is_number
from assay402.checks.deliverable.paths import Path, PathFault, read_path
from assay402.core.strictjson import JSON

MAX_CLAIMS: Final = 64
MAX_OPERANDS: Final = 64
MAX_NESTING: Final = 8
MAX_KEY_NAMES: Final = 64

Measure: TypeAlias = Literal["path", "count", "sum", "min", "max", "sha256", "bytes", "chars"]
AGGREGATES: Final = ("sum", "min", "max")
_MEASURES: Final = ("path", "count", *AGGREGATES, "sha256", "bytes", "chars")
_COMBINATIONS: Final = ("add", "mul")
_EQUALITIES: Final = ("eq", "ne")
_ORDERS: Final = ("lt", "le", "gt", "ge")
_MEMBERS: Final = frozenset({"left", "op", "right", "tolerance"})


class Literally(Struct, frozen=True, kw_only=True):
    """A scalar the buyer wrote."""

    value: JSON


class Measured(Struct, frozen=True, kw_only=True):
    """Something read from the deliverable."""

    measure: Measure
    path: Path | PathFault


class Combined(Struct, frozen=True, kw_only=True):
    """A sum or a product of operands."""

    combination: Literal["add", "mul"]
    operands: tuple["Operand", ...]


Operand: TypeAlias = Literally | Measured | Combined


class Claim(Struct, frozen=True, kw_only=True):
    """One relation that must hold."""

    left: Operand
    op: Literal["eq", "ne", "lt", "le", "gt", "ge"]
    right: Operand
    tolerance: Exact | None


def guard(parameters: Mapping[str, Any], _room: Room) -> Mapping[str, Any] | Fault:
    """Give the first fault of an operand's path, in the order of the claims."""
    for claim in parameters["claims"] or ():
        for operand in (*_measured(claim.left), *_measured(claim.right)):
            if isinstance(operand.path, str):
                return Fault(operand.path)
    return parameters


def _claims(value: JSON) -> tuple[Claim, ...] | Fault:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_CLAIMS:
        return PARAM_INVALID
    claims = [_claim(each) for each in value]
    return PARAM_INVALID if None in claims else tuple(cast("list[Claim]", claims))


def _claim(value: JSON) -> Claim | None:
    if not isinstance(value, Mapping) or not _MEMBERS >= value.keys() >= _MEMBERS - {"tolerance"}:
        return None
    left, right, op = _operand(value["left"]), _operand(value["right"]), value["op"]
    tolerance = NOT_NEGATIVE.read(value["tolerance"]) if "tolerance" in value else None
    if left is None or right is None or isinstance(tolerance, Fault):
        return None
    if op not in (*_EQUALITIES, *_ORDERS) or (tolerance is not None and op not in _EQUALITIES):
        return None
    wants_numbers = op in _ORDERS or tolerance is not None
    if wants_numbers and not (_may_be_number(left) and _may_be_number(right)):
        return None
    return Claim(left=left, op=op, right=right, tolerance=tolerance)  # type: ignore[arg-type]  # a word of the list


def _operand(value: JSON, nesting: int = 1) -> Operand | None:
    if not isinstance(value, Mapping):
        return None if isinstance(value, list) else Literally(value=value)
    if len(value) != 1:
        return None
    ((word, inner),) = value.items()
    if word in _MEASURES:
        if not isinstance(inner, str):
            return None
        path = read_path(inner, wildcards=word in AGGREGATES)
        return Measured(measure=word, path=path)  # type: ignore[arg-type]  # a word of the list
    if word in _COMBINATIONS and nesting <= MAX_NESTING:
        return _combined(word, inner, nesting)
    return None


def _combined(word: str, inner: JSON, nesting: int) -> Operand | None:
    if not isinstance(inner, list) or not 1 <= len(inner) <= MAX_OPERANDS:
        return None
    operands = [_operand(each, nesting + 1) for each in inner]
    if not all(operand is not None and _may_be_number(operand) for operand in operands):
        return None
    return Combined(combination=word, operands=tuple(operands))  # type: ignore[arg-type]  # words of the list, no None


def _may_be_number(operand: Operand) -> bool:
    """Tell whether an operand can be a number whatever is delivered."""
    match operand:
        case Literally():
            return is_number(operand.value)
        case Measured():
            return operand.measure != "sha256"
        case _:
            return True


def _measured(operand: Operand) -> Iterator[Measured]:
    if isinstance(operand, Measured):
        yield operand
    elif isinstance(operand, Combined):
        for each in operand.operands:
            yield from _measured(each)


def _names(value: JSON) -> tuple[str, ...] | Fault:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not 1 <= len(names) <= MAX_KEY_NAMES:
        return PARAM_INVALID
    if not all(isinstance(name, str) for name in names):
        return PARAM_INVALID
    found = tuple(map(str, names))
    return found if len(set(found)) == len(found) else PARAM_INVALID


def _name(value: JSON) -> str | Fault:
    return value if isinstance(value, str) else PARAM_INVALID


CLAIMS: Final = Kind(name=f"array of 1 to {MAX_CLAIMS} claims", read=_claims)
NAMES: Final = Kind(name=f"name, or array of 1 to {MAX_KEY_NAMES} different names", read=_names)
NAME: Final = Kind(name="name", read=_name)
