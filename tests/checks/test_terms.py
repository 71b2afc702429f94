"""Placing and extracting against the vectors: handed cases, all protocols, the link rule, purity."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay402 import terms
from assay402.checks.terms import CHECK
from assay402.checks.terms.kit.values import MAX_DETAIL, MAX_QUOTE
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.protocols import PROTOCOLS, legal_context_schema, manifests
from assay402.core.asks import clock_only, drive
from assay402.core.check import Refusal, read_request
from assay402.core.strictjson import read
from vectors import VECTORS, cases

SHARED = Path(__file__).parents[3] / "shared" / "cases"
HANDED = [case for case in cases("terms/handed.json") if case["op"] in ("place", "extract")]
STRICTER = {case["name"]: case for case in cases("terms/stricter.json")}
HASH = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
URL = "https://shop.dev/terms.md"
AD = {"ref": {"type": "sha256", "value": HASH}, "termsUrl": URL}


def outcome(op: str, given: dict[str, Any], **switches: bool) -> dict[str, Any]:
    """Run one case through the library."""
    protocol = given.get("protocol", "x402")
    if op == "place":
        return terms.place(
            {name: given[name] for name in ("ref", "termsUrl") if name in given},
            given["doc"],
            protocol=protocol,
            faithful=switches.get("faithful", given.get("faithful", False)),
        )
    return terms.extract(given["doc"], protocol=protocol, strict=given.get("strict", False))


def by_operation(op: str, given: dict[str, Any], **switches: bool) -> dict[str, Any]:
    """Run one case as every face but the library does: admitted, run, published."""
    operation = CHECK.operation(op)
    admitted = operation.admit({**given, **(switches if op == "place" else {})})
    assert operation.offline(admitted) is None
    result = drive(operation.run(admitted), clock_only(lambda: datetime.now(UTC)))
    assert operation.exit_code(result) == (0 if operation.publish(result).get("ok") else 1)
    return operation.publish(result)


def filled(expected: Any) -> Any:
    """Put our schema and our sentence where the vectors name them."""
    description = manifests()["ucp"].container.constants["description"]  # type: ignore[union-attr]
    match expected:
        case "@LEGAL_CONTEXT_SCHEMA":
            return legal_context_schema()
        case "@UCP_DESCRIPTION":
            return description
        case dict():
            return {name: filled(value) for name, value in expected.items()}
        case list():
            return [filled(value) for value in expected]
        case _:
            return expected


def compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    detail = found.pop("detail", "")
    mentions = expected.pop("detailMentions", [])
    assert found == filled(expected)
    assert [words for words in mentions if words not in detail] == []
    assert len(detail) <= MAX_DETAIL


@pytest.mark.parametrize("case", HANDED, ids=lambda case: case["name"])
def test_a_handed_case_is_answered_as_expected_in_faithful_mode(case: Any) -> None:
    given, expected = copy.deepcopy(case["input"]), dict(case["expect"])
    unchanged, then = expected.pop("inputUnchanged", True), expected.pop("thenExtract", None)
    found = outcome(case["op"], given, faithful=True)
    assert (given == case["input"]) is unchanged
    assert by_operation(case["op"], given, faithful=True) == found
    if then is not None:
        assert terms.extract(found["value"]) == then
    compare(found, expected)


@pytest.mark.parametrize("case", HANDED, ids=lambda case: case["name"])
def test_the_stricter_default_differs_where_it_is_listed_and_nowhere_else(case: Any) -> None:
    """Decision 2: B1 and B2; `vectors/terms/stricter.json` gives the reasons."""
    given = copy.deepcopy(case["input"])
    faithful = outcome(case["op"], given, faithful=True)
    found = outcome(case["op"], given)
    if case["name"] not in STRICTER:
        assert found == faithful
        return
    expected = STRICTER[case["name"]]["expect"]
    assert found != faithful
    if "code" in expected:
        assert found["code"] == expected["code"]
    else:
        assert found["value"]["accepts"][0]["extra"]["atrHash"] == expected["mirror"]


@pytest.mark.parametrize("case", cases("terms/protocols.json"), ids=lambda case: case["name"])
def test_each_protocol_is_placed_into_and_read_by_its_rules(case: Any) -> None:
    given = copy.deepcopy(case["input"])
    found = outcome(case["op"], given)
    assert by_operation(case["op"], given) == found
    compare(found, dict(case["expect"]))
    assert given == case["input"]


def test_the_words_of_a_ucp_entry_are_ours_and_listed_as_a_difference() -> None:
    listed = json.loads((VECTORS / "terms" / "stricter.json").read_bytes())["differences"]
    assert [(each["protocol"], each["modes"]) for each in listed] == [("ucp", ["default", "faithful"])]
    for faithful in (False, True):
        entry = terms.place(AD, {}, protocol="ucp", faithful=faithful)["value"]["policies"][0]
        assert entry["description"] == filled("@UCP_DESCRIPTION")
    old = {"policies": [{"type": entry["type"], "description": {"plain": "theirs"}}]}
    placed = terms.place(AD, old, protocol="ucp")["value"]["policies"][0]
    assert placed["description"] == {"plain": "theirs"}


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "x402"])
def test_the_public_vectors_of_a_protocol_pass_in_faithful_mode(protocol: str) -> None:
    """Decision 9. Their sentence for UCP is theirs, so ours stands where it stood."""
    path = SHARED / "terms-protocols" / f"{protocol}.json"
    if not path.exists():
        pytest.skip(f"the public vectors of {protocol} are not beside the repository")
    file = json.loads(path.read_bytes())
    theirs = file["manifest"]["container"].get("constants", {}).get("description")
    for case in file["cases"]:
        given, expected = copy.deepcopy(case["input"]), case["expected"]
        if given["op"] == "extract":
            found: Any = outcome("extract", given)
        else:
            found = outcome("place", given, faithful=True)
            if given["op"] == "roundtrip":
                found = terms.extract(found["value"], protocol=protocol)
            elif given["op"] == "place-purity":
                found = given == case["input"]
        if isinstance(found, dict):
            found.pop("detail", None)
        if theirs is not None:
            text = json.dumps(expected).replace(json.dumps(theirs), '"@UCP_DESCRIPTION"')
            expected = filled(json.loads(text))
        assert found == expected, case["name"]


def test_the_handed_data_is_what_is_shipped() -> None:
    """The schema member for member; the manifests apart from the sentence that is ours to choose."""
    if not SHARED.exists():
        pytest.skip("the handed data is not beside the repository")
    assert legal_context_schema() == json.loads((SHARED / "legal-context-schema.wire.json").read_bytes())
    handed = json.loads((SHARED / "manifests.json").read_bytes())
    package = Path(terms.__file__).parent / "checks" / "terms" / "manifests.json"
    shipped = json.loads(package.read_bytes())
    for manifest in (handed, shipped):
        del manifest["ucp"]["container"]["constants"]["description"]["plain"]
    assert shipped == handed


def test_the_schema_is_the_wire_constant() -> None:
    """Section 9."""
    schema = legal_context_schema()
    assert list(schema) == [
        "$schema", "title", "description", "type", "additionalProperties", "required", "properties",
    ]  # fmt: skip
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["type", "value", "legalContextUrl"]
    assert schema["properties"]["type"]["const"] == "sha256"
    assert schema["properties"]["value"]["pattern"] == "^0x[0-9a-f]{64}$"
    assert schema["properties"]["legalContextUrl"]["format"] == "uri"
    assert not {"$id", "$ref", "$defs"} & schema.keys()


@pytest.mark.parametrize("case", cases("terms/links.json"), ids=lambda case: repr(case["link"])[:60])
def test_a_link_passes_or_fails_by_the_rule(case: Any) -> None:
    """Section 12."""
    assert link_fault(case["link"]) == case["fault"]


def test_a_changed_output_changes_neither_input_nor_another_output() -> None:
    """B4 and the purity rule: nothing is shared."""
    document = {
        "accepts": [{"extra": {"deep": [{"x": 1}]}}, {"y": [1]}],
        "extensions": {"other": {"info": {"a": [1]}}},
    }
    kept = copy.deepcopy(document)
    first = terms.place(AD, document)["value"]
    second = terms.place(AD, document)["value"]
    third = terms.place(AD, first)["value"]
    assert first == second == third
    for spoiled in (
        first["accepts"], first["accepts"][0]["extra"]["deep"][0], first["accepts"][1]["y"],
        first["extensions"]["other"]["info"]["a"], first["extensions"]["legalContext"]["schema"]["properties"],
        first["extensions"]["legalContext"]["schema"]["required"],
    ):  # fmt: skip
        spoiled.clear()
    assert document == kept
    assert second == third
    assert second["extensions"]["legalContext"]["schema"] == legal_context_schema()


def test_parts_that_the_input_shares_are_written_apart() -> None:
    shared: dict[str, Any] = {"name": "USDC"}
    placed = terms.place(AD, {"accepts": [{"extra": shared}, {"extra": shared}]})["value"]
    assert placed["accepts"][1]["extra"] == {"name": "USDC"}
    assert shared == {"name": "USDC"}


def test_an_input_that_contains_itself_is_placed_into() -> None:
    document: dict[str, Any] = {"accepts": [{}]}
    document["self"] = document
    placed = terms.place(AD, document)
    assert placed["ok"]
    assert placed["value"]["self"]["self"] is placed["value"]["self"]
    assert placed["value"]["self"] is not document
    assert terms.extract(placed["value"])["ok"]


def test_depth_is_no_obstacle() -> None:
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]
    assert terms.place(AD, {"accepts": [{}], "deep": deep})["ok"]


def test_only_members_of_its_own_count() -> None:
    """The own-property rule: a mapping that makes members up is not asked to."""

    class Obliging(dict[str, Any]):
        def __missing__(self, key: str) -> Any:
            return {"info": {"type": "sha256", "value": HASH}}

    assert terms.extract({"extensions": Obliging()})["code"] == "x402/reference-absent"
    placed = terms.place(AD, {"accepts": [{}], "extensions": Obliging()})["value"]
    assert list(placed["extensions"]) == ["legalContext"]


@pytest.mark.parametrize("document", [({},), ("x",), b"{}", object(), {1, 2}])
def test_what_is_no_json_is_no_document(document: Any) -> None:
    assert terms.place(AD, document)["code"] == "x402/document-malformed"
    assert terms.extract(document)["code"] == "x402/document-malformed"


@pytest.mark.parametrize("advertisement", [None, [], "x", 5, {}])
def test_what_is_no_advertisement_is_refused(advertisement: Any) -> None:
    assert terms.place(advertisement, {"accepts": [{}]})["code"] == "x402/reference-malformed"


def test_a_protocol_without_a_placement_is_refused() -> None:
    """Section 15: LCP treats MCP as delivery."""
    nothing: list[Any] = ["mcp", "X402", "", None, 5, []]
    for protocol in nothing:
        assert terms.place(AD, {}, protocol=protocol)["code"] == "terms/protocol-unknown"
        assert terms.extract({}, protocol=protocol)["code"] == "terms/protocol-unknown"


def test_a_protocol_that_is_null_is_none_named_and_an_empty_one_is_unknown() -> None:
    assert by_operation("extract", {"doc": {}, "protocol": None})["code"] == "x402/reference-absent"
    assert by_operation("extract", {"doc": {}, "protocol": ""})["code"] == "terms/protocol-unknown"


def test_a_detail_is_bounded_and_safe_to_print() -> None:
    """B6 and Decision 2: each quoted value at most 60 characters, control characters escaped, whole at most 400."""
    nasty = "\x1b[31m\u202e\n\ud800" + "x" * 100_000
    for refused in (
        terms.extract({"accepts": [{"extra": {"atrHash": nasty}}]}),
        terms.extract({"accepts": [{"extra": {"atrHash": HASH, "legalContextUrl": nasty}}]}),
        terms.place({"ref": {"type": nasty, "value": HASH}, "termsUrl": URL}, {}),
        terms.place({"ref": {"type": "sha256", "value": nasty}, "termsUrl": URL}, {"accepts": [{}]}),
        terms.place({"ref": {"type": "sha256", "value": HASH}, "termsUrl": nasty}, {}),
        terms.place(AD, {"extensions": nasty, "accepts": [{}]}),
        terms.place(AD, nasty),
    ):
        detail = refused["detail"]
        assert len(detail) <= MAX_DETAIL
        assert detail.isprintable()
        assert "\\u001b[31m\\u202e\\u000a\\ud800" in detail
        assert "x" * MAX_QUOTE not in detail


def test_a_detail_never_spells_a_number_out() -> None:
    """B6: a huge integer cannot be written, and building the detail must not try."""
    refused = terms.extract({"accepts": [{"extra": {"atrHash": 10**5000}}]})
    assert refused == {
        "refused": True,
        "haltClass": "verification-failure",
        "code": "x402/reference-malformed",
        "detail": "accepts.0.extra.atrHash holds a number",
    }


def test_a_detail_tells_where_a_path_ends() -> None:
    assert terms.place(AD, {"accepts": "x"})["detail"] == (
        'no holder to write accepts.0.extra.atrHash into: accepts is "x"'
    )
    assert "accepts.0 is nothing" in terms.place(AD, {"accepts": []})["detail"]
    assert "extensions is null" in terms.place(AD, {"accepts": [{}], "extensions": None})["detail"]


@pytest.mark.parametrize(
    ("protocol", "document", "words"),
    [
        ("x402", {"accepts": [{}], "extensions": [1]}, "info into: extensions is a list"),
        ("x402", {"accepts": [[]]}, "atrHash into: accepts.0 is a list"),
        ("x402", {"accepts": [[{}]]}, "atrHash into: accepts.0 is a list"),
        ("x402", {"accepts": {}}, "atrHash into: accepts.0 is nothing"),
        ("x402", {}, "atrHash into: accepts is nothing"),
        ("ack", {"credentialSubject": [{}]}, "legalContext into: credentialSubject is a list"),
        ("ack", {"credentialSubject": 5}, "legalContext into: credentialSubject is a number"),
        ("ap2", {"metadata": {}}, None),
        ("ap2", {"metadata": []}, None),
    ],
)
def test_a_list_at_a_word_is_where_a_path_ends(protocol: str, document: Any, words: str | None) -> None:
    """Section 8: the path without a holder, and what was found."""
    ad = AD if protocol == "x402" else {"ref": AD["ref"]}
    placed = terms.place(ad, document, protocol=protocol)
    assert placed["ok"] if words is None else placed["detail"].endswith(words)


def test_both_tails_of_two_hashes_that_differ_are_shown() -> None:
    document = terms.place(AD, {"accepts": [{}]})["value"]
    document["accepts"][0]["extra"]["atrHash"] = HASH[:-1] + "f"
    detail = terms.extract(document, strict=True)["detail"]
    for tail in (HASH[-8:], HASH[-8:-1] + "f"):
        assert tail in detail
    long = {"type": "ipfs", "value": "a" * 100 + "b"}
    document = {"metadata": {"legalContext": long, "legal_context": {**long, "value": "short"}}}
    detail = terms.extract(document, protocol="a2a", strict=True)["detail"]
    assert "aab" in detail
    assert '"short"' in detail


SLOTS = {
    "x402": [
        ("accepts.0.extra.atrHash", '{"accepts":[{"extra":{"atrHash":"@","atrHash":"@","legalContextUrl":"https://a.dev/"}}]}'),
        ("accepts.0.extra.legalContextUrl", '{"accepts":[{"extra":{"atrHash":"@","legalContextUrl":"https://b.dev/","legalContextUrl":"https://a.dev/"}}]}'),
    ],
    "acp": [
        ("legal_context", '{"legal_context":1,"legal_context":{"type":"sha256","value":"@"},"metadata":{"legal_context_url":"https://a.dev/"}}'),
        ("legal_context.type", '{"legal_context":{"type":"url","type":"sha256","value":"@"},"metadata":{"legal_context_url":"https://a.dev/"}}'),
    ],
    "visa-tap": [
        ("headers", '{"headers":{},"headers":{"x-lcp-hash":"@"}}'),
        ("headers.x-lcp-hash", '{"headers":{"x-lcp-hash":"@","x-lcp-hash":"@"}}'),
        ("headers.x-lcp-hash", '{"headers":{"X-LCP-Hash":"@","x-lcp-hash":"@"}}'),
    ],
    "ucp": [
        ("policies", '{"policies":[],"policies":[%s]}'),
        ("policies.1.type", '{"policies":[{"type":"x"},{"type":"other",%.0s"type":"com.integraledger.policy.legal_context","com.integraledger.legal_context":{"type":"sha256","value":"@"},"url":"https://a.dev/"}]}'),
        ("policies.0.url", '{"policies":[{"url":"https://b.dev/",%.0s"type":"com.integraledger.policy.legal_context","com.integraledger.legal_context":{"type":"sha256","value":"@"},"url":"https://a.dev/"}]}'),
        ("policies.0.com.integraledger.legal_context.value", '{"policies":[{"type":"com.integraledger.policy.legal_context","com.integraledger.legal_context":{"type":"sha256",%.0s"value":"0x","value":"@"},"url":"https://a.dev/"}]}'),
    ],
}  # fmt: skip
ENTRY = '{"type":"com.integraledger.policy.legal_context","com.integraledger.legal_context":{"type":"sha256","value":"@"},"url":"https://a.dev/"}'


@pytest.mark.parametrize(
    ("protocol", "place", "text"),
    [(protocol, *case) for protocol, listed in SLOTS.items() for case in listed],
)
def test_a_name_that_stands_twice_on_the_way_to_a_slot_is_refused_strictly(
    protocol: str, place: str, text: str
) -> None:
    text = (text % ENTRY if protocol == "ucp" else text).replace("@", HASH)
    document = read(text)
    assert terms.extract(document, protocol=protocol)["ok"]
    refused = terms.extract(document, protocol=protocol, strict=True)
    assert (refused["code"], refused["detail"]) == (
        "terms/name-repeated", f"{place} stands more than once",
    )  # fmt: skip
    if "X-LCP" not in text:
        assert terms.extract(json.loads(text), protocol=protocol, strict=True)["ok"]


@pytest.mark.parametrize("text", ['{"accepts":[{}],"a":1,"a":2}', '{"accepts":[{"x":[{"a":1,"a":1}]}]}'])
def test_a_document_with_a_name_twice_is_not_placed_into(text: str) -> None:
    """Placing would have to choose one of the two values; it refuses, in both modes."""
    for faithful in (False, True):
        refused = terms.place(AD, read(text), faithful=faithful)
        assert refused["code"] == "terms/name-repeated"
    assert terms.place(AD, read(text.replace('"accepts":[{', '"accepts":5,"x":[{')))["code"] == (
        "x402/document-malformed"
    )
    assert terms.extract(read(text))["code"] == "x402/reference-absent"


def test_a_header_whose_name_is_no_text_is_no_exception() -> None:
    document: Any = {"headers": {5: "x", "x-lcp-hash": HASH}}
    assert terms.extract(document, protocol="visa-tap", strict=True)["ok"]


@pytest.mark.parametrize(
    ("operation", "source", "code"),
    [
        ("place", b"{", "not_json"),
        ("place", b"[]", "terms/request-malformed"),
        ("place", b"null", "terms/request-malformed"),
        ("place", b'{"ref":{},"doc":{},"x":1}', "terms/request-malformed"),
        ("place", b'{"ref":{},"doc":{},"protocol":5}', "terms/request-malformed"),
        ("place", b'{"ref":{},"doc":{},"faithful":1}', "terms/request-malformed"),
        ("place", b"[" * 1000, "not_json"),
        ("place", b" " * 1_048_577, "over_cap"),
        ("extract", b'{"ref":{}}', "terms/request-malformed"),
        ("extract", b'{"doc":{},"strict":"yes"}', "terms/request-malformed"),
        ("extract", b'{"doc":{},"strict":true,"faithful":true}', "terms/request-malformed"),
        ("well-known", b'"x"', "terms/request-malformed"),
    ],
)
def test_a_request_that_is_none_is_refused_in_the_shape_of_an_outcome(
    operation: str, source: bytes, code: str
) -> None:
    found = CHECK.operation(operation)
    given = found.admit(read_request(source, found.request_bytes))
    assert isinstance(given, Refusal)
    published = found.publish_refusal(given)
    assert (published["refused"], published["haltClass"], published["code"]) == (
        True,
        "verification-failure",
        code,
    )


def test_every_code_that_can_be_said_is_explained() -> None:
    """Style guide, rule 23."""
    reasons = {
        case["expect"]["code"]
        for name in ("terms/handed.json", "terms/protocols.json", "terms/verify.json", "terms/discover.json")
        for case in cases(name)
        if "code" in case["expect"]
    }
    rules = {rule.id for rule in CHECK.rules}
    unexplained = {
        code for code in reasons if not {code, code.rpartition("/")[2]} & (CHECK.notices.keys() | rules)
    }
    assert unexplained - {"url_malformed", "host_numeric_form", "url_control_or_space"} == set()
