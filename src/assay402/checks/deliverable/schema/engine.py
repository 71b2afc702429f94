"""The engine, closed to network and file system: what it compiles, and with which keywords of ours."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from assay402.checks.deliverable.model import Fault
from assay402.checks.deliverable.schema.exact import NEAR, always, exactly
from assay402.checks.deliverable.schema.keywords import DIALECTS, DRAFT_4, Draft
from assay402.checks.deliverable.schema.shown import Shown, counts_shortened
from assay402.checks.deliverable.schema.work import Plan
from assay402.core.errors import EngineFailed
from assay402.core.strictjson import JSON

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError
    from jsonschema_rs import Validator as Made

Given = TypeVar("Given")

INVALID: Final = Fault("SCHEMA_INVALID")
REMOTE_REF: Final = Fault("SCHEMA_REMOTE_REF")

PATTERN_BYTES: Final = 1 << 20
"""Size of a compiled pattern."""

_NAMES: Final[Mapping[Draft, str]] = {
    4: "Draft4Validator",
    6: "Draft6Validator",
    7: "Draft7Validator",
    2019: "Draft201909Validator",
    2020: "Draft202012Validator",
}


class Validator:
    """A compiled schema."""

    def __init__(self, made: "Made") -> None:
        self._made: Final = made

    def is_valid(self, value: JSON) -> bool:
        """Tell whether a value is valid.

        Raises:
            EngineFailed: The engine broke down.
        """
        return _asked(lambda: self._made.is_valid(value))

    def count(self, value: JSON, most: int) -> int:
        """Count the violations, up to so many; each is dropped as it is counted. Raises as `is_valid`."""
        return _asked(lambda: sum(1 for _ in islice(self._made.iter_errors(value), most)))

    def errors(self, value: JSON, most: int) -> "list[ValidationError]":
        """Give so many violations at most, each with its place. Raises as `is_valid`."""
        return _asked(lambda: list(islice(self._made.iter_errors(value), most)))

    def first_error(self, value: JSON) -> "ValidationError | None":
        """Give the violation that is met first, without those of alternatives. Raises as `is_valid`."""
        import jsonschema_rs  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

        try:
            _asked(lambda: self._made.validate(value))
        except jsonschema_rs.ValidationError as error:
            return error
        return None


class Compiled:
    """A schema compiled, and a second time where it is first applied to what holds longer numbers than it does."""

    def __init__(
        self, schema: Shown, draft: Draft, planned: Plan, *, assert_format: bool, steps: int
    ) -> None:
        self._schema: Final = schema
        self._draft: Final[Draft] = draft
        self._plan: Final = planned
        self._assert_format: Final = assert_format
        self._steps: Final = steps
        self._made: Final[dict[bool, Validator | Fault]] = {}
        self.found: Final = self._compiled(is_far=planned.is_far)
        """What compiling came to."""

    def validator(self, number_size: int) -> Validator:
        """Give the validator for values whose largest number has a size."""
        found = self._compiled(is_far=self._plan.is_far or number_size > NEAR)
        assert not isinstance(found, Fault)  # noqa: S101  (what compiles with some keywords does with others)
        return found

    def compiling(self, number_size: int) -> int:
        """Count the steps of making that validator, where it has not been made."""
        return 0 if (self._plan.is_far or number_size > NEAR) in self._made else self._steps

    def _compiled(self, *, is_far: bool) -> Validator | Fault:
        if is_far not in self._made:
            self._made[is_far] = validator(
                self._schema.schema,
                self._draft,
                assert_format=self._assert_format,
                keywords=exactly(self._schema.marked, self._judged()) if is_far else always(),
            )
        return self._made[is_far]

    def _judged(self) -> frozenset[str]:
        """Give the keywords judged here as far as the draft has them: draft 4 has no `const`."""
        return self._plan.judged - ({"const"} if self._draft == DRAFT_4 else set())


def is_valid_schema(schema: JSON, draft: Draft) -> bool:
    """Tell whether a schema is valid against the meta-schema of a draft, in which a pattern is any string."""
    return _meta_validator(draft).is_valid(counts_shortened(schema))


@cache
def _meta_validator(draft: Draft) -> Validator:
    import jsonschema_rs  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    uri = next(uri for uri, its_draft in DIALECTS.items() if its_draft == draft)
    make = getattr(jsonschema_rs, _NAMES[draft])
    return Validator(
        _asked(lambda: make({"$ref": uri}, offline=True, validate_formats=False, keywords=always()))
    )


def takes_pattern(pattern: str, size: int) -> bool:
    """Tell whether the engine, in linear time, can run a pattern within a size of its compiled form."""
    made = validator({"pattern": pattern}, 2020, assert_format=False, keywords=always(), pattern_bytes=size)
    return not isinstance(made, Fault)


def validator(
    schema: JSON,
    draft: Draft,
    *,
    assert_format: bool,
    keywords: Mapping[str, Any],
    pattern_bytes: int = PATTERN_BYTES,
) -> Validator | Fault:
    """Compile a schema closed to network and file system, or say why the engine refuses it.

    Raises:
        EngineFailed: The engine broke down.
    """
    import jsonschema_rs  # noqa: PLC0415  (a compiled engine, loaded by the criterion that needs it)

    make = getattr(jsonschema_rs, _NAMES[draft])
    try:
        made = _asked(
            lambda: make(
                schema,
                validate_formats=assert_format,
                ignore_unknown_formats=True,
                pattern_options=jsonschema_rs.RegexOptions(size_limit=pattern_bytes),
                offline=True,
                keywords=keywords,
            )
        )
    except (ValueError, jsonschema_rs.ReferencingError):
        # References were resolved before, so it is a place in a meta-schema that is not there, or what no guard tells.
        return INVALID
    return Validator(made)


def _asked(ask: Callable[[], Given]) -> Given:
    """Ask the engine. What it raises where it breaks down is no ordinary error, which no frame above would catch."""
    try:
        return ask()
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise EngineFailed from None
        raise
