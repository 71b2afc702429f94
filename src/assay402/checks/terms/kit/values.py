"""The kit's small vocabulary: absence, detached copies, and words for what was found."""

from decimal import Decimal
from enum import Enum
from typing import Any, Final

from assay402.core.strictjson import JSON, Number

MAX_QUOTE: Final = 60
"""Characters of one quoted value, escapes included."""
MAX_DETAIL: Final = 400
"""Characters of a whole detail."""


CONTAINERS: Final = (dict, list)
"""What JSON values are made of."""


class Absent(Enum):
    """The absence of a value, which null is not."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def own(container: JSON | Absent, name: str) -> Any | Absent:  # noqa: ANN401  (any JSON value)
    """Give a member that stands in an object itself; anything that is no object has none."""
    # Not `get`: a stored null is a value, and a mapping with defaults must not be asked to make one.
    return container[name] if isinstance(container, dict) and name in container else ABSENT


def detached(value: dict[str, Any]) -> dict[str, Any]:
    """Copy every object and list of an object, so that nothing of the copy can be reached through the original.

    Without recursion and with a memory of what was copied, so that neither depth nor a value that contains itself
    can stop it. What is neither object nor list is immutable and stays.
    """
    top: dict[str, Any] = {}
    copies: dict[int, Any] = {id(value): top}
    waiting: list[tuple[Any, Any]] = [(value, top)]
    while waiting:
        source, copy = waiting.pop()
        if isinstance(source, dict):
            copy.update(source)
            members: Any = source.items()
        else:
            copy.extend(source)
            members = enumerate(source)
        for key, member in members:
            if isinstance(member, CONTAINERS):
                fresh = copies.get(id(member))
                if fresh is None:
                    fresh = copies[id(member)] = {} if isinstance(member, dict) else []
                    waiting.append((member, fresh))
                copy[key] = fresh
    return top


def quoted(text: str) -> str:
    """Quote a value for a detail: cut, and with everything escaped that a terminal or a log would act on."""
    return f'"{_cut(escaped(text[: MAX_QUOTE + 1]), MAX_QUOTE)}"'


def quoted_ends(text: str) -> str:
    """Quote a value by both ends, where its tail tells it from another."""
    shown = escaped(text)
    if len(shown) > MAX_QUOTE:
        shown = f"{shown[: MAX_QUOTE // 2 - 1]}…{shown[-MAX_QUOTE // 2 :]}"
    return f'"{shown}"'


def escaped(text: str) -> str:
    """Escape what a terminal or a log would act on instead of showing it."""
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def found(value: JSON | Absent) -> str:
    """Name what stands at a place: a string is quoted, of anything else only the kind is told."""
    match value:
        case Absent():
            return "nothing"
        case str():
            return quoted(value)
        case None:
            return "null"
        case bool():
            return "a boolean"
        case Number() | int() | float() | Decimal():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "no JSON value"


def detail(text: str) -> str:
    """Bound a detail as a whole."""
    return _cut(text, MAX_DETAIL)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _escape(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004  (the last code point of four digits)
