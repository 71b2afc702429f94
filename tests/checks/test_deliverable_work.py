"""What a criterion takes of a request is counted where it can be applied, and never by what stands beside it."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402 import deliverable
from assay402.checks.deliverable.budget import MAX_PAIRS, SCHEMA_BUDGET, Pairs, Room
from assay402.checks.deliverable.claims import CLAIMS
from assay402.checks.deliverable.document import Deliverable
from assay402.checks.deliverable.measure import measure
from assay402.checks.deliverable.nodes import Nodes
from assay402.checks.deliverable.rules.relations import Reader
from assay402.checks.deliverable.schema.guard import TOO_COMPLEX, guard
from assay402.checks.deliverable.schema.walk import exact_work
from assay402.checks.deliverable.schema.work import work
from assay402.core.canon import canonical
from assay402.core.exactjson import Exact, read_exact, same


def exact(text: str) -> Any:
    document = read_exact(text.encode())
    assert isinstance(document, Exact)
    return document.value


def steps(schema: str, document: str, *, assert_format: bool = True) -> int:
    """Count the steps of a schema on a document, both given as texts."""
    taken = guard({"schema": exact(schema), "assertFormat": assert_format}, Room())
    assert isinstance(taken, dict)
    value = exact(document)
    return work(taken["plan"], measure(value, len(canonical(value))))


def exact_steps(schema: str, document: str, *, is_far: bool = False) -> int:
    """Count the steps of a schema on a document value by value."""
    taken = guard({"schema": exact(schema), "assertFormat": True}, Room())
    assert isinstance(taken, dict)
    value = exact(document)
    is_ours = is_far or taken["plan"].judges(measure(value, len(canonical(value))))
    found = exact_work(taken["plan"], Nodes(value), 0, Pairs(MAX_PAIRS), is_ours=is_ours)
    assert found is not None
    return found


def reasons(value: Any, *criteria: Any) -> list[str]:
    numbered = [{"id": str(place), **criterion} for place, criterion in enumerate(criteria)]
    answer = deliverable.check({"deliverable": {"kind": "json", "value": value}, "criteria": numbered})
    return [each["reason"] for each in answer["criteria"]]


BESIDE = [
    '{"properties": {"a": {"enum": ["x", "y"]}}}',
    '{"properties": {"a": {"pattern": "^(x|y){1,50}$"}}}',
    '{"properties": {"a": {"format": "regex"}}}',
    '{"properties": {"a": {"uniqueItems": true, "prefixItems": [{"pattern": "a"}]}}}',
    '{"properties": {"a": {"multipleOf": 0.01, "maximum": 9}}}',
    '{"properties": {"a": {"items": {"const": "x"}}}}',
]


PADDINGS = [
    json.dumps([0] * 5000),
    "[9007199254740992,9007199254740993]",
    '{"a":[1e-4000,"xxxxxxxx"]}',
    "[[[]],[[],[]]]",
]


@pytest.mark.parametrize("schema", BESIDE)
@pytest.mark.parametrize("value", ['"x"', '["x", "y"]', "5", "[0.5]"])
def test_what_no_way_leads_to_costs_nothing(schema: str, value: str) -> None:
    for padding in PADDINGS:
        bare = exact_steps(schema, f'{{"a": {value}, "b": [0, 0]}}', is_far="e-4000" in padding)
        assert exact_steps(schema, f'{{"a": {value}, "b": {padding}}}') == bare


LONG = '"' + "a" * 44_000 + '"'
NEAR = "[9007199254740993,9007199254740992" + ",0" * 20_000 + "]"
FAR = "[" + "2.5," * 10_000 + "1e-4000]"
TREES = json.dumps([[[[]] * place, [[]] * (60 - place)] for place in range(60)], separators=(",", ":"))
EMAIL = r'{"pattern":"^[^@\\s]{1,64}@[^@\\s]{1,255}$"}'
PRICE, TAGS = '{"minimum":0,"maximum":1,"multipleOf":0.01}', '{"type":"array","uniqueItems":true}'
ROW = f'{{"type":"object","properties":{{"email":{EMAIL},"price":{PRICE},"tags":{TAGS}}}}}'
ROWS = f'{{"type":"array","items":{ROW}}}'
CODES = json.dumps([f"C{place}" for place in range(500)])


@pytest.mark.parametrize(
    "padding", [LONG, NEAR, FAR, TREES, f'{{"email":{LONG}}}', f'{{"price":[1e-4000],"tags":{NEAR}}}']
)
@pytest.mark.parametrize(
    "schema",
    [
        f'{{"properties":{{"rows":{ROWS},"name":{{"pattern":"^[A-Z]{{3}}$"}}}},"required":["name"]}}',
        f'{{"properties":{{"rows":{ROWS}}},"required":["name"],"additionalProperties":{{"not":{{"const":5}}}}}}',
        f'{{"properties":{{"name":{{"enum":{CODES}}}}},"required":["name"],"additionalProperties":true}}',
        r'{"required":["name"],"properties":{"pad":{"pattern":"^.{20,500}[.!?]$"},"rows":{"uniqueItems":true}}}',
        r'{"required":["name"],"properties":{"pad":{"pattern":"^(\\S+\\s+){5,50}\\S+$"}}}',
    ],
)
def test_sixteen_ordinary_criteria_are_judged_whatever_is_added(schema: str, padding: str) -> None:
    """A seller who cannot meet a criterion must not be able to withhold the verdict."""
    document = f'{{"rows":[{{"email":"a@b.c","price":0.5,"tags":["a","b"]}}],"pad":{padding}}}'
    criteria = ",".join(f'{{"id":"{place}","check":"json_schema","schema":{schema}}}' for place in range(16))
    answer = deliverable.check(
        f'{{"deliverable":{{"kind":"text","value":{json.dumps(document)}}},"criteria":[{criteria}]}}'
    )
    assert [each["reason"] for each in answer["criteria"]] == ["SCHEMA_VIOLATION"] * 16


SHAPES = [
    '{"$dynamicAnchor": "meta", "$ref": "https://json-schema.org/draft/2020-12/schema"}', '{"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}',
    '{"propertyNames": {"allOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}]}, "$defs": {"x": {"minLength": 1}}}',
    '{"items": {"pattern": "a"}, "uniqueItems": true}', '{"properties": {"a": {"items": {"multipleOf": 0.5, "enum": [0.5, "x"]}}}}',
    '{"patternProperties": {"^a": {"maximum": 0.5}}, "additionalProperties": {"format": "uri"}, "propertyNames": {"allOf": [{"pattern": "b"}, {"allOf": [{"pattern": "b"}]}]}}',
    '{"prefixItems": [{"maximum": 0.5}, {"pattern": "a"}], "items": {"minimum": 2}}', '{"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}, "maximum": 3}',
    '{"allOf": [{"properties": {"a": true}}, {"anyOf": [true, {"items": true}]}], "unevaluatedProperties": false}',
    '{"$ref": "https://json-schema.org/draft/2020-12/schema"}', '{"dependentSchemas": {"a": {"required": ["b"]}}, "if": true, "then": {"contains": {"const": [0.5]}}}',
    '{"$defs": {"b": {"anyOf": [{"items": {"$ref": "#/$defs/c"}}, {"$ref": "#/$defs/d"}]}, "c": {"anyOf": [{"$ref": "#/$defs/b"}]}, "d": {"type": "array"}}, "$ref": "#/$defs/b"}',
    '{"propertyNames": {"$ref": "#"}, "items": {"$ref": "#/$defs/e"}, "$defs": {"e": {"anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#/$defs/e"}}]}}}',
    r'{"items": {"pattern": "^(?:[^@]{1,30}|[^x]{1,30}){1,9}$"}, "propertyNames": {"pattern": "^(?:[^@]{1,30}|[^x]{1,30}){1,9}$"}}',
]  # fmt: skip
NUMBERS = st.sampled_from(
    [0, 5, Decimal("0.5"), 10**400, 10**400 + 1, 9007199254740993, 9007199254740992, Decimal("1e-99")]
)
VALUES = st.recursive(
    NUMBERS | st.sampled_from(["", "a", "xé", "b" * 50, None, True]),
    lambda inner: (
        st.lists(inner, max_size=18)
        | st.dictionaries(st.sampled_from(["a", "ab", "b", "c"]), inner, max_size=4)
    ),
    max_leaves=40,
)


@pytest.mark.parametrize("schema", SHAPES)
@settings(deadline=None, max_examples=25)
@given(VALUES)
def test_counting_value_by_value_says_hardly_more_than_the_bound(schema: str, value: Any) -> None:
    document = canonical(value).decode()
    assert exact_steps(schema, document) <= 3 * steps(schema, document) + 5_000


@settings(deadline=None, max_examples=100)
@given(VALUES)
def test_the_values_of_a_document_are_numbered_from_the_outside_in(value: Any) -> None:
    nodes = Nodes(value)
    assert nodes.found[0] is value
    assert nodes.values[0] == len(nodes.found)
    for number, found in enumerate(nodes.found):
        below = [*nodes.members(number).values(), *nodes.elements(number)]
        assert [nodes.found[each] for each in below] == (
            list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
        )
        for other in range(number):
            equal = same(nodes.found[other], found)
            assert (nodes.equals[other] == nodes.equals[number]) == equal


def test_a_walk_ends_where_its_pairs_do() -> None:
    taken = guard({"schema": {"items": {"type": "string"}}, "assertFormat": False}, Room())
    assert isinstance(taken, dict)
    nodes = Nodes([0] * 50)
    assert exact_work(taken["plan"], nodes, 0, Pairs(51), is_ours=False) is not None
    assert exact_work(taken["plan"], nodes, 0, Pairs(50), is_ours=False) is None


@pytest.mark.parametrize(
    "schema",
    [
        '{"items": {"pattern": "a"}}', '{"items": {"format": "uri"}}', '{"items": {"uniqueItems": true}}',
        '{"items": {"enum": [1, "a"]}}', '{"additionalProperties": {"type": "string"}}',
        '{"patternProperties": {"^a": true}, "additionalProperties": false}', '{"propertyNames": {"format": "iri"}}',
        '{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}', '{"unevaluatedItems": true}',
        '{"items": {"$ref": "#"}}', '{"$ref": "https://json-schema.org/draft/2020-12/schema"}',
        '{"prefixItems": [{"multipleOf": 0.5}]}', '{"items": {"maximum": 0.5}}', '{"items": {"const": {"a": [0.5]}}}',
    ],
)  # fmt: skip
@settings(deadline=None, max_examples=20)
@given(st.integers(1, 6), st.integers(1, 6))
def test_more_of_what_is_reached_never_costs_less(schema: str, few: int, more: int) -> None:
    def document(count: int) -> str:
        rows = ",".join(f'{{"a{place}": "x", "n": {place}.25}}' for place in range(count))
        return f"[{rows}]"

    assert steps(schema, document(few)) <= steps(schema, document(few + more))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ('{"format": "uri"}', '{"format": "regex"}'),
        ('{"format": "uri"}', '{"allOf": [{"format": "uri"}, {"format": "uri"}]}'),
        ('{"required": ["a"]}', '{"required": ["a", "b"]}'),
        ('{"dependentRequired": {"a": ["b"]}}', '{"dependentRequired": {"a": ["b", "c"]}}'),
        ('{"dependentRequired": {"a": []}}', '{"dependentRequired": {"a": [], "b": []}}'),
        ('{"enum": ["a"]}', '{"enum": ["a", "b"]}'),
        ('{"const": "a"}', '{"const": ["a", ["b"]]}'),
        ('{"const": 1}', '{"const": 0.1}'),
        ('{"maximum": 1}', '{"maximum": 1e-4000}'),
        ('{"multipleOf": 1}', '{"multipleOf": 1e-4000}'),
        ('{"pattern": "^a$"}', '{"pattern": "^[01]*1[01]{900}2$"}'),
        ('{"anyOf": [{"type": "string"}]}', '{"anyOf": [{"type": "string"}], "unevaluatedItems": false}'),
    ],
)
def test_each_keyword_is_charged_for_what_it_adds(less: str, more: str) -> None:
    document = json.dumps("x" * 2000)
    assert steps(less, document) < steps(more, document)


def test_uniqueness_costs_the_same_whatever_the_elements_are() -> None:
    unique = '{"items": {"uniqueItems": true}}'
    found = {
        steps(unique, f"[[{one},{other}]]") for one, other in (("1", "2"), ("0.25", "0.5"), ('"a"', '"b"'))
    }
    assert len(found) == 1


def test_long_numbers_cost_little_more_than_short_ones_however_long_they_are() -> None:
    bound = '{"items": {"minimum": 0}}'
    plain, near, far, farther = (steps(bound, f"[{number}]") for number in ("1", "1.5", "1e300", "1e-4000"))
    assert plain < near
    assert plain < far == farther < 800
    divided = '{"items": {"multipleOf": 7e-4000}}'
    assert steps(divided, "[1]") < steps(divided, "[1e4000]") < 2_000
    assert steps(f'{{"items": {{"multipleOf": {"7" * 1000}e-4000}}}}', "[1e4000]") > 20_000


def test_a_format_costs_nothing_where_it_only_informs() -> None:
    text = json.dumps("x" * 2000)
    assert steps('{"format": "uri"}', text, assert_format=False) < steps('{"format": "uri"}', text)


def test_the_room_for_schemas_is_taken_once_and_lint_says_so() -> None:
    wide = {"check": "json_schema", "schema": {"allOf": [{}] * 5000}}
    assert reasons(1, *[wide] * 4) == ["OK"] * 3 + ["SCHEMA_TOO_COMPLEX"]
    assert SCHEMA_BUDGET < 4 * 5001
    linted = deliverable.lint([{"id": str(place), **wide} for place in range(4)])
    assert [each["reason"] for each in linted["criteria"]] == ["OK"] * 3 + ["SCHEMA_TOO_COMPLEX"]


def test_one_price_holds_for_patterns_of_texts_and_of_schemas() -> None:
    """What one judges in a millisecond the other does not withhold."""
    text = "line of text " * 3400
    for pattern in ("^.{1,500}", r"(\w+\s+){200,}", r"https?://[^\s]{5,100}", r"\b\w{30,100}\b"):
        found = deliverable.check(
            {
                "deliverable": {"kind": "json", "value": text},
                "criteria": [
                    {"id": "0", "check": "matches", "path": "", "value": pattern},
                    {"id": "1", "check": "json_schema", "schema": {"pattern": pattern}},
                ],
            }
        )
        one, other = found["criteria"]
        assert one["result"] == other["result"] != "UNCHECKABLE"


def test_characters_beyond_latin_count_by_their_bytes() -> None:
    """A pattern compiled for Latin-1 does not say what they take."""
    text = "б" * 22_000
    for pattern, reason in ((r"(?:\x{431}?){1000}", "OK"), (r"(?:\x{431}?){1000}" * 4, "LIMIT_WORK")):
        assert reasons(text, {"check": "matches", "path": "", "value": pattern}) == [reason]


@pytest.mark.parametrize(
    ("operand", "taken"),
    [
        ({"path": "/a/0"}, 3), ({"count": "/a"}, 2), ({"bytes": "/s"}, 2 + 10), ({"chars": "/s"}, 2 + 10),
        ({"sha256": "/s"}, 2 + 10), ({"sum": "a"}, 2 + 3), ({"sum": "a[*]"}, 2 + 4), ({"max": "$.b[*][*]"}, 2 + 3 + 5),
        ({"add": [{"count": "/a"}, {"count": "/a"}, {"count": "/b"}]}, 2 + 2 + 3),
        ({"mul": [10**300] * 8}, 8 * 4),
    ],
)  # fmt: skip
def test_each_value_a_claim_reads_is_a_step(operand: Any, taken: int) -> None:
    document = Deliverable(
        "text", json.dumps({"a": [1, 2, 3], "b": [[1, 2], [3, 4]], "s": "x" * 640}).encode()
    )
    claims = CLAIMS.read([{"left": operand, "op": "eq", "right": "x" if "sha256" in operand else 0}])
    assert isinstance(claims, tuple)
    reader = Reader(document, 100)
    reader.read(claims[0].left)
    assert reader.steps_taken == taken


def trees(size: int, depth: int) -> list[Any]:
    """Give different nestings of brackets, which a hash of the scalars within does not tell apart."""
    found: list[list[str]] = [[""]]
    for count in range(1, size + 1):
        found.append(
            [
                f"[{one}]{other}"
                for left in range(count)
                for one in found[left]
                for other in found[count - 1 - left]
            ]
        )
    texts = ("[" * depth + each.replace("][", "],[") + "]" * depth for each in found[size])
    return [json.loads(each) for each in texts]


ELEMENTS = [
    trees(7, 14)[:400],
    [10**20 + place for place in range(1500)],
    [Decimal(f"0.1{10**20 + place}") for place in range(1500)],
    [(2**61 - 1) * place for place in range(1, 1200)],
    [Decimal(f"1e-{place}") for place in range(400, 2800)],
]


@pytest.mark.parametrize("elements", ELEMENTS)
def test_no_elements_withhold_whether_they_are_different(elements: list[Any]) -> None:
    """A seller who repeats an element fails, whatever the others are."""
    for values, reason in ((elements, "OK"), ([*elements, elements[0]], "SCHEMA_VIOLATION")):
        text = json.dumps(canonical({"ids": values}).decode())
        schema = '{"type":"object","properties":{"ids":{"type":"array","uniqueItems":true,"items":{"not":{"type":"null"}}}}}'
        criteria = ",".join(
            f'{{"id":"{place}","check":"json_schema","schema":{schema}}}' for place in range(64)
        )
        answer = deliverable.check(
            f'{{"deliverable":{{"kind":"text","value":{text}}},"criteria":[{criteria}]}}'
        )
        assert {each["reason"] for each in answer["criteria"]} == {reason}


@settings(deadline=None, max_examples=150)
@given(st.lists(VALUES, max_size=5))
def test_uniqueness_is_that_of_json_under_every_applicator(values: list[Any]) -> None:
    is_unique = not any(
        same(values[one], values[other]) for one in range(len(values)) for other in range(one)
    )
    unique = {"uniqueItems": True}
    wanted: list[tuple[Any, bool]] = [
        (unique, is_unique), ({"not": unique}, not is_unique), ({"anyOf": [unique, False]}, is_unique),
        ({"oneOf": [unique, True]}, not is_unique), ({"if": unique, "then": False}, not is_unique),
        ({"$ref": "#/$defs/u", "$defs": {"u": unique}}, is_unique), ({"uniqueItems": False}, True),
        ({"unevaluatedItems": False, "items": True, **unique}, is_unique),
    ]  # fmt: skip
    text = json.dumps(canonical([values]).decode())
    criteria = [
        {"id": str(place), "check": "json_schema", "path": "/0", "schema": each}
        for place, (each, _) in enumerate(wanted)
    ]
    answer = deliverable.check(
        f'{{"deliverable":{{"kind":"text","value":{text}}},"criteria":{json.dumps(criteria)}}}'
    )
    assert [each["result"] == "PASS" for each in answer["criteria"]] == [expected for _, expected in wanted]


def test_the_lists_of_a_schema_are_found_unique_by_its_meta_schema() -> None:
    lists: list[Any] = [{"required": ["a", "b"]}, {"required": ["a", "a"]}, {"type": ["string", "string"]}]
    for draft in ("http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2020-12/schema"):
        criteria = [{"check": "json_schema", "schema": {"$schema": draft, **each}} for each in lists]
        assert reasons("x", *criteria) == ["OK", "SCHEMA_INVALID", "SCHEMA_INVALID"]


def test_the_meta_schemas_compare_so_many_long_numbers_only() -> None:
    far = {f"n{place}": {"minimum": Decimal("1e-4000")} for place in range(300)}
    assert guard({"schema": {"properties": far}, "assertFormat": False}, Room()) == TOO_COMPLEX
    few = dict(list(far.items())[:100])
    assert isinstance(guard({"schema": {"properties": few}, "assertFormat": False}, Room()), dict)


FAR_ROWS = ["1e-4000", "1e1000", "1e4000", "0." + "7" * 1000, "0.12345678901234567891", "-1e-900"]


@pytest.mark.parametrize("number", FAR_ROWS)
def test_no_number_withholds_what_ordinary_criteria_say_of_it(number: str) -> None:
    price = '{"type":"number","minimum":0,"maximum":1000000,"multipleOf":0.01}'
    schema = f'{{"items":{{"properties":{{"price":{price},"ok":{{"enum":[1,2]}}}}}}}}'
    document = (
        f'[{",".join([f"{{{chr(34)}price{chr(34)}:{number}}}"] * (40_000 // (len(number) + 11)))},{{"ok":3}}]'
    )
    criteria = ",".join(f'{{"id":"{place}","check":"json_schema","schema":{schema}}}' for place in range(32))
    answer = deliverable.check(
        f'{{"deliverable":{{"kind":"text","value":{json.dumps(document)}}},"criteria":[{criteria}]}}'
    )
    assert {each["reason"] for each in answer["criteria"]} == {"SCHEMA_VIOLATION"}


ORDINARY = [
    r"\p{Lu}\p{L}{2,20}", r"\p{L}{2,20}\d", r"[\p{L}'-]{2,30}@", r"\p{L}+@\p{L}+", r"\p{Lu}\p{L}+ \p{Lu}\p{L}+", r"\p{L}{50}!",
    r"[^\x00-\x7F]{3}!", r"\b\d{3}-\d{2}-\d{4}\b",
]  # fmt: skip


@pytest.mark.parametrize("text", ["Anna" + " x" * 22_000, "éÀ" * 11_000, "aБ中" * 7_300])
@pytest.mark.parametrize("pattern", ORDINARY)
def test_four_ordinary_patterns_are_judged_however_long_the_text_is(pattern: str, text: str) -> None:
    criteria = [{"id": str(place), "check": "not_matches", "value": pattern} for place in range(4)]
    answer = deliverable.check({"deliverable": {"kind": "text", "value": text}, "criteria": criteria})
    assert {each["reason"] for each in answer["criteria"]} <= {"OK", "FOUND"}


def test_what_is_reached_by_two_ways_back_is_counted_once() -> None:
    meta = '{"$ref": "https://json-schema.org/draft/2020-12/schema"}'
    schema = f'{{"$dynamicAnchor": "meta", "allOf": [{meta}, {meta}]}}'
    ten, twenty = ('{"not":' * levels + "{}" + "}" * levels for levels in (10, 20))
    assert exact_steps(schema, twenty) < 5 * exact_steps(schema, ten)


def test_compiling_a_schema_for_long_numbers_is_counted_once() -> None:
    taken = guard({"schema": {"type": "integer"}, "assertFormat": False}, Room())
    assert isinstance(taken, dict)
    compiled = taken["compiled"]
    assert (compiled.compiling(16), compiled.compiling(17)) == (0, 18 * 64)
    assert compiled.validator(17).is_valid(10**17)
    assert compiled.compiling(17) == 0
