"""`uniqueItems`, judged here and not by the engine: exactly, and in a time that grows with what is delivered alone.

The engine tells elements apart by a table of hashes, which does not see brackets and reads numbers in binary64, so that
a few thousand of them are compared each with each. Here each value of the document has a number, equal values the
same. The engine calls this where it comes to the keyword, under whatever applicator, with the array itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias

from assay402.checks.deliverable.nodes import Nodes
from assay402.core.strictjson import JSON

Decide: TypeAlias = Callable[[list[JSON]], bool]


def are_different(values: list[JSON]) -> bool:
    """Tell whether no two of the values are equal as JSON."""
    nodes = Nodes(values)
    return nodes.are_different(0)


_DECIDE: Final[ContextVar[Decide]] = ContextVar("_DECIDE", default=are_different)


@contextmanager
def deciding(decide: Decide) -> Iterator[None]:
    """Let the arrays of a document be judged by what is known of it."""
    token = _DECIDE.set(decide)
    try:
        yield
    finally:
        _DECIDE.reset(token)


class UniqueItems:
    """One `uniqueItems` of a schema, as the engine makes and calls it."""

    def __init__(self, _parent: object, value: object, _path: object) -> None:
        self._is_asked: Final = value is True

    def validate(self, instance: object) -> None:
        """Refuse an array with equal elements.

        Raises:
            ValueError: Two elements are equal; it says no more.
        """
        if self._is_asked and isinstance(instance, list) and not _DECIDE.get()(instance):
            raise ValueError


KEYWORDS: Final = {"uniqueItems": UniqueItems}
"""What the engine is given for every schema, also for those it brings along."""
