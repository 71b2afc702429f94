"""What is judged here and not by the engine: numbers by their value, and whether elements differ.

The engine compares short numbers exactly, and long ones in ways that differ, some of them in binary64. Where a schema or a
document holds a long number, the engine is given keywords that it calls instead of its own, under whatever applicator. It
hands over the values of a document themselves, but of a schema a copy with binary fractions, so that each of them looks up
what the schema says.

`uniqueItems` is judged here always, in a time that grows with what is delivered alone. The engine tells elements apart by a
table of hashes, which does not see brackets and reads numbers in binary64, so that a few thousand of them are compared each
with each. Here each value of the document has a number, equal values the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Context, Decimal
from functools import partial
from typing import Any, Final, TypeAlias, TypeGuard

from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.nodes import Nodes, key_of
from assay402.core.exactjson import is_integral
from assay402.core.strictjson import JSON

NEAR: Final = 16
"""The engine compares numbers of no larger size exactly."""

Allows: TypeAlias = Callable[[JSON], bool]
"""Tells whether a keyword allows a value."""
Makes: TypeAlias = Callable[[Any, Mapping[str, Any]], Allows]
"""Reads a keyword: what it says, and the schema it stands in."""
Exactly: TypeAlias = int | Decimal

_WORDS: Final[Mapping[type, str]] = {
    type(None): "null", bool: "boolean", str: "string", list: "array", dict: "object", int: "number", Decimal: "number",
}  # fmt: skip

_DELIVERABLE: Final[ContextVar[Deliverable | None]] = ContextVar("_DELIVERABLE", default=None)
_CONTEXT: Final = Context(prec=10_240, Emax=999_999, Emin=-999_999)
"""The quotient of any two numbers within the limits of a document fits."""


@contextmanager
def judging(deliverable: Deliverable) -> Iterator[None]:
    """Let the arrays and objects of a deliverable be judged by what is known of it."""
    token = _DELIVERABLE.set(deliverable)
    try:
        yield
    finally:
        _DELIVERABLE.reset(token)


def _nodes(value: JSON) -> tuple[Nodes, int]:
    deliverable = _DELIVERABLE.get()
    return (Nodes(value), 0) if deliverable is None else deliverable.nodes(value)


def _unique_items(wanted: object, _schema: Mapping[str, Any]) -> Allows:
    def allows(value: JSON) -> bool:
        if not isinstance(value, list):
            return True
        deliverable = _DELIVERABLE.get()
        return Nodes(value).are_different(0) if deliverable is None else deliverable.are_different(value)

    return allows if wanted is True else lambda _: True


def _type(wanted: str | list[str], _schema: Mapping[str, Any]) -> Allows:
    words = frozenset([wanted] if isinstance(wanted, str) else wanted)
    kinds = frozenset(kind for kind, word in _WORDS.items() if word in words)
    if "number" in words or "integer" not in words:
        return lambda value: type(value) in kinds
    return lambda value: type(value) in kinds or (_is_number(value) and is_integral(value))


def _multiple_of(wanted: Exactly, _schema: Mapping[str, Any]) -> Allows:
    divisor = Decimal(wanted)
    return lambda value: not _is_number(value) or not _CONTEXT.remainder(Decimal(value), divisor)


def _minimum(wanted: Exactly, schema: Mapping[str, Any]) -> Allows:
    # In draft 4 the bound beside it says whether it is one itself.
    if schema.get("exclusiveMinimum") is True:
        return lambda value: not _is_number(value) or value > wanted
    return lambda value: not _is_number(value) or value >= wanted


def _maximum(wanted: Exactly, schema: Mapping[str, Any]) -> Allows:
    if schema.get("exclusiveMaximum") is True:
        return lambda value: not _is_number(value) or value < wanted
    return lambda value: not _is_number(value) or value <= wanted


def _above(wanted: Exactly, _schema: Mapping[str, Any]) -> Allows:
    return lambda value: isinstance(wanted, bool) or not _is_number(value) or value > wanted


def _below(wanted: Exactly, _schema: Mapping[str, Any]) -> Allows:
    return lambda value: isinstance(wanted, bool) or not _is_number(value) or value < wanted


def _enum(wanted: list[JSON], _schema: Mapping[str, Any]) -> Allows:
    plain = frozenset(key_of(each) for each in wanted if not isinstance(each, (dict, list)))
    others: list[JSON] = [each for each in wanted if isinstance(each, (dict, list))]

    def allows(value: JSON) -> bool:
        if not isinstance(value, (dict, list)):
            return key_of(value) in plain
        if not others:
            return False
        nodes, number = _nodes(value)
        return nodes.is_among(number, others)

    return allows


def _const(wanted: JSON, schema: Mapping[str, Any]) -> Allows:
    return _enum([wanted], schema)


_ALWAYS: Final[Mapping[str, Makes]] = {"uniqueItems": _unique_items}
_EXACT: Final[Mapping[str, Makes]] = {
    **_ALWAYS,
    "type": _type,
    "multipleOf": _multiple_of,
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": _above,
    "exclusiveMaximum": _below,
    "enum": _enum,
    "const": _const,
}
_COMPARES: Final = ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_LISTS: Final = ("enum", "const")


def judged(*, lists_numbers: bool, names_number: bool) -> frozenset[str]:
    """Give the keywords that are judged here where numbers are long.

    `lists_numbers` says that there are some among what `enum` and `const` list, `names_number` that a `type` tells numbers
    from integers or from what is none. Without, the engine looks at no number there.
    """
    lists = _LISTS if lists_numbers else ()
    return frozenset({*_ALWAYS, *_COMPARES, *lists, *(("type",) if names_number else ())})


class _Keyword:
    """One keyword of a schema, as the engine makes and calls it."""

    def __init__(
        self,
        name: str,
        schemas: Mapping[str, Mapping[str, Any]],
        parent: Mapping[str, Any],
        _value: object,
        _path: object,
    ) -> None:
        # What the engine brings along, such as a meta-schema, has no mark, and no number that it would not hand over.
        schema = next((schemas[name] for name in parent if name in schemas), parent)
        self._allows: Final = _EXACT[name](schema[name], schema)

    def validate(self, instance: JSON) -> None:
        """Refuse what the keyword does not allow.

        Raises:
            ValueError: It does not; it says no more.
        """
        if not self._allows(instance):
            raise ValueError


def always() -> Mapping[str, Any]:
    """Give what the engine is given for every schema, also for those it brings along."""
    return {name: partial(_Keyword, name, {}) for name in _ALWAYS}


def exactly(schemas: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> Mapping[str, Any]:
    """Give what the engine is given where numbers are long.

    `schemas` has the schemas by the names that mark them, `names` are the keywords that are to be judged here.
    """
    return {name: partial(_Keyword, name, schemas) for name in sorted(names)}


def _is_number(value: object) -> TypeGuard[Exactly]:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)
