"""Where two JSON values differ."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from assay402.checks.deliverable.paths import MISSING
from assay402.core.exactjson import same


class Difference(Struct, frozen=True, kw_only=True):
    """A place, as a JSON Pointer, and what stands there on either side, or `MISSING`."""

    place: str
    one: Any
    other: Any


def differences(one: Any, other: Any, place: str = "") -> Iterator[Difference]:  # noqa: ANN401  (any JSON values)
    """Give the places where two JSON values differ; arrays of different length differ as a whole."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in sorted({*one, *other}):
            yield from differences(one.get(name, MISSING), other.get(name, MISSING), f"{place}/{token(name)}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{place}/{index}")
    elif one is MISSING or other is MISSING or not same(one, other):
        yield Difference(place=place, one=one, other=other)


def token(name: str) -> str:
    """Write a name as a part of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
