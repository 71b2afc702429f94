"""The registry document: the menu, the reasons and the limits as data, one document for each profile.

Its root stands in every answer, so that an answer says by which menu it was reached.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from assay402.checks.deliverable import admission, arithmetic, budget, claims, kinds, menu, paths, pattern
from assay402.checks.deliverable.model import CONTRACT, Profile
from assay402.checks.deliverable.parameters import PATH, CheckSpec, Parameter
from assay402.checks.deliverable.program import ENGINES, PROGRAM_ID, VERSION
from assay402.checks.deliverable.rules import relations, schema
from assay402.checks.deliverable.schema import engine, guard, stack
from assay402.checks.deliverable.schema.keywords import DEFAULT_DIALECT, DIALECTS
from assay402.core import exactjson
from assay402.core.canon import canonical, sha256_hex

UNICODE: Final = {"google-re2": "15.1", "jsonschema-rs": "16.0"}
"""Whose character properties the engines of patterns know; nothing else here depends on a version of Unicode."""


def registry(profile: Profile) -> dict[str, Any]:
    """Give the registry document of a profile."""
    specs = [spec for spec in menu.MENU if not (spec.extension and profile == CONTRACT)]
    return {
        "id": PROGRAM_ID,
        "version": VERSION,
        "profile": profile,
        "verdicts": ["ACCEPT", "REJECT", "NO_VERDICT"],
        "results": ["PASS", "FAIL", "UNCHECKABLE"],
        "checks": [_check(spec, profile) for spec in specs],
        "parameterFaults": [*menu.PARAM_FAULTS, "LIMIT_NUMBER"],
        "limits": _limits(),
        "pathSyntaxes": ["RFC 6901 JSON Pointer", "RFC 9535 singular query", "dotted names"],
        "schemaDialects": sorted(DIALECTS),
        "defaultSchemaDialect": DEFAULT_DIALECT,
        "engines": [{"name": name, "version": version} for name, version in ENGINES],
        "unicode": dict(UNICODE),
    }


@cache
def registry_root(profile: Profile) -> str:
    """Give `hashCanonical` of the registry document."""
    return sha256_hex(canonical(registry(profile)))


def reasons(spec: CheckSpec, profile: Profile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the FAIL and the UNCHECKABLE reasons of a check, those of its path and of a structural reading included."""
    fails, uncheckables = list(spec.fails), list(spec.uncheckables)
    shown = _shown(spec, profile)
    is_string_at = any(parameter is menu.STRING_AT for parameter in shown)
    if any(parameter.kind is PATH for parameter in shown):
        fails += menu.STRING_FAILS if is_string_at else menu.PATH_FAILS
        uncheckables += (*menu.PATH_FAULTS, *menu.DOCUMENT_TROUBLES)
    return tuple(dict.fromkeys(fails)), tuple(dict.fromkeys(uncheckables))


def _check(spec: CheckSpec, profile: Profile) -> Mapping[str, Any]:
    fails, uncheckables = reasons(spec, profile)
    if spec.parameters is None:
        return {
            "name": spec.name,
            "parameters": "any",
            "fail": list(fails),
            "uncheckable": list(uncheckables),
        }
    return {
        "name": spec.name,
        "parameters": [_parameter(parameter) for parameter in _shown(spec, profile)],
        **({"atLeastOneOf": list(spec.one_of)} if spec.one_of else {}),
        **({"exclude": [list(pair) for pair in spec.conflicts]} if spec.conflicts else {}),
        "fail": list(fails),
        "uncheckable": list(uncheckables),
        "detail": list(spec.detail),
    }


def _shown(spec: CheckSpec, profile: Profile) -> list[Parameter]:
    return [
        parameter for parameter in spec.parameters or () if not (parameter.extension and profile == CONTRACT)
    ]


def _parameter(parameter: Parameter) -> Mapping[str, Any]:
    return {
        "name": parameter.name,
        "value": parameter.kind.name,
        "required": parameter.required,
        **({} if parameter.default_sent is None else {"default": parameter.default_sent}),
        **({"aliases": list(parameter.aliases)} if parameter.aliases else {}),
    }


def _limits() -> Mapping[str, int]:
    return {
        "requestBytes": admission.REQUEST_BYTES,
        "deliverableBytes": admission.MAX_DELIVERABLE,
        "criteria": admission.MAX_CRITERIA,
        "requestWork": budget.MAX_WORK,
        "idCharacters": admission.MAX_ID,
        "depth": exactjson.MAX_DEPTH,
        "significantDigits": exactjson.MAX_DIGITS,
        "exponent": exactjson.MAX_EXPONENT,
        "arithmeticDigits": arithmetic.MAX_DIGITS,
        "pathCharacters": paths.MAX_CHARACTERS,
        "patternCharacters": kinds.MAX_PATTERN_CHARACTERS,
        "patternMemoryBytes": pattern.MAX_PATTERN_MEMORY,
        "claims": claims.MAX_CLAIMS,
        "claimOperands": claims.MAX_OPERANDS,
        "claimNesting": claims.MAX_NESTING,
        "claimKeyNames": claims.MAX_KEY_NAMES,
        "claimSteps": relations.MAX_STEPS,
        "schemaDepth": guard.MAX_DEPTH,
        "schemaBytes": guard.MAX_BYTES,
        "schemaExpansion": guard.MAX_EXPANSION,
        "schemaStack": stack.MAX_STACK,
        "schemaBudget": budget.SCHEMA_BUDGET,
        "schemaPatterns": guard.MAX_PATTERNS,
        "schemaPatternBytes": engine.PATTERN_BYTES,
        "schemaPatternBudget": budget.PATTERN_BUDGET,
        "schemaWork": guard.MAX_WAY_DOWN,
        "schemaViolations": schema.MAX_VIOLATIONS,
        "schemaPairs": budget.MAX_PAIRS,
        "schemaCounting": budget.MAX_COUNTING,
    }
