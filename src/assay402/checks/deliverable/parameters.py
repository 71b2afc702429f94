"""The parameters of a criterion: what each check takes, and the buyer's faults in their fixed order.

Unknown, missing, invalid, conflicting, beyond a limit, then path syntax, then what a check's own guards say. No deliverable is looked
at, so a broken criterion is broken for every delivery.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct

from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.model import CONTRACT, Case, Fault, Finding, Profile
from assay402.checks.deliverable.paths import Path, read_path
from assay402.core.check import Rule
from assay402.core.strictjson import JSON

PARAM_UNKNOWN: Final = Fault("PARAM_UNKNOWN")
PARAM_MISSING: Final = Fault("PARAM_MISSING")
PARAM_INVALID: Final = Fault("PARAM_INVALID")
PARAM_CONFLICT: Final = Fault("PARAM_CONFLICT")

ENVELOPE: Final = frozenset({"id", "check"})
"""The members every criterion has beside its parameters."""


class Kind(Struct, frozen=True, kw_only=True):
    """What a parameter's value must be."""

    name: str
    """As the registry document says it."""
    read: Callable[[JSON], Any]
    """Give the value as the rule wants it, or a `Fault`."""


class Parameter(Struct, frozen=True, kw_only=True):
    """One parameter of a check."""

    name: str
    kind: Kind
    required: bool = False
    default: Any = None
    """As the rule wants it: what stands for a parameter that was not sent."""
    default_sent: JSON = None
    """As a buyer would have sent it; None where there is no default."""
    aliases: tuple[str, ...] = ()
    extension: bool = False
    """Beyond the contract: unknown under its profile."""


def _no_guard(parameters: Mapping[str, Any], _room: Room) -> Mapping[str, Any]:
    return parameters


def _in_order(_parameters: Mapping[str, Any]) -> bool:
    return True


class CheckSpec(Struct, frozen=True, kw_only=True):
    """One check of the menu."""

    name: str
    rule: Rule[Case, Finding]
    parameters: tuple[Parameter, ...] | None
    """None where anything may be sent and nothing is read."""
    one_of: tuple[str, ...] = ()
    """Parameters of which at least one must be sent."""
    conflicts: tuple[tuple[str, str], ...] = ()
    """Pairs that exclude each other."""
    in_order: Callable[[Mapping[str, Any]], bool] = _in_order
    """Whether values that are right one by one are right together: no bound below another."""
    guard: Callable[[Mapping[str, Any], Room], Mapping[str, Any] | Fault] = _no_guard
    """Last, after paths: what the check itself cannot judge by."""
    fails: tuple[str, ...] = ()
    uncheckables: tuple[str, ...] = ()
    detail: tuple[str, ...] = ()
    extension: bool = False


def read_parameters(
    spec: CheckSpec, criterion: Mapping[str, JSON], profile: Profile, room: Room
) -> Mapping[str, Any] | Fault:
    """Read the parameters of a criterion, or give the first of the buyer's faults."""
    if spec.parameters is None:
        return {}
    spelled = _spelled(spec.parameters, criterion, profile)
    if isinstance(spelled, Fault):
        return spelled
    if any(parameter.required and parameter.name not in spelled for parameter in spec.parameters):
        return PARAM_MISSING
    if spec.one_of and not any(name in spelled for name in spec.one_of):
        return PARAM_MISSING
    values, faults = _values(spec.parameters, spelled)
    if PARAM_INVALID in faults or (not faults and not spec.in_order(values)):
        return PARAM_INVALID
    if any(len(spellings) > 1 for spellings in spelled.values()) or any(
        one in spelled and other in spelled for one, other in spec.conflicts
    ):
        return PARAM_CONFLICT
    # What is left is beyond a limit.
    if faults:
        return faults[0]
    paths = _paths(spec.parameters, values)
    return paths if isinstance(paths, Fault) else spec.guard(paths, room)


def _spelled(
    parameters: tuple[Parameter, ...], criterion: Mapping[str, JSON], profile: Profile
) -> dict[str, list[JSON]] | Fault:
    """Group what was sent by the parameter it spells."""
    known = {
        spelling: parameter.name
        for parameter in parameters
        if not (parameter.extension and profile == CONTRACT)
        for spelling in (parameter.name, *parameter.aliases)
    }
    spelled: dict[str, list[JSON]] = {}
    for name, value in criterion.items():
        if name in known:
            spelled.setdefault(known[name], []).append(value)
        elif name not in ENVELOPE:
            return PARAM_UNKNOWN
    return spelled


def _values(
    parameters: tuple[Parameter, ...], spelled: Mapping[str, list[JSON]]
) -> tuple[dict[str, Any], list[Fault]]:
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for parameter in parameters:
        values[parameter.name] = parameter.default
        for sent in spelled.get(parameter.name, ()):
            value = parameter.kind.read(sent)
            if isinstance(value, Fault):
                faults.append(value)
            else:
                values[parameter.name] = value
    return values, faults


def _paths(parameters: tuple[Parameter, ...], values: dict[str, Any]) -> dict[str, Any] | Fault:
    for parameter in parameters:
        text = values[parameter.name]
        if parameter.kind is PATH and isinstance(text, str):
            path = read_path(text)
            if isinstance(path, str):
                return Fault(path)
            values[parameter.name] = path
    return values


def is_number(value: object) -> bool:
    """Tell whether a value is a JSON number; true and false are none."""
    return type(value) is int or type(value) is Decimal


def _text(value: JSON) -> str | Fault:
    return value if isinstance(value, str) else PARAM_INVALID


PATH: Final = Kind(name="path", read=_text)
"""A string; its syntax is judged after all parameters."""
ROOT: Final = Path(())
