"""The tools: which operation each one is, its schemas, and what is said of it. Made from the registry."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from assay402.checks import check_named
from assay402.checks.deliverable.model import ASSAY
from assay402.core.check import Check, Operation
from assay402.formats.schema import schemas_of
from assay402.mcp_server.descriptions import describe
from assay402.service.discovery import TOOL

REQUEST_BYTES: Final = 524_288
"""Longest message, in bytes: the integrity contract counts the JSON-RPC wrapper into it."""

_NO_EXECUTION: Final = " Judges by the supplied evidence alone and executes nothing."
_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "fahce_diagnose_integrity": ("claims/diagnose", _NO_EXECUTION),
    "fahce_plan_bounded_repair": ("claims/repair", " A proposal, never a permission." + _NO_EXECUTION),
    "fahce_verify_repaired_output": ("claims/verify", _NO_EXECUTION),
    "fahce_integrity_repair_bundle": ("claims/repair-bundle", _NO_EXECUTION),
    "dialect_check": ("dialect/check", " Probes an address, or reads a captured 402."),
    "dialect_precheck": ("dialect/precheck", ""),
    "listing_check": (
        "listing/check",
        " Contacts the service, catalogues and facilitators; up to two minutes.",
    ),
    "deliverable_check": (
        "deliverable/check",
        " Details of each check: resource assay://deliverable/menu.",
    ),
    "deliverable_lint": ("deliverable/lint", ""),
    "terms_place": ("terms/place", " Answers `refused` with a code where that is impossible."),
    "terms_extract": ("terms/extract", " Answers `refused` with a code where it advertises none."),
    "terms_verify": ("terms/verify", " Fetches the terms and hashes them."),
}
"""Each tool with its operation and what is said of it beyond the operation's own sentence."""
PUBLISHED: Final = frozenset(name for name, (place, _) in _NAMES.items() if place.startswith("claims/"))
"""The tools of the published integrity contract, whose request stands as a member of the arguments."""
_OPEN_WORLD: Final = frozenset({"dialect/check", "listing/check", "terms/verify"})
"""Operations that may contact somebody."""


class Tool(Struct, frozen=True, kw_only=True):
    """One operation as a tool."""

    name: str
    check: Check
    operation: Operation[Any, Any]
    profile: str | None
    """Which published contract answers, where the operation has several."""
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    is_open_world: bool

    @property
    def place(self) -> str:
        """The operation as rows and settings name it, `check/operation`."""
        return f"{self.check.name}/{self.operation.name}"

    @property
    def resource_url(self) -> str:
        """What an offer names as the thing that is paid for."""
        return f"{TOOL}{self.name}"


def tools(checks: tuple[str, ...] | None = None) -> tuple[Tool, ...]:
    """Give the tools of the named checks, or of all, in their order."""
    made = (_tool(name, place, more) for name, (place, more) in _NAMES.items())
    return tuple(tool for tool in made if checks is None or tool.check.name in checks)


def _tool(name: str, place: str, more: str) -> Tool:
    check_name, _, operation_name = place.partition("/")
    check = check_named(check_name)
    operation = check.operation(operation_name)
    profile = ASSAY if operation.profiles else None
    schemas = schemas_of(check_name, operation_name, profile or "")
    return Tool(
        name=name,
        check=check,
        operation=operation if profile is None else operation.profiles[profile],
        profile=profile,
        description=operation.summary + more,
        input_schema=describe(place, _of_arguments(schemas.request)),
        output_schema=_of_object(schemas.answer),
        is_open_world=place in _OPEN_WORLD,
    )


def _of_arguments(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the schema of a tool's arguments, which are an object.

    Where a request may have two forms on HTTP, the tool takes the one that is an object with the most said:
    the published wrapper of the claims check, the object that holds criteria.
    """
    forms: list[dict[str, Any]] = request.get("anyOf", [])
    for form in forms:
        if not {"criteria", "request"}.isdisjoint(form.get("properties", ())):
            return form
    return _of_object(request)


def _of_object(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say at the root that a value is an object, as MCP wants it said, in words that validators of any draft read.

    The official TypeScript client reads schemas by draft 07: it fails on the name of another draft, and takes what
    stands behind `prefixItems` for what each item must be. The listing report's eight results are therefore described
    as eight of a kind; the resource `assay://schemas/listing_check/output` has the whole.
    """
    said = {name: value for name, value in schema.items() if name != "$schema"}
    properties = said.get("properties", {})
    match properties:
        case {"results": {"prefixItems": [*each]}} if "result" in said.get("$defs", {}):
            results = {
                "type": "array",
                "minItems": len(each),
                "maxItems": len(each),
                "items": {"$ref": "#/$defs/result"},
            }
            said["properties"] = {**properties, "results": results}
    return {"type": "object", **said}
