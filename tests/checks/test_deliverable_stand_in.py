"""Numbers that stand for others before a schema: nothing the schema says tells them apart."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay402.checks.deliverable.measure import digits, number_size
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.stand_in import NEAR, Scale, scale, stand_in, stand_ins
from assay402.core.exactjson import exact_number, is_integral


def number(text: str) -> int | Decimal:
    found = exact_number(text)
    assert found is not None
    return found


CONSTANTS = st.builds(
    lambda coefficient, exponent: number(f"{coefficient}e{exponent}"),
    st.integers(-999, 999),
    st.integers(-12, 12),
)
LONG = st.one_of(
    st.builds(lambda one, two: number(f"{one}e{two}"), st.integers(-999, 999), st.integers(-4000, 4000)),
    st.builds(lambda one, two, zeros: number(f"{one}.{'0' * zeros}{two}"), st.integers(-99, 99), st.integers(1), st.integers(0, 60)),
    st.integers(-(10**60), 10**60),
    CONSTANTS,
)  # fmt: skip


def of(constants: list[int | Decimal], multiples: list[int | Decimal]) -> Scale:
    bounds: list[Any] = [{"minimum": each} for each in constants] + [{"enum": [[each]]} for each in constants]
    return scale(Index({"allOf": [True, *bounds, *({"multipleOf": each} for each in multiples)]}, 2020, 1000))


@settings(deadline=None, max_examples=500)
@given(st.lists(CONSTANTS, max_size=3), st.lists(CONSTANTS.map(abs).filter(bool), max_size=2), LONG)
@example([], [13], Decimal("13.00000000000000000000000000000000000000001"))
@example([], [7], Decimal("-7e4000"))
@example([], [Decimal("0.01")], Decimal("1e-4000"))
def test_what_stands_for_a_number_has_the_same_type_order_and_divisors(
    constants: list[int | Decimal], multiples: list[int | Decimal], long: int | Decimal
) -> None:
    its_scale = of(constants, multiples)
    found = stand_in(long, its_scale)
    assert is_integral(found) == is_integral(long)
    for each in (0, *constants, *multiples):
        assert (found > each, found == each) == (long > each, long == each)
    for each in multiples:
        wanted = (Fraction(long) / Fraction(each)).denominator == 1
        assert ((Fraction(found) / Fraction(each)).denominator == 1) == wanted
    assert number_size(found) <= max(NEAR, digits(long) + its_scale.span)


def test_integers_stay_as_they_are_where_their_divisors_are_too_large() -> None:
    assert of([], [10**50]).modulus == 0
    assert of([], [10**50, 3]).modulus == 0
    assert stand_in(10**200, of([], [10**50])) == 10**200
    assert stand_in(10**20, of([], [10**25])) == 10**20


def test_fractions_stay_as_they_are_where_they_have_no_more_places_than_the_schema() -> None:
    long = Decimal("1234567890123456789.5")
    assert stand_in(long, of([], [])) is long
    assert stand_in(long, of([Decimal("0.25")], [])) is long


def test_a_document_is_copied_where_numbers_stand_in_it_and_nowhere_else() -> None:
    value: Any = [{"a": [1, True]}, {"b": [Decimal("1e-400")]}, [10**400], "x", None]
    nodes = Nodes([value, 1])
    found = stand_ins(nodes, 1, of([], []))
    shown: Any = found.value
    assert shown[0] is value[0]
    assert shown[1:] == [{"b": [Decimal("0.5")]}, [11], "x", None] or shown[1]["b"][0] == Decimal("0.5")
    assert {id(shown), id(shown[1]["b"]), id(shown[2])} == set(found.originals)
    assert found.originals[id(shown)] is value
    assert stand_ins(nodes, nodes.elements(0)[1], of([], [])).value == 1
