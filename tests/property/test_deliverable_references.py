"""Where references of random schemas are counted to lead, the engine goes, and nowhere else.

Names are repeated, misspelt and misplaced in most of them; what has no single meaning is refused before the engine is asked.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.checks.deliverable.schema.index import Index
from assay402.checks.deliverable.schema.keywords import REFERENCES
from deliverable_references import alone, applied, counted, made, taken, ways

SEEDS = st.integers(0, 1 << 40)
REASONS = {"SCHEMA_INVALID", "SCHEMA_REMOTE_REF"}


@given(SEEDS, st.booleans())
@settings(deadline=None, max_examples=400)
def test_the_engine_goes_where_was_counted(seed: int, is_tame: bool) -> None:
    schema, draft, count = made(seed, is_tame=is_tame)
    validator = taken(schema)
    if isinstance(validator, str):
        assert validator in REASONS
        return
    index = Index(schema, draft, 1 << 20)
    for way, each in ways(schema):
        if index.number_of(each) is not None and any(name in each for name in REFERENCES):
            least, most = counted(index, each, count)
            assert least <= applied(validator, way, count) <= most


@given(SEEDS)
@settings(deadline=None, max_examples=200)
def test_where_names_are_told_apart_the_engine_alone_comes_to_the_same(seed: int) -> None:
    schema, draft, count = made(seed, is_tame=True)
    validator, by_itself = taken(schema), alone(schema, draft)
    if isinstance(validator, str) or by_itself is None:
        return
    index = Index(schema, draft, 1 << 20)
    # To the engine a name is none where older drafts have no keyword for definitions, and an empty reference nothing.
    is_doubtful = (draft < 2019 and '"$defs"' in repr(schema).replace("'", '"')) or any(
        each.get("$ref") == "" for _, each in ways(schema)
    )
    for way, each in ways(schema):
        if index.number_of(each) is not None and not is_doubtful:
            assert applied(validator, way, count) == applied(by_itself, way, count)
