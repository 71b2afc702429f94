"""What a request made is let go of with its answer: nothing of it is kept for the next one."""

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import StructConfig

from assay402 import claims
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.view import View
from assay402.checks.claims.rules.world import World
from claims_families import FAMILIES, family

VECTORS = Path(__file__).parent.parent.parent / "vectors" / "claims"
OPERATIONS = {
    "diagnose": claims.diagnose,
    "repair": claims.repair,
    "verify": claims.verify,
    "repair-bundle": claims.repair_bundle,
}


def requests() -> Iterator[dict[str, Any]]:
    """Give a fifth of the vectors, and a small request of each family."""
    for file in sorted(VECTORS.glob("*.json")):
        for case in json.loads(file.read_text("utf-8"))["cases"][::5]:
            if "request" in case:
                yield {"schema": "FAHCE_MACHINE_REQUEST_V1", **case["request"]}
    for name in FAMILIES:
        yield family(name, 2_000)


def kept() -> int:
    """Count what is alive of the kinds that hold the evidence of a request."""
    gc.collect()
    return sum(type(each) in (Record, View, World) for each in gc.get_objects())


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_record_of_a_request_outlives_its_answer(operation: str) -> None:
    before, asked = kept(), 0
    for request in requests():
        OPERATIONS[operation](request)
        asked += 1
    assert asked > len(FAMILIES)
    assert kept() <= before


def test_values_left_out_of_the_search_for_cycles_can_hold_nothing_that_holds_them() -> None:
    left_out = [each for each in structs() if not configuration(each).gc]
    assert left_out
    allowed = {str, int, bool, float, bytes, type(None), *left_out}
    for each in left_out:
        held = {part for hint in get_type_hints(each).values() for part in parts(hint)}
        named = {part for part in held if isinstance(part, type) and part.__name__ != "Decimal"}
        assert named <= allowed, (each.__qualname__, named - allowed)


def structs() -> Iterator[type[Struct]]:
    """Give the values of the claims check, as its modules hold them."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith("assay402.checks.claims"):
            for each in vars(module).values():
                if isinstance(each, type) and issubclass(each, Struct) and each.__module__ == name:
                    yield each


def configuration(struct: type[Struct]) -> StructConfig:
    """Give how a kind of value is made."""
    return struct.__struct_config__


def parts(hint: Any) -> Iterator[Any]:
    """Give the plain types of which a hint is made; the words of a literal are none."""
    if isinstance(hint, str | int):
        return
    inner = get_args(hint)
    if not inner:
        yield hint
    for each in inner:
        if each is not Ellipsis:
            yield from parts(each)
