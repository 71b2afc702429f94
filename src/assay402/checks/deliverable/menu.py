"""The menu: every check with its parameters and the reasons it can give. The registry document is made from it."""

from collections.abc import Mapping
from typing import Any, Final

from assay402.checks.deliverable import claims
from assay402.checks.deliverable.budget import Room
from assay402.checks.deliverable.kinds import (
    ANY,
    BOOLEAN,
    DIGEST,
    NATURAL,
    NEEDLE,
    NOT_NEGATIVE,
    NUMBER,
    PATTERN,
    SCHEMA,
    one_of,
)
from assay402.checks.deliverable.model import Case, Finding
from assay402.checks.deliverable.parameters import PATH, ROOT, CheckSpec, Parameter
from assay402.checks.deliverable.pattern import compiled
from assay402.checks.deliverable.rules import exact, numbers, relations, schema, structure, text, x402
from assay402.checks.deliverable.rules.bounds import in_order
from assay402.checks.deliverable.schema import guard as schema_guard
from assay402.core.canon import canonical
from assay402.core.check import Rule
from assay402.wire.validity import VIOLATIONS

BOUND_REASONS: Final = ("BELOW_MIN", "ABOVE_MAX", "NOT_EXACT")
PATH_FAILS: Final = ("NOT_JSON", "PATH_MISSING")
PATH_FAULTS: Final = ("PATH_SYNTAX", "PATH_NOT_SINGULAR")
DOCUMENT_TROUBLES: Final = ("LIMIT_DEPTH", "JSON_DUPLICATE_NAME", "JSON_LONE_SURROGATE", "LIMIT_NUMBER")
PARAM_FAULTS: Final = ("PARAM_UNKNOWN", "PARAM_MISSING", "PARAM_INVALID", "PARAM_CONFLICT")
STRING_FAILS: Final = (*PATH_FAILS, "NOT_A_STRING")

_WHOLE: Final = Parameter(name="path", kind=PATH, default=ROOT, default_sent="")
_PATH: Final = Parameter(name="path", kind=PATH, required=True)
STRING_AT: Final = Parameter(name="path", kind=PATH, extension=True)
"""Ours: what makes a check of bytes a check of one string of a document."""
_BOUNDS: Final = ("min", "max", "equals")


def _expected(parameters: Mapping[str, Any], _room: Room) -> Mapping[str, Any]:
    return {**parameters, "valueBytes": len(canonical(parameters["value"]))}


def _header_form(parameters: Mapping[str, Any], _room: Room) -> Mapping[str, Any]:
    """Remember whether a path was given: without one the whole deliverable is the header's value."""
    path = parameters["path"]
    return {**parameters, "path": ROOT if path is None else path, "givenPath": path is not None}


def _digest(name: str, rule: Rule[Case, Finding]) -> CheckSpec:
    return CheckSpec(
        name=name,
        rule=rule,
        parameters=(
            Parameter(name="value", kind=DIGEST, required=True, aliases=("expected", "hash", "digest")),
            STRING_AT,
        ),
        fails=("HASH_MISMATCH",),
        detail=("byteLength",),
    )


def _bounded(
    name: str,
    rule: Rule[Case, Finding],
    *more: Parameter,
    detail: tuple[str, ...] = (),
    fails: tuple[str, ...] = (),
) -> CheckSpec:
    return CheckSpec(
        name=name,
        rule=rule,
        parameters=(*(Parameter(name=bound, kind=NATURAL) for bound in _BOUNDS), *more),
        one_of=_BOUNDS,
        conflicts=(("equals", "min"), ("equals", "max")),
        in_order=in_order,
        fails=(*BOUND_REASONS, *fails),
        detail=("actual", *detail),
    )


def _needle(name: str, rule: Rule[Case, Finding], fails: str, *detail: str) -> CheckSpec:
    aliases = ("expected", "text", "substring", "prefix", "suffix")
    return CheckSpec(
        name=name,
        rule=rule,
        parameters=(Parameter(name="value", kind=NEEDLE, required=True, aliases=aliases), STRING_AT),
        fails=(fails,),
        detail=detail,
    )


def _pattern(name: str, rule: Rule[Case, Finding], fails: str) -> CheckSpec:
    return CheckSpec(
        name=name,
        rule=rule,
        parameters=(Parameter(name="value", kind=PATTERN, required=True, aliases=("expected",)), STRING_AT),
        guard=compiled,
        fails=(fails, "NOT_UTF8"),
        uncheckables=("PATTERN_UNSUPPORTED", "LIMIT_WORK"),
        extension=True,
    )


MENU: Final[tuple[CheckSpec, ...]] = (
    _digest("sha256_equals", exact.sha256_equals),
    _digest("keccak256_equals", exact.keccak256_equals),
    _bounded("byte_length", exact.byte_length, STRING_AT),
    _bounded(
        "char_length",
        text.char_length,
        Parameter(
            name="unit", kind=one_of("codepoint", text.UTF16), default="codepoint", default_sent="codepoint"
        ),
        STRING_AT,
        fails=("NOT_UTF8",),
        detail=("codePoints", "utf16Units", "bytes"),
    ),
    _bounded("line_count", text.line_count, STRING_AT, detail=("lf", "crlf", "cr")),
    _needle("contains", text.contains, "NOT_FOUND", "occurrences", "firstByte"),
    _needle("not_contains", text.not_contains, "FOUND", "occurrences", "firstByte"),
    _needle("starts_with", text.starts_with, "PREFIX_MISMATCH", "commonBytes"),
    _needle("ends_with", text.ends_with, "SUFFIX_MISMATCH", "commonBytes"),
    CheckSpec(
        name="is_json",
        rule=structure.is_json,
        parameters=(Parameter(name="strict", kind=BOOLEAN, default=False, default_sent=False),),
        fails=("NOT_JSON", "JSON_DUPLICATE_NAME", "JSON_LONE_SURROGATE"),
        detail=("errorByte", "depth", "duplicateNames", "loneSurrogates"),
    ),
    CheckSpec(
        name="json_schema",
        rule=schema.json_schema,
        parameters=(
            Parameter(name="schema", kind=SCHEMA, required=True),
            _WHOLE,
            Parameter(name="assertFormat", kind=BOOLEAN, default=False, default_sent=False),
        ),
        guard=schema_guard.guard,
        fails=("SCHEMA_VIOLATION",),
        uncheckables=(
            "SCHEMA_TOO_COMPLEX",
            "SCHEMA_DIALECT_UNSUPPORTED",
            "SCHEMA_INVALID",
            "SCHEMA_PATTERN_UNSUPPORTED",
            "SCHEMA_REMOTE_REF",
            "LIMIT_WORK",
        ),
        detail=("violations",),
    ),
    CheckSpec(
        name="json_path_equals",
        rule=structure.json_path_equals,
        parameters=(_PATH, Parameter(name="value", kind=ANY, required=True, aliases=("expected",))),
        guard=_expected,
        fails=("TYPE_MISMATCH", "VALUE_MISMATCH"),
        detail=("expectedBytes", "actualBytes"),
    ),
    CheckSpec(
        name="json_path_present",
        rule=structure.json_path_present,
        parameters=(
            _PATH,
            Parameter(
                name="type",
                kind=one_of("null", "boolean", "object", "array", "number", "string", "integer"),
                extension=True,
            ),
        ),
        fails=("TYPE_MISMATCH",),
    ),
    CheckSpec(
        name="numeric_range",
        rule=numbers.numeric_range,
        parameters=(
            _WHOLE,
            *(Parameter(name=name, kind=NUMBER) for name in ("min", "max", "exclusiveMin", "exclusiveMax")),
        ),
        one_of=("min", "max", "exclusiveMin", "exclusiveMax"),
        conflicts=(("min", "exclusiveMin"), ("max", "exclusiveMax")),
        in_order=numbers.range_in_order,
        fails=("NOT_A_NUMBER", "BELOW_MIN", "ABOVE_MAX"),
        detail=("side",),
    ),
    CheckSpec(
        name="numeric_close",
        rule=numbers.numeric_close,
        parameters=(
            _WHOLE,
            Parameter(name="value", kind=NUMBER, required=True, aliases=("expected", "target")),
            Parameter(name="tolerance", kind=NOT_NEGATIVE, aliases=("absTolerance", "epsilon")),
            Parameter(name="relTolerance", kind=NOT_NEGATIVE),
        ),
        one_of=("tolerance", "relTolerance"),
        fails=("NOT_A_NUMBER", "OUT_OF_TOLERANCE"),
        detail=("side",),
    ),
    _bounded("array_length", structure.array_length, _WHOLE, fails=("NOT_AN_ARRAY",)),
    CheckSpec(
        name="unique_values",
        rule=structure.unique_values,
        parameters=(_WHOLE, Parameter(name="by", kind=PATH, aliases=("key", "field"))),
        fails=("NOT_AN_ARRAY", "DUPLICATE_VALUE"),
        uncheckables=("LIMIT_WORK",),
        detail=("length", "distinct", "firstIndex", "secondIndex"),
    ),
    CheckSpec(
        name="x402_valid",
        rule=x402.x402_valid,
        parameters=(
            Parameter(name="path", kind=PATH, default_sent=""),
            Parameter(
                name="object",
                kind=one_of(
                    x402.AUTO,
                    "payment_required",
                    "payment_requirements",
                    "payment_payload",
                    "settlement_response",
                ),
                default=x402.AUTO,
                default_sent=x402.AUTO,
            ),
            Parameter(name="version", kind=one_of(1, 2)),
            Parameter(name="encoding", kind=one_of("json", x402.BASE64), default="json", default_sent="json"),
            Parameter(
                name="verifySignature", kind=BOOLEAN, default=False, default_sent=False, extension=True
            ),
        ),
        guard=_header_form,
        fails=("X402_BASE64", *VIOLATIONS, "X402_SIGNER_MISMATCH"),
        uncheckables=("X402_DOMAIN_UNKNOWN", "X402_SIGNATURE_KIND"),
        detail=("acceptsIndex", "rulesChecked"),
    ),
    CheckSpec(
        name="claims_consistent",
        rule=relations.claims_consistent,
        parameters=(
            Parameter(name="claims", kind=claims.CLAIMS),
            Parameter(name="path", kind=PATH),
            Parameter(
                name="key",
                kind=claims.NAMES,
                default=("subject", "predicate"),
                default_sent=["subject", "predicate"],
            ),
            Parameter(name="valueKey", kind=claims.NAME, default="value", default_sent="value"),
            Parameter(name="tolerance", kind=NOT_NEGATIVE),
        ),
        one_of=("claims", "path"),
        conflicts=tuple(("claims", name) for name in ("path", "key", "valueKey", "tolerance")),
        guard=claims.guard,
        fails=(
            relations.CONTRADICTION,
            relations.OPERAND_MISSING,
            relations.OPERAND_TYPE,
            "NOT_AN_ARRAY",
        ),
        uncheckables=(relations.LIMIT_WORK,),
        detail=("total", "held", "firstFailed"),
    ),
    CheckSpec(
        name="statement",
        rule=structure.statement,
        parameters=None,
        uncheckables=("STATEMENT_NOT_MECHANICAL",),
    ),
    _pattern("matches", text.matches, "NO_MATCH"),
    _pattern("not_matches", text.not_matches, "FOUND"),
)

BY_NAME: Final[Mapping[str, CheckSpec]] = {spec.name: spec for spec in MENU}
